/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that make the churn.
 */
#ifndef CHURN_WORK_H
#define CHURN_WORK_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "windows.h"

#define WORK_DIR_MAX 200

/**
 * struct work_counts - what the processes did; shared memory
 * @ready: processes that have their windows and name
 * @flat_out: nonzero: workers do not pause between changes of mappings
 * @failed: system calls that failed and should not have
 * @protects: mprotect of a part of a window
 * @vmas_max: most mappings seen in one window of 32 pages
 * @vmas_one: times such a window was seen to be one mapping again
 */
struct work_counts {
	__u64 ready;
	__u64 flat_out;
	__u64 failed;
	__u64 protects;
	__u64 vmas_max;
	__u64 vmas_one;
	__u64 maps;
	__u64 unmaps;
	__u64 moves;
	__u64 runs;
	__u64 forks;
	__u64 execs;
	__u64 exec_errors;
	__u64 dlopens;
	__u64 rewrites;
	__u64 truncates;
	__u64 replaces;
};

/**
 * struct work - common to all of them
 * @disk: directory on a block device
 * @tmpfs: directory on tmpfs
 * @dl_program: the program that dlopens
 * @state: shared with the BPF program
 * @counts: shared
 * @counts_fd: memfd of @counts
 */
struct work {
	char disk[WORK_DIR_MAX];
	char tmpfs[WORK_DIR_MAX];
	const char *dl_program;
	struct churn_state *state;
	struct work_counts *counts;
	int counts_fd;
};

static inline void work_add(__u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* xorshift; each thread has its own state, never zero. */
static inline __u32 work_random(__u32 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

static inline void work_pause_us(__u32 us)
{
	const struct timespec t = { .tv_nsec = us * 1000L };

	nanosleep(&t, NULL);
}

/* Path of a test file; the buffer is the caller's, 256 bytes. */
const char *work_path(const struct work *w, enum churn_file file, char *path);

/* Name the process: class and slot, see truth.h. Its threads inherit the name. */
void work_name(char class, unsigned int slot);

/* Count a system call that failed and should not have, and say which. */
void work_failed(const struct work *w, const char *what);

/* Map @pages pages of a window from page @first, from entry @which of its table. */
void work_map(const struct work *w, enum churn_window win, unsigned int which,
	      unsigned int first, unsigned int pages);

/* Run the code of the page at @address for @spins rounds. */
void work_run(__u64 address, __u32 spins);

/* Change protections of a random part of a split window. */
void work_protect(const struct work *w, enum churn_window win, __u32 *rnd);

/* Write generation 1 of all files. */
void work_create_files(const struct work *w);

/* Write @gen of @file to @path; gen_begun and gen_done are the caller's. */
int work_write_file(const char *path, int flags, enum churn_file file, __u32 gen);

/* Each runs until killed. */
void work_worker(const struct work *w, unsigned int slot);	/* worker.c */
void work_forker(const struct work *w, unsigned int slot);	/* forker.c */
void work_writer(const struct work *w);				/* writer.c */

#endif /* CHURN_WORK_H */
