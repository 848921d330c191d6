// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The build ID of a BPF program, from its record */
#include "bpfid.h"

#ifdef __KERNEL__
#include <asm/byteorder.h>
#include <linux/string.h>
#else
#include <endian.h>
#include <string.h>
#define cpu_to_le32 htole32
#endif

static const char bidx_bpf_id_magic[8] = "bidxbpf";

static bool bidx_sect_fits(const struct buildidx_sect *s, u32 fixed, u32 size)
{
	if (!s->off)
		return !s->len;
	return s->off % 8 == 0 && s->off >= fixed && s->off <= size && s->len <= size - s->off;
}

static const char *bidx_rec_text(const struct buildidx_rec_bpf *r, u32 text)
{
	return (const char *)r + r->strings.off + text;
}

/*
 * The last byte of the strings is a NUL, so a text that starts in them ends in them. Many
 * lines may name one text, so its length is bounded, as that of all of them together would not be.
 */
static bool bidx_text_fits(const struct buildidx_rec_bpf *r, u32 text)
{
	return text < r->strings.len &&
	       strnlen(bidx_rec_text(r, text), BUILDIDX_REC_TEXT_MAX) < BUILDIDX_REC_TEXT_MAX;
}

static bool bidx_strings_end(const struct buildidx_rec_bpf *r)
{
	const char *strings = (const char *)r + r->strings.off;

	return r->strings.len && !strings[0] && !strings[r->strings.len - 1];
}

static const struct buildidx_bpf_func *bidx_rec_func(const struct buildidx_rec_bpf *r, u32 i)
{
	return (const void *)((const char *)r + r->funcs.off + (size_t)i * r->func_each);
}

static const struct buildidx_bpf_line *bidx_rec_line(const struct buildidx_rec_bpf *r, u32 i)
{
	return (const void *)((const char *)r + r->lines.off + (size_t)i * r->line_each);
}

static bool bidx_funcs_fit(const struct buildidx_rec_bpf *r)
{
	u32 lines = r->line_each ? r->lines.len / r->line_each : 0;
	u32 i, line = 0;

	if (!r->funcs.len)
		return !lines;
	if (r->func_each < sizeof(struct buildidx_bpf_func) || r->func_each % 8 ||
	    r->funcs.len % r->func_each)
		return false;
	for (i = 0; i < r->funcs.len / r->func_each; i++) {
		const struct buildidx_bpf_func *f = bidx_rec_func(r, i);

		if (f->line != line || f->lines > lines - line || !bidx_text_fits(r, f->name))
			return false;
		line += f->lines;
		if (r->image.len && (f->image > r->image.len || f->len > r->image.len - f->image))
			return false;
	}
	return line == lines;
}

static bool bidx_lines_fit(const struct buildidx_rec_bpf *r)
{
	u32 i;

	if (!r->lines.len)
		return true;
	if (r->line_each < sizeof(struct buildidx_bpf_line) || r->line_each % 4 ||
	    r->lines.len % r->line_each)
		return false;
	for (i = 0; i < r->lines.len / r->line_each; i++) {
		const struct buildidx_bpf_line *l = bidx_rec_line(r, i);

		if (!bidx_text_fits(r, l->file) || !bidx_text_fits(r, l->text))
			return false;
	}
	return true;
}

/**
 * bidx_rec_bpf_check() - is every offset of a record inside of it?
 * @r: record, aligned to 8 bytes; may come from an untrusted file
 * @len: bytes that are there
 *
 * Context: any. Return: true when all may be followed.
 */
bool bidx_rec_bpf_check(const struct buildidx_rec_bpf *r, size_t len)
{
	const u32 size = len >= sizeof(*r) ? r->rec.size : 0;
	const u32 fixed = size ? r->rec.fixed : 0;

	return size >= sizeof(*r) && size <= len && size % 8 == 0 && fixed >= sizeof(*r) &&
	       fixed <= size && bidx_sect_fits(&r->funcs, fixed, size) &&
	       bidx_sect_fits(&r->lines, fixed, size) && bidx_sect_fits(&r->image, fixed, size) &&
	       bidx_sect_fits(&r->maps, fixed, size) && r->maps.len % sizeof(u32) == 0 &&
	       bidx_sect_fits(&r->strings, fixed, size) && bidx_strings_end(r) &&
	       bidx_text_fits(r, r->name) && bidx_text_fits(r, r->attach_name) &&
	       bidx_funcs_fit(r) && bidx_lines_fit(r);
}

static void bidx_feed_u32(const struct bidx_hash *hash, u32 value)
{
	const __le32 bytes = cpu_to_le32(value);

	hash->add(hash->ctx, &bytes, sizeof(bytes));
}

static void bidx_feed_text(const struct bidx_hash *hash, const struct buildidx_rec_bpf *r,
			   u32 text)
{
	const char *s = bidx_rec_text(r, text);

	hash->add(hash->ctx, s, strlen(s) + 1);
}

static bool bidx_same_text(const struct buildidx_rec_bpf *r, u32 a, u32 b)
{
	return a == b || !strcmp(bidx_rec_text(r, a), bidx_rec_text(r, b));
}

/* @before: the line before it in the same function, NULL when there is none */
static void bidx_feed_line(const struct bidx_hash *hash, const struct buildidx_rec_bpf *r,
			   const struct buildidx_bpf_line *line,
			   const struct buildidx_bpf_line *before)
{
	const bool same_file = before && bidx_same_text(r, line->file, before->file);
	const bool same_text = before && bidx_same_text(r, line->text, before->text);
	const __le32 numbers[] = {
		cpu_to_le32(line->off), cpu_to_le32(line->line), cpu_to_le32(line->col),
		cpu_to_le32(same_file | same_text << 1),
	};

	hash->add(hash->ctx, numbers, sizeof(numbers));
	if (!same_file)
		bidx_feed_text(hash, r, line->file);
	if (!same_text)
		bidx_feed_text(hash, r, line->text);
}

/**
 * bidx_bpf_id_feed() - give the bytes that make the build ID to a hash
 * @r: record that bidx_rec_bpf_check() found good
 * @hash: where to
 *
 * Context: that of @hash.
 */
void bidx_bpf_id_feed(const struct buildidx_rec_bpf *r, const struct bidx_hash *hash)
{
	u32 count = r->func_each ? r->funcs.len / r->func_each : 0;
	const struct buildidx_bpf_line *line, *before;
	u32 i, k;

	hash->add(hash->ctx, bidx_bpf_id_magic, sizeof(bidx_bpf_id_magic));
	bidx_feed_u32(hash, count);
	for (i = 0; i < count; i++) {
		const struct buildidx_bpf_func *f = bidx_rec_func(r, i);

		bidx_feed_text(hash, r, f->name);
		bidx_feed_u32(hash, f->len);
		bidx_feed_u32(hash, f->lines);
		before = NULL;
		for (k = 0; k < f->lines; k++) {
			line = bidx_rec_line(r, f->line + k);
			bidx_feed_line(hash, r, line, before);
			before = line;
		}
	}
}
