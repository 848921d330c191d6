// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * parse - identity of a file by reading it, without the module
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdalign.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "internal.h"
#include "../../module/elfid.h"

/* Reads of a file that changes each time before we give up. */
#define ATTEMPTS	4

static int read_exactly(void *ctx, u64 off, void *buf, size_t len)
{
	int fd = *(int *)ctx;
	char *p = buf;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (n == 0)
			return -ENODATA;
		p += n;
		off += (u64)n;
		len -= (size_t)n;
	}
	return 0;
}

static bool same_content(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* File systems whose files are made up while they are read. */
static bool is_pseudo(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	switch ((unsigned int)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECURITYFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static void fill_object(struct buildidx_object *obj, const struct stat *st,
			const struct bidx_ident *id)
{
	memset(obj, 0, sizeof(*obj));
	obj->dev_major = major(st->st_dev);
	obj->dev_minor = minor(st->st_dev);
	obj->ino = st->st_ino;
	obj->status = id->status;
	obj->kind = id->kind;
	obj->source = id->source;
	obj->file_size = (u64)st->st_size;
	obj->mtime_ns = (s64)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	obj->id_len = id->id_len;
	memcpy(obj->id, id->id, sizeof(obj->id));
}

int buildidx_parse_fd(int fd, struct buildidx_object *obj, struct buildidx_error *err)
{
	alignas(8) unsigned char scratch[BIDX_SCRATCH_SIZE];
	struct bidx_reader reader = { .read = read_exactly, .ctx = &fd };
	struct bidx_ident id;
	struct stat before, after;
	int i, mode, ret;

	mode = fcntl(fd, F_GETFL);
	if (mode < 0 || (mode & O_PATH) || (mode & O_ACCMODE) == O_WRONLY)
		return bidx_fail(err, -EBADF, "not open for reading");
	if (fstat(fd, &before) < 0)
		return bidx_fail_errno(err, -errno, "cannot stat");
	if (!S_ISREG(before.st_mode))
		return bidx_fail(err, -EINVAL, "not a regular file");
	if (is_pseudo(fd))
		return bidx_fail(err, -EOPNOTSUPP,
				 "on a pseudo file system, whose files have no fixed content");

	for (i = 0; i < ATTEMPTS; i++) {
		reader.size = (u64)before.st_size;
		ret = bidx_identify(&reader, &id, scratch);
		if (ret && ret != -ENODATA)
			return bidx_fail_errno(err, ret, "cannot read");
		if (fstat(fd, &after) < 0)
			return bidx_fail_errno(err, -errno, "cannot stat");
		if (!ret && same_content(&before, &after)) {
			fill_object(obj, &after, &id);
			return 0;
		}
		before = after;
	}
	return bidx_fail(err, -EBUSY, "changed during each of %d reads: try again later",
			 ATTEMPTS);
}

int buildidx_open_path(const char *path, struct buildidx_error *err)
{
	struct stat st;
	int fd;

	/* Opening a device can have effects, such as rewinding a tape. */
	if (stat(path, &st) < 0)
		return bidx_fail_errno(err, -errno, "cannot stat");
	if (!S_ISREG(st.st_mode))
		return bidx_fail(err, -EINVAL, "not a regular file");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return bidx_fail_errno(err, -errno, "cannot open");
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return bidx_fail(err, -EINVAL, "not a regular file");
	}
	return fd;
}

int buildidx_parse_path(const char *path, struct buildidx_object *obj,
			struct buildidx_error *err)
{
	int fd = buildidx_open_path(path, err);
	int ret;

	if (fd < 0)
		return fd;
	ret = buildidx_parse_fd(fd, obj, err);
	close(fd);
	return ret;
}
