// SPDX-License-Identifier: GPL-2.0
/*
 * What BPF programs call (design D7)
 *
 * Arguments are memory with a size, or scalars: the rules for trusted pointers
 * differ between releases, and 6.1 refuses pointers to structs with a union.
 */
#include "internal.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "compat/kfunc.h"

/* Distinct mappings of one call that are remembered; a stack rarely has more. */
#define BIDX_RANGES 8

/* Bounds the time of one call; kernel.perf_event_max_stack is 127 by default. */
#define BIDX_FRAMES_MAX 1024

/**
 * struct bidx_call - what one kfunc call has resolved so far
 * @n: ranges in use
 * @next: range to give up next
 * @range: resolved mappings
 */
struct bidx_call {
	unsigned int n;
	unsigned int next;
	struct bidx_range range[BIDX_RANGES];
};

static __always_inline bool bidx_range_holds(const struct bidx_range *r, unsigned long ip)
{
	return ip - r->start < r->end - r->start;
}

static __always_inline void bidx_call_start(struct bidx_call *c)
{
	c->n = 0;
	c->next = 0;
	bidx_count(BUILDIDX_CNT_KFUNC_CALLS);
}

/* Under rcu_read_lock(). Kernel addresses are resolved if @kernel, else told as such. */
static __always_inline const struct bidx_range *bidx_call_resolve(struct bidx_call *c,
								 unsigned long ip, bool kernel)
{
	struct bidx_range *r, *end = c->range + c->n;

	for (r = c->range; r < end; r++)
		if (bidx_range_holds(r, ip))
			return r;
	if (c->n < BIDX_RANGES) {
		c->n++;
	} else {
		r = &c->range[c->next];
		c->next = c->next + 1 == BIDX_RANGES ? 0 : c->next + 1;
	}
	if (unlikely(ip >= TASK_SIZE_MAX) && !kernel)
		bidx_range_unresolved(r, BUILDIDX_STATUS_KERNEL);
	else
		bidx_resolve(current->mm, ip, r);
	return r;
}

/*
 * Answer for @ip, which is at @in, and for the addresses after it, as long as they are in
 * the same mapping: frames of one mostly follow each other. Return: elements written, at
 * least one; *@next is the address after them, 0 when there is none.
 */
static __always_inline u32 bidx_run_to_build_ids(const struct bidx_range *r, u64 ip,
						 const u64 *in, const u64 *end,
						 struct bpf_stack_build_id *out, u64 *next)
{
	/* An address of zero ends the stack, and is in no run, not even of a mapping there. */
	const u64 start = r->start, len = start ? r->end - start : 0;
	struct bpf_stack_build_id one __uninitialized;
	const u64 *first = in;
	u64 add = 0;

	if (r->status == BUILDIDX_STATUS_OK && r->id_len <= BPF_BUILD_ID_SIZE &&
	    (r->kind == BUILDIDX_KIND_GNU || r->kind == BUILDIDX_KIND_BPF)) {
		one.status = BPF_STACK_BUILD_ID_VALID;
		/* A shorter ID is padded with zeros in @r too. */
		memcpy(one.build_id, r->id, BPF_BUILD_ID_SIZE);
		add = r->base - start;
	} else {
		one.status = BPF_STACK_BUILD_ID_IP;
		memset(one.build_id, 0, BPF_BUILD_ID_SIZE);
	}
	BUILD_BUG_ON(offsetof(struct bpf_stack_build_id, offset) !=
		     offsetof(struct bpf_stack_build_id, ip));
	do {
		one.offset = ip + add;
		*out++ = one;
		/* Read once: the memory may be a map that others write. */
		ip = ++in < end ? READ_ONCE(*in) : 0;
	} while (ip - start < len);
	*next = ip;
	return in - first;
}

bidx_kfunc_start_defs

/* See include/buildidx.bpf.h for both. */
__bpf_kfunc int bpf_buildidx_frames(const void *ips, u32 ips__sz, void *frames, u32 frames__sz,
				    u64 flags)
{
	u32 n = min3(ips__sz / (u32)sizeof(u64), frames__sz / (u32)sizeof(struct buildidx_frame),
		     (u32)BIDX_FRAMES_MAX);
	struct buildidx_frame *out = frames;
	const struct bidx_range *r;
	const u64 *in = ips;
	struct bidx_call call __uninitialized;
	u32 i;

	if (flags || ips__sz % sizeof(*in) || frames__sz % sizeof(*out))
		return -EINVAL;
	bidx_call_start(&call);
	rcu_read_lock();
	for (i = 0; i < n; i++) {
		u64 ip = READ_ONCE(in[i]);

		r = bidx_call_resolve(&call, ip, true);
		bidx_count_status(r->status);
		bidx_range_to_frame(r, ip, &out[i]);
	}
	rcu_read_unlock();
	return n;
}

__bpf_kfunc int bpf_buildidx_stack_build_id(const void *ips, u32 ips__sz, void *ids, u32 ids__sz,
					    u64 flags)
{
	u32 n = min3(ips__sz / (u32)sizeof(u64), ids__sz / (u32)sizeof(struct bpf_stack_build_id),
		     (u32)BIDX_FRAMES_MAX);
	struct bpf_stack_build_id *out = ids;
	const struct bidx_range *r;
	const u64 *in = ips;
	struct bidx_call call __uninitialized;
	u32 i = 0;
	u64 ip;

	if ((flags & ~BUILDIDX_F_KERNEL) || ips__sz % sizeof(*in) || ids__sz % sizeof(*out))
		return -EINVAL;
	bidx_call_start(&call);
	rcu_read_lock();
	ip = n ? READ_ONCE(in[0]) : 0;
	while (ip) {
		u32 run;

		r = bidx_call_resolve(&call, ip, flags & BUILDIDX_F_KERNEL);
		run = bidx_run_to_build_ids(r, ip, in + i, in + n, out + i, &ip);
		bidx_count_statuses(r->status, run);
		i += run;
	}
	rcu_read_unlock();
	if (i < n)
		memset(out + i, 0, (n - i) * sizeof(*out));	/* BPF_STACK_BUILD_ID_EMPTY */
	return n;
}

bidx_kfunc_end_defs

BIDX_KFUNC_SET_START(bidx_kfunc_ids)
BTF_ID_FLAGS(func, bpf_buildidx_frames)
BTF_ID_FLAGS(func, bpf_buildidx_stack_build_id)
BIDX_KFUNC_SET_END(bidx_kfunc_ids)

static const struct btf_kfunc_id_set bidx_kfunc_set = {
	.owner = THIS_MODULE,
	.set = &bidx_kfunc_ids,
};

static u32 kfunc_state;
static u32 kfunc_error;

/*
 * Without module BTF register_btf_kfunc_id_set() does nothing and returns 0, so
 * ask sysfs whether the kernel took our BTF.
 */
static bool bidx_btf_accepted(void)
{
	struct kernfs_node *dir, *file = NULL;

	dir = kernfs_find_and_get(kernel_kobj->sd, "btf");
	if (dir) {
		file = kernfs_find_and_get(dir, KBUILD_MODNAME);
		kernfs_put(dir);
	}
	if (!file)
		return false;
	kernfs_put(file);
	return true;
}

/**
 * bidx_kfunc_init() - offer the kfuncs, once for each kind of program
 *
 * A second or failing call for one kind would wipe an earlier one, so each is
 * made exactly once. Without BTF the module works through the device only.
 *
 * Context: module init; may sleep. Return: 0; the state is told by
 * bidx_kfunc_info() and dmesg.
 */
int bidx_kfunc_init(void)
{
	int err;

	if (!bidx_btf_accepted()) {
		kfunc_state = BUILDIDX_KFUNC_NO_BTF;
		pr_warn("no module BTF for this kernel: BPF programs cannot call buildidx; the device works. Install the kernel image and pahole, then rebuild with dkms\n");
		return 0;
	}
	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_TRACING, &bidx_kfunc_set);
	if (err)
		goto failed;
	kfunc_state |= BUILDIDX_KFUNC_TRACING | BIDX_KFUNC_WITH_TRACING;
#ifdef BIDX_KFUNC_HAS_KPROBE
	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_KPROBE, &bidx_kfunc_set);
	if (err)
		goto failed;
	kfunc_state |= BUILDIDX_KFUNC_KPROBE;
#endif
	return 0;

failed:
	kfunc_error = -err;
	pr_warn("kfuncs are not available to every program type (%d): see `buildidx status`\n", err);
	return 0;
}

void bidx_kfunc_info(u32 *state, u32 *error)
{
	*state = kfunc_state;
	*error = kfunc_error;
}
