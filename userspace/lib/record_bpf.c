// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * record_bpf - functions, lines and texts of a BPF program's record
 */
#include <string.h>

#include "internal.h"
#include "../../module/bpfid.h"

uint32_t buildidx_bpf_count(const struct buildidx_rec_bpf *r)
{
	return r->func_each ? r->funcs.len / r->func_each : 0;
}

const struct buildidx_bpf_func *buildidx_bpf_func(const struct buildidx_rec_bpf *r, uint32_t i)
{
	if (i >= buildidx_bpf_count(r))
		return NULL;
	return (const void *)((const char *)r + r->funcs.off + (size_t)i * r->func_each);
}

const struct buildidx_bpf_line *buildidx_bpf_line(const struct buildidx_rec_bpf *r,
						  const struct buildidx_bpf_func *f, uint32_t i)
{
	if (i >= f->lines)
		return NULL;
	return (const void *)((const char *)r + r->lines.off +
			      ((size_t)f->line + i) * r->line_each);
}

const void *buildidx_bpf_image(const struct buildidx_rec_bpf *r, size_t *len)
{
	*len = r->image.len;
	return r->image.len ? (const char *)r + r->image.off : NULL;
}

const uint32_t *buildidx_bpf_maps(const struct buildidx_rec_bpf *r, uint32_t *count)
{
	*count = r->maps.len / sizeof(uint32_t);
	return (const void *)((const char *)r + r->maps.off);
}

uint64_t buildidx_bpf_size(const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f;
	uint64_t end = r->image.len;
	uint32_t i;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++)
		if ((uint64_t)f->image + f->len > end)
			end = (uint64_t)f->image + f->len;
	return end;
}

bool buildidx_bpf_build_id_matches(const struct buildidx_rec_bpf *r)
{
	u8 id[BUILDIDX_BPF_ID_LEN];

	bidx_bpf_id(r, id);
	return !memcmp(id, r->build_id, sizeof(id));
}

/* Several lines may start at one instruction: the last one is what it belongs to. */
static void where_in(const struct buildidx_rec_bpf *r, const struct buildidx_bpf_func *f,
		     uint32_t offset, struct buildidx_bpf_where *w)
{
	const struct buildidx_bpf_line *l, *best = NULL;
	uint32_t i;

	for (i = 0; (l = buildidx_bpf_line(r, f, i)); i++)
		if (l->off <= offset && (!best || l->off >= best->off))
			best = l;
	w->offset = offset;
	w->name = buildidx_record_text(&r->rec, f->name);
	w->file = best ? buildidx_record_text(&r->rec, best->file) : "";
	w->text = best ? buildidx_record_text(&r->rec, best->text) : "";
	w->line = best ? best->line : 0;
	w->col = best ? best->col : 0;
}

bool buildidx_bpf_find(const struct buildidx_rec_bpf *r, uint64_t offset,
		       struct buildidx_bpf_where *w)
{
	const struct buildidx_bpf_func *f;
	uint32_t i;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		if (offset < f->image || offset - f->image >= f->len)
			continue;
		w->func = i;
		where_in(r, f, (uint32_t)(offset - f->image), w);
		return true;
	}
	return false;
}

bool buildidx_bpf_find_address(const struct buildidx_rec_bpf *r, uint64_t address,
			       struct buildidx_bpf_where *w)
{
	const struct buildidx_bpf_func *f;
	uint32_t i;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		if (!f->addr || address < f->addr || address - f->addr >= f->len)
			continue;
		w->func = i;
		where_in(r, f, (uint32_t)(address - f->addr), w);
		return true;
	}
	return false;
}
