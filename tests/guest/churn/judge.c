// SPDX-License-Identifier: GPL-2.0
/*
 * Decides whether one answer of the kfunc is right, explained or wrong.
 */
#include <string.h>

#include "judge.h"

const char *const churn_verdict_name[CHURN_VERDICTS] = {
	"right", "explained", "raced", "unproven", "wrong-id", "wrong-offset", "unexplained",
};

const char *const churn_status_name[BUILDIDX_STATUS_COUNT] = {
	"OK", "NO_MM", "NO_MAPPING", "ANON", "SPECIAL", "NOT_INDEXED", "PENDING",
	"NOT_RESIDENT", "MODIFIED", "TOO_LONG", "NO_NOTE", "RACED", "KERNEL", "READ_ERROR",
	"OFF",
};

#define BIT(status) (1U << (status))

/* No user mapping is above, with four levels of page tables or with five. */
#define USER_END (1ULL << 56)

/* Statuses that come with a valid offset: uapi/buildidx.h */
#define HAS_OFFSET (BIT(BUILDIDX_STATUS_OK) | BIT(BUILDIDX_STATUS_NOT_INDEXED) | \
		    BIT(BUILDIDX_STATUS_PENDING) | BIT(BUILDIDX_STATUS_NOT_RESIDENT) | \
		    BIT(BUILDIDX_STATUS_MODIFIED) | BIT(BUILDIDX_STATUS_TOO_LONG) | \
		    BIT(BUILDIDX_STATUS_NO_NOTE) | BIT(BUILDIDX_STATUS_READ_ERROR))
/* A file that no lookup could know yet. */
#define NEW_FILE (BIT(BUILDIDX_STATUS_PENDING) | BIT(BUILDIDX_STATUS_NOT_INDEXED))
/* A file whose content changed a moment ago, or changes now. */
#define CHANGED (BIT(BUILDIDX_STATUS_MODIFIED) | BIT(BUILDIDX_STATUS_PENDING) | \
		 BIT(BUILDIDX_STATUS_NOT_RESIDENT))
/* A file that is being cut to nothing and written again. */
#define CUT (BIT(BUILDIDX_STATUS_NO_NOTE) | BIT(BUILDIDX_STATUS_READ_ERROR))

/* One content that an address may belong to. */
struct candidate {
	enum churn_file file;
	__u32 gen_min;
	__u32 gen_max;
	__u64 offset;
};

/* What may be answered: the ID of one of these, or one of these statuses. */
struct expectation {
	struct candidate is[2];
	unsigned int nr;
	__u32 statuses;
	const char *why;
};

bool churn_settled(const struct churn_address *a)
{
	return a->before.magic && !memcmp(&a->before, &a->after, sizeof(a->before)) &&
	       a->seq_before == a->seq_after && !(a->seq_before & 1);
}

static const struct churn_range *range_of(const struct churn_ranges *r, __u64 ip)
{
	__u32 i;

	for (i = 0; i < r->nr; i++)
		if (ip >= r->range[i].start && ip < r->range[i].end)
			return &r->range[i];
	return NULL;
}

/* Only what every answer must satisfy. Returns the fault, or NULL. */
static const char *malformed(const struct churn_record *r, unsigned int i)
{
	const struct buildidx_frame *f = &r->frame[i];
	__u32 n;

	if (r->ret != CHURN_ADDRESSES)
		return "the kfunc did not write all frames";
	if (f->ip != r->ips[i] || r->ips[i] != r->addr[i].ip)
		return "frame.ip is not the address that was asked for";
	if (f->status >= BUILDIDX_STATUS_COUNT)
		return "no such status";
	if (f->pad)
		return "frame.pad is not zero";
	for (n = f->id_len; n < BUILDIDX_ID_MAX; n++)
		if (f->id[n])
			return "bytes past id_len are not zero";
	if (f->status == BUILDIDX_STATUS_OK &&
	    (f->kind != BUILDIDX_KIND_GNU || !f->id_len || f->id_len > BUILDIDX_ID_MAX))
		return "status OK without a GNU build ID";
	if (f->status != BUILDIDX_STATUS_OK && f->kind == BUILDIDX_KIND_GNU)
		return "a GNU build ID without status OK";
	if (!(HAS_OFFSET & BIT(f->status)) && f->offset)
		return "an offset with a status that has none";
	return NULL;
}

static enum churn_verdict judge_range(const struct churn_range *e,
				      const struct buildidx_frame *f, __u32 statuses,
				      const char **why)
{
	*why = e->vdso ? "vDSO" : "program or library";
	if (f->status != BUILDIDX_STATUS_OK)
		return statuses & BIT(f->status) ? CHURN_EXPLAINED : CHURN_UNEXPLAINED;
	if (f->id_len != e->id_len || memcmp(f->id, e->id, e->id_len))
		return CHURN_WRONG_ID;
	if (f->offset != f->ip - e->start + e->offset)
		return CHURN_WRONG_OFFSET;
	if (e->vdso != !!(f->flags & BUILDIDX_FRAME_VDSO))
		return CHURN_UNEXPLAINED;
	return CHURN_RIGHT;
}

/* The page says what it is, and nothing changed around the lookup. */
static void expect_page(const struct churn_record *r, unsigned int i, struct expectation *e)
{
	const struct churn_address *a = &r->addr[i];
	const struct churn_header *h = &a->before;
	struct candidate *c = &e->is[0];
	char class = r->comm[CHURN_COMM_LEN];

	e->nr = 1;
	e->why = "page";
	c->file = h->file;
	c->gen_min = h->gen;
	c->gen_max = h->gen;
	c->offset = h->offset + a->ip % CHURN_PAGE;
	switch (churn_files[c->file].life) {
	case CHURN_STATIC:
	case CHURN_REPLACED:
		break;
	case CHURN_TRUNCATED:
	case CHURN_REWRITTEN:
		e->statuses |= CHANGED;
		if (a->done_before == a->begun_after) {
			e->why = CHURN_WHY_REWRITTEN;
			break;
		}
		e->why = "file being rewritten";
		c->gen_max = a->begun_after;
		/* registers may be ahead of the page: the code loaded them later */
		if (i == 0 && r->nr_stack && r->token_file == c->file &&
		    r->token_gen > c->gen_min)
			c->gen_min = r->token_gen;
		if (churn_files[c->file].life == CHURN_TRUNCATED)
			e->statuses |= CUT;
		break;
	}
	/*
	 * A new program is being read by its own task until it runs its first
	 * instruction. The loader of another thread may be mapping or unmapping
	 * what a stale stack slot or a system call's argument points to.
	 */
	if (class == CHURN_CLASS_EXECED && c->offset == CHURN_ENTRY)
		e->statuses |= NEW_FILE;
	if ((class == CHURN_CLASS_DL || class == CHURN_CLASS_EXECING) &&
	    !(i == 0 && r->nr_stack))
		e->statuses |= NEW_FILE | BIT(BUILDIDX_STATUS_NO_MAPPING);
}

static void add_candidate(const struct churn_known *k, const struct churn_record *r,
			  unsigned int i, enum churn_file file, __u32 page, struct expectation *e)
{
	const struct churn_address *a = &r->addr[i];
	struct candidate *c = &e->is[e->nr++];
	__u64 base = CHURN_WINDOW_BASE +
		     churn_window_of(a->ip) * (__u64)CHURN_WINDOW_STRIDE;

	c->file = file;
	c->gen_min = 1;
	c->gen_max = k->begun[file];
	/* what is mapped, and what is written, only gets newer */
	if (a->before.magic && a->before.file == file)
		c->gen_min = a->before.gen;
	c->offset = a->ip - base + page * CHURN_PAGE;
	if (churn_files[file].life != CHURN_STATIC)
		e->statuses |= NEW_FILE;
	if (churn_files[file].life == CHURN_REWRITTEN)
		e->statuses |= CHANGED;
	if (churn_files[file].life == CHURN_TRUNCATED)
		e->statuses |= CHANGED | CUT;
}

/* Something changed, or the page is not there: what the window may hold. */
static void expect_window(const struct churn_known *k, const struct churn_record *r,
			  unsigned int i, int window, struct expectation *e)
{
	const struct churn_window_info *w = &churn_windows[window];
	const struct churn_address *a = &r->addr[i];
	__u64 page = (a->ip - churn_window_start(window)) / CHURN_PAGE;
	char class = r->comm[CHURN_COMM_LEN];
	bool maps_windows = class == CHURN_CLASS_WORKER || class == CHURN_CLASS_FORKER ||
			    class == CHURN_CLASS_CHILD;
	unsigned int n;

	e->why = "window";
	if (page >= w->pages) {
		e->why = CHURN_WHY_HOLE;
		e->statuses |= BIT(BUILDIDX_STATUS_NO_MAPPING);
		return;
	}
	for (n = 0; n < w->nr; n++)
		add_candidate(k, r, i, w->file[n], w->page[n], e);
	if (w->unmapped || !maps_windows)
		e->statuses |= BIT(BUILDIDX_STATUS_NO_MAPPING);
	if (w->anon)
		e->statuses |= BIT(BUILDIDX_STATUS_ANON);
}

static enum churn_verdict judge_answer(const struct buildidx_frame *f,
				       const struct expectation *e)
{
	enum churn_file file = 0;
	__u32 gen = 0;
	unsigned int n;
	bool id_fits = false;

	if (f->status == BUILDIDX_STATUS_OK) {
		if (!churn_read_id(f->id, f->id_len, &file, &gen))
			return CHURN_WRONG_ID;
	} else if (!(e->statuses & BIT(f->status))) {
		return CHURN_UNEXPLAINED;
	} else if (!(HAS_OFFSET & BIT(f->status))) {
		return CHURN_EXPLAINED;
	}

	for (n = 0; n < e->nr; n++) {
		const struct candidate *c = &e->is[n];

		if (f->status == BUILDIDX_STATUS_OK &&
		    (c->file != file || gen < c->gen_min || gen > c->gen_max))
			continue;
		id_fits = true;
		if (f->offset == c->offset)
			return f->status == BUILDIDX_STATUS_OK ? CHURN_RIGHT : CHURN_EXPLAINED;
	}
	return id_fits ? CHURN_WRONG_OFFSET : CHURN_WRONG_ID;
}

/* Neither a window nor a known program: stack garbage, arguments, other people's memory. */
static enum churn_verdict judge_elsewhere(const struct buildidx_frame *f)
{
	enum churn_file file;
	__u32 gen;

	switch (f->status) {
	case BUILDIDX_STATUS_OK:
		/* a dlopened or executed page that was not read in yet */
		if (!churn_read_id(f->id, f->id_len, &file, &gen))
			return CHURN_WRONG_ID;
		return f->offset % CHURN_PAGE == f->ip % CHURN_PAGE &&
		       f->offset < churn_files[file].pages * CHURN_PAGE ?
			CHURN_UNPROVEN : CHURN_WRONG_OFFSET;
	case BUILDIDX_STATUS_KERNEL:
		return f->ip >= USER_END ? CHURN_EXPLAINED : CHURN_UNEXPLAINED;
	case BUILDIDX_STATUS_NO_MAPPING:
	case BUILDIDX_STATUS_ANON:
	case BUILDIDX_STATUS_SPECIAL:
	case BUILDIDX_STATUS_PENDING:
	case BUILDIDX_STATUS_NOT_INDEXED:
		return CHURN_EXPLAINED;
	default:
		return CHURN_UNEXPLAINED;
	}
}

enum churn_verdict churn_judge(const struct churn_known *k, const struct churn_record *r,
			       unsigned int i, const char **why)
{
	const struct buildidx_frame *f = &r->frame[i];
	const struct churn_address *a = &r->addr[i];
	const struct churn_range *range = NULL;
	struct expectation e = { .statuses = k->late_index ? NEW_FILE : 0 };
	__u32 range_statuses = e.statuses;
	int window = churn_window_of(a->ip);

	*why = malformed(r, i);
	if (*why)
		return CHURN_UNEXPLAINED;
	if (!r->mm || f->status == BUILDIDX_STATUS_NO_MM) {
		*why = CHURN_WHY_NO_MM;
		if (!r->mm && f->status == BUILDIDX_STATUS_KERNEL && f->ip >= USER_END)
			return CHURN_EXPLAINED;
		return !r->mm && f->status == BUILDIDX_STATUS_NO_MM ?
			CHURN_EXPLAINED : CHURN_UNEXPLAINED;
	}
	switch (r->comm[CHURN_COMM_LEN]) {
	case CHURN_CLASS_EXECING:
		/* in execve the name changes after the address space */
		range_statuses |= BIT(BUILDIDX_STATUS_NO_MAPPING) | NEW_FILE;
		/* fall through */
	case CHURN_CLASS_WORKER:
	case CHURN_CLASS_FORKER:
	case CHURN_CLASS_CHILD:
		range = range_of(&k->own, a->ip);
		break;
	case CHURN_CLASS_DL:
		range = range_of(&k->dl, a->ip);
		break;
	}
	if (f->status == BUILDIDX_STATUS_RACED) {
		*why = range ? "program or library" : window >= 0 ? "window" : CHURN_WHY_ELSEWHERE;
		return CHURN_RACED;
	}
	if (range)
		return judge_range(range, f, range_statuses, why);

	if (churn_settled(a)) {
		expect_page(r, i, &e);
	} else if (window >= 0) {
		expect_window(k, r, i, window, &e);
	} else {
		*why = CHURN_WHY_ELSEWHERE;
		return judge_elsewhere(f);
	}
	*why = e.why;
	return judge_answer(f, &e);
}
