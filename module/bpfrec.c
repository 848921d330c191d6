// SPDX-License-Identifier: GPL-2.0
/*
 * Copy all that a BPF program can tell into one record (design D8)
 */
#include "internal.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/uaccess.h>

#include "bpfid.h"
#include "bpfrec.h"
#include "compat/bpf.h"

#define BIDX_FUNCS_MAX	1024
/* A line without its text, and a program without its image, are still worth having. */
#define BIDX_STRINGS_MAX	(4U << 20)
#define BIDX_IMAGE_MAX		(8U << 20)
#define BIDX_LINES_MAX		(1U << 17)
/* A program can be made so that its texts collide; it pays with texts that come twice. */
#define BIDX_PROBES_MAX		128

/**
 * struct bidx_btf_strings - the names in a BTF object
 * @start: first byte, NULL when they cannot be read
 * @len: bytes
 */
struct bidx_btf_strings {
	const char *start;
	u32 len;
};

/**
 * struct bidx_text_ref - a text of the BTF that is in the record already
 * @from: its offset in the BTF, 0 for a free slot
 * @to: its offset in the record's strings
 */
struct bidx_text_ref {
	u32 from;
	u32 to;
};

/**
 * struct bidx_builder - a record that is being made
 * @strings: texts so far
 * @used: bytes of them
 * @room: bytes allocated
 * @refs: hash table of BTF texts
 * @refs_bits: its size
 * @cut: something did not fit
 * @name: for a name that is made up
 */
struct bidx_builder {
	char *strings;
	u32 used;
	u32 room;
	struct bidx_text_ref *refs;
	unsigned int refs_bits;
	bool cut;
	char name[KSYM_NAME_LEN];
};

static bool bidx_strings_grow(struct bidx_builder *b, u32 more)
{
	u32 room = max(2 * b->room, 4096U);
	char *bigger;

	while (room - b->used < more)
		room *= 2;
	if (room > BIDX_STRINGS_MAX)
		return false;
	bigger = kvmalloc(room, GFP_KERNEL | __GFP_NOWARN);
	if (!bigger)
		return false;
	if (b->used)
		memcpy(bigger, b->strings, b->used);
	kvfree(b->strings);
	b->strings = bigger;
	b->room = room;
	return true;
}

/* Return: offset of the text in the strings; 0, the empty text, when it does not fit. */
static u32 bidx_text(struct bidx_builder *b, const char *text, u32 len)
{
	u32 at = b->used;

	if (!len && at)
		return 0;
	if (len >= BUILDIDX_REC_TEXT_MAX) {
		len = BUILDIDX_REC_TEXT_MAX - 1;
		b->cut = true;
	}
	if (b->room - b->used < len + 1 && !bidx_strings_grow(b, len + 1)) {
		b->cut = true;
		return 0;
	}
	memcpy(b->strings + at, text, len);
	b->strings[at + len] = '\0';
	b->used += len + 1;
	return at;
}

static u32 bidx_text_of_btf(struct bidx_builder *b, const struct bidx_btf_strings *s, u32 off)
{
	const u32 mask = (1U << b->refs_bits) - 1;
	struct bidx_text_ref *ref;
	u32 first, i, to;

	if (!s->start || !off || off >= s->len)
		return 0;
	first = hash_32(off, b->refs_bits);
	for (i = 0; i < BIDX_PROBES_MAX; i++) {
		ref = &b->refs[(first + i) & mask];
		if (ref->from == off)
			return ref->to;
		if (!ref->from)
			break;
	}
	to = bidx_text(b, s->start + off,
		       strnlen(s->start + off, min(s->len - off, (u32)BUILDIDX_REC_TEXT_MAX)));
	if (i < BIDX_PROBES_MAX) {
		ref->from = off;
		ref->to = to;
	}
	return to;
}

/*
 * The kernel exports no way to its texts. @data is the first member of struct
 * btf, which is private: believed when what it points to is a BTF header whose
 * first type is the one that the kernel itself names.
 */
static void bidx_btf_strings(const struct btf *btf, struct bidx_btf_strings *s)
{
	struct btf_header hdr;
	const char *data;

	s->start = NULL;
	s->len = 0;
	if (!btf || copy_from_kernel_nofault(&data, btf, sizeof(data)) ||
	    copy_from_kernel_nofault(&hdr, data, sizeof(hdr)) || hdr.magic != BTF_MAGIC ||
	    (const void *)(data + hdr.hdr_len + hdr.type_off) != btf_type_by_id(btf, 1))
		return;
	s->start = data + hdr.hdr_len + hdr.str_off;
	s->len = hdr.str_len;
}

static unsigned int bidx_count_funcs(const struct bpf_prog *prog)
{
	unsigned int n = bidx_prog_func_count(prog->aux);

	return n ? min_t(unsigned int, n, BIDX_FUNCS_MAX) : 1;
}

static const struct bpf_prog *bidx_func(const struct bpf_prog *prog, unsigned int i)
{
	return bidx_prog_func_count(prog->aux) ? prog->aux->func[i] : prog;
}

/* Name of a function in the BTF, empty where it has none or cannot be read. */
static void bidx_func_btf_name(const struct bpf_prog *prog, u32 i,
			       const struct bidx_btf_strings *s, char *name, size_t size)
{
	const struct bpf_prog_aux *aux = prog->aux;
	const struct btf_type *type = NULL;

	name[0] = '\0';
	if (s->start && i < aux->func_info_cnt)
		type = btf_type_by_id(aux->btf, aux->func_info[i].type_id);
	if (type && type->name_off < s->len)
		strscpy(name, s->start + type->name_off, min_t(size_t, size, s->len - type->name_off));
}

/*
 * As in the kernel's symbol, "bpf_prog_<tag>_<name>", without what every program has. The
 * kernel makes no symbols for programs of loaders without CAP_BPF, and none for
 * interpreted ones; those get the name that they would have. A function without a name keeps
 * the whole, "bpf_prog_<tag>".
 */
static u32 bidx_func_name(struct bidx_builder *b, const struct bpf_prog *prog, u32 i,
			  const struct bidx_btf_strings *s)
{
	const size_t start = sizeof("bpf_prog_") - 1 + 2 * BPF_TAG_SIZE + 1;
	const struct bpf_prog *f = bidx_func(prog, i);
	/* func[0] is the main program's text; what names it is in the main program itself. */
	const char *sym = i ? f->aux->ksym.name : prog->aux->ksym.name;
	size_t len = strnlen(sym, KSYM_NAME_LEN);
	char *name = b->name;

	if (len > start && sym[start - 1] == '_')
		return bidx_text(b, sym + start, len - start);
	if (len)
		return bidx_text(b, sym, len);
	bidx_func_btf_name(prog, i, s, name, sizeof(b->name));
	if (!name[0] && i)
		strscpy(name, "F", sizeof(b->name));
	else if (!name[0])
		strscpy(name, prog->aux->name, sizeof(b->name));
	if (!name[0])
		snprintf(name, sizeof(b->name), "bpf_prog_%*phN", BPF_TAG_SIZE, prog->tag);
	return bidx_text(b, name, strlen(name));
}

/*
 * The kernel keeps 15 bytes of a program's name. Where the main function's name starts with
 * them, and is longer, that is it. @func is that function's name in the record.
 */
static u32 bidx_prog_name(struct bidx_builder *b, const struct bpf_prog *prog, u32 func)
{
	const char *name = prog->aux->name;
	size_t len = strnlen(name, sizeof(prog->aux->name));

	if (len == sizeof(prog->aux->name) - 1 && !strncmp(b->strings + func, name, len))
		return func;
	return bidx_text(b, name, len);
}

/*
 * Lines of one function, in the order of its text. Return: their number.
 *
 * The first one is that of its start, by definition. It is not read: where the kernel
 * has added a hidden exception callback (2 instructions) it writes that one's addresses over those
 * of the main program's first instructions (bpf_prog_fill_jited_linfo()).
 */
static u32 bidx_func_lines(struct bidx_builder *b, const struct bidx_btf_strings *s,
			   const struct bpf_prog *f, struct buildidx_bpf_line *lines, u32 room)
{
	const struct bpf_prog_aux *aux = f->aux;
	unsigned long start = (unsigned long)f->bpf_func;
	u32 i, n = 0;

	if (!aux->jited_linfo || !aux->linfo)
		return 0;
	for (i = aux->linfo_idx; i < aux->nr_linfo; i++) {
		unsigned long off = (unsigned long)aux->jited_linfo[i] - start;
		const struct bpf_line_info *l = &aux->linfo[i];

		if (i == aux->linfo_idx)
			off = 0;
		if (off >= f->jited_len) {
			if (i == aux->linfo_idx + 1)
				continue;
			break;
		}
		if (n == room) {
			b->cut = true;
			break;
		}
		lines[n].off = off;
		lines[n].file = bidx_text_of_btf(b, s, l->file_name_off);
		lines[n].text = bidx_text_of_btf(b, s, l->line_off);
		lines[n].line = BPF_LINE_INFO_LINE_NUM(l->line_col);
		lines[n].col = BPF_LINE_INFO_LINE_COL(l->line_col);
		n++;
		cond_resched();
	}
	return n;
}

static void bidx_sect(struct buildidx_sect *s, u32 *at, u32 len)
{
	s->len = len;
	s->off = len ? *at : 0;
	*at += ALIGN(len, 8);
}

/**
 * struct bidx_parts - what a record is put together from
 * @funcs: one for each function
 * @nr_funcs: how many
 * @lines: of all functions
 * @nr_lines: how many
 * @lines_room: how many would fit
 * @image_len: bytes of all functions' text
 * @maps: numbers of the maps
 * @nr_maps: how many
 */
struct bidx_parts {
	struct buildidx_bpf_func *funcs;
	u32 nr_funcs;
	struct buildidx_bpf_line *lines;
	u32 nr_lines;
	u32 lines_room;
	u32 image_len;
	u32 *maps;
	u32 nr_maps;
};

static void bidx_parts_free(struct bidx_parts *p, struct bidx_builder *b)
{
	kvfree(p->funcs);
	kvfree(p->lines);
	kvfree(p->maps);
	kvfree(b->refs);
	kvfree(b->strings);
}

static int bidx_parts_alloc(struct bidx_parts *p, struct bidx_builder *b,
			    const struct bpf_prog *prog)
{
	p->nr_funcs = bidx_count_funcs(prog);
	p->lines_room = min(prog->aux->nr_linfo, BIDX_LINES_MAX);
	/* Half full at most: each line brings two texts. */
	b->refs_bits = max(4, ilog2(roundup_pow_of_two(4 * (p->lines_room + 1))));
	p->funcs = kvcalloc(p->nr_funcs, sizeof(*p->funcs), GFP_KERNEL | __GFP_NOWARN);
	p->lines = kvcalloc(p->lines_room + 1, sizeof(*p->lines), GFP_KERNEL | __GFP_NOWARN);
	b->refs = kvcalloc(1U << b->refs_bits, sizeof(*b->refs), GFP_KERNEL | __GFP_NOWARN);
	return p->funcs && p->lines && b->refs ? 0 : -ENOMEM;
}

/* Each function has its place in the image, whether the record will have a copy of it or not. */
static void bidx_collect_funcs(struct bidx_parts *p, struct bidx_builder *b,
			       const struct bpf_prog *prog, const struct bidx_btf_strings *strings)
{
	u32 i;

	for (i = 0; i < p->nr_funcs; i++) {
		const struct bpf_prog *f = bidx_func(prog, i);
		struct buildidx_bpf_func *out = &p->funcs[i];

		out->name = bidx_func_name(b, prog, i, strings);
		out->line = p->nr_lines;
		out->image = p->image_len;
		/* All functions of a program together have less than 2 GiB, on any machine. */
		if (!f->jited)
			continue;
		out->addr = (unsigned long)f->bpf_func;
		out->len = f->jited_len;
		if (!bidx_prog_func_is_hidden(prog->aux, i))
			out->lines = bidx_func_lines(b, strings, f, p->lines + p->nr_lines,
						     p->lines_room - p->nr_lines);
		p->nr_lines += out->lines;
		p->image_len += ALIGN(out->len, 16);
	}
}

static void bidx_collect_maps(struct bidx_parts *p, struct bidx_builder *b,
			      struct bpf_prog_aux *aux)
{
	u32 i;

	mutex_lock(&aux->used_maps_mutex);
	if (aux->used_map_cnt) {
		p->maps = kvcalloc(aux->used_map_cnt, sizeof(*p->maps), GFP_KERNEL | __GFP_NOWARN);
		if (p->maps)
			p->nr_maps = aux->used_map_cnt;
		else
			b->cut = true;
	}
	for (i = 0; i < p->nr_maps; i++)
		p->maps[i] = aux->used_maps[i]->id;
	mutex_unlock(&aux->used_maps_mutex);
}

/* Return: false when the text could not be read. What is between the functions stays zero. */
static bool bidx_copy_image(struct buildidx_rec_bpf *r, const struct bidx_parts *p)
{
	char *to = (char *)r + r->image.off;
	u32 i;

	for (i = 0; i < p->nr_funcs && r->image.len; i++) {
		const struct buildidx_bpf_func *f = &p->funcs[i];

		if (copy_from_kernel_nofault(to + f->image, (void *)(unsigned long)f->addr, f->len))
			return false;
	}
	return true;
}

/* Leave the image out of a record; it is the last section. */
static void bidx_drop_image(struct buildidx_rec_bpf *r)
{
	if (r->image.len)
		r->rec.size = r->image.off;
	r->image.off = 0;
	r->image.len = 0;
	r->flags |= BUILDIDX_BPF_NO_IMAGE;
}

/* What the program itself tells, but its texts. */
static void bidx_record_prog(struct buildidx_rec_bpf *r, struct bpf_prog *prog)
{
	struct bpf_prog_aux *aux = prog->aux;

	r->id = aux->id;
	r->prog_type = prog->type;
	r->attach_type = prog->expected_attach_type;
	r->attach_btf_id = aux->attach_btf_id;
	r->verified_insns = aux->verified_insns;
	r->load_time = aux->load_time;
	r->rec.time = aux->load_time;
	r->uid = from_kuid(&init_user_ns, aux->user->uid);
	memcpy(r->tag, prog->tag, sizeof(r->tag));
	if (prog->gpl_compatible)
		r->flags |= BUILDIDX_BPF_GPL;
	if (!prog->jited)
		r->flags |= BUILDIDX_BPF_NO_JIT;
	if (!aux->btf)
		r->flags |= BUILDIDX_BPF_NO_BTF;
}

/*
 * What the program was loaded to attach to. The name is in the BTF of the kernel, which the
 * program holds, or in that of another program, which it holds until it is attached.
 */
static void bidx_record_target(struct buildidx_rec_bpf *r, struct bidx_builder *b,
			       struct bpf_prog_aux *aux)
{
	const char *name = aux->attach_func_name;

	mutex_lock(&aux->dst_mutex);
	if (aux->dst_prog)
		r->attach_prog = aux->dst_prog->aux->id;
	if (name && (aux->dst_prog || aux->attach_btf))
		r->attach_name = bidx_text(b, name, strnlen(name, KSYM_NAME_LEN));
	mutex_unlock(&aux->dst_mutex);
}

/* Return: the record, or NULL for want of memory. */
static struct buildidx_rec_bpf *bidx_put_together(struct buildidx_rec_bpf *head,
						  const struct bidx_parts *p,
						  const struct bidx_builder *b)
{
	struct buildidx_rec_bpf *r = NULL;
	u32 at = sizeof(*head);

	head->rec.type = BUILDIDX_REC_BPF_LOAD;
	head->rec.fixed = sizeof(*head);
	head->func_each = sizeof(*p->funcs);
	head->line_each = sizeof(*p->lines);
	bidx_sect(&head->funcs, &at, p->nr_funcs * sizeof(*p->funcs));
	bidx_sect(&head->lines, &at, p->nr_lines * sizeof(*p->lines));
	bidx_sect(&head->maps, &at, p->nr_maps * sizeof(*p->maps));
	bidx_sect(&head->strings, &at, b->used);
	if (b->cut)
		head->flags |= BUILDIDX_REC_CUT;
	head->rec.size = at;
	if (p->image_len && p->image_len <= BIDX_IMAGE_MAX) {
		bidx_sect(&head->image, &at, p->image_len);
		head->rec.size = at;
		r = kvzalloc(at, GFP_KERNEL | __GFP_NOWARN);
	}
	if (!r) {
		/* Without the image it is still worth having. */
		if (p->image_len)
			head->flags |= BUILDIDX_REC_CUT;
		bidx_drop_image(head);
		r = kvzalloc(head->rec.size, GFP_KERNEL | __GFP_NOWARN);
	}
	if (!r)
		return NULL;
	*r = *head;
	memcpy((char *)r + r->funcs.off, p->funcs, r->funcs.len);
	memcpy((char *)r + r->lines.off, p->lines, r->lines.len);
	memcpy((char *)r + r->maps.off, p->maps, r->maps.len);
	memcpy((char *)r + r->strings.off, b->strings, r->strings.len);
	if (!bidx_copy_image(r, p))
		bidx_drop_image(r);
	bidx_bpf_id(r, r->build_id);
	return r;
}

/**
 * bidx_bpf_record() - all that a program can tell
 * @prog: with a reference of the caller's
 * @loader: who loaded it; NULL when that is not known
 *
 * Mirrors bpf_prog_get_info_by_fd().
 *
 * Context: may sleep.
 * Return: a record to be given to kvfree(), or NULL for want of memory.
 */
struct buildidx_rec_bpf *bidx_bpf_record(struct bpf_prog *prog, const struct bidx_loader *loader)
{
	struct buildidx_rec_bpf head = {}, *r = NULL;
	struct bidx_btf_strings strings;
	struct bidx_builder b = {};
	struct bidx_parts p = {};

	if (bidx_parts_alloc(&p, &b, prog))
		goto free;
	bidx_text(&b, "", 0);
	if (!b.strings)
		goto free;
	bidx_btf_strings(prog->aux->btf, &strings);
	if (prog->aux->btf && !strings.start)
		head.flags |= BUILDIDX_BPF_NO_STRINGS;
	bidx_record_prog(&head, prog);
	bidx_collect_funcs(&p, &b, prog, &strings);
	bidx_collect_maps(&p, &b, prog->aux);
	head.name = bidx_prog_name(&b, prog, p.funcs[0].name);
	bidx_record_target(&head, &b, prog->aux);
	if (loader) {
		head.pid = loader->pid;
		head.tid = loader->tid;
		strscpy(head.comm, loader->comm, sizeof(head.comm));
	} else {
		head.flags |= BUILDIDX_REC_ADOPTED;
	}
	r = bidx_put_together(&head, &p, &b);
free:
	bidx_parts_free(&p, &b);
	return r;
}
