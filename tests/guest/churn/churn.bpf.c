// SPDX-License-Identifier: GPL-2.0
/*
 * Ask the kfunc about addresses of the current task at three kinds of moment: in
 * NMI context, from the perf software clock, and from kprobes in the middle of
 * the kernel's own mapping code. Before and after each lookup, read from the
 * sampled memory what the answer should be. Judging is left to user space.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "truth.h"

char LICENSE[] SEC("license") = "GPL";

#define PERF_TYPE_SOFTWARE 1 /* uapi/linux/perf_event.h, an enum */

/* The clock has a program of its own. Set by the loader. */
const volatile bool clock_program = false;

struct perf_event_attr {
	__u32 type;
} __attribute__((preserve_access_index));

struct perf_event {
	struct perf_event_attr attr;
} __attribute__((preserve_access_index));

struct task_struct {
	void *mm;
} __attribute__((preserve_access_index));

struct pt_regs___kernel {
	unsigned long r10, ax, dx, si, di, ip;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct churn_state);
} state SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct churn_counts);
} counts SEC(".maps");

/* Ring of each CPU, one after the other; the loader sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, CHURN_RING);
	__type(key, __u32);
	__type(value, struct churn_record);
} ring SEC(".maps");

/* Hits of each probe; filled in by the loader so that nothing is inserted here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CHURN_PROBES);
	__type(key, __u64);
	__type(value, __u64);
} probes SEC(".maps");

static __always_inline bool ours(const char *comm)
{
	return comm[0] == CHURN_COMM[0] && comm[1] == CHURN_COMM[1] &&
	       comm[2] == CHURN_COMM[2] && comm[3] == CHURN_COMM[3];
}

static __always_inline struct churn_state *shared(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&state, &zero);
}

/*
 * A slot in this CPU's ring. An NMI may come between the test and the add; the
 * slack of a few slots covers all that can nest. Aimed samples are plenty: they
 * leave half of the ring to the others.
 */
static __always_inline struct churn_record *reserve(struct churn_counts *c,
						    const struct churn_state *s,
						    __u32 cpu, __u32 source, __u64 *number)
{
	__u64 room = source == CHURN_AIMED ? CHURN_RING / 2 : CHURN_RING - 8;
	__u32 slot;

	if (cpu >= 64 || c->head - *(volatile __u64 *)&s->tail[cpu] >= room) {
		__sync_fetch_and_add(&c->lost[source], 1);
		return NULL;
	}
	*number = __sync_fetch_and_add(&c->head, 1);
	slot = cpu * CHURN_RING + (*number & (CHURN_RING - 1));
	return bpf_map_lookup_elem(&ring, &slot);
}

static __always_inline bool genuine(const struct churn_header *h)
{
	return h->magic == CHURN_MAGIC && h->file < CHURN_FILES &&
	       h->check == churn_mix(h->file, h->gen, h->offset);
}

static __always_inline void read_header(struct churn_header *h, __u64 ip)
{
	const void *at = (const void *)((ip & ~(CHURN_PAGE - 1)) + CHURN_HEADER);

	if (bpf_probe_read_user(h, sizeof(*h), at) || !genuine(h))
		__builtin_memset(h, 0, sizeof(*h));
}

/* Keeps the compiler from dropping or moving a mask that the verifier wants to see. */
static __always_inline __u64 masked(__u64 x, const __u32 mask)
{
	asm volatile("%0 &= %1" : "+r"(x) : "i"(mask));
	return x;
}

static __always_inline __u32 of_file(const __u32 *table, __u32 file)
{
	return *(const volatile __u32 *)&table[masked(file, CHURN_FILES_ROOM - 1)];
}

/* Sequence number of the window that holds @ip; 0 where nobody keeps one. */
static __always_inline __u32 sequence(const struct churn_state *s, const char *comm, __u64 ip)
{
	__u64 w = (ip - CHURN_WINDOW_BASE) / CHURN_WINDOW_STRIDE;
	__u32 slot = (__u8)(comm[CHURN_COMM_LEN + 1] - '0');

	if (comm[CHURN_COMM_LEN] != CHURN_CLASS_WORKER || slot >= CHURN_SLOTS ||
	    w >= CHURN_WINDOWS)
		return 0;
	return *(const volatile __u32 *)&s->seq[masked(churn_seq(slot, w),
						       CHURN_SLOTS * CHURN_WINDOWS_ROOM - 1)];
}

static __always_inline void look_before(const struct churn_state *s,
					const struct churn_record *r,
					struct churn_address *a, __u64 ip)
{
	a->ip = ip;
	a->seq_before = sequence(s, r->comm, ip);
	barrier();
	read_header(&a->before, ip);
	a->done_before = a->before.magic ? of_file(s->gen_done, a->before.file) : 0;
}

static __always_inline void look_after(const struct churn_state *s,
				       const struct churn_record *r,
				       struct churn_address *a)
{
	read_header(&a->after, a->ip);
	barrier();
	a->seq_after = sequence(s, r->comm, a->ip);
	a->begun_after = a->before.magic ? of_file(s->gen_begun, a->before.file) : 0;
}

static __always_inline __u64 random_address(void)
{
	__u32 x = bpf_get_prandom_u32();
	__u64 w = (x & 0xff) % CHURN_WINDOWS;
	__u64 page = (x >> 8 & 0xff) % (CHURN_WINDOW_PAGES + 1);

	/* the last step down hits the hole below a window */
	if ((x >> 16 & 0x3f) == 0)
		return CHURN_WINDOW_BASE + w * CHURN_WINDOW_STRIDE - 1;
	return CHURN_WINDOW_BASE + w * CHURN_WINDOW_STRIDE + page * CHURN_PAGE + (x >> 20 & 0xff8);
}

/* Around the range that the interrupted system call is about: mprotect, munmap, mmap, mremap. */
static __always_inline void near_range(__u64 *ips, __u64 start, __u64 len)
{
	ips[0] = start;
	ips[1] = start - 1;
	ips[2] = start + len - 1;
	ips[3] = start + len;
	ips[4] = start + (len >> 1);
}

static __always_inline int take(void *ctx, __u32 source, __u64 interrupted)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs((void *)task);
	struct churn_state *s = shared();
	struct churn_record *r;
	struct churn_counts *c;
	__u32 cpu = bpf_get_smp_processor_id(), i;
	__u64 number = 0, ax, dx;
	long n = 0;
	char comm[16];

	if (bpf_get_current_comm(comm, sizeof(comm)) || !ours(comm))
		return 0;
	c = bpf_map_lookup_elem(&counts, &cpu);
	if (!c || !s)
		return 0;
	__sync_fetch_and_add(&c->hits[source], 1);
	r = reserve(c, s, cpu, source, &number);
	if (!r)
		return 0;
	__builtin_memcpy(r->comm, comm, sizeof(comm));
	r->interrupted = interrupted;
	r->mm = (__u64)task->mm;
	r->source = source;
	r->cpu = cpu;
	r->tgid = bpf_get_current_pid_tgid() >> 32;

	for (i = 0; i < CHURN_ADDRESSES; i++)
		r->ips[i] = random_address();
	if (source == CHURN_AIMED) {
		near_range(r->ips, regs->di, regs->si & 0xfffff);
	} else {
		n = bpf_get_stack(ctx, r->ips, CHURN_STACK * sizeof(r->ips[0]),
				  BPF_F_USER_STACK);
		n = n > 0 ? (__u32)n / 8 : 0;
	}
	r->nr_stack = n;

	/* what the running code says of itself: see testfile.h */
	ax = regs->ax;
	dx = regs->dx;
	r->token_file = ~0U;
	r->token_gen = 0;
	if (regs->r10 == ~churn_mix(ax >> 24, ax & 0xffffff, dx)) {
		r->token_file = ax >> 24;
		r->token_gen = ax & 0xffffff;
	}

	for (i = 0; i < CHURN_ADDRESSES; i++)
		look_before(s, r, &r->addr[i], r->ips[i]);
	/* so that a frame that the kfunc does not write is noticed */
	__builtin_memset(r->frame, 0xee, sizeof(r->frame));
	barrier();
	r->ret = bpf_buildidx_frames(r->ips, sizeof(r->ips), r->frame, sizeof(r->frame), 0);
	barrier();
	for (i = 0; i < CHURN_ADDRESSES; i++)
		look_after(s, r, &r->addr[i]);
	barrier();
	*(volatile __u64 *)&r->commit = number + 1;
	return 0;
}

/* Fires after each registered handler; one of them takes the NMI. */
SEC("tp_btf/nmi_handler")
int BPF_PROG(on_nmi, void *handler, __s64 delta_ns, int handled)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct churn_counts *c;

	if (!handled)
		return 0;
	c = bpf_map_lookup_elem(&counts, &cpu);
	if (c)
		__sync_fetch_and_add(&c->nmi_handled, 1);
	return take(ctx, CHURN_NMI, 0);
}

/* From 6.12 a perf_event program may call the kfunc. */
SEC("perf_event")
int on_clock(struct bpf_perf_event_data *ctx)
{
	return take(ctx, CHURN_TIMER, ctx->regs.rip);
}

/*
 * kprobe events end here on every kernel. On 6.1, where only tracing programs
 * may call the kfunc, those of the clock do too; later compilers inlined that.
 */
SEC("fentry/__perf_event_overflow")
int BPF_PROG(on_overflow, struct perf_event *event, int throttle, void *data,
	     struct pt_regs___kernel *regs)
{
	__u64 ip = regs->ip - 1, *hits; /* kprobes hand on the address after an int3 */

	if (event->attr.type == PERF_TYPE_SOFTWARE)
		return clock_program ? 0 : take(ctx, CHURN_TIMER, regs->ip);
	hits = bpf_map_lookup_elem(&probes, &ip);
	if (!hits)
		return 0;
	__sync_fetch_and_add(hits, 1);
	return take(ctx, CHURN_AIMED, ip);
}
