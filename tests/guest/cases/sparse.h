/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of a packed file system image: the blocks of a file that are not zero.
 * An initramfs has no holes, so images travel packed and are unpacked in the
 * guest. Little-endian, like every machine that the tests run on.
 */
#ifndef CASES_SPARSE_H
#define CASES_SPARSE_H

#include <stdint.h>

#define SPARSE_MAGIC	0x6b63617065676d69ULL
#define SPARSE_BLOCK	4096

/* Starts the file; then come (uint64_t offset, SPARSE_BLOCK bytes) pairs to its end. */
struct sparse_header {
	uint64_t magic;
	uint64_t size;
};

#endif /* CASES_SPARSE_H */
