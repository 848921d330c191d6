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
 * @open: opens the device once more, not waiting when it is read; returns a file
 *	descriptor or a negative errno
 * @read: reads from such a one; returns bytes or a negative errno
 * @ctx: for these
 */
struct buildidx {
	int fd;
	int (*ioctl)(void *ctx, int fd, unsigned long cmd, void *arg);
	int (*open)(void *ctx);
	ssize_t (*read)(void *ctx, int fd, void *buf, size_t len);
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

/** bidx_open_failed() - describe an error of opening the device; returns the code to give */
int bidx_open_failed(int code, struct buildidx_error *err);

/**
 * bidx_records_failed() - describe an error of a command that gives records
 * @code: negative errno, returned unchanged
 * @what: what was being done
 * @err: receives the text; may be NULL
 */
int bidx_records_failed(int code, const char *what, struct buildidx_error *err);

/** bidx_sect_fits() - is a section inside of its record, and where one may be? */
bool bidx_rec_sect_fits(const struct buildidx_sect *s, uint32_t fixed, uint32_t size);

/**
 * bidx_rec_swap() - turn a record of the other byte order into one of ours
 * @rec: record; its size is ours already, and that many bytes are there
 *
 * Of a type that is not known, only the header is turned.
 *
 * Return: false when an offset in it leads out of it.
 */
bool bidx_rec_swap(struct buildidx_rec *rec);

#endif /* BUILDIDX_INTERNAL_H */
