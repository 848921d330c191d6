// SPDX-License-Identifier: GPL-2.0
#include <linux/btf.h>
#include <string.h>

#include "btf.h"

/* Header as of BTF's first release. Later fields follow it and are counted in hdr_len. */
#define HDR_LEN		24
#define HDR_LEN_LAYOUT	32
#define HDR_LEN_MAX	256

/* Kinds younger than the oldest <linux/btf.h> that this is compiled with */
#define KIND_ENUM64	19

/*
 * Places in struct btf_type. Newer kernels use more bits of info for kind and length; in older ones
 * those bits are zero.
 */
#define TYPE_SIZE	12
#define TYPE_INFO	4
#define TYPE_REF	8
#define INFO_KIND(info)	((info) >> 24 & 0x7f)
#define INFO_VLEN(info)	((info) & 0xffffff)

struct types_cursor {
	const struct blob *types;
	size_t pos;
	uint32_t name;
	uint32_t kind;
	uint32_t ref;
	int has_ref;
};

/*
 * Size of what follows a struct btf_type, and whether its last member is a type id. -1: unknown kind.
 */
static int64_t extra_size(uint32_t kind, uint32_t vlen, int *has_ref)
{
	*has_ref = 0;
	switch (kind) {
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_TYPE_TAG:
		*has_ref = 1;
		return 0;
	case BTF_KIND_FWD:
	case BTF_KIND_FLOAT:
		return 0;
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		*has_ref = 1;
		return 4;
	case BTF_KIND_INT:
		return 4;
	case BTF_KIND_ARRAY:
		return 12;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case KIND_ENUM64:
		return 12LL * vlen;
	case BTF_KIND_ENUM:
		return 8LL * vlen;
	case BTF_KIND_FUNC_PROTO:
		*has_ref = 1;
		return 8LL * vlen;
	default:
		return -1;
	}
}

/* 1: one type more, 0: end, -1: damaged */
static int next_type(struct types_cursor *c)
{
	const unsigned char *type = c->types->data + c->pos;
	uint32_t info;
	int64_t extra;

	if (c->pos == c->types->size)
		return 0;
	if (!blob_holds(c->types, c->pos, TYPE_SIZE))
		return -1;
	info = get32(type + TYPE_INFO);
	c->name = get32(type);
	c->kind = INFO_KIND(info);
	c->ref = get32(type + TYPE_REF);
	extra = extra_size(c->kind, INFO_VLEN(info), &c->has_ref);
	if (extra < 0 || !blob_holds(c->types, c->pos, TYPE_SIZE + extra))
		return -1;
	c->pos += TYPE_SIZE + extra;
	return 1;
}

static uint32_t first_string(const struct btf *base)
{
	return base ? base->strings.size : 0;
}

static uint32_t first_id(const struct btf *base)
{
	return base ? base->nr_types + 1 : 1;
}

static int check_types(const struct btf *base, struct btf *btf)
{
	const uint64_t strings_end = (uint64_t)first_string(base) + btf->strings.size;
	struct types_cursor c = { .types = &btf->types };
	uint32_t highest_ref = 0;
	int ret;

	btf->nr_types = 0;
	while ((ret = next_type(&c)) > 0) {
		if (c.name >= strings_end && c.name)
			return -1;
		if (c.has_ref && c.ref > highest_ref)
			highest_ref = c.ref;
		btf->nr_types++;
	}
	if (ret < 0)
		return -1;
	return highest_ref < first_id(base) + (uint64_t)btf->nr_types ? 0 : -1;
}

int btf_parse(const struct blob *data, const struct btf *base, struct btf *out)
{
	const unsigned char *hdr = data->data;
	uint32_t hdr_len, type_off, type_len, str_off, str_len;
	uint64_t end, layout_end;

	if (data->size < HDR_LEN || get16(hdr) != BTF_MAGIC || hdr[2] != BTF_VERSION || hdr[3])
		return -1;
	hdr_len = get32(hdr + 4);
	type_off = get32(hdr + 8);
	type_len = get32(hdr + 12);
	str_off = get32(hdr + 16);
	str_len = get32(hdr + 20);
	if (hdr_len < HDR_LEN || hdr_len > HDR_LEN_MAX || hdr_len % 4 || hdr_len > data->size)
		return -1;
	if (type_off % 4 || type_len % 4 || !type_len || !str_len ||
	    (uint64_t)type_off + type_len > str_off)
		return -1;
	end = (uint64_t)hdr_len + str_off + str_len;
	if (hdr_len >= HDR_LEN_LAYOUT && get32(hdr + 28)) {
		layout_end = (uint64_t)hdr_len + get32(hdr + 24) + get32(hdr + 28);
		if (layout_end > end)
			end = layout_end;
	}
	if (end > data->size)
		return -1;

	out->raw = (struct blob){ data->data, end };
	out->types = (struct blob){ data->data + hdr_len + type_off, type_len };
	out->strings = (struct blob){ data->data + hdr_len + str_off, str_len };
	if (out->strings.data[str_len - 1] || (!base && out->strings.data[0]))
		return -1;
	return check_types(base, out);
}

int btf_find_largest(const struct blob *image, struct btf *out)
{
	const unsigned char magic[] = { BTF_MAGIC & 0xff, BTF_MAGIC >> 8, BTF_VERSION, 0 };
	struct blob rest = *image;
	unsigned char *hit;
	struct btf btf;

	out->raw.size = 0;
	while ((hit = memmem(rest.data, rest.size, magic, sizeof(magic)))) {
		rest.size -= hit - rest.data;
		rest.data = hit;
		if (!btf_parse(&rest, NULL, &btf) && btf.raw.size > out->raw.size)
			*out = btf;
		rest.data++;
		rest.size--;
	}
	return out->raw.size ? 0 : -1;
}

static const char *string_at(const struct btf *btf, const struct btf *base, uint32_t offset)
{
	if (base && offset < base->strings.size)
		return (const char *)base->strings.data + offset;
	return (const char *)btf->strings.data + (offset - first_string(base));
}

static uint32_t find_in(const struct btf *btf, const struct btf *base, unsigned int kind,
			const char *name)
{
	struct types_cursor c = { .types = &btf->types };
	uint32_t id;

	for (id = first_id(base); next_type(&c) > 0; id++) {
		if (c.kind == kind && !strcmp(string_at(btf, base, c.name), name))
			return id;
	}
	return 0;
}

uint32_t btf_find_type(const struct btf *module, const struct btf *base, unsigned int kind,
		       const char *name)
{
	uint32_t id = find_in(module, base, kind, name);

	return id ? id : find_in(base, NULL, kind, name);
}
