// SPDX-License-Identifier: GPL-2.0
/*
 * inode -> identity (design D3)
 *
 * A fixed table of hash chains. Readers walk a chain under RCU, in NMI too, and
 * take nothing. Writers take the lock of the chain's stripe, and inside it the
 * lock of the eviction list; both are raw, because the inode and close hooks
 * may run where a sleeping lock is not allowed.
 *
 * While an entry is hashed and bidx_active is true its inode is alive: inode
 * teardown unhashes it under the stripe's lock before the memory can be used
 * again. That is what permits looking into the inode where both were seen under
 * that lock. Hooks can fall silent (hooks.c), but bidx_active is false before they
 * do, and RCU keeps the inodes that die from then on until the lock is released.
 */
#include "internal.h"

#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "compat/inode.h"
#include "compat/shrinker.h"

#define BIDX_STRIPES		256
/* Entries looked at for one that may be evicted: the next capture goes on from there. */
#define BIDX_EVICT_BUDGET	4096
#define BIDX_ENTRIES_PER_HEAD	2

static struct {
	struct hlist_head *heads;
	unsigned int bits;
	unsigned long max;
	atomic_long_t count;
	atomic64_t next_object;
	raw_spinlock_t stripe[BIDX_STRIPES];
	raw_spinlock_t lru_lock;
	struct list_head lru;		/* oldest first */
	struct llist_head dead;		/* unhashed by a hook, to be given to RCU */
	struct kmem_cache *cache;
	struct shrinker *shrinker;
} index;

static unsigned long bidx_head_of(const struct inode *inode)
{
	return hash_ptr((void *)inode, index.bits);
}

static raw_spinlock_t *bidx_stripe_of(unsigned long head)
{
	return &index.stripe[head % BIDX_STRIPES];
}

struct bidx_entry *bidx_entry_alloc(void)
{
	struct bidx_entry *e = kmem_cache_zalloc(index.cache, GFP_KERNEL | __GFP_NOWARN);

	if (e) {
		INIT_HLIST_NODE(&e->node);
		e->reread_at = (u32)jiffies - BIDX_REREAD_PAUSE;
	}
	return e;
}

/* An entry that no reader can see. */
void bidx_entry_free(struct bidx_entry *e)
{
	if (!e)
		return;
	if (e->id_len > BUILDIDX_ID_MAX)
		kfree(e->text);
	kmem_cache_free(index.cache, e);
}

static void bidx_entry_free_rcu(struct rcu_head *rcu)
{
	bidx_entry_free(container_of(rcu, struct bidx_entry, rcu));
}

u64 bidx_index_next_object(void)
{
	return atomic64_inc_return(&index.next_object);
}

/**
 * bidx_index_lookup() - the entry of an inode
 * @inode: any pointer; not dereferenced
 *
 * Context: under rcu_read_lock(), any context.
 * Return: the entry, in any state, or NULL.
 */
struct bidx_entry *bidx_index_lookup(const struct inode *inode)
{
	unsigned int budget = BIDX_CHAIN_MAX;
	struct bidx_entry *e;

	hlist_for_each_entry_rcu(e, &index.heads[bidx_head_of(inode)], node, true) {
		if (e->inode == inode)
			return e;
		if (!--budget)
			break;
	}
	return NULL;
}

/**
 * bidx_index_covers() - is a mapping that was just made already known?
 * @inode: of the mapping, alive, the mapping being in its i_mmap tree
 *
 * Context: any; called by the mmap hook.
 * Return: true when the entry is good for the present content and stays.
 */
bool bidx_index_covers(const struct inode *inode)
{
	struct bidx_entry *e;
	bool known = false;

	rcu_read_lock();
	e = bidx_index_lookup(inode);
	if (e && smp_load_acquire(&e->state) == BIDX_VALID &&
	    e->size == i_size_read(inode) && e->mtime == bidx_inode_mtime(inode)) {
		WRITE_ONCE(e->last_used, (u32)jiffies);
		/* Pairs with bidx_evict(): it sees the mapping or we see @evicting. */
		smp_mb();
		known = !READ_ONCE(e->evicting) && READ_ONCE(e->state) == BIDX_VALID;
	}
	rcu_read_unlock();
	return known;
}

/* Under the stripe's lock. */
static struct bidx_entry *bidx_find_locked(const struct inode *inode)
{
	struct bidx_entry *e;

	hlist_for_each_entry(e, &index.heads[bidx_head_of(inode)], node)
		if (e->inode == inode)
			return e;
	return NULL;
}

static void bidx_lru_add(struct bidx_entry *e)
{
	raw_spin_lock(&index.lru_lock);
	e->lru_stamp = e->last_used;
	list_add_tail(&e->lru, &index.lru);
	raw_spin_unlock(&index.lru_lock);
}

static void bidx_lru_del(struct bidx_entry *e)
{
	raw_spin_lock(&index.lru_lock);
	list_del(&e->lru);
	raw_spin_unlock(&index.lru_lock);
}

/*
 * Under the stripe's lock. Return: true when the caller must give the entry to
 * RCU; false when a capture still fills it and will do so.
 */
static bool bidx_unhash(struct bidx_entry *e)
{
	smp_store_release(&e->state, BIDX_DEAD);
	hlist_del_rcu(&e->node);
	bidx_lru_del(e);
	atomic_long_dec(&index.count);
	return !e->ticketed;
}

/*
 * Remove an entry when its file is not mapped. Under the stripe's lock, so the
 * inode is alive.
 */
static bool bidx_evict(struct bidx_entry *e)
{
	if (!READ_ONCE(bidx_active) || e->state == BIDX_PENDING ||
	    mapping_mapped(e->inode->i_mapping))
		return false;
	WRITE_ONCE(e->evicting, 1);
	/* Pairs with bidx_index_covers(). */
	smp_mb();
	/* A mapping that is being split or merged is out of the tree for a moment. */
	if (rwsem_is_locked(&e->inode->i_mapping->i_mmap_rwsem) ||
	    mapping_mapped(e->inode->i_mapping)) {
		WRITE_ONCE(e->evicting, 0);
		return false;
	}
	bidx_unhash(e);
	bidx_count(BUILDIDX_CNT_EVICTED);
	return true;
}

/*
 * The oldest entry on the eviction list, moved to the list's end when it was
 * mapped since it got its place. Under RCU; the entry may be gone at once.
 */
static struct bidx_entry *bidx_lru_next(void)
{
	struct bidx_entry *e = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&index.lru_lock, flags);
	if (!list_empty(&index.lru)) {
		e = list_first_entry(&index.lru, struct bidx_entry, lru);
		/* At the end until it is seen again: a mapped one is only passed by. */
		list_move_tail(&e->lru, &index.lru);
		if (e->lru_stamp != READ_ONCE(e->last_used)) {
			e->lru_stamp = READ_ONCE(e->last_used);
			e = ERR_PTR(-EAGAIN);
		}
	}
	raw_spin_unlock_irqrestore(&index.lru_lock, flags);
	return e;
}

/*
 * Go through the list from its oldest end until @want entries are evicted or
 * @budget were looked at. Context: may sleep if @sleep.
 */
static unsigned long bidx_evict_some(unsigned long want, unsigned long budget, bool sleep)
{
	unsigned long done = 0;

	while (done < want && budget--) {
		struct bidx_entry *e, *victim;
		struct inode *inode;
		raw_spinlock_t *lock;
		unsigned long flags;
		u64 object;

		rcu_read_lock();
		e = bidx_lru_next();
		if (!e) {
			rcu_read_unlock();
			break;
		}
		if (IS_ERR(e)) {
			rcu_read_unlock();
			continue;
		}
		inode = e->inode;
		object = e->object;
		rcu_read_unlock();

		lock = bidx_stripe_of(bidx_head_of(inode));
		raw_spin_lock_irqsave(lock, flags);
		victim = bidx_find_locked(inode);
		/* Never a ticketed one: those are PENDING. */
		if (!victim || victim->object != object || !bidx_evict(victim))
			victim = NULL;
		raw_spin_unlock_irqrestore(lock, flags);
		if (victim) {
			call_rcu(&victim->rcu, bidx_entry_free_rcu);
			done++;
		}
		if (sleep)
			cond_resched();
	}
	return done;
}

/**
 * bidx_index_begin() - announce that a file is being read
 * @t: ticket to fill
 * @inode: alive until publish or abort
 *
 * An unknown file gets a PENDING entry, so that a writer that closes it during
 * the read leaves a mark.
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, -ENOSPC when the index is full of mapped files, or
 * -ESTALE when it is switched off.
 */
int bidx_index_begin(struct bidx_ticket *t, struct inode *inode)
{
	unsigned long head = bidx_head_of(inode);
	raw_spinlock_t *lock = bidx_stripe_of(head);
	struct bidx_entry *old;
	unsigned long flags;

	t->e = bidx_entry_alloc();
	if (!t->e)
		return -ENOMEM;
	t->e->inode = inode;
	t->e->object = bidx_index_next_object();
	t->e->last_used = jiffies;

	rcu_read_lock();
	old = bidx_index_lookup(inode);
	rcu_read_unlock();
	if (!old && atomic_long_read(&index.count) >= index.max) {
		/* Twice round a small table: the first may only refresh places in the list. */
		if (!bidx_evict_some(1, min(2 * index.max, BIDX_EVICT_BUDGET), true)) {
			bidx_entry_free(t->e);
			return -ENOSPC;
		}
	}

	raw_spin_lock_irqsave(lock, flags);
	/* see bidx_stop() and bidx_start() */
	if (!READ_ONCE(bidx_active) && inode != READ_ONCE(bidx_probe.inode)) {
		raw_spin_unlock_irqrestore(lock, flags);
		bidx_entry_free(t->e);
		return -ESTALE;
	}
	old = bidx_find_locked(inode);
	t->hashed = !old;
	t->e->ticketed = t->hashed;
	if (old) {
		t->old_object = old->object;
		t->change = old->change;
	} else {
		hlist_add_head_rcu(&t->e->node, &index.heads[head]);
		bidx_lru_add(t->e);
		atomic_long_inc(&index.count);
		t->change = 0;
	}
	raw_spin_unlock_irqrestore(lock, flags);
	return 0;
}

static bool bidx_same_identity(const struct bidx_entry *a, const struct bidx_entry *b)
{
	if (a->status != b->status || a->kind != b->kind || a->source != b->source ||
	    a->id_len != b->id_len)
		return false;
	if (a->id_len > BUILDIDX_ID_MAX)
		return !memcmp(a->text, b->text, a->id_len);
	return !memcmp(a->id, b->id, sizeof(a->id));
}

/* Same content as far as anybody can tell: it was touched, not changed. */
static bool bidx_same_content(const struct bidx_entry *a, const struct bidx_entry *b)
{
	return a->size == b->size && bidx_same_identity(a, b);
}

/**
 * bidx_index_publish() - make what was read visible
 * @t: ticket; its entry is filled and no longer the caller's
 * @state: BIDX_VALID or BIDX_FAILED
 *
 * Context: may sleep.
 * Return: 0; -EBUSY a writer closed the file meanwhile; -EEXIST another capture
 * stored the same content; -ESTALE the inode died or the index was flushed.
 */
int bidx_index_publish(struct bidx_ticket *t, enum bidx_state state)
{
	struct bidx_entry *e = t->e, *cur, *gone = NULL;
	struct inode *inode = e->inode;
	unsigned long flags;
	raw_spinlock_t *lock = bidx_stripe_of(bidx_head_of(inode));
	int err = 0;

	t->known = false;
	raw_spin_lock_irqsave(lock, flags);
	cur = bidx_find_locked(inode);
	if (cur == e && (e->change == t->change || state == BIDX_FAILED)) {
		e->ticketed = 0;
		smp_store_release(&e->state, state);
	} else if (cur == e) {
		e->ticketed = 0;
		bidx_unhash(e);
		gone = e;
		err = -EBUSY;
	} else if (!cur) {
		gone = e;
		err = -ESTALE;
	} else if (t->hashed || cur->object != t->old_object || cur->change != t->change) {
		gone = e;
		err = cur->state == BIDX_VALID && cur->size == e->size &&
		      cur->mtime == e->mtime ? -EEXIST : -EBUSY;
	} else {
		if ((cur->state == BIDX_VALID || cur->state == BIDX_STALE) &&
		    bidx_same_content(cur, e)) {
			e->object = cur->object;
			t->known = true;
		}
		e->change = cur->change;
		e->reread_at = cur->reread_at;
		e->state = state;
		hlist_replace_rcu(&cur->node, &e->node);
		smp_store_release(&cur->state, BIDX_DEAD);
		bidx_lru_del(cur);
		bidx_lru_add(e);
		gone = cur->ticketed ? NULL : cur;
	}
	t->object = e->object;
	raw_spin_unlock_irqrestore(lock, flags);
	if (gone)
		call_rcu(&gone->rcu, bidx_entry_free_rcu);
	return err;
}

/**
 * bidx_index_abort() - forget a capture; a known file keeps its entry
 * @t: ticket; its entry is no longer the caller's
 *
 * Context: may sleep.
 */
void bidx_index_abort(struct bidx_ticket *t)
{
	struct bidx_entry *e = t->e;
	raw_spinlock_t *lock = bidx_stripe_of(bidx_head_of(e->inode));
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	e->ticketed = 0;
	if (bidx_find_locked(e->inode) == e)
		bidx_unhash(e);
	raw_spin_unlock_irqrestore(lock, flags);
	call_rcu(&e->rcu, bidx_entry_free_rcu);
}

/**
 * bidx_index_written() - a file that was open for writing is released
 * @inode: alive
 * @unstamped: it was written without moving its times
 * @object: result, the entry to read again
 *
 * Context: any but NMI; called by the close hook.
 * Return: true when the content may have changed and must be read again.
 */
bool bidx_index_written(struct inode *inode, bool unstamped, u64 *object)
{
	raw_spinlock_t *lock = bidx_stripe_of(bidx_head_of(inode));
	struct bidx_entry *e;
	unsigned long flags;
	bool changed = false;

	rcu_read_lock();
	e = bidx_index_lookup(inode);
	rcu_read_unlock();
	if (!e)
		return false;

	raw_spin_lock_irqsave(lock, flags);
	e = bidx_find_locked(inode);
	if (e) {
		changed = unstamped || e->state != BIDX_VALID || e->traits ||
			  e->size != i_size_read(inode) ||
			  e->mtime != bidx_inode_mtime(inode) ||
			  e->ctime != bidx_inode_ctime(inode);
		if (changed) {
			e->change++;
			if (e->state == BIDX_VALID) {
				smp_store_release(&e->state, BIDX_STALE);
				bidx_count(BUILDIDX_CNT_STALE);
			}
			*object = e->object;
		}
	}
	raw_spin_unlock_irqrestore(lock, flags);
	return changed;
}

/**
 * bidx_index_inode_died() - the memory of an inode is about to be given back
 * @inode: its address
 *
 * Context: any but NMI; called by the inode hook. Frees nothing itself.
 */
void bidx_index_inode_died(const struct inode *inode)
{
	raw_spinlock_t *lock;
	struct bidx_entry *e;
	unsigned long flags;

	rcu_read_lock();
	e = bidx_index_lookup(inode);
	rcu_read_unlock();
	if (!e)
		return;

	lock = bidx_stripe_of(bidx_head_of(inode));
	raw_spin_lock_irqsave(lock, flags);
	e = bidx_find_locked(inode);
	if (e) {
		bidx_count(BUILDIDX_CNT_DEAD);
		if (!bidx_unhash(e))
			e = NULL;
	}
	raw_spin_unlock_irqrestore(lock, flags);
	if (e && llist_add(&e->dead, &index.dead))
		bidx_work_kick();
}

/* Give to RCU what the inode hook took out. Context: may sleep. */
void bidx_index_reap(void)
{
	struct llist_node *list = llist_del_all(&index.dead);
	struct bidx_entry *e, *next;

	llist_for_each_entry_safe(e, next, list, dead)
		call_rcu(&e->rcu, bidx_entry_free_rcu);
}

/**
 * bidx_index_grab() - hold the inode of an entry for a short read
 * @inode: key, maybe gone
 * @object: number of the entry
 *
 * Context: may sleep.
 * Return: the inode, with a reference and its file system's s_umount held for
 * reading, until bidx_index_ungrab(); or NULL.
 */
struct inode *bidx_index_grab(struct inode *inode, u64 object)
{
	raw_spinlock_t *lock = bidx_stripe_of(bidx_head_of(inode));
	struct super_block *sb = NULL;
	struct bidx_entry *e;
	unsigned long flags;
	bool held = false;

	raw_spin_lock_irqsave(lock, flags);
	e = bidx_find_locked(inode);
	if (e && e->object == object && READ_ONCE(bidx_active)) {
		e->reread_queued = 0;
		/* Hashed, so inode and super block are alive. A trylock waits for nothing. */
		if (down_read_trylock(&inode->i_sb->s_umount))
			sb = inode->i_sb;
	}
	/*
	 * Not igrab(): it takes a sleeping lock on PREEMPT_RT, and once the
	 * stripe is unlocked XFS may recycle the inode. One whose count is zero
	 * is not mapped and can wait. Nor while frozen: the last iput() would
	 * wait for a thaw, which waits for s_umount.
	 */
	if (sb && (sb->s_flags & SB_ACTIVE) && sb->s_writers.frozen == SB_UNFROZEN)
		held = atomic_inc_not_zero(&inode->i_count);
	raw_spin_unlock_irqrestore(lock, flags);
	if (sb && !held)
		up_read(&sb->s_umount);
	return held ? inode : NULL;
}

/* Undo bidx_index_grab(). Context: may sleep. */
void bidx_index_ungrab(struct inode *inode)
{
	struct super_block *sb = inode->i_sb;

	iput(inode);
	up_read(&sb->s_umount);
}

unsigned long bidx_index_count(void)
{
	return atomic_long_read(&index.count);
}

unsigned long bidx_index_max(void)
{
	return index.max;
}

unsigned long bidx_index_heads(void)
{
	return 1UL << index.bits;
}

/* The identity of an entry, whatever its state: that has one and was not hashed yet, or VALID. */
void bidx_entry_describe(const struct bidx_entry *e, struct buildidx_object *obj)
{
	memset(obj, 0, sizeof(*obj));
	obj->object = e->object;
	obj->dev_major = MAJOR(e->dev);
	obj->dev_minor = MINOR(e->dev);
	obj->ino = e->ino;
	obj->generation = e->generation;
	obj->file_size = e->size;
	obj->mtime_ns = e->mtime;
	obj->status = e->status;
	obj->kind = e->kind;
	obj->source = e->source;
	obj->id_len = e->id_len;
	memcpy(obj->id, e->id_len > BUILDIDX_ID_MAX ? e->text : e->id, e->id_len);
}

/* Context: under rcu_read_lock(). */
void bidx_entry_to_object(const struct bidx_entry *e, struct buildidx_object *obj)
{
	u8 state = smp_load_acquire(&e->state);

	if (state == BIDX_VALID) {
		bidx_entry_describe(e, obj);
		return;
	}

	memset(obj, 0, sizeof(*obj));
	obj->object = e->object;
	if (state == BIDX_PENDING || state == BIDX_DEAD) {
		obj->status = BUILDIDX_STATUS_PENDING;
		return;
	}
	obj->dev_major = MAJOR(e->dev);
	obj->dev_minor = MINOR(e->dev);
	obj->ino = e->ino;
	obj->generation = e->generation;
	obj->file_size = e->size;
	obj->mtime_ns = e->mtime;
	if (state == BIDX_STALE) {
		obj->status = BUILDIDX_STATUS_MODIFIED;
		return;
	}
	obj->status = e->status;
}

/**
 * bidx_index_dump_head() - copy one chain
 * @head: number of the chain, below bidx_index_heads()
 * @objs: room for @room objects
 * @room: as it says
 *
 * Context: any; takes rcu_read_lock().
 * Return: objects written, none while switched off, or -ENOSPC when the chain is
 * longer than @room.
 */
int bidx_index_dump_head(unsigned long head, struct buildidx_object *objs, unsigned int room)
{
	struct bidx_entry *e;
	unsigned int n = 0;

	if (!READ_ONCE(bidx_active))
		return 0;
	rcu_read_lock();
	hlist_for_each_entry_rcu(e, &index.heads[head], node) {
		if (n == room) {
			rcu_read_unlock();
			return -ENOSPC;
		}
		bidx_entry_to_object(e, &objs[n++]);
	}
	rcu_read_unlock();
	return n;
}

/* Context: may sleep. Return: 0 or -ENOENT. Goes through the whole table. */
int bidx_index_find_object(u64 object, struct buildidx_object *obj)
{
	struct bidx_entry *e;
	unsigned long head;

	for (head = 0; head < bidx_index_heads() && READ_ONCE(bidx_active); head++) {
		rcu_read_lock();
		hlist_for_each_entry_rcu(e, &index.heads[head], node) {
			if (e->object == object) {
				bidx_entry_to_object(e, obj);
				rcu_read_unlock();
				return 0;
			}
		}
		rcu_read_unlock();
		if (!(head % 1024))
			cond_resched();
	}
	return -ENOENT;
}

static unsigned long bidx_shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	return bidx_index_count() ?: SHRINK_EMPTY;
}

static unsigned long bidx_shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	if (!READ_ONCE(bidx_active))
		return SHRINK_STOP;
	return bidx_evict_some(sc->nr_to_scan, sc->nr_to_scan, false) ?: SHRINK_STOP;
}

/**
 * bidx_index_flush() - forget everything
 *
 * Context: may sleep. Captures under way find their entry gone and drop it.
 */
void bidx_index_flush(void)
{
	unsigned long head, flags;
	struct hlist_node *next;
	struct bidx_entry *e;

	for (head = 0; head < bidx_index_heads(); head++) {
		raw_spinlock_t *lock = bidx_stripe_of(head);

		raw_spin_lock_irqsave(lock, flags);
		hlist_for_each_entry_safe(e, next, &index.heads[head], node) {
			if (bidx_unhash(e))
				llist_add(&e->dead, &index.dead);
		}
		raw_spin_unlock_irqrestore(lock, flags);
		if (!(head % 1024))
			cond_resched();
	}
	bidx_index_reap();
}

/**
 * bidx_index_init() - make the table
 * @max_entries: bound, in files
 *
 * Context: may sleep. Return: 0 or -ENOMEM.
 */
int bidx_index_init(unsigned long max_entries)
{
	unsigned int i;

	index.max = max_entries;
	index.bits = max(4, ilog2(roundup_pow_of_two(DIV_ROUND_UP(max_entries,
							       BIDX_ENTRIES_PER_HEAD))));
	for (i = 0; i < BIDX_STRIPES; i++)
		raw_spin_lock_init(&index.stripe[i]);
	raw_spin_lock_init(&index.lru_lock);
	INIT_LIST_HEAD(&index.lru);
	init_llist_head(&index.dead);

	index.heads = kvcalloc(bidx_index_heads(), sizeof(*index.heads), GFP_KERNEL);
	if (!index.heads)
		return -ENOMEM;
	index.cache = KMEM_CACHE(bidx_entry, 0);
	if (!index.cache)
		goto free_heads;
	index.shrinker = bidx_shrinker_register(bidx_shrink_count, bidx_shrink_scan);
	if (!index.shrinker)
		goto free_cache;
	return 0;

free_cache:
	kmem_cache_destroy(index.cache);
free_heads:
	kvfree(index.heads);
	return -ENOMEM;
}

/* Nothing may call into the index any more. Context: may sleep. */
void bidx_index_exit(void)
{
	bidx_shrinker_unregister(index.shrinker);
	bidx_index_flush();
	rcu_barrier();
	kmem_cache_destroy(index.cache);
	kvfree(index.heads);
}
