// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps a CPU busy in a BPF program, for who asks for it: by getppid(2) in one for a
 * tracepoint, by getpgid(2) in one behind a trampoline.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

#define ROUNDS	100000

__u32 target = 0;	/* tgid */
__u64 sink = 0;

static long one_round(__u32 i, void *ctx)
{
	(void)ctx;
	sink += i;
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_getppid")
int hog(void *ctx)
{
	(void)ctx;
	if (bpf_get_current_pid_tgid() >> 32 == target)
		bpf_loop(ROUNDS, one_round, NULL, 0);
	return 0;
}

SEC("fentry/__x64_sys_getpgid")
int BPF_PROG(hog_fentry)
{
	if (bpf_get_current_pid_tgid() >> 32 == target)
		bpf_loop(ROUNDS, one_round, NULL, 0);
	return 0;
}
