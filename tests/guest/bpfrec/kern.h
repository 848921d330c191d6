/* SPDX-License-Identifier: GPL-2.0 */
/* What kern.bpf.c hands to user space. BPF programs include <linux/bpf.h> first. */
#ifndef BPFREC_KERN_H
#define BPFREC_KERN_H

#include <linux/types.h>

#include "../../../include/uapi/buildidx.h"

#define KERN_DEPTH	24
#define KERN_PROBES	32
#define KERN_SLOTS	512

/**
 * struct kern_sample - one kernel stack of the target, taken in NMI context
 * @time: CLOCK_BOOTTIME
 * @tgid: the target
 * @ips_ret: bytes of @ips, or negative errno
 * @frames_ret: elements of @frames, or negative errno
 * @user_ret: elements of @user, or negative errno
 * @kernel_ret: elements of @kernel, or negative errno
 * @probes_ret: elements of @probes, or negative errno
 * @pad: zero
 * @ips: the stack
 * @frames: bpf_buildidx_frames() of it
 * @user: bpf_buildidx_stack_build_id() of it, flags 0
 * @kernel: the same with BUILDIDX_F_KERNEL
 * @probes: bpf_buildidx_frames() of addresses that the test asked for
 */
struct kern_sample {
	__u64 time;
	__u32 tgid;
	__s32 ips_ret;
	__s32 frames_ret;
	__s32 user_ret;
	__s32 kernel_ret;
	__s32 probes_ret;
	__u64 ips[KERN_DEPTH];
	struct buildidx_frame frames[KERN_DEPTH];
	struct bpf_stack_build_id user[KERN_DEPTH];
	struct bpf_stack_build_id kernel[KERN_DEPTH];
	struct buildidx_frame probes[KERN_PROBES];
};

#endif /* BPFREC_KERN_H */
