/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What nmi.bpf.c hands to t_nmi. BPF programs include <linux/bpf.h> first.
 */
#ifndef CASES_NMI_H
#define CASES_NMI_H

#include <linux/types.h>

#include "../../../include/uapi/buildidx.h"

#define NMI_DEPTH	8
#define NMI_PROBES	16
#define NMI_SLOTS	1024

/**
 * struct nmi_sample - one stack of the target, taken in NMI context
 * @tgid: the target
 * @tid: its thread
 * @ips_ret: bytes of @ips, or negative errno
 * @stock_ret: bytes of @stock, or negative errno
 * @dropin_ret: elements of @dropin, or negative errno
 * @frames_ret: elements of @frames, or negative errno
 * @probes_ret: elements of @probes, or negative errno
 * @signal_ret: what bpf_send_signal() returned, when it was called
 * @ips: the stack
 * @stock: bpf_get_stack(BPF_F_USER_BUILD_ID)
 * @dropin: bpf_buildidx_stack_build_id() of @ips
 * @frames: bpf_buildidx_frames() of @ips
 * @probes: bpf_buildidx_frames() of the addresses that the test asked for
 */
struct nmi_sample {
	__u32 tgid;
	__u32 tid;
	__s32 ips_ret;
	__s32 stock_ret;
	__s32 dropin_ret;
	__s32 frames_ret;
	__s32 probes_ret;
	__s32 signal_ret;
	__u64 ips[NMI_DEPTH];
	struct bpf_stack_build_id stock[NMI_DEPTH];
	struct bpf_stack_build_id dropin[NMI_DEPTH];
	struct buildidx_frame frames[NMI_DEPTH];
	struct buildidx_frame probes[NMI_PROBES];
};

/* An array map has struct nmi_sample[NMI_SLOTS] as its one value. */
struct nmi_samples {
	struct nmi_sample slot[NMI_SLOTS];
};

#endif /* CASES_NMI_H */
