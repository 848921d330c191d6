/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_kallsyms - functions of the running kernel and its modules
 */
#ifndef BUILDIDX_SYMBOLS_KALLSYMS_H
#define BUILDIDX_SYMBOLS_KALLSYMS_H

#include <stdint.h>

/** struct kallsyms - all of them, as they are now */
struct kallsyms;

/**
 * kallsyms_read() - read them
 * @k: receives the symbols; to be freed with kallsyms_free()
 * @path: /proc/kallsyms
 *
 * Return: 0; -EPERM addresses are hidden from the caller (kernel.kptr_restrict); another
 * -errno.
 */
int kallsyms_read(struct kallsyms **k, const char *path);

void kallsyms_free(struct kallsyms *k);

/**
 * kallsyms_find() - the function at an address
 * @k: symbols
 * @address: kernel address
 * @from: the symbol starts at this address or later
 *
 * Return: its name, or NULL.
 */
const char *kallsyms_find(const struct kallsyms *k, uint64_t address, uint64_t from);

#endif /* BUILDIDX_SYMBOLS_KALLSYMS_H */
