/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input - what a fuzz input means
 *
 * A header of FUZZ_HEADER bytes, then the bytes of the file:
 *
 *	0	number of the read from which the file is the second one
 *	1	number of the read that fails, plus one; 0: none
 *	2	which error that is, see fuzz_errors
 *	3	log2 of the zeros behind the bytes, in the file's length; 0: none
 *	4-5	length of the first file, little endian; the rest is the second one
 *
 * A second file of length 0 means that the file does not change.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <errno.h>

#define FUZZ_HEADER	6U

static const int fuzz_errors[] = { -EIO, -EAGAIN, -EINTR, -ENODATA };
#define FUZZ_ERROR_COUNT	(sizeof(fuzz_errors) / sizeof(fuzz_errors[0]))

#endif /* FUZZ_INPUT_H */
