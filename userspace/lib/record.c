// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * record - what a record holds, once it is known to be sound
 */
#include <string.h>

#include "internal.h"
#include "../../module/bpfid.h"

bool bidx_rec_sect_fits(const struct buildidx_sect *s, uint32_t fixed, uint32_t size)
{
	if (!s->off)
		return !s->len;
	return s->off % 8 == 0 && s->off >= fixed && s->off <= size && s->len <= size - s->off;
}

static bool ends(const void *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* The part that OBJECT and MAP have in common */
static bool file_sound(const struct buildidx_rec *rec, const struct buildidx_object *obj,
		       uint32_t path, const void *comm, const struct buildidx_sect *strings)
{
	const char *s;

	if (obj->id_len > sizeof(obj->id) || !ends(comm, BUILDIDX_COMM_LEN) ||
	    !bidx_rec_sect_fits(strings, rec->fixed, rec->size))
		return false;
	/* without any text, there is still the empty one */
	if (!strings->len)
		return !path;
	s = (const char *)rec + strings->off;
	return path < strings->len && !s[0] && !s[strings->len - 1];
}

static bool bpf_sound(const struct buildidx_rec_bpf *r)
{
	return bidx_rec_bpf_check(r, r->rec.size) && ends(r->comm, sizeof(r->comm)) &&
	       ends(r->unload_comm, sizeof(r->unload_comm));
}

static const size_t fixed_size[BUILDIDX_REC_TYPES] = {
	[BUILDIDX_REC_LOST]		= sizeof(struct buildidx_rec_lost),
	[BUILDIDX_REC_OBJECT]		= sizeof(struct buildidx_rec_object),
	[BUILDIDX_REC_MAP]		= sizeof(struct buildidx_rec_map),
	[BUILDIDX_REC_BPF_LOAD]		= sizeof(struct buildidx_rec_bpf),
	[BUILDIDX_REC_BPF_UNLOAD]	= sizeof(struct buildidx_rec_bpf_unload),
	[BUILDIDX_REC_KSYM]		= sizeof(struct buildidx_rec_ksym),
	[BUILDIDX_REC_MODULE]		= sizeof(struct buildidx_rec_module),
};

/* Wherever a record comes from, what it says of itself is checked before it is followed. */
bool buildidx_record_sound(const struct buildidx_rec *rec, size_t len)
{
	const struct buildidx_rec_object *object = (const void *)rec;
	const struct buildidx_rec_map *map = (const void *)rec;
	const struct buildidx_rec_bpf_unload *unload = (const void *)rec;
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;

	if (len < sizeof(*rec) || rec->size > len || rec->size > BUILDIDX_REC_MAX ||
	    rec->size % 8 || rec->fixed < sizeof(*rec) || rec->fixed > rec->size)
		return false;
	if (rec->type >= BUILDIDX_REC_TYPES || !fixed_size[rec->type])
		return true;
	if (rec->fixed < fixed_size[rec->type])
		return false;
	switch (rec->type) {
	case BUILDIDX_REC_OBJECT:
		return file_sound(rec, &object->obj, object->path, object->comm, &object->strings);
	case BUILDIDX_REC_MAP:
		return file_sound(rec, &map->obj, map->path, map->comm, &map->strings);
	case BUILDIDX_REC_BPF_LOAD:
		return bpf_sound((const void *)rec);
	case BUILDIDX_REC_BPF_UNLOAD:
		return ends(unload->unload_comm, sizeof(unload->unload_comm));
	case BUILDIDX_REC_KSYM:
		return ends(ksym->name, sizeof(ksym->name));
	case BUILDIDX_REC_MODULE:
		return module->id_len <= sizeof(module->id) &&
		       ends(module->name, sizeof(module->name));
	default:
		return true;
	}
}

const char *buildidx_record_text(const struct buildidx_rec *rec, uint32_t text)
{
	struct buildidx_sect strings = { 0 };

	switch (rec->type) {
	case BUILDIDX_REC_OBJECT:
		strings = ((const struct buildidx_rec_object *)rec)->strings;
		break;
	case BUILDIDX_REC_MAP:
		strings = ((const struct buildidx_rec_map *)rec)->strings;
		break;
	case BUILDIDX_REC_BPF_LOAD:
		strings = ((const struct buildidx_rec_bpf *)rec)->strings;
		break;
	}
	return text < strings.len ? (const char *)rec + strings.off + text : "";
}
