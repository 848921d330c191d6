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
#include "uapi/buildidx_record.h"

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
 * Records: BPF programs, generated text, modules and vmlinux, and what happens to
 * files (uapi/buildidx_record.h). Each function that gives a record has checked it:
 * every offset in it leads into it, every text ends. A record of a type that this
 * library does not know is given too, and is to be skipped.
 */

/**
 * buildidx_find_object() - the record with a number
 * @bx: handle
 * @object: number from a frame or a record
 * @rec: receives the record; to be given to free(3)
 * @err: text of the error, or NULL
 *
 * Return: 0; -ENOENT none; -EPERM without CAP_PERFMON or CAP_SYS_ADMIN; -ENOTTY a module
 * that keeps no records; -ENOMEM.
 */
int buildidx_find_object(const struct buildidx *bx, uint64_t object, struct buildidx_rec **rec,
			 struct buildidx_error *err);

/**
 * buildidx_find_program() - the record of a BPF program
 * @bx: handle
 * @id: the kernel's number of it; of several, the one that is loaded, else the last
 * @rec: receives the record; to be given to free(3)
 * @err: text of the error, or NULL
 *
 * Return: as buildidx_find_object().
 */
int buildidx_find_program(const struct buildidx *bx, uint32_t id, struct buildidx_rec **rec,
			  struct buildidx_error *err);

/**
 * buildidx_find_address() - whose text is, or was, at a kernel address
 * @bx: handle
 * @address: kernel address
 * @time: when, in nanoseconds of CLOCK_BOOTTIME; 0: now, or the last that was there
 * @rec: receives the record; to be given to free(3)
 * @err: text of the error, or NULL
 *
 * Return: as buildidx_find_object(); -EPERM also where the caller may not see kernel
 * addresses.
 */
int buildidx_find_address(const struct buildidx *bx, uint64_t address, uint64_t time,
			  struct buildidx_rec **rec, struct buildidx_error *err);

/**
 * buildidx_find_build_id() - what has a build ID
 * @bx: handle
 * @id: build ID of a BPF program, a module or vmlinux
 * @len: bytes of it
 * @rec: receives the record; to be given to free(3)
 * @err: text of the error, or NULL
 *
 * Return: as buildidx_find_object(); -EINVAL @len.
 */
int buildidx_find_build_id(const struct buildidx *bx, const void *id, size_t len,
			   struct buildidx_rec **rec, struct buildidx_error *err);

/** struct buildidx_records - a walk over all records */
struct buildidx_records;

/**
 * buildidx_records_new() - start a walk over all records
 * @bx: handle; must stay open as long as the walk
 * @flags: BUILDIDX_RECORDS_LIVE, BUILDIDX_RECORDS_GONE; 0 for both
 * @types: bit 1 << enum buildidx_rec_type for each type wanted; 0 for all
 * @walk: receives the walk; to be freed with buildidx_records_free()
 * @err: text of the error, or NULL
 *
 * Programs that are older than the module are among them only once
 * buildidx_adopt_all() has been called.
 *
 * Return: 0 or -ENOMEM.
 */
int buildidx_records_new(const struct buildidx *bx, unsigned int flags, unsigned int types,
			 struct buildidx_records **walk, struct buildidx_error *err);

/**
 * buildidx_records_next() - next record of the walk
 * @walk: walk
 * @rec: receives the record, which is valid until the next call
 * @err: text of the error, or NULL
 *
 * Return: 1 with a record; 0 at the end; a negative errno as buildidx_find_object().
 * After 0 or an error the walk is over.
 */
int buildidx_records_next(struct buildidx_records *walk, const struct buildidx_rec **rec,
			  struct buildidx_error *err);

/**
 * buildidx_records_free() - end a walk
 * @walk: walk, or NULL
 */
void buildidx_records_free(struct buildidx_records *walk);

/**
 * buildidx_adopt_fd() - have a BPF program recorded that is older than the module
 * @bx: handle
 * @fd: file descriptor of the program; one that has a record keeps it
 * @object: receives the number of its record; may be NULL
 * @err: text of the error, or NULL
 *
 * Return: 0; -EBADF; -EINVAL not that of a program; -EAGAIN the module's hook for programs
 * is off or not placed; as buildidx_find_object().
 */
int buildidx_adopt_fd(const struct buildidx *bx, int fd, uint64_t *object,
		      struct buildidx_error *err);

/**
 * buildidx_adopt_all() - the same for each program that is loaded
 * @bx: handle
 * @count: receives how many programs are loaded; may be NULL
 * @err: text of the error, or NULL
 *
 * A module cannot enumerate programs, a process with CAP_SYS_ADMIN can. To be called
 * once, before the first look at records.
 *
 * Return: 0; -EPERM without CAP_SYS_ADMIN; as buildidx_adopt_fd().
 */
int buildidx_adopt_all(const struct buildidx *bx, uint32_t *count, struct buildidx_error *err);

/** struct buildidx_events - a reader of the stream of records */
struct buildidx_events;

/**
 * buildidx_events_open() - read records as they come
 * @bx: handle; may be closed before the reader
 * @flags: BUILDIDX_STREAM_OLDEST to begin at the oldest record that is kept, or 0
 * @types: bit 1 << enum buildidx_rec_type for each type wanted; 0: all but MAP
 * @events: receives the reader; to be closed with buildidx_events_close()
 * @err: text of the error, or NULL
 *
 * Each reader has its own place. What it is too slow for is told by a LOST record.
 *
 * Return: 0; as buildidx_open() and buildidx_find_object().
 */
int buildidx_events_open(const struct buildidx *bx, unsigned int flags, unsigned int types,
			 struct buildidx_events **events, struct buildidx_error *err);

/**
 * buildidx_events_fd() - for poll(2) and epoll(7)
 * @events: reader
 *
 * Readable when there is something to read. Records may have been read already: call
 * buildidx_events_next() until it gives 0, then wait.
 *
 * Return: the file descriptor, which stays the reader's.
 */
int buildidx_events_fd(const struct buildidx_events *events);

/**
 * buildidx_events_wait() - wait for a record
 * @events: reader
 * @timeout_ms: for how long, as in poll(2); -1: for ever
 * @err: text of the error, or NULL
 *
 * Return: 1 there is one; 0 the time is over; -EINTR a signal came.
 */
int buildidx_events_wait(const struct buildidx_events *events, int timeout_ms,
			 struct buildidx_error *err);

/**
 * buildidx_events_next() - the next record
 * @events: reader
 * @rec: receives the record, which is valid until the next call
 * @err: text of the error, or NULL
 *
 * Never waits. Return: 1 with a record; 0 when there is none now; -EPERM the caller
 * has lost its capability; another negative errno.
 */
int buildidx_events_next(struct buildidx_events *events, const struct buildidx_rec **rec,
			 struct buildidx_error *err);

/**
 * buildidx_events_close() - end reading
 * @events: reader, or NULL
 */
void buildidx_events_close(struct buildidx_events *events);

/**
 * buildidx_capture_start() - write the start of a file of records
 * @fd: file, open for writing
 * @header: from buildidx_capture_header(), for records from another file; NULL: they are
 *	of this machine, since it was booted
 * @err: text of the error, or NULL
 *
 * Return: 0 or the errno of write(2).
 */
int buildidx_capture_start(int fd, const struct buildidx_file *header,
			   struct buildidx_error *err);

/**
 * buildidx_capture_write() - write one record
 * @fd: file that buildidx_capture_start() was called for
 * @rec: record
 * @err: text of the error, or NULL
 *
 * Nothing is kept back: a writer that is killed leaves at most one record in part,
 * which readers ignore.
 *
 * Return: 0 or the errno of write(2).
 */
int buildidx_capture_write(int fd, const struct buildidx_rec *rec, struct buildidx_error *err);

/** struct buildidx_capture - a file of records that is being read */
struct buildidx_capture;

/**
 * buildidx_capture_open() - read a file of records
 * @fd: file or pipe, open for reading; must stay open, and is left to the caller
 * @capture: receives the reader; to be freed with buildidx_capture_close()
 * @err: text of the error, or NULL; it does not name the file
 *
 * The file may come from a machine of another byte order; numbers are turned. It may be
 * hostile.
 *
 * Return: 0; -EBADMSG not such a file; -EPROTO of a later version of the format; the
 * errno of read(2); -ENOMEM.
 */
int buildidx_capture_open(int fd, struct buildidx_capture **capture, struct buildidx_error *err);

/**
 * buildidx_capture_header() - what the file says of the machine that wrote it
 * @capture: reader
 *
 * Return: its header, in this machine's byte order, texts NUL-terminated.
 */
const struct buildidx_file *buildidx_capture_header(const struct buildidx_capture *capture);

/** buildidx_capture_foreign() - was the file written in the other byte order? */
bool buildidx_capture_foreign(const struct buildidx_capture *capture);

/**
 * buildidx_capture_next() - next record of the file
 * @capture: reader
 * @rec: receives the record, which is valid until the next call
 * @err: text of the error, or NULL
 *
 * Return: 1 with a record; 0 at the end; -EBADMSG the record is damaged: the next call
 * goes on behind it, where that can be told, else gives 0; the errno of read(2).
 */
int buildidx_capture_next(struct buildidx_capture *capture, const struct buildidx_rec **rec,
			  struct buildidx_error *err);

/**
 * buildidx_capture_ignored() - bytes behind the last whole record
 * @capture: reader that is at the end
 *
 * The writer was killed, or is still writing.
 */
uint64_t buildidx_capture_ignored(const struct buildidx_capture *capture);

/** buildidx_capture_close() - free the reader, or NULL; the file stays open */
void buildidx_capture_close(struct buildidx_capture *capture);

/**
 * buildidx_record_sound() - check a record that does not come from this library
 * @rec: record, aligned to 8 bytes
 * @len: bytes that are there
 *
 * Return: does every offset in it lead into it, and does every text end? Of a type
 * that this library does not know, only the header is looked at.
 */
bool buildidx_record_sound(const struct buildidx_rec *rec, size_t len);

/**
 * buildidx_record_text() - a text of a record
 * @rec: record
 * @text: number from one of its members
 *
 * Return: the text, NUL-terminated and a part of the record; "" when there is none.
 */
const char *buildidx_record_text(const struct buildidx_rec *rec, uint32_t text);

/** buildidx_bpf_count() - number of functions; the first is the main program */
uint32_t buildidx_bpf_count(const struct buildidx_rec_bpf *rec);

/** buildidx_bpf_func() - function number @i from 0; NULL behind the last */
const struct buildidx_bpf_func *buildidx_bpf_func(const struct buildidx_rec_bpf *rec,
						  uint32_t i);

/** buildidx_bpf_line() - line number @i from 0 of a function; NULL behind the last */
const struct buildidx_bpf_line *buildidx_bpf_line(const struct buildidx_rec_bpf *rec,
						  const struct buildidx_bpf_func *func,
						  uint32_t i);

/** buildidx_bpf_image() - the text and, in @len, its bytes; NULL when it is left out */
const void *buildidx_bpf_image(const struct buildidx_rec_bpf *rec, size_t *len);

/** buildidx_bpf_size() - bytes of the image, also when it is left out of the record */
uint64_t buildidx_bpf_size(const struct buildidx_rec_bpf *rec);

/** buildidx_bpf_maps() - numbers of the maps and, in @count, how many */
const uint32_t *buildidx_bpf_maps(const struct buildidx_rec_bpf *rec, uint32_t *count);

/**
 * buildidx_bpf_build_id_matches() - is the build ID that of the content?
 * @rec: record
 *
 * For a record that comes from a file: the build ID is a hash, see struct
 * buildidx_rec_bpf.
 */
bool buildidx_bpf_build_id_matches(const struct buildidx_rec_bpf *rec);

/**
 * struct buildidx_bpf_where - where in a BPF program's source an address is
 * @func: number of the function
 * @offset: bytes from the start of the function
 * @name: name of the function
 * @file: source file, "" when not known
 * @text: the source line, "" when not known
 * @line: its number, 0 when not known
 * @col: column, 0 when not known
 *
 * Texts are parts of the record.
 */
struct buildidx_bpf_where {
	uint32_t func;
	uint32_t offset;
	const char *name;
	const char *file;
	const char *text;
	uint32_t line;
	uint32_t col;
};

/**
 * buildidx_bpf_find() - where is an offset in the image, as frames have it?
 * @rec: record
 * @offset: offset; of a return address, the caller takes 1 off
 * @where: result
 *
 * Return: false when it is in no function.
 */
bool buildidx_bpf_find(const struct buildidx_rec_bpf *rec, uint64_t offset,
		       struct buildidx_bpf_where *where);

/**
 * buildidx_bpf_find_address() - the same for a kernel address
 * @rec: record
 * @address: address; of a return address, the caller takes 1 off
 * @where: result
 *
 * Return: false when it is in no function, or addresses are left out of the record.
 */
bool buildidx_bpf_find_address(const struct buildidx_rec_bpf *rec, uint64_t address,
			       struct buildidx_bpf_where *where);

/** buildidx_realtime_offset() - CLOCK_REALTIME minus CLOCK_BOOTTIME now, in nanoseconds */
int64_t buildidx_realtime_offset(void);

/*
 * Names for machines: lower case, words joined by '-', the same in every
 * release. A value that this library does not know gives "unknown".
 */
const char *buildidx_kind_name(unsigned int kind);
const char *buildidx_source_name(unsigned int source);
const char *buildidx_status_name(unsigned int status);
const char *buildidx_counter_name(unsigned int counter);
const char *buildidx_record_name(unsigned int type);
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
 * "hash:" and "bpf:" with hex, and "-" for no identity.
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
