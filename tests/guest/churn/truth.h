/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the churn test keeps the truth: in the memory that is sampled.
 *
 * Every page of every test file carries a header that says which file, which
 * generation of it and which file offset the page is. So a sampled address can
 * be checked against the page that is mapped there, whoever mapped it and
 * whatever the kernel's bookkeeping says. Test files are further mapped only
 * at fixed windows, each of which may hold a known set of file and offset
 * pairs; that bounds the answer while a mapping is being changed.
 *
 * Included by the BPF program and by user space.
 */
#ifndef CHURN_TRUTH_H
#define CHURN_TRUTH_H

#include <linux/types.h>

#include "../../../include/uapi/buildidx.h"

#define CHURN_PAGE	4096ULL
#define CHURN_MAGIC	0x9d1e5c0ffee2b1dcULL
#define CHURN_HEADER	0xfc0	/* place of the header in each page */

/**
 * struct churn_header - at CHURN_HEADER of each page of a test file
 * @magic: CHURN_MAGIC
 * @file: number of the file
 * @gen: generation of its content
 * @offset: file offset of the page
 * @check: churn_mix() of the three
 */
struct churn_header {
	__u64 magic;
	__u32 file;
	__u32 gen;
	__u64 offset;
	__u64 check;
};

static inline __u64 churn_mix(__u32 file, __u32 gen, __u64 offset)
{
	__u64 x = CHURN_MAGIC ^ ((__u64)file << 32 | gen) ^ (offset << 20);

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* Windows: fixed, the same in every process that maps test files. */
#define CHURN_WINDOW_BASE	0x200000000000ULL
#define CHURN_WINDOW_STRIDE	(1ULL << 20)
#define CHURN_WINDOW_PAGES	32

enum churn_window {
	CHURN_W_SPLIT,		/* mprotect of parts, R-X and R-- */
	CHURN_W_SPLIT_RUN,	/* the same, R-X and RWX; its code runs meanwhile */
	CHURN_W_PUNCH,		/* munmap and mmap of parts */
	CHURN_W_TWO_FILES,	/* either of two files, at different offsets */
	CHURN_W_TWO_OFFSETS,	/* one file at either of two offsets */
	CHURN_W_ANON,		/* a file or anonymous memory */
	CHURN_W_MOVE_A,		/* mremap between this one ... */
	CHURN_W_MOVE_B,		/* ... and this one */
	CHURN_W_REWRITE_DISK,	/* file rewritten in place, on disk */
	CHURN_W_REWRITE_TMPFS,	/* the same on tmpfs */
	CHURN_W_TRUNCATE,	/* file truncated, then written again */
	CHURN_W_REPLACE_DISK,	/* path gets another inode all the time */
	CHURN_W_REPLACE_TMPFS,
	CHURN_W_HOLE,		/* never mapped */
	CHURN_WINDOWS
};

/* Test files. The number is part of the build ID. */
enum churn_file {
	CHURN_F_SPLIT,
	CHURN_F_SPLIT_RUN,
	CHURN_F_TWO_A,
	CHURN_F_TWO_B,
	CHURN_F_OFFSETS,
	CHURN_F_ANON,
	CHURN_F_MOVE,
	CHURN_F_REWRITE_DISK,
	CHURN_F_REWRITE_TMPFS,
	CHURN_F_TRUNCATE,
	CHURN_F_REPLACE_DISK,
	CHURN_F_REPLACE_TMPFS,
	CHURN_F_DL_0,		/* dlopened */
	CHURN_F_DL_1,
	CHURN_F_DL_2,		/* dlopened, replaced all the time */
	CHURN_F_DL_3,
	CHURN_F_EXEC_0,		/* executed */
	CHURN_F_EXEC_1,		/* executed, replaced all the time */
	CHURN_FILES
};

/* Processes are told by their name: this, then a class, then a slot digit. */
#define CHURN_COMM	"bxc-"
#define CHURN_COMM_LEN	4
#define CHURN_CLASS_WORKER	'w' /* maps and unmaps windows; keeps sequence numbers */
#define CHURN_CLASS_FORKER	'f' /* forks; its windows stay as they are */
#define CHURN_CLASS_CHILD	'c' /* forked by it, one thread */
#define CHURN_CLASS_EXECING	'e' /* about to execute a test file */
#define CHURN_CLASS_EXECED	'x' /* a test file that runs */
#define CHURN_CLASS_DL		'd' /* dlopens test files */
#define CHURN_SLOTS	4
/* Room in the arrays below: powers of two, so that a mask shows a bound to the verifier. */
#define CHURN_WINDOWS_ROOM	16
#define CHURN_FILES_ROOM	32

/**
 * struct churn_state - written by the test programs, read by the BPF program
 * @seq: of each window of each worker, at churn_seq(); odd while the worker changes what is
 *	mapped there (not while it only changes protections)
 * @gen_begun: generation of each file that is being, or has been, written
 * @gen_done: last generation that is complete and whose writer has closed
 * @tail: records that user space has consumed, by CPU
 */
struct churn_state {
	__u32 seq[CHURN_SLOTS * CHURN_WINDOWS_ROOM];
	__u32 gen_begun[CHURN_FILES_ROOM];
	__u32 gen_done[CHURN_FILES_ROOM];
	__u64 tail[64];
};

static inline __u32 churn_seq(__u32 slot, __u32 window)
{
	return slot * CHURN_WINDOWS_ROOM + window;
}

#define CHURN_ADDRESSES	8	/* in one sample */
#define CHURN_STACK	3	/* of them real stack frames, in NMI and timer samples */

/* churn_record.source */
#define CHURN_NMI	0
#define CHURN_TIMER	1
#define CHURN_AIMED	2	/* kprobe inside the kernel's mapping code */
#define CHURN_SOURCES	3

/**
 * struct churn_address - one address and what memory said of it
 * @ip: address
 * @before: header of its page, read before the lookup; magic 0: not readable
 * @after: the same after the lookup
 * @seq_before: sequence number of its window in this worker, else 0
 * @seq_after: the same after the lookup
 * @done_before: gen_done of the file named by @before, else of the window
 * @begun_after: gen_begun of the same file, after the lookup
 */
struct churn_address {
	__u64 ip;
	struct churn_header before;
	struct churn_header after;
	__u32 seq_before;
	__u32 seq_after;
	__u32 done_before;
	__u32 begun_after;
};

/**
 * struct churn_record - one sample
 * @commit: number of the record plus one; written last
 * @interrupted: instruction that was interrupted, in the kernel or not; 0: not known
 * @mm: nonzero when the task had a user address space
 * @source: CHURN_NMI, CHURN_TIMER or CHURN_AIMED
 * @cpu: CPU
 * @tgid: process
 * @ret: what the kfunc returned
 * @nr_stack: leading addresses that are frames of the interrupted user stack
 * @token_file: file that the running code says it is, ~0 when it says nothing
 * @token_gen: generation that the running code says it is
 * @pad: zero
 * @comm: name of the process
 * @ips: what the kfunc was given
 * @addr: truth
 * @frame: the kfunc's answers
 */
struct churn_record {
	__u64 commit;
	__u64 interrupted;
	__u64 mm;
	__u32 source;
	__u32 cpu;
	__u32 tgid;
	__s32 ret;
	__u32 nr_stack;
	__u32 token_file;
	__u32 token_gen;
	__u32 pad;
	char comm[16];
	__u64 ips[CHURN_ADDRESSES];
	struct churn_address addr[CHURN_ADDRESSES];
	struct buildidx_frame frame[CHURN_ADDRESSES];
};

#define CHURN_RING	2048	/* records for each CPU, a power of two */
#define CHURN_PROBES	1024	/* addresses of aimed probes that are counted */

/**
 * struct churn_counts - kept by the BPF program, for each CPU
 * @hits: programs run for one of our processes, by source
 * @lost: of them without room in the ring, by source
 * @nmi_handled: calls of NMI handlers that took the NMI, any process
 */
struct churn_counts {
	__u64 hits[CHURN_SOURCES];
	__u64 lost[CHURN_SOURCES];
	__u64 head;
	__u64 nmi_handled;
};

#endif /* CHURN_TRUTH_H */
