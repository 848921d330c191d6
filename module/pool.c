// SPDX-License-Identifier: GPL-2.0
/* Items for hooks, without a lock */
#include "pool.h"

#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

/**
 * bidx_user_of_current() - who answers for what current does
 *
 * Its user; in a user namespace, whose tasks may have many user IDs, the one who made
 * the outermost. Root is trusted.
 *
 * Context: any where current is who does it.
 */
u16 bidx_user_of_current(void)
{
	const struct user_namespace *ns = current_user_ns(), *outermost = NULL;
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent) {
		outermost = ns;
		uid = ns->owner;
	}
	if (!uid_eq(uid, GLOBAL_ROOT_UID))
		return hash_32(__kuid_val(uid), BIDX_USER_BITS);
	return outermost ? hash_ptr((void *)outermost, BIDX_USER_BITS) : BIDX_NOBODY;
}

/* Return: false when the share is used up. */
static bool bidx_share_take(struct bidx_pool *pool, u16 user)
{
	if (user == BIDX_NOBODY)
		return true;
	if (atomic_inc_return(&pool->by_user[user]) > pool->count / 4)
		goto used_up;
	if (user == BIDX_REREADS ||
	    atomic_inc_return(&pool->users) <= pool->count - pool->count / 8)
		return true;
	atomic_dec(&pool->users);
used_up:
	atomic_dec(&pool->by_user[user]);
	return false;
}

static void bidx_share_give(struct bidx_pool *pool, u16 user)
{
	if (user == BIDX_NOBODY)
		return;
	if (user != BIDX_REREADS)
		atomic_dec(&pool->users);
	atomic_dec(&pool->by_user[user]);
}

/**
 * bidx_pool_get() - take an item
 * @pool: where from
 * @user: bidx_user_of_current(), BIDX_REREADS or BIDX_NOBODY
 *
 * Context: any, NMI included.
 * Return: an item, or NULL when none is left for @user.
 */
void *bidx_pool_get(struct bidx_pool *pool, u16 user)
{
	const unsigned int words = pool->count / BITS_PER_LONG;
	unsigned int first = raw_smp_processor_id() % words;
	unsigned int i, tries;

	if (!bidx_share_take(pool, user))
		return NULL;

	for (i = 0; i < words; i++) {
		unsigned int word = (first + i) % words;

		for (tries = 0; tries < BITS_PER_LONG; tries++) {
			unsigned long used = READ_ONCE(pool->used[word]);
			unsigned int bit;

			if (!~used)
				break;
			bit = ffz(used);
			if (!test_and_set_bit(bit, &pool->used[word])) {
				atomic_inc(&pool->pending);
				return pool->items + pool->size * (word * BITS_PER_LONG + bit);
			}
		}
	}
	bidx_share_give(pool, user);
	return NULL;
}

/**
 * bidx_pool_put() - give an item back
 * @pool: where it is from
 * @item: no longer the caller's
 * @user: as it was taken for
 *
 * Context: any.
 */
void bidx_pool_put(struct bidx_pool *pool, void *item, u16 user)
{
	unsigned int i = (item - pool->items) / pool->size;

	bidx_share_give(pool, user);
	/* Who takes it next finds it as it is left here. */
	smp_mb__before_atomic();
	clear_bit(i % BITS_PER_LONG, &pool->used[i / BITS_PER_LONG]);
	atomic_dec(&pool->pending);
}

/* Context: may sleep. Return: 0 or -ENOMEM. */
int bidx_pool_init(struct bidx_pool *pool, unsigned int count, size_t size)
{
	pool->count = count;
	pool->size = size;
	pool->items = kvcalloc(count, size, GFP_KERNEL);
	pool->used = kcalloc(count / BITS_PER_LONG, sizeof(long), GFP_KERNEL);
	if (pool->items && pool->used)
		return 0;
	bidx_pool_exit(pool);
	return -ENOMEM;
}

/* Nothing is taken any more. Context: may sleep. */
void bidx_pool_exit(struct bidx_pool *pool)
{
	kvfree(pool->items);
	kfree(pool->used);
	pool->items = NULL;
	pool->used = NULL;
}
