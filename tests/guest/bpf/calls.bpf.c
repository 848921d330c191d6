// SPDX-License-Identifier: GPL-2.0
/* How long calls of functions of the module take, in the task that started this. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../bench/calls_record.h"

char LICENSE[] SEC("license") = "GPL";

__u32 target = 0;	/* tgid */
__u32 count[CALLS_FUNCTIONS] = {};
__u64 took[CALLS_FUNCTIONS][CALLS_MAX] = {};
__u64 started[CALLS_FUNCTIONS] = {};

static __always_inline void enter(enum calls_function f)
{
	if (bpf_get_current_pid_tgid() >> 32 == target)
		started[f] = bpf_ktime_get_ns();
}

static __always_inline void leave(enum calls_function f)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 n = count[f];

	if (bpf_get_current_pid_tgid() >> 32 != target)
		return;
	if (n < CALLS_MAX)
		took[f][n] = now - started[f];
	count[f] = n + 1;
}

SEC("fentry/bidx_scan")
int BPF_PROG(scan_enter)
{
	enter(CALLS_SCAN);
	return 0;
}

SEC("fexit/bidx_scan")
int BPF_PROG(scan_leave)
{
	leave(CALLS_SCAN);
	return 0;
}

SEC("fentry/bidx_capture")
int BPF_PROG(capture_enter)
{
	enter(CALLS_CAPTURE);
	return 0;
}

SEC("fexit/bidx_capture")
int BPF_PROG(capture_leave)
{
	leave(CALLS_CAPTURE);
	return 0;
}
