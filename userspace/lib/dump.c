// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * dump - walk over the whole index
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

#define ROOM_FIRST	512
#define ROOM_MAX	65536	/* the module's own limit */

/**
 * struct buildidx_iter - a walk over the whole index
 * @bx: handle
 * @cursor: where the next call goes on
 * @buf: entries of the last call
 * @room: entries that fit in @buf
 * @count: entries in @buf
 * @next: first of them that was not given out yet
 * @done: no further call
 */
struct buildidx_iter {
	const struct buildidx *bx;
	uint64_t cursor;
	struct buildidx_object *buf;
	uint32_t room;
	uint32_t count;
	uint32_t next;
	bool done;
};

int buildidx_iter_new(const struct buildidx *bx, struct buildidx_iter **out,
		      struct buildidx_error *err)
{
	struct buildidx_iter *it = calloc(1, sizeof(*it));

	if (!it)
		return bidx_fail_errno(err, -ENOMEM, "dump");
	it->bx = bx;
	it->room = ROOM_FIRST;
	it->buf = calloc(it->room, sizeof(*it->buf));
	if (!it->buf) {
		free(it);
		return bidx_fail_errno(err, -ENOMEM, "dump");
	}
	*out = it;
	return 0;
}

void buildidx_iter_free(struct buildidx_iter *it)
{
	if (!it)
		return;
	free(it->buf);
	free(it);
}

static int grow(struct buildidx_iter *it)
{
	uint32_t room = it->room * 2;
	void *buf;

	if (room > ROOM_MAX)
		return -ENOSPC;
	buf = calloc(room, sizeof(*it->buf));
	if (!buf)
		return -ENOMEM;
	free(it->buf);
	it->buf = buf;
	it->room = room;
	return 0;
}

static int fetch(struct buildidx_iter *it)
{
	int ret;

	for (;;) {
		struct buildidx_dump arg = {
			.size = sizeof(arg),
			.cursor = it->cursor,
			.buf = (uintptr_t)it->buf,
			.count = it->room,
			.obj_size = sizeof(*it->buf),
		};

		ret = it->bx->ioctl(it->bx->ctx, it->bx->fd, BUILDIDX_IOC_DUMP, &arg);
		if (ret == -ENOSPC) {
			ret = grow(it);
			if (ret)
				return ret;
			continue;
		}
		if (ret)
			return ret;
		if (arg.count > it->room)
			return -EPROTO;
		/* A cursor that stands still would make the walk endless. */
		if (arg.count && arg.cursor == it->cursor)
			return -EPROTO;
		it->cursor = arg.cursor;
		it->count = arg.count;
		it->next = 0;
		return 0;
	}
}

int buildidx_iter_next(struct buildidx_iter *it, struct buildidx_object *obj,
		       struct buildidx_error *err)
{
	int ret;

	if (it->done)
		return 0;
	if (it->next == it->count) {
		ret = fetch(it);
		if (ret || !it->count)
			it->done = true;
		if (ret == -EPERM)
			return bidx_fail(err, ret,
				"%s: dump: not permitted: needs CAP_PERFMON or CAP_SYS_ADMIN",
				BUILDIDX_DEVICE);
		if (ret)
			return bidx_fail_errno(err, ret, "%s: dump", BUILDIDX_DEVICE);
		if (!it->count)
			return 0;
	}
	*obj = it->buf[it->next++];
	if (obj->id_len > sizeof(obj->id))
		obj->id_len = sizeof(obj->id);
	return 1;
}
