/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_report - what a profile is worth: samples, lost ones, frames by status
 */
#ifndef BUILDIDX_PROFILE_REPORT_H
#define BUILDIDX_PROFILE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile_record.h"

/**
 * struct profile_report - what there is to report
 * @counts: counters of the programs
 * @missed: samples for which the kernel could not run the program
 * @missed_known: it counts all of them
 * @expected: samples that there should have been; 0 when not known
 * @stacks: different stacks
 * @seconds: how long it took
 * @clock: what triggered the samples
 * @hz: samples a second
 * @cpus: on how many CPUs
 * @kfunc: the module resolved the frames
 * @stock: the stock helper did, or did as well
 * @targets: only some processes
 * @kernel: kernel stacks were taken
 * @user: user stacks were taken
 */
struct profile_report {
	struct profile_counts counts;
	uint64_t missed;
	bool missed_known;
	uint64_t expected;
	uint64_t stacks;
	double seconds;
	const char *clock;
	unsigned int hz;
	unsigned int cpus;
	bool kfunc;
	bool stock;
	bool targets;
	bool kernel;
	bool user;
};

/** profile_report_print() - all of it, a few lines for people */
void profile_report_print(const struct profile_report *r, FILE *out);

/** profile_lost() - samples that were taken and are not in the result */
uint64_t profile_lost(const struct profile_counts *c, uint64_t missed);

/** profile_kernel_ids() - kernel frames with an ID */
uint64_t profile_kernel_ids(const struct profile_counts *c);
/** profile_late() - samples that were expected, and for which there was no interrupt */
uint64_t profile_late(const struct profile_report *r);

/** profile_file_frames() - frames that belong to a file, whether it has an ID or not */
uint64_t profile_file_frames(const struct profile_counts *c);

#endif /* BUILDIDX_PROFILE_REPORT_H */
