/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that firstinsn shares with dlopener.
 */
#ifndef FIRSTINSN_ROSTER_H
#define FIRSTINSN_ROSTER_H

#include "../sampler/truth.h"

/* Where everything lives; the dynamic loader's path is linked into dlopener. */
#define FIRSTINSN_DIR	"/scratch/firstinsn"

#define BATCH	50

/**
 * struct stay - a library's stay in dlopener
 * @from_ns: CLOCK_MONOTONIC before dlopen
 * @until_ns: and after dlclose
 * @base: what is added to the addresses in the file
 */
struct stay {
	__u64 from_ns;
	__u64 until_ns;
	__u64 base;
};

/**
 * struct roster - filled in by dlopener
 * @truth: its own mappings, none of the fresh libraries
 * @vdso: the build ID of its vDSO, as it lies in memory
 * @stays: one for each library, in order
 * @count: valid entries in @stays
 */
struct roster {
	struct truth truth;
	struct ident vdso;
	struct stay stays[BATCH];
	__u32 count;
	__u32 pad;
};

#endif /* FIRSTINSN_ROSTER_H */
