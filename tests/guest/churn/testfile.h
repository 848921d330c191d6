/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test files: small ELF images that can be mapped, dlopened and executed, whose
 * pages say what they are.
 */
#ifndef CHURN_TESTFILE_H
#define CHURN_TESTFILE_H

#include <stddef.h>

#include "windows.h"

/*
 * Code at the start of each page but the first and the last: loads what the
 * page is into registers, spins for %ecx rounds, clears %r10 and returns. It
 * has the same length and layout in all files, so that a thread keeps running
 * when another file is mapped under it.
 */
#define CHURN_CODE	0x000
/* Entry point of the program, in the second page. */
#define CHURN_ENTRY	(CHURN_PAGE + 0x80)

/* Value of %r10 while the code of a page runs; %rax is the token, %rdx the offset. */
static inline __u64 churn_run_magic(__u32 file, __u32 gen, __u64 offset)
{
	return ~churn_mix(file, gen, offset);
}

/**
 * churn_make_id() - build ID of one generation of a file
 * @file: number of the file
 * @gen: generation
 * @id: BUILDIDX_ID_MAX bytes; those past the length are set to zero
 *
 * Return: length in bytes.
 */
__u32 churn_make_id(enum churn_file file, __u32 gen, __u8 *id);

/**
 * churn_read_id() - the reverse
 * @id: identity
 * @len: its length
 * @file: result
 * @gen: result
 *
 * Return: true when it is exactly the ID of some generation of a test file.
 */
bool churn_read_id(const __u8 *id, __u32 len, enum churn_file *file, __u32 *gen);

/* The content of a file, churn_files[file].pages long, malloced. Exits without memory. */
void *churn_image(enum churn_file file, __u32 gen, size_t *size);

#endif /* CHURN_TESTFILE_H */
