// SPDX-License-Identifier: GPL-2.0
/*
 * Judges records and counts.
 */
#include <stdio.h>
#include <string.h>

#include "ksym.h"
#include "tally.h"

static const char *const source_name[CHURN_SOURCES] = { "nmi", "timer", "aimed" };

static void count_rule(struct tally *t, const char *why, bool stack, enum churn_verdict v)
{
	int i;

	for (i = 0; i < TALLY_RULES; i++) {
		if (!t->rule[i].name)
			t->rule[i].name = why;
		if (!strcmp(t->rule[i].name, why)) {
			t->rule[i].verdict[stack][v]++;
			return;
		}
	}
}

static void print_header(const char *what, const struct churn_header *h)
{
	if (h->magic)
		printf(" %s=%s/gen %u/%#llx", what, churn_files[h->file].name, h->gen,
		       (unsigned long long)h->offset);
	else
		printf(" %s=unreadable", what);
}

static void print_fault(struct tally *t, const struct churn_record *r, unsigned int i,
			enum churn_verdict v, const char *why)
{
	const struct buildidx_frame *f = &r->frame[i];
	const struct churn_address *a = &r->addr[i];
	int w = churn_window_of(a->ip);
	enum churn_file file;
	__u32 gen, n;

	if (t->shown++ >= TALLY_SHOWN)
		return;
	printf("# %s (%s): %s %s[%u] cpu %u ip %#llx %s", churn_verdict_name[v], why,
	       source_name[r->source], r->comm, i, r->cpu, (unsigned long long)a->ip,
	       w < 0 ? "no window" : churn_windows[w].name);
	if (r->interrupted)
		printf(" at %s", ksym_name(r->interrupted));
	print_header("before", &a->before);
	print_header("after", &a->after);
	printf(" seq %u..%u written %u..%u", a->seq_before, a->seq_after, a->done_before,
	       a->begun_after);
	if (r->token_file < CHURN_FILES && i == 0 && r->nr_stack)
		printf(" code says %s/gen %u", churn_files[r->token_file].name, r->token_gen);
	printf(" answer %s kind %u offset %#llx ",
	       f->status < BUILDIDX_STATUS_COUNT ? churn_status_name[f->status] : "?", f->kind,
	       (unsigned long long)f->offset);
	if (churn_read_id(f->id, f->id_len, &file, &gen))
		printf("%s/gen %u\n", churn_files[file].name, gen);
	else {
		for (n = 0; n < f->id_len && n < BUILDIDX_ID_MAX; n++)
			printf("%02x", f->id[n]);
		printf(" (%u bytes)\n", f->id_len);
	}
	fflush(stdout);
}

void tally_record(void *arg, const struct churn_record *r)
{
	struct tally *t = arg;
	unsigned int i;

	memcpy(t->known.begun, t->begun, sizeof(t->known.begun));
	t->records[r->source]++;
	for (i = 0; i < CHURN_ADDRESSES; i++) {
		const char *why;
		enum churn_verdict v = churn_judge(&t->known, r, i, &why);
		int w = churn_window_of(r->addr[i].ip);

		t->verdict[r->source][i < r->nr_stack][v]++;
		count_rule(t, why, i < r->nr_stack, v);
		if (r->frame[i].status < BUILDIDX_STATUS_COUNT)
			t->window[w < 0 ? CHURN_WINDOWS : w][r->frame[i].status]++;
		if (v == CHURN_WRONG_ID || v == CHURN_WRONG_OFFSET || v == CHURN_UNEXPLAINED) {
			t->fault[w < 0 ? CHURN_WINDOWS : w][v]++;
			print_fault(t, r, i, v, why);
		} else if (v == CHURN_RACED && i < r->nr_stack && strcmp(why, CHURN_WHY_ELSEWHERE)) {
			print_fault(t, r, i, v, why);
		}
	}
}

__u64 tally_sum(const struct tally *t, enum churn_verdict verdict)
{
	__u64 n = 0;
	int i;

	for (i = 0; i < CHURN_SOURCES; i++)
		n += t->verdict[i][0][verdict] + t->verdict[i][1][verdict];
	return n;
}

__u64 tally_frames_with(const struct tally *t, enum churn_verdict verdict)
{
	__u64 n = 0;
	int i;

	for (i = 0; i < TALLY_RULES && t->rule[i].name; i++)
		if (strcmp(t->rule[i].name, CHURN_WHY_ELSEWHERE) &&
		    strcmp(t->rule[i].name, CHURN_WHY_HOLE) &&
		    strcmp(t->rule[i].name, CHURN_WHY_NO_MM))
			n += t->rule[i].verdict[1][verdict];
	return n;
}

__u64 tally_frames(const struct tally *t)
{
	__u64 n = 0;
	int v;

	for (v = 0; v < CHURN_VERDICTS; v++)
		n += tally_frames_with(t, v);
	return n;
}

__u64 tally_stack_with(const struct tally *t, enum churn_verdict verdict)
{
	return t->verdict[CHURN_NMI][1][verdict] + t->verdict[CHURN_TIMER][1][verdict];
}

__u64 tally_rule(const struct tally *t, const char *rule, enum churn_verdict verdict)
{
	int i;

	for (i = 0; i < TALLY_RULES && t->rule[i].name; i++)
		if (!strcmp(t->rule[i].name, rule))
			return t->rule[i].verdict[0][verdict] + t->rule[i].verdict[1][verdict];
	return 0;
}

static void print_verdicts(const char *name, const __u64 *verdict)
{
	int v;

	printf("# %-38s", name);
	for (v = 0; v < CHURN_VERDICTS; v++)
		if (verdict[v])
			printf(" %s=%llu", churn_verdict_name[v], (unsigned long long)verdict[v]);
	printf("\n");
}

void tally_print(const struct tally *t)
{
	char name[64];
	int i, s;

	for (i = 0; i < CHURN_SOURCES; i++) {
		snprintf(name, sizeof(name), "%s, stack frames", source_name[i]);
		print_verdicts(name, t->verdict[i][1]);
		snprintf(name, sizeof(name), "%s, chosen addresses", source_name[i]);
		print_verdicts(name, t->verdict[i][0]);
	}
	for (i = 0; i < TALLY_RULES && t->rule[i].name; i++) {
		snprintf(name, sizeof(name), "%s, stack frames", t->rule[i].name);
		print_verdicts(name, t->rule[i].verdict[1]);
		snprintf(name, sizeof(name), "%s, chosen", t->rule[i].name);
		print_verdicts(name, t->rule[i].verdict[0]);
	}
	for (i = 0; i <= CHURN_WINDOWS; i++) {
		printf("# window %-19s", i < CHURN_WINDOWS ? churn_windows[i].name : "(none)");
		for (s = 0; s < BUILDIDX_STATUS_COUNT; s++)
			if (t->window[i][s])
				printf(" %s=%llu", churn_status_name[s],
				       (unsigned long long)t->window[i][s]);
		for (s = CHURN_WRONG_ID; s < CHURN_VERDICTS; s++)
			if (t->fault[i][s])
				printf(" %s=%llu", churn_verdict_name[s],
				       (unsigned long long)t->fault[i][s]);
		printf("\n");
	}
	fflush(stdout);
}
