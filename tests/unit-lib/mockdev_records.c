// SPDX-License-Identifier: GPL-2.0
/*
 * mockdev_records - the part of mockdev that keeps records
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mockdev_records.h"

#define RECORD_TYPES	(1U << BUILDIDX_REC_BPF_LOAD | 1U << BUILDIDX_REC_KSYM | \
			 1U << BUILDIDX_REC_MODULE)
#define STREAM_TYPES	((1U << BUILDIDX_REC_TYPES) - 2)

static void unload(struct mockdev *dev, const struct buildidx_rec_bpf_unload *u)
{
	size_t i;

	for (i = 0; i < dev->nr_records; i++) {
		struct buildidx_rec_bpf *r = (void *)dev->records[i];

		if (r->rec.type != BUILDIDX_REC_BPF_LOAD || r->object != u->object)
			continue;
		r->flags |= BUILDIDX_REC_GONE;
		r->unload_time = u->rec.time;
	}
}

void mockdev_records(struct mockdev *dev, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct buildidx_rec *rec;
	struct buildidx_capture *c;

	if (fd < 0 || buildidx_capture_open(fd, &c, NULL))
		abort();
	while (buildidx_capture_next(c, &rec, NULL) > 0) {
		dev->records = realloc(dev->records, (dev->nr_records + 1) * sizeof(rec));
		if (!dev->records)
			abort();
		dev->records[dev->nr_records] = malloc(rec->size);
		if (!dev->records[dev->nr_records])
			abort();
		memcpy(dev->records[dev->nr_records++], rec, rec->size);
		if (rec->type == BUILDIDX_REC_BPF_UNLOAD)
			unload(dev, (const void *)rec);
	}
	buildidx_capture_close(c);
	close(fd);
}

static uint64_t object_of(const struct buildidx_rec *rec)
{
	/* at the same place in each of RECORD_TYPES */
	return ((const struct buildidx_rec_ksym *)rec)->object;
}

static bool is_gone(const struct buildidx_rec *rec)
{
	return ((const struct buildidx_rec_ksym *)rec)->flags & BUILDIDX_REC_GONE;
}

/* Of one number, the last counts. */
static bool is_kept(const struct mockdev *dev, size_t i)
{
	size_t k;

	if (!(RECORD_TYPES & 1U << (dev->records[i]->type & 31)) || dev->records[i]->type > 31)
		return false;
	for (k = i + 1; k < dev->nr_records; k++)
		if (dev->records[k]->type == dev->records[i]->type &&
		    object_of(dev->records[k]) == object_of(dev->records[i]))
			return false;
	return true;
}

static bool holds(const struct buildidx_rec *rec, uint64_t address)
{
	const struct buildidx_rec_ksym *k = (const void *)rec;
	const struct buildidx_rec_module *m = (const void *)rec;
	struct buildidx_bpf_where where;

	switch (rec->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return buildidx_bpf_find_address((const void *)rec, address, &where);
	case BUILDIDX_REC_KSYM:
		return address - k->addr < k->len;
	default:
		return address - m->addr < m->len;
	}
}

static bool was_there(const struct buildidx_rec *rec, uint64_t time)
{
	const struct buildidx_rec_bpf *b = (const void *)rec;
	const struct buildidx_rec_ksym *k = (const void *)rec;
	const struct buildidx_rec_module *m = (const void *)rec;
	uint64_t load, gone;

	load = rec->type == BUILDIDX_REC_BPF_LOAD ? b->load_time :
	       rec->type == BUILDIDX_REC_KSYM ? k->load_time : m->load_time;
	gone = rec->type == BUILDIDX_REC_BPF_LOAD ? b->unload_time :
	       rec->type == BUILDIDX_REC_KSYM ? k->unload_time : m->unload_time;
	return load <= time && (!is_gone(rec) || time < gone);
}

static bool matches(const struct buildidx_rec *rec, const struct buildidx_query_record *q)
{
	const struct buildidx_rec_bpf *b = (const void *)rec;
	const struct buildidx_rec_module *m = (const void *)rec;
	bool bpf = rec->type == BUILDIDX_REC_BPF_LOAD;

	switch (q->by) {
	case BUILDIDX_BY_OBJECT:
		return object_of(rec) == q->object;
	case BUILDIDX_BY_PROG_ID:
		return bpf && b->id == q->id;
	case BUILDIDX_BY_ADDRESS:
		return holds(rec, q->address) && (!q->time || was_there(rec, q->time));
	default:
		if (bpf)
			return q->id_len == sizeof(b->build_id) &&
			       !memcmp(q->build_id, b->build_id, q->id_len);
		return rec->type == BUILDIDX_REC_MODULE && q->id_len == m->id_len &&
		       !memcmp(q->build_id, m->id, q->id_len);
	}
}

static int query_record(struct mockdev *dev, struct buildidx_query_record *q)
{
	const struct buildidx_rec *best = NULL;
	struct buildidx_rec *to = (void *)(uintptr_t)q->buf;
	size_t i;

	if (q->size != sizeof(*q) || q->flags || q->pad || q->by < BUILDIDX_BY_OBJECT ||
	    q->by > BUILDIDX_BY_BUILD_ID || q->id_len > sizeof(q->build_id) ||
	    q->buf_size > BUILDIDX_REC_MAX)
		return -EINVAL;
	for (i = 0; i < dev->nr_records; i++)
		if (is_kept(dev, i) && matches(dev->records[i], q) &&
		    (!best || is_gone(best) || !is_gone(dev->records[i])))
			best = dev->records[i];
	if (!best)
		return -ENOENT;
	q->object = object_of(best);
	q->rec_size = best->size;
	if (dev->grows) {
		dev->grows = false;
		q->rec_size -= 8;
		return 0;
	}
	if (q->buf_size < q->rec_size)
		return 0;
	memcpy(to, best, best->size);
	if (dev->nonsense)
		to->fixed = (__u16)(to->size + 8);
	return 0;
}

static int dump_records(struct mockdev *dev, struct buildidx_dump_records *d)
{
	char *to = (void *)(uintptr_t)d->buf;
	size_t i;

	if (d->size != sizeof(*d) || d->flags & ~3U || d->pad || d->buf_size > BUILDIDX_REC_MAX)
		return -EINVAL;
	d->count = d->used = d->next_size = 0;
	for (i = d->cursor; i < dev->nr_records; i++) {
		const struct buildidx_rec *rec = dev->records[i];
		unsigned int is;

		if (!is_kept(dev, i) || (d->types && !(d->types & 1U << rec->type)))
			continue;
		is = is_gone(rec) ? BUILDIDX_RECORDS_GONE : BUILDIDX_RECORDS_LIVE;
		if (d->flags && !(d->flags & is))
			continue;
		if (rec->size > d->buf_size - d->used) {
			if (!d->count)
				d->next_size = rec->size;
			break;
		}
		memcpy(to + d->used, rec, rec->size);
		if (dev->nonsense)
			((struct buildidx_rec *)(to + d->used))->fixed = 1;
		d->used += rec->size;
		d->count++;
		if (!dev->stuck)
			d->cursor = i + 1;
	}
	return 0;
}

static int adopt(struct mockdev *dev, struct buildidx_adopt *a)
{
	if (a->size != sizeof(*a) || a->flags || a->pad)
		return -EINVAL;
	if (fcntl(a->fd, F_GETFD) < 0)
		return -EBADF;
	dev->adopted++;
	a->object = 1000 + dev->adopted;
	return 0;
}

static struct mockdev_stream *stream_of(struct mockdev *dev, int fd)
{
	unsigned int i;

	/* the last: a number is used again after close() */
	for (i = dev->nr_streams; i > 0; i--)
		if (dev->streams[i - 1].fd == fd)
			return &dev->streams[i - 1];
	return NULL;
}

bool mockdev_is(const struct mockdev *dev, int fd)
{
	return fd >= 0 && stream_of((struct mockdev *)dev, fd);
}

int mockdev_open(void *ctx)
{
	struct mockdev *dev = ctx;
	struct mockdev_stream *s;

	if (dev->nr_streams == MOCKDEV_STREAMS)
		return -EMFILE;
	s = &dev->streams[dev->nr_streams];
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->at = dev->nr_records;
	s->types = STREAM_TYPES & ~(1U << BUILDIDX_REC_MAP);
	if (s->fd < 0)
		return -errno;
	dev->nr_streams++;
	return s->fd;
}

/* Records from lookups and dumps have no number in the stream, and are not in it. */
static const struct buildidx_rec *next_of(struct mockdev *dev, struct mockdev_stream *s)
{
	for (; s->at < dev->nr_records; s->at++) {
		const struct buildidx_rec *rec = dev->records[s->at];

		if (rec->seq && (rec->type > 31 || rec->type == BUILDIDX_REC_LOST ||
				 s->types & 1U << rec->type))
			return rec;
	}
	return NULL;
}

static void tell(struct mockdev *dev, struct mockdev_stream *s)
{
	uint64_t count;

	if (next_of(dev, s))
		eventfd_write(s->fd, 1);
	else
		eventfd_read(s->fd, &count);
}

static int place(struct mockdev *dev, int fd, struct buildidx_stream *arg)
{
	struct mockdev_stream *s = stream_of(dev, fd);
	const struct buildidx_rec *rec;

	if (arg->size != sizeof(*arg) || !s ||
	    arg->flags & ~(BUILDIDX_STREAM_OLDEST | BUILDIDX_STREAM_NEXT))
		return -EINVAL;
	if (arg->flags & BUILDIDX_STREAM_OLDEST)
		s->at = 0;
	if (arg->flags & BUILDIDX_STREAM_NEXT)
		s->at = dev->nr_records;
	if (arg->types)
		s->types = arg->types;
	rec = next_of(dev, s);
	arg->next_size = rec ? rec->size : 0;
	arg->seq = rec ? rec->seq : dev->info.stream_next;
	tell(dev, s);
	return 0;
}

ssize_t mockdev_read(void *ctx, int fd, void *buf, size_t len)
{
	struct mockdev *dev = ctx;
	struct mockdev_stream *s = stream_of(dev, fd);
	const struct buildidx_rec *rec = next_of(dev, s);
	size_t used = 0;

	if (!rec && dev->endless) {
		s->at = 0;
		rec = next_of(dev, s);
	}
	if (!rec)
		return -EAGAIN;
	if (rec->size > len)
		return -EMSGSIZE;
	for (; rec && rec->size <= len - used; rec = next_of(dev, s)) {
		memcpy((char *)buf + used, rec, rec->size);
		used += rec->size;
		s->at++;
	}
	tell(dev, s);
	return (ssize_t)used;
}

int mockdev_record_ioctl(struct mockdev *dev, int fd, unsigned long cmd, void *arg)
{
	if (dev->old)
		return -ENOTTY;
	switch (cmd) {
	case BUILDIDX_IOC_RECORD:
		return query_record(dev, arg);
	case BUILDIDX_IOC_RECORDS:
		return dump_records(dev, arg);
	case BUILDIDX_IOC_ADOPT:
		return adopt(dev, arg);
	default:
		return place(dev, fd, arg);
	}
}
