/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kprobes in the middle of the kernel's own split, merge and store code.
 *
 * Which functions exist and may be probed differs between kernels and is found
 * out at run time. Each probe is a perf event, so that the BPF program on the
 * overflow handler runs there on every kernel.
 */
#ifndef CHURN_AIM_H
#define CHURN_AIM_H

#include <stddef.h>

#include <linux/types.h>

#define AIM_CPUS	2
#define AIM_FUNCTIONS	48
#define AIM_PROBES	96	/* placed at the start: registering under load takes long */
#define AIM_LIVE	16	/* that deliver at a time, besides the entries */

/* What a call of a function proves. */
enum aim_role {
	AIM_OTHER,
	AIM_SPLIT,	/* one VMA became two */
	AIM_ADJUST,	/* 6.1: splits, merges and boundary moves all come here */
	AIM_MERGE,	/* a merge or boundary move was committed */
};

/**
 * struct aim_function - one function of the kernel
 * @name: as in kallsyms
 * @address: of its first instruction
 * @size: in bytes, up to the next symbol
 * @weight: the heavier, the more probes
 * @role: what a call proves
 * @probes: probes that were placed in it so far
 * @hits: hits of them
 * @calls: hits of the probe on its entry
 */
struct aim_function {
	char name[64];
	__u64 address;
	__u64 size;
	__u32 weight;
	enum aim_role role;
	__u32 probes;
	__u64 hits;
	__u64 calls;
};

/**
 * struct aim_probe - one probe
 * @address: of the instruction
 * @function: index of its function
 * @fd: perf event of each CPU
 */
struct aim_probe {
	__u64 address;
	__u32 function;
	int fd[AIM_CPUS];
};

/**
 * struct aim - all of them
 * @function: those that this kernel has
 * @nr: valid entries in @function
 * @probe: those that could be placed; the entries of functions with a role come first
 * @nr_probes: valid entries in @probe
 * @nr_entries: leading ones that stay live
 * @first: of the others, the first that is live now
 * @pmu: type of the kprobe PMU
 * @random: state
 * @cpus: CPUs
 * @map: fd of the BPF map of hits
 */
struct aim {
	struct aim_function function[AIM_FUNCTIONS];
	__u32 nr;
	struct aim_probe probe[AIM_PROBES];
	__u32 nr_probes;
	__u32 nr_entries;
	__u32 first;
	__u32 pmu;
	__u32 random;
	__u32 cpus;
	int map;
};

/**
 * aim_place() - find the functions and place the probes, silent as yet
 * @a: result
 * @symbols: what ksym_load() returned
 * @map: fd of the BPF map of hits
 * @cpus: CPUs, at most AIM_CPUS
 * @seed: which instructions are chosen
 *
 * Return: 0, or -1 with a text printed.
 */
int aim_place(struct aim *a, size_t symbols, int map, __u32 cpus, __u32 seed);

/* Make the next few probes deliver, and the entries. */
void aim_next(struct aim *a);

/* Take away all probes and add up their hits. */
void aim_remove(struct aim *a);

#endif /* CHURN_AIM_H */
