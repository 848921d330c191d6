/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * internal - what the files of the library share; never installed
 */
#ifndef BUILDIDX_INTERNAL_H
#define BUILDIDX_INTERNAL_H

#include "libbuildidx.h"

/**
 * struct buildidx - an open device
 * @fd: the device, or -1 when a test stands in for it
 * @ioctl: carries out one command; returns 0 or a negative errno
 * @ctx: for @ioctl
 */
struct buildidx {
	int fd;
	int (*ioctl)(void *ctx, int fd, unsigned long cmd, void *arg);
	void *ctx;
};

/**
 * bidx_fail() - describe an error
 * @err: receives the text; may be NULL
 * @code: negative errno, returned unchanged
 * @fmt: what went wrong; the meaning of @code is not appended
 */
int bidx_fail(struct buildidx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * bidx_fail_errno() - describe an error, the meaning of the errno at the end
 * @err: receives the text; may be NULL
 * @code: negative errno, returned unchanged
 * @fmt: what was being done
 */
int bidx_fail_errno(struct buildidx_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * bidx_check_abi() - does the module behind a handle speak our ABI?
 * @bx: handle
 * @err: receives the text; may be NULL
 *
 * Return: 0, -EPROTO, or the errno of the INFO command.
 */
int bidx_check_abi(const struct buildidx *bx, struct buildidx_error *err);

#endif /* BUILDIDX_INTERNAL_H */
