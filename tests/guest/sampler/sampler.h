/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sample the user stacks of chosen processes in NMI and timer context, resolved
 * by the stock helper and by the buildidx kfuncs side by side.
 *
 *	struct sampler *s = sampler_open(&(struct sampler_config){ .nmi = true });
 *	sampler_watch(s, tgid);
 *	storm = storm_start(0);		// NMIs for every CPU but 0
 *	...
 *	storm_stop(storm);
 *	sampler_drain(s, judge_one, ctx);
 *	sampler_close(s);
 *
 * Attach before a storm starts: placing a tracing program on a hot interrupt
 * function is what emulated CPUs are bad at.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/bpf.h>

#include "record.h"

struct sampler;
struct storm;

/**
 * struct sampler_config - what to sample
 * @nmi: take a sample at each NMI
 * @clock_hz: samples per second and CPU of the perf software clock; 0 for none
 * @ring_bytes: size of the ring, a power of two; 0 for 16 MiB (about 3,600 samples)
 */
struct sampler_config {
	bool nmi;
	unsigned int clock_hz;
	size_t ring_bytes;
};

/**
 * sampler_open() - load and attach
 * Return: the sampler, or NULL with the reason on stderr and in errno.
 */
struct sampler *sampler_open(const struct sampler_config *config);

/* Detach and free; NULL is allowed. */
void sampler_close(struct sampler *s);

/* True when the kfuncs are there and each sample holds their answers. */
bool sampler_has_buildidx(const struct sampler *s);

/* Start or stop sampling a process. Return 0 or -1 with errno. */
int sampler_watch(struct sampler *s, pid_t tgid);
int sampler_unwatch(struct sampler *s, pid_t tgid);

/* Counters, live; and the file descriptor of their map, for mmap() by others. */
const volatile struct sample_counts *sampler_counts(const struct sampler *s);
int sampler_counts_fd(const struct sampler *s);

/**
 * sampler_drain() - hand over what is in the ring
 * @s: sampler
 * @one: called for each sample, in order; nonzero stops
 * @ctx: for @one
 * Return: number of samples, or negative errno, or what @one returned below zero.
 */
int sampler_drain(struct sampler *s, int (*one)(void *ctx, const struct sample *sample),
		  void *ctx);

/**
 * storm_start() - send NMIs to every other CPU, as fast as they are taken
 * @cpu: CPU of the thread that sends; it gets none itself
 *
 * By `echo l > /proc/sysrq-trigger`, which needs no PMU. The kernel prints a
 * backtrace each time, so the console log level is lowered meanwhile.
 * Return: the storm, or NULL with the reason on stderr and in errno.
 */
struct storm *storm_start(int cpu);

/* Number of times that the other CPUs were sent an NMI so far. */
unsigned long storm_rounds(const struct storm *storm);

/* Stop, restore the console level, free; NULL is allowed. */
void storm_stop(struct storm *storm);

#endif /* SAMPLER_H */
