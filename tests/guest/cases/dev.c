// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "dev.h"
#include "tap.h"

int dev_open(void)
{
	int fd = open(BUILDIDX_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		bail("%s: %s; is the module loaded?", BUILDIDX_DEVICE, strerror(errno));
	return fd;
}

static int call(int dev, unsigned long cmd, void *arg)
{
	return ioctl(dev, cmd, arg) < 0 ? -errno : 0;
}

int dev_info(int dev, struct buildidx_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return call(dev, BUILDIDX_IOC_INFO, info);
}

int dev_addr64(int dev, pid_t pid, uint64_t addr, struct buildidx_frame *f)
{
	struct buildidx_query_addr q = { .size = sizeof(q), .pid = pid, .address = addr };
	int err = call(dev, BUILDIDX_IOC_QUERY_ADDR, &q);

	*f = q.frame;
	return err;
}

int dev_addr(int dev, pid_t pid, const void *addr, struct buildidx_frame *f)
{
	return dev_addr64(dev, pid, (uintptr_t)addr, f);
}

int dev_fd(int dev, int fd, struct buildidx_object *o)
{
	struct buildidx_query_fd q = { .size = sizeof(q), .fd = fd };
	int err = call(dev, BUILDIDX_IOC_QUERY_FD, &q);

	*o = q.obj;
	return err;
}

int dev_exe(int dev, pid_t pid, struct buildidx_object *o)
{
	struct buildidx_query_exe q = { .size = sizeof(q), .pid = pid };
	int err = call(dev, BUILDIDX_IOC_QUERY_EXE, &q);

	*o = q.obj;
	return err;
}

int dev_object(int dev, uint64_t object, struct buildidx_object *o)
{
	struct buildidx_query_object q = { .size = sizeof(q), .object = object };
	int err = call(dev, BUILDIDX_IOC_OBJECT, &q);

	*o = q.obj;
	return err;
}

int dev_stats(int dev, int cpu, struct buildidx_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->size = sizeof(*s);
	s->cpu = cpu;
	return call(dev, BUILDIDX_IOC_STATS, s);
}

uint64_t dev_counter(int dev, enum buildidx_counter c)
{
	struct buildidx_stats s;
	int err = dev_stats(dev, -1, &s);

	if (err)
		bail("STATS: %s", strerror(-err));
	return s.counter[c];
}

bool dev_settled(int dev, struct buildidx_stats *s)
{
	const __u64 *c = s->counter;
	int i, err;

	for (i = 0; i < 300; i++) {
		err = dev_stats(dev, -1, s);
		if (err)
			bail("STATS: %s", strerror(-err));
		if (c[BUILDIDX_CNT_CAPTURED] ==
		    c[BUILDIDX_CNT_INDEXED] + c[BUILDIDX_CNT_REFUSED] +
		    c[BUILDIDX_CNT_FAILED] + c[BUILDIDX_CNT_DROPPED])
			return true;
		sleep_ms(10);
	}
	return false;
}

long dev_dump(int dev, struct buildidx_object **all)
{
	struct buildidx_object *array = NULL, *bigger;
	size_t used = 0;
	__u64 cursor = 0;

	for (;;) {
		struct buildidx_dump d = {
			.size = sizeof(d), .cursor = cursor, .count = 256,
			.obj_size = sizeof(*array),
		};
		int err;

		bigger = realloc(array, (used + d.count) * sizeof(*array));
		if (!bigger)
			bail("out of memory after %zu index entries", used);
		array = bigger;
		d.buf = (uintptr_t)(array + used);
		err = call(dev, BUILDIDX_IOC_DUMP, &d);
		if (err) {
			free(array);
			return err;
		}
		if (!d.count)
			break;
		used += d.count;
		cursor = d.cursor;
	}
	*all = array;
	return used;
}

const char *status_name(unsigned int status)
{
	static const char * const names[BUILDIDX_STATUS_COUNT] = {
		"OK", "NO_MM", "NO_MAPPING", "ANON", "SPECIAL", "NOT_INDEXED", "PENDING",
		"NOT_RESIDENT", "MODIFIED", "TOO_LONG", "NO_NOTE", "RACED", "KERNEL",
		"READ_ERROR", "OFF", "GENERATED",
	};

	return status < BUILDIDX_STATUS_COUNT ? names[status] : "(unknown status)";
}

#define TEXT_MAX	640

/* Eight buffers in turn: enough for the arguments of one printf. */
static char *text_buffer(void)
{
	static char buffers[8][TEXT_MAX];
	static unsigned int next;

	return buffers[next++ % 8];
}

const char *hex(const void *bytes, size_t len)
{
	static char buffers[8][2 * BUILDIDX_TEXT_MAX + 1];
	static unsigned int next;
	char *text = buffers[next++ % 8];
	const unsigned char *b = bytes;
	size_t i;

	if (len > BUILDIDX_TEXT_MAX)
		len = BUILDIDX_TEXT_MAX;
	text[0] = '\0';
	for (i = 0; i < len; i++)
		sprintf(text + i * 2, "%02x", b[i]);
	return text;
}

const char *show_frame(int err, const struct buildidx_frame *f)
{
	char *text = text_buffer();

	if (err)
		snprintf(text, TEXT_MAX, "errno %d (%s)", -err, strerror(-err));
	else
		snprintf(text, TEXT_MAX,
			 "ip %#llx status %s kind %u source %u flags %#x id_len %u id %s offset %#llx object %llu",
			 (unsigned long long)f->ip, status_name(f->status), f->kind, f->source,
			 f->flags, f->id_len, hex(f->id, sizeof(f->id)),
			 (unsigned long long)f->offset, (unsigned long long)f->object);
	return text;
}

const char *show_object(int err, const struct buildidx_object *o)
{
	char *text = text_buffer();

	if (err)
		snprintf(text, TEXT_MAX, "errno %d (%s)", -err, strerror(-err));
	else
		snprintf(text, TEXT_MAX,
			 "status %s kind %u source %u flags %#x id_len %u id %s size %llu ino %llu object %llu",
			 status_name(o->status), o->kind, o->source, o->flags, o->id_len,
			 hex(o->id, o->id_len < sizeof(o->id) ? o->id_len : sizeof(o->id)),
			 (unsigned long long)o->file_size, (unsigned long long)o->ino,
			 (unsigned long long)o->object);
	return text;
}

static bool zero_from(const __u8 *id, size_t from, size_t to)
{
	for (; from < to; from++)
		if (id[from])
			return false;
	return true;
}

bool frame_has(int err, const struct buildidx_frame *f, const void *id, size_t len)
{
	return !err && len <= sizeof(f->id) && f->id_len == len && !memcmp(f->id, id, len) &&
	       zero_from(f->id, len, sizeof(f->id));
}

bool frame_is(int err, const struct buildidx_frame *f, const void *id, size_t len)
{
	return frame_has(err, f, id, len) && f->status == BUILDIDX_STATUS_OK &&
	       f->kind == BUILDIDX_KIND_GNU;
}

bool object_is(int err, const struct buildidx_object *o, const void *id, size_t len)
{
	return !err && o->status == BUILDIDX_STATUS_OK && o->kind == BUILDIDX_KIND_GNU &&
	       o->id_len == len && !memcmp(o->id, id, len) && zero_from(o->id, len, sizeof(o->id));
}

bool status_is_transient(unsigned int status)
{
	return status == BUILDIDX_STATUS_PENDING || status == BUILDIDX_STATUS_MODIFIED ||
	       status == BUILDIDX_STATUS_NOT_RESIDENT;
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000L };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}
