// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * elfid - find the identity of a file's content (see elfid.h)
 *
 * The file is hostile and may change at any moment. Every byte is copied into
 * one of two page-sized windows before it is looked at, every value is decoded
 * once into a local variable, and only that variable is checked and used. The
 * windows are aligned to their size, so that a caller who may read resident
 * pages only is never asked for a page that the answer does not need.
 */
#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#endif
#include <linux/elf.h>

#include "elfid.h"

#define WINDOW_SIZE		4096U
#define HASH_PART		4096U
#define HASH_LEN		16U

/* The two searches (segments, sections) share what the hash does not need. */
#define SEARCH_BYTES		((BIDX_READ_MAX - 2 * HASH_PART) / 2)
/* Table entries and notes that one search looks at; bounds its CPU time. */
#define SEARCH_STEPS		32768U

#define NOTE_HEADER_SIZE	12U
#define NOTE_NAME_SIZE		4U
#define NOTE_GNU_BUILD_ID	3U
#define NOTE_GO_BUILD_ID	4U

/* Copy of the aligned file range [off, off + len); empty when len is 0. */
struct window {
	u8 *buf;
	u64 off;
	u32 len;
};

/* Table entries and notes are often pages apart: one window for each. */
enum window_use {
	WINDOW_TABLE,
	WINDOW_NOTE,
	WINDOW_COUNT,
};

struct search {
	const struct bidx_reader *r;
	struct bidx_ident *out;
	struct window win[WINDOW_COUNT];
	u32 bytes_left;
	u32 steps_left;
	bool big_endian;
	bool is64;
	u8 source;
};

/* What is needed of the ELF header. */
struct elf_header {
	u64 phoff;
	u64 shoff;
	u16 phentsize;
	u16 phnum;
	u16 shentsize;
	u16 shnum;
};

/* What is needed of a program header or section header. */
struct table_entry {
	u32 type;
	u32 info;	/* section header only */
	u64 offset;
	u64 size;
	u64 align;
};

enum verdict {
	GO_ON	= 0,
	FOUND	= 1,
};

static u16 get16(const struct search *s, const u8 *p)
{
	return s->big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static u32 get32(const struct search *s, const u8 *p)
{
	u32 first = get16(s, p);
	u32 second = get16(s, p + 2);

	return s->big_endian ? first << 16 | second : second << 16 | first;
}

static u64 get64(const struct search *s, const u8 *p)
{
	u64 first = get32(s, p);
	u64 second = get32(s, p + 4);

	return s->big_endian ? first << 32 | second : second << 32 | first;
}

static const struct window *find_window(const struct search *s, u64 start)
{
	unsigned int i;

	for (i = 0; i < WINDOW_COUNT; i++)
		if (s->win[i].len && s->win[i].off == start)
			return &s->win[i];
	return NULL;
}

static int load_window(struct search *s, enum window_use use, u64 start)
{
	struct window *w = &s->win[use];
	u64 rest = s->r->size - start;
	u32 len = rest < WINDOW_SIZE ? (u32)rest : WINDOW_SIZE;
	int err;

	if (s->bytes_left < len)
		return -ENODATA;
	s->bytes_left -= len;

	w->len = 0;
	err = s->r->read(s->r->ctx, start, w->buf, len);
	if (err)
		return err;
	w->off = start;
	w->len = len;
	return 0;
}

/*
 * Copy len bytes at off. -ENODATA: past the end, or this search has read
 * enough; both mean that the file is not what it claims to be.
 */
static int get_bytes(struct search *s, enum window_use use, u64 off, u8 *dst, u32 len)
{
	u64 size = s->r->size;

	if (off > size || len > size - off)
		return -ENODATA;

	while (len) {
		u32 skip = off & (WINDOW_SIZE - 1);
		const struct window *w = find_window(s, off - skip);
		u32 n;
		int err;

		if (!w) {
			err = load_window(s, use, off - skip);
			if (err)
				return err;
			w = &s->win[use];
		}
		n = w->len - skip;
		if (n > len)
			n = len;
		memcpy(dst, w->buf + skip, n);
		dst += n;
		off += n;
		len -= n;
	}
	return 0;
}

static int take_step(struct search *s)
{
	if (!s->steps_left)
		return -ENODATA;
	s->steps_left--;
	return 0;
}

/* Find e_ident; -ENODATA when the file is not ELF. */
static int read_elf_ident(struct search *s)
{
	u8 ident[EI_NIDENT];
	int err;

	err = get_bytes(s, WINDOW_TABLE, 0, ident, sizeof(ident));
	if (err)
		return err;
	if (memcmp(ident, ELFMAG, SELFMAG))
		return -ENODATA;

	switch (ident[EI_CLASS]) {
	case ELFCLASS32:
		s->is64 = false;
		break;
	case ELFCLASS64:
		s->is64 = true;
		break;
	default:
		return -ENODATA;
	}

	switch (ident[EI_DATA]) {
	case ELFDATA2LSB:
		s->big_endian = false;
		break;
	case ELFDATA2MSB:
		s->big_endian = true;
		break;
	default:
		return -ENODATA;
	}
	return 0;
}

static int read_elf_header(struct search *s, struct elf_header *h)
{
	u8 raw[sizeof(Elf64_Ehdr)];
	int err;

	err = read_elf_ident(s);
	if (err)
		return err;
	err = get_bytes(s, WINDOW_TABLE, 0, raw,
			s->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	if (err)
		return err;

	if (s->is64) {
		h->phoff = get64(s, raw + offsetof(Elf64_Ehdr, e_phoff));
		h->shoff = get64(s, raw + offsetof(Elf64_Ehdr, e_shoff));
		h->phentsize = get16(s, raw + offsetof(Elf64_Ehdr, e_phentsize));
		h->phnum = get16(s, raw + offsetof(Elf64_Ehdr, e_phnum));
		h->shentsize = get16(s, raw + offsetof(Elf64_Ehdr, e_shentsize));
		h->shnum = get16(s, raw + offsetof(Elf64_Ehdr, e_shnum));
	} else {
		h->phoff = get32(s, raw + offsetof(Elf32_Ehdr, e_phoff));
		h->shoff = get32(s, raw + offsetof(Elf32_Ehdr, e_shoff));
		h->phentsize = get16(s, raw + offsetof(Elf32_Ehdr, e_phentsize));
		h->phnum = get16(s, raw + offsetof(Elf32_Ehdr, e_phnum));
		h->shentsize = get16(s, raw + offsetof(Elf32_Ehdr, e_shentsize));
		h->shnum = get16(s, raw + offsetof(Elf32_Ehdr, e_shnum));
	}
	return 0;
}

static int read_phdr(struct search *s, u64 off, struct table_entry *e)
{
	u8 raw[sizeof(Elf64_Phdr)];
	int err;

	err = get_bytes(s, WINDOW_TABLE, off, raw,
			s->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
	if (err)
		return err;

	e->info = 0;
	if (s->is64) {
		e->type = get32(s, raw + offsetof(Elf64_Phdr, p_type));
		e->offset = get64(s, raw + offsetof(Elf64_Phdr, p_offset));
		e->size = get64(s, raw + offsetof(Elf64_Phdr, p_filesz));
		e->align = get64(s, raw + offsetof(Elf64_Phdr, p_align));
	} else {
		e->type = get32(s, raw + offsetof(Elf32_Phdr, p_type));
		e->offset = get32(s, raw + offsetof(Elf32_Phdr, p_offset));
		e->size = get32(s, raw + offsetof(Elf32_Phdr, p_filesz));
		e->align = get32(s, raw + offsetof(Elf32_Phdr, p_align));
	}
	return 0;
}

static int read_shdr(struct search *s, u64 off, struct table_entry *e)
{
	u8 raw[sizeof(Elf64_Shdr)];
	int err;

	err = get_bytes(s, WINDOW_TABLE, off, raw,
			s->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	if (err)
		return err;

	if (s->is64) {
		e->type = get32(s, raw + offsetof(Elf64_Shdr, sh_type));
		e->info = get32(s, raw + offsetof(Elf64_Shdr, sh_info));
		e->offset = get64(s, raw + offsetof(Elf64_Shdr, sh_offset));
		e->size = get64(s, raw + offsetof(Elf64_Shdr, sh_size));
		e->align = get64(s, raw + offsetof(Elf64_Shdr, sh_addralign));
	} else {
		e->type = get32(s, raw + offsetof(Elf32_Shdr, sh_type));
		e->info = get32(s, raw + offsetof(Elf32_Shdr, sh_info));
		e->offset = get32(s, raw + offsetof(Elf32_Shdr, sh_offset));
		e->size = get32(s, raw + offsetof(Elf32_Shdr, sh_size));
		e->align = get32(s, raw + offsetof(Elf32_Shdr, sh_addralign));
	}
	return 0;
}

static void forget_ident(struct bidx_ident *out)
{
	memset(out, 0, sizeof(*out));
	out->status = BUILDIDX_STATUS_NO_NOTE;
}

static int take_gnu_note(struct search *s, u64 off, u32 len)
{
	struct bidx_ident *out = s->out;
	u8 id[BUILDIDX_ID_MAX];
	int err;

	if (!len)
		return GO_ON;
	if (len > BUILDIDX_ID_MAX) {
		forget_ident(out);
		out->status = BUILDIDX_STATUS_TOO_LONG;
		return FOUND;
	}

	err = get_bytes(s, WINDOW_NOTE, off, id, len);
	if (err)
		return err;
	forget_ident(out);
	out->status = BUILDIDX_STATUS_OK;
	out->kind = BUILDIDX_KIND_GNU;
	out->source = s->source;
	out->id_len = len;
	memcpy(out->id, id, len);
	return FOUND;
}

/* Remember the first Go build ID; a GNU build ID found later replaces it. */
static int take_go_note(struct search *s, u64 off, u32 len)
{
	struct bidx_ident *out = s->out;
	int err;

	if (out->kind != BUILDIDX_KIND_NONE || len > BUILDIDX_TEXT_MAX)
		return GO_ON;

	err = get_bytes(s, WINDOW_NOTE, off, out->id, len);
	if (err) {
		forget_ident(out);
		return err;
	}
	while (len && !out->id[len - 1])
		len--;
	if (!len)
		return GO_ON;
	out->status = BUILDIDX_STATUS_OK;
	out->kind = BUILDIDX_KIND_GO;
	out->source = s->source;
	out->id_len = len;
	return GO_ON;
}

static int take_note(struct search *s, u32 type, u64 name_off, u64 desc_off, u32 desc_len)
{
	u8 name[NOTE_NAME_SIZE];
	int err;

	err = get_bytes(s, WINDOW_NOTE, name_off, name, sizeof(name));
	if (err)
		return err;
	if (type == NOTE_GNU_BUILD_ID && !memcmp(name, "GNU\0", sizeof(name)))
		return take_gnu_note(s, desc_off, desc_len);
	if (type == NOTE_GO_BUILD_ID && !memcmp(name, "Go\0\0", sizeof(name)))
		return take_go_note(s, desc_off, desc_len);
	return GO_ON;
}

static u64 align_up(u64 value, u32 align)
{
	return (value + align - 1) & ~(u64)(align - 1);
}

/*
 * Walk the notes in [off, off + size), a range inside the file. A note that is
 * longer than what is left ends the walk: nothing behind it can be located.
 */
static int walk_notes(struct search *s, u64 off, u64 size, u32 align)
{
	while (size >= NOTE_HEADER_SIZE) {
		u8 raw[NOTE_HEADER_SIZE];
		u32 name_len, desc_len, type;
		u64 desc, end, next;
		int err;

		err = take_step(s);
		if (err)
			return err;
		err = get_bytes(s, WINDOW_NOTE, off, raw, sizeof(raw));
		if (err)
			return err;
		name_len = get32(s, raw);
		desc_len = get32(s, raw + 4);
		type = get32(s, raw + 8);

		/* Three values below 2^32 and the padding: no overflow in 64 bits. */
		desc = align_up(NOTE_HEADER_SIZE + (u64)name_len, align);
		end = desc + desc_len;
		if (end > size)
			return GO_ON;

		if (name_len == NOTE_NAME_SIZE) {
			err = take_note(s, type, off + NOTE_HEADER_SIZE, off + desc, desc_len);
			if (err)
				return err;
		}

		next = align_up(end, align);
		if (next > size)
			return GO_ON;
		off += next;
		size -= next;
	}
	return GO_ON;
}

/*
 * Only 8 means 8; every other alignment, sensible or not, has always meant 4.
 * Linkers put sections of 4-aligned notes behind an 8-aligned one into one
 * segment of alignment 8, so what is not found at 8 is looked for at 4.
 */
static int search_notes(struct search *s, const struct table_entry *e)
{
	u64 file_size = s->r->size;
	u64 size = e->size;
	int ret;

	if (e->offset > file_size)
		return GO_ON;
	if (size > file_size - e->offset)
		size = file_size - e->offset;

	if (e->align == 8) {
		ret = walk_notes(s, e->offset, size, 8);
		if (ret)
			return ret;
	}
	return walk_notes(s, e->offset, size, 4);
}

/* With PN_XNUM the true count is in the first section header. */
static int count_phdrs(struct search *s, const struct elf_header *h, u32 *count)
{
	struct table_entry first;
	int err;

	*count = h->phnum;
	if (h->phnum != PN_XNUM)
		return 0;
	if (!h->shoff)
		return -ENODATA;
	err = read_shdr(s, h->shoff, &first);
	if (err)
		return err;
	*count = first.info;
	return 0;
}

static int search_segments(struct search *s, const struct elf_header *h)
{
	u64 off = h->phoff;
	u32 count, i;
	int ret;

	if (!off || h->phentsize != (s->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return GO_ON;
	ret = count_phdrs(s, h, &count);
	if (ret)
		return ret;

	for (i = 0; i < count; i++, off += h->phentsize) {
		struct table_entry e;

		ret = take_step(s);
		if (ret)
			return ret;
		ret = read_phdr(s, off, &e);
		if (ret)
			return ret;
		if (e.type != PT_NOTE)
			continue;
		ret = search_notes(s, &e);
		if (ret)
			return ret;
	}
	return GO_ON;
}

static int search_sections(struct search *s, const struct elf_header *h)
{
	struct table_entry e;
	u64 off = h->shoff;
	u64 count, i;
	int ret;

	if (!off || h->shentsize != (s->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return GO_ON;

	/* A count that does not fit e_shnum is in the first section header. */
	count = h->shnum;
	if (!count) {
		ret = read_shdr(s, off, &e);
		if (ret)
			return ret;
		count = e.size;
	}

	for (i = 0; i < count; i++, off += h->shentsize) {
		ret = take_step(s);
		if (ret)
			return ret;
		ret = read_shdr(s, off, &e);
		if (ret)
			return ret;
		if (e.type != SHT_NOTE)
			continue;
		ret = search_notes(s, &e);
		if (ret)
			return ret;
	}
	return GO_ON;
}

/* Give the next search its own allowance, so that one cannot starve the other. */
static void start_search(struct search *s, u8 source)
{
	s->source = source;
	s->bytes_left = SEARCH_BYTES;
	s->steps_left = SEARCH_STEPS;
}

static int search_file(struct search *s)
{
	struct elf_header h;
	int ret;

	start_search(s, BUILDIDX_SOURCE_PHDR);
	ret = read_elf_header(s, &h);
	if (ret)
		return ret;
	ret = search_segments(s, &h);
	if (ret && ret != -ENODATA)
		return ret;

	start_search(s, BUILDIDX_SOURCE_SHDR);
	return search_sections(s, &h);
}

static int hash_content(const struct bidx_reader *r, struct bidx_ident *out, u8 *scratch)
{
	u32 part = r->size < HASH_PART ? (u32)r->size : HASH_PART;
	u8 *head = scratch;
	u8 *tail = scratch + HASH_PART;
	u8 digest[32];
	int err;

	if (part) {
		err = r->read(r->ctx, 0, head, part);
		if (err)
			return err;
		err = r->read(r->ctx, r->size - part, tail, part);
		if (err)
			return err;
	}
	bidx_sha256(head, part, tail, part, r->size, digest);

	out->kind = BUILDIDX_KIND_HASH;
	out->source = BUILDIDX_SOURCE_CONTENT;
	out->id_len = HASH_LEN;
	memcpy(out->id, digest, HASH_LEN);
	return 0;
}

int bidx_identify(const struct bidx_reader *r, struct bidx_ident *out, void *scratch)
{
	struct search s = {
		.r = r,
		.out = out,
		.win[WINDOW_TABLE].buf = scratch,
		.win[WINDOW_NOTE].buf = (u8 *)scratch + WINDOW_SIZE,
	};
	int ret;

	forget_ident(out);
	ret = search_file(&s);
	if (ret < 0 && ret != -ENODATA)
		return ret;
	if (out->status == BUILDIDX_STATUS_OK)
		return 0;
	return hash_content(r, out, scratch);
}

int bidx_identify_notes(const struct bidx_reader *r, struct bidx_ident *out, void *scratch)
{
	const u16 one = 1;
	const struct table_entry all = { .size = r->size, .align = 4 };
	struct search s = {
		.r = r,
		.out = out,
		.win[WINDOW_TABLE].buf = scratch,
		.win[WINDOW_NOTE].buf = (u8 *)scratch + WINDOW_SIZE,
		.big_endian = !*(const u8 *)&one,
	};
	int ret;

	forget_ident(out);
	start_search(&s, BUILDIDX_SOURCE_KERNEL);
	ret = search_notes(&s, &all);
	if (ret < 0 && ret != -ENODATA)
		return ret;
	/* A Go build ID is not what is asked for. */
	if (out->kind == BUILDIDX_KIND_GO)
		forget_ident(out);
	return 0;
}
