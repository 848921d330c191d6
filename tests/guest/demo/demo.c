// SPDX-License-Identifier: GPL-2.0
/*
 * demo PAYLOAD: stock helper and buildidx kfuncs side by side, in true NMI
 * context, in the five situations that build IDs are lost in.
 *
 * PAYLOAD holds the victim, its libraries and `ids` (what readelf says of
 * them). Runs in the test guest, two CPUs: NMIs are sent from CPU 0, victims
 * run on CPU 1. No sample is looked at before its process is gone.
 *
 * Prints a table and one line, and exits 0 only if every frame was answered,
 * none wrongly.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../sampler/sampler.h"
#include "../sampler/files.h"
#include "run.h"
#include "tally.h"

#define NMI_MIN		2000

struct scenario {
	const char *title;
	int (*run)(struct run *run);
};

/* Samples for each scenario; the sum is above NMI_MIN. */
#define SAMPLES	500

static int warm(struct run *run)
{
	return run_victim(run, MODE_PLAIN, SAMPLES);
}

static int cold(struct run *run)
{
	return run_victim(run, MODE_COLD, SAMPLES);
}

static int contention(struct run *run)
{
	return run_victim(run, MODE_CONTEND, SAMPLES);
}

static int gone(struct run *run)
{
	int i, err = 0;

	for (i = 0; i < SAMPLES / BRIEF_SAMPLES && !err; i++)
		err = run_victim(run, MODE_BRIEF, 0);
	return err;
}

static int elsewhere(struct run *run)
{
	int err = run_victim_elsewhere(run, MODE_PLAIN, SAMPLES / 2);

	return err ? err : run_victim_elsewhere(run, MODE_DELETED, SAMPLES / 2);
}

static const struct scenario scenarios[] = {
	{ "warm",			warm },
	{ "cold page cache",		cold },
	{ "mmap_lock contention",	contention },
	{ "process gone",		gone },
	{ "other mount namespace",	elsewhere },
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	struct tally total = { 0 };
	struct run run = { 0 };
	struct utsname u;
	char ids[512];
	size_t i;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: demo PAYLOAD\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	uname(&u);
	pin(STORM_CPU);
	snprintf(ids, sizeof(ids), "%s/ids", argv[1]);
	run.payload = argv[1];
	run.idents = ident_load(ids, &run.nr_idents);
	if (!run.idents || files_copy(argv[1], DEMO_DIR))
		return 1;
	run.sampler = sampler_open(&(struct sampler_config){ .nmi = true });
	if (!run.sampler)
		return 1;
	if (!sampler_has_buildidx(run.sampler))
		printf("The kfuncs are not there; only the stock helper is shown.\n");
	tally_header();
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		memset(&run.tally, 0, sizeof(run.tally));
		err = scenarios[i].run(&run);
		if (!err)
			err = run_judge(&run);
		if (err) {
			fprintf(stderr, "demo: %s: %s\n", scenarios[i].title, strerror(-err));
			return 1;
		}
		tally_row(scenarios[i].title, &run.tally);
		tally_add(&total, &run.tally);
	}
	tally_row("total", &total);
	tally_explain(&total);
	sampler_close(run.sampler);
	printf("demo: kernel=%s nmi=%lu frames=%lu stock=%lu buildidx=%lu wrong=%lu\n", u.release,
	       total.nmis, total.frames, total.stock, total.buildidx, total.wrong);
	return tally_good(&total, NMI_MIN) ? 0 : 1;
}
