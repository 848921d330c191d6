/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is true: where a process has which file mapped, told by the process
 * itself, and which build ID a file has, told by `readelf -n` on the host.
 */
#ifndef SAMPLER_TRUTH_H
#define SAMPLER_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>

#include "../../../include/uapi/buildidx.h"

#define TRUTH_RANGES	96
#define TRUTH_NAME	64
#define TRUTH_VDSO	"[vdso]"

/**
 * struct truth_range - one mapping
 * @start: first address
 * @end: address after the last
 * @offset: file offset of @start in bytes
 * @name: last component of the file's path, without " (deleted)"; TRUTH_VDSO for the vDSO
 */
struct truth_range {
	__u64 start;
	__u64 end;
	__u64 offset;
	char name[TRUTH_NAME];
};

/**
 * struct truth - the private file mappings of one process at a quiet moment
 * @time_ns: CLOCK_MONOTONIC when they were taken; they hold from then on
 * @count: valid entries in @range
 * @range: sorted by address
 */
struct truth {
	__u64 time_ns;
	__u32 count;
	__u32 pad;
	struct truth_range range[TRUTH_RANGES];
};

/**
 * struct ident - build ID of a file
 * @name: last component of its path
 * @id: build ID
 * @len: its length in bytes
 */
struct ident {
	char name[TRUTH_NAME];
	__u8 id[BUILDIDX_ID_MAX];
	__u32 len;
};

/**
 * truth_take() - read the caller's own mappings
 * @t: where to put them
 * Return: 0 or negative errno; -E2BIG when there are more than TRUTH_RANGES.
 */
int truth_take(struct truth *t);

/* The range that holds @ip, or NULL. */
const struct truth_range *truth_find(const struct truth *t, __u64 ip);

/**
 * ident_load() - read a table of "HEXID NAME" lines
 * @path: file to read
 * @count: number of entries
 * Return: the table, to be freed; NULL with the reason on stderr.
 */
struct ident *ident_load(const char *path, size_t *count);

const struct ident *ident_find(const struct ident *table, size_t count, const char *name);

/* enum verdict - one answer against the truth */
enum verdict {
	VERDICT_NONE,	/* no answer */
	VERDICT_RIGHT,
	VERDICT_WRONG,	/* wrong ID, wrong length, wrong offset, or an answer where none can be */
};

/**
 * judge_stack_id() - judge one element of the stock helper or of the drop-in kfunc
 * @f: element
 * @range: truth_find() of its address, NULL when no file is there
 * @ident: ident_find() of the range, NULL when the file has no ID
 * @ip: its address
 */
enum verdict judge_stack_id(const struct bpf_stack_build_id *f, const struct truth_range *range,
			    const struct ident *ident, __u64 ip);

/* The same for the rich kfunc. */
enum verdict judge_frame(const struct buildidx_frame *f, const struct truth_range *range,
			 const struct ident *ident, __u64 ip);

#endif /* SAMPLER_TRUTH_H */
