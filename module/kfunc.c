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
 * @last: range of the frame before
 * @range: resolved mappings
 */
struct bidx_call {
	unsigned int n;
	unsigned int next;
	unsigned int last;
	struct bidx_range range[BIDX_RANGES];
};

static const struct bidx_range *bidx_call_resolve(struct bidx_call *c, unsigned long ip)
{
	struct bidx_range *r;
	unsigned int i, k;

	for (i = 0, k = c->last; i < c->n; i++, k = k + 1 == c->n ? 0 : k + 1) {
		r = &c->range[k];
		if (ip - r->start < r->end - r->start) {
			c->last = k;
			goto out;
		}
	}
	if (c->n < BIDX_RANGES) {
		k = c->n++;
	} else {
		k = c->next;
		c->next = k + 1 == BIDX_RANGES ? 0 : k + 1;
	}
	r = &c->range[k];
	bidx_resolve(current->mm, ip, r);
	c->last = k;
out:
	bidx_count_status(r->status);
	return r;
}

bidx_kfunc_start_defs

/* See include/buildidx.bpf.h for both. */
__bpf_kfunc int bpf_buildidx_frames(const void *ips, u32 ips__sz, void *frames, u32 frames__sz,
				    u64 flags)
{
	u32 n = min3(ips__sz / (u32)sizeof(u64), frames__sz / (u32)sizeof(struct buildidx_frame),
		     (u32)BIDX_FRAMES_MAX);
	struct buildidx_frame *out = frames;
	const u64 *in = ips;
	struct bidx_call call;
	u32 i;

	if (flags || ips__sz % sizeof(*in) || frames__sz % sizeof(*out))
		return -EINVAL;
	call.n = 0;
	call.next = 0;
	call.last = 0;
	bidx_count(BUILDIDX_CNT_KFUNC_CALLS);
	for (i = 0; i < n; i++) {
		u64 ip = in[i];

		bidx_range_to_frame(bidx_call_resolve(&call, ip), ip, &out[i]);
	}
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
	struct bidx_call call;
	u32 i;

	if (flags || ips__sz % sizeof(*in) || ids__sz % sizeof(*out))
		return -EINVAL;
	call.n = 0;
	call.next = 0;
	call.last = 0;
	bidx_count(BUILDIDX_CNT_KFUNC_CALLS);
	for (i = 0; i < n && in[i]; i++) {
		u64 ip = in[i];

		memset(&out[i], 0, sizeof(out[i]));
		r = bidx_call_resolve(&call, ip);
		if (r->status == BUILDIDX_STATUS_OK && r->kind == BUILDIDX_KIND_GNU &&
		    r->id_len <= BPF_BUILD_ID_SIZE) {
			out[i].status = BPF_STACK_BUILD_ID_VALID;
			memcpy(out[i].build_id, r->id, r->id_len);
			out[i].offset = r->base + (ip - r->start);
		} else {
			out[i].status = BPF_STACK_BUILD_ID_IP;
			out[i].ip = ip;
		}
	}
	memset(&out[i], 0, (n - i) * sizeof(*out));	/* BPF_STACK_BUILD_ID_EMPTY */
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
