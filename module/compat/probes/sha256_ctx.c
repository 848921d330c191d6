// SPDX-License-Identifier: GPL-2.0
/* Is the state of the SHA-256 library a struct sha256_ctx? Before 6.16 it was sha256_state. */
#include <crypto/sha2.h>

void probe(const u8 *data, size_t len, u8 *out);

void probe(const u8 *data, size_t len, u8 *out)
{
#ifndef PROBE_CONTROL
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, data, len);
	sha256_final(&ctx, out);
#endif
}
