// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * record_swap - records that a machine of the other byte order wrote
 */
#include <byteswap.h>

#include "internal.h"

#define SWAP(member) ((member) = _Generic((member), \
	__u16: bswap_16((__u16)(member)), \
	__u32: bswap_32((__u32)(member)), \
	__u64: bswap_64((__u64)(member)), \
	__s64: (__s64)bswap_64((__u64)(member))))

static void swap_sect(struct buildidx_sect *s)
{
	SWAP(s->off);
	SWAP(s->len);
}

static void swap_obj(struct buildidx_object *o)
{
	SWAP(o->object);
	SWAP(o->dev_major);
	SWAP(o->dev_minor);
	SWAP(o->ino);
	SWAP(o->generation);
	SWAP(o->status);
	SWAP(o->file_size);
	SWAP(o->mtime_ns);
	SWAP(o->id_len);
}

static void swap_object(struct buildidx_rec_object *r)
{
	swap_obj(&r->obj);
	SWAP(r->pid);
	SWAP(r->tid);
	SWAP(r->uid);
	SWAP(r->path);
	swap_sect(&r->strings);
}

static void swap_map(struct buildidx_rec_map *r)
{
	swap_obj(&r->obj);
	SWAP(r->addr);
	SWAP(r->len);
	SWAP(r->offset);
	SWAP(r->pid);
	SWAP(r->tid);
	SWAP(r->uid);
	SWAP(r->path);
	swap_sect(&r->strings);
}

static void swap_bpf_fixed(struct buildidx_rec_bpf *r)
{
	SWAP(r->object);
	SWAP(r->flags);
	SWAP(r->id);
	SWAP(r->prog_type);
	SWAP(r->attach_type);
	SWAP(r->attach_btf_id);
	SWAP(r->attach_name);
	SWAP(r->attach_prog);
	SWAP(r->verified_insns);
	SWAP(r->pid);
	SWAP(r->tid);
	SWAP(r->uid);
	SWAP(r->unload_pid);
	SWAP(r->unload_tid);
	SWAP(r->name);
	SWAP(r->load_time);
	SWAP(r->unload_time);
	SWAP(r->func_each);
	SWAP(r->line_each);
	swap_sect(&r->funcs);
	swap_sect(&r->lines);
	swap_sect(&r->image);
	swap_sect(&r->maps);
	swap_sect(&r->strings);
}

static void swap_func(struct buildidx_bpf_func *f)
{
	SWAP(f->addr);
	SWAP(f->len);
	SWAP(f->name);
	SWAP(f->image);
	SWAP(f->line);
	SWAP(f->lines);
}

static void swap_line(struct buildidx_bpf_line *l)
{
	SWAP(l->off);
	SWAP(l->file);
	SWAP(l->text);
	SWAP(l->line);
	SWAP(l->col);
}

/*
 * The arrays are turned before the record can be checked as a whole: as much as
 * that needs is looked at here.
 */
static bool swap_bpf(struct buildidx_rec_bpf *r)
{
	char *base = (char *)r;
	uint32_t at;

	swap_bpf_fixed(r);
	if (!bidx_rec_sect_fits(&r->funcs, r->rec.fixed, r->rec.size) ||
	    !bidx_rec_sect_fits(&r->lines, r->rec.fixed, r->rec.size) ||
	    !bidx_rec_sect_fits(&r->maps, r->rec.fixed, r->rec.size))
		return false;
	if (r->funcs.len && (r->func_each < sizeof(struct buildidx_bpf_func) ||
			     r->func_each % 8 || r->funcs.len % r->func_each))
		return false;
	if (r->lines.len && (r->line_each < sizeof(struct buildidx_bpf_line) ||
			     r->line_each % 4 || r->lines.len % r->line_each))
		return false;
	for (at = 0; at < r->funcs.len; at += r->func_each)
		swap_func((struct buildidx_bpf_func *)(base + r->funcs.off + at));
	for (at = 0; at < r->lines.len; at += r->line_each)
		swap_line((struct buildidx_bpf_line *)(base + r->lines.off + at));
	for (at = 0; at + sizeof(__u32) <= r->maps.len; at += sizeof(__u32))
		SWAP(*(__u32 *)(base + r->maps.off + at));
	return true;
}

static void swap_unload(struct buildidx_rec_bpf_unload *r)
{
	SWAP(r->object);
	SWAP(r->flags);
	SWAP(r->id);
	SWAP(r->unload_pid);
	SWAP(r->unload_tid);
	SWAP(r->load_time);
}

static void swap_ksym(struct buildidx_rec_ksym *r)
{
	SWAP(r->object);
	SWAP(r->flags);
	SWAP(r->kind);
	SWAP(r->addr);
	SWAP(r->len);
	SWAP(r->load_time);
	SWAP(r->unload_time);
}

static void swap_module(struct buildidx_rec_module *r)
{
	SWAP(r->object);
	SWAP(r->flags);
	SWAP(r->id_len);
	SWAP(r->addr);
	SWAP(r->len);
	SWAP(r->vaddr);
	SWAP(r->load_time);
	SWAP(r->unload_time);
}

/* Is the fixed part of this type all there? What is not, must not be turned. */
static bool has(const struct buildidx_rec *rec, size_t fixed)
{
	return rec->fixed >= fixed && rec->fixed <= rec->size;
}

bool bidx_rec_swap(struct buildidx_rec *rec)
{
	void *r = rec;

	SWAP(rec->type);
	SWAP(rec->fixed);
	SWAP(rec->seq);
	SWAP(rec->time);
	switch (rec->type) {
	case BUILDIDX_REC_LOST:
		if (!has(rec, sizeof(struct buildidx_rec_lost)))
			return false;
		SWAP(((struct buildidx_rec_lost *)r)->lost);
		return true;
	case BUILDIDX_REC_OBJECT:
		if (!has(rec, sizeof(struct buildidx_rec_object)))
			return false;
		swap_object(r);
		return true;
	case BUILDIDX_REC_MAP:
		if (!has(rec, sizeof(struct buildidx_rec_map)))
			return false;
		swap_map(r);
		return true;
	case BUILDIDX_REC_BPF_LOAD:
		return has(rec, sizeof(struct buildidx_rec_bpf)) && swap_bpf(r);
	case BUILDIDX_REC_BPF_UNLOAD:
		if (!has(rec, sizeof(struct buildidx_rec_bpf_unload)))
			return false;
		swap_unload(r);
		return true;
	case BUILDIDX_REC_KSYM:
		if (!has(rec, sizeof(struct buildidx_rec_ksym)))
			return false;
		swap_ksym(r);
		return true;
	case BUILDIDX_REC_MODULE:
		if (!has(rec, sizeof(struct buildidx_rec_module)))
			return false;
		swap_module(r);
		return true;
	default:
		return true;
	}
}
