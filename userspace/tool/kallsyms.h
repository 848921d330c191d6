/* SPDX-License-Identifier: GPL-2.0 */
/* kallsyms - names of the kernel's functions, as long as they are there */
#ifndef BUILDIDX_KALLSYMS_H
#define BUILDIDX_KALLSYMS_H

#include <stdint.h>

struct kallsyms;

/**
 * kallsyms_read() - read /proc/kallsyms
 *
 * Return: names, to be freed with kallsyms_free(); NULL when it cannot be read or shows
 * no addresses.
 */
struct kallsyms *kallsyms_read(void);
void kallsyms_free(struct kallsyms *k);

/**
 * kallsyms_find() - the function at an address
 * @k: names
 * @module: the module that it is in, "vmlinux" for none; NULL: whatever it is in
 * @address: address
 * @offset: receives the distance from its start
 *
 * Return: name, or NULL.
 */
const char *kallsyms_find(const struct kallsyms *k, const char *module, uint64_t address,
			  uint64_t *offset);

#endif /* BUILDIDX_KALLSYMS_H */
