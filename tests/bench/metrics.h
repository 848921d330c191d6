/* SPDX-License-Identifier: GPL-2.0 */
/* What is measured: the names, and what each figure means. */
#ifndef BENCH_METRICS_H
#define BENCH_METRICS_H

#include <stddef.h>

/* What a goal is for. */
enum goal_kind {
	GOAL_NONE,
	GOAL_RATIO,	/* buildidx divided by stock is at most the goal */
	GOAL_VALUE,	/* buildidx is at most the goal */
};

/**
 * struct metric - one line of the table
 * @name: key in bench.json
 * @text: for people
 * @unit: of both sides
 * @kind: what @goal is for
 * @goal: on every kernel
 * @goal_7_3: on 7.3, 0 when it is the same
 */
struct metric {
	const char *name;
	const char *text;
	const char *unit;
	enum goal_kind kind;
	double goal;
	double goal_7_3;
};

extern const struct metric metrics[];
extern const size_t nr_metrics;

/* Return: the metric, NULL when there is none of that name. */
const struct metric *metric_find(const char *name);

/* Its goal on a kernel, as tests/vm/kernel.sh names it. */
double metric_goal(const struct metric *m, const char *kernel);

#endif /* BENCH_METRICS_H */
