// SPDX-License-Identifier: GPL-2.0
/*
 * bpfrec_fuzz - libFuzzer target for bidx_rec_bpf_check() and bidx_bpf_id_feed()
 *
 * The input is a record. One that is found good may be followed everywhere, and gives
 * the same bytes to the hash each time, no more than its size allows.
 */
#include <stdlib.h>
#include <string.h>

#include "../../module/bpfid.h"

struct sum {
	u64 bytes;
	u64 hash;
};

static void require(bool promise)
{
	if (!promise)
		abort();
}

static void sum_add(void *ctx, const void *bytes, size_t len)
{
	const u8 *from = bytes;
	struct sum *sum = ctx;
	size_t i;

	for (i = 0; i < len; i++)
		sum->hash = (sum->hash ^ from[i]) * 0x100000001b3;
	sum->bytes += len;
}

static struct sum feed(const struct buildidx_rec_bpf *r)
{
	struct sum sum = {};
	const struct bidx_hash hash = { .add = sum_add, .ctx = &sum };

	bidx_bpf_id_feed(r, &hash);
	return sum;
}

static u64 most_bytes(const struct buildidx_rec_bpf *r)
{
	const u64 text = BUILDIDX_REC_TEXT_MAX;

	return 12 + r->funcs.len / sizeof(struct buildidx_bpf_func) * (text + 8) +
	       r->lines.len / sizeof(struct buildidx_bpf_line) * (2 * text + 16);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	/* Of its own, so that a byte too far is seen, and aligned as a record must be. */
	struct buildidx_rec_bpf *r = malloc(len ? len : 1);
	struct sum first, again;

	require(r);
	memcpy(r, data, len);
	if (bidx_rec_bpf_check(r, len)) {
		first = feed(r);
		again = feed(r);
		require(first.bytes == again.bytes && first.hash == again.hash);
		require(first.bytes <= most_bytes(r));
	}
	free(r);
	return 0;
}
