/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SAMPLER_FILES_H
#define SAMPLER_FILES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copy the regular files of directory @from into @to, which is made, as
 * executables, and write them to disk. Return 0, or negative errno with the
 * reason on stderr.
 */
int files_copy(const char *from, const char *to);

/* Remove the regular files of a directory and the directory. */
void files_remove(const char *dir);

/* Write back and drop the whole page cache. Return 0 or negative errno. */
int files_drop_caches(void);

/* 1 when the page that holds @offset is in the page cache, 0 when not, or negative errno. */
int files_page_cached(const char *path, size_t offset);

bool files_all_zero(const char *p, size_t n);

#endif /* SAMPLER_FILES_H */
