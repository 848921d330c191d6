/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export_dwarf - debug information of a BPF program: names and lines, DWARF 4
 */
#ifndef BUILDIDX_EXPORT_DWARF_H
#define BUILDIDX_EXPORT_DWARF_H

#include "libbuildidx.h"

/**
 * struct bytes - bytes that grow
 * @at: the bytes
 * @len: how many
 * @room: how many fit
 * @big: numbers are big endian
 * @failed: something did not fit, and what is there is of no use
 */
struct bytes {
	unsigned char *at;
	size_t len;
	size_t room;
	bool big;
	bool failed;
};

void bytes_add(struct bytes *b, const void *from, size_t len);
/** bytes_text() - a text with its NUL; returns where it starts */
size_t bytes_text(struct bytes *b, const char *text);

/**
 * struct dwarf - the sections, to be freed with dwarf_free()
 */
struct dwarf {
	struct bytes abbrev;
	struct bytes info;
	struct bytes line;
	struct bytes aranges;
};

/**
 * dwarf_make() - debug information of a program
 * @d: result
 * @r: record
 * @name: of the whole, when no line has a file
 * @big: big endian
 *
 * Addresses are offsets in the program's image.
 *
 * Return: 0, -ENOMEM, or -EFBIG when it would be too much.
 */
int dwarf_make(struct dwarf *d, const struct buildidx_rec_bpf *r, const char *name, bool big);
void dwarf_free(struct dwarf *d);

#endif /* BUILDIDX_EXPORT_DWARF_H */
