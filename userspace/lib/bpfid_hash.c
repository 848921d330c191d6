// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* bidx_bpf_id() through nettle */
#include <nettle/sha2.h>
#include <string.h>

#include "../../module/bpfid.h"

static void add(void *ctx, const void *bytes, size_t len)
{
	sha256_update(ctx, len, bytes);
}

void bidx_bpf_id(const struct buildidx_rec_bpf *r, u8 id[BUILDIDX_BPF_ID_LEN])
{
	struct sha256_ctx ctx;
	const struct bidx_hash hash = { .add = add, .ctx = &ctx };

	sha256_init(&ctx);
	bidx_bpf_id_feed(r, &hash);
	sha256_digest(&ctx, BUILDIDX_BPF_ID_LEN, id);
}
