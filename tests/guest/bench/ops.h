/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel paths that have a hook on them. */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include <stddef.h>

/**
 * struct op - one of them
 * @metric: its name
 * @run: do it once
 * @share: do it once for each so many of the cheap ones
 */
struct op {
	const char *metric;
	void (*run)(void);
	unsigned int share;
};

extern const struct op ops[];
extern const size_t nr_ops;

/* Make the files that they use. */
void ops_prepare(void);

#endif /* BENCH_OPS_H */
