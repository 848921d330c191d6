/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool - items for hooks, which may not allocate
 *
 * A task can be stuck between what a hook saw and its return to user mode for as
 * long as it likes (MAP_POPULATE of a file whose server is silent), so no user may take
 * all items, nor all users together those of root and of re-reads.
 */
#ifndef BIDX_POOL_H
#define BIDX_POOL_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>

#define BIDX_USER_BITS	8
/* After the users: re-reads that lookups asked for; what no share is counted of. */
#define BIDX_REREADS	BIT(BIDX_USER_BITS)
#define BIDX_NOBODY	(BIDX_REREADS + 1)

/**
 * struct bidx_pool - a fixed number of items
 * @items: all of them
 * @size: bytes of one
 * @count: how many, a multiple of BITS_PER_LONG
 * @used: bit for each
 * @pending: items taken
 * @users: of them, those of users
 * @by_user: of each; two users may share one
 */
struct bidx_pool {
	void *items;
	size_t size;
	unsigned int count;
	unsigned long *used;
	atomic_t pending;
	atomic_t users;
	atomic_t by_user[BIDX_NOBODY];
};

int bidx_pool_init(struct bidx_pool *pool, unsigned int count, size_t size);
void bidx_pool_exit(struct bidx_pool *pool);
void *bidx_pool_get(struct bidx_pool *pool, u16 user);
void bidx_pool_put(struct bidx_pool *pool, void *item, u16 user);
u16 bidx_user_of_current(void);

#endif /* BIDX_POOL_H */
