/* SPDX-License-Identifier: GPL-2.0 */
/* reader - a bidx_reader over images that counts, fails and changes on demand */
#ifndef UNIT_READER_H
#define UNIT_READER_H

#include "../../module/elfid.h"
#include "../hostile/image.h"

/**
 * struct test_reader - one file as the parser sees it
 * @img: the content
 * @next: the content from read number @change_at on; may be NULL
 * @change_at: see @next
 * @fail_at: number of the read that fails with @fail_with and leaves rubbish in
 *	the buffer; the first is 0
 * @fail_with: negative errno, or 0 for none
 * @reads: reads so far
 * @bytes: bytes asked for so far
 * @failed: whether a read has returned @fail_with
 * @broken: a read broke the promises of struct bidx_reader
 */
struct test_reader {
	const struct image *img;
	const struct image *next;
	u32 change_at;
	u32 fail_at;
	int fail_with;
	u32 reads;
	u64 bytes;
	bool failed;
	bool broken;
};

/* Identify @t->img; @out is filled with rubbish before, to see that all is written. */
int test_identify(struct test_reader *t, struct bidx_ident *out);

#endif /* UNIT_READER_H */
