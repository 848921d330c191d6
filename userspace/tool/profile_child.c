// SPDX-License-Identifier: GPL-2.0
/*
 * profile_child - start the command to be profiled
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile_child.h"

static void become(char **argv, int go, int failed, const struct child_world *world)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(0);
	setrlimit(RLIMIT_NOFILE, &world->files);
	sigprocmask(SIG_SETMASK, &world->mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int child_prepare(struct child *c, char **argv, const struct child_world *world)
{
	int go[2], failed[2], err;

	/* a socket: writing to one whose other end is gone need not end the profiler */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		err = -errno;
		goto close_go;
	}
	c->pid = fork();
	if (c->pid < 0) {
		err = -errno;
		goto close_failed;
	}
	if (!c->pid) {
		close(go[1]);
		become(argv, go[0], failed[1], world);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	return 0;

close_failed:
	close(failed[0]);
	close(failed[1]);
close_go:
	close(go[0]);
	close(go[1]);
	return err;
}

int child_run(struct child *c)
{
	ssize_t n;
	int err;

	n = send(c->go, "", 1, MSG_NOSIGNAL);
	close(c->go);
	if (n == 1) {
		n = read(c->failed, &err, sizeof(err));
	} else {
		n = sizeof(err);
		err = EPIPE;
	}
	close(c->failed);
	if (n != (ssize_t)sizeof(err))
		return 0; /* closed by exec */
	child_reap(c);
	return -err;
}

void child_cancel(struct child *c)
{
	close(c->go);
	close(c->failed);
	child_reap(c);
}

int child_reap(struct child *c)
{
	int status = 0;

	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
