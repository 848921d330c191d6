// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * adopt - have BPF programs recorded that are older than the module
 *
 * A module cannot enumerate programs; who may get at their file descriptors can.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

int buildidx_adopt_fd(const struct buildidx *bx, int fd, uint64_t *object,
		      struct buildidx_error *err)
{
	struct buildidx_adopt arg = { .size = sizeof(arg), .fd = fd };
	int ret = bx->ioctl(bx->ctx, bx->fd, BUILDIDX_IOC_ADOPT, &arg);

	if (ret == -EBADF)
		return bidx_fail(err, ret, "not an open file descriptor");
	if (ret == -EINVAL)
		return bidx_fail(err, ret, "not the file descriptor of a BPF program");
	if (ret == -EAGAIN)
		return bidx_fail(err, ret,
			"BPF programs that are older than the module cannot be recorded, as its hook is off or not placed: `buildidx doctor` says more");
	if (ret)
		return bidx_records_failed(ret, "recording an older BPF program", err);
	if (object)
		*object = arg.object;
	return 0;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	long ret = syscall(__NR_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

static int next_program(uint32_t *id)
{
	union bpf_attr attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	ret = bpf(BPF_PROG_GET_NEXT_ID, &attr);
	if (!ret)
		*id = attr.next_id;
	return ret;
}

static int open_program(uint32_t id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpf(BPF_PROG_GET_FD_BY_ID, &attr);
}

static int walk_failed(int code, struct buildidx_error *err)
{
	if (code == -EPERM)
		return bidx_fail(err, code,
			"BPF programs that are older than the module cannot be enumerated: not permitted: needs CAP_SYS_ADMIN");
	return bidx_fail_errno(err, code, "enumerating BPF programs");
}

int buildidx_adopt_all(const struct buildidx *bx, uint32_t *count, struct buildidx_error *err)
{
	uint32_t id = 0, last, n = 0;
	int fd, ret;

	for (;;) {
		last = id;
		ret = next_program(&id);
		if (ret == -ENOENT)
			break;
		if (!ret && id <= last)
			ret = -EPROTO;
		if (ret)
			return walk_failed(ret, err);
		fd = open_program(id);
		/* It may have gone since. */
		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			return walk_failed(fd, err);
		ret = buildidx_adopt_fd(bx, fd, NULL, err);
		close(fd);
		if (ret)
			return ret;
		n++;
	}
	if (count)
		*count = n;
	return 0;
}
