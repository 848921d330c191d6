// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * handle - opening and closing the device
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

static int device_ioctl(void *ctx, int fd, unsigned long cmd, void *arg)
{
	(void)ctx;
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

static int device_open(void *ctx)
{
	int fd = open(BUILDIDX_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	(void)ctx;
	return fd < 0 ? -errno : fd;
}

static ssize_t device_read(void *ctx, int fd, void *buf, size_t len)
{
	ssize_t n = read(fd, buf, len);

	(void)ctx;
	return n < 0 ? -errno : n;
}

int bidx_open_failed(int code, struct buildidx_error *err)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return bidx_fail(err, code,
			"%s: permission denied: become root, or let a group in with a udev rule: KERNEL==\"buildidx\", GROUP=\"<group>\", MODE=\"0660\"",
			BUILDIDX_DEVICE);
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		if (access("/sys/module/buildidx", F_OK) == 0)
			return bidx_fail(err, -ENODEV,
				"%s: no such device, although the module is loaded: a container needs the device node passed in, a host needs devtmpfs on /dev",
				BUILDIDX_DEVICE);
		return bidx_fail(err, -ENODEV,
			"%s: the module is not loaded: run `modprobe buildidx` as root",
			BUILDIDX_DEVICE);
	default:
		return bidx_fail_errno(err, code, "%s: cannot open", BUILDIDX_DEVICE);
	}
}

int bidx_check_abi(const struct buildidx *bx, struct buildidx_error *err)
{
	struct buildidx_info info;
	int ret = buildidx_get_info(bx, &info, err);

	if (ret)
		return ret;
	if (info.abi_version != BUILDIDX_ABI_VERSION)
		return bidx_fail(err, -EPROTO,
			"%s: the module (version %s) has ABI %u, this library (version %s) has ABI %u: install the same version of both",
			BUILDIDX_DEVICE, info.version, info.abi_version,
			buildidx_version(), BUILDIDX_ABI_VERSION);
	return 0;
}

int buildidx_open(struct buildidx **out, unsigned int flags, struct buildidx_error *err)
{
	struct buildidx *bx;
	int ret;

	if (flags & ~BUILDIDX_OPEN_ANY_ABI)
		return bidx_fail(err, -EINVAL, "unknown flag 0x%x", flags);

	bx = calloc(1, sizeof(*bx));
	if (!bx)
		return bidx_fail_errno(err, -ENOMEM, "%s", BUILDIDX_DEVICE);
	bx->ioctl = device_ioctl;
	bx->open = device_open;
	bx->read = device_read;
	bx->fd = open(BUILDIDX_DEVICE, O_RDONLY | O_CLOEXEC);
	if (bx->fd < 0) {
		ret = bidx_open_failed(-errno, err);
		goto fail;
	}
	if (!(flags & BUILDIDX_OPEN_ANY_ABI)) {
		ret = bidx_check_abi(bx, err);
		if (ret)
			goto fail;
	}
	*out = bx;
	return 0;

fail:
	buildidx_close(bx);
	return ret;
}

void buildidx_close(struct buildidx *bx)
{
	if (!bx)
		return;
	if (bx->fd >= 0)
		close(bx->fd);
	free(bx);
}
