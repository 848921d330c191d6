/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shrinkers are allocated since 6.7 (c42d50aefd17, "mm: shrinker: add
 * infrastructure for dynamically allocating shrinker").
 */
#ifndef BIDX_COMPAT_SHRINKER_H
#define BIDX_COMPAT_SHRINKER_H

#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>

typedef unsigned long (*bidx_shrink_fn)(struct shrinker *s, struct shrink_control *sc);

/* Return: a registered shrinker, or NULL. May sleep. */
static inline struct shrinker *bidx_shrinker_register(bidx_shrink_fn count, bidx_shrink_fn scan)
{
	struct shrinker *s;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	s = shrinker_alloc(0, "buildidx");
	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	shrinker_register(s);
#else
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return NULL;
	s->count_objects = count;
	s->scan_objects = scan;
	s->seeks = DEFAULT_SEEKS;
	if (register_shrinker(s, "buildidx")) {
		kfree(s);
		return NULL;
	}
#endif
	return s;
}

static inline void bidx_shrinker_unregister(struct shrinker *s)
{
	if (!s)
		return;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	shrinker_free(s);
#else
	unregister_shrinker(s);
	kfree(s);
#endif
}

#endif /* BIDX_COMPAT_SHRINKER_H */
