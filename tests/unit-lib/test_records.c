// SPDX-License-Identifier: GPL-2.0
/*
 * test_records - records: from files of either byte order, and from a device that the
 * test plays
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "mockdev.h"
#include "touch.h"

#define SECOND	1000000000ULL
/* What the captures hold, see golden/make.py */
#define RECORDS	13
#define CUT_OFF	20

static const char *const captures[] = { "golden/little.bidx", "golden/big.bidx" };

struct file {
	char bytes[8192];
	size_t len;
};

static void load(const char *path, struct file *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, f->bytes, sizeof(f->bytes));
	assert_true(n > 0 && n < (ssize_t)sizeof(f->bytes));
	f->len = (size_t)n;
	close(fd);
}

static int file_of(const void *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Field for field */

static void is_vmlinux(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_module *m = (const void *)rec;
	unsigned int i;

	assert_int_equal(rec->type, BUILDIDX_REC_MODULE);
	assert_int_equal(rec->size, sizeof(*m));
	assert_int_equal(rec->seq, 0);
	assert_int_equal(rec->time, 0);
	assert_int_equal(m->object, 1);
	assert_int_equal(m->flags, BUILDIDX_REC_ADOPTED);
	assert_int_equal(m->id_len, 20);
	for (i = 0; i < sizeof(m->id); i++)
		assert_int_equal(m->id[i], i < 20 ? 0x10 + i : 0);
	assert_int_equal(m->addr, 0xffffffff81000000);
	assert_int_equal(m->len, 0x1000000);
	assert_int_equal(m->vaddr, 0xffffffff81000000);
	assert_int_equal(m->load_time, 0);
	assert_int_equal(m->unload_time, 0);
	assert_string_equal(m->name, "vmlinux");
}

static void is_trampoline(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_ksym *k = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_KSYM);
	assert_int_equal(k->object, 2);
	assert_int_equal(k->flags, BUILDIDX_REC_ADOPTED);
	assert_int_equal(k->kind, BUILDIDX_KSYM_BPF);
	assert_int_equal(k->addr, 0xffffffffc0300000);
	assert_int_equal(k->len, 4096);
	assert_string_equal(k->name, "bpf_trampoline_6442462665");
}

static void is_module(const struct buildidx_rec *rec, bool gone)
{
	const struct buildidx_rec_module *m = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_MODULE);
	assert_int_equal(rec->seq, gone ? 15 : 10);
	assert_int_equal(rec->time, (gone ? 30 : 5) * SECOND);
	assert_int_equal(m->object, 3);
	assert_int_equal(m->flags, gone ? BUILDIDX_REC_GONE : 0);
	assert_int_equal(m->addr, 0xffffffffc0201000);
	assert_int_equal(m->len, 0x2000);
	assert_int_equal(m->load_time, 5 * SECOND);
	assert_int_equal(m->unload_time, gone ? 30 * SECOND : 0);
	assert_string_equal(m->name, "golden_mod");
}

static void is_line(const struct buildidx_rec_bpf *r, unsigned int func, unsigned int i,
		    const struct buildidx_bpf_line *want, const char *file, const char *text)
{
	const struct buildidx_bpf_line *l = buildidx_bpf_line(r, buildidx_bpf_func(r, func), i);

	assert_non_null(l);
	assert_int_equal(l->off, want->off);
	assert_int_equal(l->line, want->line);
	assert_int_equal(l->col, want->col);
	assert_string_equal(buildidx_record_text(&r->rec, l->file), file);
	assert_string_equal(buildidx_record_text(&r->rec, l->text), text);
}

static const unsigned char id_a[] = {
	0x84, 0xc6, 0x6f, 0x95, 0x2b, 0xf9, 0xe7, 0x68, 0x94, 0x6a,
	0x1a, 0xd3, 0x81, 0x79, 0xeb, 0xcc, 0x6e, 0xd8, 0x7a, 0x48,
};
#define SOURCE	"/build/golden/prog.bpf.c"
#define HEADER	"./include/helper.h"

static void is_program(const struct buildidx_rec *rec)
{
	static const unsigned char tag[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct buildidx_rec_bpf *r = (const void *)rec;
	const struct buildidx_bpf_func *f;
	const uint32_t *maps;
	const char *image;
	uint32_t count;
	size_t len;

	assert_int_equal(rec->type, BUILDIDX_REC_BPF_LOAD);
	assert_int_equal(rec->seq, 11);
	assert_int_equal(rec->time, 10 * SECOND + 1);
	assert_int_equal(r->object, 4);
	assert_int_equal(r->flags, BUILDIDX_BPF_GPL);
	assert_int_equal(r->id, 12);
	assert_int_equal(r->prog_type, BPF_PROG_TYPE_TRACING);
	assert_int_equal(r->attach_type, BPF_TRACE_FENTRY);
	assert_int_equal(r->attach_btf_id, 4242);
	assert_string_equal(buildidx_record_text(rec, r->attach_name), "vfs_read");
	assert_int_equal(r->attach_prog, 0);
	assert_int_equal(r->verified_insns, 77);
	assert_int_equal(r->pid, 1234);
	assert_int_equal(r->tid, 1235);
	assert_int_equal(r->uid, 1000);
	assert_int_equal(r->unload_pid, 0);
	assert_int_equal(r->unload_tid, 0);
	assert_string_equal(buildidx_record_text(rec, r->name), "golden_main");
	assert_int_equal(r->load_time, 10 * SECOND + 1);
	assert_int_equal(r->unload_time, 0);
	assert_memory_equal(r->tag, tag, sizeof(tag));
	assert_memory_equal(r->build_id, id_a, sizeof(id_a));
	assert_true(buildidx_bpf_build_id_matches(r));
	assert_string_equal(r->comm, "loader");
	assert_string_equal(r->unload_comm, "");

	assert_int_equal(buildidx_bpf_count(r), 2);
	assert_int_equal(buildidx_bpf_size(r), 32);
	f = buildidx_bpf_func(r, 0);
	assert_int_equal(f->addr, 0xffffffffc0001000);
	assert_int_equal(f->len, 13);
	assert_int_equal(f->image, 0);
	assert_int_equal(f->lines, 3);
	assert_string_equal(buildidx_record_text(rec, f->name), "golden_main");
	f = buildidx_bpf_func(r, 1);
	assert_int_equal(f->addr, 0xffffffffc0001020);
	assert_int_equal(f->len, 6);
	assert_int_equal(f->image, 16);
	assert_string_equal(buildidx_record_text(rec, f->name), "helper");
	assert_null(buildidx_bpf_func(r, 2));
	is_line(r, 0, 0, &(struct buildidx_bpf_line){ .off = 0, .line = 7, .col = 5 }, SOURCE,
		"int golden_main(void *ctx)");
	is_line(r, 0, 2, &(struct buildidx_bpf_line){ .off = 6, .line = 9, .col = 16 }, SOURCE,
		"\treturn helper() + 1;");
	assert_null(buildidx_bpf_line(r, buildidx_bpf_func(r, 0), 3));
	is_line(r, 1, 1, &(struct buildidx_bpf_line){ .off = 0, .line = 5, .col = 2 }, HEADER,
		"\treturn 42;");

	maps = buildidx_bpf_maps(r, &count);
	assert_int_equal(count, 2);
	assert_int_equal(maps[0], 21);
	assert_int_equal(maps[1], 22);
	image = buildidx_bpf_image(r, &len);
	assert_int_equal(len, 32);
	assert_memory_equal(image, "\x55\x48\x89\xe5\x31\xc0\xe8\x15\0\0\0\xc9\xc3\0\0\0\xb8\x2a", 18);
}

static void is_late_ksym(const struct buildidx_rec *rec, bool gone)
{
	const struct buildidx_rec_ksym *k = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_KSYM);
	assert_int_equal(rec->seq, gone ? 24 : 12);
	/* the first is longer than this version knows */
	assert_int_equal(rec->size, sizeof(*k) + (gone ? 0 : 8));
	assert_int_equal(rec->fixed, rec->size);
	assert_int_equal(k->object, 5);
	assert_int_equal(k->kind, BUILDIDX_KSYM_OOL);
	assert_int_equal(k->flags, gone ? BUILDIDX_REC_GONE : 0);
	assert_int_equal(k->addr, 0xffffffffc0300800);
	assert_int_equal(k->load_time, 10 * SECOND + 2);
	assert_int_equal(k->unload_time, gone ? 35 * SECOND : 0);
	assert_string_equal(k->name, "ftrace_trampoline");
}

static void is_unload(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf_unload *u = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_BPF_UNLOAD);
	assert_int_equal(rec->time, 20 * SECOND);
	assert_int_equal(u->object, 4);
	assert_int_equal(u->flags, BUILDIDX_REC_GONE);
	assert_int_equal(u->id, 12);
	assert_int_equal(u->unload_pid, 77);
	assert_int_equal(u->unload_tid, 78);
	assert_int_equal(u->load_time, 10 * SECOND + 1);
	assert_memory_equal(u->build_id, id_a, sizeof(id_a));
	assert_string_equal(u->unload_comm, "closer");
}

static void is_second_program(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf *r = (const void *)rec;
	size_t len;

	assert_int_equal(rec->type, BUILDIDX_REC_BPF_LOAD);
	assert_int_equal(r->object, 6);
	assert_int_equal(r->id, 12);
	assert_int_equal(r->flags, BUILDIDX_BPF_NO_BTF | BUILDIDX_BPF_NO_IMAGE | BUILDIDX_REC_ADOPTED);
	assert_int_equal(r->func_each, sizeof(struct buildidx_bpf_func) + 16);
	assert_int_equal(buildidx_bpf_count(r), 1);
	assert_int_equal(buildidx_bpf_func(r, 0)->addr, 0xffffffffc0001000);
	assert_int_equal(buildidx_bpf_func(r, 0)->len, 40);
	assert_null(buildidx_bpf_image(r, &len));
	assert_int_equal(buildidx_bpf_size(r), 40);
	assert_string_equal(buildidx_record_text(rec, r->name), "");
	assert_true(buildidx_bpf_build_id_matches(r));
}

static void is_object(const struct buildidx_object *o)
{
	unsigned int i;

	assert_int_equal(o->object, 1001);
	assert_int_equal(o->dev_major, 8);
	assert_int_equal(o->dev_minor, 1);
	assert_int_equal(o->ino, 4711);
	assert_int_equal(o->generation, 3);
	assert_int_equal(o->status, BUILDIDX_STATUS_OK);
	assert_int_equal(o->kind, BUILDIDX_KIND_GNU);
	assert_int_equal(o->source, BUILDIDX_SOURCE_PHDR);
	assert_int_equal(o->file_size, 123456);
	assert_int_equal(o->mtime_ns, 1700000000 * SECOND + 1);
	assert_int_equal(o->id_len, 20);
	for (i = 0; i < sizeof(o->id); i++)
		assert_int_equal(o->id[i], i < 20 ? 0x50 + i : 0);
}

static void is_file(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_object *o = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_OBJECT);
	is_object(&o->obj);
	assert_int_equal(o->pid, 500);
	assert_int_equal(o->tid, 501);
	assert_int_equal(o->uid, 1000);
	assert_string_equal(o->comm, "golden");
	assert_string_equal(buildidx_record_text(rec, o->path), "/usr/bin/golden");
}

static void is_map(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_map *m = (const void *)rec;

	assert_int_equal(rec->type, BUILDIDX_REC_MAP);
	is_object(&m->obj);
	assert_int_equal(m->addr, 0x555500001000);
	assert_int_equal(m->len, 0x3000);
	assert_int_equal(m->offset, 0x1000);
	assert_int_equal(m->pid, 500);
	assert_int_equal(m->tid, 501);
	assert_int_equal(m->uid, 1000);
	assert_string_equal(m->comm, "golden");
	assert_string_equal(buildidx_record_text(rec, m->path), "");
}

static void is_lost(const struct buildidx_rec *rec)
{
	assert_int_equal(rec->type, BUILDIDX_REC_LOST);
	assert_int_equal(rec->seq, 18);
	assert_int_equal(((const struct buildidx_rec_lost *)rec)->lost, 5);
}

static void is_unknown(const struct buildidx_rec *rec)
{
	assert_int_equal(rec->type, 99);
	assert_int_equal(rec->size, 40);
	assert_int_equal(rec->fixed, 40);
	assert_int_equal(rec->seq, 23);
	assert_int_equal(rec->time, 34 * SECOND);
}

static void is_number(const struct buildidx_rec *rec, unsigned int i)
{
	switch (i) {
	case 0:
		is_vmlinux(rec);
		break;
	case 1:
		is_trampoline(rec);
		break;
	case 2:
		is_module(rec, false);
		break;
	case 3:
		is_program(rec);
		break;
	case 4:
		is_late_ksym(rec, false);
		break;
	case 5:
		is_unload(rec);
		break;
	case 6:
		is_second_program(rec);
		break;
	case 7:
		is_module(rec, true);
		break;
	case 8:
		is_file(rec);
		break;
	case 9:
		is_map(rec);
		break;
	case 10:
		is_lost(rec);
		break;
	case 11:
		is_unknown(rec);
		break;
	case 12:
		is_late_ksym(rec, true);
		break;
	}
}

static void test_golden(void **state)
{
	const struct buildidx_rec *rec;
	struct buildidx_capture *c;
	unsigned int big, i;
	int fd;

	(void)state;
	for (big = 0; big < 2; big++) {
		fd = open(captures[big], O_RDONLY | O_CLOEXEC);
		assert_int_equal(buildidx_capture_open(fd, &c, NULL), 0);
		assert_int_equal(buildidx_capture_foreign(c), big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
		assert_int_equal(buildidx_capture_header(c)->realtime, 1700000000 * SECOND);
		assert_string_equal(buildidx_capture_header(c)->release, "6.12.0-golden");
		assert_string_equal(buildidx_capture_header(c)->machine, big ? "s390x" : "x86_64");
		for (i = 0; i < RECORDS; i++) {
			assert_int_equal(buildidx_capture_next(c, &rec, NULL), 1);
			is_number(rec, i);
			touch_record(rec);
		}
		assert_int_equal(buildidx_capture_next(c, &rec, NULL), 0);
		assert_int_equal(buildidx_capture_ignored(c), CUT_OFF);
		assert_int_equal(buildidx_capture_next(c, &rec, NULL), 0);
		buildidx_capture_close(c);
		close(fd);
	}
}

static void test_where(void **state)
{
	const struct buildidx_rec *rec;
	const struct buildidx_rec_bpf *r;
	struct buildidx_bpf_where w;
	struct buildidx_capture *c;
	int i, fd = open(captures[0], O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(buildidx_capture_open(fd, &c, NULL), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(buildidx_capture_next(c, &rec, NULL), 1);
	r = (const void *)rec;
	assert_true(buildidx_bpf_find(r, 5, &w));
	assert_int_equal(w.func, 0);
	assert_int_equal(w.offset, 5);
	assert_string_equal(w.name, "golden_main");
	assert_string_equal(w.file, SOURCE);
	assert_int_equal(w.line, 9);
	assert_int_equal(w.col, 9);
	assert_true(buildidx_bpf_find(r, 12, &w));
	assert_int_equal(w.col, 16);
	assert_false(buildidx_bpf_find(r, 13, &w));
	assert_false(buildidx_bpf_find(r, 22, &w));
	assert_false(buildidx_bpf_find(r, UINT64_MAX, &w));
	/* two lines at one instruction: the last */
	assert_true(buildidx_bpf_find(r, 16, &w));
	assert_int_equal(w.line, 5);
	assert_true(buildidx_bpf_find_address(r, 0xffffffffc0001025, &w));
	assert_string_equal(w.name, "helper");
	assert_string_equal(w.text, "\treturn 42;");
	assert_int_equal(w.offset, 5);
	assert_false(buildidx_bpf_find_address(r, 0xffffffffc0001010, &w));
	assert_false(buildidx_bpf_find_address(r, 0, &w));
	assert_string_equal(buildidx_record_text(rec, 1 << 20), "");
	buildidx_capture_close(c);
	close(fd);
}

/* Files that are not as they should be */

/* Return: records read; *bad counts those that were told to be damaged. */
static unsigned int read_all(const void *bytes, size_t len, int *opened, unsigned int *bad)
{
	struct buildidx_error err;
	const struct buildidx_rec *rec;
	struct buildidx_capture *c;
	unsigned int n = 0;
	int ret, fd = file_of(bytes, len);

	*bad = 0;
	*opened = buildidx_capture_open(fd, &c, &err);
	if (!*opened) {
		while ((ret = buildidx_capture_next(c, &rec, &err)) != 0) {
			if (ret > 0) {
				touch_record(rec);
				n++;
			} else {
				assert_int_equal(ret, -EBADMSG);
				assert_non_null(strstr(err.text, "offset"));
				(*bad)++;
			}
		}
		buildidx_capture_close(c);
	}
	close(fd);
	return n;
}

static void test_no_capture(void **state)
{
	static const struct {
		size_t at;
		unsigned char value;
		int error;
	} cases[] = {
		{ 0, 'B', -EBADMSG }, { 7, 1, -EBADMSG }, { 8, 5, -EBADMSG }, { 12, 2, -EPROTO },
		{ 14, 0, -EBADMSG }, { 14, 120, -EBADMSG }, { 14, 129, -EBADMSG },
	};
	struct file f;
	unsigned int bad;
	int opened;
	size_t i;

	(void)state;
	load(captures[0], &f);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char old = (unsigned char)f.bytes[cases[i].at];

		f.bytes[cases[i].at] = (char)cases[i].value;
		read_all(f.bytes, f.len, &opened, &bad);
		assert_int_equal(opened, cases[i].error);
		f.bytes[cases[i].at] = (char)old;
	}
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), RECORDS);
	assert_int_equal(bad, 0);
}

static void test_every_length(void **state)
{
	unsigned int big, bad, n, last;
	struct file f;
	int opened;
	size_t len;

	(void)state;
	for (big = 0; big < 2; big++) {
		load(captures[big], &f);
		for (last = 0, len = 0; len <= f.len; len++) {
			n = read_all(f.bytes, len, &opened, &bad);
			assert_int_equal(opened, len < sizeof(struct buildidx_file) ? -EBADMSG : 0);
			assert_int_equal(bad, 0);
			assert_true(n == last || n == last + 1);
			last = n;
		}
		assert_int_equal(last, RECORDS);
	}
}

/* Whatever a byte becomes, nothing outside of a record is followed (the sanitizer looks). */
static void test_every_byte(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	unsigned int big, bad, seen = 0;
	struct file f;
	size_t at, i;
	int opened;

	(void)state;
	for (big = 0; big < 2; big++) {
		load(captures[big], &f);
		for (at = 0; at < f.len; at++) {
			char old = f.bytes[at];

			for (i = 0; i < sizeof(values); i++) {
				f.bytes[at] = (char)values[i];
				read_all(f.bytes, f.len, &opened, &bad);
				seen += bad;
			}
			f.bytes[at] = old;
		}
	}
	assert_true(seen > 100);
}

static void test_damaged(void **state)
{
	struct buildidx_rec *first;
	unsigned int bad;
	struct file f;
	int opened;

	(void)state;
	load(captures[0], &f);
	first = (void *)(f.bytes + sizeof(struct buildidx_file));
	((struct buildidx_rec_module *)first)->id_len = BUILDIDX_ID_MAX + 1;
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), RECORDS - 1);
	assert_int_equal(bad, 1);
	/* its length is no length: where the next one starts cannot be told */
	first->size = 25;
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), 0);
	assert_int_equal(bad, 1);
	first->size = BUILDIDX_REC_MAX + 8;
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), 0);
	assert_int_equal(bad, 1);
	first->size = BUILDIDX_REC_MAX;
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), 0);
	assert_int_equal(bad, 0);
}

static void test_build_id(void **state)
{
	struct buildidx_rec *rec = calloc(1, 4096);
	struct buildidx_rec_bpf *r = (void *)rec;
	const struct buildidx_rec *from;
	struct buildidx_capture *c;
	int i, fd = open(captures[1], O_RDONLY | O_CLOEXEC);
	char *strings;

	(void)state;
	assert_non_null(rec);
	assert_int_equal(buildidx_capture_open(fd, &c, NULL), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(buildidx_capture_next(c, &from, NULL), 1);
	assert_true(from->size <= 4096);
	memcpy(rec, from, from->size);
	assert_true(buildidx_bpf_build_id_matches(r));
	/* addresses, loader and text are no part of it; names, lengths and lines are */
	((struct buildidx_bpf_func *)((char *)r + r->funcs.off))->addr++;
	r->pid++;
	((char *)r)[r->image.off]++;
	assert_true(buildidx_bpf_build_id_matches(r));
	strings = (char *)r + r->strings.off;
	strings[1]++;
	assert_false(buildidx_bpf_build_id_matches(r));
	strings[1]--;
	((struct buildidx_bpf_line *)((char *)r + r->lines.off))->col++;
	assert_false(buildidx_bpf_build_id_matches(r));
	((struct buildidx_bpf_line *)((char *)r + r->lines.off))->col--;
	((struct buildidx_bpf_func *)((char *)r + r->funcs.off))->len--;
	assert_false(buildidx_bpf_build_id_matches(r));
	buildidx_capture_close(c);
	close(fd);
	free(rec);
}

static void test_write(void **state)
{
	int in = open(captures[1], O_RDONLY | O_CLOEXEC), out = memfd_create("test", MFD_CLOEXEC);
	const struct buildidx_rec *rec;
	struct buildidx_capture *c;
	unsigned int i, bad;
	struct file f, want;
	int opened;

	(void)state;
	/* big endian in, this machine's order out */
	assert_int_equal(buildidx_capture_open(in, &c, NULL), 0);
	assert_int_equal(buildidx_capture_start(out, buildidx_capture_header(c), NULL), 0);
	while (buildidx_capture_next(c, &rec, NULL) > 0)
		assert_int_equal(buildidx_capture_write(out, rec, NULL), 0);
	buildidx_capture_close(c);
	f.len = (size_t)pread(out, f.bytes, sizeof(f.bytes), 0);
	load(captures[0], &want);
	assert_int_equal(f.len, want.len - CUT_OFF);
	assert_int_equal(read_all(f.bytes, f.len, &opened, &bad), RECORDS);
	for (i = 0; i < f.len && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; i++) {
		/* the machine's name, members behind those that are known, bytes of unknown types */
		if (f.bytes[i] != want.bytes[i])
			assert_true((i >= 96 && i < 128) || (want.bytes[i] & 0xff) == 0xee);
	}
	close(in);
	close(out);

	out = memfd_create("test", MFD_CLOEXEC);
	assert_int_equal(buildidx_capture_start(out, NULL, NULL), 0);
	assert_int_equal(lseek(out, 0, SEEK_SET), 0);
	assert_int_equal(buildidx_capture_open(out, &c, NULL), 0);
	assert_false(buildidx_capture_foreign(c));
	assert_true(buildidx_capture_header(c)->realtime > 0);
	assert_true(buildidx_capture_header(c)->release[0]);
	buildidx_capture_close(c);
	close(out);
	assert_int_equal(buildidx_capture_start(open("/dev/full", O_WRONLY | O_CLOEXEC), NULL, NULL),
			 -ENOSPC);
}

/* The device */

struct fixture {
	struct mockdev dev;
	struct buildidx bx;
	struct buildidx_error err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	mockdev_init(&f->dev);
	mockdev_records(&f->dev, captures[0]);
	f->bx.fd = -1;
	f->bx.ioctl = mockdev_ioctl;
	f->bx.open = mockdev_open;
	f->bx.read = mockdev_read;
	f->bx.ctx = &f->dev;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < f->dev.nr_records; i++)
		free(f->dev.records[i]);
	free(f->dev.records);
	free(f);
	return 0;
}

static void assert_says(const struct fixture *f, const char *part)
{
	if (!strstr(f->err.text, part))
		fail_msg("'%s' not in '%s'", part, f->err.text);
	assert_null(strchr(f->err.text, '\n'));
}

static uint64_t object_of(const struct buildidx_rec *rec)
{
	return ((const struct buildidx_rec_ksym *)rec)->object;
}

static void test_find(void **state)
{
	struct fixture *f = *state;
	unsigned char vmlinux[20];
	struct buildidx_rec *rec;
	unsigned int i;

	for (i = 0; i < sizeof(vmlinux); i++)
		vmlinux[i] = (unsigned char)(0x10 + i);
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), 0);
	assert_int_equal(object_of(rec), 4);
	assert_memory_equal(((struct buildidx_rec_bpf *)rec)->build_id, id_a, sizeof(id_a));
	free(rec);
	/* of two with this number, the one that is there */
	assert_int_equal(buildidx_find_program(&f->bx, 12, &rec, &f->err), 0);
	assert_int_equal(object_of(rec), 6);
	free(rec);
	assert_int_equal(buildidx_find_build_id(&f->bx, id_a, sizeof(id_a), &rec, &f->err), 0);
	assert_int_equal(object_of(rec), 4);
	free(rec);
	assert_int_equal(buildidx_find_build_id(&f->bx, vmlinux, sizeof(vmlinux), &rec, NULL), 0);
	assert_int_equal(rec->type, BUILDIDX_REC_MODULE);
	free(rec);
	/* one address, two programs: by time */
	assert_int_equal(buildidx_find_address(&f->bx, 0xffffffffc0001004, 15 * SECOND, &rec, NULL), 0);
	assert_int_equal(object_of(rec), 4);
	free(rec);
	assert_int_equal(buildidx_find_address(&f->bx, 0xffffffffc0001004, 22 * SECOND, &rec, NULL), 0);
	assert_int_equal(object_of(rec), 6);
	free(rec);
	assert_int_equal(buildidx_find_address(&f->bx, 0xffffffffc0001004, 0, &rec, NULL), 0);
	assert_int_equal(object_of(rec), 6);
	free(rec);
	f->dev.grows = true;
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), 0);
	assert_false(f->dev.grows);
	free(rec);
}

static void test_find_errors(void **state)
{
	struct fixture *f = *state;
	struct buildidx_rec *rec = NULL;

	assert_int_equal(buildidx_find_object(&f->bx, 99, &rec, &f->err), -ENOENT);
	assert_says(f, "object 99: no record");
	assert_int_equal(buildidx_find_program(&f->bx, 98, &rec, &f->err), -ENOENT);
	assert_says(f, "BPF program 98");
	assert_int_equal(buildidx_find_address(&f->bx, 0x1234, 0, &rec, &f->err), -ENOENT);
	assert_says(f, "address 0x1234");
	assert_int_equal(buildidx_find_build_id(&f->bx, "\xab\xcd", 2, &rec, &f->err), -ENOENT);
	assert_says(f, "build ID abcd");
	assert_int_equal(buildidx_find_build_id(&f->bx, id_a, 0, &rec, &f->err), -EINVAL);
	assert_int_equal(buildidx_find_build_id(&f->bx, id_a, 33, &rec, &f->err), -EINVAL);

	f->dev.fail_cmd = BUILDIDX_IOC_RECORD;
	f->dev.fail_error = -EPERM;
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
	assert_int_equal(buildidx_find_address(&f->bx, 4, 0, &rec, &f->err), -EPERM);
	assert_says(f, "CAP_BPF and CAP_PERFMON");
	assert_says(f, "kptr_restrict");
	f->dev.fail_error = -ENOTTY;
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), -ENOTTY);
	assert_says(f, "older");
	f->dev.fail_error = -EOPNOTSUPP;
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), -EOPNOTSUPP);
	assert_says(f, "buildidx doctor");
	f->dev.fail_cmd = 0;
	f->dev.nonsense = true;
	assert_int_equal(buildidx_find_object(&f->bx, 4, &rec, &f->err), -EPROTO);
	assert_null(rec);
}

/* Return: records seen, or the error. */
static int walk(struct fixture *f, unsigned int flags, unsigned int types)
{
	const struct buildidx_rec *rec;
	struct buildidx_records *w;
	uint64_t last = 0;
	int ret, n = 0;

	assert_int_equal(buildidx_records_new(&f->bx, flags, types, &w, &f->err), 0);
	while ((ret = buildidx_records_next(w, &rec, &f->err)) > 0) {
		touch_record(rec);
		last += object_of(rec);
		n++;
	}
	assert_int_equal(buildidx_records_next(w, &rec, &f->err), 0);
	buildidx_records_free(w);
	return ret ? ret : n;
}

static void test_walk(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(walk(f, 0, 0), 6);
	assert_int_equal(walk(f, BUILDIDX_RECORDS_LIVE, 0), 3);
	assert_int_equal(walk(f, BUILDIDX_RECORDS_GONE, 0), 3);
	assert_int_equal(walk(f, 0, 1U << BUILDIDX_REC_BPF_LOAD), 2);
	f->dev.stuck = true;
	assert_int_equal(walk(f, 0, 0), -EPROTO);
	f->dev.stuck = false;
	f->dev.nonsense = true;
	assert_int_equal(walk(f, 0, 0), -EPROTO);
	f->dev.nonsense = false;
	f->dev.fail_cmd = BUILDIDX_IOC_RECORDS;
	f->dev.fail_error = -EPERM;
	assert_int_equal(walk(f, 0, 0), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
}

/* A record that is larger than what the walk and the stream begin with */
static void add_large(struct fixture *f, uint32_t size)
{
	struct buildidx_rec_ksym *k = calloc(1, size);

	assert_non_null(k);
	k->rec.size = size;
	k->rec.type = BUILDIDX_REC_KSYM;
	k->rec.fixed = sizeof(*k);
	k->rec.seq = 25;
	k->object = 77;
	f->dev.records = realloc(f->dev.records, (f->dev.nr_records + 1) * sizeof(k));
	assert_non_null(f->dev.records);
	f->dev.records[f->dev.nr_records++] = &k->rec;
}

static void test_walk_large(void **state)
{
	struct fixture *f = *state;

	add_large(f, 4U << 20);
	assert_int_equal(walk(f, 0, 0), 7);
	f->dev.records[f->dev.nr_records - 1]->size = BUILDIDX_REC_MAX + 8;
	assert_int_equal(walk(f, 0, 0), -EPROTO);
}

static unsigned int programs;
static int bpf_error;

long __wrap_syscall(long nr, int cmd, union bpf_attr *attr, unsigned int size);
long __wrap_syscall(long nr, int cmd, union bpf_attr *attr, unsigned int size)
{
	assert_int_equal(nr, __NR_bpf);
	assert_int_equal(size, sizeof(*attr));
	errno = bpf_error;
	if (bpf_error)
		return -1;
	if (cmd == BPF_PROG_GET_NEXT_ID) {
		errno = ENOENT;
		if (attr->start_id >= programs)
			return -1;
		attr->next_id = attr->start_id + 1;
		return 0;
	}
	assert_int_equal(cmd, BPF_PROG_GET_FD_BY_ID);
	/* number 2 goes in between */
	errno = ENOENT;
	return attr->prog_id == 2 ? -1 : eventfd(0, EFD_CLOEXEC);
}

static void test_adopt(void **state)
{
	struct fixture *f = *state;
	uint64_t object = 0;
	uint32_t count = 99;

	programs = 0;
	bpf_error = 0;
	assert_int_equal(buildidx_adopt_all(&f->bx, &count, &f->err), 0);
	assert_int_equal(count, 0);
	programs = 5;
	assert_int_equal(buildidx_adopt_all(&f->bx, &count, &f->err), 0);
	assert_int_equal(count, 4);
	assert_int_equal(f->dev.adopted, 4);
	assert_int_equal(buildidx_adopt_all(&f->bx, NULL, NULL), 0);
	assert_int_equal(buildidx_adopt_fd(&f->bx, 0, &object, &f->err), 0);
	assert_int_equal(object, 1009);
	assert_int_equal(buildidx_adopt_fd(&f->bx, -1, NULL, &f->err), -EBADF);
	f->dev.fail_cmd = BUILDIDX_IOC_ADOPT;
	f->dev.fail_error = -EINVAL;
	assert_int_equal(buildidx_adopt_fd(&f->bx, 0, NULL, &f->err), -EINVAL);
	assert_says(f, "not the file descriptor of a BPF program");
	bpf_error = EPERM;
	assert_int_equal(buildidx_adopt_all(&f->bx, NULL, &f->err), -EPERM);
	assert_says(f, "CAP_SYS_ADMIN");
	bpf_error = 0;
}

static void test_events(void **state)
{
	struct fixture *f = *state;
	struct buildidx_events *a, *b;
	const struct buildidx_rec *rec;
	unsigned int n = 0;

	assert_int_equal(buildidx_events_open(&f->bx, BUILDIDX_STREAM_OLDEST, 0, &a, &f->err), 0);
	assert_int_equal(buildidx_events_open(&f->bx, BUILDIDX_STREAM_OLDEST,
					      1U << BUILDIDX_REC_MAP, &b, &f->err), 0);
	assert_int_equal(buildidx_events_wait(a, 0, NULL), 1);
	while (buildidx_events_next(a, &rec, &f->err) > 0) {
		touch_record(rec);
		assert_int_not_equal(rec->type, BUILDIDX_REC_MAP);
		n++;
	}
	assert_int_equal(n, RECORDS - 3);
	assert_int_equal(buildidx_events_wait(a, 0, NULL), 0);
	/* the other has its own place */
	assert_int_equal(buildidx_events_next(b, &rec, &f->err), 1);
	assert_int_equal(rec->type, BUILDIDX_REC_MAP);
	assert_int_equal(buildidx_events_next(b, &rec, &f->err), 1);
	assert_int_equal(rec->type, BUILDIDX_REC_LOST);
	/* one that does not fit */
	add_large(f, 1U << 20);
	assert_int_equal(buildidx_events_next(a, &rec, &f->err), 1);
	assert_int_equal(rec->size, 1U << 20);
	assert_int_equal(buildidx_events_next(a, &rec, &f->err), 0);
	buildidx_events_close(a);
	buildidx_events_close(b);
	buildidx_events_close(NULL);

	f->dev.fail_cmd = BUILDIDX_IOC_STREAM;
	f->dev.fail_error = -EPERM;
	assert_int_equal(buildidx_events_open(&f->bx, 0, 0, &a, &f->err), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
	f->dev.fail_error = -ENOTTY;
	assert_int_equal(buildidx_events_open(&f->bx, 0, 0, &a, &f->err), -ENOTTY);
	assert_says(f, "older");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_no_capture),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_write),
		cmocka_unit_test_setup_teardown(test_find, setup, teardown),
		cmocka_unit_test_setup_teardown(test_find_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk_large, setup, teardown),
		cmocka_unit_test_setup_teardown(test_adopt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events, setup, teardown),
	};

	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
