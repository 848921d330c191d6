/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the BPF program, drives its clock and NMIs, and hands out its records.
 */
#ifndef CHURN_COLLECT_H
#define CHURN_COLLECT_H

#include "truth.h"

#define COLLECT_CPUS 2

struct bpf_link;
struct churn_bpf;

/**
 * struct collect - one collector
 * @state: shared with BPF program and workers; stays over load and unload
 * @state_fd: its map
 * @skel: loaded program, NULL when none
 * @ring: records, CHURN_RING for each CPU
 * @counts: of each CPU
 * @position: records consumed, by CPU
 * @clock: perf events, by CPU, -1 when none
 * @link: of the clock's program, by CPU, NULL when none
 * @cpus: CPUs that are online
 */
struct collect {
	struct churn_state *state;
	int state_fd;
	struct churn_bpf *skel;
	struct churn_record *ring;
	struct churn_counts *counts;
	__u64 position[COLLECT_CPUS];
	int clock[COLLECT_CPUS];
	struct bpf_link *link[COLLECT_CPUS];
	__u32 cpus;
};

/* Make the shared state. Needs no module. Returns 0, or -1 with a text printed. */
int collect_prepare(struct collect *c);

/* Load and attach; needs the module. @clock_ns: period. Returns 0, or -1 with a text printed. */
int collect_load(struct collect *c, __u64 clock_ns);

/* Hand all records that are complete to @fn. Returns how many there were. */
unsigned int collect_drain(struct collect *c,
			   void (*fn)(void *arg, const struct churn_record *r), void *arg);

/* fd of the map of aimed probes */
int collect_probes(const struct collect *c);

/* Sum over all CPUs. */
struct churn_counts collect_counts(const struct collect *c);

/* Stop the clock, detach, unload. */
void collect_unload(struct collect *c);

/* Fire NMIs at each CPU in turn, one each @period_us, until stopped. Returns 0 or -1. */
int storm_start(__u32 cpus, __u32 period_us);
/* Returns how many were asked for. */
unsigned long storm_stop(void);

#endif /* CHURN_COLLECT_H */
