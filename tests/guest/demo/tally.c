// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "tally.h"

/* Wrong answers to show; the rest is only counted. */
#define SHOWN	8

static void show(const char *who, const struct sample *s, int i, const struct truth_range *range,
		 const __u8 *id, __u64 offset)
{
	static int shown;
	int b;

	if (shown++ >= SHOWN)
		return;
	printf("%s: wrong: pid %u frame %d ip 0x%llx", who, s->tgid, i, s->ips[i]);
	if (range)
		printf(" is %s offset 0x%llx", range->name,
		       s->ips[i] - range->start + range->offset);
	else
		printf(" is in no file");
	printf(", answer offset 0x%llx id ", offset);
	for (b = 0; b < BPF_BUILD_ID_SIZE; b++)
		printf("%02x", id[b]);
	printf("\n");
}

void tally_sample(struct tally *t, const struct sample *s, const struct truth *truth,
		  const struct ident *idents, size_t nr_idents, const struct ident *vdso)
{
	enum verdict stock, dropin = VERDICT_NONE, rich = VERDICT_NONE;
	const struct truth_range *range;
	const struct ident *ident;
	bool is_vdso;
	int i, n;

	if (s->context != SAMPLE_CONTEXT_NMI || s->source != SAMPLE_NMI) {
		t->not_nmi++;
		return;
	}
	t->nmis++;
	n = s->ips_ret < 0 ? 0 : s->ips_ret / (int)sizeof(s->ips[0]);
	for (i = 0; i < n; i++) {
		range = truth_find(truth, s->ips[i]);
		is_vdso = range && !strcmp(range->name, TRUTH_VDSO);
		ident = is_vdso ? vdso :
			range ? ident_find(idents, nr_idents, range->name) : NULL;
		stock = judge_stack_id(&s->stock[i], range, ident, s->ips[i]);
		if (stock == VERDICT_WRONG) {
			t->stock_wrong++;
			show("stock", s, i, range, s->stock[i].build_id, s->stock[i].offset);
		}
		if (s->dropin_ret != SAMPLE_ABSENT) {
			dropin = i < s->dropin_ret ?
				judge_stack_id(&s->dropin[i], range, ident, s->ips[i]) : VERDICT_NONE;
			rich = i < s->rich_ret ?
				judge_frame(&s->rich[i], range, ident, s->ips[i]) : VERDICT_NONE;
			if (dropin == VERDICT_WRONG || rich == VERDICT_WRONG) {
				t->wrong++;
				show("buildidx", s, i, range, s->rich[i].id, s->rich[i].offset);
			}
		}
		/* The vDSO is no file: its answers are judged, but not counted. */
		if (!range || is_vdso || !ident)
			continue;
		t->frames++;
		t->stock += stock != VERDICT_NONE;
		t->buildidx += dropin != VERDICT_NONE && rich != VERDICT_NONE;
		if (i < s->rich_ret && s->rich[i].status < BUILDIDX_STATUS_COUNT)
			t->status[s->rich[i].status]++;
	}
}

void tally_add(struct tally *sum, const struct tally *t)
{
	int i;

	sum->nmis += t->nmis;
	sum->not_nmi += t->not_nmi;
	sum->dropped += t->dropped;
	sum->frames += t->frames;
	sum->stock += t->stock;
	sum->stock_wrong += t->stock_wrong;
	sum->buildidx += t->buildidx;
	sum->wrong += t->wrong;
	sum->notes_cold += t->notes_cold;
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++)
		sum->status[i] += t->status[i];
}

void tally_header(void)
{
	printf("\nFile frames answered with a build ID, in NMI context:\n\n");
	printf("%-22s %6s %8s | %-15s | %-15s | %6s\n", "scenario", "NMIs", "frames",
	       "   stock helper", "       buildidx", "wrong");
	printf("---------------------------------------+-----------------+-----------------+-------\n");
}

static double percent(unsigned long part, unsigned long whole)
{
	return whole ? 100.0 * part / whole : 0.0;
}

void tally_row(const char *title, const struct tally *t)
{
	printf("%-22s %6lu %8lu | %8lu %5.1f%% | %8lu %5.1f%% | %6lu\n", title, t->nmis, t->frames,
	       t->stock, percent(t->stock, t->frames), t->buildidx,
	       percent(t->buildidx, t->frames), t->wrong);
}

void tally_explain(const struct tally *t)
{
	int i;

	printf("\n");
	printf("preempt_count said NMI in %lu of %lu samples.\n", t->nmis, t->nmis + t->not_nmi);
	printf("%lu note pages were out of the page cache, before and after the cold samples.\n",
	       t->notes_cold);
	for (i = 1; i < BUILDIDX_STATUS_COUNT; i++)
		if (t->status[i])
			printf("buildidx: %lu frames with status %d (enum buildidx_status)\n",
			       t->status[i], i);
	if (t->stock_wrong)
		printf("stock: %lu wrong answers\n", t->stock_wrong);
	if (t->not_nmi)
		printf("%lu samples were not taken in NMI context: the demo proves nothing\n",
		       t->not_nmi);
	if (t->dropped)
		printf("%lu samples found no room in the ring and are not counted\n", t->dropped);
}

bool tally_good(const struct tally *t, unsigned long nmis)
{
	return t->nmis >= nmis && t->frames && t->buildidx == t->frames && !t->wrong && !t->not_nmi;
}
