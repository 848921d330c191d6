// SPDX-License-Identifier: GPL-2.0
/*
 * Text that the kernel generates: trampolines, dispatchers, kprobe slots (design D8)
 *
 * The kernel tells of it in perf_event_ksymbol(), once it can be executed; a sample may be
 * in it at once, so the hook itself publishes the record. Records come from a pool that
 * the worker refills.
 *
 * Text that is older than the module is asked for by name, by the worker, when a sample was
 * in it. That finds what the kernel keeps symbols of by address: all of BPF.
 */
#include "internal.h"

#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "krec.h"

/* Records kept ready; half of them gone, the worker is woken. */
#define BIDX_KSYM_POOL		512
/* Texts older than the module, live or in the history. */
#define BIDX_ADOPTED_MAX	16384
/* Addresses that wait to be asked for, and such that had no answer. */
#define BIDX_ASK_BITS		6
#define BIDX_VAIN_BITS		9
/* What had no answer may have one later. */
#define BIDX_VAIN_TIME		(10 * HZ)

/**
 * struct bidx_ksym - a record of generated text, in one piece
 * @krec: record
 * @range: its addresses
 * @rec: what it tells
 * @list: in the pool
 * @adopted: counted as such
 */
struct bidx_ksym {
	struct bidx_krec krec;
	struct bidx_krange range;
	struct buildidx_rec_ksym rec;
	struct list_head list;
	bool adopted;
};

static struct {
	raw_spinlock_t lock;		/* of the pool */
	struct list_head pool;
	unsigned int pooled;
	struct mutex adopt_lock;	/* who adopts, who stops */
	atomic_t adopted;
	bool on;
	bool asked;
	unsigned long ask[1U << BIDX_ASK_BITS];
	unsigned long vain[1U << BIDX_VAIN_BITS];
	unsigned long vain_since;
} ksym = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(ksym.lock),
	.pool = LIST_HEAD_INIT(ksym.pool),
	.adopt_lock = __MUTEX_INITIALIZER(ksym.adopt_lock),
};

static const void *bidx_ksym_key(unsigned long start)
{
	return (const void *)start;
}

/* The last reference went. Context: a worker. */
static void bidx_ksym_free(struct bidx_krec *k)
{
	struct bidx_ksym *s = container_of(k, struct bidx_ksym, krec);

	if (s->adopted)
		atomic_dec(&ksym.adopted);
	kfree(s);
}

static struct bidx_ksym *bidx_ksym_alloc(void)
{
	return kzalloc(sizeof(struct bidx_ksym), GFP_KERNEL | __GFP_NOWARN);
}

/* Context: any but NMI. Return: NULL when the pool is empty. */
static struct bidx_ksym *bidx_ksym_from_pool(void)
{
	struct bidx_ksym *s;
	unsigned long flags;
	bool low;

	raw_spin_lock_irqsave(&ksym.lock, flags);
	s = list_first_entry_or_null(&ksym.pool, struct bidx_ksym, list);
	if (s) {
		list_del(&s->list);
		ksym.pooled--;
	}
	low = ksym.pooled < BIDX_KSYM_POOL / 2;
	raw_spin_unlock_irqrestore(&ksym.lock, flags);
	if (low)
		bidx_work_kick();
	return s;
}

/* Context: may sleep. Return: 0, or -ENOMEM: tried again when the next one is taken. */
static int bidx_ksym_refill(void)
{
	while (READ_ONCE(ksym.pooled) < BIDX_KSYM_POOL) {
		struct bidx_ksym *s = bidx_ksym_alloc();

		if (!s)
			return -ENOMEM;
		raw_spin_lock_irq(&ksym.lock);
		list_add(&s->list, &ksym.pool);
		ksym.pooled++;
		raw_spin_unlock_irq(&ksym.lock);
	}
	return 0;
}

/* @since: CLOCK_BOOTTIME at which it came, 0 when it was there before the module. */
static void bidx_ksym_fill(struct bidx_ksym *s, unsigned int kind, unsigned long addr,
			   unsigned long len, const char *name, u64 since)
{
	s->rec.rec.size = sizeof(s->rec);
	s->rec.rec.type = BUILDIDX_REC_KSYM;
	s->rec.rec.fixed = sizeof(s->rec);
	s->rec.rec.time = since ?: ktime_get_boottime_ns();
	s->rec.flags = since ? 0 : BUILDIDX_REC_ADOPTED;
	s->rec.kind = kind;
	s->rec.addr = addr;
	s->rec.len = len;
	s->rec.load_time = since;
	strscpy(s->rec.name, name, sizeof(s->rec.name));
	s->range.start = addr;
	s->range.len = len;
	s->krec.prealloc = bidx_ksym_free;
	bidx_krec_prepare(&s->krec, &s->rec.rec, &s->range, 1);
}

static void bidx_ksym_retire(unsigned long start)
{
	const struct bidx_gone gone = { .time = ktime_get_boottime_ns() };

	bidx_krec_retire(bidx_ksym_key(start), &gone);
}

/**
 * bidx_ksym_forget() - text at an address gets a record of its own, or is gone
 * @start: its first address
 *
 * Whoever records BPF programs calls it for each function, once the record of one is
 * published, so that none can come in between, and when one is unloaded: the kernel tells
 * of programs in perf_event_ksymbol() only while perf listens.
 *
 * Context: any but NMI.
 */
void bidx_ksym_forget(unsigned long start)
{
	if (atomic_read(&ksym.adopted))
		bidx_ksym_retire(start);
}

/**
 * bidx_ksym_event() - the kernel tells of generated text
 * @type: PERF_RECORD_KSYMBOL_TYPE_*
 * @addr: first address
 * @len: bytes; a page for a trampoline of any length
 * @unregister: it is going
 * @name: of the symbol
 *
 * Context: the hook on perf_event_ksymbol(); any but NMI.
 */
void bidx_ksym_event(unsigned int type, unsigned long addr, u32 len, bool unregister,
		     const char *name)
{
	struct bidx_ksym *s;

	/* Programs have records with more in them. */
	if (!addr || !len || (type == PERF_RECORD_KSYMBOL_TYPE_BPF && str_has_prefix(name, "bpf_prog_")))
		return;
	if (unregister) {
		bidx_ksym_retire(addr);
		return;
	}
	s = bidx_ksym_from_pool();
	if (!s) {
		bidx_ksym_retire(addr);	/* whatever was there is not any more */
		bidx_count(BUILDIDX_CNT_KSYM_LOST);
		bidx_stream_lost(BUILDIDX_REC_KSYM, 1);
		return;
	}
	bidx_ksym_fill(s, type == PERF_RECORD_KSYMBOL_TYPE_BPF ? BUILDIDX_KSYM_BPF :
								 BUILDIDX_KSYM_OOL,
		       addr, len, name, ktime_get_boottime_ns());
	bidx_krec_publish(&s->krec, bidx_ksym_key(addr));
	bidx_count(BUILDIDX_CNT_KSYM_ADDED);
}

/**
 * bidx_ksym_unknown() - a sample was in kernel text of which nothing is known
 * @ip: address
 *
 * Asks the worker to find out, for the samples to come.
 *
 * Context: any, NMI included.
 */
void bidx_ksym_unknown(unsigned long ip)
{
	unsigned long *slot = &ksym.ask[hash_long(ip, BIDX_ASK_BITS)];

	if (!READ_ONCE(ksym.on))
		return;
	if (READ_ONCE(ksym.vain[hash_long(ip, BIDX_VAIN_BITS)]) == ip &&
	    time_before(jiffies, READ_ONCE(ksym.vain_since) + BIDX_VAIN_TIME))
		return;
	if (READ_ONCE(*slot) || cmpxchg(slot, 0, ip))
		return;		/* asked already, or another with the same hash: it comes again */
	WRITE_ONCE(ksym.asked, true);
	bidx_work_kick();
}

/**
 * struct bidx_symbol - what the kernel's symbols say of an address
 * @text: where @name is
 * @name: of the text
 * @start: its first address
 * @len: bytes
 */
struct bidx_symbol {
	char text[KSYM_SYMBOL_LEN];
	const char *name;
	unsigned long start;
	unsigned long len;
};

/*
 * Ask for the BPF text that holds an address: "NAME+0xOFFSET/0xSIZE". A module's symbol has
 * its name behind that; one of vmlinux looks the same, but what is in its text is known and not
 * asked for, and the rest of it is not named like this.
 * Context: may sleep. Return: false when there is none.
 */
static bool bidx_symbol_of(unsigned long ip, struct bidx_symbol *s)
{
	unsigned long off, len;
	char *plus;

	sprint_symbol(s->text, ip);
	plus = strrchr(s->text, '+');
	if (!plus || strchr(plus, ' ') || !str_has_prefix(s->text, "bpf_"))
		return false;
	if (sscanf(plus, "+%lx/%lx", &off, &len) != 2 || off >= len)
		return false;
	*plus = '\0';
	s->name = s->text;
	s->start = ip - off;
	s->len = len;
	return true;
}

/* May it be adopted: will its end be told? */
static bool bidx_symbol_is_watched(const struct bidx_symbol *s)
{
	return !str_has_prefix(s->name, "bpf_prog_") || bidx_hook_placed(BIDX_HOOK_BPF);
}

/* Return: number of the record whose text holds @ip, 0 when none does. */
static u64 bidx_ksym_object_at(unsigned long ip)
{
	struct bidx_range r;
	bool known;

	rcu_read_lock();
	known = bidx_ktree_resolve(ip, &r);
	rcu_read_unlock();
	return known ? r.object : 0;
}

/* Return: false when nothing is known of @ip, and asking again is of no use for a while. */
static bool bidx_ksym_adopt(unsigned long ip, struct bidx_symbol *sym)
{
	struct bidx_gone gone = {};
	unsigned long start;
	struct bidx_ksym *s;
	bool good;

	/* Its record came after the sample. */
	if (bidx_ksym_object_at(ip))
		return true;
	if (!bidx_symbol_of(ip, sym) || !bidx_symbol_is_watched(sym))
		return false;
	start = sym->start;
	if (atomic_read(&ksym.adopted) >= BIDX_ADOPTED_MAX)
		return false;
	s = bidx_ksym_alloc();
	if (!s)
		return false;
	atomic_inc(&ksym.adopted);
	s->adopted = true;
	bidx_ksym_fill(s, BUILDIDX_KSYM_BPF, start, sym->len, sym->name, 0);
	bidx_krec_get(&s->krec);
	if (!bidx_krec_publish_new(&s->krec, bidx_ksym_key(start))) {
		bidx_krec_put(&s->krec);
		bidx_krec_put(&s->krec);
		return false;	/* known, and does not hold @ip: it was cut */
	}
	bidx_count(BUILDIDX_CNT_KSYM_ADDED);
	/*
	 * Gone before it was published: then nobody has retired it. Or the record of a program
	 * was published just before, and its text is what is there.
	 */
	good = bidx_ksym_object_at(ip) == s->krec.object && bidx_symbol_of(ip, sym) &&
	       sym->start == start;
	gone.time = ktime_get_boottime_ns();
	if (!good)
		bidx_krec_retire_this(&s->krec, &gone);
	bidx_krec_put(&s->krec);
	return good;
}

/* Ask for what samples met. Under adopt_lock. */
static void bidx_ksym_ask(void)
{
	struct bidx_symbol *sym = kmalloc(sizeof(*sym), GFP_KERNEL | __GFP_NOWARN);
	unsigned int i;

	if (time_after_eq(jiffies, ksym.vain_since + BIDX_VAIN_TIME)) {
		memset(ksym.vain, 0, sizeof(ksym.vain));
		WRITE_ONCE(ksym.vain_since, jiffies);
	}
	for (i = 0; i < ARRAY_SIZE(ksym.ask); i++) {
		unsigned long ip = READ_ONCE(ksym.ask[i]);

		if (!ip)
			continue;
		if (ksym.on && sym && !bidx_ksym_adopt(ip, sym))
			WRITE_ONCE(ksym.vain[hash_long(ip, BIDX_VAIN_BITS)], ip);
		WRITE_ONCE(ksym.ask[i], 0);
		cond_resched();
	}
	kfree(sym);
}

/* Refill the pool, ask for what is not known. Context: the worker. */
void bidx_ksym_work(void)
{
	bidx_ksym_refill();
	if (!READ_ONCE(ksym.asked))
		return;
	mutex_lock(&ksym.adopt_lock);
	WRITE_ONCE(ksym.asked, false);
	bidx_ksym_ask();
	mutex_unlock(&ksym.adopt_lock);
}

/* The hook is placed: the end of what is adopted will be seen. */
void bidx_ksym_start(void)
{
	WRITE_ONCE(ksym.on, bidx_hook_placed(BIDX_HOOK_KSYM));
}

/**
 * bidx_ksym_stop() - the hook was removed: what is live may end unseen, and is retired
 *
 * Context: may sleep.
 */
void bidx_ksym_stop(void)
{
	mutex_lock(&ksym.adopt_lock);
	WRITE_ONCE(ksym.on, false);
	mutex_unlock(&ksym.adopt_lock);
	bidx_krec_retire_all(BUILDIDX_REC_KSYM);
}

/* Context: may sleep. Return: 0 or -ENOMEM. */
int bidx_ksym_init(void)
{
	int err;

	ksym.vain_since = jiffies;
	err = bidx_ksym_refill();
	if (err)
		bidx_ksym_exit();
	return err;
}

/* After bidx_krec_exit(), which frees all that are not in the pool. */
void bidx_ksym_exit(void)
{
	struct bidx_ksym *s, *next;

	list_for_each_entry_safe(s, next, &ksym.pool, list)
		kfree(s);
	INIT_LIST_HEAD(&ksym.pool);
	ksym.pooled = 0;
}
