/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BPF programs of `buildidx profile` share with user space.
 */
#ifndef BUILDIDX_PROFILE_RECORD_H
#define BUILDIDX_PROFILE_RECORD_H

#include <linux/types.h>

#include "uapi/buildidx.h"

/* What the kernel's callchain holds at most (kernel.perf_event_max_stack). */
#define PROFILE_DEPTH		127
/* Kernel and user stack are taken one by one. */
#define PROFILE_FRAMES		(2 * PROFILE_DEPTH)
#define PROFILE_COMM		16
/* As BPF_BUILD_ID_SIZE: the stock helper knows no longer ID. */
#define PROFILE_STOCK_ID	20

/*
 * Reasons that are not of the module, in the place of enum buildidx_status:
 * an ID for which there was no room, a frame that the stock helper did not answer.
 */
#define PROFILE_UNRECORDED	0x100
#define PROFILE_UNRESOLVED	0x101

/* In an object number: that of a record of the kernel, not of a file. */
#define PROFILE_KERNEL_OBJECT	(1ULL << 63)
/* In the place of an object number: @value is a kernel address that nobody resolved. */
#define PROFILE_ADDRESS		(~0ULL)

/**
 * struct profile_frame - one frame of a stack
 * @object: number of the object in the map "objects", 0 when it has no ID
 * @value: offset, as struct buildidx_frame has it; without an ID, enum buildidx_status
 *	or PROFILE_UN*
 */
struct profile_frame {
	__u64 object;
	__u64 value;
};

/* profile_stack.flags */
#define PROFILE_IN_KERNEL	(1U << 0) /* the sample hit the kernel */
#define PROFILE_TRUNCATED	(1U << 1) /* PROFILE_DEPTH user frames, there may be more */
#define PROFILE_NO_STACK	(1U << 2) /* of a process, but its user stack could not be had */
#define PROFILE_CUT		(1U << 3) /* the same of the kernel's as PROFILE_TRUNCATED */
#define PROFILE_USER_ONLY	(1U << 4) /* kernel frames were not asked for */
#define PROFILE_KERNEL_ONLY	(1U << 5) /* user frames were not asked for */

/**
 * struct profile_stack - key of the map of stacks: equal stacks have equal bytes
 * @comm: name of the thread
 * @tgid: process, when that was asked for
 * @flags: PROFILE_*
 * @nr_kernel: kernel frames
 * @nr: frames, those of the kernel included; entries from there on are zero
 * @frames: innermost first, so those of the kernel before those of user code
 */
struct profile_stack {
	char comm[PROFILE_COMM];
	__u32 tgid;
	__u32 flags;
	__u32 nr_kernel;
	__u32 nr;
	struct profile_frame frames[PROFILE_FRAMES];
};

/**
 * struct profile_object - what an object number stands for
 * @kind: enum buildidx_kind; NONE for text that the kernel generated
 * @vdso: 1 for the vDSO
 * @told: 1 when user space was told where the file is mapped
 * @pad: zero
 * @id_len: true length of the identity; may exceed sizeof(@id)
 * @id: the identity
 */
struct profile_object {
	__u8  kind;
	__u8  vdso;
	__u8  told;
	__u8  pad;
	__u32 id_len;
	__u8  id[BUILDIDX_ID_MAX];
};

/**
 * struct profile_place - where a file is mapped right now, for who wants to open it
 * @object: number
 * @ip: an address in it
 * @tgid: of this process
 * @pad: zero
 */
struct profile_place {
	__u64 object;
	__u64 ip;
	__u32 tgid;
	__u32 pad;
};

#define PROFILE_STATUSES	16

/**
 * struct profile_counts - one for each CPU
 * @caught: samples that met another BPF program and were taken all the same; counted below, too
 * @idle: samples of the idle task
 * @other: samples of processes that were not asked for
 * @kept: samples in the map of stacks
 * @lost_full: samples for which that map had no room
 * @lost_busy: samples that could not be entered because it was in use on this CPU
 * @no_user: kept samples of tasks without user code
 * @no_stack: kept samples of processes whose stack could not be had
 * @truncated: kept samples with PROFILE_DEPTH user or kernel frames
 * @no_kernel: kept samples in the kernel of which only the address is known
 * @frames: user frames of the samples that were not idle or other
 * @status: of these, by enum buildidx_status
 * @unrecorded: of these, answered but with an ID that found no room
 * @stock: of these, answered by the stock helper; if both are asked: and in a file
 * @stock_no_file: answered by the stock helper though no file is there: buildidx says so; without
 *	it, an offset that no file has does
 * @both: of these, answered by both
 * @differ: of these, answered differently
 * @kernel_frames: kernel frames of the same samples
 * @kernel_status: of these, by enum buildidx_status
 * @untracked: processes that could not be followed
 */
struct profile_counts {
	__u64 caught;
	__u64 idle;
	__u64 other;
	__u64 kept;
	__u64 lost_full;
	__u64 lost_busy;
	__u64 no_user;
	__u64 no_stack;
	__u64 truncated;
	__u64 no_kernel;
	__u64 frames;
	__u64 status[PROFILE_STATUSES];
	__u64 unrecorded;
	__u64 stock;
	__u64 stock_no_file;
	__u64 both;
	__u64 differ;
	__u64 kernel_frames;
	__u64 kernel_status[PROFILE_STATUSES];
	__u64 untracked;
};

#endif /* BUILDIDX_PROFILE_RECORD_H */
