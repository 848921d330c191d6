/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FIRSTINSN_FETCH_RECORD_H
#define FIRSTINSN_FETCH_RECORD_H

#include <linux/bpf.h>
#include <linux/types.h>

#include "../../../include/uapi/buildidx.h"

/**
 * struct fetch - one instruction-fetch fault
 * @time_ns: CLOCK_MONOTONIC
 * @tgid: process
 * @pid: thread
 * @address: what was to be fetched
 * @dropin_ret: what bpf_buildidx_stack_build_id() returned; 0 when it is absent
 * @rich_ret: what bpf_buildidx_frames() returned; 0 when it is absent
 * @stock_ret: what bpf_get_stack(BPF_F_USER_BUILD_ID) returned
 * @pad: not set
 * @dropin: answer for @address
 * @stock: the stock helper's answer, for comparison
 * @rich: answer for @address
 */
struct fetch {
	__u64 time_ns;
	__u32 tgid;
	__u32 pid;
	__u64 address;
	__s32 dropin_ret;
	__s32 rich_ret;
	__s32 stock_ret;
	__u32 pad;
	struct bpf_stack_build_id dropin;
	struct bpf_stack_build_id stock;
	struct buildidx_frame rich;
};

#endif /* FIRSTINSN_FETCH_RECORD_H */
