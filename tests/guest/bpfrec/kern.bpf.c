// SPDX-License-Identifier: GPL-2.0
/*
 * In NMI context, the kernel stack of what a process was doing in the kernel, and what
 * both kfuncs say of it.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "kern.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;

__u32 target = 0;		/* tgid in the initial pid namespace */
__u64 probe_ips[KERN_PROBES] = {};
__u32 taken = 0;		/* samples begun, those without room included */
__u32 done = 0;			/* samples complete */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KERN_SLOTS);
	__type(key, __u32);
	__type(value, struct kern_sample);
} samples SEC(".maps");

/* Fires after each registered handler; one of them takes the NMI. */
SEC("tp_btf/nmi_handler")
int BPF_PROG(sample_kernel, void *handler, __s64 delta_ns, int handled)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct kern_sample *s;
	__u32 slot;

	if (!handled || !target || pid_tgid >> 32 != target)
		return 0;
	slot = __sync_fetch_and_add(&taken, 1);
	s = bpf_map_lookup_elem(&samples, &slot);
	if (!s)
		return 0;
	s->time = bpf_ktime_get_boot_ns();
	s->tgid = pid_tgid >> 32;
	s->ips_ret = bpf_get_stack(ctx, s->ips, sizeof(s->ips), 0);
	if (have_buildidx) {
		s->frames_ret = bpf_buildidx_frames(s->ips, sizeof(s->ips), s->frames,
						    sizeof(s->frames), 0);
		s->user_ret = bpf_buildidx_stack_build_id(s->ips, sizeof(s->ips), s->user,
							  sizeof(s->user), 0);
		s->kernel_ret = bpf_buildidx_stack_build_id(s->ips, sizeof(s->ips), s->kernel,
							    sizeof(s->kernel), BUILDIDX_F_KERNEL);
		s->probes_ret = bpf_buildidx_frames(probe_ips, sizeof(probe_ips), s->probes,
						    sizeof(s->probes), 0);
	}
	__sync_fetch_and_add(&done, 1);
	return 0;
}
