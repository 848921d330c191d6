/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * bpfid - the build ID of a BPF program, from its record
 *
 * Pure C: the same source is compiled into the module, the library and the unit
 * tests. struct buildidx_rec_bpf says which bytes are hashed.
 */
#ifndef BIDX_BPFID_H
#define BIDX_BPFID_H

#include "elfid.h"
#include "../include/uapi/buildidx_record.h"

/**
 * struct bidx_hash - a SHA-256 that takes bytes piece by piece
 * @add: take @len bytes
 * @ctx: for @add
 */
struct bidx_hash {
	void (*add)(void *ctx, const void *bytes, size_t len);
	void *ctx;
};

bool bidx_rec_bpf_check(const struct buildidx_rec_bpf *r, size_t len);
void bidx_bpf_id_feed(const struct buildidx_rec_bpf *r, const struct bidx_hash *hash);

/* bpfid_hash.c of the module, and of the library: its first BUILDIDX_BPF_ID_LEN bytes */
void bidx_bpf_id(const struct buildidx_rec_bpf *r, u8 id[BUILDIDX_BPF_ID_LEN]);

#endif /* BIDX_BPFID_H */
