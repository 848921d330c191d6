/* SPDX-License-Identifier: GPL-2.0 */
/* cases - the odd and hostile files, and what buildidx must say of each */
#ifndef HOSTILE_CASES_H
#define HOSTILE_CASES_H

#include "../../include/uapi/buildidx.h"
#include "image.h"

/**
 * struct hostile_case - one file
 * @name: name of the file
 * @make: fills an image; image_init() was called, 64 bits and little endian
 * @status: BUILDIDX_STATUS_OK, _NO_NOTE or _TOO_LONG
 * @kind: enum buildidx_kind; GNU and GO tell the identity, HASH means that
 *	image_hash() gives it
 * @source: enum buildidx_source
 * @id_len: length of @id
 * @id: identity
 */
struct hostile_case {
	const char *name;
	void (*make)(struct image *img);
	unsigned int status;
	unsigned int kind;
	unsigned int source;
	size_t id_len;
	const char *id;
};

extern const struct hostile_case hostile_cases[];
extern const size_t hostile_case_count;

#endif /* HOSTILE_CASES_H */
