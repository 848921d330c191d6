/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that the demo shares with each of its victims.
 */
#ifndef DEMO_STAGE_H
#define DEMO_STAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "../sampler/truth.h"

/* Where the victim lives; the dynamic loader's path is linked into it. */
#define DEMO_DIR	"/scratch/demo"

#define DEMO_LIBS	5

/* How a victim behaves once its files are mapped */
#define MODE_PLAIN	"plain"		/* call through all layers until told to stop */
#define MODE_COLD	"cold"		/* the same, after giving its note pages back */
#define MODE_CONTEND	"contend"	/* the same, while threads change the address space */
#define MODE_BRIEF	"brief"		/* exit at once after BRIEF_SAMPLES samples */
#define MODE_DELETED	"deleted"	/* the same as plain, after removing its own files */

#define BRIEF_SAMPLES	10

/**
 * struct stage - written by the victim, except @goal
 * @ready: 1 once @truth is complete and the victim runs through its layers
 * @goal: the victim exits once that many samples were taken of all victims;
 *	0 tells it to exit now
 * @truth: the victim's mappings
 * @vdso: the build ID of its vDSO, as it lies in memory
 */
struct stage {
	_Atomic uint32_t ready;
	_Atomic uint64_t goal;
	struct truth truth;
	struct ident vdso;
};

#endif /* DEMO_STAGE_H */
