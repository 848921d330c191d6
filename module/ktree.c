// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of kernel text that is there now
 *
 * A latched tree, as the kernel has for its own: an NMI that interrupts a writer
 * reads the copy that is at rest. The ranges in it do not overlap: what a new one
 * covers is cut when it comes, so that a trampoline of which the kernel tells too
 * long a length, or a text whose end was not seen, cannot hide another.
 */
#include "internal.h"

#include <linux/rbtree_latch.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "krec.h"

static struct {
	struct latch_tree_root root;
	raw_spinlock_t lock;
} ktree = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(ktree.lock),
};

static struct bidx_krange *bidx_krange_of(struct latch_tree_node *node)
{
	return container_of(node, struct bidx_krange, node);
}

static bool bidx_krange_less(struct latch_tree_node *a, struct latch_tree_node *b)
{
	return bidx_krange_of(a)->start < bidx_krange_of(b)->start;
}

static int bidx_krange_comp(void *key, struct latch_tree_node *node)
{
	const struct bidx_krange *range = bidx_krange_of(node);
	unsigned long ip = (unsigned long)key;

	if (ip < range->start)
		return -1;
	return ip - range->start >= READ_ONCE(range->len);
}

static const struct latch_tree_ops bidx_ktree_ops = {
	.less = bidx_krange_less,
	.comp = bidx_krange_comp,
};

static struct bidx_krange *bidx_krange_of_rb(struct rb_node *node)
{
	return node ? container_of(node, struct bidx_krange, node.node[0]) : NULL;
}

/* The last range that starts at @start or before; *@next is the one after it. Under the lock. */
static struct bidx_krange *bidx_krange_before(unsigned long start, struct bidx_krange **next)
{
	struct rb_node *node = ktree.root.tree[0].rb_node;
	struct bidx_krange *before = NULL;

	*next = NULL;
	while (node) {
		struct bidx_krange *range = bidx_krange_of_rb(node);

		if (range->start <= start) {
			before = range;
			node = node->rb_right;
		} else {
			*next = range;
			node = node->rb_left;
		}
	}
	return before;
}

static bool bidx_krange_is_ksym(const struct bidx_krange *range)
{
	return range->rec->rec->type == BUILDIDX_REC_KSYM;
}

/* Asked for by name, not told by the kernel when it came: the answer may be older than it looks. */
static bool bidx_krange_is_late(const struct bidx_krange *range)
{
	return bidx_krange_is_ksym(range) &&
	       ((struct buildidx_rec_ksym *)range->rec->rec)->flags & BUILDIDX_REC_ADOPTED;
}

/*
 * Cut a range in the tree. One that is cut to nothing is taken out: within another it would
 * send who looks for what follows it there to the wrong side. Under the lock.
 */
static void bidx_krange_shorten(struct bidx_krange *range, unsigned long len)
{
	if (!len)
		latch_tree_erase(&range->node, &ktree.root, &bidx_ktree_ops);
	WRITE_ONCE(range->len, len);
}

/*
 * Make room for @range, or cut it. Only generated text is told with lengths that may be
 * too long, so that gives way to what follows it; all else is what is there now, unless it
 * was asked for by name and got its record meanwhile.
 * Return: false when there is no room for it.
 */
static bool bidx_krange_cut(struct bidx_krange *range)
{
	bool guessed = bidx_krange_is_ksym(range);
	struct bidx_krange *next, *after, *before = bidx_krange_before(range->start, &next);

	if (before && range->start - before->start < before->len) {
		if (bidx_krange_is_late(range) && !bidx_krange_is_ksym(before))
			return false;
		bidx_krange_shorten(before, range->start - before->start);
	}
	for (; next && next->start - range->start < range->len; next = after) {
		if (guessed) {
			range->len = next->start - range->start;
			break;
		}
		after = bidx_krange_of_rb(rb_next(&next->node.node[0]));
		bidx_krange_shorten(next, 0);
	}
	return true;
}

/**
 * bidx_ktree_insert() - the addresses of a record can be looked up from now on
 * @k: published, with a reference of the caller's
 *
 * Stops when the record is retired meanwhile, or where there is no room.
 *
 * Context: any but NMI. The lock is given back after each range.
 */
void bidx_ktree_insert(struct bidx_krec *k)
{
	unsigned long flags;
	unsigned int i;
	bool good = true;

	for (i = 0; i < k->nr_ranges && good; i++) {
		struct bidx_krange *range = &k->ranges[i];

		range->rec = k;
		raw_spin_lock_irqsave(&ktree.lock, flags);
		good = READ_ONCE(k->live) && bidx_krange_cut(range);
		if (good) {
			latch_tree_insert(&range->node, &ktree.root, &bidx_ktree_ops);
			k->in_tree = i + 1;
		}
		raw_spin_unlock_irqrestore(&ktree.lock, flags);
	}
}

/**
 * bidx_ktree_remove() - the addresses of a record are not its own any more
 * @k: no longer live, with a reference of the caller's
 *
 * Context: any but NMI. The memory may be used again after a grace period of RCU.
 */
void bidx_ktree_remove(struct bidx_krec *k)
{
	unsigned long flags;
	bool more;

	do {
		raw_spin_lock_irqsave(&ktree.lock, flags);
		/* One without a length was taken out by what came later. */
		if (k->in_tree && k->ranges[--k->in_tree].len)
			latch_tree_erase(&k->ranges[k->in_tree].node, &ktree.root,
					 &bidx_ktree_ops);
		more = k->in_tree;
		raw_spin_unlock_irqrestore(&ktree.lock, flags);
	} while (more);
}

/**
 * bidx_ktree_resolve() - which text of the kernel holds an address
 * @ip: address
 * @r: result, the whole range
 *
 * Context: any, NMI included; under rcu_read_lock().
 * Return: false when nothing is known of it.
 */
bool bidx_ktree_resolve(unsigned long ip, struct bidx_range *r)
{
	struct latch_tree_node *node;
	const struct bidx_krange *range;
	const struct bidx_krec *k;

	node = latch_tree_find((void *)ip, &ktree.root, &bidx_ktree_ops);
	if (!node)
		return false;
	range = bidx_krange_of(node);
	k = range->rec;
	r->start = range->start;
	r->end = range->start + READ_ONCE(range->len);
	r->base = range->base;
	r->object = k->object;
	memcpy(r->id, k->id, sizeof(r->id));
	r->status = k->id_len ? BUILDIDX_STATUS_OK : BUILDIDX_STATUS_GENERATED;
	r->kind = k->kind;
	r->source = k->source;
	r->id_len = k->id_len;
	r->flags = 0;
	/* Cut since the tree was searched: what holds @ip is just coming. */
	return ip - r->start < r->end - r->start;
}
