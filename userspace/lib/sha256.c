// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* bidx_sha256() through nettle */
#include <endian.h>
#include <nettle/sha2.h>

#include "../../module/elfid.h"

void bidx_sha256(const void *head, size_t head_len, const void *tail,
		 size_t tail_len, u64 size, u8 digest[32])
{
	u64 length = htobe64(size);
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, head_len, head);
	sha256_update(&ctx, tail_len, tail);
	sha256_update(&ctx, sizeof(length), (const u8 *)&length);
	sha256_digest(&ctx, SHA256_DIGEST_SIZE, digest);
}
