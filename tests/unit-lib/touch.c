// SPDX-License-Identifier: GPL-2.0
/*
 * touch - follow everything in a record, for sanitizers to watch
 */
#include <string.h>

#include "touch.h"

static uint64_t touch_bytes(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < len; i++)
		sum = sum * 31 + at[i];
	return sum;
}

static uint64_t touch_bpf(const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	struct buildidx_bpf_where w;
	uint64_t sum = buildidx_bpf_size(r);
	const uint32_t *maps;
	const void *image;
	uint32_t i, k, count;
	size_t len;

	sum += strlen(buildidx_record_text(&r->rec, r->name));
	sum += strlen(buildidx_record_text(&r->rec, r->attach_name));
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		sum += f->addr + f->len + strlen(buildidx_record_text(&r->rec, f->name));
		for (k = 0; (l = buildidx_bpf_line(r, f, k)); k++)
			sum += l->off + l->line + l->col +
			       strlen(buildidx_record_text(&r->rec, l->file)) +
			       strlen(buildidx_record_text(&r->rec, l->text));
		/* many lines in many functions would take for ever */
		if (i < 64 && buildidx_bpf_find(r, f->image, &w))
			sum += w.offset + strlen(w.name) + strlen(w.file) + strlen(w.text);
		if (i < 64 && buildidx_bpf_find_address(r, f->addr, &w))
			sum += w.offset;
	}
	maps = buildidx_bpf_maps(r, &count);
	for (i = 0; i < count; i++)
		sum += maps[i];
	image = buildidx_bpf_image(r, &len);
	sum += touch_bytes(image, len);
	return sum + buildidx_bpf_build_id_matches(r);
}

uint64_t touch_record(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_object *object = (const void *)rec;
	const struct buildidx_rec_map *map = (const void *)rec;
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;
	uint64_t sum = touch_bytes(rec, rec->size);

	switch (rec->type) {
	case BUILDIDX_REC_OBJECT:
		return sum + touch_bytes(object->obj.id, object->obj.id_len) +
		       strlen((const char *)object->comm) +
		       strlen(buildidx_record_text(rec, object->path));
	case BUILDIDX_REC_MAP:
		return sum + touch_bytes(map->obj.id, map->obj.id_len) +
		       strlen((const char *)map->comm) +
		       strlen(buildidx_record_text(rec, map->path));
	case BUILDIDX_REC_BPF_LOAD:
		return sum + touch_bpf((const void *)rec);
	case BUILDIDX_REC_KSYM:
		return sum + strlen((const char *)ksym->name);
	case BUILDIDX_REC_MODULE:
		return sum + touch_bytes(module->id, module->id_len) +
		       strlen((const char *)module->name);
	default:
		return sum;
	}
}
