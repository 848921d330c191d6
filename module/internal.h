/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the module know of each other
 *
 *   hooks    sees mappings, closed writers and dying inodes
 *   capture  reads a file and stores its identity
 *   index    inode -> identity, read without locks
 *   work     queued captures: task_work of the mapping task, or the worker
 *   bpfprog  records of BPF programs, made when they are loaded (krec.h)
 *   ksym     records of text that the kernel generates
 *   kmod     records of vmlinux and kernel modules
 *   events   records of files
 *   stream, reader  the log of records, and who follows it
 *   resolve  address -> mapping -> identity, from NMI
 *   kfunc, device   who asks
 */
#ifndef BIDX_INTERNAL_H
#define BIDX_INTERNAL_H

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/types.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/llist.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "../include/uapi/buildidx.h"
#include "elfid.h"

/**
 * enum bidx_state - life of an index entry
 * @BIDX_PENDING: the first read has not finished; no identity
 * @BIDX_VALID: identity, size and times are final for this entry
 * @BIDX_STALE: a writer closed the file and it changed; identity must not be used
 * @BIDX_FAILED: reading failed, @status says how; no identity
 * @BIDX_DEAD: out of the table; whoever still sees it must not use it
 */
enum bidx_state {
	BIDX_PENDING,
	BIDX_VALID,
	BIDX_STALE,
	BIDX_FAILED,
	BIDX_DEAD,
};

/* No chain gets near this; it bounds a walk whatever happens. */
#define BIDX_CHAIN_MAX	1024

/* A file that keeps answering MODIFIED is read again no more often than this. */
#define BIDX_REREAD_PAUSE	(HZ / 10)

/* bidx_entry.traits */
#define BIDX_FRESH	(1U << 0) /* read within one timestamp tick of the last write */
#define BIDX_UNSTAMPED	(1U << 1) /* writes through shared mappings do not move the times */
#define BIDX_UNCOUNTED	(1U << 2) /* writers are not in i_writecount (memfd) */

/**
 * struct bidx_entry - one file in the index
 * @node: hash chain, RCU
 * @lru: eviction order, under the index's lru lock while hashed
 * @rcu: once unhashed
 * @dead: once unhashed, until the worker hands it to RCU
 * @inode: the key; not to be dereferenced except as resolve.c validates it
 * @object: public number
 * @size: bytes, when read
 * @mtime: ns, when read
 * @ctime: ns, when read
 * @ino: inode number
 * @dev: device of the file system
 * @generation: inode generation
 * @last_used: jiffies (low 32 bits) of the last executable mapping
 * @lru_stamp: @last_used when the entry was put at its place in @lru
 * @change: bumped by each release of a writer, under the bucket lock
 * @state: enum bidx_state
 * @status: what a lookup answers while VALID or FAILED
 * @kind: enum buildidx_kind
 * @source: enum buildidx_source
 * @traits: BIDX_FRESH, BIDX_UNSTAMPED, BIDX_UNCOUNTED
 * @evicting: an eviction is looking whether the file is mapped
 * @reread_queued: a re-read is on its way
 * @ticketed: a capture still fills it; whoever unhashes it must not free it
 * @reread_at: jiffies (low 32 bits) when a lookup last queued one
 * @id_len: bytes
 * @id: identity of up to BUILDIDX_ID_MAX bytes
 * @text: longer identity (Go), owned by the entry
 *
 * Everything from @size to @text but @last_used, @lru_stamp, @change, @state,
 * @evicting, @ticketed and the re-read members is written before @state becomes VALID or
 * FAILED and then never again: an identity changes by replacing the entry. So
 * a lock-free reader that saw VALID may copy it.
 */
struct bidx_entry {
	struct hlist_node node;
	union {
		struct list_head lru;
		struct rcu_head rcu;
		struct llist_node dead;
	};
	struct inode *inode;
	u64 object;
	u64 size;
	u64 mtime;
	u64 ctime;
	u64 ino;
	dev_t dev;
	u32 generation;
	u32 last_used;
	u32 lru_stamp;
	u32 change;
	u32 reread_at;
	u8 state;
	u8 status;
	u8 kind : 4;
	u8 source : 4;
	u8 traits;
	u8 evicting;
	u8 reread_queued;
	u8 ticketed;
	u8 id_len;
	union {
		u8 id[BUILDIDX_ID_MAX];
		u8 *text;
	};
};

/**
 * struct bidx_times - what tells that a file's content may have changed
 * @size: bytes
 * @mtime: ns since the epoch, wraps
 * @ctime: ns since the epoch, wraps
 */
struct bidx_times {
	u64 size;
	u64 mtime;
	u64 ctime;
};

/* main.c */
extern bool bidx_active;		/* hooks deliver, so what the index has is true */
extern const char *bidx_skip_hook;	/* debug_skip_hook=, NULL or a hook's name */
extern bool bidx_use_kprobe;		/* hook=kprobe */

/* stats.c: this_cpu_inc() is one instruction on x86 and safe against NMI on arm64 */
struct bidx_cpu_stats {
	u64 status[BUILDIDX_STATUS_COUNT];
	u64 counter[BUILDIDX_CNT_COUNT];
	u64 hook_hits[BUILDIDX_HOOK_MAX];
};
DECLARE_PER_CPU(struct bidx_cpu_stats, bidx_cpu_stats);

static inline void bidx_count(enum buildidx_counter c)
{
	this_cpu_inc(bidx_cpu_stats.counter[c]);
}

static inline void bidx_count_status(unsigned int status)
{
	this_cpu_inc(bidx_cpu_stats.status[status]);
}

static inline void bidx_count_statuses(unsigned int status, unsigned int n)
{
	this_cpu_add(bidx_cpu_stats.status[status], n);
}

void bidx_stats_sum(int cpu, struct bidx_cpu_stats *sum);

/* hooks.c */
int bidx_hooks_start(void);
void bidx_hooks_start_kernel(void);
void bidx_hooks_stop(void);
bool bidx_hooks_silenced(void);
void bidx_hooks_tell(void);
unsigned int bidx_hooks_info(struct buildidx_hook *info, unsigned int max);

/**
 * struct bidx_probe_file - the self-test's file, recognized by the hooks
 * @inode: its inode, NULL outside the self-test
 * @task: who tests, and gets answers before bidx_active is true
 * @seen: bit per enum bidx_hook_id that saw it
 */
struct bidx_probe_file {
	struct inode *inode;
	struct task_struct *task;
	unsigned long seen;
};
extern struct bidx_probe_file bidx_probe;

enum bidx_hook_id {
	BIDX_HOOK_MMAP,
	BIDX_HOOK_FPUT,
	BIDX_HOOK_INODE,
	BIDX_HOOK_NEEDED,		/* without those before it the module does not work */
	BIDX_HOOK_BPF = BIDX_HOOK_NEEDED,
	BIDX_HOOK_KSYM,
	BIDX_HOOK_COUNT,
};
bool bidx_hook_placed(enum bidx_hook_id id);

/* index.c */
int bidx_index_init(unsigned long max_entries);
void bidx_index_exit(void);
void bidx_index_flush(void);
struct bidx_entry *bidx_index_lookup(const struct inode *inode);
bool bidx_index_covers(const struct inode *inode);
struct bidx_entry *bidx_entry_alloc(void);
void bidx_entry_free(struct bidx_entry *e);

/**
 * struct bidx_ticket - a capture under way, from begin to publish
 * @e: the new entry; owned by the caller until published
 * @hashed: @e itself is in the table, PENDING
 * @old_object: else the object that was there at begin
 * @change: that entry's change count at begin
 * @object: once published, the number under which it can be found
 * @known: it is that of the entry that was there: the file was touched, not changed
 */
struct bidx_ticket {
	struct bidx_entry *e;
	bool hashed;
	u64 old_object;
	u32 change;
	u64 object;
	bool known;
};

int bidx_index_begin(struct bidx_ticket *t, struct inode *inode);
int bidx_index_publish(struct bidx_ticket *t, enum bidx_state state);
void bidx_index_abort(struct bidx_ticket *t);
bool bidx_index_written(struct inode *inode, bool unstamped, u64 *object);
void bidx_index_inode_died(const struct inode *inode);
void bidx_index_reap(void);
unsigned long bidx_index_count(void);
unsigned long bidx_index_max(void);
unsigned long bidx_index_heads(void);
u64 bidx_index_next_object(void);
int bidx_index_dump_head(unsigned long head, struct buildidx_object *objs,
			 unsigned int room);
int bidx_index_find_object(u64 object, struct buildidx_object *obj);
struct inode *bidx_index_grab(struct inode *inode, u64 object);
void bidx_index_ungrab(struct inode *inode);
void bidx_entry_describe(const struct bidx_entry *e, struct buildidx_object *obj);
void bidx_entry_to_object(const struct bidx_entry *e, struct buildidx_object *obj);

/**
 * struct bidx_mapper - who mapped a file executable, and where
 * @time: CLOCK_BOOTTIME
 * @addr: first address
 * @len: bytes
 * @offset: file offset of @addr
 * @pid: process, in the initial namespace
 * @tid: thread
 * @uid: user, in the initial namespace
 * @comm: name of the thread
 * @tell: there is to be a MAP record
 */
struct bidx_mapper {
	u64 time;
	u64 addr;
	u64 len;
	u64 offset;
	u32 pid;
	u32 tid;
	u32 uid;
	char comm[TASK_COMM_LEN];
	bool tell;
};

/* capture.c */
bool bidx_file_wanted(const struct file *file);
bool bidx_inode_wanted(const struct inode *inode);
void bidx_inode_times(const struct inode *inode, struct bidx_times *t);
int bidx_capture(struct file *file, struct inode *inode, const struct bidx_mapper *by);
void bidx_reread(struct inode *inode, u64 object);

/* events.c: records of files for the stream */
void bidx_tell_object(struct file *file, const struct buildidx_object *obj,
		      const struct bidx_mapper *by);
void bidx_tell_map(struct file *file, const struct bidx_mapper *by);

/* read.c */
int bidx_read_file(void *file, u64 off, void *buf, size_t len);
int bidx_read_resident(void *mapping, u64 off, void *buf, size_t len);
int bidx_read_kernel(void *base, u64 off, void *buf, size_t len);

/* work.c */
int bidx_work_init(void);
void bidx_work_drain(void);
void bidx_work_exit(void);
bool bidx_work_mapped(const struct vm_area_struct *vma, bool known, bool tell);
bool bidx_work_written(struct inode *inode, u64 object);
void bidx_work_vdso(void);
void bidx_work_reread(struct bidx_entry *e);
void bidx_work_kick(void);
void bidx_work_open(void);
void bidx_work_scanned(bool complete);
void bidx_work_forget_scans(void);
bool bidx_work_has_task_work(void);
bool bidx_run_in_current(struct callback_head *cb, task_work_func_t fn);

/* scan.c */
bool bidx_scan(void);

/* vdso.c */
void bidx_vdso_init(void);
bool bidx_vdso_wants(const struct vm_area_struct *vma);
void bidx_vdso_learn(struct mm_struct *mm);
bool bidx_vdso_is(const void *private_data);
const struct bidx_entry *bidx_vdso_lookup(struct mm_struct *mm);
int bidx_vdso_object(unsigned int i, struct buildidx_object *obj);
#define BIDX_VDSO_MAX	4

/* resolve.c */

/**
 * struct bidx_range - one resolved mapping, good for every address inside
 * @start: first address
 * @end: one past the last address
 * @base: file offset of @start
 * @object: number, 0 when none
 * @id: the first BUILDIDX_ID_MAX bytes, zero-padded
 * @status: enum buildidx_status
 * @kind: enum buildidx_kind
 * @source: enum buildidx_source
 * @id_len: true length in bytes
 * @flags: BUILDIDX_FRAME_*
 */
struct bidx_range {
	unsigned long start;
	unsigned long end;
	u64 base;
	u64 object;
	u8 id[BUILDIDX_ID_MAX];
	u16 status;
	u8 kind;
	u8 source;
	u16 id_len;
	u8 flags;
};

void bidx_resolve(struct mm_struct *mm, unsigned long ip, struct bidx_range *r);
void bidx_range_unresolved(struct bidx_range *r, u16 status);
void bidx_resolve_locked(struct mm_struct *mm, unsigned long ip, struct bidx_range *r,
			 struct file **file);
bool bidx_entry_modified(const struct bidx_entry *e, struct inode *inode,
			 struct address_space *mapping);
void bidx_range_to_frame(const struct bidx_range *r, unsigned long ip,
			 struct buildidx_frame *f);

/* kfunc.c; the contract of the two kfuncs is in include/buildidx.bpf.h */
int bpf_buildidx_frames(const void *ips, u32 ips__sz, void *frames, u32 frames__sz, u64 flags);
int bpf_buildidx_stack_build_id(const void *ips, u32 ips__sz, void *ids, u32 ids__sz, u64 flags);
int bidx_kfunc_init(void);
void bidx_kfunc_info(u32 *state, u32 *error);

/* device.c */
bool bidx_object_of(struct inode *inode, struct buildidx_object *obj);
int bidx_device_init(void);
void bidx_device_exit(void);

/* selftest.c */
int bidx_self_test(void);

#endif /* BIDX_INTERNAL_H */
