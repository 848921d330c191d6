// SPDX-License-Identifier: GPL-2.0
/* Time what a kernel stack costs: the stock helper that stores one, and the kfunc that resolves it. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/uapi/buildidx.h"
#include "../../../include/buildidx.bpf.h"

#define DEPTH 32

char LICENSE[] SEC("license") = "GPL";

/* Frames to be resolved: those that the stack has, once that is known. */
const volatile __u32 use = DEPTH;

__u32 target = 0;	/* tgid */
__u32 depth = 0;	/* frames of the stack */
__u32 resolved = 0;
__u64 stored_ns = 0;
__u64 resolved_ns = 0;
__u64 nothing_ns = 0;

__u64 ips[DEPTH] = {};
struct buildidx_frame frames[DEPTH] = {};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1024);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, DEPTH * sizeof(__u64));
} stacks SEC(".maps");

SEC("fentry/bpf_fentry_test1")
int BPF_PROG(kframes)
{
	__u64 start, after;
	__u32 i, n = 0, ok = 0;

	if (bpf_get_current_pid_tgid() >> 32 != target)
		return 0;
	start = bpf_ktime_get_ns();
	after = bpf_ktime_get_ns();
	nothing_ns = after - start;
	start = bpf_ktime_get_ns();
	bpf_get_stackid(ctx, &stacks, 0);
	stored_ns = bpf_ktime_get_ns() - start;
	__builtin_memset(ips, 0, sizeof(ips));
	bpf_get_stack(ctx, ips, sizeof(ips), 0);
	for (i = 0; i < DEPTH; i++)
		n += ips[i] != 0;
	depth = n;
	start = bpf_ktime_get_ns();
	bpf_buildidx_frames(ips, use * sizeof(ips[0]), frames, use * sizeof(frames[0]), 0);
	resolved_ns = bpf_ktime_get_ns() - start;
	for (i = 0; i < DEPTH && i < use; i++)
		ok += frames[i].status == BUILDIDX_STATUS_OK ||
		      frames[i].status == BUILDIDX_STATUS_GENERATED;
	resolved = ok;
	return 0;
}
