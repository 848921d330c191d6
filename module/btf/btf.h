/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_BTF_H
#define BIDX_BTF_BTF_H

#include "blob.h"

/**
 * struct btf - a validated BTF blob
 * @raw: all of it, header first
 * @types: the type section
 * @strings: the string section
 * @nr_types: number of types in @types
 */
struct btf {
	struct blob raw;
	struct blob types;
	struct blob strings;
	uint32_t nr_types;
};

/**
 * btf_parse() - validate a blob that starts at @data
 * @data: starts with the BTF header; more may follow behind the BTF
 * @base: what a module's BTF continues, or NULL for a kernel's own
 * @out: filled in; points into @data
 *
 * Checks the header, the bounds of the sections, each type's size, names and references.
 *
 * Return: 0, or -1 if it is not valid BTF. Says nothing.
 */
int btf_parse(const struct blob *data, const struct btf *base, struct btf *out);

/**
 * btf_find_largest() - find the kernel's BTF in an uncompressed kernel
 * @image: the kernel
 * @out: filled in; points into @image
 *
 * Return: 0, or -1 if there is none.
 */
int btf_find_largest(const struct blob *image, struct btf *out);

/**
 * btf_find_type() - id of a named type
 * @module: a module's BTF, looked at first
 * @base: the kernel's BTF
 * @kind: BTF_KIND_*
 * @name: name of the type
 *
 * Return: the id, or 0 if there is none.
 */
uint32_t btf_find_type(const struct btf *module, const struct btf *base, unsigned int kind,
		       const char *name);

#endif
