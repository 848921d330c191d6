/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make copies of an ELF file that differ from it, and from each other, in their
 * build ID.
 */
#ifndef FIRSTINSN_TEMPLATE_H
#define FIRSTINSN_TEMPLATE_H

#include <stddef.h>

#include "../sampler/truth.h"

/**
 * struct template - an ELF file in memory
 * @data: its bytes
 * @size: their number
 * @ident: its own build ID
 * @note_at: file offset of the ID
 * @entry: entry point, an address in the file
 * @layout: its PT_LOAD segments at the addresses in the file
 */
struct template {
	char *data;
	size_t size;
	const struct ident *ident;
	size_t note_at;
	__u64 entry;
	struct truth layout;
};

/**
 * template_load() - read the file @ident->name of a directory
 * Return: 0 or negative errno, with the reason on stderr.
 */
int template_load(struct template *t, const char *dir, const struct ident *ident);

/**
 * template_copy() - write a copy with the ID that @serial makes
 * @t: template
 * @path: file to write, holes kept
 * @serial: makes the ID; different for each copy of any template
 * @ident: its ID
 * Return: 0 or negative errno.
 */
int template_copy(const struct template *t, const char *path, __u32 serial, struct ident *ident);

#endif /* FIRSTINSN_TEMPLATE_H */
