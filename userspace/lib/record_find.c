// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * record_find - ask the module for records: one, or all
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define ROOM_FIRST	(1U << 20)
/* A record only grows by being taken for another one; that does not go on for ever. */
#define TRIES_MAX	16

int bidx_records_failed(int code, const char *what, struct buildidx_error *err)
{
	switch (code) {
	case -EPERM:
		return bidx_fail(err, code,
			"%s: %s: not permitted: needs CAP_PERFMON or CAP_SYS_ADMIN",
			BUILDIDX_DEVICE, what);
	case -ENOTTY:
		return bidx_fail(err, code,
			"%s: %s: the module is older than this library and keeps no records: install the same version of both",
			BUILDIDX_DEVICE, what);
	case -EOPNOTSUPP:
		return bidx_fail(err, code,
			"%s: %s: this module cannot do that on this kernel: `buildidx doctor` says why",
			BUILDIDX_DEVICE, what);
	default:
		return bidx_fail_errno(err, code, "%s: %s", BUILDIDX_DEVICE, what);
	}
}

static int find(const struct buildidx *bx, const struct buildidx_query_record *q,
		struct buildidx_rec **out, const char *what, struct buildidx_error *err)
{
	struct buildidx_rec *rec = NULL, *bigger;
	uint32_t room = 0;
	int ret, tries;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		struct buildidx_query_record arg = *q;

		arg.size = sizeof(arg);
		arg.buf = (uintptr_t)rec;
		arg.buf_size = room;
		ret = bx->ioctl(bx->ctx, bx->fd, BUILDIDX_IOC_RECORD, &arg);
		if (ret)
			break;
		ret = -EPROTO;
		if (arg.rec_size < sizeof(*rec) || arg.rec_size > BUILDIDX_REC_MAX)
			break;
		if (arg.rec_size <= room) {
			if (!buildidx_record_sound(rec, arg.rec_size))
				break;
			*out = rec;
			return 0;
		}
		ret = -ENOMEM;
		bigger = realloc(rec, arg.rec_size);
		if (!bigger)
			break;
		rec = bigger;
		room = arg.rec_size;
		ret = -EAGAIN;
	}
	free(rec);
	if (ret == -ENOENT)
		return bidx_fail(err, ret, "%s: no record of it", what);
	if (ret == -EPROTO)
		return bidx_fail(err, ret, "%s: %s: the module gave a record that makes no sense",
				 BUILDIDX_DEVICE, what);
	return bidx_records_failed(ret, what, err);
}

int buildidx_find_object(const struct buildidx *bx, uint64_t object, struct buildidx_rec **rec,
			 struct buildidx_error *err)
{
	const struct buildidx_query_record q = { .by = BUILDIDX_BY_OBJECT, .object = object };
	char what[40];

	snprintf(what, sizeof(what), "object %" PRIu64, object);
	return find(bx, &q, rec, what, err);
}

int buildidx_find_program(const struct buildidx *bx, uint32_t id, struct buildidx_rec **rec,
			  struct buildidx_error *err)
{
	const struct buildidx_query_record q = { .by = BUILDIDX_BY_PROG_ID, .id = id };
	char what[40];

	snprintf(what, sizeof(what), "BPF program %" PRIu32, id);
	return find(bx, &q, rec, what, err);
}

int buildidx_find_address(const struct buildidx *bx, uint64_t address, uint64_t time,
			  struct buildidx_rec **rec, struct buildidx_error *err)
{
	const struct buildidx_query_record q = {
		.by = BUILDIDX_BY_ADDRESS, .address = address, .time = time,
	};
	char what[40];
	int ret;

	snprintf(what, sizeof(what), "address 0x%" PRIx64, address);
	ret = find(bx, &q, rec, what, err);
	if (ret == -EPERM)
		return bidx_fail(err, ret,
			"%s: %s: not permitted: needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, and that kernel.kptr_restrict lets kernel addresses be seen",
			BUILDIDX_DEVICE, what);
	return ret;
}

int buildidx_find_build_id(const struct buildidx *bx, const void *id, size_t len,
			   struct buildidx_rec **rec, struct buildidx_error *err)
{
	struct buildidx_query_record q = { .by = BUILDIDX_BY_BUILD_ID };
	char what[2 * BUILDIDX_ID_MAX + 16] = "build ID ";

	if (!len || len > sizeof(q.build_id))
		return bidx_fail(err, -EINVAL, "a build ID has 1 to %d bytes", BUILDIDX_ID_MAX);
	q.id_len = (uint32_t)len;
	memcpy(q.build_id, id, len);
	buildidx_hex(id, len, what + strlen(what), sizeof(what) - strlen(what));
	return find(bx, &q, rec, what, err);
}

/**
 * struct buildidx_records - a walk over all records
 * @bx: handle
 * @flags: BUILDIDX_RECORDS_*
 * @types: bits of types wanted, 0 for all
 * @cursor: where the next call goes on
 * @buf: records of the last call
 * @room: bytes that fit in it
 * @used: bytes in it
 * @at: where the first that was not given out yet starts
 * @done: no further call
 */
struct buildidx_records {
	const struct buildidx *bx;
	uint32_t flags;
	uint32_t types;
	uint64_t cursor;
	char *buf;
	uint32_t room;
	uint32_t used;
	uint32_t at;
	bool done;
};

int buildidx_records_new(const struct buildidx *bx, unsigned int flags, unsigned int types,
			 struct buildidx_records **out, struct buildidx_error *err)
{
	struct buildidx_records *w = calloc(1, sizeof(*w));

	if (w)
		w->buf = malloc(ROOM_FIRST);
	if (!w || !w->buf) {
		free(w);
		return bidx_fail_errno(err, -ENOMEM, "records");
	}
	w->bx = bx;
	w->flags = flags;
	w->types = types;
	w->room = ROOM_FIRST;
	*out = w;
	return 0;
}

void buildidx_records_free(struct buildidx_records *w)
{
	if (!w)
		return;
	free(w->buf);
	free(w);
}

/* Return: 1 with records, 0 at the end, or a negative errno. */
static int fetch(struct buildidx_records *w)
{
	int ret, tries;

	for (tries = 0; tries < TRIES_MAX; tries++) {
		struct buildidx_dump_records arg = {
			.size = sizeof(arg),
			.flags = w->flags,
			.types = w->types,
			.cursor = w->cursor,
			.buf = (uintptr_t)w->buf,
			.buf_size = w->room,
		};
		char *bigger;

		ret = w->bx->ioctl(w->bx->ctx, w->bx->fd, BUILDIDX_IOC_RECORDS, &arg);
		if (ret)
			return ret;
		/* A cursor that stands still would make the walk endless. */
		if (arg.used > w->room || !arg.count != !arg.used ||
		    (arg.count && arg.cursor == w->cursor))
			return -EPROTO;
		if (arg.count) {
			w->cursor = arg.cursor;
			w->used = arg.used;
			w->at = 0;
			return 1;
		}
		if (!arg.next_size)
			return 0;
		if (arg.next_size <= w->room || arg.next_size > BUILDIDX_REC_MAX)
			return -EPROTO;
		bigger = realloc(w->buf, arg.next_size);
		if (!bigger)
			return -ENOMEM;
		w->buf = bigger;
		w->room = arg.next_size;
	}
	return -EAGAIN;
}

int buildidx_records_next(struct buildidx_records *w, const struct buildidx_rec **rec,
			  struct buildidx_error *err)
{
	const struct buildidx_rec *r;
	int ret;

	if (w->done)
		return 0;
	if (w->at == w->used) {
		ret = fetch(w);
		if (ret <= 0)
			w->done = true;
		if (!ret)
			return 0;
		if (ret < 0)
			return bidx_records_failed(ret, "records", err);
	}
	r = (const void *)(w->buf + w->at);
	if (!buildidx_record_sound(r, w->used - w->at)) {
		w->done = true;
		return bidx_fail(err, -EPROTO,
				 "%s: records: the module gave a record that makes no sense",
				 BUILDIDX_DEVICE);
	}
	w->at += r->size;
	*rec = r;
	return 1;
}
