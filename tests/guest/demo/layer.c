// SPDX-License-Identifier: GPL-2.0
/*
 * One layer of the chain; compiled into the main executable and, with another
 * LAYER_SEED, into each shared library, so that each is a file of its own.
 */
#include "layer.h"

#define SPINS	(400 + 16 * LAYER_SEED)

static __attribute__((noinline)) uint64_t spin(struct chain *chain, uint64_t x)
{
	int i;

	for (i = 0; i < SPINS && !chain_done(chain); i++)
		x = x * 6364136223846793005ULL + LAYER_SEED;
	return x;
}

static __attribute__((noinline)) uint64_t inner(struct chain *chain, int level)
{
	uint64_t x = spin(chain, level);

	if (level + 1 < chain->nr)
		x += chain->layer[level + 1](chain, level + 1);
	return spin(chain, x);
}

static __attribute__((noinline)) uint64_t middle(struct chain *chain, int level)
{
	return inner(chain, level) + LAYER_SEED;
}

uint64_t layer_entry(struct chain *chain, int level)
{
	return middle(chain, level) + 1;
}
