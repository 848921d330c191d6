// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * events - records as they come
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

#define ROOM_FIRST	(256U << 10)

/**
 * struct buildidx_events - a reader of the stream
 * @dev: the device, opened for this reader alone: each open file has its own place
 * @buf: records of the last read
 * @room: bytes that fit in it
 * @used: bytes in it
 * @at: where the first that was not given out yet starts
 */
struct buildidx_events {
	struct buildidx dev;
	char *buf;
	size_t room;
	size_t used;
	size_t at;
};

static int place(const struct buildidx *dev, uint32_t flags, uint32_t types, uint32_t *next_size)
{
	struct buildidx_stream arg = { .size = sizeof(arg), .flags = flags, .types = types };
	int ret = dev->ioctl(dev->ctx, dev->fd, BUILDIDX_IOC_STREAM, &arg);

	if (!ret && next_size)
		*next_size = arg.next_size;
	return ret;
}

int buildidx_events_open(const struct buildidx *bx, unsigned int flags, unsigned int types,
			 struct buildidx_events **out, struct buildidx_error *err)
{
	struct buildidx_events *e = calloc(1, sizeof(*e));
	int ret;

	if (e)
		e->buf = malloc(ROOM_FIRST);
	if (!e || !e->buf) {
		free(e);
		return bidx_fail_errno(err, -ENOMEM, "stream");
	}
	e->room = ROOM_FIRST;
	e->dev = *bx;
	e->dev.fd = bx->open(bx->ctx);
	if (e->dev.fd < 0) {
		ret = bidx_open_failed(e->dev.fd, err);
		goto fail;
	}
	ret = place(&e->dev, flags, types, NULL);
	if (ret) {
		bidx_records_failed(ret, "stream", err);
		goto fail;
	}
	*out = e;
	return 0;

fail:
	buildidx_events_close(e);
	return ret;
}

void buildidx_events_close(struct buildidx_events *e)
{
	if (!e)
		return;
	if (e->dev.fd >= 0)
		close(e->dev.fd);
	free(e->buf);
	free(e);
}

int buildidx_events_fd(const struct buildidx_events *e)
{
	return e->dev.fd;
}

int buildidx_events_wait(const struct buildidx_events *e, int timeout_ms,
			 struct buildidx_error *err)
{
	struct pollfd p = { .fd = e->dev.fd, .events = POLLIN };
	int ret;

	if (e->at < e->used)
		return 1;
	ret = poll(&p, 1, timeout_ms);
	if (ret < 0)
		return bidx_fail_errno(err, -errno, "%s: stream", BUILDIDX_DEVICE);
	return ret > 0;
}

static int grow(struct buildidx_events *e)
{
	uint32_t size = 0;
	char *bigger;
	int ret = place(&e->dev, 0, 0, &size);

	if (ret)
		return ret;
	/* What was too long may have been dropped since. */
	if (size <= e->room)
		return 0;
	if (size > BUILDIDX_REC_MAX)
		return -EPROTO;
	bigger = realloc(e->buf, size);
	if (!bigger)
		return -ENOMEM;
	e->buf = bigger;
	e->room = size;
	return 0;
}

/* Return: 1 with records, 0 when there are none now, or a negative errno. */
static int fill(struct buildidx_events *e)
{
	ssize_t n;
	int ret;

	for (;;) {
		n = e->dev.read(e->dev.ctx, e->dev.fd, e->buf, e->room);
		if (n == -EAGAIN)
			return 0;
		if (n == -EMSGSIZE) {
			ret = grow(e);
			if (ret)
				return ret;
			continue;
		}
		if (n < 0)
			return (int)n;
		if (!n)
			return -EPIPE;
		e->used = (size_t)n;
		e->at = 0;
		return 1;
	}
}

int buildidx_events_next(struct buildidx_events *e, const struct buildidx_rec **rec,
			 struct buildidx_error *err)
{
	const struct buildidx_rec *r;
	int ret;

	if (e->at == e->used) {
		ret = fill(e);
		if (!ret)
			return 0;
		if (ret < 0)
			return bidx_records_failed(ret, "stream", err);
	}
	r = (const void *)(e->buf + e->at);
	if (!buildidx_record_sound(r, e->used - e->at)) {
		e->at = e->used = 0;
		return bidx_fail(err, -EPROTO,
				 "%s: stream: the module gave a record that makes no sense",
				 BUILDIDX_DEVICE);
	}
	e->at += r->size;
	*rec = r;
	return 1;
}
