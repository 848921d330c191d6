// SPDX-License-Identifier: GPL-2.0
/*
 * In the interrupt of a perf clock, time what the stock helper and the kfuncs
 * need for the stack of one process. The order changes from sample to sample.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/uapi/buildidx.h"
#include "../../../include/buildidx.bpf.h"
#include "../bench/frames_record.h"

char LICENSE[] SEC("license") = "GPL";

__u32 target = 0;	/* tgid */
__u32 taken = 0;

struct scratch {
	__u64 ips[FRAMES_DEPTH];
	struct bpf_stack_build_id stock[FRAMES_DEPTH];
	struct bpf_stack_build_id dropin[FRAMES_DEPTH];
	struct buildidx_frame rich[FRAMES_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FRAMES_SAMPLES);
	__type(key, __u32);
	__type(value, struct frames_sample);
} samples SEC(".maps");

/* The result goes to a constant place in each case: an index the verifier would not follow. */
static __always_inline void time_call(void *ctx, struct scratch *s, struct frames_sample *f,
				      __u32 call)
{
	__u64 start;

	switch (call) {
	case FRAMES_PLAIN:
		start = bpf_ktime_get_ns();
		bpf_get_stack(ctx, s->ips, sizeof(s->ips), BPF_F_USER_STACK);
		f->took[FRAMES_PLAIN] = bpf_ktime_get_ns() - start;
		break;
	case FRAMES_STOCK:
		start = bpf_ktime_get_ns();
		bpf_get_stack(ctx, s->stock, sizeof(s->stock),
			      BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
		f->took[FRAMES_STOCK] = bpf_ktime_get_ns() - start;
		break;
	case FRAMES_DROPIN:
		start = bpf_ktime_get_ns();
		bpf_buildidx_stack_build_id(s->ips, sizeof(s->ips), s->dropin, sizeof(s->dropin), 0);
		f->took[FRAMES_DROPIN] = bpf_ktime_get_ns() - start;
		break;
	case FRAMES_RICH:
		start = bpf_ktime_get_ns();
		bpf_buildidx_frames(s->ips, sizeof(s->ips), s->rich, sizeof(s->rich), 0);
		f->took[FRAMES_RICH] = bpf_ktime_get_ns() - start;
		break;
	default:
		start = bpf_ktime_get_ns();
		f->took[FRAMES_NOTHING] = bpf_ktime_get_ns() - start;
		break;
	}
}

static __always_inline int take(void *ctx)
{
	struct frames_sample *f;
	struct scratch *s;
	__u32 zero = 0, slot, i;

	if (!target || bpf_get_current_pid_tgid() >> 32 != target)
		return 0;
	slot = taken;
	s = bpf_map_lookup_elem(&scratches, &zero);
	f = bpf_map_lookup_elem(&samples, &slot);
	if (!s || !f)
		return 0;
	__builtin_memset(f, 0, sizeof(*f));
	/* Fetched untimed once: the kfuncs need the addresses whatever the order. */
	bpf_get_stack(ctx, s->ips, sizeof(s->ips), BPF_F_USER_STACK);
	for (i = 0; i < FRAMES_CALLS; i++)
		time_call(ctx, s, f, (slot + i) % FRAMES_CALLS);
	for (i = 0; i < FRAMES_DEPTH; i++) {
		if (s->ips[i])
			f->answered[FRAMES_PLAIN]++;
		if (s->stock[i].status == BPF_STACK_BUILD_ID_VALID)
			f->answered[FRAMES_STOCK]++;
		if (s->dropin[i].status == BPF_STACK_BUILD_ID_VALID)
			f->answered[FRAMES_DROPIN]++;
		if (s->rich[i].status == BUILDIDX_STATUS_OK)
			f->answered[FRAMES_RICH]++;
	}
	taken = slot + 1;
	return 0;
}

/* From 6.12 a perf_event program may call the kfuncs. */
SEC("perf_event")
int frames_perf(void *ctx)
{
	return take(ctx);
}

/* On 6.1 only tracing programs may: the same interrupt, seen from its handler. */
SEC("fentry/__perf_event_overflow")
int BPF_PROG(frames_fentry)
{
	return take(ctx);
}
