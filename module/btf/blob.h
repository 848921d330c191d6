/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_BLOB_H
#define BIDX_BTF_BLOB_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct blob - bytes in memory
 * @data: first byte
 * @size: number of bytes
 */
struct blob {
	unsigned char *data;
	size_t size;
};

/* The value may stand at any address: images and sections are not aligned to its size. */
static inline uint16_t get16(const unsigned char *p)
{
	return p[0] | p[1] << 8;
}

static inline uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static inline uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static inline void put32(unsigned char *p, uint32_t value)
{
	p[0] = value;
	p[1] = value >> 8;
	p[2] = value >> 16;
	p[3] = value >> 24;
}

/* Is [offset, offset + size) inside of @b? */
static inline int blob_holds(const struct blob *b, uint64_t offset, uint64_t size)
{
	return offset <= b->size && size <= b->size - offset;
}

#endif
