/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run victims under a storm of NMIs, and judge their samples when they are gone.
 */
#ifndef DEMO_RUN_H
#define DEMO_RUN_H

#include "../sampler/sampler.h"
#include "stage.h"
#include "tally.h"

#define RUN_VICTIMS	64

/* Sends the NMIs; the demo itself runs there, victims on another. */
#define STORM_CPU	0

/**
 * struct run - one scenario
 * @payload: directory with the victim's files as built
 * @sampler: open, sampling NMIs
 * @storm: NULL unless a victim is ready and not gone yet
 * @idents: true build IDs
 * @nr_idents: their number
 * @victims: processes of this scenario and what they wrote down
 * @nr_victims: their number
 * @dropped: samples lost by earlier scenarios
 * @tally: result, complete after run_judge()
 */
struct run {
	const char *payload;
	struct sampler *sampler;
	struct storm *storm;
	struct ident *idents;
	size_t nr_idents;
	struct {
		pid_t pid;
		struct stage *stage;
	} victims[RUN_VICTIMS];
	int nr_victims;
	unsigned long dropped;
	struct tally tally;
};

/**
 * run_victim() - run one victim from DEMO_DIR until it is gone
 * @run: scenario
 * @mode: MODE_*
 * @samples: stop it after that many; 0: it stops by itself
 * Return: 0 or negative errno, with the reason on stderr.
 */
int run_victim(struct run *run, const char *mode, unsigned long samples);

/* The same, in a mount and pid namespace whose own tmpfs is the only place of its files. */
int run_victim_elsewhere(struct run *run, const char *mode, unsigned long samples);

/* Judge all samples; all victims must be gone. Empties @run->victims. */
int run_judge(struct run *run);

#endif /* DEMO_RUN_H */
