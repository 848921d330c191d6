// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve the address of each instruction-fetch fault of watched processes
 * while the fault is being taken: before the page is there, and so before the
 * first instruction in a new mapping has run.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/buildidx.bpf.h"
#include "../firstinsn/fetch_record.h"

char LICENSE[] SEC("license") = "GPL";

/* Set by the loader; see include/buildidx.bpf.h for why this is a flag. */
const volatile bool have_buildidx = false;

/* x86: the fault was an instruction fetch */
#define PF_INSTR	(1UL << 4)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u8);
} watched SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 * 1024 * 1024);
} fetches SEC(".maps");

__u64 lost;

SEC("tp_btf/page_fault_user")
int BPF_PROG(fetch_fault, unsigned long address, void *regs, unsigned long error_code)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	__u32 tgid = pid_tgid >> 32;
	__u64 ip = address; /* on the stack: 6.1 allows ring memory for one argument only */
	struct fetch *f;

	if (!(error_code & PF_INSTR) || !bpf_map_lookup_elem(&watched, &tgid))
		return 0;
	f = bpf_ringbuf_reserve(&fetches, sizeof(*f), 0);
	if (!f) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	f->time_ns = bpf_ktime_get_ns();
	f->tgid = tgid;
	f->pid = (__u32)pid_tgid;
	f->address = address;
	f->dropin_ret = 0;
	f->rich_ret = 0;
	if (have_buildidx) {
		f->dropin_ret = bpf_buildidx_stack_build_id(&ip, sizeof(ip), &f->dropin,
							    sizeof(f->dropin), 0);
		f->rich_ret = bpf_buildidx_frames(&ip, sizeof(ip), &f->rich, sizeof(f->rich), 0);
	}
	f->stock_ret = bpf_get_stack(ctx, &f->stock, sizeof(f->stock),
				     BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
	bpf_ringbuf_submit(f, 0);
	return 0;
}
