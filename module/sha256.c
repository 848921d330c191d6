// SPDX-License-Identifier: GPL-2.0
/* bidx_sha256() through the kernel's SHA-256 library */
#include <linux/types.h>
#include <asm/byteorder.h>

#include "elfid.h"
#include "compat/sha256.h"

void bidx_sha256(const void *head, size_t head_len, const void *tail,
		 size_t tail_len, u64 size, u8 digest[32])
{
	__be64 length = cpu_to_be64(size);
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, head, head_len);
	sha256_update(&ctx, tail, tail_len);
	sha256_update(&ctx, (const u8 *)&length, sizeof(length));
	sha256_final(&ctx, digest);
}
