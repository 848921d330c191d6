// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * capture - read a file of records, whoever wrote it
 */
#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define ROOM_FIRST	(64U << 10)
/* Where the member size of struct buildidx_file ends: enough to know the rest */
#define KNOWN_FIRST	16U
_Static_assert(offsetof(struct buildidx_file, size) + sizeof(__u16) == KNOWN_FIRST,
	       "the start of a file is part of the format");

/**
 * struct buildidx_capture - a file of records that is being read
 * @fd: the file; the caller's
 * @header: as numbers of this machine
 * @foreign: written in the other byte order
 * @buf: bytes read ahead; a record in it starts at a multiple of 8
 * @room: bytes that fit in it
 * @start: first byte that was not used yet
 * @end: behind the last
 * @offset: where in the file the byte at @start is
 * @ignored: bytes behind the last whole record
 * @done: at the end, or where the file makes no sense any more
 */
struct buildidx_capture {
	int fd;
	struct buildidx_file header;
	bool foreign;
	char *buf;
	size_t room;
	size_t start;
	size_t end;
	uint64_t offset;
	uint64_t ignored;
	bool done;
};

static int make_room(struct buildidx_capture *c, size_t need)
{
	char *bigger;

	memmove(c->buf, c->buf + c->start, c->end - c->start);
	c->end -= c->start;
	c->start = 0;
	if (need <= c->room)
		return 0;
	bigger = realloc(c->buf, need);
	if (!bigger)
		return -ENOMEM;
	c->buf = bigger;
	c->room = need;
	return 0;
}

/* Return: 1 when @need bytes are there, 0 when the file ends before, or a negative errno. */
static int have(struct buildidx_capture *c, size_t need)
{
	ssize_t n;
	int ret;

	if (c->room - c->start < need) {
		ret = make_room(c, need);
		if (ret)
			return ret;
	}
	while (c->end - c->start < need) {
		n = read(c->fd, c->buf + c->end, c->room - c->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		c->end += (size_t)n;
	}
	return 1;
}

static void use(struct buildidx_capture *c, size_t len)
{
	c->start += len;
	c->offset += len;
}

static int not_a_capture(struct buildidx_error *err)
{
	return bidx_fail(err, -EBADMSG, "not a file of buildidx records");
}

static int read_header(struct buildidx_capture *c, struct buildidx_error *err)
{
	struct buildidx_file *h = &c->header;
	int ret = have(c, KNOWN_FIRST);

	if (ret < 0)
		return bidx_fail_errno(err, ret, "cannot read");
	if (!ret)
		return not_a_capture(err);
	memcpy(h, c->buf, KNOWN_FIRST);
	if (memcmp(h->magic, BUILDIDX_FILE_MAGIC, sizeof(h->magic)))
		return not_a_capture(err);
	c->foreign = h->order == bswap_32(BUILDIDX_FILE_ORDER);
	if (!c->foreign && h->order != BUILDIDX_FILE_ORDER)
		return not_a_capture(err);
	if (c->foreign) {
		h->version = bswap_16(h->version);
		h->size = bswap_16(h->size);
	}
	if (h->version != BUILDIDX_FILE_VERSION)
		return bidx_fail(err, -EPROTO,
			"the file has version %u of the format, this library (version %s) reads version %u: use a newer one",
			h->version, buildidx_version(), BUILDIDX_FILE_VERSION);
	if (h->size < sizeof(*h) || h->size % 8)
		return not_a_capture(err);
	ret = have(c, h->size);
	if (ret < 0)
		return bidx_fail_errno(err, ret, "cannot read");
	if (!ret)
		return not_a_capture(err);
	memcpy((char *)h + KNOWN_FIRST, c->buf + KNOWN_FIRST, sizeof(*h) - KNOWN_FIRST);
	use(c, h->size);
	h->order = BUILDIDX_FILE_ORDER;
	h->size = sizeof(*h);
	if (c->foreign)
		h->realtime = (__s64)bswap_64((__u64)h->realtime);
	h->release[sizeof(h->release) - 1] = '\0';
	h->machine[sizeof(h->machine) - 1] = '\0';
	return 0;
}

int buildidx_capture_open(int fd, struct buildidx_capture **out, struct buildidx_error *err)
{
	struct buildidx_capture *c = calloc(1, sizeof(*c));
	int ret;

	if (c)
		c->buf = malloc(ROOM_FIRST);
	if (!c || !c->buf) {
		free(c);
		return bidx_fail_errno(err, -ENOMEM, "cannot read");
	}
	c->fd = fd;
	c->room = ROOM_FIRST;
	ret = read_header(c, err);
	if (ret) {
		buildidx_capture_close(c);
		return ret;
	}
	*out = c;
	return 0;
}

void buildidx_capture_close(struct buildidx_capture *c)
{
	if (!c)
		return;
	free(c->buf);
	free(c);
}

const struct buildidx_file *buildidx_capture_header(const struct buildidx_capture *c)
{
	return &c->header;
}

bool buildidx_capture_foreign(const struct buildidx_capture *c)
{
	return c->foreign;
}

uint64_t buildidx_capture_ignored(const struct buildidx_capture *c)
{
	return c->ignored;
}

/* The writer was killed, or is still writing: what follows the last whole record. */
static int cut_short(struct buildidx_capture *c)
{
	c->ignored = c->end - c->start;
	c->done = true;
	return 0;
}

static int fail_read(struct buildidx_capture *c, int code, struct buildidx_error *err)
{
	c->done = true;
	return bidx_fail_errno(err, code, "cannot read at offset %" PRIu64, c->offset);
}

static int damaged(const struct buildidx_capture *c, struct buildidx_error *err)
{
	return bidx_fail(err, -EBADMSG, "the record at offset %" PRIu64 " is damaged", c->offset);
}

int buildidx_capture_next(struct buildidx_capture *c, const struct buildidx_rec **out,
			  struct buildidx_error *err)
{
	struct buildidx_rec *rec;
	uint32_t size;
	int ret;

	if (c->done)
		return 0;
	ret = have(c, sizeof(*rec));
	if (ret < 0)
		return fail_read(c, ret, err);
	if (!ret)
		return cut_short(c);
	rec = (void *)(c->buf + c->start);
	size = c->foreign ? bswap_32(rec->size) : rec->size;
	if (size < sizeof(*rec) || size % 8 || size > BUILDIDX_REC_MAX) {
		/* nothing tells where the next one starts */
		c->done = true;
		return damaged(c, err);
	}
	ret = have(c, size);
	if (ret < 0)
		return fail_read(c, ret, err);
	if (!ret)
		return cut_short(c);
	rec = (void *)(c->buf + c->start);
	rec->size = size;
	if ((c->foreign && !bidx_rec_swap(rec)) || !buildidx_record_sound(rec, size)) {
		ret = damaged(c, err);
		use(c, size);
		return ret;
	}
	use(c, size);
	*out = rec;
	return 1;
}
