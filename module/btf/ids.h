/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_IDS_H
#define BIDX_BTF_IDS_H

#include "blob.h"
#include "btf.h"

/**
 * ids_fill() - fill a module's .BTF_ids section, in memory
 * @path: name of the module, for messages
 * @module: the module, an ELF64 relocatable file with .BTF
 * @base: BTF of the kernel that the module's BTF continues
 * @filled: number of ids that were written
 *
 * Each symbol __BTF_ID__<kind>__<name>__<number> marks a place for the id of that type; each
 * __BTF_ID__set__<name> and __BTF_ID__set8__<name> marks a list that gets its length and is
 * sorted by id, since the kernel searches it by halving; flags stay with their ids.
 *
 * Return: 0, or -1 after complain().
 */
int ids_fill(const char *path, struct blob *module, const struct btf *base, unsigned int *filled);

#endif
