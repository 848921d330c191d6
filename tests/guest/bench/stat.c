// SPDX-License-Identifier: GPL-2.0
/* Medians, and the line that the host reads. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_quantile(double *v, size_t n, unsigned int permille)
{
	qsort(v, n, sizeof(*v), compare);
	return v[(n - 1) * permille / 1000];
}

double bench_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double bench_noise(double *v, size_t n)
{
	double median = bench_median(v, n);

	return median > 0 ? (v[n - 1] - v[0]) * 100 / median : 0;
}

static void print_value(double v, const char *end)
{
	if (v == BENCH_NONE)
		printf("-%s", end);
	else
		printf("%.3f%s", v, end);
}

void bench_result(const char *name, double stock, double buildidx, double off, double noise)
{
	printf("bench: %s ", name);
	print_value(stock, " ");
	print_value(buildidx, " ");
	print_value(off, " ");
	print_value(noise, "\n");
	fflush(stdout);
}
