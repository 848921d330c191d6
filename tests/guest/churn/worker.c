// SPDX-License-Identifier: GPL-2.0
/*
 * A process with all windows and three threads: one splits and merges by
 * changing protections, one maps, unmaps and moves, one runs the mapped code.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

#define PAUSE_MAX_US 100000

static const struct work *w;
static unsigned int slot;

static void change_begin(enum churn_window win)
{
	__atomic_fetch_add(&w->state->seq[churn_seq(slot, win)], 1, __ATOMIC_SEQ_CST);
}

static void change_end(enum churn_window win)
{
	__atomic_fetch_add(&w->state->seq[churn_seq(slot, win)], 1, __ATOMIC_SEQ_CST);
}

/* Mappings in a window that is always mapped as a whole: 1 means all merged. */
static void count_mappings(enum churn_window win)
{
	__u64 from = churn_window_start(win), to = from + CHURN_WINDOW_PAGES * CHURN_PAGE;
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start;
	char line[512];
	__u64 n = 0;

	if (!f) {
		work_failed(w, "/proc/self/maps");
		return;
	}
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx", &start) == 1 && start >= from && start < to)
			n++;
	fclose(f);
	if (n == 1)
		work_add(&w->counts->vmas_one);
	if (n > w->counts->vmas_max)
		w->counts->vmas_max = n;
}

static void merge_all(enum churn_window win)
{
	if (mprotect((void *)churn_window_start(win), CHURN_WINDOW_PAGES * CHURN_PAGE,
		     PROT_READ | PROT_EXEC))
		work_failed(w, "mprotect");
}

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * A mapping that is being changed at that very instant cannot be resolved, and
 * how often that is depends on how much of the time somebody changes it. So
 * that this does not depend on the speed of an emulated CPU, each thread that
 * changes mappings spends a seventeenth of its time on it, until the probes are
 * placed. That is still much more than real programs do.
 */
static void pause_after(__u64 start)
{
	__u64 us = (now_ns() - start) / 1000 * 16;

	if (!__atomic_load_n(&w->counts->flat_out, __ATOMIC_RELAXED))
		work_pause_us(us < PAUSE_MAX_US ? us : PAUSE_MAX_US);
}

static void *split_and_merge(void *arg)
{
	__u32 rnd = 0x9e3779b9 + slot, i;

	(void)arg;
	for (i = 1; ; i++) {
		enum churn_window win = i & 1 ? CHURN_W_SPLIT : CHURN_W_SPLIT_RUN;
		__u64 start = now_ns();

		work_protect(w, win, &rnd);
		if (i % 128 == 0)
			count_mappings(win);
		if (i % 256 == 0) {
			merge_all(CHURN_W_SPLIT);
			count_mappings(CHURN_W_SPLIT);
		}
		pause_after(start);
	}
	return NULL;
}

static void part(__u32 x, unsigned int *first, unsigned int *pages, unsigned int limit)
{
	*first = x % limit;
	*pages = 1 + (x >> 8) % (limit - *first);
}

static void punch(__u32 x)
{
	unsigned int first, pages;

	part(x, &first, &pages, CHURN_WINDOW_PAGES);
	change_begin(CHURN_W_PUNCH);
	if (x & 0x10000) {
		work_map(w, CHURN_W_PUNCH, 0, first, pages);
	} else {
		if (munmap((void *)(churn_window_start(CHURN_W_PUNCH) + first * CHURN_PAGE),
			   pages * CHURN_PAGE))
			work_failed(w, "munmap");
		work_add(&w->counts->unmaps);
	}
	change_end(CHURN_W_PUNCH);
}

static void exchange(enum churn_window win, __u32 x)
{
	unsigned int first = 0, pages = CHURN_WINDOW_PAGES;

	if (x & 0x20000)
		part(x, &first, &pages, CHURN_WINDOW_PAGES);
	change_begin(win);
	work_map(w, win, x >> 18 & 1, first, pages);
	change_end(win);
}

static void anonymous(__u32 x)
{
	void *at;
	unsigned int first, pages;

	part(x, &first, &pages, CHURN_WINDOW_PAGES);
	at = (void *)(churn_window_start(CHURN_W_ANON) + first * CHURN_PAGE);
	change_begin(CHURN_W_ANON);
	if (x & 0x10000) {
		work_map(w, CHURN_W_ANON, 0, first, pages);
	} else if (mmap(at, pages * CHURN_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at) {
		work_failed(w, "mmap");
	}
	change_end(CHURN_W_ANON);
}

static bool move_pages(enum churn_window from, enum churn_window to, unsigned int first,
		       unsigned int pages)
{
	void *at = (void *)(churn_window_start(to) + first * CHURN_PAGE);

	return mremap((void *)(churn_window_start(from) + first * CHURN_PAGE),
		      pages * CHURN_PAGE, pages * CHURN_PAGE,
		      MREMAP_MAYMOVE | MREMAP_FIXED, at) == at;
}

/* A part of one window to the same place in the other; the hole is filled again. */
static void move(__u32 x)
{
	enum churn_window from = x & 0x10000 ? CHURN_W_MOVE_A : CHURN_W_MOVE_B;
	enum churn_window to = from == CHURN_W_MOVE_A ? CHURN_W_MOVE_B : CHURN_W_MOVE_A;
	unsigned int first, pages;

	part(x, &first, &pages, CHURN_WINDOW_PAGES);
	change_begin(from);
	change_begin(to);
	/* before 6.17 it moves no more than one mapping at a time; a page is always that */
	if (!move_pages(from, to, first, pages)) {
		/* it has unmapped the target nevertheless */
		work_map(w, to, 0, first, pages);
		pages = 1;
		if (errno != EFAULT || !move_pages(from, to, first, pages))
			work_failed(w, "mremap");
	}
	change_end(to);
	change_end(from);
	work_add(&w->counts->moves);
	change_begin(from);
	work_map(w, from, 0, first, pages);
	change_end(from);
}

static void map_again(enum churn_window win)
{
	change_begin(win);
	work_map(w, win, 0, 0, churn_windows[win].pages);
	change_end(win);
}

static void *map_and_unmap(void *arg)
{
	__u32 rnd = 0x85ebca6b + slot;

	(void)arg;
	for (;;) {
		__u32 x = work_random(&rnd), y = work_random(&rnd);
		__u64 start = now_ns();

		switch (y % 12) {
		case 0: case 1:
			punch(x);
			break;
		case 2: case 3:
			exchange(CHURN_W_TWO_FILES, x);
			break;
		case 4: case 5:
			exchange(CHURN_W_TWO_OFFSETS, x);
			break;
		case 6:
			anonymous(x);
			break;
		case 7:
			move(x);
			break;
		case 8:
			map_again(CHURN_W_REWRITE_DISK + (y >> 8) % 2);
			break;
		case 9:
			map_again(CHURN_W_TRUNCATE);
			break;
		default:
			map_again(CHURN_W_REPLACE_DISK + (y >> 8) % 2);
		}
		pause_after(start);
	}
	return NULL;
}

/* Windows that are never without code, whatever the other threads do. */
static const enum churn_window run_windows[] = {
	CHURN_W_SPLIT_RUN, CHURN_W_TWO_FILES, CHURN_W_TWO_OFFSETS, CHURN_W_REWRITE_DISK,
	CHURN_W_REWRITE_TMPFS,
};

static void run(void)
{
	__u32 rnd = 0xc2b2ae35 + slot;

	for (;;) {
		__u32 x = work_random(&rnd);
		enum churn_window win = run_windows[x % 5];

		work_run(churn_window_start(win) +
			 (x >> 8) % churn_windows[win].pages * CHURN_PAGE, 1000 + (x >> 20));
		work_add(&w->counts->runs);
		/* after a truncation nothing else brings the pages back; it may fail */
		if ((x >> 16) % 64 == 0)
			madvise((void *)churn_window_start(CHURN_W_TRUNCATE),
				churn_windows[CHURN_W_TRUNCATE].pages * CHURN_PAGE,
				MADV_POPULATE_READ);
	}
}

void work_worker(const struct work *work, unsigned int number)
{
	pthread_t thread;
	int win, which;

	w = work;
	slot = number;
	/* every file once: the index knows them all before sampling begins */
	for (win = 0; win < CHURN_WINDOWS; win++)
		for (which = churn_windows[win].nr - 1; which >= 0; which--)
			work_map(w, win, which, 0, churn_windows[win].pages);
	/* with this behind it, memory accounting does not keep parts from merging */
	if (mprotect((void *)churn_window_start(CHURN_W_SPLIT_RUN),
		     CHURN_WINDOW_PAGES * CHURN_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		work_failed(w, "mprotect");
	merge_all(CHURN_W_SPLIT_RUN);
	work_name(CHURN_CLASS_WORKER, slot);
	if (pthread_create(&thread, NULL, split_and_merge, NULL) ||
	    pthread_create(&thread, NULL, map_and_unmap, NULL)) {
		work_failed(w, "pthread_create");
		exit(2);
	}
	work_add(&w->counts->ready);
	run();
}
