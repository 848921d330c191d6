// SPDX-License-Identifier: GPL-2.0
/*
 * Take the kernel and the user stack of what runs, resolve each frame in the same
 * interrupt, and count equal stacks.
 *
 * Frames are kept as (object number, offset): 16 bytes instead of 72, so that a
 * whole stack can be a key. What a number stands for is noted once, in "objects".
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "buildidx.bpf.h"
#include "profile_record.h"

char LICENSE[] SEC("license") = "GPL";

#define EEXIST	17
#define E2BIG	7

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;
/* Ask the stock helper: instead, or as well when the kfunc is there. */
const volatile bool ask_stock = false;
/* Only processes in "targets". */
const volatile bool only_targets = false;
/* Tell where each object is mapped. */
const volatile bool tell_places = false;
/* Count the stacks of each process for itself. */
const volatile bool tell_pids = false;
/* Which stacks are taken. */
const volatile bool take_kernel = true;
const volatile bool take_user = true;
/* The tracing program takes only the samples that the perf_event program is not run for. */
const volatile bool only_missed = false;

/*
 * While this is not zero, the kernel runs no perf_event program on that CPU and, from 6.12 on,
 * drops the sample without a word. Tracing programs do not depend on it.
 */
extern const int bpf_prog_active __ksym __weak;

/* The few kernel structs that are looked into. */
typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
} __attribute__((preserve_access_index));

struct task_struct {
	int tgid;
	struct signal_struct *signal;
} __attribute__((preserve_access_index));

struct perf_event {
	__u64 id;
} __attribute__((preserve_access_index));

/*
 * User space puts an empty map here and reads the one that it takes out: the
 * kernel lets that update return when no program uses the old one any more.
 */
struct stacks {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct profile_stack);
	__type(value, __u64);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct stacks);
} current_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, __u64);
	__type(value, struct profile_object);
} objects SEC(".maps");

/* The stock helper gives no number: one for each ID that it gave. */
struct stock_id {
	__u8 id[PROFILE_STOCK_ID];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, struct stock_id);
	__type(value, __u64);
} stock_numbers SEC(".maps");

__u64 last_stock_number;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u8);
} targets SEC(".maps");

/* Ids of our perf events: fentry sees those of everybody. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u8);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct profile_counts);
} counts SEC(".maps");

/*
 * Samples on one CPU do not nest: there is one event, and its program guards itself.
 * Entries of @key from @used on are zero at all times.
 */
struct scratch {
	struct profile_stack key;
	__u32 used;
	__u32 pad;
	__u64 ips[PROFILE_DEPTH];
	__u64 kernel_ips[PROFILE_DEPTH];
	struct buildidx_frame frames[PROFILE_DEPTH];
	struct buildidx_frame kernel_frames[PROFILE_DEPTH];
	struct bpf_stack_build_id stock[PROFILE_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/*
 * @nr: user frames
 * @from: the first kernel frame that counts
 * @nr_kernel: kernel frames from there on
 */
struct walk {
	struct scratch *s;
	struct profile_counts *c;
	__u32 tgid;
	__u32 nr;
	__u32 from;
	__u32 nr_kernel;
	bool stock;
};

static __always_inline void tell(struct profile_object *o, __u64 object, __u64 ip, __u32 tgid)
{
	struct profile_place *p;

	if (!tell_places || o->told || o->vdso || object & PROFILE_KERNEL_OBJECT)
		return;
	p = bpf_ringbuf_reserve(&places, sizeof(*p), 0);
	if (!p)
		return; /* the next sample in it will */
	o->told = 1;
	p->object = object;
	p->ip = ip;
	p->tgid = tgid;
	p->pad = 0;
	bpf_ringbuf_submit(p, 0);
}

/* Is it noted what this number stands for? Notes it if need be. */
static __always_inline bool note(struct walk *w, const struct buildidx_frame *f, __u64 object)
{
	struct profile_object *o = bpf_map_lookup_elem(&objects, &object);

	if (!o) {
		struct profile_object new = {
			.kind = f->kind,
			.vdso = f->flags & BUILDIDX_FRAME_VDSO ? 1 : 0,
			.id_len = f->id_len,
		};

		__builtin_memcpy(new.id, f->id, sizeof(new.id));
		bpf_map_update_elem(&objects, &object, &new, BPF_NOEXIST);
		o = bpf_map_lookup_elem(&objects, &object);
		if (!o)
			return false;
	}
	tell(o, object, f->ip, w->tgid);
	return true;
}

static __always_inline void from_buildidx(struct walk *w, const struct buildidx_frame *f,
					  struct profile_frame *out)
{
	if (f->status < PROFILE_STATUSES)
		w->c->status[f->status]++;
	out->object = 0;
	out->value = f->status;
	if (f->kind == BUILDIDX_KIND_NONE || !f->object)
		return;
	if (!note(w, f, f->object)) {
		w->c->unrecorded++;
		out->value = PROFILE_UNRECORDED;
		return;
	}
	out->object = f->object;
	out->value = f->offset;
}

/* Number of an ID that the stock helper gave; 0 when there is no room for another. */
static __always_inline __u64 stock_number(const struct bpf_stack_build_id *b)
{
	struct profile_object o = {
		.kind = BUILDIDX_KIND_GNU,
		.id_len = PROFILE_STOCK_ID,
	};
	struct stock_id id;
	__u64 number, *known;

	__builtin_memcpy(id.id, b->build_id, sizeof(id.id));
	known = bpf_map_lookup_elem(&stock_numbers, &id);
	if (known)
		return *known;
	number = __sync_fetch_and_add(&last_stock_number, 1) + 1;
	__builtin_memcpy(o.id, id.id, sizeof(id.id));
	if (bpf_map_update_elem(&objects, &number, &o, BPF_NOEXIST))
		return 0;
	if (!bpf_map_update_elem(&stock_numbers, &id, &number, BPF_NOEXIST))
		return number;
	/* another CPU was first, or it is full */
	bpf_map_delete_elem(&objects, &number);
	known = bpf_map_lookup_elem(&stock_numbers, &id);
	return known ? *known : 0;
}

static __always_inline void from_stock(struct walk *w, const struct bpf_stack_build_id *b,
				       __u64 ip, struct profile_frame *out)
{
	struct profile_object *o;

	out->object = 0;
	out->value = PROFILE_UNRESOLVED;
	if (b->status != BPF_STACK_BUILD_ID_VALID)
		return;
	/*
	 * Where nothing is mapped, the helper takes the next mapping above. The distance to that is
	 * nearly always more than what is in front of it in the file.
	 */
	if ((__s64)b->offset < 0) {
		w->c->stock_no_file++;
		return;
	}
	w->c->stock++;
	out->object = stock_number(b);
	if (!out->object) {
		w->c->unrecorded++;
		out->value = PROFILE_UNRECORDED;
		return;
	}
	out->value = b->offset;
	o = bpf_map_lookup_elem(&objects, &out->object);
	if (o)
		tell(o, out->object, ip, w->tgid);
}

static __always_inline bool in_file(__u16 status)
{
	return status != BUILDIDX_STATUS_NO_MM && status != BUILDIDX_STATUS_NO_MAPPING &&
	       status != BUILDIDX_STATUS_ANON && status != BUILDIDX_STATUS_SPECIAL &&
	       status != BUILDIDX_STATUS_KERNEL;
}

static __always_inline void compare(struct walk *w, const struct buildidx_frame *f,
				    const struct bpf_stack_build_id *b)
{
	/* both are aligned for this */
	const __u32 *x = (const void *)f->id, *y = (const void *)b->build_id;
	__u32 i, diff = 0;

	if (b->status != BPF_STACK_BUILD_ID_VALID)
		return;
	if (!in_file(f->status)) {
		w->c->stock_no_file++;
		return;
	}
	w->c->stock++;
	if (f->kind == BUILDIDX_KIND_NONE)
		return;
	w->c->both++;
#pragma unroll
	for (i = 0; i < PROFILE_STOCK_ID / sizeof(*x); i++)
		diff |= x[i] ^ y[i];
	if (diff || f->kind != BUILDIDX_KIND_GNU || f->offset != b->offset)
		w->c->differ++;
}

static __always_inline void user_frame(struct walk *w, __u64 i, struct profile_frame *out)
{
	struct scratch *s = w->s;

	w->c->frames++;
	/* what unwinding without frame pointers takes for a return address may be anything */
	if (have_buildidx && (__s64)s->frames[i].ip < 0 &&
	    s->frames[i].status != BUILDIDX_STATUS_SPECIAL) {
		s->frames[i].status = BUILDIDX_STATUS_KERNEL;
		s->frames[i].kind = BUILDIDX_KIND_NONE;
	}
	if (!w->stock)
		s->stock[i].status = BPF_STACK_BUILD_ID_EMPTY;
	if (have_buildidx) {
		from_buildidx(w, &s->frames[i], out);
		if (ask_stock)
			compare(w, &s->frames[i], &s->stock[i]);
	} else {
		from_stock(w, &s->stock[i], s->ips[i], out);
	}
}

/* The stock helper has nothing but the address of these. */
static __always_inline void kernel_frame(struct walk *w, __u64 i, struct profile_frame *out)
{
	const struct buildidx_frame *f = &w->s->kernel_frames[i];
	__u64 object;

	w->c->kernel_frames++;
	if (!have_buildidx) {
		out->object = PROFILE_ADDRESS;
		out->value = w->s->kernel_ips[i];
		return;
	}
	if (f->status < PROFILE_STATUSES)
		w->c->kernel_status[f->status]++;
	out->object = 0;
	out->value = f->status;
	if (!f->object)
		return;
	object = f->object | PROFILE_KERNEL_OBJECT;
	if (!note(w, f, object)) {
		w->c->unrecorded++;
		out->value = PROFILE_UNRECORDED;
		return;
	}
	out->object = object;
	out->value = f->offset;
}

static long one_frame(__u64 i, struct walk *w)
{
	struct profile_frame *out;
	__u64 n;

	if (i >= PROFILE_FRAMES)
		return 1;
	barrier_var(i); /* what was compared is what is used below */
	out = &w->s->key.frames[i];
	if (i < w->nr_kernel) {
		n = i + w->from;
		barrier_var(n);
		if (n < PROFILE_DEPTH)
			kernel_frame(w, n, out);
		return 0;
	}
	n = i - w->nr_kernel;
	barrier_var(n);
	if (n < w->nr && n < PROFILE_DEPTH) {
		user_frame(w, n, out);
		return 0;
	}
	/* left by the sample before */
	out->object = 0;
	out->value = 0;
	return 0;
}

static __always_inline void count_stack(struct scratch *s, struct profile_counts *c)
{
	__u64 one = 1, *n;
	__u32 zero = 0;
	void *stacks;
	long err;

	stacks = bpf_map_lookup_elem(&current_stacks, &zero);
	if (!stacks)
		return;
	n = bpf_map_lookup_elem(stacks, &s->key);
	if (!n) {
		err = bpf_map_update_elem(stacks, &s->key, &one, BPF_NOEXIST);
		if (!err) {
			c->kept++;
			return;
		}
		if (err == -EEXIST)
			n = bpf_map_lookup_elem(stacks, &s->key);
		if (!n) {
			if (err == -E2BIG)
				c->lost_full++;
			else
				c->lost_busy++;
			return;
		}
	}
	__sync_fetch_and_add(n, 1);
	c->kept++;
}

/* Addresses of the user stack into @s; returns their number. */
static __always_inline __u32 unwind(void *ctx, struct scratch *s, struct profile_counts *c,
				    bool in_kernel)
{
	long n = bpf_get_stack(ctx, s->ips, sizeof(s->ips), BPF_F_USER_STACK);

	if (n <= 0 || n > (long)sizeof(s->ips)) {
		if (in_kernel && !n) {
			c->no_user++;
		} else {
			c->no_stack++;
			s->key.flags |= PROFILE_NO_STACK;
		}
		return 0;
	}
	return (__u32)n / sizeof(s->ips[0]);
}

/*
 * Addresses of the kernel stack into @s. Seen from a tracing program, it starts in that
 * program and comes through the interrupt to what was interrupted, at @ip: only from
 * there on it is the profile's. Seen from a perf_event program, it starts there.
 */
static __always_inline void unwind_kernel(void *ctx, struct walk *w, __u64 ip)
{
	struct scratch *s = w->s;
	long n = bpf_get_stack(ctx, s->kernel_ips, sizeof(s->kernel_ips), 0);
	__u32 nr = n <= 0 || n > (long)sizeof(s->kernel_ips) ? 0 : (__u32)n / sizeof(__u64);
	__u32 i;

	for (i = 0; i < PROFILE_DEPTH; i++) {
		if (i >= nr)
			break;
		if (s->kernel_ips[i] == ip) {
			w->from = i;
			w->nr_kernel = nr - i;
			if (nr == PROFILE_DEPTH)
				s->key.flags |= PROFILE_CUT;
			return;
		}
	}
	/* not unwound that far, which cannot be told from not at all */
	s->kernel_ips[0] = ip;
	w->from = 0;
	w->nr_kernel = 1;
	s->key.flags |= PROFILE_CUT;
	w->c->no_kernel++;
}

static __always_inline void take_user_stack(void *ctx, struct walk *w, bool in_kernel)
{
	struct scratch *s = w->s;
	__u32 n = unwind(ctx, s, w->c, in_kernel);

	w->nr = n;
	if (!n)
		return;
	if (have_buildidx)
		bpf_buildidx_frames(s->ips, n * sizeof(s->ips[0]), s->frames,
				    sizeof(s->frames), 0);
	if (ask_stock)
		w->stock = bpf_get_stack(ctx, s->stock, sizeof(s->stock),
					 BPF_F_USER_STACK | BPF_F_USER_BUILD_ID) > 0;
	if (n == PROFILE_DEPTH)
		s->key.flags |= PROFILE_TRUNCATED;
}

static __always_inline int take(void *ctx, __u64 ip)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	/* kernel addresses are the upper half on every architecture that there is */
	bool in_kernel = (__s64)ip < 0;
	__u32 tgid = pid_tgid >> 32, zero = 0, n;
	struct profile_counts *c;
	struct scratch *s;
	struct walk w = {};

	c = bpf_map_lookup_elem(&counts, &zero);
	s = bpf_map_lookup_elem(&scratches, &zero);
	if (!c || !s)
		return 0;
	if (!pid_tgid) {
		c->idle++;
		return 0;
	}
	if (only_targets && !bpf_map_lookup_elem(&targets, &tgid)) {
		c->other++;
		return 0;
	}
	w.s = s;
	w.c = c;
	w.tgid = tgid;
	bpf_get_current_comm(s->key.comm, sizeof(s->key.comm));
	s->key.tgid = tell_pids ? tgid : 0;
	s->key.flags = in_kernel ? PROFILE_IN_KERNEL : 0;
	if (!take_kernel)
		s->key.flags |= PROFILE_USER_ONLY;
	if (!take_user)
		s->key.flags |= PROFILE_KERNEL_ONLY;
	if (take_kernel && in_kernel) {
		unwind_kernel(ctx, &w, ip);
		n = w.from + w.nr_kernel;
		if (have_buildidx && n <= PROFILE_DEPTH)
			bpf_buildidx_frames(s->kernel_ips, n * sizeof(s->kernel_ips[0]),
					    s->kernel_frames, sizeof(s->kernel_frames), 0);
	}
	if (take_user)
		take_user_stack(ctx, &w, in_kernel);
	if (s->key.flags & (PROFILE_TRUNCATED | PROFILE_CUT))
		c->truncated++;
	n = w.nr_kernel + w.nr;
	s->key.nr_kernel = w.nr_kernel;
	s->key.nr = n;
	bpf_loop(n > s->used ? n : s->used, one_frame, &w, 0);
	s->used = n;
	count_stack(s, c);
	return 0;
}

static __always_inline void count_caught(void)
{
	struct profile_counts *c;
	__u32 zero = 0;

	c = bpf_map_lookup_elem(&counts, &zero);
	if (c)
		c->caught++;
}

/* From 6.12 on a perf_event program may call the kfunc. */
SEC("perf_event")
int sample_event(struct bpf_perf_event_data *ctx)
{
	return take(ctx, PT_REGS_IP(&ctx->regs));
}

/*
 * On 6.1 only tracing programs may: the same interrupt, in the function that handles it. Later
 * kernels: for what would be lost.
 */
SEC("fentry/__perf_event_overflow")
int BPF_PROG(sample_overflow, struct perf_event *event, int throttle, void *data,
	     struct pt_regs *regs)
{
	__u64 id = event->id;

	if (!bpf_map_lookup_elem(&events, &id))
		return 0;
	if (only_missed) {
		/* the perf_event program comes next, and will run */
		if (!*(const int *)bpf_this_cpu_ptr(&bpf_prog_active))
			return 0;
		count_caught();
	}
	return take(ctx, PT_REGS_IP(regs));
}

/* What a target starts is a target. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid, zero = 0;
	struct profile_counts *c;
	__u8 one = 1;

	if (from == to || !bpf_map_lookup_elem(&targets, &from))
		return 0;
	if (bpf_map_update_elem(&targets, &to, &one, BPF_ANY)) {
		c = bpf_map_lookup_elem(&counts, &zero);
		if (c)
			c->untracked++;
	}
	return 0;
}

/* The last thread of a process: its number may be another's soon. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	__u32 tgid = task->tgid;

	if (!task->signal->live.counter)
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}
