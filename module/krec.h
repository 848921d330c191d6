/* SPDX-License-Identifier: GPL-2.0 */
/*
 * krec - records of kernel text: BPF programs, generated text, modules, vmlinux
 *
 * A record is found by its number, by what it stands for (a pointer as key) and, while
 * that is there, by the addresses of its text, from NMI too. What is gone is kept up to
 * a bound in bytes, the oldest unloaded goes first.
 */
#ifndef BIDX_KREC_H
#define BIDX_KREC_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rbtree_latch.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "../include/uapi/buildidx.h"
#include "../include/uapi/buildidx_record.h"

struct bidx_krec;

/**
 * struct bidx_krange - addresses of one piece of text
 * @node: in the live tree
 * @start: first address
 * @len: bytes, not 0; once in the tree it may be cut by what came later, at 0 it is out again
 * @base: what a frame's offset is at @start
 * @rec: whose
 */
struct bidx_krange {
	struct latch_tree_node node;
	unsigned long start;
	unsigned long len;
	u64 base;
	struct bidx_krec *rec;
};

/**
 * struct bidx_gone - how something went
 * @time: CLOCK_BOOTTIME
 * @pid: process that dropped the last reference, 0 when not known
 * @tid: its thread
 * @comm: its name
 */
struct bidx_gone {
	u64 time;
	u32 pid;
	u32 tid;
	char comm[BUILDIDX_COMM_LEN];
};

/**
 * struct bidx_krec - one record
 * @by_object: all that are live or in the history, by @object
 * @by_key: live ones, by @key
 * @in_history: those that are gone, in that order
 * @refs: the tables hold one, the stream one for each event, each reader one
 * @rcu: once unhashed
 * @free: once the last reference went
 * @key: what it stands for; a hash key, not to be dereferenced
 * @object: public number, which bidx_krec_prepare() gives
 * @bytes: memory that it takes, for the bounds
 * @in_stream: events of the stream that hold it, under the stream's lock
 * @live: still there
 * @in_tree: ranges that were put in the live tree, under its lock
 * @gone: valid once it is not
 * @kind: enum buildidx_kind of frames
 * @source: enum buildidx_source of frames
 * @id_len: bytes of @id
 * @id: identity for frames
 * @rec: the record as made at load (BPF_LOAD, KSYM or MODULE); what changes later is in
 *	@gone and put in by bidx_krec_copy()
 * @prealloc: returned to its owner's pool instead of being freed, NULL: kvfree
 * @nr_ranges: how many
 * @ranges: addresses
 *
 * All but the members that link it, @live, @gone and the length of ranges is final before it
 * is published; @gone is once it is not live any more.
 */
struct bidx_krec {
	struct rb_node by_object;
	struct hlist_node by_key;
	struct list_head in_history;
	refcount_t refs;
	union {
		struct rcu_head rcu;
		struct llist_node free;
	};
	const void *key;
	u64 object;
	size_t bytes;
	unsigned int in_stream;
	bool live;
	unsigned int in_tree;
	struct bidx_gone gone;
	u8 kind;
	u8 source;
	u8 id_len;
	u8 id[BUILDIDX_ID_MAX];
	struct buildidx_rec *rec;
	void (*prealloc)(struct bidx_krec *k);
	unsigned int nr_ranges;
	struct bidx_krange *ranges;
};

/* krec.c */

/**
 * struct bidx_krec_counts - how many records there are
 * @live: of what is there
 * @gone: of what is gone
 * @history_bytes: memory that the latter take
 * @history_max: most that they may take
 */
struct bidx_krec_counts {
	u64 live;
	u64 gone;
	u64 history_bytes;
	u64 history_max;
};

int bidx_krec_init(unsigned long history_max);
void bidx_krec_exit(void);
void bidx_krec_prepare(struct bidx_krec *k, struct buildidx_rec *rec,
		       struct bidx_krange *ranges, unsigned int nr_ranges);
struct bidx_krec *bidx_krec_alloc(struct buildidx_rec *rec, unsigned int nr_ranges);
void bidx_krec_get(struct bidx_krec *k);
void bidx_krec_put(struct bidx_krec *k);
void bidx_krec_publish(struct bidx_krec *k, const void *key);
bool bidx_krec_publish_new(struct bidx_krec *k, const void *key);
bool bidx_krec_retire(const void *key, const struct bidx_gone *gone);
void bidx_krec_retire_this(struct bidx_krec *k, const struct bidx_gone *gone);
void bidx_krec_retire_all(u16 type);
bool bidx_krec_is_live(const void *key);
u64 bidx_krec_object_of(const void *key);
struct bidx_krec *bidx_krec_next(u64 object);
void bidx_krec_count(struct bidx_krec_counts *c);
void bidx_krec_in_background(struct work_struct *work);
u64 bidx_krec_load_time(const struct bidx_krec *k);
/* Is @k what is looked for, and rather than @best, which may be NULL? Under a raw lock. */
typedef bool (*bidx_krec_wanted)(const void *ctx, const struct bidx_krec *k,
				 const struct bidx_krec *best);
struct bidx_krec *bidx_krec_find(bidx_krec_wanted wanted, const void *ctx);
/* A copy as somebody may see it; to be given to kvfree(). */
struct buildidx_rec *bidx_krec_copy(const struct bidx_krec *k, u64 seq, unsigned int see);
#define BIDX_SEE_ADDRESS	(1U << 0) /* of kernel text */
#define BIDX_SEE_IMAGE		(1U << 1) /* the text of BPF programs */
#define BIDX_SEE_JIT		(1U << 3) /* addresses of BPF programs and their trampolines too */
bool bidx_krec_address_seen(const struct bidx_krec *k, unsigned int see);
#define BIDX_SEE_GONE		(1U << 2) /* with how it went, when it has; not as it came */

/* ktree.c: the live tree */
void bidx_ktree_insert(struct bidx_krec *k);
void bidx_ktree_remove(struct bidx_krec *k);
struct bidx_range;
/* Context: any, NMI included; under rcu_read_lock(). Return: false when nothing is known. */
bool bidx_ktree_resolve(unsigned long ip, struct bidx_range *r);

/* see.c: what the caller may see of the kernel (design D11): BIDX_SEE_*; may sleep */
unsigned int bidx_may_see(void);
bool bidx_may_see_all(void);
void bidx_see_exit(void);

/* stream.c: the stream of records (design D9) */
int bidx_stream_init(unsigned long stream_max);
void bidx_stream_exit(void);
/* @k came (its rec is told) or went (BPF_UNLOAD, or the record with GONE). Context: any but NMI; no allocation. */
void bidx_stream_came(struct bidx_krec *k);
void bidx_stream_went(struct bidx_krec *k);
/* @n records of a type could not be made: those who want it are told. Context: any but NMI. */
void bidx_stream_lost(enum buildidx_rec_type type, unsigned int n);
void bidx_stream_reap(void);
void bidx_stream_info(struct buildidx_info *info);

/* ksym.c: generated kernel text (design D8) */
int bidx_ksym_init(void);
void bidx_ksym_exit(void);
void bidx_ksym_start(void);
void bidx_ksym_stop(void);
void bidx_ksym_work(void);
void bidx_ksym_event(unsigned int type, unsigned long addr, u32 len, bool unregister,
		     const char *name);
void bidx_ksym_unknown(unsigned long ip);
void bidx_ksym_forget(unsigned long start);

/* kmod.c: vmlinux and kernel modules */
int bidx_kmod_init(void);
void bidx_kmod_exit(void);
void bidx_kmod_info(struct buildidx_info *info);

#endif /* BIDX_KREC_H */
