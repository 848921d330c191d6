// SPDX-License-Identifier: GPL-2.0
/*
 * Records of files for the stream: OBJECT and MAP (design D9)
 *
 * Made where one may sleep: by the task that maps, before it gets on, so that the path is
 * as that task sees it, and whatever else it does afterwards cannot make it wrong.
 */
#include "internal.h"

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat/path.h"
#include "krec.h"
#include "stream.h"

/**
 * struct bidx_path - a path as text
 * @buf: to be freed
 * @text: in @buf, or empty
 */
struct bidx_path {
	char *buf;
	const char *text;
};

static void bidx_path_get(struct bidx_path *p, struct file *file)
{
	char *text;

	p->buf = NULL;
	p->text = "";
	/* A task that exits has no root any more. */
	if (!file || !current->fs)
		return;
	p->buf = kmalloc(PATH_MAX, GFP_KERNEL | __GFP_NOWARN);
	if (!p->buf)
		return;
	text = d_path(bidx_file_user_path(file), p->buf, PATH_MAX);
	if (!IS_ERR(text))
		p->text = text;
}

static void bidx_path_put(struct bidx_path *p)
{
	kfree(p->buf);
}

/* Bytes of the section of strings: the empty text, and the path unless it is that. */
static u32 bidx_strings_len(const struct bidx_path *p)
{
	return 1 + (*p->text ? strlen(p->text) + 1 : 0);
}

/* A record with a path behind its fixed part, which is @fixed bytes. Return: NULL for want of memory. */
static struct bidx_event *bidx_file_event(u16 type, u16 fixed, const struct bidx_path *p, u64 time)
{
	struct bidx_event *e = bidx_event_alloc(ALIGN(fixed + bidx_strings_len(p), 8));
	struct buildidx_rec *rec;

	if (!e) {
		bidx_stream_lost(type, 1);
		return NULL;
	}
	rec = bidx_event_rec(e);
	rec->type = type;
	rec->fixed = fixed;
	rec->time = time;
	memcpy((char *)e->data + fixed + 1, p->text, strlen(p->text));
	return e;
}

/**
 * bidx_tell_object() - a file got an identity
 * @file: through which it was read, NULL: none, so that it has no path
 * @obj: the identity
 * @by: who mapped it, NULL: nobody did, or that is not known
 *
 * Context: may sleep; where @by is given, that task, or the worker in its place.
 */
void bidx_tell_object(struct file *file, const struct buildidx_object *obj,
		      const struct bidx_mapper *by)
{
	struct buildidx_rec_object *r;
	struct bidx_event *e;
	struct bidx_path path;

	BUILD_BUG_ON(sizeof(*r) % 8);
	bidx_path_get(&path, file);
	e = bidx_file_event(BUILDIDX_REC_OBJECT, sizeof(*r), &path, ktime_get_boottime_ns());
	if (e) {
		r = (struct buildidx_rec_object *)bidx_event_rec(e);
		r->obj = *obj;
		if (by) {
			r->pid = by->pid;
			r->tid = by->tid;
			r->uid = by->uid;
			memcpy(r->comm, by->comm, sizeof(r->comm));
		}
		r->path = *path.text ? 1 : 0;
		r->strings.off = sizeof(*r);
		r->strings.len = bidx_strings_len(&path);
		bidx_stream_add(e);
	}
	bidx_path_put(&path);
}

/**
 * bidx_tell_map() - a file was mapped executable
 * @file: the mapping's
 * @by: who did it, and where
 *
 * Context: may sleep; that task, or the worker in its place.
 */
void bidx_tell_map(struct file *file, const struct bidx_mapper *by)
{
	struct buildidx_rec_map *r;
	struct bidx_event *e;
	struct bidx_path path;

	BUILD_BUG_ON(sizeof(*r) % 8);
	bidx_path_get(&path, file);
	e = bidx_file_event(BUILDIDX_REC_MAP, sizeof(*r), &path, by->time);
	if (e) {
		r = (struct buildidx_rec_map *)bidx_event_rec(e);
		bidx_object_of(file_inode(file), &r->obj);
		if (!READ_ONCE(bidx_active))
			r->obj.status = BUILDIDX_STATUS_OFF;
		r->addr = by->addr;
		r->len = by->len;
		r->offset = by->offset;
		r->pid = by->pid;
		r->tid = by->tid;
		r->uid = by->uid;
		memcpy(r->comm, by->comm, sizeof(r->comm));
		r->path = *path.text ? 1 : 0;
		r->strings.off = sizeof(*r);
		r->strings.len = bidx_strings_len(&path);
		bidx_stream_add(e);
	}
	bidx_path_put(&path);
}
