/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measurements in the guest. Each prints lines
 *
 *	bench: NAME STOCK BUILDIDX OFF NOISE
 *
 * STOCK	the stock side, "-" when there is none
 * BUILDIDX	the same with buildidx
 * OFF		the same with buildidx loaded but switched off, "-" when not measured
 * NOISE	largest minus smallest round, in percent of the median; the worse side's
 *
 * tests/bench/metrics.c says what each is and in which unit. Most are in instructions:
 * the guest runs with a clock that counts them (tests/vm/run.sh --icount), so a
 * nanosecond of any clock there is an instruction, and the same work gives the same number.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct bench - how much to do
 * @rounds: of all that is interleaved
 * @repeats: of one operation in a round; their median counts
 * @files: files in the index for the lookup in a full one
 * @processes: for the scan at load time
 * @window_ms: length of one round of concurrent readers
 */
struct bench {
	unsigned int rounds;
	unsigned int repeats;
	unsigned int files;
	unsigned int processes;
	unsigned int window_ms;
};

#define BENCH_ROUNDS_MAX 64

/* The measurements; each loads and unloads buildidx as it needs. */
void bench_frames(const struct bench *b);
void bench_lookup(const struct bench *b);
void bench_readers(const struct bench *b);
void bench_paths(const struct bench *b);
void bench_sizes(const struct bench *b);
void bench_scan(const struct bench *b);
void bench_capture(const struct bench *b);
void bench_kernel(const struct bench *b);
void bench_stream(const struct bench *b);

/* A value that was not measured. */
#define BENCH_NONE (-1.0)

/* Print the result of a metric; each side is BENCH_NONE or not negative. */
void bench_result(const char *name, double stock, double buildidx, double off, double noise);

/* Median; sorts @v. */
double bench_median(double *v, size_t n);

/* The value below which @permille of the values lie; sorts @v. */
double bench_quantile(double *v, size_t n, unsigned int permille);

/* Largest minus smallest in percent of the median; sorts @v. */
double bench_noise(double *v, size_t n);

/* Time-stamp counter: instructions with --icount, else host cycles. */
static inline uint64_t bench_count(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* /sys/module/buildidx/parameters/enable; the program ends when it cannot be written. */
void bench_enable(bool on);

/* Unload buildidx when it is loaded, and load it with these parameters. */
void bench_load(const char *params);
void bench_unload(void);

/*
 * Wait until files just written are as any other: one that is read within a timestamp
 * tick of its last write is looked at more closely for ever.
 */
void bench_settle(void);

/* True from this kernel release on. */
bool bench_kernel_at_least(unsigned int major, unsigned int minor);

#endif /* BENCH_H */
