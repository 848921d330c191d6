/* SPDX-License-Identifier: GPL-2.0 */
/* Loads ask.bpf.c and calls the kfuncs through it. */
#ifndef CASES_ASK_USER_H
#define CASES_ASK_USER_H

#include <stdint.h>

#include <linux/bpf.h>

#include "../../../include/uapi/buildidx.h"
#include "ask.h"

/**
 * struct ask - one call of each kfunc
 * @ips: addresses
 * @ips_size: bytes of @ips to hand over
 * @frames_size: bytes of @frames to hand over
 * @ids_size: bytes of @ids to hand over
 * @flags: for both
 * @frames_ret: what bpf_buildidx_frames() returned
 * @ids_ret: what bpf_buildidx_stack_build_id() returned
 * @frames: in and out, so that untouched bytes can be seen
 * @ids: in and out
 */
struct ask {
	uint64_t ips[ASK_MAX];
	uint32_t ips_size;
	uint32_t frames_size;
	uint32_t ids_size;
	uint64_t flags;
	int frames_ret;
	int ids_ret;
	struct buildidx_frame frames[ASK_MAX];
	struct bpf_stack_build_id ids[ASK_MAX];
};

/* Load and attach; the program ends when that fails. */
void ask_start(void);
void ask_stop(void);

/* Call both kfuncs in this process; the program ends when they were not reached. */
void ask_kfuncs(struct ask *a);

/* One address, by bpf_buildidx_frames(). Return: 0, or -EIO when it returned not 1. */
int ask_frame(int unused, const void *at, struct buildidx_frame *f);

#endif /* CASES_ASK_USER_H */
