// SPDX-License-Identifier: GPL-2.0
/* bidx_bpf_id() through the kernel's SHA-256 library */
#include <linux/sched.h>
#include <linux/string.h>

#include "bpfid.h"
#include "compat/sha256.h"

/* A program may have a hundred thousand lines. */
static void bidx_hash_add(void *ctx, const void *bytes, size_t len)
{
	sha256_update(ctx, bytes, len);
	cond_resched();
}

/**
 * bidx_bpf_id() - build ID of a BPF program
 * @r: its record, good by bidx_rec_bpf_check()
 * @id: result
 *
 * Context: may sleep.
 */
void bidx_bpf_id(const struct buildidx_rec_bpf *r, u8 id[BUILDIDX_BPF_ID_LEN])
{
	struct sha256_ctx ctx;
	const struct bidx_hash hash = { .add = bidx_hash_add, .ctx = &ctx };
	u8 digest[SHA256_DIGEST_SIZE];

	sha256_init(&ctx);
	bidx_bpf_id_feed(r, &hash);
	sha256_final(&ctx, digest);
	memcpy(id, digest, BUILDIDX_BPF_ID_LEN);
}
