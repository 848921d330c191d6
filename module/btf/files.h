/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_FILES_H
#define BIDX_BTF_FILES_H

#include "blob.h"

/**
 * complain() - tell what is wrong, on stderr, with the program's name
 * @format: as for printf(), without a newline
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * file_read() - read a whole file
 * @path: its path
 * @out: filled in; the caller frees @out->data
 *
 * Return: 0, or -1 after complain().
 */
int file_read(const char *path, struct blob *out);

/**
 * file_write() - write a whole file
 * @path: its path; what was there is replaced
 * @in: its new content
 *
 * Return: 0, or -1 after complain().
 */
int file_write(const char *path, const struct blob *in);

#endif
