// SPDX-License-Identifier: GPL-2.0
/*
 * Records of kernel text: what is there, and what was
 *
 * One raw lock covers the tables; it is held for a handful of steps at a time, as hooks
 * take it where nothing may sleep. Nothing is freed there: the last reference hands a
 * record to the worker, which waits for the readers of the live tree.
 */
#include "internal.h"

#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "krec.h"

#define BIDX_KEY_BITS		12
/* Records dropped from the history before the lock is given back. */
#define BIDX_TRIM_BATCH		32
/* Records looked at before the lock is given back. */
#define BIDX_FIND_BATCH		64

/**
 * struct bidx_rec_head - what BPF_LOAD, KSYM and MODULE start with
 * @rec: as all records
 * @object: number
 * @flags: BUILDIDX_REC_*
 */
struct bidx_rec_head {
	struct buildidx_rec rec;
	u64 object;
	u32 flags;
};

#define BIDX_HEAD_IS_OF(type)							\
	static_assert(offsetof(struct type, object) ==				\
		      offsetof(struct bidx_rec_head, object) &&			\
		      offsetof(struct type, flags) == offsetof(struct bidx_rec_head, flags))
BIDX_HEAD_IS_OF(buildidx_rec_bpf);
BIDX_HEAD_IS_OF(buildidx_rec_ksym);
BIDX_HEAD_IS_OF(buildidx_rec_module);

static struct {
	raw_spinlock_t lock;
	struct rb_root by_object;
	struct hlist_head by_key[1U << BIDX_KEY_BITS];
	struct list_head history;	/* oldest first */
	struct bidx_krec_counts count;
	struct llist_head free;
	struct irq_work kick;
	struct work_struct work;
	struct workqueue_struct *wq;
} krec = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(krec.lock),
	.by_object = RB_ROOT,
	.history = LIST_HEAD_INIT(krec.history),
};

static struct hlist_head *bidx_key_head(const void *key)
{
	return &krec.by_key[hash_ptr((void *)key, BIDX_KEY_BITS)];
}

/* Under the lock. */
static struct bidx_krec *bidx_krec_find_key(const void *key)
{
	struct bidx_krec *k;

	hlist_for_each_entry(k, bidx_key_head(key), by_key)
		if (k->key == key)
			return k;
	return NULL;
}

/* Under the lock. */
static void bidx_krec_link(struct bidx_krec *k)
{
	struct rb_node **at = &krec.by_object.rb_node, *parent = NULL;

	while (*at) {
		parent = *at;
		at = k->object < rb_entry(parent, struct bidx_krec, by_object)->object ?
		     &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&k->by_object, parent, at);
	rb_insert_color(&k->by_object, &krec.by_object);
}

/**
 * bidx_krec_prepare() - a record that nobody else knows yet
 * @k: zeroed; @prealloc, @kind, @source and the identity are the caller's to set
 * @rec: BPF_LOAD, KSYM or MODULE; its number is put in
 * @ranges: addresses
 * @nr_ranges: how many
 *
 * The caller has the only reference.
 *
 * Context: any.
 */
void bidx_krec_prepare(struct bidx_krec *k, struct buildidx_rec *rec,
		       struct bidx_krange *ranges, unsigned int nr_ranges)
{
	k->object = bidx_index_next_object();
	((struct bidx_rec_head *)rec)->object = k->object;
	k->rec = rec;
	k->ranges = ranges;
	k->nr_ranges = nr_ranges;
	k->bytes = sizeof(*k) + nr_ranges * sizeof(*ranges) + rec->size;
	refcount_set(&k->refs, 1);
}

/**
 * bidx_krec_alloc() - make a record
 * @rec: for bidx_krec_prepare(); from kvmalloc(), and the record's own if that can be made
 * @nr_ranges: how many ranges it has, for the caller to fill
 *
 * Context: may sleep. Return: the record, or NULL for want of memory.
 */
struct bidx_krec *bidx_krec_alloc(struct buildidx_rec *rec, unsigned int nr_ranges)
{
	struct bidx_krec *k;

	k = kvzalloc(sizeof(*k) + nr_ranges * sizeof(*k->ranges), GFP_KERNEL | __GFP_NOWARN);
	if (k)
		bidx_krec_prepare(k, rec, (struct bidx_krange *)(k + 1), nr_ranges);
	return k;
}

static void bidx_krec_kick(void)
{
	irq_work_queue(&krec.kick);
}

/* Context: any. */
void bidx_krec_get(struct bidx_krec *k)
{
	refcount_inc(&k->refs);
}

/**
 * bidx_krec_put() - give a reference back; the last one frees the record, later
 * @k: record
 *
 * Context: any but NMI.
 */
void bidx_krec_put(struct bidx_krec *k)
{
	if (refcount_dec_and_test(&k->refs) && llist_add(&k->free, &krec.free))
		bidx_krec_kick();
}

/*
 * Under the lock. The record stays in the history; the caller gets a reference and must
 * go on with bidx_krec_tell_gone().
 */
static void bidx_krec_go(struct bidx_krec *k, const struct bidx_gone *gone)
{
	bidx_krec_get(k);
	k->gone = *gone;
	WRITE_ONCE(k->live, false);
	hlist_del(&k->by_key);
	list_add_tail(&k->in_history, &krec.history);
	krec.count.live--;
	krec.count.gone++;
	krec.count.history_bytes += k->bytes;
}

static void bidx_krec_tell_gone(struct bidx_krec *k)
{
	bidx_ktree_remove(k);
	bidx_stream_went(k);
	bidx_krec_put(k);
}

/* Drop some of the oldest that are gone. Return: true when more must go. */
static bool bidx_krec_trim_some(u64 max)
{
	struct bidx_krec *drop[BIDX_TRIM_BATCH];
	unsigned int i, n = 0;
	unsigned long flags;
	bool more;

	raw_spin_lock_irqsave(&krec.lock, flags);
	while (krec.count.history_bytes > max && n < ARRAY_SIZE(drop)) {
		struct bidx_krec *k = list_first_entry(&krec.history, struct bidx_krec, in_history);

		list_del(&k->in_history);
		rb_erase(&k->by_object, &krec.by_object);
		krec.count.gone--;
		krec.count.history_bytes -= k->bytes;
		drop[n++] = k;
	}
	more = krec.count.history_bytes > max;
	raw_spin_unlock_irqrestore(&krec.lock, flags);
	for (i = 0; i < n; i++) {
		bidx_count(BUILDIDX_CNT_HISTORY_DROPPED);
		bidx_krec_put(drop[i]);
	}
	return more;
}

static void bidx_krec_worker(struct work_struct *work)
{
	struct llist_node *list;
	struct bidx_krec *k, *next;

	while (bidx_krec_trim_some(krec.count.history_max))
		cond_resched();
	list = llist_del_all(&krec.free);
	if (!list)
		return;
	/* Readers of the live tree. */
	synchronize_rcu();
	llist_for_each_entry_safe(k, next, list, free) {
		if (k->prealloc) {
			k->prealloc(k);
		} else {
			kvfree(k->rec);
			kvfree(k);
		}
		cond_resched();
	}
}

static void bidx_krec_irq_work(struct irq_work *work)
{
	queue_work(krec.wq, &krec.work);
}

/*
 * What is live under @key gives way if @replace. Return: false when it does not, and @k is
 * still the caller's.
 */
static bool bidx_krec_publish_as(struct bidx_krec *k, const void *key, bool replace)
{
	const struct bidx_gone unseen = { .time = ktime_get_boottime_ns() };
	struct bidx_krec *old;
	unsigned long flags;
	bool full;

	raw_spin_lock_irqsave(&krec.lock, flags);
	old = bidx_krec_find_key(key);
	if (old && !replace) {
		raw_spin_unlock_irqrestore(&krec.lock, flags);
		return false;
	}
	if (old)
		bidx_krec_go(old, &unseen);
	bidx_krec_get(k);
	k->key = key;
	k->live = true;
	hlist_add_head(&k->by_key, bidx_key_head(key));
	bidx_krec_link(k);
	krec.count.live++;
	full = krec.count.history_bytes > krec.count.history_max;
	raw_spin_unlock_irqrestore(&krec.lock, flags);

	if (old)
		bidx_krec_tell_gone(old);
	bidx_ktree_insert(k);
	bidx_stream_came(k);
	bidx_krec_put(k);
	if (full)
		bidx_krec_kick();
	return true;
}

/**
 * bidx_krec_publish() - a record can be found from now on
 * @k: record; the reference is given to the tables
 * @key: what it stands for, not NULL
 *
 * What was live under that key must have gone unseen, and is retired.
 *
 * Context: any but NMI.
 */
void bidx_krec_publish(struct bidx_krec *k, const void *key)
{
	bidx_krec_publish_as(k, key, true);
}

/**
 * bidx_krec_publish_new() - the same, unless there is a live one under that key
 *
 * Context: any but NMI. Return: false when there is, and @k is still the caller's.
 */
bool bidx_krec_publish_new(struct bidx_krec *k, const void *key)
{
	return bidx_krec_publish_as(k, key, false);
}

/**
 * bidx_krec_retire() - what a record stands for is gone
 * @key: what that was
 * @gone: how it went
 *
 * Context: any but NMI. Return: false when there is no such record.
 */
bool bidx_krec_retire(const void *key, const struct bidx_gone *gone)
{
	struct bidx_krec *k;
	unsigned long flags;
	bool full;

	raw_spin_lock_irqsave(&krec.lock, flags);
	k = bidx_krec_find_key(key);
	if (k)
		bidx_krec_go(k, gone);
	full = krec.count.history_bytes > krec.count.history_max;
	raw_spin_unlock_irqrestore(&krec.lock, flags);
	if (!k)
		return false;
	bidx_krec_tell_gone(k);
	if (full)
		bidx_krec_kick();
	return true;
}

/**
 * bidx_krec_retire_this() - the same for a record, whatever its key stands for by now
 * @k: published, with a reference of the caller's
 * @gone: how it went
 *
 * Context: any but NMI.
 */
void bidx_krec_retire_this(struct bidx_krec *k, const struct bidx_gone *gone)
{
	unsigned long flags;
	bool live;

	raw_spin_lock_irqsave(&krec.lock, flags);
	live = k->live;
	if (live)
		bidx_krec_go(k, gone);
	raw_spin_unlock_irqrestore(&krec.lock, flags);
	if (live)
		bidx_krec_tell_gone(k);
}

/**
 * bidx_krec_retire_all() - what goes of one type is not seen any more
 * @type: enum buildidx_rec_type
 *
 * All that are live are told as gone now, by nobody who is known.
 *
 * Context: may sleep.
 */
void bidx_krec_retire_all(u16 type)
{
	const struct bidx_gone unseen = { .time = ktime_get_boottime_ns() };
	struct bidx_krec *k;
	u64 object = 0;

	while ((k = bidx_krec_next(object))) {
		object = k->object + 1;
		if (k->rec->type == type)
			bidx_krec_retire_this(k, &unseen);
		bidx_krec_put(k);
		cond_resched();
	}
	bidx_krec_kick();
}

/* Context: any but NMI. Return: number of the live record of a key, 0 when there is none. */
u64 bidx_krec_object_of(const void *key)
{
	struct bidx_krec *k;
	unsigned long flags;
	u64 object;

	raw_spin_lock_irqsave(&krec.lock, flags);
	k = bidx_krec_find_key(key);
	object = k ? k->object : 0;
	raw_spin_unlock_irqrestore(&krec.lock, flags);
	return object;
}

/* Is there a live record of a key? Context: any but NMI. */
bool bidx_krec_is_live(const void *key)
{
	return bidx_krec_object_of(key);
}

/* The record with the lowest number from @object on. Under the lock. */
static struct bidx_krec *bidx_krec_at_or_after(u64 object)
{
	struct rb_node *node = krec.by_object.rb_node;
	struct bidx_krec *best = NULL;

	while (node) {
		struct bidx_krec *k = rb_entry(node, struct bidx_krec, by_object);

		if (k->object < object) {
			node = node->rb_right;
			continue;
		}
		best = k;
		node = node->rb_left;
	}
	return best;
}

/**
 * bidx_krec_next() - go through the records in the order of their numbers
 * @object: lowest number that is wanted
 *
 * Context: any but NMI.
 * Return: the record with a reference, or NULL when there is none.
 */
struct bidx_krec *bidx_krec_next(u64 object)
{
	struct bidx_krec *k;
	unsigned long flags;

	raw_spin_lock_irqsave(&krec.lock, flags);
	k = bidx_krec_at_or_after(object);
	if (k)
		bidx_krec_get(k);
	raw_spin_unlock_irqrestore(&krec.lock, flags);
	return k;
}

/* Context: any but NMI. */
void bidx_krec_count(struct bidx_krec_counts *c)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&krec.lock, flags);
	*c = krec.count;
	raw_spin_unlock_irqrestore(&krec.lock, flags);
}

/* Run @work on the worker of records; the caller flushes it. Context: any but NMI. */
void bidx_krec_in_background(struct work_struct *work)
{
	queue_work(krec.wq, work);
}

/* When it came, 0 when it was there before the module and that is not known. */
u64 bidx_krec_load_time(const struct bidx_krec *k)
{
	switch (k->rec->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return ((struct buildidx_rec_bpf *)k->rec)->load_time;
	case BUILDIDX_REC_KSYM:
		return ((struct buildidx_rec_ksym *)k->rec)->load_time;
	default:
		return ((struct buildidx_rec_module *)k->rec)->load_time;
	}
}

/* Does @see let somebody know where the text of @k is? */
bool bidx_krec_address_seen(const struct bidx_krec *k, unsigned int see)
{
	const struct buildidx_rec_ksym *ksym = (struct buildidx_rec_ksym *)k->rec;
	unsigned int need = BIDX_SEE_ADDRESS;

	if (k->rec->type == BUILDIDX_REC_BPF_LOAD ||
	    (k->rec->type == BUILDIDX_REC_KSYM && ksym->kind == BUILDIDX_KSYM_BPF))
		need |= BIDX_SEE_JIT;
	return (see & need) == need;
}

/**
 * bidx_krec_find() - the record that is wanted most
 * @wanted: says which
 * @ctx: for @wanted
 *
 * Goes through all, and gives the lock back now and then.
 *
 * Context: may sleep. Return: the record with a reference, or NULL.
 */
struct bidx_krec *bidx_krec_find(bidx_krec_wanted wanted, const void *ctx)
{
	struct bidx_krec *best = NULL, *old, *k;
	unsigned long flags;
	u64 object = 0;
	unsigned int i;

	do {
		old = best;
		raw_spin_lock_irqsave(&krec.lock, flags);
		k = bidx_krec_at_or_after(object);
		for (i = 0; k && i < BIDX_FIND_BATCH; i++) {
			struct rb_node *next = rb_next(&k->by_object);

			object = k->object + 1;
			if (wanted(ctx, k, best))
				best = k;
			k = next ? rb_entry(next, struct bidx_krec, by_object) : NULL;
		}
		if (best != old)
			bidx_krec_get(best);
		raw_spin_unlock_irqrestore(&krec.lock, flags);
		if (old && best != old)
			bidx_krec_put(old);
		cond_resched();
	} while (k);
	return best;
}

static void bidx_bpf_as_seen(struct buildidx_rec_bpf *r, unsigned int see, bool address,
			     const struct bidx_gone *gone)
{
	struct buildidx_bpf_func *f = (void *)((char *)r + r->funcs.off);
	u32 i;

	if (gone) {
		r->unload_time = gone->time;
		r->unload_pid = gone->pid;
		r->unload_tid = gone->tid;
		memcpy(r->unload_comm, gone->comm, sizeof(r->unload_comm));
	}
	/* The image is the last section, and its code has addresses in it. */
	if (r->image.len && (!address || !(see & BIDX_SEE_IMAGE))) {
		r->rec.size = r->image.off;
		r->image.off = 0;
		r->image.len = 0;
		r->flags |= BUILDIDX_BPF_NO_IMAGE;
	}
	for (i = 0; !address && i < r->funcs.len / sizeof(*f); i++)
		f[i].addr = 0;
}

static void bidx_ksym_as_seen(struct buildidx_rec_ksym *r, bool address,
			      const struct bidx_gone *gone)
{
	if (gone) {
		r->unload_time = gone->time;
		r->rec.time = gone->time;
	}
	if (!address)
		r->addr = 0;
}

static void bidx_module_as_seen(struct buildidx_rec_module *r, bool address,
				const struct bidx_gone *gone)
{
	if (gone) {
		r->unload_time = gone->time;
		r->rec.time = gone->time;
	}
	if (!address)
		r->addr = 0;
}

/**
 * bidx_krec_copy() - a record as somebody may see it
 * @k: with a reference of the caller's
 * @seq: its number in the stream, 0 outside of it
 * @see: BIDX_SEE_*
 *
 * Context: may sleep.
 * Return: a record to be given to kvfree(), or NULL for want of memory.
 */
struct buildidx_rec *bidx_krec_copy(const struct bidx_krec *k, u64 seq, unsigned int see)
{
	const bool address = bidx_krec_address_seen(k, see);
	struct bidx_gone copy, *gone = NULL;
	struct bidx_rec_head *r;
	unsigned long flags;

	r = kvmalloc(k->rec->size, GFP_KERNEL | __GFP_NOWARN);
	if (!r)
		return NULL;
	memcpy(r, k->rec, k->rec->size);
	r->rec.seq = seq;
	if (see & BIDX_SEE_GONE) {
		raw_spin_lock_irqsave(&krec.lock, flags);
		if (!k->live) {
			copy = k->gone;
			gone = &copy;
		}
		raw_spin_unlock_irqrestore(&krec.lock, flags);
	}
	if (gone)
		r->flags |= BUILDIDX_REC_GONE;
	if (!address)
		r->flags |= BUILDIDX_REC_NO_ADDRESS;
	switch (r->rec.type) {
	case BUILDIDX_REC_BPF_LOAD:
		bidx_bpf_as_seen((struct buildidx_rec_bpf *)r, see, address, gone);
		break;
	case BUILDIDX_REC_KSYM:
		bidx_ksym_as_seen((struct buildidx_rec_ksym *)r, address, gone);
		break;
	case BUILDIDX_REC_MODULE:
		bidx_module_as_seen((struct buildidx_rec_module *)r, address, gone);
		break;
	}
	return &r->rec;
}

/**
 * bidx_krec_init() - make the tables
 * @history_max: bytes that records of what is gone may take
 *
 * Context: may sleep. Return: 0 or -ENOMEM.
 */
int bidx_krec_init(unsigned long history_max)
{
	krec.count.history_max = history_max;
	init_llist_head(&krec.free);
	init_irq_work(&krec.kick, bidx_krec_irq_work);
	INIT_WORK(&krec.work, bidx_krec_worker);
	krec.wq = alloc_workqueue("buildidx_records", WQ_UNBOUND, 0);
	return krec.wq ? 0 : -ENOMEM;
}

/**
 * bidx_krec_exit() - forget everything
 *
 * No hook runs and nobody reads any more; what others had, like the stream, they have
 * given back. Context: may sleep.
 */
void bidx_krec_exit(void)
{
	const struct bidx_gone unseen = {};
	struct bidx_krec *k;
	u64 object = 0;
	bool live;

	while ((k = bidx_krec_next(object))) {
		object = k->object + 1;
		raw_spin_lock_irq(&krec.lock);
		live = k->live;
		if (live)
			bidx_krec_go(k, &unseen);
		raw_spin_unlock_irq(&krec.lock);
		if (live) {
			bidx_ktree_remove(k);
			bidx_krec_put(k);
		}
		bidx_krec_put(k);
	}
	while (bidx_krec_trim_some(0))
		;
	irq_work_sync(&krec.kick);
	queue_work(krec.wq, &krec.work);
	flush_workqueue(krec.wq);
	destroy_workqueue(krec.wq);
}
