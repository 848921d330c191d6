/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * buildidx - userspace ABI of /dev/buildidx and layout of the BPF kfunc results
 *
 * Rules of the ABI
 *
 * Every ioctl argument starts with @size, the caller's sizeof() of the struct
 * it was compiled against. A kernel that knows a longer struct treats the
 * missing tail as zero; a kernel that knows a shorter one accepts the call only
 * when the unknown tail is zero. The module writes back min(its size, @size)
 * bytes. @flags and every pad or reserved member must be zero on input; result
 * members are ignored on input.
 *
 * Errors that every ioctl can return:
 *   ENOTTY     unknown command
 *   EINVAL     @size is smaller than the first version of the struct, or a
 *              flag, pad or reserved member is not zero
 *   E2BIG      @size is larger than what the module knows and the tail is not
 *              zero, or @size is larger than one page
 *   EFAULT     an address is not readable or writable
 *   EPERM      the caller lacks the capability; see each command
 *   EOPNOTSUPP the feature is not built into, or not active in, this module
 *
 * Pids are those of the caller's pid namespace. Times are nanoseconds.
 */
#ifndef _UAPI_BUILDIDX_H
#define _UAPI_BUILDIDX_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define BUILDIDX_DEVICE		"/dev/buildidx"
#define BUILDIDX_ABI_VERSION	1

/* Longest GNU build ID that is stored exactly; a longer one is TOO_LONG. */
#define BUILDIDX_ID_MAX		32
/* Longest identity of any kind (a Go build ID is text of about 83 bytes). */
#define BUILDIDX_TEXT_MAX	128

/**
 * enum buildidx_kind - what an identity is; kinds never share a name space
 * @BUILDIDX_KIND_NONE: no identity
 * @BUILDIDX_KIND_GNU: the descriptor of an NT_GNU_BUILD_ID note, exact length
 * @BUILDIDX_KIND_GO: the text of a Go build ID note, without a final NUL
 * @BUILDIDX_KIND_HASH: 16 bytes, the fallback for a file that has neither:
 *	the first half of SHA-256 over the first 4096 bytes, the last 4096 bytes
 *	and the length as 8 bytes big-endian (OpenTelemetry's htlhash)
 * @BUILDIDX_KIND_BPF: 20 bytes, what a BPF program is symbolized by; see struct
 *	buildidx_rec_bpf in buildidx_record.h
 */
enum buildidx_kind {
	BUILDIDX_KIND_NONE	= 0,
	BUILDIDX_KIND_GNU	= 1,
	BUILDIDX_KIND_GO	= 2,
	BUILDIDX_KIND_HASH	= 3,
	BUILDIDX_KIND_BPF	= 4,
};

/**
 * enum buildidx_source - where in the file the identity was found
 * @BUILDIDX_SOURCE_NONE: no identity
 * @BUILDIDX_SOURCE_PHDR: a note in a PT_NOTE segment
 * @BUILDIDX_SOURCE_SHDR: a note in a SHT_NOTE section that no segment covers
 * @BUILDIDX_SOURCE_CONTENT: computed from the content
 * @BUILDIDX_SOURCE_KERNEL: told by the running kernel (vmlinux, kernel modules)
 */
enum buildidx_source {
	BUILDIDX_SOURCE_NONE	= 0,
	BUILDIDX_SOURCE_PHDR	= 1,
	BUILDIDX_SOURCE_SHDR	= 2,
	BUILDIDX_SOURCE_CONTENT	= 3,
	BUILDIDX_SOURCE_KERNEL	= 4,
};

/**
 * enum buildidx_status - the answer to one lookup
 * @BUILDIDX_STATUS_OK: identity and offset are valid, kind GNU, GO or BPF. A kernel
 *	address has as offset: in vmlinux its virtual address in the file, in a
 *	module its distance from the start of the module's text, in a BPF program its
 *	place in the image of its record
 * @BUILDIDX_STATUS_NO_MM: the task has no user address space
 * @BUILDIDX_STATUS_NO_MAPPING: no mapping holds the address
 * @BUILDIDX_STATUS_ANON: the mapping has no file
 * @BUILDIDX_STATUS_SPECIAL: a mapping made by the kernel that is not the vDSO
 *	(vvar, uprobes, vsyscall)
 * @BUILDIDX_STATUS_NOT_INDEXED: a file that the index does not hold (mapped in
 *	a way that no hook sees, refused at the bound, or a file system that is
 *	filtered); the offset is valid
 * @BUILDIDX_STATUS_PENDING: the file is being read for the first time; the
 *	offset is valid
 * @BUILDIDX_STATUS_NOT_RESIDENT: only resident pages may be read of this file
 *	(FUSE, NFS, ... or a re-read after a change) and the needed ones were
 *	not; a re-read is queued; the offset is valid
 * @BUILDIDX_STATUS_MODIFIED: the content changed after the identity was read; a
 *	re-read is queued; the offset is valid
 * @BUILDIDX_STATUS_TOO_LONG: the GNU build ID has more than BUILDIDX_ID_MAX
 *	bytes; the fallback identity (kind HASH) and the offset are valid
 * @BUILDIDX_STATUS_NO_NOTE: the file has no build ID; the fallback identity
 *	(kind HASH) and the offset are valid
 * @BUILDIDX_STATUS_RACED: the mapping was being changed at that instant
 * @BUILDIDX_STATUS_KERNEL: a kernel address of which nothing is known
 * @BUILDIDX_STATUS_READ_ERROR: reading the file failed; tried again at the next
 *	mmap; the offset is valid
 * @BUILDIDX_STATUS_OFF: the module's hooks are switched off, or were kprobes and
 *	may have been disarmed; for kernel addresses too, as what is there may have come unseen
 * @BUILDIDX_STATUS_GENERATED: kernel text that the kernel generated and that has no
 *	build ID (BPF and ftrace trampolines, dispatchers, kprobe slots), or a module
 *	or vmlinux whose build ID is not known; object and offset are valid
 */
enum buildidx_status {
	BUILDIDX_STATUS_OK		= 0,
	BUILDIDX_STATUS_NO_MM		= 1,
	BUILDIDX_STATUS_NO_MAPPING	= 2,
	BUILDIDX_STATUS_ANON		= 3,
	BUILDIDX_STATUS_SPECIAL		= 4,
	BUILDIDX_STATUS_NOT_INDEXED	= 5,
	BUILDIDX_STATUS_PENDING		= 6,
	BUILDIDX_STATUS_NOT_RESIDENT	= 7,
	BUILDIDX_STATUS_MODIFIED	= 8,
	BUILDIDX_STATUS_TOO_LONG	= 9,
	BUILDIDX_STATUS_NO_NOTE		= 10,
	BUILDIDX_STATUS_RACED		= 11,
	BUILDIDX_STATUS_KERNEL		= 12,
	BUILDIDX_STATUS_READ_ERROR	= 13,
	BUILDIDX_STATUS_OFF		= 14,
	BUILDIDX_STATUS_GENERATED	= 15,
};
#define BUILDIDX_STATUS_COUNT		16

/* Flag of bpf_buildidx_stack_build_id(): kernel addresses are resolved too */
#define BUILDIDX_F_KERNEL		(1ULL << 0)

/* buildidx_frame.flags */
#define BUILDIDX_FRAME_TRUNCATED	(1U << 0) /* id_len > 32: id holds the first 32 bytes, OBJECT the rest */
#define BUILDIDX_FRAME_VDSO		(1U << 1) /* the mapping is the vDSO; offset is that in its image */

/**
 * struct buildidx_frame - one resolved instruction pointer (rich kfunc, QUERY_ADDR)
 * @ip: the address that was asked for
 * @offset: file offset of @ip; 0 when the status gives none
 * @object: number of the indexed object, 0 when none; numbers are never reused
 *	while the module is loaded, and a file whose content changed gets a new one
 * @status: enum buildidx_status
 * @kind: enum buildidx_kind
 * @source: enum buildidx_source
 * @id_len: true length of the identity in bytes; may exceed sizeof(@id)
 * @flags: BUILDIDX_FRAME_*
 * @pad: zero
 * @id: the identity; bytes past @id_len are zero
 */
struct buildidx_frame {
	__u64 ip;
	__u64 offset;
	__u64 object;
	__u16 status;
	__u8  kind;
	__u8  source;
	__u16 id_len;
	__u8  flags;
	__u8  pad;
	__u8  id[BUILDIDX_ID_MAX];
};

/**
 * struct buildidx_object - one indexed file content
 * @object: number of the object
 * @dev_major: major number of the file system's device
 * @dev_minor: minor number of the file system's device
 * @ino: inode number
 * @generation: inode generation
 * @status: enum buildidx_status of a lookup that hits this object
 * @kind: enum buildidx_kind
 * @source: enum buildidx_source
 * @flags: BUILDIDX_FRAME_VDSO or 0
 * @file_size: length of the file in bytes when it was read
 * @mtime_ns: modification time of the file when it was read
 * @id_len: length of @id in bytes
 * @pad: zero
 * @id: the whole identity; bytes past @id_len are zero
 */
struct buildidx_object {
	__u64 object;
	__u32 dev_major;
	__u32 dev_minor;
	__u64 ino;
	__u32 generation;
	__u16 status;
	__u8  kind;
	__u8  source;
	__u64 file_size;
	__s64 mtime_ns;
	__u16 id_len;
	__u8  flags;
	__u8  pad[5];
	__u8  id[BUILDIDX_TEXT_MAX];
};

/* enum values of buildidx_hook.state */
#define BUILDIDX_HOOK_OFF	0 /* not placed */
#define BUILDIDX_HOOK_FTRACE	1
#define BUILDIDX_HOOK_KPROBE	2

#define BUILDIDX_NAME_MAX	32
#define BUILDIDX_HOOK_MAX	8

/**
 * struct buildidx_hook - state of one hook
 * @name: what it is for: "mmap", "inode", "fput", "bpf", "ksym"
 * @symbol: kernel function it sits on; empty when it could not be placed
 * @state: BUILDIDX_HOOK_*
 * @error: positive errno why it could not be placed, else 0
 * @hits: calls seen
 * @missed: calls known to be missed (kprobe nmissed, recursion)
 */
struct buildidx_hook {
	char  name[BUILDIDX_NAME_MAX];
	char  symbol[BUILDIDX_NAME_MAX];
	__u32 state;
	__u32 error;
	__u64 hits;
	__u64 missed;
};

/* buildidx_info.kfunc_state: bit set when kfuncs are registered for ... */
#define BUILDIDX_KFUNC_TRACING	(1U << 0) /* fentry, fexit, tp_btf, iterators */
#define BUILDIDX_KFUNC_PERF	(1U << 1) /* perf_event and tracepoint */
#define BUILDIDX_KFUNC_KPROBE	(1U << 2) /* kprobe, uprobe */
#define BUILDIDX_KFUNC_RAW_TP	(1U << 3) /* raw tracepoint */
#define BUILDIDX_KFUNC_NO_BTF	(1U << 16) /* the module has no BTF: no kfunc at all */

/* buildidx_info.capture_mode */
#define BUILDIDX_CAPTURE_TASK_WORK	1
#define BUILDIDX_CAPTURE_WORKER		2 /* task_work_add is not exported: a short window exists */

/* buildidx_info.kernel_state: bit set when known */
#define BUILDIDX_KERNEL_VMLINUX	(1U << 0) /* build ID and base of vmlinux */
#define BUILDIDX_KERNEL_MODULES	(1U << 1) /* kernel modules */
#define BUILDIDX_KERNEL_BPF	(1U << 2) /* BPF programs: each one loaded gets a record */
#define BUILDIDX_KERNEL_KSYM	(1U << 3) /* generated text */

/**
 * struct buildidx_info - BUILDIDX_IOC_INFO; anybody who can open the device
 * @size: see the rules above
 * @flags: zero
 * @abi_version: BUILDIDX_ABI_VERSION of the module
 * @kfunc_state: BUILDIDX_KFUNC_*
 * @kfunc_error: positive errno of the kfunc registration, else 0
 * @capture_mode: BUILDIDX_CAPTURE_*
 * @hooks_on: 1 while hooks deliver, 0 when switched off by the parameter
 * @nr_hooks: valid entries in @hooks
 * @max_entries: bound of the index, in files
 * @entries: files in the index now
 * @heads: hash heads
 * @version: version of the module, NUL-terminated
 * @hooks: one for each hook
 * @kernel_state: BUILDIDX_KERNEL_*
 * @pad: zero
 * @records_live: BPF programs, modules and generated texts that are there now
 * @records_gone: those that are gone and still known
 * @history_bytes: bytes that the latter take
 * @history_max: most that they may take
 * @stream_bytes: bytes that the stream keeps for slow readers
 * @stream_max: most that it may keep
 * @stream_first: number of the oldest record that the stream keeps
 * @stream_next: number that the next record will get
 */
struct buildidx_info {
	__u32 size;
	__u32 flags;
	__u32 abi_version;
	__u32 kfunc_state;
	__u32 kfunc_error;
	__u32 capture_mode;
	__u32 hooks_on;
	__u32 nr_hooks;
	__u64 max_entries;
	__u64 entries;
	__u64 heads;
	char  version[BUILDIDX_NAME_MAX];
	struct buildidx_hook hooks[BUILDIDX_HOOK_MAX];
	__u32 kernel_state;
	__u32 pad;
	__u64 records_live;
	__u64 records_gone;
	__u64 history_bytes;
	__u64 history_max;
	__u64 stream_bytes;
	__u64 stream_max;
	__u64 stream_first;
	__u64 stream_next;
};

/**
 * struct buildidx_query_fd - BUILDIDX_IOC_QUERY_FD; anybody who can open the device
 * @size: see the rules above
 * @flags: zero
 * @fd: a regular file open for reading (not O_PATH)
 * @pad: zero
 * @obj: result; obj.status tells OK, NO_NOTE, TOO_LONG, NOT_RESIDENT, READ_ERROR
 *
 * The file need not be mapped. A file that the index does not hold is read
 * with the file system's own read method in the caller's context and indexed.
 * Errors: EBADF no such fd, or not open for reading; EINVAL not a regular file;
 * EOPNOTSUPP a file system that is never indexed (proc, sysfs, secretmem, ...);
 * EINTR interrupted while reading.
 */
struct buildidx_query_fd {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 pad;
	struct buildidx_object obj;
};

/**
 * struct buildidx_query_addr - BUILDIDX_IOC_QUERY_ADDR
 * @size: see the rules above
 * @flags: zero
 * @pid: process to look in; 0 means the caller
 * @pad: zero
 * @address: user address, or kernel address
 * @frame: result
 *
 * One's own process needs no capability; another needs CAP_SYS_PTRACE or
 * CAP_PERFMON, or CAP_SYS_ADMIN, which implies it (EPERM). Errors: ESRCH no such
 * process; EINVAL a negative pid. A process without an
 * address space gives status NO_MM. A kernel address is the same in each process; it
 * is answered to those who may see kernel addresses (see struct
 * buildidx_query_record), to others with status KERNEL.
 */
struct buildidx_query_addr {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 pad;
	__u64 address;
	struct buildidx_frame frame;
};

/**
 * struct buildidx_query_exe - BUILDIDX_IOC_QUERY_EXE
 * @size: see the rules above
 * @flags: zero
 * @pid: process to look at; 0 means the caller
 * @pad: zero
 * @obj: identity of its main executable
 *
 * Permissions and errors as QUERY_ADDR; a process without an address space or
 * executable gives ESRCH.
 */
struct buildidx_query_exe {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 pad;
	struct buildidx_object obj;
};

/**
 * struct buildidx_query_object - BUILDIDX_IOC_OBJECT; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: zero
 * @object: number from a frame, a query or a dump
 * @obj: result
 *
 * Errors: ENOENT the object is no longer in the index.
 */
struct buildidx_query_object {
	__u32 size;
	__u32 flags;
	__u64 object;
	struct buildidx_object obj;
};

/**
 * struct buildidx_dump - BUILDIDX_IOC_DUMP; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: zero
 * @cursor: 0 to start; what the last call returned to go on
 * @buf: user pointer to an array of struct buildidx_object
 * @count: in: room in @buf, at most 65536; out: entries written, 0 at the end
 * @obj_size: sizeof(struct buildidx_object) of the caller; at least the first
 *	version's; longer than the module's: the tail is written as zeros
 *
 * Entries that stay in the index for the whole dump are seen exactly once.
 * Errors: ENOSPC @count is too small for the next step (the message is: call
 * again with at least 64).
 */
struct buildidx_dump {
	__u32 size;
	__u32 flags;
	__u64 cursor;
	__u64 buf;
	__u32 count;
	__u32 obj_size;
};

/**
 * enum buildidx_counter - indices into buildidx_stats.counter
 *
 * Counters only grow while the module is loaded. captured = indexed + refused
 * + failed + dropped.
 */
enum buildidx_counter {
	BUILDIDX_CNT_CAPTURED		= 0,  /* captures started (hook, scan, query, re-read) */
	BUILDIDX_CNT_INDEXED		= 1,  /* captures that stored an identity */
	BUILDIDX_CNT_REFUSED		= 2,  /* captures refused at the bound, all entries being mapped */
	BUILDIDX_CNT_FAILED		= 3,  /* captures that could not read (I/O, memory, interrupted) */
	BUILDIDX_CNT_DROPPED		= 4,  /* captures whose inode died or changed meanwhile */
	BUILDIDX_CNT_EVICTED		= 5,  /* entries removed at the bound or by the shrinker */
	BUILDIDX_CNT_DEAD		= 6,  /* entries removed at inode teardown */
	BUILDIDX_CNT_STALE		= 7,  /* entries marked changed at release of a writer */
	BUILDIDX_CNT_REREAD		= 8,  /* re-reads queued */
	BUILDIDX_CNT_POOL_EMPTY		= 9,  /* hook calls for which no work item was left */
	BUILDIDX_CNT_WORKER		= 10, /* captures done by the worker instead of task_work */
	BUILDIDX_CNT_SCAN_TASKS		= 11, /* processes scanned */
	BUILDIDX_CNT_SCAN_FILES		= 12, /* files captured by scans */
	BUILDIDX_CNT_RETRY		= 13, /* lookups that had to walk again */
	BUILDIDX_CNT_KFUNC_CALLS	= 14, /* kfunc calls */
	BUILDIDX_CNT_SCAN_SKIPPED	= 15, /* processes left out by a scan, mmap_lock being held (one more follows) */
	BUILDIDX_CNT_BPF_LOADED		= 16, /* BPF programs recorded when they were loaded */
	BUILDIDX_CNT_BPF_ADOPTED	= 17, /* BPF programs recorded later: older than the module */
	BUILDIDX_CNT_BPF_UNLOADED	= 18, /* recorded BPF programs that were unloaded */
	BUILDIDX_CNT_BPF_LOST		= 19, /* BPF programs loaded that no record could be made of */
	BUILDIDX_CNT_KSYM_ADDED		= 20, /* generated texts that came */
	BUILDIDX_CNT_KSYM_LOST		= 21, /* those that there was no memory for */
	BUILDIDX_CNT_HISTORY_DROPPED	= 22, /* records of what is gone, dropped at the bound */
	BUILDIDX_CNT_EVENTS		= 23, /* records put in the stream */
	BUILDIDX_CNT_EVENTS_LOST	= 24, /* records that should have been, and could not be made */
	BUILDIDX_CNT_EVENTS_DROPPED	= 25, /* records dropped from the stream at its bound */
};
#define BUILDIDX_CNT_COUNT		26
#define BUILDIDX_STATS_MAX		32

/**
 * struct buildidx_stats - BUILDIDX_IOC_STATS; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: zero
 * @cpu: -1 for the sum over all CPUs, else a CPU number (EINVAL when not possible)
 * @nr_status: out: valid entries in @status
 * @nr_counter: out: valid entries in @counter
 * @pad: zero
 * @status: frames answered with each enum buildidx_status
 * @counter: enum buildidx_counter
 */
struct buildidx_stats {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 nr_status;
	__u32 nr_counter;
	__u32 pad;
	__u64 status[BUILDIDX_STATS_MAX];
	__u64 counter[BUILDIDX_STATS_MAX];
};

/* buildidx_query_record.by */
#define BUILDIDX_BY_OBJECT	1 /* @object, from a frame or a record */
#define BUILDIDX_BY_PROG_ID	2 /* @id, the kernel's number of a BPF program */
#define BUILDIDX_BY_ADDRESS	3 /* @address, at @time */
#define BUILDIDX_BY_BUILD_ID	4 /* @build_id of a BPF program, a module or vmlinux */

/* buildidx_query_record.flags, buildidx_dump_records.flags; none means both */
#define BUILDIDX_RECORDS_LIVE	(1U << 0) /* what is there now */
#define BUILDIDX_RECORDS_GONE	(1U << 1) /* what is gone */

/**
 * struct buildidx_query_record - BUILDIDX_IOC_RECORD; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: BUILDIDX_RECORDS_*
 * @by: BUILDIDX_BY_*
 * @id: see @by
 * @object: see @by; on return that of the record found
 * @address: see @by
 * @time: CLOCK_BOOTTIME at which @address was there; 0 means now or, when nothing is
 *	there now, the last that was
 * @build_id: see @by
 * @id_len: bytes of @build_id
 * @pad: zero
 * @rec_size: out: bytes of the record
 * @buf_size: room at @buf; at most BUILDIDX_REC_MAX
 * @buf: user pointer; nothing is written when @buf_size is less than @rec_size, so
 *	that a caller can ask with 0 first
 *
 * The record is BPF_LOAD, KSYM or MODULE (buildidx_record.h). Of several that match, one
 * that is there now is taken, else the last that went. Addresses and the images of BPF
 * programs are given to those with CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN, as far
 * as kernel.kptr_restrict, net.core.bpf_jit_harden and lockdown let them see such;
 * to others they are zero and left out, flags in the record say so, and BY_ADDRESS is
 * EPERM (with bpf_jit_harden it finds no BPF program). Errors: ENOENT nothing found.
 */
struct buildidx_query_record {
	__u32 size;
	__u32 flags;
	__u32 by;
	__u32 id;
	__u64 object;
	__u64 address;
	__u64 time;
	__u8  build_id[BUILDIDX_ID_MAX];
	__u32 id_len;
	__u32 pad;
	__u32 rec_size;
	__u32 buf_size;
	__u64 buf;
};

/**
 * struct buildidx_dump_records - BUILDIDX_IOC_RECORDS; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: BUILDIDX_RECORDS_*
 * @types: bit 1 << enum buildidx_rec_type for each type wanted; 0 means all
 * @count: out: records written; 0 with @next_size 0 at the end
 * @cursor: 0 to start; what the last call returned to go on
 * @buf: user pointer; records one after another
 * @buf_size: room at @buf; at most BUILDIDX_REC_MAX
 * @used: out: bytes written
 * @next_size: out: bytes of the next record when it did not fit, else 0
 * @pad: zero
 *
 * Records come in the order of their object numbers; one that stays for the whole dump
 * comes exactly once. What the caller may see is as for BUILDIDX_IOC_RECORD.
 */
struct buildidx_dump_records {
	__u32 size;
	__u32 flags;
	__u32 types;
	__u32 count;
	__u64 cursor;
	__u64 buf;
	__u32 buf_size;
	__u32 used;
	__u32 next_size;
	__u32 pad;
};

/**
 * struct buildidx_adopt - BUILDIDX_IOC_ADOPT; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: zero
 * @fd: a BPF program
 * @pad: zero
 * @object: out: number of its record
 *
 * Makes a record of a program that is older than the module, or than the last time the
 * hooks were switched on; one that has a record keeps it. Errors: EBADF no such fd; EINVAL
 * not that of a BPF program; ENOMEM; EAGAIN the hook is off or not placed
 * (kernel_state), so that nobody would see the program go.
 */
struct buildidx_adopt {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 pad;
	__u64 object;
};

/* buildidx_stream.flags */
#define BUILDIDX_STREAM_OLDEST	(1U << 0) /* go to the oldest record that is kept */
#define BUILDIDX_STREAM_NEXT	(1U << 1) /* go to the end: the next one that comes */

/**
 * struct buildidx_stream - BUILDIDX_IOC_STREAM; CAP_PERFMON or CAP_SYS_ADMIN
 * @size: see the rules above
 * @flags: BUILDIDX_STREAM_*, at most one; none: stay
 * @types: bit 1 << enum buildidx_rec_type for each type wanted (LOST always comes);
 *	0: leave as it is. MAP records are made only while somebody wants them
 * @next_size: out: bytes of the next record, 0 when there is none now
 * @seq: out: number of the next record that this reader will look at
 *
 * Sets what read() on this open file gives. Before the first call a reader is at the
 * end as it was when the file was opened, and wants all types but MAP. Each open file
 * has its own place; nothing that one reader does is seen by another.
 *
 * read() needs the same capability; it waits for a record unless the file is O_NONBLOCK
 * (EAGAIN), and gives as many whole records as fit; EMSGSIZE when the next one does not
 * (@next_size tells its size; read() again with more room); EINTR a signal came.
 * poll() tells readable when a record is there. Records are as the caller of read() may
 * see them, see BUILDIDX_IOC_RECORD.
 *
 * At most stream_max bytes of records are kept (struct buildidx_info); the oldest go first. A
 * reader that was too slow gets a LOST record in their place, with the exact number
 * of those it wanted; types that it does not want at that time are not counted.
 */
struct buildidx_stream {
	__u32 size;
	__u32 flags;
	__u32 types;
	__u32 next_size;
	__u64 seq;
};

#define BUILDIDX_IOC_MAGIC	0xB1
#define BUILDIDX_IOC_INFO	_IOWR(BUILDIDX_IOC_MAGIC, 0, struct buildidx_info)
#define BUILDIDX_IOC_QUERY_FD	_IOWR(BUILDIDX_IOC_MAGIC, 1, struct buildidx_query_fd)
#define BUILDIDX_IOC_QUERY_ADDR	_IOWR(BUILDIDX_IOC_MAGIC, 2, struct buildidx_query_addr)
#define BUILDIDX_IOC_QUERY_EXE	_IOWR(BUILDIDX_IOC_MAGIC, 3, struct buildidx_query_exe)
#define BUILDIDX_IOC_OBJECT	_IOWR(BUILDIDX_IOC_MAGIC, 4, struct buildidx_query_object)
#define BUILDIDX_IOC_DUMP	_IOWR(BUILDIDX_IOC_MAGIC, 5, struct buildidx_dump)
#define BUILDIDX_IOC_STATS	_IOWR(BUILDIDX_IOC_MAGIC, 6, struct buildidx_stats)
#define BUILDIDX_IOC_RECORD	_IOWR(BUILDIDX_IOC_MAGIC, 7, struct buildidx_query_record)
#define BUILDIDX_IOC_RECORDS	_IOWR(BUILDIDX_IOC_MAGIC, 8, struct buildidx_dump_records)
#define BUILDIDX_IOC_ADOPT	_IOWR(BUILDIDX_IOC_MAGIC, 9, struct buildidx_adopt)
#define BUILDIDX_IOC_STREAM	_IOWR(BUILDIDX_IOC_MAGIC, 10, struct buildidx_stream)

#endif /* _UAPI_BUILDIDX_H */
