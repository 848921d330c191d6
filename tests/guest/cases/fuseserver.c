// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuseserver.h"
#include "tap.h"
#include "testfs.h"

#define FILE_NODE	2
#define MOST_CONTENT	(1 << 16)
#define REQUEST_MAX	(1 << 17)
#define VALID_SECONDS	3600

static pid_t server;

static void reply(int fd, uint64_t unique, int error, const void *data, size_t len)
{
	static char buf[sizeof(struct fuse_out_header) + MOST_CONTENT];
	struct fuse_out_header h = {
		.len = sizeof(h) + len, .error = error, .unique = unique,
	};

	memcpy(buf, &h, sizeof(h));
	if (len)
		memcpy(buf + sizeof(h), data, len);
	/* ENOENT: the request was given up meanwhile. */
	if (write(fd, buf, h.len) < 0 && errno != ENOENT)
		_exit(1);
}

static struct fuse_attr attributes(uint64_t node, size_t len)
{
	struct fuse_attr a = {
		.ino = node, .nlink = 1, .mtime = 1000000000, .ctime = 1000000000,
		.blksize = 4096, .mode = S_IFDIR | 0755,
	};

	if (node == FILE_NODE) {
		a.mode = S_IFREG | 0777;
		a.size = len;
	}
	return a;
}

static void answer(int fd, const struct fuse_in_header *in, const char *body,
		   struct fuse_control *control, const char *content, size_t len)
{
	switch (in->opcode) {
	case FUSE_INIT: {
		struct fuse_init_out out = {
			.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
			.max_readahead = 4096, .max_write = 4096, .max_background = 4,
		};

		return reply(fd, in->unique, 0, &out, sizeof(out));
	}
	case FUSE_LOOKUP: {
		struct fuse_entry_out out = {
			.nodeid = FILE_NODE, .entry_valid = VALID_SECONDS,
			.attr_valid = VALID_SECONDS, .attr = attributes(FILE_NODE, len),
		};

		if (strcmp(body, FUSE_FILE))
			return reply(fd, in->unique, -ENOENT, NULL, 0);
		return reply(fd, in->unique, 0, &out, sizeof(out));
	}
	case FUSE_SETATTR:
	case FUSE_GETATTR: {
		struct fuse_attr_out out = {
			.attr_valid = VALID_SECONDS, .attr = attributes(in->nodeid, len),
		};

		return reply(fd, in->unique, 0, &out, sizeof(out));
	}
	case FUSE_OPEN:
	case FUSE_OPENDIR: {
		struct fuse_open_out out = { .open_flags = FOPEN_KEEP_CACHE };

		if (control->direct && in->nodeid == FILE_NODE)
			out.open_flags |= FOPEN_DIRECT_IO;
		return reply(fd, in->unique, 0, &out, sizeof(out));
	}
	case FUSE_READ: {
		const struct fuse_read_in *r = (const void *)body;
		size_t from = r->offset < len ? r->offset : len;
		size_t n = len - from < r->size ? len - from : r->size;

		__sync_fetch_and_add(&control->reads, 1);
		if (!control->hang)
			reply(fd, in->unique, 0, content + from, n);
		return;
	}
	case FUSE_WRITE: {
		struct fuse_write_out out = { .size = ((const struct fuse_write_in *)body)->size };

		__sync_fetch_and_add(&control->writes, 1);
		if (!control->hang)
			reply(fd, in->unique, 0, &out, sizeof(out));
		return;
	}
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
		return reply(fd, in->unique, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return; /* want no answer */
	}
	reply(fd, in->unique, -ENOSYS, NULL, 0);
}

static void __attribute__((noreturn)) serve(int fd, struct fuse_control *control,
					     const char *content, size_t len)
{
	static char buf[REQUEST_MAX] __attribute__((aligned(8)));

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && (errno == EINTR || errno == ENOENT))
			continue;
		if (n < (ssize_t)sizeof(struct fuse_in_header))
			_exit(0); /* unmounted */
		answer(fd, (const void *)buf, buf + sizeof(struct fuse_in_header), control, content,
		       len);
	}
}

struct fuse_control *fuse_start(const char *dir, const void *content, size_t len)
{
	struct fuse_control *control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char options[128];
	int fd;

	make_dirs(dir);
	if (control == MAP_FAILED || len > MOST_CONTENT)
		bail("set-up of fuse: %s", strerror(errno));
	/* Fails for want of options, and makes the kernel load its module. */
	mount("fuse", dir, "fuse", 0, NULL);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		bail("/dev/fuse: %s", strerror(errno));
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	if (mount("fuse", dir, "fuse", 0, options))
		bail("mount of fuse: %s", strerror(errno));
	server = fork();
	if (server < 0)
		bail("fork: %s", strerror(errno));
	if (!server)
		serve(fd, control, content, len);
	close(fd);
	return control;
}

void fuse_kill(void)
{
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	server = 0;
}

void fuse_stop(const char *dir)
{
	fuse_kill();
	ok(!umount(dir), "fuse can be unmounted");
}
