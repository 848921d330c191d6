// SPDX-License-Identifier: GPL-2.0
/* cases - the odd and hostile files (see cases.h) */
#include <elf.h>
#include <string.h>

#include "cases.h"

#define NT_GO_BUILD_ID	4
#define GIB		(1ULL << 30)

/* Any 64 bytes without a pattern; build IDs are prefixes of it. */
static const char id_bytes[] =
	"\xb1\x0c\x5e\x77\x21\xfa\x94\x0d\x6b\xe2\x38\xc9\x1f\x80\x4a\xd3"
	"\x56\x9e\x07\xfd\xa8\x33\xcc\x12\x65\xf1\x8b\x40\xde\x2a\x79\xb6"
	"\x14\xe8\x53\x9f\x02\xc7\x6d\xba\x45\x91\xee\x18\x73\xd0\x2c\xa6"
	"\x5b\xf4\x09\x87\xcb\x3e\x62\xad\x10\xd9\x74\x2f\x98\xe3\x46\xbc";
#define ID20	id_bytes

/* An ID that no case expects: finding it is a mistake. */
static const char wrong_id[] = "WRONG-WRONG-WRONG-WR";

static const char zeros[32];
static const char id_zero_tail[20] = "\x7e\x41\x99\xd2\x05\xbb\x63";

/* As the go command writes it: four hashes of 20 characters and slashes, 83 in all. */
static const char go_text[] =
	"aB3dE5gH7jK9mN1pQ2s4/tU6wX8yZ0aC2eG4iK6m8/oQ1sU3wY5zB7dF9hJ1k/L3nP5rT7vX9_-bD0fH2iK";
static const char go_long[] =
	"0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF"
	"0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF"
	"x";

static const char text[] = "#!/bin/sh\necho this is a text file\n";

static void pt_note(struct image *img, uint64_t off, uint64_t size, uint64_t align)
{
	const struct entry e = {
		.type = PT_NOTE, .offset = off, .size = size, .align = align,
	};

	image_phdrs(img, &e, 1);
}

static void sht_note(struct image *img, uint64_t off, uint64_t size, uint64_t align)
{
	const struct entry e[] = {
		{ .type = SHT_NULL },
		{ .type = SHT_PROGBITS, .offset = 0, .size = off, .align = 16 },
		{ .type = SHT_NOTE, .offset = off, .size = size, .align = align },
	};

	image_shdrs(img, e, 3);
}

/* Table over everything that was appended since @off. */
static void pt_note_from(struct image *img, uint64_t off, uint64_t align)
{
	pt_note(img, off, img->size - off, align);
}

static void sht_note_from(struct image *img, uint64_t off, uint64_t align)
{
	sht_note(img, off, img->size - off, align);
}

static void gnu_file(struct image *img, const void *id, size_t len)
{
	image_elf_header(img);
	pt_note_from(img, image_gnu_note(img, id, len), 4);
}

static void go_file(struct image *img, const void *go, size_t len)
{
	image_elf_header(img);
	pt_note_from(img, image_go_note(img, go, len), 4);
}

/* A file with one note, whose header may lie, and the segment that holds it. */
static void note_file(struct image *img, const struct note *n)
{
	image_elf_header(img);
	pt_note_from(img, image_note(img, n), 4);
}

/* ---- exact lengths (W3) ---- */

static void gnu_1(struct image *img) { gnu_file(img, id_bytes, 1); }
static void gnu_8(struct image *img) { gnu_file(img, id_bytes, 8); }
static void gnu_16(struct image *img) { gnu_file(img, id_bytes, 16); }
static void gnu_20(struct image *img) { gnu_file(img, id_bytes, 20); }
static void gnu_31(struct image *img) { gnu_file(img, id_bytes, 31); }
static void gnu_32(struct image *img) { gnu_file(img, id_bytes, 32); }
static void gnu_33(struct image *img) { gnu_file(img, id_bytes, 33); }
static void gnu_64(struct image *img) { gnu_file(img, id_bytes, 64); }
static void gnu_20_zero_tail(struct image *img) { gnu_file(img, id_zero_tail, 20); }
static void gnu_20_all_zero(struct image *img) { gnu_file(img, zeros, 20); }
static void gnu_1_zero(struct image *img) { gnu_file(img, zeros, 1); }
static void gnu_32_all_zero(struct image *img) { gnu_file(img, zeros, 32); }

static void gnu_33_and_go(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_go_note(img, go_text, 83);
	image_gnu_note(img, id_bytes, 33);
	image_gnu_note(img, wrong_id, 20);
	pt_note_from(img, off, 4);
}

/* ---- no note (W4) ---- */

static void elf_header_only(struct image *img)
{
	image_elf_header(img);
}

static void elf_no_note(struct image *img)
{
	const struct entry e = { .type = PT_LOAD, .size = 0x1000, .align = 0x1000 };

	image_elf_header(img);
	image_phdrs(img, &e, 1);
	image_pad_to(img, 10000);
}

/* ---- sections (W5) ---- */

static void shdr_only(struct image *img)
{
	image_elf_header(img);
	sht_note_from(img, image_gnu_note(img, ID20, 20), 4);
}

static void shdr_other_segment(struct image *img)
{
	uint64_t other, id, end;

	image_elf_header(img);
	other = image_other_note(img, 16);
	id = image_gnu_note(img, ID20, 20);
	end = img->size;
	pt_note(img, other, id - other, 4);
	sht_note(img, id, end - id, 4);
}

static void shdr_gnu_beats_phdr_go(struct image *img)
{
	uint64_t go, id, end;

	image_elf_header(img);
	go = image_go_note(img, go_text, 83);
	id = image_gnu_note(img, ID20, 20);
	end = img->size;
	pt_note(img, go, id - go, 4);
	sht_note(img, id, end - id, 4);
}

static void phdr_beats_shdr(struct image *img)
{
	uint64_t id, wrong, end;

	image_elf_header(img);
	id = image_gnu_note(img, ID20, 20);
	wrong = image_gnu_note(img, wrong_id, 20);
	end = img->size;
	pt_note(img, id, wrong - id, 4);
	sht_note(img, wrong, end - wrong, 4);
}

static void shdr_33(struct image *img)
{
	image_elf_header(img);
	sht_note_from(img, image_gnu_note(img, id_bytes, 33), 4);
}

/* The number of sections does not fit e_shnum: it is in the first header. */
static void shdr_count_extended(struct image *img)
{
	struct entry e[3] = { { .type = SHT_NULL, .size = 3 } };

	image_elf_header(img);
	e[2].type = SHT_NOTE;
	e[2].align = 4;
	e[2].offset = image_gnu_note(img, ID20, 20);
	e[2].size = img->size - e[2].offset;
	image_set_shdrs(img, image_shdrs(img, e, 3), 0);
}

static void shdr_count_lie(struct image *img)
{
	const struct entry e = { .type = SHT_NULL, .size = UINT64_MAX };

	image_elf_header(img);
	image_set_shdrs(img, image_shdrs(img, &e, 1), 0);
}

/* ---- Go (W6) ---- */

static void go_83(struct image *img) { go_file(img, go_text, 83); }
static void go_1(struct image *img) { go_file(img, go_text, 1); }
static void go_128(struct image *img) { go_file(img, go_long, 128); }
static void go_129(struct image *img) { go_file(img, go_long, 129); }
static void go_empty(struct image *img) { go_file(img, "", 0); }
static void go_all_nul(struct image *img) { go_file(img, zeros, 20); }
static void go_trailing_nul(struct image *img) { go_file(img, "one/two\0\0\0", 10); }

static void go_and_gnu(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_go_note(img, go_text, 83);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 4);
}

static void go_shdr_only(struct image *img)
{
	image_elf_header(img);
	sht_note_from(img, image_go_note(img, go_text, 83), 4);
}

static void go_straddles(struct image *img)
{
	uint64_t off, end;

	image_elf_header(img);
	image_pad_to(img, 0x2000 - 16 - 40);
	off = image_go_note(img, go_text, 83);
	end = img->size;
	image_pad_to(img, 0x3000);
	pt_note(img, off, end - off, 4);
}

static void go_unusable_then_good(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_go_note(img, go_long, 129);
	image_go_note(img, zeros, 4);
	image_go_note(img, go_text, 83);
	image_go_note(img, "second", 6);
	pt_note_from(img, off, 4);
}

/* ---- class and byte order ---- */

static void elf32_le(struct image *img)
{
	img->is64 = false;
	gnu_file(img, ID20, 20);
}

static void elf32_be(struct image *img)
{
	img->is64 = false;
	img->big_endian = true;
	gnu_file(img, ID20, 20);
}

static void elf64_be(struct image *img)
{
	img->big_endian = true;
	gnu_file(img, ID20, 20);
}

static void elf32_le_shdr(struct image *img)
{
	img->is64 = false;
	shdr_only(img);
}

static void elf32_be_shdr(struct image *img)
{
	img->is64 = false;
	img->big_endian = true;
	shdr_only(img);
}

static void elf64_be_go(struct image *img)
{
	img->big_endian = true;
	go_file(img, go_text, 83);
}

static void elf_bad_class(struct image *img)
{
	img->is64 = false;
	gnu_file(img, wrong_id, 20);
	image_set(img, EI_CLASS, 1, 3);
}

static void elf_bad_byte_order(struct image *img)
{
	gnu_file(img, wrong_id, 20);
	image_set(img, EI_DATA, 1, 0);
}

/* ---- lengths that lie ---- */

static void note_empty_segment(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, wrong_id, 20);
	pt_note(img, off, 0, 4);
}

static void note_cut_in_header(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, wrong_id, 20);
	pt_note(img, off, 11, 4);
}

static void note_larger_than_segment(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, wrong_id, 20);
	pt_note(img, off, 16 + 19, 4);
}

/* The segment is too short, the section is right. */
static void note_cut_by_segment_only(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, ID20, 20);
	pt_note(img, off, 16 + 19, 4);
	sht_note(img, off, 16 + 20, 4);
}

static void note_desc_0(struct image *img)
{
	gnu_file(img, "", 0);
}

static void note_desc_0_then_good(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, "", 0);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 4);
}

static void note_name_0(struct image *img)
{
	const struct note n = {
		.desc = wrong_id, .desc_claim = 20, .desc_len = 20,
		.type = NT_GNU_BUILD_ID, .align = 4,
	};

	note_file(img, &n);
}

static void note_name_0_then_good(struct image *img)
{
	const struct note n = { .type = NT_GNU_BUILD_ID, .align = 4 };
	uint64_t off;

	image_elf_header(img);
	off = image_note(img, &n);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 4);
}

static void note_name_huge(struct image *img)
{
	const struct note n = {
		.name = "GNU", .name_claim = 0xfffffff0, .name_len = 4,
		.desc = wrong_id, .desc_claim = 20, .desc_len = 20,
		.type = NT_GNU_BUILD_ID, .align = 4,
	};

	note_file(img, &n);
}

static void note_desc_huge(struct image *img)
{
	const struct note n = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc = wrong_id, .desc_claim = 0xfffffff0, .desc_len = 20,
		.type = NT_GNU_BUILD_ID, .align = 4,
	};

	note_file(img, &n);
}

static void note_desc_wraps(struct image *img)
{
	const struct note n = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc = wrong_id, .desc_claim = 0xffffffff, .desc_len = 20,
		.type = NT_GNU_BUILD_ID, .align = 4,
	};

	note_file(img, &n);
}

/* A sum in 32 bits would step right onto the second note. */
static void note_sum_wraps(struct image *img)
{
	const struct note n = {
		.name = "GNU", .name_claim = 0xfffffffc, .name_len = 4,
		.desc_claim = 8, .type = NT_GNU_BUILD_ID, .align = 4,
	};
	uint64_t off;

	image_elf_header(img);
	off = image_note(img, &n);
	image_gnu_note(img, wrong_id, 20);
	pt_note_from(img, off, 4);
}

static void note_bad_then_good_segment(struct image *img)
{
	const struct note bad = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc_claim = 0x1000, .desc_len = 4, .type = NT_GNU_ABI_TAG, .align = 4,
	};
	struct entry e[2] = { { .type = PT_NOTE, .align = 4 }, { .type = PT_NOTE, .align = 4 } };

	image_elf_header(img);
	e[0].offset = image_note(img, &bad);
	e[0].size = img->size - e[0].offset;
	e[1].offset = image_gnu_note(img, ID20, 20);
	e[1].size = img->size - e[1].offset;
	image_phdrs(img, e, 2);
}

/* The last note of a segment needs no padding behind it. */
static void note_last_unpadded(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, id_bytes, 17);
	pt_note(img, off, 16 + 17, 4);
}

static void note_ends_at_eof(struct image *img)
{
	struct entry e = { .type = PT_NOTE, .align = 4, .size = 16 + 20 };

	image_elf_header(img);
	e.offset = img->size + sizeof(Elf64_Phdr);
	image_phdrs(img, &e, 1);
	image_gnu_note(img, ID20, 20);
}

static void note_cut_by_eof(struct image *img)
{
	note_ends_at_eof(img);
	img->head.len--;
	img->size--;
}

/* ---- names and types that are nearly right ---- */

static void near_miss(struct image *img, const char *name, size_t name_len, uint32_t type)
{
	const struct note n = {
		.name = name, .name_claim = name_len, .name_len = name_len,
		.desc = wrong_id, .desc_claim = 20, .desc_len = 20,
		.type = type, .align = 4,
	};

	note_file(img, &n);
}

static void name_gnu_3(struct image *img) { near_miss(img, "GNU", 3, NT_GNU_BUILD_ID); }
static void name_gnu_5(struct image *img) { near_miss(img, "GNU\0", 5, NT_GNU_BUILD_ID); }
static void name_lower(struct image *img) { near_miss(img, "gnu", 4, NT_GNU_BUILD_ID); }
static void name_gnux(struct image *img) { near_miss(img, "GNUX", 4, NT_GNU_BUILD_ID); }
static void name_go_type_3(struct image *img) { near_miss(img, "Go\0", 4, NT_GNU_BUILD_ID); }
static void name_gnu_type_4(struct image *img) { near_miss(img, "GNU", 4, NT_GO_BUILD_ID); }
static void name_go_3(struct image *img) { near_miss(img, "Go", 3, NT_GO_BUILD_ID); }

/* ---- segments that lie ---- */

static void filesz_past_eof(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, ID20, 20);
	pt_note(img, off, 1 << 20, 4);
}

static void filesz_max(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, ID20, 20);
	pt_note(img, off, UINT64_MAX, 4);
}

static void offset_past_eof(struct image *img)
{
	image_elf_header(img);
	image_gnu_note(img, wrong_id, 20);
	pt_note(img, 1 << 20, 36, 4);
}

static void offset_wraps(struct image *img)
{
	image_elf_header(img);
	image_gnu_note(img, wrong_id, 20);
	pt_note(img, UINT64_MAX - 15, 4096, 4);
}

static void offset_past_eof_then_good(struct image *img)
{
	struct entry e[2] = {
		{ .type = PT_NOTE, .align = 4, .offset = 1 << 20, .size = 36 },
		{ .type = PT_NOTE, .align = 4, .size = 36 },
	};

	image_elf_header(img);
	e[1].offset = image_gnu_note(img, ID20, 20);
	image_phdrs(img, e, 2);
}

static void align_file(struct image *img, uint64_t align)
{
	uint64_t off;

	image_elf_header(img);
	off = image_other_note(img, 16);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, align);
}

static void align_0(struct image *img) { align_file(img, 0); }
static void align_1(struct image *img) { align_file(img, 1); }
static void align_2(struct image *img) { align_file(img, 2); }
static void align_3(struct image *img) { align_file(img, 3); }
static void align_8(struct image *img) { align_file(img, 8); }
static void align_16(struct image *img) { align_file(img, 16); }
static void align_4g(struct image *img) { align_file(img, 0xffffffff); }
static void align_max(struct image *img) { align_file(img, UINT64_MAX); }

/* What a linker writes for .note.gnu.property: name, then an 8-aligned array. */
static uint64_t property_note(struct image *img)
{
	const struct note n = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc_claim = 0x10, .desc_len = 0x10,
		.type = 5, .align = 8,
	};

	return image_note(img, &n);
}

static void align_8_property(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = property_note(img);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 8);
}

/* Only a reader that pads to 8 gets past the first note. */
static void align_8_needed(struct image *img)
{
	const struct note odd = {
		.name = "owner9", .name_claim = 7, .name_len = 7,
		.desc_claim = 13, .desc_len = 13, .type = 1, .align = 8,
	};
	const struct note good = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc = ID20, .desc_claim = 20, .desc_len = 20,
		.type = NT_GNU_BUILD_ID, .align = 8,
	};
	uint64_t off;

	image_elf_header(img);
	off = image_note(img, &odd);
	image_note(img, &good);
	pt_note_from(img, off, 8);
}

/* An 8-aligned section, then 4-aligned ones, in one segment of alignment 8. */
static void align_8_mixed(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = property_note(img);
	image_other_note(img, 20);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 8);
}

/* ---- places ---- */

static void note_on_later_page(struct image *img)
{
	image_elf_header(img);
	image_pad_to(img, 0x5010);
	pt_note_from(img, image_gnu_note(img, ID20, 20), 4);
}

static void note_header_straddles(struct image *img)
{
	image_elf_header(img);
	image_pad_to(img, 0x1ffc);
	pt_note_from(img, image_gnu_note(img, ID20, 20), 4);
}

static void note_id_straddles(struct image *img)
{
	image_elf_header(img);
	image_pad_to(img, 0x2000 - 16 - 7 + 3);
	pt_note_from(img, image_gnu_note(img, ID20, 20), 4);
}

static void phdr_straddles(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, ID20, 20);
	image_pad_to(img, 0x1000 - 20);
	pt_note(img, off, 36, 4);
}

static void phdrs_at_end(struct image *img)
{
	struct entry e = { .type = PT_NOTE, .align = 4, .size = 36 };

	image_elf_header(img);
	e.offset = image_gnu_note(img, ID20, 20);
	image_start_tail(img, 5 * GIB + 12);
	image_phdrs(img, &e, 1);
}

static void shdrs_at_end(struct image *img)
{
	struct entry e[2] = { { .type = SHT_NULL }, { .type = SHT_NOTE, .align = 4 } };

	image_elf_header(img);
	image_start_tail(img, 5 * GIB + 4);
	e[1].offset = image_gnu_note(img, ID20, 20);
	e[1].size = 36;
	image_shdrs(img, e, 2);
}

static void sparse_10g_elf(struct image *img)
{
	gnu_file(img, ID20, 20);
	img->size = 10 * GIB;
}

static void sparse_10g_zeros(struct image *img)
{
	img->size = 10 * GIB;
}

/* ---- tables that lie ---- */

static void phentsize_wrong(struct image *img)
{
	gnu_file(img, wrong_id, 20);
	image_set(img, offsetof(Elf64_Ehdr, e_phentsize), 2, sizeof(Elf32_Phdr));
}

static void phnum_past_eof(struct image *img)
{
	gnu_file(img, ID20, 20);
	image_set(img, offsetof(Elf64_Ehdr, e_phnum), 2, 0xfffe);
}

static void phoff_max(struct image *img)
{
	image_elf_header(img);
	image_gnu_note(img, wrong_id, 20);
	image_set_phdrs(img, UINT64_MAX, 1);
}

static void shoff_max(struct image *img)
{
	image_elf_header(img);
	image_gnu_note(img, wrong_id, 20);
	image_set_shdrs(img, UINT64_MAX - 8, 3);
}

static void phoff_lie_shdr_good(struct image *img)
{
	shdr_only(img);
	image_set_phdrs(img, img->size - 8, 7);
}

/* PN_XNUM: @num headers, the PT_NOTE at @at. */
static void xnum_file(struct image *img, uint32_t num, uint32_t at, const void *id)
{
	const struct entry none = { .type = PT_NULL };
	const struct entry first = { .type = SHT_NULL, .info = num };
	struct entry note = { .type = PT_NOTE, .align = 4, .size = 36 };
	uint64_t table = 0;
	uint32_t i;

	image_elf_header(img);
	note.offset = image_gnu_note(img, id, 20);
	for (i = 0; i < num; i++) {
		uint64_t off = image_phdrs(img, i == at ? &note : &none, 1);

		if (!i)
			table = off;
	}
	image_shdrs(img, &first, 1);
	image_set_phdrs(img, table, PN_XNUM);
}

static void xnum_early(struct image *img) { xnum_file(img, 70000, 3, ID20); }
static void xnum_late(struct image *img) { xnum_file(img, 70000, 69999, wrong_id); }

static void xnum_small(struct image *img)
{
	xnum_file(img, 2, 1, ID20);
}

static void xnum_without_shdr(struct image *img)
{
	gnu_file(img, wrong_id, 20);
	image_set(img, offsetof(Elf64_Ehdr, e_phnum), 2, PN_XNUM);
}

static void xnum_zero(struct image *img)
{
	const struct entry first = { .type = SHT_NULL, .info = 0 };

	gnu_file(img, wrong_id, 20);
	image_set(img, offsetof(Elf64_Ehdr, e_phnum), 2, PN_XNUM);
	image_shdrs(img, &first, 1);
}

/* ---- work that must be bounded ---- */

static void many_segments(struct image *img)
{
	struct entry e[101];
	uint64_t empty, id, end;
	size_t i;

	image_elf_header(img);
	empty = image_other_note(img, 16);
	id = image_gnu_note(img, ID20, 20);
	end = img->size;
	for (i = 0; i < 101; i++) {
		e[i] = (struct entry) { .type = PT_NOTE, .align = 4 };
		e[i].offset = i < 100 ? empty : id;
		e[i].size = i < 100 ? id - empty : end - id;
	}
	image_phdrs(img, e, 101);
}

/* 9000 segments over one page of 341 smallest notes: 3 million steps. */
static void many_segments_same_notes(struct image *img)
{
	struct entry e = { .type = PT_NOTE, .align = 4, .offset = 0x1000, .size = 0x1000 };
	uint64_t table;
	int i;

	image_elf_header(img);
	image_pad_to(img, 0x2000);
	table = img->size;
	for (i = 0; i < 9000; i++)
		image_phdrs(img, &e, 1);
	e.offset = image_gnu_note(img, wrong_id, 20);
	e.size = 36;
	image_phdrs(img, &e, 1);
	image_set_phdrs(img, table, 9001);
}

static void many_notes_file(struct image *img, size_t count, const void *id)
{
	uint64_t off;

	image_elf_header(img);
	off = img->size;
	image_append(img, NULL, 12 * count);
	image_gnu_note(img, id, 20);
	pt_note_from(img, off, 4);
}

static void notes_1000(struct image *img) { many_notes_file(img, 1000, ID20); }
static void notes_100000(struct image *img) { many_notes_file(img, 100000, wrong_id); }

/* A long note costs nothing to step over. */
static void note_behind_8m(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_other_note(img, 8 << 20);
	image_gnu_note(img, ID20, 20);
	pt_note_from(img, off, 4);
}

/* The search of the segments uses up its reads, that of the sections has its own. */
static void phdrs_exhausted_shdr_good(struct image *img)
{
	uint64_t off, id;

	image_elf_header(img);
	off = img->size;
	image_append(img, NULL, 12 * 100000);
	id = image_gnu_note(img, ID20, 20);
	pt_note(img, off, id - off, 4);
	sht_note(img, id, 36, 4);
}

static void two_ids(struct image *img)
{
	uint64_t off;

	image_elf_header(img);
	off = image_gnu_note(img, ID20, 20);
	image_gnu_note(img, wrong_id, 20);
	pt_note_from(img, off, 4);
}

/* ---- not ELF ---- */

static void fill_text(struct image *img, uint64_t size)
{
	while (img->size < size) {
		uint64_t rest = size - img->size;

		image_append(img, text, rest < sizeof(text) - 1 ? rest : sizeof(text) - 1);
	}
}

static void empty_file(struct image *img) { (void)img; }
static void text_1(struct image *img) { fill_text(img, 1); }
static void text_35(struct image *img) { fill_text(img, 35); }
static void text_4095(struct image *img) { fill_text(img, 4095); }
static void text_4096(struct image *img) { fill_text(img, 4096); }
static void text_4097(struct image *img) { fill_text(img, 4097); }
static void text_8191(struct image *img) { fill_text(img, 8191); }
static void text_8192(struct image *img) { fill_text(img, 8192); }
static void text_8193(struct image *img) { fill_text(img, 8193); }
static void text_100000(struct image *img) { fill_text(img, 100000); }
static void magic_only(struct image *img) { image_append(img, ELFMAG, SELFMAG); }

static void elf_cut_in_header(struct image *img)
{
	image_elf_header(img);
	img->head.len = 40;
	img->size = 40;
}

#define GNU(file, fn, from, len, bytes) \
	{ file, fn, BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU, BUILDIDX_SOURCE_##from, len, bytes }
#define GO(file, fn, from, len, bytes) \
	{ file, fn, BUILDIDX_STATUS_OK, BUILDIDX_KIND_GO, BUILDIDX_SOURCE_##from, len, bytes }
#define HASH(file, fn, status) \
	{ file, fn, BUILDIDX_STATUS_##status, BUILDIDX_KIND_HASH, BUILDIDX_SOURCE_CONTENT, 16, NULL }

const struct hostile_case hostile_cases[] = {
	GNU("gnu-1", gnu_1, PHDR, 1, id_bytes),
	GNU("gnu-8", gnu_8, PHDR, 8, id_bytes),
	GNU("gnu-16", gnu_16, PHDR, 16, id_bytes),
	GNU("gnu-20", gnu_20, PHDR, 20, id_bytes),
	GNU("gnu-31", gnu_31, PHDR, 31, id_bytes),
	GNU("gnu-32", gnu_32, PHDR, 32, id_bytes),
	HASH("gnu-33", gnu_33, TOO_LONG),
	HASH("gnu-64", gnu_64, TOO_LONG),
	GNU("gnu-20-zero-tail", gnu_20_zero_tail, PHDR, 20, id_zero_tail),
	GNU("gnu-20-all-zero", gnu_20_all_zero, PHDR, 20, zeros),
	GNU("gnu-1-zero", gnu_1_zero, PHDR, 1, zeros),
	GNU("gnu-32-all-zero", gnu_32_all_zero, PHDR, 32, zeros),
	HASH("gnu-33-and-go", gnu_33_and_go, TOO_LONG),

	HASH("elf-header-only", elf_header_only, NO_NOTE),
	HASH("elf-no-note", elf_no_note, NO_NOTE),

	GNU("shdr-only", shdr_only, SHDR, 20, ID20),
	GNU("shdr-other-segment", shdr_other_segment, SHDR, 20, ID20),
	GNU("shdr-gnu-beats-phdr-go", shdr_gnu_beats_phdr_go, SHDR, 20, ID20),
	GNU("phdr-beats-shdr", phdr_beats_shdr, PHDR, 20, ID20),
	HASH("shdr-33", shdr_33, TOO_LONG),
	GNU("shdr-count-extended", shdr_count_extended, SHDR, 20, ID20),
	HASH("shdr-count-lie", shdr_count_lie, NO_NOTE),

	GO("go-83", go_83, PHDR, 83, go_text),
	GO("go-1", go_1, PHDR, 1, go_text),
	GO("go-128", go_128, PHDR, 128, go_long),
	HASH("go-129", go_129, NO_NOTE),
	HASH("go-empty", go_empty, NO_NOTE),
	HASH("go-all-nul", go_all_nul, NO_NOTE),
	GO("go-trailing-nul", go_trailing_nul, PHDR, 7, "one/two"),
	GNU("go-and-gnu", go_and_gnu, PHDR, 20, ID20),
	GO("go-shdr-only", go_shdr_only, SHDR, 83, go_text),
	GO("go-straddles", go_straddles, PHDR, 83, go_text),
	GO("go-unusable-then-good", go_unusable_then_good, PHDR, 83, go_text),

	GNU("elf32-le", elf32_le, PHDR, 20, ID20),
	GNU("elf32-be", elf32_be, PHDR, 20, ID20),
	GNU("elf64-be", elf64_be, PHDR, 20, ID20),
	GNU("elf32-le-shdr", elf32_le_shdr, SHDR, 20, ID20),
	GNU("elf32-be-shdr", elf32_be_shdr, SHDR, 20, ID20),
	GO("elf64-be-go", elf64_be_go, PHDR, 83, go_text),
	HASH("elf-bad-class", elf_bad_class, NO_NOTE),
	HASH("elf-bad-byte-order", elf_bad_byte_order, NO_NOTE),

	HASH("note-empty-segment", note_empty_segment, NO_NOTE),
	HASH("note-cut-in-header", note_cut_in_header, NO_NOTE),
	HASH("note-larger-than-segment", note_larger_than_segment, NO_NOTE),
	GNU("note-cut-by-segment-only", note_cut_by_segment_only, SHDR, 20, ID20),
	HASH("note-desc-0", note_desc_0, NO_NOTE),
	GNU("note-desc-0-then-good", note_desc_0_then_good, PHDR, 20, ID20),
	HASH("note-name-0", note_name_0, NO_NOTE),
	GNU("note-name-0-then-good", note_name_0_then_good, PHDR, 20, ID20),
	HASH("note-name-huge", note_name_huge, NO_NOTE),
	HASH("note-desc-huge", note_desc_huge, NO_NOTE),
	HASH("note-desc-wraps", note_desc_wraps, NO_NOTE),
	HASH("note-sum-wraps", note_sum_wraps, NO_NOTE),
	GNU("note-bad-then-good-segment", note_bad_then_good_segment, PHDR, 20, ID20),
	GNU("note-last-unpadded", note_last_unpadded, PHDR, 17, id_bytes),
	GNU("note-ends-at-eof", note_ends_at_eof, PHDR, 20, ID20),
	HASH("note-cut-by-eof", note_cut_by_eof, NO_NOTE),

	HASH("name-gnu-3", name_gnu_3, NO_NOTE),
	HASH("name-gnu-5", name_gnu_5, NO_NOTE),
	HASH("name-lower", name_lower, NO_NOTE),
	HASH("name-gnux", name_gnux, NO_NOTE),
	HASH("name-go-type-3", name_go_type_3, NO_NOTE),
	HASH("name-gnu-type-4", name_gnu_type_4, NO_NOTE),
	HASH("name-go-3", name_go_3, NO_NOTE),

	GNU("filesz-past-eof", filesz_past_eof, PHDR, 20, ID20),
	GNU("filesz-max", filesz_max, PHDR, 20, ID20),
	HASH("offset-past-eof", offset_past_eof, NO_NOTE),
	GNU("offset-past-eof-then-good", offset_past_eof_then_good, PHDR, 20, ID20),
	HASH("offset-wraps", offset_wraps, NO_NOTE),
	GNU("align-0", align_0, PHDR, 20, ID20),
	GNU("align-1", align_1, PHDR, 20, ID20),
	GNU("align-2", align_2, PHDR, 20, ID20),
	GNU("align-3", align_3, PHDR, 20, ID20),
	GNU("align-8", align_8, PHDR, 20, ID20),
	GNU("align-16", align_16, PHDR, 20, ID20),
	GNU("align-4g", align_4g, PHDR, 20, ID20),
	GNU("align-max", align_max, PHDR, 20, ID20),
	GNU("align-8-property", align_8_property, PHDR, 20, ID20),
	GNU("align-8-needed", align_8_needed, PHDR, 20, ID20),
	GNU("align-8-mixed", align_8_mixed, PHDR, 20, ID20),

	GNU("note-on-later-page", note_on_later_page, PHDR, 20, ID20),
	GNU("note-header-straddles", note_header_straddles, PHDR, 20, ID20),
	GNU("note-id-straddles", note_id_straddles, PHDR, 20, ID20),
	GNU("phdr-straddles", phdr_straddles, PHDR, 20, ID20),
	GNU("sparse-phdrs-at-end", phdrs_at_end, PHDR, 20, ID20),
	GNU("sparse-shdrs-at-end", shdrs_at_end, SHDR, 20, ID20),
	GNU("sparse-10g-elf", sparse_10g_elf, PHDR, 20, ID20),
	HASH("sparse-10g-zeros", sparse_10g_zeros, NO_NOTE),

	HASH("phentsize-wrong", phentsize_wrong, NO_NOTE),
	GNU("phnum-past-eof", phnum_past_eof, PHDR, 20, ID20),
	HASH("phoff-max", phoff_max, NO_NOTE),
	HASH("shoff-max", shoff_max, NO_NOTE),
	GNU("phoff-lie-shdr-good", phoff_lie_shdr_good, SHDR, 20, ID20),
	GNU("xnum-early", xnum_early, PHDR, 20, ID20),
	HASH("xnum-late", xnum_late, NO_NOTE),
	GNU("xnum-small", xnum_small, PHDR, 20, ID20),
	HASH("xnum-without-shdr", xnum_without_shdr, NO_NOTE),
	HASH("xnum-zero", xnum_zero, NO_NOTE),

	GNU("many-segments", many_segments, PHDR, 20, ID20),
	HASH("many-segments-same-notes", many_segments_same_notes, NO_NOTE),
	GNU("notes-1000", notes_1000, PHDR, 20, ID20),
	HASH("notes-100000", notes_100000, NO_NOTE),
	GNU("note-behind-8m", note_behind_8m, PHDR, 20, ID20),
	GNU("phdrs-exhausted-shdr-good", phdrs_exhausted_shdr_good, SHDR, 20, ID20),
	GNU("two-ids", two_ids, PHDR, 20, ID20),

	HASH("empty", empty_file, NO_NOTE),
	HASH("text-1", text_1, NO_NOTE),
	HASH("text-35", text_35, NO_NOTE),
	HASH("text-4095", text_4095, NO_NOTE),
	HASH("text-4096", text_4096, NO_NOTE),
	HASH("text-4097", text_4097, NO_NOTE),
	HASH("text-8191", text_8191, NO_NOTE),
	HASH("text-8192", text_8192, NO_NOTE),
	HASH("text-8193", text_8193, NO_NOTE),
	HASH("text-100000", text_100000, NO_NOTE),
	HASH("magic-only", magic_only, NO_NOTE),
	HASH("elf-cut-in-header", elf_cut_in_header, NO_NOTE),
};

const size_t hostile_case_count = sizeof(hostile_cases) / sizeof(hostile_cases[0]);
