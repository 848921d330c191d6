// SPDX-License-Identifier: GPL-2.0
/* image - build an ELF file byte by byte (see image.h) */
#include <elf.h>
#include <endian.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

void image_init(struct image *img, bool is64, bool big_endian)
{
	memset(img, 0, sizeof(*img));
	img->is64 = is64;
	img->big_endian = big_endian;
}

void image_free(struct image *img)
{
	free(img->head.data);
	free(img->tail.data);
	memset(img, 0, sizeof(*img));
}

static void run_grow(struct run *run, size_t len)
{
	size_t room = run->room ? run->room : 256;

	while (room < run->len + len)
		room *= 2;
	if (room == run->room)
		return;
	run->data = realloc(run->data, room);
	if (!run->data) {
		perror("out of memory for a test file");
		exit(1);
	}
	run->room = room;
}

static uint64_t run_append(struct run *run, const void *data, size_t len)
{
	uint64_t off = run->off + run->len;

	if (!len)
		return off;
	run_grow(run, len);
	if (data)
		memcpy(run->data + run->len, data, len);
	else
		memset(run->data + run->len, 0, len);
	run->len += len;
	return off;
}

uint64_t image_append(struct image *img, const void *data, size_t len)
{
	struct run *run = img->tail.off ? &img->tail : &img->head;
	uint64_t off = run_append(run, data, len);

	if (img->size < off + len)
		img->size = off + len;
	return off;
}

void image_pad_to(struct image *img, uint64_t off)
{
	if (off > img->size)
		image_append(img, NULL, off - img->size);
}

void image_start_tail(struct image *img, uint64_t off)
{
	img->tail.off = off;
	img->size = off;
}

static void encode(const struct image *img, uint8_t *p, unsigned int width, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		p[img->big_endian ? width - 1 - i : i] = value >> (8 * i);
}

void image_set(struct image *img, uint64_t off, unsigned int width, uint64_t value)
{
	if (off + width > img->head.len)
		abort();
	encode(img, img->head.data + off, width, value);
}

static uint16_t machine(const struct image *img)
{
	if (img->is64)
		return img->big_endian ? EM_PPC64 : EM_X86_64;
	return img->big_endian ? EM_PPC : EM_386;
}

void image_elf_header(struct image *img)
{
	size_t size = img->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);

	image_append(img, NULL, size);
	memcpy(img->head.data, ELFMAG, SELFMAG);
	img->head.data[EI_CLASS] = img->is64 ? ELFCLASS64 : ELFCLASS32;
	img->head.data[EI_DATA] = img->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	img->head.data[EI_VERSION] = EV_CURRENT;
	/* e_type to e_version have the same place in both classes. */
	image_set(img, offsetof(Elf64_Ehdr, e_type), 2, ET_DYN);
	image_set(img, offsetof(Elf64_Ehdr, e_machine), 2, machine(img));
	image_set(img, offsetof(Elf64_Ehdr, e_version), 4, EV_CURRENT);
	image_set(img, img->is64 ? offsetof(Elf64_Ehdr, e_ehsize) :
				   offsetof(Elf32_Ehdr, e_ehsize), 2, size);
}

void image_set_phdrs(struct image *img, uint64_t off, uint32_t num)
{
	if (img->is64) {
		image_set(img, offsetof(Elf64_Ehdr, e_phoff), 8, off);
		image_set(img, offsetof(Elf64_Ehdr, e_phentsize), 2, sizeof(Elf64_Phdr));
		image_set(img, offsetof(Elf64_Ehdr, e_phnum), 2, num);
	} else {
		image_set(img, offsetof(Elf32_Ehdr, e_phoff), 4, off);
		image_set(img, offsetof(Elf32_Ehdr, e_phentsize), 2, sizeof(Elf32_Phdr));
		image_set(img, offsetof(Elf32_Ehdr, e_phnum), 2, num);
	}
}

void image_set_shdrs(struct image *img, uint64_t off, uint32_t num)
{
	if (img->is64) {
		image_set(img, offsetof(Elf64_Ehdr, e_shoff), 8, off);
		image_set(img, offsetof(Elf64_Ehdr, e_shentsize), 2, sizeof(Elf64_Shdr));
		image_set(img, offsetof(Elf64_Ehdr, e_shnum), 2, num);
	} else {
		image_set(img, offsetof(Elf32_Ehdr, e_shoff), 4, off);
		image_set(img, offsetof(Elf32_Ehdr, e_shentsize), 2, sizeof(Elf32_Shdr));
		image_set(img, offsetof(Elf32_Ehdr, e_shnum), 2, num);
	}
}

uint64_t image_phdrs(struct image *img, const struct entry *e, size_t num)
{
	size_t entsize = img->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint64_t table = img->size;
	size_t i;

	for (i = 0; i < num; i++) {
		uint8_t raw[sizeof(Elf64_Phdr)] = { 0 };

		if (img->is64) {
			encode(img, raw + offsetof(Elf64_Phdr, p_type), 4, e[i].type);
			encode(img, raw + offsetof(Elf64_Phdr, p_offset), 8, e[i].offset);
			encode(img, raw + offsetof(Elf64_Phdr, p_filesz), 8, e[i].size);
			encode(img, raw + offsetof(Elf64_Phdr, p_memsz), 8, e[i].size);
			encode(img, raw + offsetof(Elf64_Phdr, p_align), 8, e[i].align);
		} else {
			encode(img, raw + offsetof(Elf32_Phdr, p_type), 4, e[i].type);
			encode(img, raw + offsetof(Elf32_Phdr, p_offset), 4, e[i].offset);
			encode(img, raw + offsetof(Elf32_Phdr, p_filesz), 4, e[i].size);
			encode(img, raw + offsetof(Elf32_Phdr, p_memsz), 4, e[i].size);
			encode(img, raw + offsetof(Elf32_Phdr, p_align), 4, e[i].align);
		}
		image_append(img, raw, entsize);
	}
	image_set_phdrs(img, table, num);
	return table;
}

uint64_t image_shdrs(struct image *img, const struct entry *e, size_t num)
{
	size_t entsize = img->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t table = img->size;
	size_t i;

	for (i = 0; i < num; i++) {
		uint8_t raw[sizeof(Elf64_Shdr)] = { 0 };

		if (img->is64) {
			encode(img, raw + offsetof(Elf64_Shdr, sh_type), 4, e[i].type);
			encode(img, raw + offsetof(Elf64_Shdr, sh_info), 4, e[i].info);
			encode(img, raw + offsetof(Elf64_Shdr, sh_offset), 8, e[i].offset);
			encode(img, raw + offsetof(Elf64_Shdr, sh_size), 8, e[i].size);
			encode(img, raw + offsetof(Elf64_Shdr, sh_addralign), 8, e[i].align);
		} else {
			encode(img, raw + offsetof(Elf32_Shdr, sh_type), 4, e[i].type);
			encode(img, raw + offsetof(Elf32_Shdr, sh_info), 4, e[i].info);
			encode(img, raw + offsetof(Elf32_Shdr, sh_offset), 4, e[i].offset);
			encode(img, raw + offsetof(Elf32_Shdr, sh_size), 4, e[i].size);
			encode(img, raw + offsetof(Elf32_Shdr, sh_addralign), 4, e[i].align);
		}
		image_append(img, raw, entsize);
	}
	image_set_shdrs(img, table, num);
	return table;
}

static void pad_note(struct image *img, uint64_t start, uint32_t align)
{
	uint64_t past = (img->size - start) % align;

	if (past)
		image_append(img, NULL, align - past);
}

uint64_t image_note(struct image *img, const struct note *n)
{
	uint64_t start = img->size;
	uint8_t header[12];

	encode(img, header, 4, n->name_claim);
	encode(img, header + 4, 4, n->desc_claim);
	encode(img, header + 8, 4, n->type);
	image_append(img, header, sizeof(header));
	image_append(img, n->name, n->name_len);
	pad_note(img, start, n->align);
	image_append(img, n->desc, n->desc_len);
	pad_note(img, start, n->align);
	return start;
}

uint64_t image_gnu_note(struct image *img, const void *id, size_t len)
{
	const struct note n = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc = id, .desc_claim = len, .desc_len = len,
		.type = NT_GNU_BUILD_ID, .align = 4,
	};

	return image_note(img, &n);
}

uint64_t image_go_note(struct image *img, const void *text, size_t len)
{
	const struct note n = {
		.name = "Go\0", .name_claim = 4, .name_len = 4,
		.desc = text, .desc_claim = len, .desc_len = len,
		.type = 4, .align = 4,
	};

	return image_note(img, &n);
}

uint64_t image_other_note(struct image *img, size_t desc_len)
{
	const struct note n = {
		.name = "GNU", .name_claim = 4, .name_len = 4,
		.desc_claim = desc_len, .desc_len = desc_len,
		.type = NT_GNU_ABI_TAG, .align = 4,
	};

	return image_note(img, &n);
}

static void run_read(const struct run *run, uint64_t off, uint8_t *buf, size_t len)
{
	uint64_t from = off > run->off ? off : run->off;
	uint64_t run_end = run->off + run->len;
	uint64_t to = off + len < run_end ? off + len : run_end;

	if (from < to)
		memcpy(buf + (from - off), run->data + (from - run->off), to - from);
}

void image_read(const struct image *img, uint64_t off, void *buf, size_t len)
{
	memset(buf, 0, len);
	run_read(&img->head, off, buf, len);
	run_read(&img->tail, off, buf, len);
}

void image_hash(const struct image *img, uint8_t hash[16])
{
	size_t part = img->size < 4096 ? img->size : 4096;
	uint64_t length = htobe64(img->size);
	struct sha256_ctx ctx;
	uint8_t buf[4096];

	sha256_init(&ctx);
	image_read(img, 0, buf, part);
	sha256_update(&ctx, part, buf);
	image_read(img, img->size - part, buf, part);
	sha256_update(&ctx, part, buf);
	sha256_update(&ctx, sizeof(length), (const uint8_t *)&length);
	sha256_digest(&ctx, 16, hash);
}
