// SPDX-License-Identifier: GPL-2.0
/*
 * profile_opener - a process that opens files, because doing so may never end
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile_files.h"
#include "profile_opener.h"
#include "symbols_find.h"
#include "tool.h"

/* each byte of a Go ID may be escaped */
#define ID_ROOM	(4 * BUILDIDX_FORMAT_MAX)

/**
 * struct opener - the asking side
 * @pid: the process
 * @fd: socket to it, -1 when it is gone
 * @asked: places sent to it
 * @answered: answers from it
 */
struct opener {
	pid_t pid;
	int fd;
	unsigned int asked;
	unsigned int answered;
};

/* What the process answers; the file goes with it. */
struct reply {
	uint64_t object;
	bool gone;
	char id[ID_ROOM];
	char path[PATH_MAX];
};

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

static void send_reply(int to, struct reply *a, int fd)
{
	struct iovec part = { a, sizeof(*a) };
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(to, &msg, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void open_one(int to, const struct profile_place *place)
{
	struct reply a = { .object = place->object };
	char *path = NULL;
	int fd = open_file_at((pid_t)place->tgid, place->ip, &path);
	char *id = fd < 0 ? NULL : symbols_file_id(fd);

	a.gone = fd < 0;
	if (id && strlen(id) < sizeof(a.id))
		strcpy(a.id, id);
	if (path && strlen(path) < sizeof(a.path))
		strcpy(a.path, path);
	send_reply(to, &a, *a.id ? fd : -1);
	free(path);
	free(id);
	if (fd >= 0)
		close(fd);
}

/*
 * When it hangs it may stay behind: it must hold nothing of the profiler's, neither a
 * perf event nor the pipe that somebody reads the result from.
 */
static void serve(int fd)
{
	int i, null = open("/dev/null", O_RDWR);
	struct profile_place place;

	for (i = 0; i < 3; i++)
		dup2(null, i);
	dup2(fd, 3);
	close_range(4, ~0U, 0);
	while (recv(3, &place, sizeof(place), 0) == (ssize_t)sizeof(place))
		open_one(3, &place);
	_exit(0);
}

int opener_new(struct opener **opener)
{
	struct opener *o = must(calloc(1, sizeof(*o)));
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		goto failed;
	}
	o->pid = fork();
	if (o->pid < 0) {
		err = -errno;
		close(ends[0]);
		close(ends[1]);
		goto failed;
	}
	if (!o->pid)
		serve(ends[1]);
	close(ends[1]);
	o->fd = ends[0];
	*opener = o;
	return 0;
failed:
	free(o);
	return err;
}

bool opener_ask(struct opener *o, const struct profile_place *place)
{
	if (o->fd < 0 || send(o->fd, place, sizeof(*place), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return false;
	o->asked++;
	return true;
}

static int file_of(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd;

	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

bool opener_take(struct opener *o, struct opened *answer)
{
	struct reply a;
	struct iovec part = { &a, sizeof(a) };
	union control control;
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = o->fd < 0 ? 0 : recvmsg(o->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n != (ssize_t)sizeof(a)) {
		if (o->fd >= 0)
			close(o->fd);
		o->fd = -1;
		return false;
	}
	o->answered++;
	answer->object = a.object;
	answer->gone = a.gone;
	answer->fd = file_of(&msg);
	answer->id = answer->fd < 0 ? NULL : must(strndup(a.id, sizeof(a.id)));
	answer->path = *a.path ? must(strndup(a.path, sizeof(a.path))) : NULL;
	return true;
}

int opener_fd(const struct opener *o)
{
	return o ? o->fd : -1;
}

unsigned int opener_pending(const struct opener *o)
{
	return o->asked - o->answered;
}

void opener_free(struct opener *o)
{
	if (!o)
		return;
	if (o->fd >= 0)
		close(o->fd);
	kill(o->pid, SIGKILL);
	waitpid(o->pid, NULL, WNOHANG);
	free(o);
}
