// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * elfid_selftest - run the parser on files whose identity is known
 *
 * A parser that silently stopped finding notes would look like a host full of
 * stripped binaries, so the module checks it before it serves anybody. The
 * expected identities are written out, not computed.
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

#define IMAGE_MAX	320

struct image {
	u8 data[IMAGE_MAX];
	u32 size;
	bool big_endian;
};

struct bytes {
	const char *data;
	u32 len;
};

#define BYTES(text)	{ (text), sizeof(text) - 1 }

struct known_file {
	struct bytes notes;
	struct bytes id;
	bool is64;
	bool big_endian;
	u8 kind;
	u8 source;
};

static const struct known_file known_files[] = {
	{	/* GNU, 20 bytes */
		.notes = BYTES("\4\0\0\0" "\24\0\0\0" "\3\0\0\0" "GNU\0"
			       "\x01\x23\x45\x67\x89\xab\xcd\xef\x10\x32"
			       "\x54\x76\x98\xba\xdc\xfe\x55\xaa\x00\x00"),
		.id = BYTES("\x01\x23\x45\x67\x89\xab\xcd\xef\x10\x32"
			    "\x54\x76\x98\xba\xdc\xfe\x55\xaa\x00\x00"),
		.is64 = true,
		.kind = BUILDIDX_KIND_GNU,
		.source = BUILDIDX_SOURCE_PHDR,
	},
	{	/* GNU, 1 byte and padding, behind a note of another type */
		.notes = BYTES("\4\0\0\0" "\4\0\0\0" "\1\0\0\0" "GNU\0" "\0\0\0\0"
			       "\4\0\0\0" "\1\0\0\0" "\3\0\0\0" "GNU\0" "\x5a\0\0\0"),
		.id = BYTES("\x5a"),
		.is64 = true,
		.kind = BUILDIDX_KIND_GNU,
		.source = BUILDIDX_SOURCE_PHDR,
	},
	{	/* Go */
		.notes = BYTES("\4\0\0\0" "\13\0\0\0" "\4\0\0\0" "Go\0\0" "abc_-/12/xy\0"),
		.id = BYTES("abc_-/12/xy"),
		.is64 = true,
		.kind = BUILDIDX_KIND_GO,
		.source = BUILDIDX_SOURCE_PHDR,
	},
	{	/* both: GNU wins */
		.notes = BYTES("\4\0\0\0" "\3\0\0\0" "\4\0\0\0" "Go\0\0" "a/b\0"
			       "\4\0\0\0" "\2\0\0\0" "\3\0\0\0" "GNU\0" "\xc0\xde\0\0"),
		.id = BYTES("\xc0\xde"),
		.is64 = true,
		.kind = BUILDIDX_KIND_GNU,
		.source = BUILDIDX_SOURCE_PHDR,
	},
	{	/* 32 bits, big endian */
		.notes = BYTES("\0\0\0\4" "\0\0\0\10" "\0\0\0\3" "GNU\0"
			       "\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87"),
		.id = BYTES("\xf0\xe1\xd2\xc3\xb4\xa5\x96\x87"),
		.big_endian = true,
		.kind = BUILDIDX_KIND_GNU,
		.source = BUILDIDX_SOURCE_PHDR,
	},
	{	/* no segment, a section only */
		.notes = BYTES("\4\0\0\0" "\4\0\0\0" "\3\0\0\0" "GNU\0" "\xde\xad\xbe\xef"),
		.id = BYTES("\xde\xad\xbe\xef"),
		.is64 = true,
		.kind = BUILDIDX_KIND_GNU,
		.source = BUILDIDX_SOURCE_SHDR,
	},
};

static const char script[] = "#!/bin/sh\n";

/* First half of SHA-256 over the script, the script and 00 00 00 00 00 00 00 0a. */
static const u8 script_hash[16] = {
	0xf0, 0x75, 0xcf, 0x9f, 0x01, 0xcf, 0xd4, 0x40,
	0x04, 0x7f, 0xae, 0xfd, 0x4d, 0x11, 0xbb, 0x69,
};

static int read_image(void *ctx, u64 off, void *buf, size_t len)
{
	const struct image *img = ctx;

	if (off > img->size || len > img->size - off)
		return -ENODATA;
	memcpy(buf, img->data + off, len);
	return 0;
}

static void put(struct image *img, u32 off, u32 width, u64 value)
{
	u32 i;

	for (i = 0; i < width; i++) {
		u32 shift = 8 * (img->big_endian ? width - 1 - i : i);

		img->data[off + i] = value >> shift;
	}
}

/* ELF header, one program header or section header, notes. */
static void build_elf64(struct image *img, const struct known_file *f)
{
	const u32 table = sizeof(Elf64_Ehdr);

	if (f->source == BUILDIDX_SOURCE_PHDR) {
		put(img, offsetof(Elf64_Ehdr, e_phoff), 8, table);
		put(img, offsetof(Elf64_Ehdr, e_phentsize), 2, sizeof(Elf64_Phdr));
		put(img, offsetof(Elf64_Ehdr, e_phnum), 2, 1);
		img->size = table + sizeof(Elf64_Phdr);
		put(img, table + offsetof(Elf64_Phdr, p_type), 4, PT_NOTE);
		put(img, table + offsetof(Elf64_Phdr, p_offset), 8, img->size);
		put(img, table + offsetof(Elf64_Phdr, p_filesz), 8, f->notes.len);
		put(img, table + offsetof(Elf64_Phdr, p_align), 8, 4);
	} else {
		put(img, offsetof(Elf64_Ehdr, e_shoff), 8, table);
		put(img, offsetof(Elf64_Ehdr, e_shentsize), 2, sizeof(Elf64_Shdr));
		put(img, offsetof(Elf64_Ehdr, e_shnum), 2, 1);
		img->size = table + sizeof(Elf64_Shdr);
		put(img, table + offsetof(Elf64_Shdr, sh_type), 4, SHT_NOTE);
		put(img, table + offsetof(Elf64_Shdr, sh_offset), 8, img->size);
		put(img, table + offsetof(Elf64_Shdr, sh_size), 8, f->notes.len);
		put(img, table + offsetof(Elf64_Shdr, sh_addralign), 8, 4);
	}
}

static void build_elf32(struct image *img, const struct known_file *f)
{
	const u32 table = sizeof(Elf32_Ehdr);

	put(img, offsetof(Elf32_Ehdr, e_phoff), 4, table);
	put(img, offsetof(Elf32_Ehdr, e_phentsize), 2, sizeof(Elf32_Phdr));
	put(img, offsetof(Elf32_Ehdr, e_phnum), 2, 1);
	img->size = table + sizeof(Elf32_Phdr);
	put(img, table + offsetof(Elf32_Phdr, p_type), 4, PT_NOTE);
	put(img, table + offsetof(Elf32_Phdr, p_offset), 4, img->size);
	put(img, table + offsetof(Elf32_Phdr, p_filesz), 4, f->notes.len);
	put(img, table + offsetof(Elf32_Phdr, p_align), 4, 4);
}

static void build_image(struct image *img, const struct known_file *f)
{
	memset(img, 0, sizeof(*img));
	img->big_endian = f->big_endian;
	memcpy(img->data, ELFMAG, SELFMAG);
	img->data[EI_CLASS] = f->is64 ? ELFCLASS64 : ELFCLASS32;
	img->data[EI_DATA] = f->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	img->data[EI_VERSION] = EV_CURRENT;
	if (f->is64)
		build_elf64(img, f);
	else
		build_elf32(img, f);
	memcpy(img->data + img->size, f->notes.data, f->notes.len);
	img->size += f->notes.len;
}

static bool identify(struct image *img, struct bidx_ident *ident, void *scratch)
{
	const struct bidx_reader r = {
		.read = read_image,
		.ctx = img,
		.size = img->size,
	};

	return !bidx_identify(&r, ident, scratch);
}

static bool known_file_ok(struct image *img, const struct known_file *f, void *scratch)
{
	struct bidx_ident ident;

	build_image(img, f);
	return identify(img, &ident, scratch) &&
	       ident.status == BUILDIDX_STATUS_OK &&
	       ident.kind == f->kind && ident.source == f->source &&
	       ident.id_len == f->id.len &&
	       !memcmp(ident.id, f->id.data, f->id.len);
}

static bool script_ok(struct image *img, void *scratch)
{
	struct bidx_ident ident;

	memset(img, 0, sizeof(*img));
	img->size = sizeof(script) - 1;
	memcpy(img->data, script, img->size);
	return identify(img, &ident, scratch) &&
	       ident.status == BUILDIDX_STATUS_NO_NOTE &&
	       ident.kind == BUILDIDX_KIND_HASH &&
	       ident.source == BUILDIDX_SOURCE_CONTENT &&
	       ident.id_len == sizeof(script_hash) &&
	       !memcmp(ident.id, script_hash, sizeof(script_hash));
}

int bidx_self_test_ident(void *scratch)
{
	struct image img;
	size_t i;

	for (i = 0; i < sizeof(known_files) / sizeof(known_files[0]); i++)
		if (!known_file_ok(&img, &known_files[i], scratch))
			return -EINVAL;
	return script_ok(&img, scratch) ? 0 : -EINVAL;
}
