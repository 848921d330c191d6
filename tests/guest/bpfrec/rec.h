/* SPDX-License-Identifier: GPL-2.0 */
/* Records of /dev/buildidx by raw system calls: the stream, and what is asked for. */
#ifndef BPFREC_REC_H
#define BPFREC_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../../include/uapi/buildidx_record.h"

#define ALL_TYPES	((1U << BUILDIDX_REC_TYPES) - 2)
#define TYPE(t)		(1U << BUILDIDX_REC_##t)

/**
 * struct stream - one reader
 * @fd: descriptor of the device
 * @types: what it asked for
 * @buf: room for what read(2) gives
 * @room: bytes of it
 * @len: bytes of it that read(2) gave
 * @at: bytes of them that were handed out
 * @first: number that its first record has when none is missing
 * @next: number that the next record has when none is missing
 * @records: handed out, LOST left aside
 * @of_type: the same by type
 * @lost: sum of the LOST records
 * @gaps: numbers that were missing and that no LOST record told of
 * @unmade: lost ones that never had a number of their own: they could not be made
 * @pending: what the last LOST record counted, until the number after it is known
 * @pending_seq: number of that LOST record
 * @bad: records that are not as the format says
 * @first_bad: what was wrong with the first such
 */
struct stream {
	int fd;
	uint32_t types;
	unsigned char *buf;
	size_t room;
	size_t len;
	size_t at;
	uint64_t first;
	uint64_t next;
	uint64_t records;
	uint64_t of_type[BUILDIDX_REC_TYPES];
	uint64_t lost;
	uint64_t gaps;
	uint64_t unmade;
	uint64_t pending;
	uint64_t pending_seq;
	uint64_t bad;
	char first_bad[160];
};

/*
 * Open one that starts at the next record, or with @oldest at the first that is kept. The
 * program ends on failure.
 */
void stream_open(struct stream *s, uint32_t types, bool oldest);
void stream_close(struct stream *s);

/*
 * Of a reader of all types, which has read all that there is: did each number come, or was
 * it told of as lost?
 */
bool stream_exact(struct stream *s);

/*
 * The next record, valid until the next call. Waits up to @ms for it; NULL when there
 * is none by then. The program ends when reading fails.
 */
const struct buildidx_rec *stream_next(struct stream *s, int ms);

/* BUILDIDX_IOC_STREAM. Return: 0 or a negative errno. */
int stream_ask(int fd, uint32_t flags, uint32_t types, struct buildidx_stream *answer);

/*
 * Is everything in the record where the format says? Sections, texts, numbers. Return:
 * NULL, or what is wrong.
 */
const char *rec_check(const struct buildidx_rec *r);

/* A text of a record that rec_check() found good. */
const char *rec_text(const struct buildidx_rec_bpf *r, uint32_t text);
const struct buildidx_bpf_func *rec_func(const struct buildidx_rec_bpf *r, uint32_t i);
uint32_t rec_funcs(const struct buildidx_rec_bpf *r);
const struct buildidx_bpf_line *rec_line(const struct buildidx_rec_bpf *r, uint32_t i);
uint32_t rec_lines(const struct buildidx_rec_bpf *r);

/* The line of function @f that holds the instruction @off bytes behind its start, or NULL. */
const struct buildidx_bpf_line *rec_line_at(const struct buildidx_rec_bpf *r,
					    const struct buildidx_bpf_func *f, uint32_t off);

/* The function that holds this offset in the image, or NULL. */
const struct buildidx_bpf_func *rec_func_at(const struct buildidx_rec_bpf *r, uint64_t image);

/*
 * BUILDIDX_IOC_RECORD, size first. Return: 0 and a record for free(), or a negative errno.
 * All of @q but its size and buffer is the caller's; on return it is what the device wrote.
 */
int rec_query(int dev, struct buildidx_query_record *q, struct buildidx_rec **r);
int rec_by_object(int dev, uint64_t object, struct buildidx_rec **r);
int rec_by_prog(int dev, uint32_t id, struct buildidx_rec **r);
int rec_by_address(int dev, uint64_t address, uint64_t time, struct buildidx_rec **r);
int rec_by_build_id(int dev, const void *id, uint32_t len, struct buildidx_rec **r);

/*
 * BUILDIDX_IOC_RECORDS, all of it. @each is told each record. Return: how many, or a
 * negative errno.
 */
long rec_dump(int dev, uint32_t flags, uint32_t types,
	      void (*each)(const struct buildidx_rec *r, void *arg), void *arg);

/* CLOCK_BOOTTIME, as records have it. */
uint64_t boottime(void);

/* A descriptor of the device, or a negative errno. */
int rec_device(void);

#endif /* BPFREC_REC_H */
