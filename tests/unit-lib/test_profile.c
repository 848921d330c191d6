// SPDX-License-Identifier: GPL-2.0
/*
 * The processes of `buildidx profile`: the command, the one that opens files, the one
 * that looks for names. What goes wrong in them must not cost the profile.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile_child.h"
#include "profile_files.h"
#include "profile_naming.h"
#include "profile_opener.h"
#include "symbols_find.h"
#include "tool.h"

static char dir[] = "/tmp/test_profile-XXXXXX";
static int copy = -1;		/* of this program, to be truncated */
static char *id;
static uint64_t offset;
static int signals = -1;
static volatile sig_atomic_t stopped;
static unsigned int places_checked;

char *__real_symbols_line(struct symbols *s, const char *line);
char *__wrap_symbols_line(struct symbols *s, const char *line);
void __real_symbols_stop(void);
void __wrap_symbols_stop(void);
int __real_open_file_at(pid_t pid, uint64_t ip, char **path);
int __wrap_open_file_at(pid_t pid, uint64_t ip, char **path);

void __wrap_symbols_stop(void)
{
	__real_symbols_stop();
	stopped = 1;
}

/* What a file may do to who reads it. */
char *__wrap_symbols_line(struct symbols *s, const char *line)
{
	if (!strncmp(line, "truncate;", 9)) {
		signal(SIGBUS, SIG_DFL); /* cmocka has it */
		if (ftruncate(copy, 0))
			_exit(3);
	}
	if (!strncmp(line, "kill;", 5))
		raise(SIGKILL);
	if (!strncmp(line, "nobody;", 7) && !geteuid())
		_exit(4);
	while (!strncmp(line, "endless;", 8))
		poll(NULL, 0, 10);
	while (!strncmp(line, "until;", 6) && !stopped)
		poll(NULL, 0, 10);
	return __real_symbols_line(s, line);
}

int __wrap_open_file_at(pid_t pid, uint64_t ip, char **path)
{
	while (pid == 1)
		pause();
	return __real_open_file_at(pid, ip, path);
}

static const unsigned int marker_line = __LINE__ + 1;
static void __attribute__((noinline)) marker(void)
{
	__asm__ volatile("nop");
}

static uint64_t offset_of(uintptr_t ip)
{
	unsigned long start, end, off;
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t found = 0;

	assert_non_null(f);
	while (!found && getline(&line, &room, f) > 0)
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &off) == 3 &&
		    ip >= start && ip < end)
			found = ip - start + off;
	free(line);
	fclose(f);
	return found;
}

static int setup(void **state)
{
	char command[256];
	sigset_t set;
	int fd;

	(void)state;
	marker();
	setenv("DEBUGINFOD_URLS", "", 1);
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s/copy", getpid(), dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/copy", dir);
	fd = open("/proc/self/exe", O_RDONLY);
	id = symbols_file_id(fd);
	assert_non_null(id);
	close(fd);
	copy = open(command, O_RDWR);
	assert_true(copy >= 0);
	offset = offset_of((uintptr_t)marker);
	assert_int_not_equal(offset, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_NONBLOCK);
	/* whatever should hang, does not */
	alarm(120);
	return 0;
}

static int teardown(void **state)
{
	char name[256];

	(void)state;
	snprintf(name, sizeof(name), "%s/copy", dir);
	unlink(name);
	rmdir(dir);
	free(id);
	return 0;
}

struct named {
	unsigned int lines;
	uint64_t count;
	char *last;
};

static void one(void *ctx, const char *line, uint64_t count)
{
	struct named *n = ctx;

	n->lines++;
	n->count += count;
	free(n->last);
	n->last = strdup(line);
}

/* Of the place, where it was found, its line in this file is told too. */
static void check_place(const struct places *places)
{
	const struct functions *f = places_find(places, id, offset, false);

	assert_null(places_find(places, id, offset, true));
	if (!f || !f->nr)
		return;
	assert_int_equal(f->nr, 1);
	assert_string_equal(f->list[0].name, "marker");
	assert_non_null(strstr(f->list[0].file, "test_profile.c"));
	assert_true(f->list[0].line >= marker_line && f->list[0].line <= marker_line + 3);
	places_checked++;
}

/* The lines COMM;marker for each of @comms, through naming_run(). */
static struct fold *name(struct symbols *s, const char *const *comms, char **report)
{
	struct fold *unnamed = fold_new(), *named;
	struct places *places = NULL;
	char line[256];

	for (; *comms; comms++) {
		/* each its own place: the answer to the first is kept */
		snprintf(line, sizeof(line), "%s;%s+0x%llx", *comms, id,
			 (unsigned long long)offset + (strcmp(*comms, "a") ? 1 : 0));
		fold_add(unnamed, line, 3);
	}
	named = naming_run(s, unnamed, signals, &places, report);
	fold_free(unnamed);
	assert_true(!named == !places);
	if (named)
		check_place(places);
	places_free(places);
	return named;
}

static struct symbols *with_copy(void)
{
	struct symbols *s = symbols_new();

	symbols_add_fd(s, fcntl(copy, F_DUPFD_CLOEXEC, 0), id);
	return s;
}

static void test_names(void **state)
{
	static const char *const comms[] = { "a", "nobody", NULL };
	struct symbols *s = symbols_new();
	struct named n = { 0 };
	char *report = NULL;
	struct fold *named;

	(void)state;
	/* mkdtemp(3) closed it to all others */
	assert_int_equal(symbols_add_dir(s, dir), EXIT_OK);
	named = name(s, comms, &report);
	assert_non_null(named);
	fold_each(named, one, &n);
	assert_int_equal(n.lines, 2);
	assert_int_equal(n.count, 6);
	assert_int_equal(places_checked, 1);
	assert_string_equal(n.last, "nobody;marker");
	assert_int_equal(strncmp(report, "symbols: 2 of 2 frames", 22), 0);
	free(n.last);
	free(report);
	fold_free(named);
	symbols_free(s);
}

static void fails(const char *comm)
{
	const char *const comms[] = { "a", comm, NULL };
	struct symbols *s = with_copy();
	char *report = NULL;

	assert_null(name(s, comms, &report));
	assert_null(report);
	symbols_free(s);
}

static void test_killed(void **state)
{
	(void)state;
	fails("kill");
}

static void test_given_up(void **state)
{
	(void)state;
	kill(getpid(), SIGINT);
	kill(getpid(), SIGTERM);
	fails("endless");
}

static void test_stopped(void **state)
{
	static const char *const comms[] = { "a", "until", NULL };
	struct symbols *s = with_copy();
	struct named n = { 0 };
	char *report = NULL;
	struct fold *named;

	(void)state;
	kill(getpid(), SIGTERM);
	named = name(s, comms, &report);
	assert_non_null(named);
	fold_each(named, one, &n);
	assert_int_equal(n.count, 6);
	assert_null(strstr(n.last, "marker"));
	free(n.last);
	free(report);
	fold_free(named);
	symbols_free(s);
}

/* A debuginfod server made of files, which anybody may read, that has the program. */
static void make_server(char *server)
{
	char command[512];

	assert_non_null(mkdtemp(server));
	snprintf(command, sizeof(command),
		 "chmod 755 %s && mkdir -p %s/buildid/%s && cp %s/copy %s/buildid/%s/executable",
		 server, server, id, dir, server, id);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "file://%s", server);
	setenv("DEBUGINFOD_URLS", command, 1);
}

static void assert_owned(const char *path, uid_t owner)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_uid, owner);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
}

/* What else runs as nobody cannot get there, by any name. */
static void assert_closed_to_nobody(const char *path)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(setgid(65534) || setuid(65534) || !chdir(path) || errno != EACCES);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void assert_named(bool expected)
{
	static const char *const comms[] = { "a", "nobody", NULL };
	struct symbols *s = symbols_new();
	char *report = NULL;
	struct fold *named = name(s, comms, &report);

	assert_non_null(named);
	assert_int_equal(!strncmp(report, "symbols: 2 of 2 frames", 22), expected);
	free(report);
	fold_free(named);
	symbols_free(s);
}

/* What root downloads is kept where nobody but the search for names gets at it. */
static void test_cache(void **state)
{
	char server[] = "/tmp/test_profile-server-XXXXXX", command[512];

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(system("rm -rf " NAMING_CACHE), 0);
	make_server(server);
	assert_named(true);
	assert_owned(NAMING_CACHE, 0);
	assert_owned(NAMING_CACHE "/files", 65534);
	assert_closed_to_nobody(NAMING_CACHE "/files");
	assert_int_equal(system("test -n \"$(find " NAMING_CACHE "/files -name executable)\""), 0);
	/* one that was nobody's is taken back */
	assert_int_equal(chown(NAMING_CACHE, 65534, 65534), 0);
	assert_named(true);
	assert_owned(NAMING_CACHE, 0);
	/* a link in its place is not followed: what it leads to stays as it is */
	snprintf(command, sizeof(command), "rm -rf %s && ln -s %s %s", NAMING_CACHE, server,
		 NAMING_CACHE);
	assert_int_equal(system(command), 0);
	assert_named(false);
	snprintf(command, sizeof(command), "test \"$(stat -c %%a %s)\" = 755 && test ! -e %s/files",
		 server, server);
	assert_int_equal(system(command), 0);
	setenv("DEBUGINFOD_URLS", "", 1);
	snprintf(command, sizeof(command), "rm -rf %s %s", NAMING_CACHE, server);
	assert_int_equal(system(command), 0);
}

/* Comes last: there is no copy then. */
static void test_truncated(void **state)
{
	(void)state;
	fails("truncate");
}

static int run(char **argv, const struct child_world *world)
{
	struct child c;

	assert_int_equal(child_prepare(&c, argv, world), 0);
	assert_int_equal(child_run(&c), 0);
	return child_reap(&c);
}

static void test_command_world(void **state)
{
	char *limits[] = { "grep", "-qE", "^Max open files +123 +456 ", "/proc/self/limits", NULL };
	char *mask[] = { "grep", "-q", "^SigBlk:.0*200$", "/proc/self/status", NULL };
	struct child_world world = { .files = { 123, 456 } };

	(void)state;
	sigemptyset(&world.mask);
	sigaddset(&world.mask, SIGUSR1);
	assert_int_equal(run(limits, &world), 0);
	assert_int_equal(run(mask, &world), 0);
}

static void test_command_gone(void **state)
{
	struct child_world world = { .files = { 123, 456 } };
	char *argv[] = { "true", NULL };
	siginfo_t info;
	struct child c;

	(void)state;
	sigemptyset(&world.mask);
	assert_int_equal(child_prepare(&c, argv, &world), 0);
	kill(c.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(child_run(&c), -EPIPE);
}

static void wait_for(struct opener *o, struct opened *answer)
{
	struct pollfd fd = { .fd = opener_fd(o), .events = POLLIN };

	while (!opener_take(o, answer))
		assert_true(poll(&fd, 1, -1) == 1 && opener_fd(o) >= 0);
}

static void test_opener(void **state)
{
	struct profile_place place = { 7, (uintptr_t)marker, (uint32_t)getpid(), 0 };
	struct stat here, there;
	struct opened answer;
	struct opener *o;

	(void)state;
	assert_int_equal(opener_new(&o), 0);
	assert_true(opener_ask(o, &place));
	wait_for(o, &answer);
	assert_int_equal(answer.object, 7);
	assert_false(answer.gone);
	assert_string_equal(answer.id, id);
	assert_int_equal(fstat(answer.fd, &there), 0);
	assert_int_equal(stat("/proc/self/exe", &here), 0);
	assert_true(here.st_ino == there.st_ino);
	close(answer.fd);
	free(answer.id);

	place.ip = 0;
	assert_true(opener_ask(o, &place));
	wait_for(o, &answer);
	assert_true(answer.gone);
	assert_int_equal(answer.fd, -1);
	assert_null(answer.id);
	assert_int_equal(opener_pending(o), 0);
	opener_free(o);
}

static void test_opener_hangs(void **state)
{
	struct profile_place place = { 7, (uintptr_t)marker, 1, 0 };
	struct opened answer;
	unsigned int n = 0;
	struct opener *o;

	(void)state;
	assert_int_equal(opener_new(&o), 0);
	while (n < 100000 && opener_ask(o, &place))
		n++;
	/* it takes no more at some time, and does not wait */
	assert_in_range(n, 10, 99999);
	assert_false(opener_take(o, &answer));
	assert_int_equal(opener_pending(o), n);
	opener_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_world),
		cmocka_unit_test(test_command_gone),
		cmocka_unit_test(test_opener),
		cmocka_unit_test(test_opener_hangs),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests_name("profile", tests, setup, teardown);
}
