// SPDX-License-Identifier: GPL-2.0
/* Both kfuncs with arguments that user space chooses; see ask.h. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "../../../include/uapi/buildidx.h"
#include "ask.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;

__u32 asker = 0;			/* tgid in the initial pid namespace */
volatile __u32 ips_size = 0;		/* bytes of @ips that are handed over */
volatile __u32 frames_size = 0;
volatile __u32 ids_size = 0;
__u64 flags = 0;
int frames_ret = 0;
int ids_ret = 0;
__u32 calls = 0;

__u64 ips[ASK_MAX] = {};
struct buildidx_frame frames[ASK_MAX] = {};
struct bpf_stack_build_id ids[ASK_MAX] = {};

SEC("fentry/bpf_fentry_test1")
int BPF_PROG(ask)
{
	__u32 in = ips_size, rich = frames_size, plain = ids_size;

	if (!have_buildidx || bpf_get_current_pid_tgid() >> 32 != asker)
		return 0;
	if (in > sizeof(ips) || rich > sizeof(frames) || plain > sizeof(ids))
		return 0;
	frames_ret = bpf_buildidx_frames(ips, in, frames, rich, flags);
	ids_ret = bpf_buildidx_stack_build_id(ips, in, ids, plain, flags);
	calls++;
	return 0;
}
