// SPDX-License-Identifier: GPL-2.0
/*
 * The log of records that readers of the device follow (design D9)
 *
 * A ring of slots, each a reference on a record. One raw lock covers it, as hooks add
 * to it where nothing may sleep; nothing is allocated or freed there. At the bound the
 * oldest go. Nothing is kept of a reader here: it has a place, and what was dropped
 * is counted by type, so what it missed of the types that it wants is a subtraction.
 */
#include "internal.h"

#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "krec.h"
#include "stream.h"

/* Bytes of the bound for each slot: what the shortest records take. */
#define BIDX_BYTES_PER_SLOT	256
#define BIDX_SLOTS_MIN		64UL
#define BIDX_SLOTS_MAX		(1UL << 20)
/* Slots gone through, or dropped, before the lock is given back. */
#define BIDX_STREAM_BATCH	64

/**
 * struct bidx_slot - one record of the log
 * @time: CLOCK_BOOTTIME of WENT and LOST
 * @lost: LOST: how many
 * @what: enum bidx_slot_what
 * @type: enum buildidx_rec_type; LOST: of what was lost
 * @k: CAME, WENT
 * @e: EVENT
 */
struct bidx_slot {
	u64 time;
	u32 lost;
	u8 what;
	u8 type;
	union {
		struct bidx_krec *k;
		struct bidx_event *e;
	};
};

static struct {
	raw_spinlock_t lock;
	struct bidx_slot *slots;
	unsigned long mask;
	struct bidx_place first;	/* the oldest that is kept */
	struct bidx_place next;		/* the next that will come */
	u64 looked;			/* some reader has passed all that are less */
	u64 bytes;
	u64 max;
	struct llist_head free;
	struct irq_work wake;
} stream = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(stream.lock),
};

DECLARE_WAIT_QUEUE_HEAD(bidx_stream_wait);

static struct bidx_slot *bidx_slot(u64 seq)
{
	return &stream.slots[seq & stream.mask];
}

static u32 bidx_slot_weight(const struct bidx_slot *s)
{
	return s->what == BIDX_SLOT_LOST ? s->lost : 1;
}

static u32 bidx_event_bytes(struct bidx_event *e)
{
	return sizeof(*e) + bidx_event_rec(e)->size;
}

static void bidx_event_put(struct bidx_event *e)
{
	/* Freed by the worker: the caller may be a hook, or hold the lock. */
	if (refcount_dec_and_test(&e->refs) && llist_add(&e->free, &stream.free))
		bidx_work_kick();
}

/* Under the lock. A record that came and went takes its memory once. */
static void bidx_slot_charge(const struct bidx_slot *s)
{
	switch (s->what) {
	case BIDX_SLOT_CAME:
	case BIDX_SLOT_WENT:
		if (!s->k->in_stream++)
			stream.bytes += s->k->bytes;
		break;
	case BIDX_SLOT_EVENT:
		stream.bytes += bidx_event_bytes(s->e);
		break;
	}
}

/* Under the lock. */
static void bidx_slot_drop(const struct bidx_slot *s)
{
	switch (s->what) {
	case BIDX_SLOT_CAME:
	case BIDX_SLOT_WENT:
		if (!--s->k->in_stream)
			stream.bytes -= s->k->bytes;
		bidx_krec_put(s->k);
		break;
	case BIDX_SLOT_EVENT:
		stream.bytes -= bidx_event_bytes(s->e);
		bidx_event_put(s->e);
		break;
	}
}

/* Under the lock. */
static void bidx_pass(struct bidx_place *p, const struct bidx_slot *s)
{
	p->seq++;
	p->passed[s->type] += bidx_slot_weight(s);
}

/*
 * Drop the oldest while the bound is exceeded, or to make a slot, which is the first that
 * goes; a batch at most. Under the lock. Return: true when more must go.
 */
static bool bidx_stream_trim(bool slot)
{
	unsigned int budget = BIDX_STREAM_BATCH;

	while (stream.first.seq != stream.next.seq) {
		struct bidx_slot *s = bidx_slot(stream.first.seq);
		bool full = slot && stream.next.seq - stream.first.seq > stream.mask;

		if (!full && stream.bytes <= stream.max)
			return false;
		if (!budget--)
			return true;
		if (s->what != BIDX_SLOT_LOST)
			bidx_count(BUILDIDX_CNT_EVENTS_DROPPED);
		bidx_pass(&stream.first, s);
		bidx_slot_drop(s);
	}
	return false;
}

static void bidx_stream_irq_work(struct irq_work *work)
{
	wake_up_interruptible_all(&bidx_stream_wait);
}

/* Not from here: the lock of the queue sleeps on PREEMPT_RT. */
static void bidx_stream_wake(void)
{
	/* Pairs with that of who starts to wait: it sees the record or is seen. */
	smp_mb();
	/* see above */
	if (waitqueue_active(&bidx_stream_wait))
		irq_work_queue(&stream.wake);
}

/* Put a record at the end. What makes room for it goes first. */
static void bidx_stream_append(const struct bidx_slot *new)
{
	unsigned long flags;
	bool over;

	raw_spin_lock_irqsave(&stream.lock, flags);
	bidx_slot_charge(new);
	over = bidx_stream_trim(true);
	if (new->what == BIDX_SLOT_EVENT)
		bidx_event_rec(new->e)->seq = stream.next.seq;
	*bidx_slot(stream.next.seq) = *new;
	bidx_pass(&stream.next, new);
	raw_spin_unlock_irqrestore(&stream.lock, flags);
	if (over)
		bidx_work_kick();	/* the rest goes by bidx_stream_reap() */
	bidx_stream_wake();
}

static void bidx_stream_add_krec(struct bidx_krec *k, enum bidx_slot_what what, u8 type, u64 time)
{
	struct bidx_slot s = { .time = time, .what = what, .type = type, .k = k };

	/* Nothing else would be kept. */
	if (k->bytes > stream.max) {
		bidx_stream_lost(type, 1);
		return;
	}
	bidx_krec_get(k);
	bidx_count(BUILDIDX_CNT_EVENTS);
	bidx_stream_append(&s);
}

/**
 * bidx_stream_came() - tell of a record of kernel text
 * @k: published
 *
 * Context: any but NMI.
 */
void bidx_stream_came(struct bidx_krec *k)
{
	bidx_stream_add_krec(k, BIDX_SLOT_CAME, k->rec->type, k->rec->time);
}

/**
 * bidx_stream_went() - tell that it is gone
 * @k: retired
 *
 * Context: any but NMI.
 */
void bidx_stream_went(struct bidx_krec *k)
{
	u8 type = k->rec->type == BUILDIDX_REC_BPF_LOAD ? BUILDIDX_REC_BPF_UNLOAD : k->rec->type;

	bidx_stream_add_krec(k, BIDX_SLOT_WENT, type, k->gone.time);
}

/**
 * bidx_stream_lost() - records could not be made
 * @type: what they would have been
 * @n: how many
 *
 * Context: any but NMI.
 */
void bidx_stream_lost(enum buildidx_rec_type type, unsigned int n)
{
	struct bidx_slot s = {
		.time = ktime_get_boottime_ns(), .lost = n, .what = BIDX_SLOT_LOST, .type = type,
	};
	struct bidx_slot *last;
	unsigned long flags;

	this_cpu_add(bidx_cpu_stats.counter[BUILDIDX_CNT_EVENTS_LOST], n);
	raw_spin_lock_irqsave(&stream.lock, flags);
	last = bidx_slot(stream.next.seq - 1);
	/* So that a storm of them does not push out what could be made. */
	if (stream.next.seq != stream.first.seq && stream.next.seq > stream.looked &&
	    last->what == BIDX_SLOT_LOST && last->type == type && last->lost <= U32_MAX - n) {
		last->lost += n;
		stream.next.passed[type] += n;
		n = 0;
	}
	raw_spin_unlock_irqrestore(&stream.lock, flags);
	if (n)
		bidx_stream_append(&s);
}

/**
 * bidx_event_alloc() - memory for a record that only the stream will have
 * @size: bytes of the record, a multiple of 8
 *
 * Context: may sleep. Return: a zeroed record with its size, for bidx_stream_add(), or NULL.
 */
struct bidx_event *bidx_event_alloc(u32 size)
{
	struct bidx_event *e = kzalloc(sizeof(*e) + size, GFP_KERNEL | __GFP_NOWARN);

	if (e) {
		refcount_set(&e->refs, 1);
		bidx_event_rec(e)->size = size;
	}
	return e;
}

/**
 * bidx_stream_add() - put a record in the stream
 * @e: filled; it is the stream's from here on
 *
 * Context: any but NMI.
 */
void bidx_stream_add(struct bidx_event *e)
{
	struct bidx_slot s = {
		.what = BIDX_SLOT_EVENT, .type = bidx_event_rec(e)->type, .e = e,
	};

	bidx_count(BUILDIDX_CNT_EVENTS);
	bidx_stream_append(&s);
}

/* Where a reader starts who wants all that is kept. Context: any but NMI. */
void bidx_stream_oldest(struct bidx_place *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stream.lock, flags);
	*p = stream.first;
	raw_spin_unlock_irqrestore(&stream.lock, flags);
}

/* Where a reader starts who wants what comes from now on. Context: any but NMI. */
void bidx_stream_end(struct bidx_place *p)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stream.lock, flags);
	*p = stream.next;
	stream.looked = stream.next.seq;
	raw_spin_unlock_irqrestore(&stream.lock, flags);
}

/* Is there something at or after @p of one of these types? Context: any but NMI. */
bool bidx_stream_has(const struct bidx_place *p, u32 types)
{
	unsigned int t;

	for (t = 0; t < BUILDIDX_REC_TYPES; t++)
		if ((types & BIT(t)) && READ_ONCE(stream.next.passed[t]) != p->passed[t])
			return true;
	return false;
}

/* Under the lock. Return: true when @f is what the reader gets next. */
static bool bidx_found_at(struct bidx_place *p, u32 types, struct bidx_found *f)
{
	const struct bidx_slot *s;
	unsigned int t;

	f->seq = p->seq;
	if (p->seq < stream.first.seq) {
		f->what = BIDX_SLOT_LOST;
		f->time = ktime_get_boottime_ns();
		f->lost = 0;
		for (t = 0; t < BUILDIDX_REC_TYPES; t++)
			if (types & BIT(t))
				f->lost += stream.first.passed[t] - p->passed[t];
		f->after = stream.first;
		if (f->lost)
			return true;
		*p = f->after;
		return false;
	}
	s = bidx_slot(p->seq);
	f->after = *p;
	bidx_pass(&f->after, s);
	stream.looked = max(stream.looked, f->after.seq);
	if (!(types & BIT(s->type))) {
		*p = f->after;
		return false;
	}
	f->what = s->what;
	f->time = s->time;
	f->lost = s->lost;
	switch (s->what) {
	case BIDX_SLOT_CAME:
	case BIDX_SLOT_WENT:
		f->k = s->k;
		bidx_krec_get(f->k);
		break;
	case BIDX_SLOT_EVENT:
		f->e = s->e;
		refcount_inc(&f->e->refs);
		break;
	}
	return true;
}

/**
 * bidx_stream_find() - what comes next for a reader
 * @p: where it is; what it does not want is passed by
 * @types: bit for each enum buildidx_rec_type that it wants
 * @f: result, to be given to bidx_found_put(); the reader goes on to @f->after
 *
 * Context: may sleep. Return: false when there is nothing now.
 */
bool bidx_stream_find(struct bidx_place *p, u32 types, struct bidx_found *f)
{
	bool found = false, end = false;
	unsigned long flags;
	unsigned int i;

	while (!found && !end) {
		raw_spin_lock_irqsave(&stream.lock, flags);
		for (i = 0; i < BIDX_STREAM_BATCH && !found && !end; i++) {
			end = p->seq == stream.next.seq;
			if (!end)
				found = bidx_found_at(p, types, f);
		}
		raw_spin_unlock_irqrestore(&stream.lock, flags);
		cond_resched();
	}
	return found;
}

/* Context: any but NMI. */
void bidx_found_put(struct bidx_found *f)
{
	switch (f->what) {
	case BIDX_SLOT_CAME:
	case BIDX_SLOT_WENT:
		bidx_krec_put(f->k);
		break;
	case BIDX_SLOT_EVENT:
		bidx_event_put(f->e);
		break;
	}
}

/* Free what hooks and readers left, and what is over the bound. Context: the worker. */
void bidx_stream_reap(void)
{
	struct bidx_event *e, *next;
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&stream.lock, flags);
		more = bidx_stream_trim(false);
		raw_spin_unlock_irqrestore(&stream.lock, flags);
		cond_resched();
	} while (more);
	llist_for_each_entry_safe(e, next, llist_del_all(&stream.free), free)
		kfree(e);
}

/* Fill in the members that start with stream_. */
void bidx_stream_info(struct buildidx_info *info)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stream.lock, flags);
	info->stream_bytes = stream.bytes;
	info->stream_max = stream.max;
	info->stream_first = stream.first.seq;
	info->stream_next = stream.next.seq;
	raw_spin_unlock_irqrestore(&stream.lock, flags);
}

/**
 * bidx_stream_init() - make the log
 * @stream_max: bytes that the records in it may take; the ring itself comes on top, a
 *	tenth of that
 *
 * Context: may sleep. Return: 0 or -ENOMEM.
 */
int bidx_stream_init(unsigned long stream_max)
{
	unsigned long slots = clamp(stream_max / BIDX_BYTES_PER_SLOT, BIDX_SLOTS_MIN,
				    BIDX_SLOTS_MAX);

	slots = rounddown_pow_of_two(slots);
	stream.slots = kvcalloc(slots, sizeof(*stream.slots), GFP_KERNEL);
	if (!stream.slots)
		return -ENOMEM;
	stream.mask = slots - 1;
	stream.max = stream_max;
	stream.first.seq = 1;
	stream.next.seq = 1;
	init_llist_head(&stream.free);
	init_irq_work(&stream.wake, bidx_stream_irq_work);
	return 0;
}

/* Nobody adds or reads any more. Context: may sleep; before bidx_krec_exit(). */
void bidx_stream_exit(void)
{
	irq_work_sync(&stream.wake);
	stream.max = 0;
	bidx_stream_reap();
	while (stream.first.seq != stream.next.seq) {
		bidx_slot_drop(bidx_slot(stream.first.seq));
		stream.first.seq++;
	}
	bidx_stream_reap();
	kvfree(stream.slots);
}
