// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_probe - reading files and running programs below a root directory
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doctor.h"

/* No program that is run here has to think. */
#define PROGRAM_MS	20000

static char *path_of(const struct doctor *d, const char *fmt, va_list ap)
{
	char *below, *path;

	if (vasprintf(&below, fmt, ap) < 0)
		must(NULL);
	if (asprintf(&path, "%s%s", d->root, below) < 0)
		must(NULL);
	free(below);
	return path;
}

char *probe_path(const struct doctor *d, const char *fmt, ...)
{
	va_list ap;
	char *path;

	va_start(ap, fmt);
	path = path_of(d, fmt, ap);
	va_end(ap);
	return path;
}

bool probe_exists(const struct doctor *d, const char *fmt, ...)
{
	va_list ap;
	char *path;
	bool there;

	va_start(ap, fmt);
	path = path_of(d, fmt, ap);
	va_end(ap);
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

/* Until @size - 1 bytes are there or the end is; what is left over is not read. */
static long read_start(int fd, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while (used < size - 1) {
		n = read(fd, buf + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += (size_t)n;
	}
	return (long)used;
}

long probe_read(const struct doctor *d, char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	char *path;
	long n;
	int fd;

	buf[0] = '\0';
	va_start(ap, fmt);
	path = path_of(d, fmt, ap);
	va_end(ap);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	n = fd < 0 ? -errno : 0;
	free(path);
	if (n)
		return n;
	n = read_start(fd, buf, size);
	close(fd);
	if (n < 0) {
		buf[0] = '\0';
		return n;
	}
	buf[n] = '\0';
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
	return n;
}

/* Not $PATH: of a user who is not root it often lacks the sbin directories. */
char *probe_program(const struct doctor *d, const char *name)
{
	static const char *const dirs[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
	};
	char *path;
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		path = probe_path(d, "%s/%s", dirs[i], name);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static int start(char *const argv[], int out, pid_t *pid)
{
	static char locale[] = "LC_ALL=C";
	char *const env[] = { locale, NULL };
	posix_spawn_file_actions_t actions;
	int err;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return -err;
	err = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						       O_WRONLY, 0);
	if (!err)
		err = posix_spawn(pid, argv[0], &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/*
 * What it prints, to the end: a program that dies of SIGPIPE would have a wrong exit status. The
 * start of it into @buf. Return: false when it does not come to an end.
 */
static bool take_output(int fd, char *buf, size_t size)
{
	struct pollfd fds = { .fd = fd, .events = POLLIN };
	long end = now_ms() + PROGRAM_MS, left;
	char part[4096];
	size_t used = 0, take;
	ssize_t n;

	while ((left = end - now_ms()) > 0) {
		if (poll(&fds, 1, (int)left) != 1)
			continue;
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		take = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;
		memcpy(buf + used, part, take);
		used += take;
		buf[used] = '\0';
	}
	return false;
}

int probe_run(char *const argv[], char *buf, size_t size)
{
	int fds[2], status, ret;
	bool ended;
	pid_t pid;

	buf[0] = '\0';
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	ret = start(argv, fds[1], &pid);
	close(fds[1]);
	if (ret)
		goto close;
	ended = take_output(fds[0], buf, size);
	if (!ended)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			ret = -errno;
			goto close;
		}
	ret = !ended ? -ETIMEDOUT : WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
close:
	close(fds[0]);
	return ret;
}
