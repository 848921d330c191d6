// SPDX-License-Identifier: GPL-2.0
/*
 * profile_naming - names for a profile, found by a process that may do nothing else
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profile_naming.h"
#include "tool.h"

#define NOBODY		65534
/* root's own cache is closed to NOBODY; see enter_own_cache() */
#ifndef NAMING_CACHE
#define NAMING_CACHE	"/var/cache/buildidx-debuginfod"
#endif
#define MEMORY_MAX	(16UL << 30)
#define CPU_SECONDS	600
#define RESULT_MAX	(1UL << 30)
/* From the first signal on, and after it was killed. */
#define STOP_MS		5000
#define KILL_MS		1000

struct naming {
	struct symbols *symbols;
	struct fold *fold;
};

static void on_signal(int sig)
{
	(void)sig;
	symbols_stop();
}

static void listen_to_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A directory below @dir, for @owner alone. Return: descriptor, or -1. */
static int private_dir(int dir, const char *name, uid_t owner)
{
	int fd;

	if (mkdirat(dir, name, 0700) && errno != EEXIST)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && !fchown(fd, owner, owner) && !fchmod(fd, 0700))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * NOBODY is not ours alone: what else runs as that user must not find the cache, or could put there
 * what is believed here. So it lies in a directory that only root can enter, and we are in it
 * before we are NOBODY; from outside, "." leads nowhere. Return: false when it cannot be had.
 */
static bool enter_own_cache(const char *path)
{
	int outer = private_dir(AT_FDCWD, path, 0);
	int inner = outer < 0 ? -1 : private_dir(outer, "files", NOBODY);
	bool entered = inner >= 0 && !fchdir(inner);

	if (outer >= 0)
		close(outer);
	if (inner >= 0)
		close(inner);
	return entered;
}

static void use_own_cache(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !*urls || getenv("DEBUGINFOD_CACHE_PATH"))
		return;
	if (enter_own_cache(NAMING_CACHE)) {
		setenv("DEBUGINFOD_CACHE_PATH", ".", 1);
		return;
	}
	complain("%s: %s; no server is asked", NAMING_CACHE, strerror(errno));
	unsetenv("DEBUGINFOD_URLS");
}

static void limit(int what, rlim_t max)
{
	struct rlimit old;

	if (getrlimit((__rlimit_resource_t)what, &old))
		return;
	if (max < old.rlim_max)
		old.rlim_max = max;
	if (old.rlim_cur > old.rlim_max)
		old.rlim_cur = old.rlim_max;
	setrlimit((__rlimit_resource_t)what, &old);
}

static bool become_nobody(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_AS, MEMORY_MAX);
	limit(RLIMIT_CPU, CPU_SECONDS);
	if (!geteuid()) {
		use_own_cache();
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			return false;
	}
	return !syscall(SYS_capset, &head, none) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void name_one(void *ctx, const char *line, uint64_t count)
{
	struct naming *n = ctx;
	char *named = symbols_line(n->symbols, line);

	fold_add(n->fold, named, count);
	free(named);
}

static void print_place(void *ctx, const struct place *place)
{
	place_print(place, ctx);
}

/* The lines, an empty one, the places, an empty one, the report. */
static void name_all(struct symbols *s, const struct fold *unnamed, int to)
{
	struct naming n = { s, fold_new() };
	FILE *out = must(fdopen(to, "w"));

	listen_to_signals();
	symbols_hold(s);
	if (!become_nobody()) {
		complain("cannot give up privileges to look for symbols: %s", strerror(errno));
		_exit(1);
	}
	fold_each(unnamed, name_one, &n);
	fold_print(n.fold, out);
	putc('\n', out);
	symbols_each_place(s, print_place, out);
	putc('\n', out);
	symbols_report(s, out);
	_exit(fclose(out) ? 1 : 0);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* All that comes from @fd into @text. Return: did it come to its end? */
static bool read_all(int fd, int signals, pid_t pid, FILE *text)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	size_t all = 0;
	long end = 0, left = -1;
	char part[65536];
	ssize_t n;

	while (all <= RESULT_MAX) {
		if (end)
			left = end - now_ms();
		if (end && left <= 0)
			return false;
		if (poll(fds, 2, (int)left) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (fds[1].revents && read(signals, &info, sizeof(info)) > 0) {
			if (end)
				return false;
			end = now_ms() + STOP_MS;
			kill(pid, SIGTERM);
		}
		if (!fds[0].revents)
			continue;
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		fwrite(part, 1, (size_t)n, text);
		all += (size_t)n;
	}
	return false;
}

/* Return: its wait status; -1 when it does not even end when killed. */
static int reap(pid_t pid, int pidfd, bool ended)
{
	struct pollfd gone = { .fd = pidfd, .events = POLLIN };
	int status;

	if (!ended)
		kill(pid, SIGKILL);
	if (poll(&gone, 1, KILL_MS) != 1) {
		kill(pid, SIGKILL);
		return -1;
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && *text != '\n') || *text == 0x7f)
			return false;
	return true;
}

/* The next line, its newline cut off. Return: NULL when there is none. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

static bool parse_lines(char **rest, struct fold *fold)
{
	uint64_t count;
	char *line;

	while ((line = next_line(rest)) && *line) {
		if (!fold_parse_line(line, &count))
			return false;
		fold_add(fold, line, count);
	}
	return line;
}

static bool parse_places(char **rest, struct places *places)
{
	struct place place;
	char *line;

	while ((line = next_line(rest)) && *line) {
		if (!place_parse(line, &place))
			return false;
		places_add(places, &place);
	}
	return line;
}

/* Not to be trusted: what it was made from may have taken the process over. */
static struct fold *parse(char *text, struct places **places, char **report)
{
	struct places *found;
	struct fold *fold;

	if (!is_plain(text))
		return NULL;
	fold = fold_new();
	found = places_new();
	if (parse_lines(&text, fold) && parse_places(&text, found)) {
		*places = found;
		*report = must(strdup(text));
		return fold;
	}
	places_free(found);
	fold_free(fold);
	return NULL;
}

static void say_why(int status, bool ended)
{
	static const char instead[] =
		"the stacks have none, `buildidx symbolize` may find them";

	if (!ended)
		complain("the search for names was given up: %s", instead);
	else if (status > 0 && WIFSIGNALED(status))
		complain("the search for names was ended by signal %d (%s): %s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)), instead);
	else
		complain("the search for names failed: %s", instead);
}

struct fold *naming_run(struct symbols *s, const struct fold *unnamed, int signals,
			struct places **places, char **report)
{
	int ends[2], pidfd, status;
	struct fold *named = NULL;
	char *text = NULL;
	size_t size;
	FILE *in;
	pid_t pid;
	bool ended;

	if (pipe2(ends, O_CLOEXEC)) {
		complain("cannot look for names: %s", strerror(errno));
		return NULL;
	}
	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		name_all(s, unnamed, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		complain("cannot look for names: %s", strerror(errno));
		goto close_pipe;
	}
	pidfd = pidfd_open(pid, 0);
	in = must(open_memstream(&text, &size));
	ended = read_all(ends[0], signals, pid, in);
	if (fclose(in))
		must(NULL);
	status = reap(pid, pidfd, ended);
	close(pidfd);
	if (ended && !status)
		named = parse(text, places, report);
	if (!named)
		say_why(status, ended);
	free(text);
close_pipe:
	close(ends[0]);
	return named;
}
