// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "../cases/sha256.h"
#include "rec.h"
#include "truth.h"

#define IMAGE_MAX	(64 << 10)
#define BTF_MAX		(512 << 10)

/* A BTF object as it lies in the kernel, and where its texts are. */
static int ask_btf(struct truth *t, int btf_fd)
{
	struct bpf_btf_info info = { 0 };
	uint32_t len = sizeof(info);

	/* how long is it? */
	if (bpf_obj_get_info_by_fd(btf_fd, &info, &len))
		return -errno;
	if (info.btf_size > BTF_MAX)
		return -E2BIG;
	t->btf_len = info.btf_size;
	t->btf = malloc(t->btf_len);
	if (!t->btf)
		return -ENOMEM;
	memset(&info, 0, sizeof(info));
	info.btf = (uintptr_t)t->btf;
	info.btf_size = t->btf_len;
	len = sizeof(info);
	return bpf_obj_get_info_by_fd(btf_fd, &info, &len) ? -errno : 0;
}

static const char *text_of(const struct truth *t, uint32_t off)
{
	const struct btf_header *h = (const void *)t->btf;

	if (!t->btf || off >= h->str_len)
		return "";
	return t->btf + h->hdr_len + h->str_off + off;
}

/* Bytes behind struct btf_type */
static size_t tail_of(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return btf_vlen(type) * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return btf_vlen(type) * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		return btf_vlen(type) * 12;
	case BTF_KIND_FUNC_PROTO:
		return btf_vlen(type) * sizeof(struct btf_param);
	}
	return 0;
}

static const struct btf_type *type_of(const struct truth *t, uint32_t id)
{
	const struct btf_header *h = (const void *)t->btf;
	const char *at = t->btf + h->hdr_len + h->type_off, *end = at + h->type_len;
	const struct btf_type *type;
	uint32_t i;

	for (i = 1; at < end; i++) {
		type = (const void *)at;
		if (i == id)
			return type;
		at += sizeof(*type) + tail_of(type);
	}
	return NULL;
}

static void name_functions(struct truth *t, const struct bpf_func_info *f, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < t->nr_funcs; i++) {
		const struct btf_type *type = i < count && t->btf ? type_of(t, f[i].type_id) : NULL;
		const char *name = type ? text_of(t, type->name_off) : i ? "F" : t->info.name;

		snprintf(t->name[i], sizeof(t->name[i]), "%.63s", name);
	}
}

static int keep_lines(struct truth *t, const struct bpf_line_info *l, const uint64_t *addr)
{
	uint32_t i;

	t->lines = calloc(t->nr_lines + 1, sizeof(*t->lines));
	if (!t->lines)
		return -ENOMEM;
	for (i = 0; i < t->nr_lines; i++)
		t->lines[i] = (struct truth_line) {
			.addr = addr[i], .file = l[i].file_name_off, .text = l[i].line_off,
			.line_col = l[i].line_col,
		};
	return 0;
}

/* Room for what one call gives; one for each thread. */
struct room {
	struct bpf_func_info funcs[GEN_FUNCS_MAX];
	struct bpf_line_info lines[TRUTH_LINES_MAX];
	uint64_t jited_lines[TRUTH_LINES_MAX];
	unsigned char image[IMAGE_MAX];
};

int truth_ask(struct truth *t, int prog_fd, int btf_fd)
{
	static __thread struct room *room;
	struct bpf_prog_info *i = &t->info;
	uint32_t len = sizeof(*i);
	int err, own;

	memset(t, 0, sizeof(*t));
	if (!room)
		room = malloc(sizeof(*room));
	if (!room)
		return -ENOMEM;
	i->nr_jited_ksyms = i->nr_jited_func_lens = i->nr_func_info = GEN_FUNCS_MAX;
	i->jited_ksyms = (uintptr_t)t->addr;
	i->jited_func_lens = (uintptr_t)t->len;
	i->func_info = (uintptr_t)room->funcs;
	i->func_info_rec_size = sizeof(room->funcs[0]);
	i->nr_line_info = i->nr_jited_line_info = TRUTH_LINES_MAX;
	i->line_info = (uintptr_t)room->lines;
	i->line_info_rec_size = sizeof(room->lines[0]);
	i->jited_line_info = (uintptr_t)room->jited_lines;
	i->jited_line_info_rec_size = sizeof(room->jited_lines[0]);
	i->nr_map_ids = TRUTH_MAPS_MAX;
	i->map_ids = (uintptr_t)t->maps;
	i->jited_prog_len = IMAGE_MAX;
	i->jited_prog_insns = (uintptr_t)room->image;
	if (bpf_obj_get_info_by_fd(prog_fd, i, &len))
		return -errno;
	t->who = getpid();
	t->tid = syscall(SYS_gettid);
	/* The kernel tells how many there are; more than the room is a fault of the test. */
	if (i->nr_jited_ksyms > GEN_FUNCS_MAX || i->nr_jited_line_info > TRUTH_LINES_MAX ||
	    i->nr_jited_ksyms != i->nr_jited_func_lens || i->nr_map_ids > TRUTH_MAPS_MAX ||
	    i->nr_line_info < i->nr_jited_line_info || i->jited_prog_len > IMAGE_MAX)
		return -E2BIG;
	if (i->jited_prog_len && !i->jited_prog_insns)
		return -EPERM;
	t->nr_funcs = i->nr_jited_ksyms;
	t->nr_lines = i->nr_jited_line_info;
	t->image_len = i->jited_prog_len;
	t->image = malloc(t->image_len + 1);
	if (!t->image)
		return -ENOMEM;
	memcpy(t->image, room->image, t->image_len);
	own = btf_fd < 0 && i->btf_id ? bpf_btf_get_fd_by_id(i->btf_id) : -1;
	err = i->btf_id ? ask_btf(t, btf_fd < 0 ? own : btf_fd) : 0;
	if (own >= 0)
		close(own);
	if (!err)
		err = keep_lines(t, room->lines, room->jited_lines);
	name_functions(t, room->funcs, i->nr_func_info);
	return err;
}

void truth_free(struct truth *t)
{
	free(t->lines);
	free(t->image);
	free(t->btf);
	memset(t, 0, sizeof(*t));
}

int truth_func(const struct truth *t, uint64_t addr)
{
	uint32_t i;

	for (i = 0; i < t->nr_funcs; i++)
		if (addr >= t->addr[i] && addr - t->addr[i] < t->len[i])
			return i;
	return -1;
}

const struct truth_line *truth_line(const struct truth *t, uint64_t addr)
{
	const struct truth_line *found = NULL;
	int func = truth_func(t, addr);
	uint32_t i;

	for (i = 0; func >= 0 && i < t->nr_lines; i++)
		if (truth_func(t, t->lines[i].addr) == func && t->lines[i].addr <= addr)
			found = &t->lines[i];
	return found;
}

/* --- the build ID --- */

struct bytes {
	unsigned char *at;
	size_t len;
	size_t room;
};

static void put(struct bytes *b, const void *bytes, size_t len)
{
	if (b->room - b->len < len) {
		b->room = 2 * b->room + len + 4096;
		b->at = realloc(b->at, b->room);
		if (!b->at)
			abort();
	}
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static void put_number(struct bytes *b, uint32_t n)
{
	const unsigned char bytes[4] = { n, n >> 8, n >> 16, n >> 24 };

	put(b, bytes, sizeof(bytes));
}

static void put_text(struct bytes *b, const char *text)
{
	put(b, text, strlen(text) + 1);
}

static uint32_t lines_in(const struct truth *t, uint32_t func)
{
	uint32_t i, n = 0;

	for (i = 0; i < t->nr_lines; i++)
		n += truth_func(t, t->lines[i].addr) == (int)func;
	return n;
}

/* One line; @before: the line before it in the same function, or NULL. */
static void put_line(struct bytes *b, const struct truth *t, uint64_t func,
		     const struct truth_line *l, const struct truth_line *before)
{
	const char *file = text_of(t, l->file), *text = text_of(t, l->text);
	bool same_file = before && !strcmp(file, text_of(t, before->file));
	bool same_text = before && !strcmp(text, text_of(t, before->text));

	put_number(b, l->addr - func);
	put_number(b, BPF_LINE_INFO_LINE_NUM(l->line_col));
	put_number(b, BPF_LINE_INFO_LINE_COL(l->line_col));
	put_number(b, same_file | same_text << 1);
	if (!same_file)
		put_text(b, file);
	if (!same_text)
		put_text(b, text);
}

void truth_build_id(const struct truth *t, uint8_t id[BUILDIDX_BPF_ID_LEN])
{
	struct bytes b = { 0 };
	uint8_t digest[32];
	uint32_t i, k;

	put(&b, "bidxbpf", 8);
	put_number(&b, t->nr_funcs);
	for (i = 0; i < t->nr_funcs; i++) {
		const struct truth_line *before = NULL;

		put_text(&b, t->name[i]);
		put_number(&b, t->len[i]);
		put_number(&b, lines_in(t, i));
		for (k = 0; k < t->nr_lines; k++) {
			if (truth_func(t, t->lines[k].addr) != (int)i)
				continue;
			put_line(&b, t, t->addr[i], &t->lines[k], before);
			before = &t->lines[k];
		}
	}
	sha256(b.at, b.len, digest);
	memcpy(id, digest, BUILDIDX_BPF_ID_LEN);
	free(b.at);
}

/* --- comparing --- */

static const char *funcs_differ(const struct truth *t, const struct buildidx_rec_bpf *r, bool image)
{
	uint32_t i, at = 0;

	if (rec_funcs(r) != t->nr_funcs)
		return "number of functions";
	for (i = 0; i < t->nr_funcs; i++) {
		const struct buildidx_bpf_func *f = rec_func(r, i);

		if (f->addr != (r->flags & BUILDIDX_REC_NO_ADDRESS ? 0 : t->addr[i]))
			return "address of a function";
		if (f->len != t->len[i])
			return "length of a function";
		if (strcmp(rec_text(r, f->name), t->name[i]))
			return "name of a function";
		if (image && memcmp((const char *)r + r->image.off + f->image, t->image + at, f->len))
			return "text of a function";
		at += f->len;
	}
	return image && at != t->image_len ? "length of the text" : NULL;
}

static const char *lines_differ(const struct truth *t, const struct buildidx_rec_bpf *r)
{
	uint32_t i, k, n = 0;

	if (rec_lines(r) != t->nr_lines)
		return "number of lines";
	for (i = 0; i < rec_funcs(r); i++) {
		const struct buildidx_bpf_func *f = rec_func(r, i);

		for (k = 0; k < f->lines; k++) {
			const struct buildidx_bpf_line *l = rec_line(r, n);
			const struct truth_line *want = &t->lines[n++];

			if (l->off != want->addr - t->addr[i])
				return "address of a line";
			if (l->line != BPF_LINE_INFO_LINE_NUM(want->line_col) ||
			    l->col != BPF_LINE_INFO_LINE_COL(want->line_col))
				return "number of a line";
			if (strcmp(rec_text(r, l->file), text_of(t, want->file)))
				return "file of a line";
			if (strcmp(rec_text(r, l->text), text_of(t, want->text)))
				return "text of a line";
		}
	}
	return NULL;
}

static const char *maps_differ(const struct truth *t, const struct buildidx_rec_bpf *r)
{
	if (r->maps.len != t->info.nr_map_ids * sizeof(uint32_t))
		return "number of maps";
	return memcmp((const char *)r + r->maps.off, t->maps, r->maps.len) ? "numbers of maps" : NULL;
}

/* The kernel keeps 15 bytes of it; BTF has the rest. */
static const char *full_name(const struct truth *t)
{
	return strncmp(t->name[0], t->info.name, BPF_OBJ_NAME_LEN - 1) ? t->info.name : t->name[0];
}

const char *truth_differs(const struct truth *t, const struct buildidx_rec_bpf *r, bool image)
{
	const struct bpf_prog_info *i = &t->info;
	uint8_t id[BUILDIDX_BPF_ID_LEN];
	const char *what;

	if (r->id != i->id)
		return "number of the program";
	if (strcmp(rec_text(r, r->name), full_name(t)))
		return "name";
	if (memcmp(r->tag, i->tag, sizeof(r->tag)))
		return "tag";
	if (r->prog_type != i->type)
		return "type";
	if (r->load_time != i->load_time)
		return "load time";
	if (r->uid != i->created_by_uid && !(r->flags & BUILDIDX_REC_ADOPTED))
		return "user";
	if (r->verified_insns != i->verified_insns)
		return "verified instructions";
	if (r->attach_btf_id != i->attach_btf_id)
		return "attach target";
	if (!(r->flags & BUILDIDX_BPF_GPL) != !i->gpl_compatible)
		return "license";
	if (!(r->flags & BUILDIDX_BPF_NO_BTF) != !!i->btf_id)
		return "whether it has BTF";
	if (r->flags & (BUILDIDX_REC_CUT | BUILDIDX_BPF_NO_STRINGS | BUILDIDX_BPF_NO_JIT))
		return "completeness: something is missing";
	if (image ? r->flags & BUILDIDX_BPF_NO_IMAGE || !r->image.len :
		    !(r->flags & BUILDIDX_BPF_NO_IMAGE) || r->image.len)
		return "whether its text is there";
	if (r->flags & BUILDIDX_REC_ADOPTED ? r->pid || r->tid :
	    r->pid != (uint32_t)t->who || r->tid != (uint32_t)t->tid)
		return "loader";
	what = funcs_differ(t, r, image);
	if (!what)
		what = lines_differ(t, r);
	if (!what)
		what = maps_differ(t, r);
	if (what)
		return what;
	truth_build_id(t, id);
	return memcmp(id, r->build_id, sizeof(id)) ? "build ID" : NULL;
}
