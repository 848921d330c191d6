/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Judges records and counts.
 */
#ifndef CHURN_TALLY_H
#define CHURN_TALLY_H

#include "judge.h"

#define TALLY_RULES	16
#define TALLY_SHOWN	16	/* faults, and raced frames, that are printed */

/**
 * struct tally - counts of judged addresses
 * @known: what the judge needs to know
 * @begun: where gen_begun is kept; copied into @known before each record
 * @records: by source
 * @verdict: by source, by "is a frame of the real user stack", by verdict
 * @window: by window (the last: none) and status
 * @fault: by window (the last: none) and verdict, wrong and unexplained ones only
 * @rule: by the rule that decided, by "is a stack frame", by verdict
 * @shown: faults and raced frames printed
 */
struct tally {
	struct churn_known known;
	const __u32 *begun;
	__u64 records[CHURN_SOURCES];
	__u64 verdict[CHURN_SOURCES][2][CHURN_VERDICTS];
	__u64 window[CHURN_WINDOWS + 1][BUILDIDX_STATUS_COUNT];
	__u64 fault[CHURN_WINDOWS + 1][CHURN_VERDICTS];
	struct {
		const char *name;
		__u64 verdict[2][CHURN_VERDICTS];
	} rule[TALLY_RULES];
	unsigned int shown;
};

/* For collect_drain(); @tally is a struct tally. */
void tally_record(void *tally, const struct churn_record *r);

/* Sum over all sources, real frames and others. */
__u64 tally_sum(const struct tally *t, enum churn_verdict verdict);

/*
 * Frames of real user stacks of NMI and timer samples that are in a file mapping
 * for certain: not the garbage that code without frame pointers leaves there.
 */
__u64 tally_frames(const struct tally *t);
/* Those of them with a verdict. */
__u64 tally_frames_with(const struct tally *t, enum churn_verdict verdict);

/* Stack frames of NMI and timer samples with a verdict, garbage included. */
__u64 tally_stack_with(const struct tally *t, enum churn_verdict verdict);

/* Answers of a rule with a verdict. */
__u64 tally_rule(const struct tally *t, const char *rule, enum churn_verdict verdict);

/* Print all of it as TAP comments. */
void tally_print(const struct tally *t);

#endif /* CHURN_TALLY_H */
