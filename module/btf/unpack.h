/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_UNPACK_H
#define BIDX_BTF_UNPACK_H

#include "blob.h"

/**
 * unpack_method() - name of the compression that a byte stream starts with
 * @in: the stream
 *
 * Return: "gzip", "xz", "lz4", "zstd", or NULL if it starts with none of them.
 */
const char *unpack_method(const struct blob *in);

/**
 * unpack() - decompress
 * @in: the compressed stream
 * @size: size of the decompressed data
 * @out: filled in; the caller frees @out->data
 *
 * Return: 0, or -1 after complain().
 */
int unpack(const struct blob *in, size_t size, struct blob *out);

/**
 * lz4_legacy() - decompress what `lz4 -l` wrote, the only LZ4 container that kernel images use
 * @in: the stream, with its magic
 * @out: where to; @out->size is the exact size that is expected
 *
 * Return: 0, or -1 if the stream is damaged or has another size.
 */
int lz4_legacy(const struct blob *in, struct blob *out);

#endif
