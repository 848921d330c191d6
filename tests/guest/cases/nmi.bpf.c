// SPDX-License-Identifier: GPL-2.0
/*
 * Sample one process in NMI context: its stack, what the stock helper says of it,
 * and what both kfuncs say, in the same interrupt. And, for the argument fuzzer,
 * one call of each kfunc with sizes and flags that user space chooses.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "nmi.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;

__u32 target = 0;		/* tgid in the initial pid namespace */
__u32 kill_target = 0;		/* signal for the target after a sample, or 0 */
__u64 probe_ips[NMI_PROBES] = {};
__u32 taken = 0;		/* samples begun, those without room included */
__u32 done = 0;			/* samples complete */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NMI_SLOTS);
	__type(key, __u32);
	__type(value, struct nmi_sample);
} samples SEC(".maps");

/* Fires after each registered handler; one of them takes the NMI. */
SEC("tp_btf/nmi_handler")
int BPF_PROG(sample_nmi, void *handler, __s64 delta_ns, int handled)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct nmi_sample *s;
	__u32 slot;

	if (!handled || !target || pid_tgid >> 32 != target)
		return 0;
	slot = __sync_fetch_and_add(&taken, 1);
	s = bpf_map_lookup_elem(&samples, &slot);
	if (!s)
		return 0;
	s->tgid = pid_tgid >> 32;
	s->tid = (__u32)pid_tgid;
	s->ips_ret = bpf_get_stack(ctx, s->ips, sizeof(s->ips), BPF_F_USER_STACK);
	if (have_buildidx) {
		s->dropin_ret = bpf_buildidx_stack_build_id(s->ips, sizeof(s->ips), s->dropin,
							    sizeof(s->dropin), 0);
		s->frames_ret = bpf_buildidx_frames(s->ips, sizeof(s->ips), s->frames,
						    sizeof(s->frames), 0);
		s->probes_ret = bpf_buildidx_frames(probe_ips, sizeof(probe_ips), s->probes,
						    sizeof(s->probes), 0);
	}
	s->stock_ret = bpf_get_stack(ctx, s->stock, sizeof(s->stock),
				     BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	if (kill_target)
		s->signal_ret = bpf_send_signal(kill_target);
	__sync_fetch_and_add(&done, 1);
	return 0;
}
