/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_elf - functions of one ELF file, through libdwfl
 */
#ifndef BUILDIDX_SYMBOLS_ELF_H
#define BUILDIDX_SYMBOLS_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "profile_fold.h"
#include "symbols_find.h"
#include "symbols_functions.h"

struct symbols_elf;

/**
 * symbols_elf_open() - find and open a file by its identity
 * @files: files of this machine, looked at first
 * @id: text of the identity
 * @origin: whose code it is
 * @why: receives the reason when there is none; static text
 *
 * Then come the directories of debug information, and debuginfod.
 *
 * Return: NULL when there is none.
 */
struct symbols_elf *symbols_elf_open(const struct symbols_files *files, const char *id,
				     enum fold_origin origin, const char **why);

/** symbols_elf_guessed() - offsets are taken as GNU ld lays files out; the file does not tell */
bool symbols_elf_guessed(const struct symbols_elf *e);

/** symbols_elf_close() - NULL is allowed */
void symbols_elf_close(struct symbols_elf *e);

/**
 * symbols_elf_find() - the function at an offset and what is inlined there
 * @e: file
 * @offset: file offset; in code of the kernel, what struct buildidx_frame has
 * @is_return: it is a return address
 * @f: gets them; none where there is no name
 */
void symbols_elf_find(struct symbols_elf *e, uint64_t offset, bool is_return, struct functions *f);

#endif /* BUILDIDX_SYMBOLS_ELF_H */
