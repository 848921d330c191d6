// SPDX-License-Identifier: GPL-2.0
/*
 * What the hooks cost on the kernel paths that they sit on: the same operations with
 * the module unloaded, loaded, and loaded but switched off, in turn.
 */
#include "bench.h"
#include "ops.h"

#define OPS_MAX		16
#define REPEATS_MAX	1024

enum state { UNLOADED, ON, OFF, STATES };

static double seen[OPS_MAX][STATES][BENCH_ROUNDS_MAX];

static void enter(enum state state)
{
	switch (state) {
	case UNLOADED:
		bench_unload();
		break;
	case ON:
		bench_load("");
		break;
	default:
		bench_enable(false);
		break;
	}
}

/* Median of one operation. A timer tick or a softirq falls into few of them. */
static double time_op(const struct op *op, unsigned int repeats)
{
	double v[REPEATS_MAX];
	unsigned int i, n = repeats / op->share;

	n = n < 3 ? 3 : n > REPEATS_MAX ? REPEATS_MAX : n;
	/* warm: caches of the kernel, and the file into the index */
	op->run();
	op->run();
	for (i = 0; i < n; i++) {
		uint64_t start = bench_count();

		op->run();
		v[i] = bench_count() - start;
	}
	return bench_median(v, n);
}

static void report(const struct op *op, double (*v)[BENCH_ROUNDS_MAX], unsigned int rounds)
{
	double noise = bench_noise(v[UNLOADED], rounds);
	double other = bench_noise(v[ON], rounds);

	bench_result(op->metric, bench_median(v[UNLOADED], rounds), bench_median(v[ON], rounds),
		     bench_median(v[OFF], rounds), other > noise ? other : noise);
}

void bench_paths(const struct bench *b)
{
	unsigned int round;
	enum state state;
	size_t i;

	ops_prepare();
	for (round = 0; round < b->rounds; round++) {
		for (state = UNLOADED; state < STATES; state++) {
			enter(state);
			for (i = 0; i < nr_ops; i++)
				seen[i][state][round] = time_op(&ops[i], b->repeats);
		}
	}
	for (i = 0; i < nr_ops; i++)
		report(&ops[i], seen[i], b->rounds);
}
