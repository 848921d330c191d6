/* SPDX-License-Identifier: GPL-2.0 */
/* What frames.bpf.c hands to user space. Included by both. */
#ifndef BENCH_FRAMES_RECORD_H
#define BENCH_FRAMES_RECORD_H

#include <linux/types.h>

#define FRAMES_DEPTH	36
#define FRAMES_SAMPLES	256

/* What is timed in each interrupt. */
enum frames_call {
	FRAMES_PLAIN,	/* bpf_get_stack(BPF_F_USER_STACK) */
	FRAMES_STOCK,	/* the same with BPF_F_USER_BUILD_ID */
	FRAMES_DROPIN,	/* bpf_buildidx_stack_build_id() */
	FRAMES_RICH,	/* bpf_buildidx_frames() */
	FRAMES_NOTHING,	/* reading the clock */
	FRAMES_CALLS,
};

/**
 * struct frames_sample - one interrupt
 * @took: ns
 * @answered: frames that got a build ID
 */
struct frames_sample {
	__u64 took[FRAMES_CALLS];
	__u32 answered[FRAMES_CALLS];
};

#endif /* BENCH_FRAMES_RECORD_H */
