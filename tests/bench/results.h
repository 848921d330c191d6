/* SPDX-License-Identifier: GPL-2.0 */
/* The lines that tests/guest/bench prints: see tests/guest/bench/bench.h. */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include <stdbool.h>

#include "metrics.h"

/**
 * struct result - of one metric; a side that was not measured is NAN
 * @seen: there was a line
 * @stock: stock side
 * @buildidx: with buildidx
 * @off: with buildidx switched off
 * @noise: percent
 */
struct result {
	bool seen;
	double stock;
	double buildidx;
	double off;
	double noise;
};

/*
 * Read the results of one kernel; @results has nr_metrics entries. Return: false, with
 * the reason on stderr, when a line is not understood, or a metric is missing or twice
 * there.
 */
bool results_read(const char *path, struct result *results);

/* buildidx divided by stock; NAN when there is no such number. */
double result_ratio(const struct result *r);

#endif /* BENCH_RESULTS_H */
