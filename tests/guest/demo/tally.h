/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Count answers and show them.
 */
#ifndef DEMO_TALLY_H
#define DEMO_TALLY_H

#include <stdbool.h>

#include "../sampler/record.h"
#include "../sampler/truth.h"

/**
 * struct tally - sums over samples
 * @nmis: samples taken with the NMI bits set
 * @not_nmi: samples that were not; must be 0
 * @dropped: samples that the ring had no room for
 * @frames: frames whose address lies in a file mapping that the victim wrote down
 * @stock: of those, answered with a build ID by the stock helper
 * @stock_wrong: answers of the stock helper that are wrong
 * @buildidx: of @frames, answered with a build ID by both kfuncs
 * @wrong: answers of either kfunc that are wrong, at any address
 * @status: what the rich kfunc said of the frames in @frames
 * @notes_cold: files whose note was seen out of the page cache
 */
struct tally {
	unsigned long nmis;
	unsigned long not_nmi;
	unsigned long dropped;
	unsigned long frames;
	unsigned long stock;
	unsigned long stock_wrong;
	unsigned long buildidx;
	unsigned long wrong;
	unsigned long status[BUILDIDX_STATUS_COUNT];
	unsigned long notes_cold;
};

/* Judge one sample of a process that wrote down @truth. */
void tally_sample(struct tally *t, const struct sample *s, const struct truth *truth,
		  const struct ident *idents, size_t nr_idents, const struct ident *vdso);

void tally_add(struct tally *sum, const struct tally *t);

void tally_header(void);
void tally_row(const char *title, const struct tally *t);

/* Say what does not show in the table: statuses of unanswered frames, lost samples. */
void tally_explain(const struct tally *t);

/* True when every frame was answered, none wrongly, in at least @nmis NMIs. */
bool tally_good(const struct tally *t, unsigned long nmis);

#endif /* DEMO_TALLY_H */
