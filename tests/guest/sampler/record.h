/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the sampler's BPF programs hand to user space: one stack of a watched
 * process, resolved three times in the same interrupt.
 *
 * Included by BPF programs and by user space.
 */
#ifndef SAMPLER_RECORD_H
#define SAMPLER_RECORD_H

#include <linux/bpf.h>
#include <linux/types.h>

#include "../../../include/uapi/buildidx.h"

#define SAMPLE_DEPTH	32

/* sample.source */
#define SAMPLE_NMI	1 /* nmi:nmi_handler, in true NMI context */
#define SAMPLE_CLOCK	2 /* perf software clock, in hard interrupt context */

/* sample.context */
#define SAMPLE_CONTEXT_OTHER	0
#define SAMPLE_CONTEXT_NMI	1 /* the NMI bits of preempt_count are set */

/* sample.dropin_ret, sample.rich_ret when the module is absent */
#define SAMPLE_ABSENT	(-38) /* -ENOSYS */

/**
 * struct sample - one stack
 * @time_ns: CLOCK_MONOTONIC
 * @tgid: process, in the initial pid namespace
 * @pid: thread, in the initial pid namespace
 * @cpu: CPU that took the sample
 * @source: SAMPLE_NMI or SAMPLE_CLOCK
 * @context: SAMPLE_CONTEXT_*, as preempt_count says
 * @pad: zero
 * @ips_ret: bytes of @ips that are valid, or negative errno
 * @stock_ret: what bpf_get_stack(BPF_F_USER_BUILD_ID) returned
 * @dropin_ret: what bpf_buildidx_stack_build_id() returned, or SAMPLE_ABSENT
 * @rich_ret: what bpf_buildidx_frames() returned, or SAMPLE_ABSENT
 * @ips: addresses
 * @stock: the stock helper's answers, element i being that for @ips[i]
 * @dropin: bpf_buildidx_stack_build_id()'s answers
 * @rich: bpf_buildidx_frames()'s answers
 */
struct sample {
	__u64 time_ns;
	__u32 tgid;
	__u32 pid;
	__u32 cpu;
	__u8  source;
	__u8  context;
	__u8  pad[2];
	__s32 ips_ret;
	__s32 stock_ret;
	__s32 dropin_ret;
	__s32 rich_ret;
	__u64 ips[SAMPLE_DEPTH];
	struct bpf_stack_build_id stock[SAMPLE_DEPTH];
	struct bpf_stack_build_id dropin[SAMPLE_DEPTH];
	struct buildidx_frame rich[SAMPLE_DEPTH];
};

/**
 * struct sample_counts - kept by the BPF programs, in one page that user space
 * can map, the watched processes included
 * @taken: samples of watched processes that went into the ring
 * @dropped: samples of watched processes that found no room in the ring
 * @nmi_total: handled NMIs, whoever was running
 * @nmi_taken: @taken of source SAMPLE_NMI
 * @clock_taken: @taken of source SAMPLE_CLOCK
 */
struct sample_counts {
	__u64 taken;
	__u64 dropped;
	__u64 nmi_total;
	__u64 nmi_taken;
	__u64 clock_taken;
};

#endif /* SAMPLER_RECORD_H */
