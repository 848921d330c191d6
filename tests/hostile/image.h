/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image - build an ELF file byte by byte, lies included
 *
 * An image is a run of bytes from offset 0 (the head), perhaps a second run far
 * behind it (the tail), and a length; all other bytes are zero. So a file of
 * 10 GiB costs no memory, and none on disk.
 *
 * Nothing here checks what it is told to write: that is the purpose. Running
 * out of memory ends the program.
 */
#ifndef HOSTILE_IMAGE_H
#define HOSTILE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
	uint8_t *data;
	size_t len;
	size_t room;
	uint64_t off;
};

struct image {
	struct run head;
	struct run tail;
	uint64_t size;
	bool is64;
	bool big_endian;
};

/* One program header (type PT_*) or section header (type SHT_*). */
struct entry {
	uint32_t type;
	uint32_t info;
	uint64_t offset;
	uint64_t size;
	uint64_t align;
};

/* One note; the lengths are what its header claims. */
struct note {
	const char *name;
	const void *desc;
	uint32_t name_claim;
	uint32_t desc_claim;
	size_t name_len;
	size_t desc_len;
	uint32_t type;
	uint32_t align;
};

void image_init(struct image *img, bool is64, bool big_endian);
void image_free(struct image *img);

/* Append to the tail if there is one, else to the head. Return the offset in the file. */
uint64_t image_append(struct image *img, const void *data, size_t len);
/* Append zeros up to offset @off. */
void image_pad_to(struct image *img, uint64_t off);
/* From here on, append at offset @off, far behind the head. */
void image_start_tail(struct image *img, uint64_t off);

/* Write an ELF header with empty tables at offset 0 of an empty image. */
void image_elf_header(struct image *img);
/* Set one integer of @width bytes that is already in the head. */
void image_set(struct image *img, uint64_t off, unsigned int width, uint64_t value);

/* Overwrite the fields of the ELF header that describe the tables. */
void image_set_phdrs(struct image *img, uint64_t off, uint32_t num);
void image_set_shdrs(struct image *img, uint64_t off, uint32_t num);

/* Append a table and enter it in the ELF header. Return its offset. */
uint64_t image_phdrs(struct image *img, const struct entry *e, size_t num);
uint64_t image_shdrs(struct image *img, const struct entry *e, size_t num);

/* Append notes. Return the offset. */
uint64_t image_note(struct image *img, const struct note *n);
uint64_t image_gnu_note(struct image *img, const void *id, size_t len);
uint64_t image_go_note(struct image *img, const void *text, size_t len);
/* A well-formed 4-aligned note that is no build ID. */
uint64_t image_other_note(struct image *img, size_t desc_len);

/* Copy bytes out, as pread() would; the range lies inside the image. */
void image_read(const struct image *img, uint64_t off, void *buf, size_t len);
/* First 16 bytes of SHA-256 over the first and last 4096 bytes and the length. */
void image_hash(const struct image *img, uint8_t hash[16]);

#endif /* HOSTILE_IMAGE_H */
