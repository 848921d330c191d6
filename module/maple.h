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

#define BIDX_MAPLE_DEPTH	16	/* 10^16 entries */

/* Last used slot of a leaf or range node that ends at @max. Mirrors ma_data_end(). */
static inline unsigned int bidx_maple_end64(const struct maple_node *node, unsigned long max)
{
	const unsigned int last = MAPLE_RANGE64_SLOTS - 1;
	unsigned long pivot = READ_ONCE(node->mr64.pivot[last - 1]);

	if (!pivot)
		return min_t(unsigned int, READ_ONCE(node->mr64.meta.end), last);
	return pivot == max ? last - 1 : last;
}

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
		const struct maple_node *node = (void *)(entry & ~(unsigned long)MAPLE_NODE_MASK);
		const unsigned long *pivots;
		void * const *slots;
		unsigned int type = (entry >> MAPLE_NODE_TYPE_SHIFT) & MAPLE_NODE_TYPE_MASK;
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
			end = min_t(unsigned int, READ_ONCE(node->ma64.meta.end),
				    MAPLE_ARANGE64_SLOTS - 1);
			break;
		default:
			*torn = true;
			return NULL;
		}

		/* The last slot has no pivot: it goes up to max. */
		for (i = 0; i < end; i++) {
			unsigned long pivot = READ_ONCE(pivots[i]);

			if (index <= pivot) {
				*max = pivot;
				break;
			}
			*min = pivot + 1;
		}
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
