/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A call chain through several files: layer 0 is the main executable, each
 * further one a shared library.
 */
#ifndef DEMO_LAYER_H
#define DEMO_LAYER_H

#include "../sampler/record.h"
#include "stage.h"

struct chain;
typedef uint64_t (*layer_fn)(struct chain *chain, int level);

/**
 * struct chain - the layers and when to stop
 * @nr: number of layers
 * @layer: their entries
 * @stage: shared with the demo
 * @counts: live counters of the sampler
 */
struct chain {
	int nr;
	layer_fn layer[1 + DEMO_LIBS];
	struct stage *stage;
	const volatile struct sample_counts *counts;
};

/* True when the victim has been sampled enough. */
static inline int chain_done(const struct chain *chain)
{
	return chain->counts->taken >= atomic_load_explicit(&chain->stage->goal,
							    memory_order_relaxed);
}

uint64_t layer_entry(struct chain *chain, int level);

#endif /* DEMO_LAYER_H */
