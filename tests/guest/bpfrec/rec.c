// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../cases/tap.h"
#include "rec.h"

#define FIRST_ROOM	(256U << 10)

uint64_t boottime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int rec_device(void)
{
	int fd = open(BUILDIDX_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* --- what is in a record --- */

const char *rec_text(const struct buildidx_rec_bpf *r, uint32_t text)
{
	return (const char *)r + r->strings.off + text;
}

uint32_t rec_funcs(const struct buildidx_rec_bpf *r)
{
	return r->func_each ? r->funcs.len / r->func_each : 0;
}

uint32_t rec_lines(const struct buildidx_rec_bpf *r)
{
	return r->line_each ? r->lines.len / r->line_each : 0;
}

const struct buildidx_bpf_func *rec_func(const struct buildidx_rec_bpf *r, uint32_t i)
{
	return (const void *)((const char *)r + r->funcs.off + (size_t)i * r->func_each);
}

const struct buildidx_bpf_line *rec_line(const struct buildidx_rec_bpf *r, uint32_t i)
{
	return (const void *)((const char *)r + r->lines.off + (size_t)i * r->line_each);
}

const struct buildidx_bpf_line *rec_line_at(const struct buildidx_rec_bpf *r,
					    const struct buildidx_bpf_func *f, uint32_t off)
{
	const struct buildidx_bpf_line *found = NULL;
	uint32_t i;

	for (i = 0; i < f->lines; i++) {
		const struct buildidx_bpf_line *l = rec_line(r, f->line + i);

		if (l->off > off)
			break;
		found = l;
	}
	return found;
}

const struct buildidx_bpf_func *rec_func_at(const struct buildidx_rec_bpf *r, uint64_t image)
{
	uint32_t i;

	for (i = 0; i < rec_funcs(r); i++) {
		const struct buildidx_bpf_func *f = rec_func(r, i);

		if (image >= f->image && image - f->image < f->len)
			return f;
	}
	return NULL;
}

static bool section_good(const struct buildidx_rec *r, const struct buildidx_sect *s)
{
	if (!s->off)
		return !s->len;
	return s->off % 8 == 0 && s->off >= r->fixed && s->off <= r->size &&
	       s->len <= r->size - s->off;
}

static bool strings_good(const struct buildidx_rec *r, const struct buildidx_sect *s)
{
	const char *at = (const char *)r + s->off;

	return section_good(r, s) && s->len && !at[0] && !at[s->len - 1];
}

static const char *check_funcs(const struct buildidx_rec_bpf *r)
{
	uint32_t i, line = 0, image = 0;

	for (i = 0; i < rec_funcs(r); i++) {
		const struct buildidx_bpf_func *f = rec_func(r, i);

		if (f->name >= r->strings.len)
			return "name of a function outside of the strings";
		if (f->line != line || f->lines > rec_lines(r) - line)
			return "lines of a function are not where they belong";
		if (f->image % 16 || f->image < image)
			return "image of a function is not where it belongs";
		if (r->image.len && (f->image > r->image.len || f->len > r->image.len - f->image))
			return "image of a function outside of the image";
		if (f->pad)
			return "pad of a function is not zero";
		line += f->lines;
		image = f->image + f->len;
	}
	return line == rec_lines(r) ? NULL : "lines that belong to no function";
}

static const char *check_lines(const struct buildidx_rec_bpf *r)
{
	uint32_t i, k;

	for (i = 0; i < rec_funcs(r); i++) {
		const struct buildidx_bpf_func *f = rec_func(r, i);

		for (k = 0; k < f->lines; k++) {
			const struct buildidx_bpf_line *l = rec_line(r, f->line + k);

			if (l->file >= r->strings.len || l->text >= r->strings.len)
				return "text of a line outside of the strings";
			if (l->off >= f->len)
				return "line outside of its function";
			if (k && l->off < rec_line(r, f->line + k - 1)->off)
				return "lines are not in the order of the text";
		}
	}
	return NULL;
}

static const char *check_bpf(const struct buildidx_rec_bpf *r)
{
	const char *bad;

	if (r->rec.fixed < sizeof(*r))
		return "fixed part too short";
	if (!section_good(&r->rec, &r->funcs) || !section_good(&r->rec, &r->lines) ||
	    !section_good(&r->rec, &r->image) || !section_good(&r->rec, &r->maps))
		return "section outside of the record";
	if (!strings_good(&r->rec, &r->strings))
		return "strings are not strings";
	if (r->func_each < sizeof(struct buildidx_bpf_func) || r->funcs.len % r->func_each ||
	    r->line_each < sizeof(struct buildidx_bpf_line) || r->lines.len % r->line_each ||
	    r->maps.len % 4)
		return "section of a wrong length";
	if (r->name >= r->strings.len || r->attach_name >= r->strings.len)
		return "name outside of the strings";
	if (!r->funcs.len)
		return "no function";
	if (!r->object || !r->load_time || r->rec.time != r->load_time)
		return "no object number, or no time";
	if (!!r->unload_time != !!(r->flags & BUILDIDX_REC_GONE))
		return "GONE and unload time do not agree";
	if (!memchr(r->comm, 0, sizeof(r->comm)) || !memchr(r->unload_comm, 0, sizeof(r->comm)))
		return "comm is no text";
	bad = check_funcs(r);
	return bad ? bad : check_lines(r);
}

const char *rec_check(const struct buildidx_rec *r)
{
	static const uint16_t fixed[BUILDIDX_REC_TYPES] = {
		[BUILDIDX_REC_LOST] = sizeof(struct buildidx_rec_lost),
		[BUILDIDX_REC_OBJECT] = sizeof(struct buildidx_rec_object),
		[BUILDIDX_REC_MAP] = sizeof(struct buildidx_rec_map),
		[BUILDIDX_REC_BPF_LOAD] = sizeof(struct buildidx_rec_bpf),
		[BUILDIDX_REC_BPF_UNLOAD] = sizeof(struct buildidx_rec_bpf_unload),
		[BUILDIDX_REC_KSYM] = sizeof(struct buildidx_rec_ksym),
		[BUILDIDX_REC_MODULE] = sizeof(struct buildidx_rec_module),
	};
	const struct buildidx_rec_object *o = (const void *)r;
	const struct buildidx_rec_map *m = (const void *)r;

	if (r->type >= BUILDIDX_REC_TYPES || !fixed[r->type])
		return "unknown type";
	if (r->size % 8 || r->fixed > r->size || r->size > BUILDIDX_REC_MAX)
		return "wrong size";
	if (r->fixed != fixed[r->type])
		return "fixed part of a wrong size";
	switch (r->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return check_bpf((const void *)r);
	case BUILDIDX_REC_OBJECT:
		return strings_good(r, &o->strings) && o->path < o->strings.len ? NULL :
			"strings of an object";
	case BUILDIDX_REC_MAP:
		return strings_good(r, &m->strings) && m->path < m->strings.len ? NULL :
			"strings of a mapping";
	case BUILDIDX_REC_KSYM:
		return memchr(((const struct buildidx_rec_ksym *)r)->name, 0,
			      BUILDIDX_KSYM_NAME_LEN) ? NULL : "name of a symbol";
	case BUILDIDX_REC_MODULE:
		return memchr(((const struct buildidx_rec_module *)r)->name, 0,
			      BUILDIDX_MODULE_NAME_LEN) ? NULL : "name of a module";
	}
	return NULL;
}

/* --- the stream --- */

int stream_ask(int fd, uint32_t flags, uint32_t types, struct buildidx_stream *answer)
{
	struct buildidx_stream a = { .size = sizeof(a), .flags = flags, .types = types };
	int err = ioctl(fd, BUILDIDX_IOC_STREAM, &a) ? -errno : 0;

	if (answer)
		*answer = a;
	return err;
}

void stream_open(struct stream *s, uint32_t types, bool oldest)
{
	struct buildidx_stream a;
	int err;

	memset(s, 0, sizeof(*s));
	s->fd = open(BUILDIDX_DEVICE, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0)
		bail("%s: %s; is the module loaded?", BUILDIDX_DEVICE, strerror(errno));
	s->room = FIRST_ROOM;
	s->buf = malloc(s->room);
	if (!s->buf)
		bail("no memory");
	s->types = types;
	err = stream_ask(s->fd, oldest ? BUILDIDX_STREAM_OLDEST : BUILDIDX_STREAM_NEXT, types, &a);
	if (err)
		bail("BUILDIDX_IOC_STREAM: %s", strerror(-err));
	s->first = a.seq;
	s->next = a.seq;
}

void stream_close(struct stream *s)
{
	close(s->fd);
	free(s->buf);
	s->buf = NULL;
	s->fd = -1;
}

static void bad_record(struct stream *s, const struct buildidx_rec *r, const char *why)
{
	if (!s->bad++)
		snprintf(s->first_bad, sizeof(s->first_bad), "type %u, size %u, number %llu: %s",
			 r->type, r->size, (unsigned long long)r->seq, why);
}

/*
 * What a LOST record counted is known to be right when the next number is: it spans as
 * many numbers as it counts, or fewer where records could not even be made.
 */
static void settle(struct stream *s, uint64_t seq)
{
	const uint64_t span = seq - s->pending_seq;

	if (!s->pending)
		return;
	if (span && span <= s->pending)
		s->unmade += s->pending - span;
	else
		s->gaps += span;
	s->next = seq;
	s->pending = 0;
}

bool stream_exact(struct stream *s)
{
	struct buildidx_stream a;

	if (!stream_ask(s->fd, 0, 0, &a) && s->pending)
		settle(s, a.seq);
	return !s->gaps && !s->bad && !s->pending &&
	       s->records + s->lost - s->unmade == s->next - s->first;
}

/* Numbers follow each other, but for what LOST tells and, where a reader chose, other types. */
static void count(struct stream *s, const struct buildidx_rec *r)
{
	const bool all = (s->types & ALL_TYPES) == ALL_TYPES;

	if (all)
		settle(s, r->seq);
	if (r->seq < s->next)
		bad_record(s, r, "its number came before");
	else if (all)
		s->gaps += r->seq - s->next;
	s->next = r->seq + 1;
	if (r->type == BUILDIDX_REC_LOST) {
		s->pending = ((const struct buildidx_rec_lost *)r)->lost;
		s->pending_seq = r->seq;
		s->lost += s->pending;
		if (!s->pending)
			bad_record(s, r, "it counts nothing");
		return;
	}
	s->records++;
	if (r->type < BUILDIDX_REC_TYPES)
		s->of_type[r->type]++;
	if (!(s->types >> r->type & 1))
		bad_record(s, r, "a type that was not asked for");
}

static bool fill(struct stream *s, int ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct buildidx_stream a;
	ssize_t n;
	int err;

	for (;;) {
		n = read(s->fd, s->buf, s->room);
		if (n > 0) {
			s->len = n;
			s->at = 0;
			return true;
		}
		if (!n)
			bail("reading the stream: end of file");
		if (errno == EMSGSIZE) {
			err = stream_ask(s->fd, 0, 0, &a);
			if (err || a.next_size <= s->room)
				bail("reading the stream: EMSGSIZE, next_size %u, room %zu, errno %d",
				     a.next_size, s->room, -err);
			s->room = a.next_size;
			s->buf = realloc(s->buf, s->room);
			if (!s->buf)
				bail("no memory");
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			bail("reading the stream: %s", strerror(errno));
		if (!ms || poll(&p, 1, ms) <= 0)
			return false;
		ms = 0;
	}
}

const struct buildidx_rec *stream_next(struct stream *s, int ms)
{
	const struct buildidx_rec *r;
	const char *why;

	if (s->at == s->len && !fill(s, ms))
		return NULL;
	r = (const void *)(s->buf + s->at);
	if (s->len - s->at < sizeof(*r) || r->size < sizeof(*r) || r->size > s->len - s->at)
		bail("the stream gave a record that is cut: %zu bytes left, size %u", s->len - s->at,
		     r->size);
	s->at += r->size;
	why = rec_check(r);
	if (why)
		bad_record(s, r, why);
	count(s, r);
	return r;
}

/* --- what is asked for --- */

int rec_query(int dev, struct buildidx_query_record *q, struct buildidx_rec **r)
{
	const struct buildidx_query_record ask = *q;
	void *buf = NULL;
	uint32_t room = 0;
	int err;

	*r = NULL;
	for (;;) {
		*q = ask;
		q->size = sizeof(*q);
		q->buf = (uintptr_t)buf;
		q->buf_size = room;
		err = ioctl(dev, BUILDIDX_IOC_RECORD, q) ? -errno : 0;
		if (err || (q->rec_size && q->rec_size <= room))
			break;
		/* it may have got longer meanwhile: another one is there now */
		room = q->rec_size;
		free(buf);
		buf = room ? malloc(room) : NULL;
		if (!buf)
			return -ENOMEM;
	}
	if (err) {
		free(buf);
		return err;
	}
	*r = buf;
	return rec_check(*r) || (*r)->size != q->rec_size ? -EBADMSG : 0;
}

int rec_by_object(int dev, uint64_t object, struct buildidx_rec **r)
{
	struct buildidx_query_record q = { .by = BUILDIDX_BY_OBJECT, .object = object };

	return rec_query(dev, &q, r);
}

int rec_by_prog(int dev, uint32_t id, struct buildidx_rec **r)
{
	struct buildidx_query_record q = { .by = BUILDIDX_BY_PROG_ID, .id = id };

	return rec_query(dev, &q, r);
}

int rec_by_address(int dev, uint64_t address, uint64_t time, struct buildidx_rec **r)
{
	struct buildidx_query_record q = {
		.by = BUILDIDX_BY_ADDRESS, .address = address, .time = time,
	};

	return rec_query(dev, &q, r);
}

int rec_by_build_id(int dev, const void *id, uint32_t len, struct buildidx_rec **r)
{
	struct buildidx_query_record q = { .by = BUILDIDX_BY_BUILD_ID, .id_len = len };

	memcpy(q.build_id, id, len);
	return rec_query(dev, &q, r);
}

long rec_dump(int dev, uint32_t flags, uint32_t types,
	      void (*each)(const struct buildidx_rec *r, void *arg), void *arg)
{
	struct buildidx_dump_records d = { 0 };
	uint32_t room = FIRST_ROOM, at;
	void *buf = malloc(room), *bigger;
	uint64_t cursor = 0;
	long n = 0;
	int err;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		d = (struct buildidx_dump_records) {
			.size = sizeof(d), .flags = flags, .types = types, .cursor = cursor,
			.buf = (uintptr_t)buf, .buf_size = room,
		};
		err = ioctl(dev, BUILDIDX_IOC_RECORDS, &d) ? -errno : 0;
		if (err)
			break;
		for (at = 0; at < d.used; ) {
			const struct buildidx_rec *r = (const void *)((char *)buf + at);

			if (d.used - at < sizeof(*r) || r->size > d.used - at || rec_check(r)) {
				err = -EBADMSG;
				goto out;
			}
			each(r, arg);
			at += r->size;
			n++;
		}
		cursor = d.cursor;
		if (!d.count && !d.next_size)
			break;
		if (d.next_size > room) {
			bigger = realloc(buf, d.next_size);
			if (!bigger) {
				err = -ENOMEM;
				break;
			}
			buf = bigger;
			room = d.next_size;
		}
	}
out:
	free(buf);
	return err ? err : n;
}
