// SPDX-License-Identifier: GPL-2.0
/* reader - a bidx_reader over images (see reader.h) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

static int test_read(void *ctx, u64 off, void *buf, size_t len)
{
	struct test_reader *t = ctx;
	const struct image *img = t->img;
	u32 number = t->reads++;

	t->bytes += len;
	if (!len || off > img->size || len > img->size - off) {
		t->broken = true;
		return -EIO;
	}
	if (t->fail_with && number == t->fail_at) {
		t->failed = true;
		memset(buf, 0xee, len);
		return t->fail_with;
	}
	if (t->next && number >= t->change_at)
		img = t->next;
	if (off > img->size || len > img->size - off)
		return -ENODATA;
	image_read(img, off, buf, len);
	return 0;
}

int test_identify(struct test_reader *t, struct bidx_ident *out)
{
	const struct bidx_reader r = { .read = test_read, .ctx = t, .size = t->img->size };
	void *scratch = malloc(BIDX_SCRATCH_SIZE);
	int ret;

	if (!scratch)
		abort();
	memset(scratch, 0xa5, BIDX_SCRATCH_SIZE);
	memset(out, 0xa5, sizeof(*out));
	t->reads = 0;
	t->bytes = 0;
	t->failed = false;
	t->broken = false;
	ret = bidx_identify(&r, out, scratch);
	free(scratch);
	return ret;
}
