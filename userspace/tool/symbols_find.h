/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_find - ELF files of this machine by their identity
 */
#ifndef BUILDIDX_SYMBOLS_FIND_H
#define BUILDIDX_SYMBOLS_FIND_H

#include <stdbool.h>
#include <stdio.h>

struct symbols_files;

struct symbols_files *symbols_files_new(void);
void symbols_files_free(struct symbols_files *f);

/** symbols_files_add_dir() - see symbols_add_dir() */
int symbols_files_add_dir(struct symbols_files *f, const char *dir);

/** symbols_files_report() - where files are looked for: one line of text for each place */
void symbols_files_report(const struct symbols_files *f, FILE *out);

/** symbols_file_id() - allocated text of the identity of an ELF file; NULL when it is none */
char *symbols_file_id(int fd);

/** symbols_files_add_fd() - see symbols_add_fd() */
void symbols_files_add_fd(struct symbols_files *f, int fd, const char *id);

/** symbols_files_add_vdso() - see symbols_add_vdso() */
void symbols_files_add_vdso(struct symbols_files *f);

/** symbols_files_have() - is there a file of this identity, or its debug information? */
bool symbols_files_have(const struct symbols_files *f, const char *id);

/** symbols_files_hold() - see symbols_hold() */
void symbols_files_hold(struct symbols_files *f);

/**
 * symbols_files_open() - open a file by its identity
 * @f: files
 * @id: text of the identity
 * @debug: the one that has only debug information, not the program itself
 * @name: receives an allocated name of it
 *
 * Return: file descriptor, or -1 where there is none.
 */
int symbols_files_open(const struct symbols_files *f, const char *id, bool debug, char **name);

#endif /* BUILDIDX_SYMBOLS_FIND_H */
