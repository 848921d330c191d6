/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small ELF64 executables with just the notes that a test wants. They run: one
 * page of text that spins for ever.
 */
#ifndef CASES_MINIELF_H
#define CASES_MINIELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MINIELF_ID_OFF		0x210 /* of the GNU ID when it is the first note in PT_NOTE */
#define MINIELF_VADDR		0x400000UL /* of file offset 0 */
#define MINIELF_TEXT		0x1000 /* default of text_off */
#define MINIELF_CODE_SIZE	4 /* the loop's instructions start at text_off */

/**
 * struct minielf - what to put in
 * @gnu: descriptor of the GNU build ID note, NULL for none
 * @gnu_len: its length
 * @go: descriptor of the Go build ID note, NULL for none
 * @shdr_only: the GNU note is reached through section headers only
 * @other_note: PT_NOTE starts with (or, with @shdr_only, holds only) an ABI tag
 * @text_off: file offset of the text page, a multiple of the page size
 * @fill: value of each byte of the page after the text; the file grows by it
 */
struct minielf {
	const void *gnu;
	size_t gnu_len;
	const char *go;
	bool shdr_only;
	bool other_note;
	size_t text_off;
	uint8_t fill;
};

/* Length of the file. */
size_t minielf_size(const struct minielf *m);

/* Create or truncate @path and write the file, mode 0755. The program ends on failure. */
void minielf_create(const char *path, const struct minielf *m);

/* The same with one 20-byte GNU ID and nothing else. */
void minielf_simple(const char *path, const uint8_t id[20]);

/* The bytes of such a file. Return: their number, at most @max. */
size_t minielf_bytes(uint8_t *to, size_t max, const uint8_t id[20]);

/* Write it into an open file, from offset 0; the length of the file is set too. */
void minielf_write(int fd, const struct minielf *m);

/* A 20-byte ID that no other call in this boot gives. */
void unique_id(uint8_t id[20]);

#endif /* CASES_MINIELF_H */
