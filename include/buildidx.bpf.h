/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * buildidx - kfuncs for BPF programs, with a documented answer to "what if the
 * module is not there"
 *
 * Include after vmlinux.h (or after <linux/bpf.h>) and <bpf/bpf_helpers.h>.
 *
 * A weak kfunc tested by its address (`if (bpf_buildidx_frames)`) fails to load
 * with some libbpf versions when the module is present, and on 6.1 always. So
 * the presence is a flag in .rodata that the loader sets before load; the
 * verifier then removes the branch that cannot be taken, in both directions:
 *
 *	const volatile bool have_buildidx = false;	// BPF program
 *	...
 *	if (have_buildidx)
 *		n = bpf_buildidx_stack_build_id(ips, sizeof(ips), ids, sizeof(ids), 0);
 *	else
 *		n = bpf_get_stack(ctx, ids, sizeof(ids),
 *				  BPF_F_USER_STACK | BPF_F_USER_BUILD_ID);
 *
 *	skel->rodata->have_buildidx =			// loader
 *		buildidx_bpf_present("bpf_buildidx_stack_build_id");
 *
 * buildidx_bpf_present() is in buildidx_bpf_present.h, which needs libbpf.
 * Program types that may call the kfuncs: fentry/fexit/tp_btf on every kernel;
 * perf_event, tracepoint, kprobe from 6.12; raw_tp on 7.x (`buildidx status`
 * shows what is registered).
 */
#ifndef BUILDIDX_BPF_H
#define BUILDIDX_BPF_H

#ifndef __ksym
#define __ksym __attribute__((section(".ksyms")))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif

/* Flag of bpf_buildidx_stack_build_id(), as in uapi/buildidx.h: kernel addresses too. */
#ifndef BUILDIDX_F_KERNEL
#define BUILDIDX_F_KERNEL	(1ULL << 0)
#endif

/**
 * bpf_buildidx_stack_build_id() - resolve addresses of the current task
 * @ips: array of __u64 addresses, as bpf_get_stack(BPF_F_USER_STACK) fills it
 * @ips__sz: its size in bytes, a multiple of 8
 * @ids: array of struct bpf_stack_build_id
 * @ids__sz: its size in bytes, a multiple of sizeof(struct bpf_stack_build_id)
 * @flags: 0 or BUILDIDX_F_KERNEL
 *
 * Drop-in: every element is what the stock helper's BPF_F_USER_BUILD_ID would
 * give if it always succeeded. GNU build IDs of up to 20 bytes are
 * BPF_STACK_BUILD_ID_VALID (shorter ones zero-padded, as stock does); all else
 * is BPF_STACK_BUILD_ID_IP with the address. A zero address ends the stack:
 * that and all later elements are BPF_STACK_BUILD_ID_EMPTY. @ids must not overlap
 * @ips.
 *
 * With BUILDIDX_F_KERNEL addresses of vmlinux, of kernel modules and of BPF programs (what
 * bpf_get_stack() gives without BPF_F_USER_STACK) are BPF_STACK_BUILD_ID_VALID
 * too. The offset of one in vmlinux is its virtual address in the file, of one in a module its
 * distance from the start of the module's text, of one in a BPF program its place in the
 * image of the program's record (uapi/buildidx_record.h). Without the flag, and for
 * generated text, they are BPF_STACK_BUILD_ID_IP.
 *
 * Context: any, NMI and tasks without an address space included. Takes no lock, does no I/O.
 * Return: elements written (the smaller of the two capacities, at most 1024),
 * -EINVAL for a bad size or flag.
 */
extern int bpf_buildidx_stack_build_id(const void *ips, __u32 ips__sz, void *ids,
				       __u32 ids__sz, __u64 flags) __weak __ksym;

/**
 * bpf_buildidx_frames() - resolve addresses of the current task, saying why
 * @ips: array of __u64 addresses
 * @ips__sz: its size in bytes, a multiple of 8
 * @frames: array of struct buildidx_frame (uapi/buildidx.h)
 * @frames__sz: its size in bytes, a multiple of sizeof(struct buildidx_frame)
 * @flags: 0
 *
 * Every address gets one frame, zero addresses included (NO_MAPPING). Kernel addresses are
 * resolved like user addresses; the frame's object is the number of a record. @frames
 * must not overlap @ips.
 *
 * Context: any, NMI and tasks without an address space included. Takes no lock, does no I/O.
 * Return: elements written (the smaller of the two capacities, at most 1024),
 * -EINVAL for a bad size or flag.
 */
extern int bpf_buildidx_frames(const void *ips, __u32 ips__sz, void *frames,
			       __u32 frames__sz, __u64 flags) __weak __ksym;

#endif /* BUILDIDX_BPF_H */
