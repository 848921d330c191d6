// SPDX-License-Identifier: GPL-2.0
/*
 * mockdev - stands in for /dev/buildidx, as strict as uapi/buildidx.h asks
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mockdev.h"
#include "mockdev_records.h"

void mockdev_init(struct mockdev *dev)
{
	static const char *const names[] = { "mmap", "inode", "fput" };
	static const char *const symbols[] = { "perf_event_mmap", "__destroy_inode", "__fput" };
	unsigned int i;

	memset(dev, 0, sizeof(*dev));
	dev->info.abi_version = BUILDIDX_ABI_VERSION;
	dev->info.kfunc_state = BUILDIDX_KFUNC_TRACING | BUILDIDX_KFUNC_PERF;
	dev->info.capture_mode = BUILDIDX_CAPTURE_TASK_WORK;
	dev->info.hooks_on = 1;
	dev->info.nr_hooks = 3;
	dev->info.max_entries = 262144;
	dev->info.heads = 131072;
	dev->info.entries = 1000;
	strcpy(dev->info.version, "0.1.0");
	for (i = 0; i < 3; i++) {
		struct buildidx_hook *h = &dev->info.hooks[i];

		strcpy(h->name, names[i]);
		strcpy(h->symbol, symbols[i]);
		h->state = BUILDIDX_HOOK_FTRACE;
		h->hits = 100 + i;
		h->missed = i;
	}
	dev->info.kernel_state = BUILDIDX_KERNEL_VMLINUX | BUILDIDX_KERNEL_MODULES |
				 BUILDIDX_KERNEL_BPF | BUILDIDX_KERNEL_KSYM;
	dev->info.records_live = 50;
	dev->info.records_gone = 7;
	dev->info.history_bytes = 4096;
	dev->info.history_max = 67108864;
	dev->info.stream_bytes = 8192;
	dev->info.stream_max = 1048576;
	dev->info.stream_first = 3;
	dev->info.stream_next = 25;
	dev->objects = 1000;
	dev->least_room = 64;
}

void mockdev_object(struct buildidx_object *obj, uint64_t number)
{
	unsigned int i;

	memset(obj, 0, sizeof(*obj));
	obj->object = number;
	obj->dev_major = 8;
	obj->dev_minor = 1;
	obj->ino = 1000 + number;
	obj->file_size = 4096 * number;
	obj->mtime_ns = -1;
	if (number == MOCKDEV_GO_OBJECT) {
		obj->kind = BUILDIDX_KIND_GO;
		obj->source = BUILDIDX_SOURCE_PHDR;
		obj->id_len = MOCKDEV_GO_LEN;
		for (i = 0; i < obj->id_len; i++)
			obj->id[i] = (unsigned char)('a' + i % 26);
		return;
	}
	obj->kind = BUILDIDX_KIND_GNU;
	obj->source = BUILDIDX_SOURCE_PHDR;
	obj->id_len = 20;
	memcpy(obj->id, &number, sizeof(number));
}

static void not_resident(struct buildidx_object *obj)
{
	memset(obj, 0, sizeof(*obj));
	obj->status = BUILDIDX_STATUS_NOT_RESIDENT;
}

static int query_fd(const struct mockdev *dev, struct buildidx_query_fd *q)
{
	struct buildidx_object obj;
	int ret;

	if (q->size != sizeof(*q) || q->flags || q->pad)
		return -EINVAL;
	if (dev->no_id) {
		not_resident(&q->obj);
		return 0;
	}
	ret = buildidx_parse_fd(q->fd, &obj, NULL);
	if (ret)
		return ret;
	obj.object = 7;
	q->obj = obj;
	return 0;
}

/* The names of mapped files in the tests are plain wherever this is used. */
static int read_mapped(struct buildidx_query_addr *q, uint64_t offset, const char *path)
{
	struct buildidx_object obj;

	q->frame.status = BUILDIDX_STATUS_ANON;
	if (*path != '/')
		return 0;
	if (buildidx_parse_path(path, &obj, NULL))
		return -EIO;
	q->frame.status = obj.status;
	q->frame.kind = obj.kind;
	q->frame.source = obj.source;
	q->frame.id_len = obj.id_len;
	q->frame.offset = offset;
	memcpy(q->frame.id, obj.id, sizeof(q->frame.id));
	return 0;
}

static int look_up(struct buildidx_query_addr *q)
{
	pid_t pid = q->pid ? q->pid : getpid();
	char name[32], line[8192], path[4096];
	uint64_t start, end, offset;
	int n, ret = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return -ESRCH;
	q->frame.status = BUILDIDX_STATUS_NO_MAPPING;
	while (fgets(line, sizeof(line), f)) {
		path[0] = '\0';
		n = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]",
			   &start, &end, &offset, path);
		if (n >= 3 && q->address >= start && q->address < end) {
			ret = read_mapped(q, q->address - start + offset, path);
			break;
		}
	}
	fclose(f);
	return ret;
}

static int query_addr(const struct mockdev *dev, struct buildidx_query_addr *q)
{
	struct buildidx_object obj;
	int ret;

	if (q->size != sizeof(*q) || q->flags || q->pad)
		return -EINVAL;
	memset(&q->frame, 0, sizeof(q->frame));
	q->frame.ip = q->address;
	if (q->address >= MOCKDEV_GO_ADDRESS + 0x1000) {
		ret = look_up(q);
		if (dev->moved)
			q->frame.offset += 0x1000;
		return ret;
	}
	q->frame.offset = q->address & 0xfff;
	if (q->address < MOCKDEV_GO_ADDRESS) {
		q->frame.status = (__u16)(q->address >> 12);
		if (q->frame.status)
			return 0;
		mockdev_object(&obj, 1);
	} else {
		mockdev_object(&obj, MOCKDEV_GO_OBJECT);
		q->frame.flags = BUILDIDX_FRAME_TRUNCATED;
	}
	q->frame.object = obj.object;
	q->frame.kind = obj.kind;
	q->frame.source = obj.source;
	q->frame.id_len = obj.id_len;
	memcpy(q->frame.id, obj.id, sizeof(q->frame.id));
	return 0;
}

static int query_exe(const struct mockdev *dev, struct buildidx_query_exe *q)
{
	struct buildidx_object obj;
	char link[40];
	int ret;

	if (q->size != sizeof(*q) || q->flags || q->pad)
		return -EINVAL;
	if (dev->no_id) {
		not_resident(&q->obj);
		return 0;
	}
	snprintf(link, sizeof(link), "/proc/%d/exe", q->pid ? q->pid : getpid());
	ret = buildidx_parse_path(link, &obj, NULL);
	if (ret)
		return -ESRCH;
	obj.object = 8;
	q->obj = obj;
	return 0;
}

static int query_object(const struct mockdev *dev, struct buildidx_query_object *q)
{
	if (q->size != sizeof(*q) || q->flags)
		return -EINVAL;
	if (!q->object || q->object > dev->objects)
		return -ENOENT;
	mockdev_object(&q->obj, q->object);
	return 0;
}

static int dump(const struct mockdev *dev, struct buildidx_dump *d)
{
	struct buildidx_object *buf = (struct buildidx_object *)(uintptr_t)d->buf;
	uint32_t n = 0;

	if (d->size != sizeof(*d) || d->flags || d->obj_size != sizeof(*buf) ||
	    d->count > 65536)
		return -EINVAL;
	if (d->count < dev->least_room)
		return -ENOSPC;
	if (dev->overfull) {
		d->count++;
		return 0;
	}
	while (n < d->count && d->cursor + n < dev->objects) {
		mockdev_object(&buf[n], d->cursor + n + 1);
		n++;
	}
	if (!dev->stuck)
		d->cursor += n;
	d->count = n;
	return 0;
}

static int stats(struct buildidx_stats *s)
{
	unsigned int i;

	if (s->size != sizeof(*s) || s->flags || s->pad || s->cpu < -1 || s->cpu > 3)
		return -EINVAL;
	s->nr_status = BUILDIDX_STATUS_COUNT;
	s->nr_counter = BUILDIDX_CNT_COUNT + 1;	/* one that nobody knows yet */
	for (i = 0; i < BUILDIDX_STATS_MAX; i++) {
		s->status[i] = i < s->nr_status ? 10 * i : 0;
		s->counter[i] = i < s->nr_counter ? 100 * i : 0;
	}
	return 0;
}

int mockdev_ioctl(void *ctx, int fd, unsigned long cmd, void *arg)
{
	struct mockdev *dev = ctx;
	struct buildidx_info *info = arg;

	if (cmd == dev->fail_cmd)
		return dev->fail_error;
	switch (cmd) {
	case BUILDIDX_IOC_INFO:
		if (info->size != sizeof(*info) || info->flags)
			return -EINVAL;
		*info = dev->info;
		info->size = sizeof(*info);
		return 0;
	case BUILDIDX_IOC_QUERY_FD:
		return query_fd(dev, arg);
	case BUILDIDX_IOC_QUERY_ADDR:
		return query_addr(dev, arg);
	case BUILDIDX_IOC_QUERY_EXE:
		return query_exe(dev, arg);
	case BUILDIDX_IOC_OBJECT:
		return query_object(dev, arg);
	case BUILDIDX_IOC_DUMP:
		return dump(dev, arg);
	case BUILDIDX_IOC_STATS:
		return stats(arg);
	case BUILDIDX_IOC_RECORD:
	case BUILDIDX_IOC_RECORDS:
	case BUILDIDX_IOC_ADOPT:
	case BUILDIDX_IOC_STREAM:
		return mockdev_record_ioctl(dev, fd, cmd, arg);
	default:
		return -ENOTTY;
	}
}
