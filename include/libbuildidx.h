/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libbuildidx - build IDs of files, addresses and processes
 *
 * Two ways to an answer: the buildidx module (every function that takes a
 * struct buildidx), and reading a file with the module's own parser
 * (buildidx_parse_fd() and buildidx_parse_path(), which need no module).
 *
 * Rules for every function here:
 *
 * - Errors are negative errno values. Where there is a struct buildidx_error,
 *   it may be NULL; else a failure leaves one line of text for people in it.
 *   Success leaves it alone.
 * - Nothing is printed and there is no global state. A handle is not changed
 *   after buildidx_open(): threads may share it. An iterator belongs to one
 *   thread at a time.
 * - Results are in the structs of the kernel's ABI (uapi/buildidx.h). A result
 *   is written only on success.
 * - pid 0 means the calling process.
 */
#ifndef LIBBUILDIDX_H
#define LIBBUILDIDX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "uapi/buildidx.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define BUILDIDX_ERROR_MAX	256

/**
 * struct buildidx_error - what went wrong, in words
 * @text: one line without a newline, NUL-terminated
 */
struct buildidx_error {
	char text[BUILDIDX_ERROR_MAX];
};

/** struct buildidx - an open device */
struct buildidx;

/* Open a module whose ABI this library does not know, to report just that. */
#define BUILDIDX_OPEN_ANY_ABI	(1U << 0)

/**
 * buildidx_open() - open the device
 * @bx: receives the handle; to be closed with buildidx_close()
 * @flags: 0 or BUILDIDX_OPEN_ANY_ABI
 * @err: text of the error, or NULL
 *
 * Return: 0; -ENODEV the module is not loaded or its device node is missing;
 * -EACCES or -EPERM the caller may not open it; -EPROTO the module speaks
 * another ABI; -ENOTTY the device is not buildidx; -EINVAL unknown flag;
 * -ENOMEM.
 */
int buildidx_open(struct buildidx **bx, unsigned int flags, struct buildidx_error *err);

/**
 * buildidx_close() - close the device
 * @bx: handle, or NULL
 */
void buildidx_close(struct buildidx *bx);

/**
 * buildidx_get_info() - version and state of the module
 * @bx: handle
 * @info: result; @nr_hooks never exceeds BUILDIDX_HOOK_MAX, texts are
 *	NUL-terminated
 * @err: text of the error, or NULL
 *
 * Return: 0 or a negative errno.
 */
int buildidx_get_info(const struct buildidx *bx, struct buildidx_info *info,
		      struct buildidx_error *err);

/**
 * buildidx_get_fd() - identity of an open file
 * @bx: handle
 * @fd: regular file, open for reading
 * @obj: result; see BUILDIDX_IOC_QUERY_FD for the statuses
 * @err: text of the error, or NULL
 *
 * Return: 0; -EBADF not open for reading; -EINVAL not a regular file;
 * -EOPNOTSUPP a file system that is never indexed; -EINTR.
 */
int buildidx_get_fd(const struct buildidx *bx, int fd, struct buildidx_object *obj,
		    struct buildidx_error *err);

/**
 * buildidx_get_addr() - identity and file offset of a user address
 * @bx: handle
 * @pid: process, or 0
 * @address: user address in that process
 * @frame: result; its status says why there is no identity
 * @err: text of the error, or NULL
 *
 * Return: 0; -EPERM another process without CAP_SYS_PTRACE or CAP_PERFMON;
 * -ESRCH no such process.
 */
int buildidx_get_addr(const struct buildidx *bx, pid_t pid, uint64_t address,
		      struct buildidx_frame *frame, struct buildidx_error *err);

/**
 * buildidx_get_exe() - identity of the main executable of a process
 * @bx: handle
 * @pid: process, or 0
 * @obj: result
 * @err: text of the error, or NULL
 *
 * Return: 0; -EPERM as buildidx_get_addr(); -ESRCH no such process, or it has
 * no executable.
 */
int buildidx_get_exe(const struct buildidx *bx, pid_t pid, struct buildidx_object *obj,
		     struct buildidx_error *err);

/**
 * buildidx_get_object() - one entry of the index by its number
 * @bx: handle
 * @object: number from a frame or an object
 * @obj: result
 * @err: text of the error, or NULL
 *
 * Return: 0; -ENOENT no longer in the index; -EPERM without CAP_PERFMON or
 * CAP_SYS_ADMIN.
 */
int buildidx_get_object(const struct buildidx *bx, uint64_t object,
			struct buildidx_object *obj, struct buildidx_error *err);

/**
 * buildidx_get_stats() - counters of the module
 * @bx: handle
 * @cpu: CPU number, or -1 for the sum over all
 * @stats: result; @nr_status and @nr_counter never exceed BUILDIDX_STATS_MAX
 * @err: text of the error, or NULL
 *
 * Return: 0; -EINVAL no such CPU; -EPERM without CAP_PERFMON or CAP_SYS_ADMIN.
 */
int buildidx_get_stats(const struct buildidx *bx, int cpu, struct buildidx_stats *stats,
		       struct buildidx_error *err);

/** struct buildidx_iter - a walk over the whole index */
struct buildidx_iter;

/**
 * buildidx_iter_new() - start a walk over the index
 * @bx: handle; must stay open as long as the iterator
 * @iter: receives the iterator; to be freed with buildidx_iter_free()
 * @err: text of the error, or NULL
 *
 * Entries that stay in the index during the walk are seen exactly once.
 *
 * Return: 0 or -ENOMEM.
 */
int buildidx_iter_new(const struct buildidx *bx, struct buildidx_iter **iter,
		      struct buildidx_error *err);

/**
 * buildidx_iter_next() - next entry of the walk
 * @iter: iterator
 * @obj: result
 * @err: text of the error, or NULL
 *
 * Return: 1 with an entry in @obj; 0 at the end; -EPERM without CAP_PERFMON or
 * CAP_SYS_ADMIN; another negative errno. After 0 or an error the walk is over.
 */
int buildidx_iter_next(struct buildidx_iter *iter, struct buildidx_object *obj,
		       struct buildidx_error *err);

/**
 * buildidx_iter_free() - end a walk
 * @iter: iterator, or NULL
 */
void buildidx_iter_free(struct buildidx_iter *iter);

/**
 * buildidx_parse_fd() - identity of an open file, without the module
 * @fd: regular file, open for reading; its position is neither used nor moved
 * @obj: result; object number, generation and flags are 0, status is OK,
 *	NO_NOTE or TOO_LONG. Device numbers are those of stat(2), which on btrfs
 *	and overlayfs are not those that the module gives.
 * @err: text of the error, or NULL
 *
 * Return: 0; -EBADF not open for reading; -EINVAL not a regular file;
 * -EOPNOTSUPP a pseudo file system (proc, sysfs, ...) whose files have no fixed
 * content; -EBUSY the file changed during each of several reads; the errno of
 * a failed read.
 */
int buildidx_parse_fd(int fd, struct buildidx_object *obj, struct buildidx_error *err);

/**
 * buildidx_parse_path() - identity of a file, without the module
 * @path: name of a regular file
 * @obj: result, as buildidx_parse_fd()
 * @err: text of the error, or NULL; it does not repeat @path
 *
 * Return: 0, the errno of stat(2) or open(2), or as buildidx_parse_fd().
 */
int buildidx_parse_path(const char *path, struct buildidx_object *obj,
			struct buildidx_error *err);

/**
 * buildidx_open_path() - open a file as the two functions above want it
 * @path: name of a regular file
 * @err: text of the error, or NULL; it does not repeat @path
 *
 * Never opens a device, never waits for the other end of a FIFO.
 *
 * Return: a file descriptor (close-on-exec), or a negative errno; -EINVAL not
 * a regular file.
 */
int buildidx_open_path(const char *path, struct buildidx_error *err);

/*
 * Names for machines: lower case, words joined by '-', the same in every
 * release. A value that this library does not know gives "unknown".
 */
const char *buildidx_kind_name(unsigned int kind);
const char *buildidx_source_name(unsigned int source);
const char *buildidx_status_name(unsigned int status);
const char *buildidx_counter_name(unsigned int counter);
const char *buildidx_hook_state_name(unsigned int state);
const char *buildidx_capture_name(unsigned int mode);

/**
 * buildidx_status_text() - a status in words
 * @status: enum buildidx_status
 *
 * Return: half a sentence without a full stop, for people; may be reworded in
 * any release.
 */
const char *buildidx_status_text(unsigned int status);

/* Room for any identity as text, the NUL included. */
#define BUILDIDX_FORMAT_MAX	(4 * BUILDIDX_TEXT_MAX + 16)

/**
 * buildidx_format_id() - an identity as text that cannot be mistaken
 * @kind: enum buildidx_kind
 * @id: identity
 * @id_len: its length in bytes
 * @buf: receives the text, NUL-terminated if @size is not 0
 * @size: room in @buf; BUILDIDX_FORMAT_MAX holds everything
 *
 * A GNU build ID is plain lower-case hex. All else has a prefix, so that it is
 * never taken for one: "go:" with the text escaped as buildidx_escape() does,
 * "hash:" with hex, and "-" for no identity.
 *
 * Return: length of the whole text; @size or more means that it was cut.
 */
size_t buildidx_format_id(unsigned int kind, const void *id, size_t id_len,
			  char *buf, size_t size);

/**
 * buildidx_hex() - bytes as lower-case hex
 * @src: bytes
 * @len: their number
 * @buf: receives the text, NUL-terminated if @size is not 0
 * @size: room in @buf
 *
 * Return: length of the whole text; @size or more means that it was cut.
 */
size_t buildidx_hex(const void *src, size_t len, char *buf, size_t size);

/**
 * buildidx_escape() - any bytes as one printable word
 * @src: bytes, such as a file name
 * @len: their number
 * @buf: receives the text, NUL-terminated if @size is not 0
 * @size: room in @buf
 *
 * Space, backslash, control characters, bytes that are not UTF-8 and characters
 * that would hide or reorder text become '\' and three octal digits for each
 * byte. printf(1) turns it back.
 *
 * Return: length of the whole text; @size or more means that it was cut, never
 * in the middle of a character.
 */
size_t buildidx_escape(const void *src, size_t len, char *buf, size_t size);

/**
 * buildidx_version() - version of the library
 *
 * Return: "MAJOR.MINOR.PATCH".
 */
const char *buildidx_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBBUILDIDX_H */
