// SPDX-License-Identifier: GPL-2.0
/*
 * Take the user stack of watched processes in NMI context and from the perf
 * software clock, and resolve it with the stock helper and with both kfuncs in
 * the same interrupt.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "../sampler/record.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;
/* NMI bits of preempt_count: they moved between releases. Set by the loader. */
const volatile __u32 nmi_mask = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u8);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample_counts);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 * 1024 * 1024); /* the loader may change it */
} samples SEC(".maps");

/*
 * Addresses to resolve: 6.1 allows ring memory for one argument of a kfunc
 * only. One slot for each source: an NMI may interrupt a clock sample.
 */
struct scratch {
	__u64 ips[SAMPLE_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SAMPLE_CLOCK + 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* 6.1 and 6.15 on; between them it is a member of pcpu_hot. */
extern const int __preempt_count __ksym __weak;

struct pcpu_hot {
	int preempt_count;
} __attribute__((preserve_access_index));

extern const struct pcpu_hot pcpu_hot __ksym __weak;

static __always_inline __u8 context(void)
{
	__u32 count = 0;

	if (&__preempt_count) {
		const int *p = bpf_this_cpu_ptr(&__preempt_count);

		count = *p;
	} else if (&pcpu_hot) {
		const struct pcpu_hot *p = bpf_this_cpu_ptr(&pcpu_hot);

		count = p->preempt_count;
	}
	return count & nmi_mask ? SAMPLE_CONTEXT_NMI : SAMPLE_CONTEXT_OTHER;
}

static __always_inline struct sample_counts *counters(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

static __always_inline int take(void *ctx, __u8 source)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 tgid = pid_tgid >> 32;
	struct sample_counts *c;
	struct scratch *scratch;
	struct sample *s;
	__u32 key = source;

	if (!bpf_map_lookup_elem(&watched, &tgid))
		return 0;
	c = counters();
	scratch = bpf_map_lookup_elem(&scratches, &key);
	if (!c || !scratch)
		return 0;
	s = bpf_ringbuf_reserve(&samples, sizeof(*s), 0);
	if (!s) {
		__sync_fetch_and_add(&c->dropped, 1);
		return 0;
	}
	s->time_ns = bpf_ktime_get_ns();
	s->tgid = tgid;
	s->pid = (__u32)pid_tgid;
	s->cpu = bpf_get_smp_processor_id();
	s->source = source;
	s->context = context();
	s->pad[0] = 0;
	s->pad[1] = 0;
	s->ips_ret = bpf_get_stack(ctx, scratch->ips, sizeof(scratch->ips), BPF_F_USER_STACK);
	__builtin_memcpy(s->ips, scratch->ips, sizeof(s->ips));
	s->dropin_ret = SAMPLE_ABSENT;
	s->rich_ret = SAMPLE_ABSENT;
	if (have_buildidx) {
		s->dropin_ret = bpf_buildidx_stack_build_id(scratch->ips, sizeof(scratch->ips),
							    s->dropin, sizeof(s->dropin), 0);
		s->rich_ret = bpf_buildidx_frames(scratch->ips, sizeof(scratch->ips), s->rich,
						  sizeof(s->rich), 0);
	}
	s->stock_ret = bpf_get_stack(ctx, s->stock, sizeof(s->stock),
				     BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	bpf_ringbuf_submit(s, 0);
	__sync_fetch_and_add(&c->taken, 1);
	if (source == SAMPLE_NMI)
		__sync_fetch_and_add(&c->nmi_taken, 1);
	else
		__sync_fetch_and_add(&c->clock_taken, 1);
	return 0;
}

/* Fires after each registered handler; one of them takes the NMI. */
SEC("tp_btf/nmi_handler")
int BPF_PROG(sample_nmi, void *handler, __s64 delta_ns, int handled)
{
	struct sample_counts *c;

	if (!handled)
		return 0;
	c = counters();
	if (c)
		__sync_fetch_and_add(&c->nmi_total, 1);
	return take(ctx, SAMPLE_NMI);
}

/* From 6.12 a perf_event program may call the kfuncs. */
SEC("perf_event")
int sample_clock(void *ctx)
{
	return take(ctx, SAMPLE_CLOCK);
}

/* On 6.1 only tracing programs may: the same interrupt, seen from its handler. */
SEC("fentry/__perf_event_overflow")
int BPF_PROG(sample_clock_fentry)
{
	return take(ctx, SAMPLE_CLOCK);
}
