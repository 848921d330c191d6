/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols - names of functions for (identity, file offset), from local files and
 * from debuginfod servers, through elfutils
 */
#ifndef BUILDIDX_SYMBOLS_H
#define BUILDIDX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile_places.h"
#include "symbols_functions.h"

/** struct symbols - files known by identity, and those in use */
struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/**
 * symbols_server() - ask this debuginfod server too
 * @url: as in DEBUGINFOD_URLS, which names those that are asked anyway
 */
void symbols_server(const char *url);

/**
 * symbols_add_dir() - use the files below a directory, by their identity
 * @s: symbols
 * @dir: name; also that of a single file
 *
 * Symbolic links below it are not followed, other file systems not entered.
 *
 * Return: exit code; a failure has been reported.
 */
int symbols_add_dir(struct symbols *s, const char *dir);

/**
 * symbols_add_fd() - use an open file
 * @s: symbols
 * @fd: a program or library, open for reading; the symbols own it from now on
 * @id: text of its identity
 */
void symbols_add_fd(struct symbols *s, int fd, const char *id);

/** symbols_hold() - open the files of symbols_add_dir() now; later it may not be allowed */
void symbols_hold(struct symbols *s);

/** symbols_add_vdso() - use the vDSO of this kernel */
void symbols_add_vdso(struct symbols *s);

/**
 * symbols_add_source() - names from elsewhere than a file
 * @s: symbols
 * @id: text of the identity that they are for; FOLD_ADDRESS for addresses in the kernel
 * @find: adds the functions at an offset; adds none when it knows none
 * @ctx: for @find
 * @release: frees @ctx when it is no longer needed; NULL when it need not
 *
 * Files of symbols_add_dir() come first, all others later. The first source of an
 * identity stays.
 */
void symbols_add_source(struct symbols *s, const char *id,
			void (*find)(void *ctx, uint64_t offset, struct functions *f), void *ctx,
			void (*release)(void *ctx));

/**
 * symbols_line() - a folded line with names in the place of identities
 * @s: symbols
 * @line: without its count
 *
 * A frame becomes the function, and then one "NAME_[i]" for each function that was
 * inlined there. Frames of the kernel and of BPF keep their mark. A frame that has no
 * name stays as it is.
 *
 * Return: allocated text.
 */
char *symbols_line(struct symbols *s, const char *line);

/**
 * symbols_each_place() - all places that symbols_line() was asked for, with their functions
 * @s: symbols
 * @one: gets a place
 * @ctx: for @one
 */
void symbols_each_place(const struct symbols *s,
			void (*one)(void *ctx, const struct place *place), void *ctx);

/** symbols_stop() - give up what is being fetched, and fetch no more; from signal handlers */
void symbols_stop(void);

/**
 * symbols_report() - say how many frames have names, and for which files there are none
 * @s: symbols
 * @out: where to
 */
void symbols_report(const struct symbols *s, FILE *out);

/** symbols_complete() - has each frame with an identity a name? */
bool symbols_complete(const struct symbols *s);

#endif /* BUILDIDX_SYMBOLS_H */
