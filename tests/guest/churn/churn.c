// SPDX-License-Identifier: GPL-2.0
/*
 * churn: sample processes that map, unmap, split, merge, fork, execute, dlopen
 * and rewrite files, in NMI context, from a clock and from the middle of the
 * kernel's mapping code, and judge every answer of the kfunc. Prints TAP.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../cases/tap.h"
#include "aim.h"
#include "collect.h"
#include "kmsg.h"
#include "ksym.h"
#include "selfcheck.h"
#include "settings.h"
#include "spawn.h"
#include "tally.h"

#define CLOCK_NS	1000000
#define STORM_US	8000
#define AIM_SECONDS	1	/* that each set of aimed probes is live */

static struct collect collect;
static struct aim aim;
/* Before and after the probes are placed: they make the kernel's critical sections long. */
static struct tally natural, aimed;
static struct tally *tally = &natural;
static struct work work;

static __u64 seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void drain(void)
{
	const struct timespec pause = { .tv_nsec = 2000000 };

	if (!collect_drain(&collect, tally_record, tally))
		nanosleep(&pause, NULL);
}

static void sample(unsigned int seconds)
{
	__u64 end = seconds_now() + seconds;

	while (seconds_now() < end)
		drain();
}

static void sample_aimed(unsigned int seconds)
{
	unsigned int i;

	for (i = 0; i < seconds; i++) {
		aim_next(&aim);
		sample(1);
	}
}

static void settle(void)
{
	unsigned int i;

	for (i = 0; i < 50; i++)
		drain();
}

static void report_aim(__u64 *splits, __u64 *merges)
{
	__u64 adjusts = 0;
	__u32 i;

	*splits = 0;
	*merges = 0;
	for (i = 0; i < aim.nr; i++) {
		const struct aim_function *f = &aim.function[i];

		diag("aimed at %s: %u probes, %llu hits, %llu calls", f->name, f->probes,
		     (unsigned long long)f->hits, (unsigned long long)f->calls);
		if (f->role == AIM_SPLIT)
			*splits += f->calls;
		else if (f->role == AIM_MERGE)
			*merges += f->calls;
		else if (f->role == AIM_ADJUST)
			adjusts += f->calls;
	}
	/* 6.1: what adjusts without being a split */
	if (adjusts > *splits)
		*merges += adjusts - *splits;
}

static __u64 both(enum churn_verdict v)
{
	return tally_sum(&natural, v) + tally_sum(&aimed, v);
}

static __u64 records(unsigned int source)
{
	return natural.records[source] + aimed.records[source];
}

static void check_evidence(const struct churn_counts *c, __u64 splits, __u64 merges)
{
	const struct work_counts *w = work.counts;

	diag("records lost for want of room: nmi %llu timer %llu aimed %llu",
	     (unsigned long long)c->lost[CHURN_NMI], (unsigned long long)c->lost[CHURN_TIMER],
	     (unsigned long long)c->lost[CHURN_AIMED]);
	ok(records(CHURN_NMI) >= 100, "samples in NMI context: %llu, of %llu NMIs",
	   (unsigned long long)records(CHURN_NMI), (unsigned long long)c->nmi_handled);
	ok(records(CHURN_TIMER) >= 1000, "samples of the clock: %llu",
	   (unsigned long long)records(CHURN_TIMER));
	ok(records(CHURN_AIMED) >= 1000, "samples in the mapping code: %llu, of %llu hits",
	   (unsigned long long)records(CHURN_AIMED),
	   (unsigned long long)c->hits[CHURN_AIMED]);
	ok(splits > 0 && merges > 0, "splits seen: %llu, merges seen: %llu",
	   (unsigned long long)splits, (unsigned long long)merges);
	ok(w->vmas_max > 2 && w->vmas_one > 0,
	   "one window was up to %llu mappings, and one again %llu times",
	   (unsigned long long)w->vmas_max, (unsigned long long)w->vmas_one);
	ok(w->maps && w->unmaps && w->moves && w->protects,
	   "mmap %llu munmap %llu mremap %llu mprotect %llu",
	   (unsigned long long)w->maps, (unsigned long long)w->unmaps,
	   (unsigned long long)w->moves, (unsigned long long)w->protects);
	ok(w->forks && w->execs > w->exec_errors && w->dlopens,
	   "fork %llu exec %llu dlopen %llu", (unsigned long long)w->forks,
	   (unsigned long long)(w->execs - w->exec_errors), (unsigned long long)w->dlopens);
	ok(w->rewrites && w->truncates && w->replaces,
	   "files rewritten %llu truncated %llu replaced %llu",
	   (unsigned long long)w->rewrites, (unsigned long long)w->truncates,
	   (unsigned long long)w->replaces);
	ok(!w->failed, "system calls of the churn that failed: %llu",
	   (unsigned long long)w->failed);
}

static void check_answers(void)
{
	__u64 raced = tally_frames_with(&natural, CHURN_RACED), frames = tally_frames(&natural);
	__u64 all = natural.records[CHURN_NMI] + natural.records[CHURN_TIMER];
	__u64 unproven = tally_stack_with(&natural, CHURN_UNPROVEN);
	__u64 fresh = tally_rule(&natural, CHURN_WHY_REWRITTEN, CHURN_RIGHT);
	__u64 late = tally_rule(&natural, CHURN_WHY_REWRITTEN, CHURN_EXPLAINED);
	enum churn_window w;

	ok(!both(CHURN_WRONG_ID), "wrong ID: %llu", (unsigned long long)both(CHURN_WRONG_ID));
	ok(!both(CHURN_WRONG_OFFSET), "wrong offset: %llu",
	   (unsigned long long)both(CHURN_WRONG_OFFSET));
	ok(!both(CHURN_UNEXPLAINED), "neither right nor explained: %llu",
	   (unsigned long long)both(CHURN_UNEXPLAINED));
	ok(frames && raced * 1000 < frames, "raced below 0.1 %% of frames: %llu of %llu",
	   (unsigned long long)raced, (unsigned long long)frames);
	diag("raced, chosen addresses in and near changing windows included: %llu of %llu",
	     (unsigned long long)tally_sum(&natural, CHURN_RACED),
	     (unsigned long long)all * CHURN_ADDRESSES);
	ok(unproven * 50 <= frames,
	   "frames with a test file's ID whose page could not be read to check it: %llu of %llu",
	   (unsigned long long)unproven, (unsigned long long)frames);
	ok(fresh && fresh >= late,
	   "a rewritten file has its new ID back in most samples: %llu with, %llu without",
	   (unsigned long long)fresh, (unsigned long long)late);
	for (w = 0; w < CHURN_W_HOLE; w++)
		if (!natural.window[w][BUILDIDX_STATUS_OK])
			break;
	ok(w == CHURN_W_HOLE, "every window was answered with an ID%s%s",
	   w == CHURN_W_HOLE ? "" : ", but not ",
	   w == CHURN_W_HOLE ? "" : churn_windows[w].name);
}

static void check_kmsg(void)
{
	struct kmsg_result k = kmsg_stop();

	ok(!k.splats, "kernel log clean: %lu lines, %lu faults%s%s", k.lines, k.splats,
	   k.splats ? ", first: " : "", k.first);
	ok(!k.overruns, "kernel log read without a gap: %lu gaps", k.overruns);
}

static void summary(unsigned int seconds, const struct churn_counts *c, __u64 splits,
		    __u64 merges)
{
	struct utsname u;

	uname(&u);
	printf("# churn: kernel=%s seconds=%u nmi=%llu timer=%llu aimed=%llu splits=%llu merges=%llu addresses=%llu right=%llu explained=%llu frames=%llu raced=%llu wrong_id=%llu wrong_offset=%llu unexplained=%llu\n",
	       u.release, seconds, (unsigned long long)records(CHURN_NMI),
	       (unsigned long long)records(CHURN_TIMER),
	       (unsigned long long)records(CHURN_AIMED), (unsigned long long)splits,
	       (unsigned long long)merges, (unsigned long long)c->head * CHURN_ADDRESSES,
	       (unsigned long long)both(CHURN_RIGHT), (unsigned long long)both(CHURN_EXPLAINED),
	       (unsigned long long)tally_frames(&natural),
	       (unsigned long long)tally_frames_with(&natural, CHURN_RACED),
	       (unsigned long long)both(CHURN_WRONG_ID),
	       (unsigned long long)both(CHURN_WRONG_OFFSET),
	       (unsigned long long)both(CHURN_UNEXPLAINED));
}

static void check_checkers(void)
{
	unsigned int cases, bad = churn_selfcheck(&cases);

	ok(!bad, "the checkers judge %u of %u made-up cases rightly", cases - bad, cases);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: churn [-s SECONDS] [-r SEED] -d DISK_DIR -t TMPFS_DIR -l CHURN_DL\n"
		"       churn -c    only show that the checkers can fail\n"
		"Needs root and the module, loaded. DISK_DIR is on a block device; both are\n"
		"filled with test files. CHURN_DL is the program churn-dl. SEED chooses\n"
		"the probed instructions. Default: 60 seconds,\n"
		"the last third with probes.\n");
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned int seconds = 60, seed = 1, early;
	struct churn_counts counts;
	size_t symbols;
	__u64 splits, merges;
	int opt;

	while ((opt = getopt(argc, argv, "s:r:d:t:l:c")) != -1) {
		switch (opt) {
		case 's':
			seconds = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			seed = strtoul(optarg, NULL, 10);
			break;
		case 'd':
			snprintf(work.disk, sizeof(work.disk), "%s", optarg);
			break;
		case 't':
			snprintf(work.tmpfs, sizeof(work.tmpfs), "%s", optarg);
			break;
		case 'l':
			work.dl_program = optarg;
			break;
		case 'c':
			check_checkers();
			return tap_end();
		default:
			usage();
		}
	}
	if (optind != argc || seconds < 3 || !work.disk[0] || !work.tmpfs[0] || !work.dl_program)
		usage();

	check_checkers();
	if (settings_apply() || kmsg_start() || collect_prepare(&collect))
		bail("cannot prepare");
	symbols = ksym_load();
	if (!symbols)
		bail("no kernel symbols");
	work.state = collect.state;
	if (collect_load(&collect, CLOCK_NS))
		bail("cannot sample");
	if (spawn_all(&work, &natural.known))
		bail("the churn does not start");
	natural.begun = collect.state->gen_begun;
	if (storm_start(collect.cpus, STORM_US))
		bail("no NMIs");
	/* this thread ahead of the churn, so that records are read in time */
	setpriority(PRIO_PROCESS, 0, -20);
	sample(seconds - seconds / 3);

	spawn_pause(true);
	settle();
	aimed.known = natural.known;
	aimed.begun = natural.begun;
	tally = &aimed;
	if (aim_place(&aim, symbols, collect_probes(&collect), collect.cpus, seed))
		bail("cannot aim at the mapping code");
	diag("%u probes in the mapping code, seed %u", aim.nr_probes, seed);
	work.counts->flat_out = 1;
	spawn_pause(false);
	sample_aimed(seconds / 3);

	diag("NMIs asked for: %lu times", storm_stop());
	early = spawn_end();
	settle();
	aim_remove(&aim);
	counts = collect_counts(&collect);
	collect_unload(&collect);

	ok(!early, "processes of the churn that ended by themselves: %u", early);
	diag("before the probes were placed:");
	tally_print(&natural);
	diag("with probes:");
	tally_print(&aimed);
	report_aim(&splits, &merges);
	check_evidence(&counts, splits, merges);
	check_answers();
	check_kmsg();
	summary(seconds, &counts, splits, merges);
	return tap_end();
}
