/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether one answer of the kfunc is right, explained or wrong. A pure
 * function of the record and of what is known beforehand.
 */
#ifndef CHURN_JUDGE_H
#define CHURN_JUDGE_H

#include "testfile.h"

enum churn_verdict {
	CHURN_RIGHT,		/* ID and offset are those of the page that is mapped there */
	CHURN_EXPLAINED,	/* no ID, and the status is one that the moment permits */
	CHURN_RACED,		/* status RACED */
	CHURN_UNPROVEN,		/* a test file's ID, at an address whose page cannot be read */
	CHURN_WRONG_ID,
	CHURN_WRONG_OFFSET,
	CHURN_UNEXPLAINED,	/* no ID without a reason, or a malformed answer */
	CHURN_VERDICTS
};

#define CHURN_RANGES	64

/**
 * struct churn_range - a mapping of a file that is not a test file
 * @start: first address
 * @end: address after the last
 * @offset: file offset of @start
 * @vdso: it is the vDSO
 * @id_len: bytes of the build ID
 * @id: build ID
 */
struct churn_range {
	__u64 start;
	__u64 end;
	__u64 offset;
	bool vdso;
	__u32 id_len;
	__u8 id[BUILDIDX_ID_MAX];
};

/**
 * struct churn_ranges - the mappings of one program
 */
struct churn_ranges {
	__u32 nr;
	struct churn_range range[CHURN_RANGES];
};

/**
 * struct churn_known - what is known beforehand
 * @own: mappings of the test program itself (workers, forkers, their children)
 * @dl: mappings of the program that dlopens
 * @begun: gen_begun of each file, read after the record was made
 * @late_index: the module was loaded a moment ago; its scan may still run
 */
struct churn_known {
	struct churn_ranges own;
	struct churn_ranges dl;
	__u32 begun[CHURN_FILES];
	bool late_index;
};

/* Rules that decide without a file mapping. */
#define CHURN_WHY_ELSEWHERE	"elsewhere"
#define CHURN_WHY_HOLE		"hole"
#define CHURN_WHY_NO_MM		"address space"
#define CHURN_WHY_REWRITTEN	"rewritten file at rest"

/**
 * churn_judge() - judge one address of a record
 * @k: what is known beforehand
 * @r: record
 * @i: number of the address, below CHURN_ADDRESSES
 * @why: set to a text that says which rule decided
 */
enum churn_verdict churn_judge(const struct churn_known *k, const struct churn_record *r,
			       unsigned int i, const char **why);

/* true when both reads of the page's header agree and its window did not change. */
bool churn_settled(const struct churn_address *a);

extern const char *const churn_verdict_name[CHURN_VERDICTS];
extern const char *const churn_status_name[BUILDIDX_STATUS_COUNT];

#endif /* CHURN_JUDGE_H */
