/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded descent of a maple tree
 *
 * Not mas_walk(): on 6.1 the writer marks the old node dead before it
 * publishes the new one, and a walk from an NMI on top of it spins for ever.
 * Here a torn node gives a wrong slot at worst; the caller finds out, because
 * the slot's range must be the VMA's own.
 *
 * The node layout (include/linux/maple_tree.h) is the same from 6.1 to 7.3.
 * Nodes of a live mm are freed by RCU, so they are read plainly.
 */
#ifndef BIDX_MAPLE_H
#define BIDX_MAPLE_H

#include <linux/maple_tree.h>
#include <linux/mm_types.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#define BIDX_MAPLE_DEPTH	16	/* 10^16 entries */

/* The root has bit 1 set, children have not; both carry their node's type. */
static inline const struct maple_node *bidx_maple_node(unsigned long entry)
{
	return (const struct maple_node *)(entry & ~(unsigned long)MAPLE_NODE_MASK);
}

static inline unsigned int bidx_maple_type(unsigned long entry)
{
	return (entry >> MAPLE_NODE_TYPE_SHIFT) & MAPLE_NODE_TYPE_MASK;
}

/* Last used slot of a leaf or range node that ends at @max. Mirrors ma_data_end(). */
static inline unsigned int bidx_maple_end64(const struct maple_node *node, unsigned long max)
{
	const unsigned int last = MAPLE_RANGE64_SLOTS - 1;
	unsigned long pivot = READ_ONCE(node->mr64.pivot[last - 1]);

	if (!pivot)
		return min_t(unsigned int, READ_ONCE(node->mr64.meta.end), last);
	return pivot == max ? last - 1 : last;
}

static inline unsigned int bidx_maple_end_arange(const struct maple_node *node)
{
	return min_t(unsigned int, READ_ONCE(node->ma64.meta.end), MAPLE_ARANGE64_SLOTS - 1);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
/*
 * Before 530f745c7620 ("maple_tree: replace data before marking dead in split
 * and spanning store", 6.5) nodes that are still in the tree may be dead, and
 * mat_add() has written a list pointer over their first pivot. It is found
 * again from the VMA on either side of it: one of the two slots is not a hole.
 */
static inline bool bidx_maple_clobbered(const struct maple_node *node)
{
	return bidx_maple_node((unsigned long)READ_ONCE(node->parent)) == node;
}

static inline bool bidx_maple_vma_range(unsigned long entry, unsigned long *start,
					unsigned long *end)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)entry;

	return entry > MAPLE_RESERVED_RANGE && !get_kernel_nofault(*start, &vma->vm_start) &&
	       !get_kernel_nofault(*end, &vma->vm_end);
}

/* First entry below a child of an inner node. */
static inline unsigned long bidx_maple_first(unsigned long entry)
{
	int depth;

	for (depth = 0; depth < BIDX_MAPLE_DEPTH && entry > MAPLE_RESERVED_RANGE; depth++) {
		const struct maple_node *node = bidx_maple_node(entry);
		unsigned int type = bidx_maple_type(entry);

		if (type == maple_leaf_64)
			return (unsigned long)READ_ONCE(node->mr64.slot[0]);
		if (type != maple_arange_64)
			break;
		entry = (unsigned long)READ_ONCE(node->ma64.slot[0]);
	}
	return 0;
}

/* Last entry below a child of an inner node. */
static inline unsigned long bidx_maple_last(unsigned long entry)
{
	const unsigned int last = MAPLE_RANGE64_SLOTS - 1;
	int depth;

	for (depth = 0; depth < BIDX_MAPLE_DEPTH && entry > MAPLE_RESERVED_RANGE; depth++) {
		const struct maple_node *node = bidx_maple_node(entry);
		unsigned int type = bidx_maple_type(entry);
		unsigned long pivot, start, end, slot;

		if (type == maple_arange_64) {
			entry = (unsigned long)READ_ONCE(node->ma64.slot[bidx_maple_end_arange(node)]);
			continue;
		}
		if (type != maple_leaf_64)
			break;
		pivot = READ_ONCE(node->mr64.pivot[last - 1]);
		slot = (unsigned long)READ_ONCE(node->mr64.slot[last]);
		if (pivot && bidx_maple_vma_range(slot, &start, &end) && start == pivot + 1)
			return slot;
		return (unsigned long)READ_ONCE(node->mr64.slot[pivot ? last - 1 :
							bidx_maple_end64(node, 0)]);
	}
	return 0;
}

/* Return: the pivot, 0 when it cannot be told. */
static inline unsigned long bidx_maple_pivot0(void * const *slots, bool leaf)
{
	unsigned long left = (unsigned long)READ_ONCE(slots[0]);
	unsigned long right = (unsigned long)READ_ONCE(slots[1]);
	unsigned long start, end;

	if (!leaf) {
		left = bidx_maple_last(left);
		right = bidx_maple_first(right);
	}
	if (bidx_maple_vma_range(right, &start, &end))
		return start - 1;
	if (bidx_maple_vma_range(left, &start, &end))
		return end - 1;
	return 0;
}
#else
static inline bool bidx_maple_clobbered(const struct maple_node *node)
{
	return false;
}

static inline unsigned long bidx_maple_pivot0(void * const *slots, bool leaf)
{
	return 0;
}
#endif

/**
 * bidx_maple_find() - the slot that holds an index
 * @mt: maple tree of current's mm
 * @index: address
 * @min: result, first index of the slot
 * @max: result, last index of the slot
 * @torn: result, a node was not what it must be: try again
 *
 * Context: under rcu_read_lock(), any context.
 * Return: the entry, NULL for a hole or a torn node.
 */
static inline void *bidx_maple_find(const struct maple_tree *mt, unsigned long index,
				    unsigned long *min, unsigned long *max, bool *torn)
{
	unsigned long entry = (unsigned long)READ_ONCE(mt->ma_root);
	int depth;

	*min = 0;
	*max = ULONG_MAX;
	*torn = false;
	/* xa_is_node(): a tree of one entry that starts at 0 has no node; an mm never does. */
	if ((entry & 3) != 2 || entry <= MAPLE_RESERVED_RANGE)
		return NULL;

	for (depth = 0; depth < BIDX_MAPLE_DEPTH; depth++) {
		const struct maple_node *node = bidx_maple_node(entry);
		unsigned int type = bidx_maple_type(entry);
		const unsigned long *pivots;
		unsigned long below = 0;
		void * const *slots;
		unsigned int i, end;

		switch (type) {
		case maple_leaf_64:
		case maple_range_64:
			pivots = node->mr64.pivot;
			slots = (void * const *)node->mr64.slot;
			end = bidx_maple_end64(node, *max);
			break;
		case maple_arange_64:
			pivots = node->ma64.pivot;
			slots = (void * const *)node->ma64.slot;
			end = bidx_maple_end_arange(node);
			break;
		default:
			*torn = true;
			return NULL;
		}

		/* The last slot has no pivot: it goes up to max. */
		for (i = 0; i < end; i++) {
			unsigned long pivot = READ_ONCE(pivots[i]);

			if (!i && unlikely(bidx_maple_clobbered(node)))
				pivot = bidx_maple_pivot0(slots, type == maple_leaf_64);
			if (index <= pivot) {
				*max = pivot;
				break;
			}
			below = pivot;
		}
		if (i)
			*min = below + 1;
		entry = (unsigned long)READ_ONCE(slots[i]);
		if (type == maple_leaf_64)
			return (void *)entry;
		if (entry <= MAPLE_RESERVED_RANGE) {
			*torn = true;
			return NULL;
		}
	}
	*torn = true;
	return NULL;
}

#endif /* BIDX_MAPLE_H */
