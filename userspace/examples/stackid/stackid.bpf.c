// SPDX-License-Identifier: GPL-2.0
/*
 * Where does a process wait? The user stack of each of its threads that goes to
 * sleep, as build IDs and file offsets.
 *
 * sched_switch is a good place for the kfunc: a tracing program, so allowed on
 * every kernel from 6.1; the thread that goes to sleep is still current; and
 * interrupts are off, so that the stock helper often has to give up.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "buildidx.bpf.h"
#include "stackid.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader before load: is the kfunc there? */
const volatile bool have_buildidx = false;
/* The process to look at. */
const volatile __u32 target = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1024 * 1024);
} stacks SEC(".maps");

/* Not in the ring: on 6.1 only one argument of a kfunc may be memory of a ring. */
struct addresses {
	__u64 ips[STACKID_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct addresses);
} scratch SEC(".maps");

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct addresses *a;
	struct stack *s;
	__u32 zero = 0;

	if (preempt || pid_tgid >> 32 != target)
		return 0;
	a = bpf_map_lookup_elem(&scratch, &zero);
	if (!a)
		return 0;
	s = bpf_ringbuf_reserve(&stacks, sizeof(*s), 0);
	if (!s)
		return 0;
	s->pid = (__u32)pid_tgid;
	if (have_buildidx) {
		/* addresses first, then all of them in one call */
		bpf_get_stack(ctx, a->ips, sizeof(a->ips), BPF_F_USER_STACK);
		bpf_buildidx_stack_build_id(a->ips, sizeof(a->ips), s->frames, sizeof(s->frames),
					    0);
	} else {
		bpf_get_stack(ctx, s->frames, sizeof(s->frames),
			      BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	}
	bpf_ringbuf_submit(s, 0);
	return 0;
}
