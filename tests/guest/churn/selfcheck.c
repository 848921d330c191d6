// SPDX-License-Identifier: GPL-2.0
/*
 * Shows that the checkers can fail: feeds them made-up records.
 */
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "kmsg.h"
#include "selfcheck.h"

static struct churn_known known;
static unsigned int tried, bad;

#define OWN_START	0x401000
#define OWN_OFFSET	0x1000

static void expect(const char *name, const struct churn_record *r, enum churn_verdict want)
{
	const char *why;
	enum churn_verdict got = churn_judge(&known, r, 0, &why);

	tried++;
	if (got == want)
		return;
	bad++;
	printf("# self-check: %s: judged %s (%s), should be %s\n", name,
	       churn_verdict_name[got], why, churn_verdict_name[want]);
}

static void set_page(struct churn_header *h, enum churn_file file, __u32 gen, __u64 offset)
{
	h->magic = CHURN_MAGIC;
	h->file = file;
	h->gen = gen;
	h->offset = offset;
	h->check = churn_mix(file, gen, offset);
}

static void set_answer(struct churn_record *r, enum churn_file file, __u32 gen, __u64 offset)
{
	struct buildidx_frame *f = &r->frame[0];

	memset(f, 0, sizeof(*f));
	f->ip = r->ips[0];
	f->offset = offset;
	f->object = 1;
	f->status = BUILDIDX_STATUS_OK;
	f->kind = BUILDIDX_KIND_GNU;
	f->source = BUILDIDX_SOURCE_PHDR;
	f->id_len = churn_make_id(file, gen, f->id);
}

static void set_status(struct churn_record *r, enum buildidx_status status, __u64 offset)
{
	struct buildidx_frame *f = &r->frame[0];

	memset(f, 0, sizeof(*f));
	f->ip = r->ips[0];
	f->status = status;
	f->offset = offset;
}

static void set_ip(struct churn_record *r, __u64 ip)
{
	r->ips[0] = ip;
	r->addr[0].ip = ip;
	r->frame[0].ip = ip;
}

/* A right answer of a worker at @at bytes into a window, page and all. */
static struct churn_record good(enum churn_window win, __u64 at, __u32 gen)
{
	const struct churn_window_info *w = &churn_windows[win];
	struct churn_record r;
	__u64 offset = w->page[0] * CHURN_PAGE + at;

	memset(&r, 0, sizeof(r));
	strcpy(r.comm, "bxc-w0");
	r.mm = 1;
	r.source = CHURN_TIMER;
	r.ret = CHURN_ADDRESSES;
	r.token_file = ~0U;
	set_ip(&r, churn_window_start(win) + at);
	set_page(&r.addr[0].before, w->file[0], gen, offset & ~(CHURN_PAGE - 1));
	r.addr[0].after = r.addr[0].before;
	r.addr[0].done_before = gen;
	r.addr[0].begun_after = gen;
	set_answer(&r, w->file[0], gen, offset);
	return r;
}

static void check_fixed_windows(void)
{
	struct churn_record r = good(CHURN_W_SPLIT, 0x5123, 1);

	expect("split: right", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_SPLIT, 1, 0x6123 + CHURN_PAGE);
	expect("split: offset off by a page", &r, CHURN_WRONG_OFFSET);
	set_answer(&r, CHURN_F_SPLIT, 1, 0x6122);
	expect("split: offset off by a byte", &r, CHURN_WRONG_OFFSET);
	set_answer(&r, CHURN_F_TWO_A, 1, 0x6123);
	expect("split: ID of another file", &r, CHURN_WRONG_ID);
	set_answer(&r, CHURN_F_SPLIT, 2, 0x6123);
	expect("split: ID of a generation that never was", &r, CHURN_WRONG_ID);
	set_status(&r, BUILDIDX_STATUS_NO_MAPPING, 0);
	expect("split: said to be unmapped", &r, CHURN_UNEXPLAINED);
	set_status(&r, BUILDIDX_STATUS_NOT_INDEXED, 0x6123);
	expect("split: said to be unknown", &r, CHURN_UNEXPLAINED);
	set_status(&r, BUILDIDX_STATUS_MODIFIED, 0x6123);
	expect("split: said to be modified", &r, CHURN_UNEXPLAINED);
	set_status(&r, BUILDIDX_STATUS_RACED, 0);
	expect("split: raced", &r, CHURN_RACED);

	r = good(CHURN_W_SPLIT, 0x5123, 1);
	memset(&r.addr[0].before, 0, sizeof(r.addr[0].before));
	expect("split: page unreadable, right", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_SPLIT, 1, 0x5123);
	expect("split: page unreadable, offset as if mapped from 0", &r, CHURN_WRONG_OFFSET);
	set_status(&r, BUILDIDX_STATUS_NO_MAPPING, 0);
	expect("split: page unreadable, said to be unmapped", &r, CHURN_UNEXPLAINED);

	r = good(CHURN_W_TWO_FILES, 0x2010, 1);
	r.addr[0].seq_after = 2;
	expect("two files: one of them", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_TWO_B, 1, 0x8010);
	expect("two files: the other", &r, CHURN_RIGHT);
	r.addr[0].seq_after = 0;
	expect("two files: the other although nothing changed", &r, CHURN_WRONG_ID);
	r.addr[0].seq_before = 1;
	r.addr[0].seq_after = 1;
	set_answer(&r, CHURN_F_TWO_B, 1, 0x3010);
	expect("two files: ID of one, offset of the other", &r, CHURN_WRONG_OFFSET);
	set_status(&r, BUILDIDX_STATUS_ANON, 0);
	expect("two files: said to be anonymous", &r, CHURN_UNEXPLAINED);
	set_status(&r, BUILDIDX_STATUS_NO_MAPPING, 0);
	expect("two files: unmapped while it changes", &r, CHURN_EXPLAINED);
	r.addr[0].seq_before = 2;
	r.addr[0].seq_after = 2;
	expect("two files: said to be unmapped at rest", &r, CHURN_UNEXPLAINED);
}

static void check_holes(void)
{
	struct churn_record r = good(CHURN_W_SPLIT, 0, 1);

	memset(&r.addr[0], 0, sizeof(r.addr[0]));
	set_ip(&r, churn_window_start(CHURN_W_SPLIT_RUN) - 1);
	expect("hole below a mapping: its ID", &r, CHURN_WRONG_ID);
	set_ip(&r, churn_window_start(CHURN_W_SPLIT) + CHURN_WINDOW_PAGES * CHURN_PAGE);
	expect("hole above a mapping: its ID", &r, CHURN_WRONG_ID);
	set_status(&r, BUILDIDX_STATUS_NO_MAPPING, 0);
	expect("hole: unmapped", &r, CHURN_EXPLAINED);
	set_status(&r, BUILDIDX_STATUS_ANON, 0);
	expect("hole: said to be anonymous", &r, CHURN_UNEXPLAINED);
}

static void check_rewritten(void)
{
	struct churn_record r = good(CHURN_W_REWRITE_DISK, 0x1040, 7);

	known.begun[CHURN_F_REWRITE_DISK] = 8;
	expect("rewritten: at rest", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_REWRITE_DISK, 6, 0x2040);
	expect("rewritten: at rest, old ID", &r, CHURN_WRONG_ID);
	set_answer(&r, CHURN_F_REWRITE_DISK, 8, 0x2040);
	expect("rewritten: at rest, ID from the future", &r, CHURN_WRONG_ID);
	set_status(&r, BUILDIDX_STATUS_MODIFIED, 0x2040);
	expect("rewritten: modified", &r, CHURN_EXPLAINED);
	set_status(&r, BUILDIDX_STATUS_MODIFIED, 0x1040);
	expect("rewritten: modified, wrong offset", &r, CHURN_WRONG_OFFSET);
	set_status(&r, BUILDIDX_STATUS_NO_NOTE, 0x2040);
	expect("rewritten: said to have no note", &r, CHURN_UNEXPLAINED);
	set_answer(&r, CHURN_F_REWRITE_DISK, 7, 0x2040);
	r.addr[0].begun_after = 8;
	expect("rewritten: being written, old code, old ID", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_REWRITE_DISK, 8, 0x2040);
	expect("rewritten: being written, old code, new ID", &r, CHURN_RIGHT);
	set_page(&r.addr[0].before, CHURN_F_REWRITE_DISK, 8, 0x2000);
	r.addr[0].after = r.addr[0].before;
	expect("rewritten: being written, new code, new ID", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_REWRITE_DISK, 7, 0x2040);
	expect("rewritten: being written, new code, old ID", &r, CHURN_WRONG_ID);
	r = good(CHURN_W_REWRITE_DISK, 0x1040, 7);
	r.addr[0].begun_after = 8;
	r.nr_stack = 1;
	r.token_file = CHURN_F_REWRITE_DISK;
	r.token_gen = 8;
	expect("rewritten: registers say new code, old ID", &r, CHURN_WRONG_ID);
	memset(&r.addr[0].after, 0, sizeof(r.addr[0].after));
	set_page(&r.addr[0].before, CHURN_F_REWRITE_DISK, 8, 0x2000);
	expect("rewritten: page changes, new code before, old ID", &r, CHURN_WRONG_ID);

	r = good(CHURN_W_TRUNCATE, 0x1040, 7);
	known.begun[CHURN_F_TRUNCATE] = 8;
	memset(&r.addr[0].before, 0, sizeof(r.addr[0].before));
	set_status(&r, BUILDIDX_STATUS_NO_NOTE, 0x2040);
	r.frame[0].kind = BUILDIDX_KIND_HASH;
	r.frame[0].id_len = 16;
	expect("truncated: no note while it is short", &r, CHURN_EXPLAINED);
	set_answer(&r, CHURN_F_TRUNCATE, 9, 0x2040);
	expect("truncated: ID from the future", &r, CHURN_WRONG_ID);
}

static void check_replaced(void)
{
	struct churn_record r = good(CHURN_W_REPLACE_DISK, 0x3000, 4);

	known.begun[CHURN_F_REPLACE_DISK] = 9;
	r.addr[0].begun_after = 9;
	expect("replaced: the old inode is still mapped", &r, CHURN_RIGHT);
	set_answer(&r, CHURN_F_REPLACE_DISK, 9, 0x4000);
	expect("replaced: ID of the new inode", &r, CHURN_WRONG_ID);
	set_answer(&r, CHURN_F_REPLACE_DISK, 3, 0x4000);
	expect("replaced: ID of an inode that is gone", &r, CHURN_WRONG_ID);
	set_status(&r, BUILDIDX_STATUS_PENDING, 0x4000);
	expect("replaced: still unread after mmap returned", &r, CHURN_UNEXPLAINED);
	r.addr[0].seq_after = 1;
	expect("replaced: unread while being mapped", &r, CHURN_EXPLAINED);
}

static void check_programs(void)
{
	struct churn_record r = good(CHURN_W_SPLIT, 0, 1);
	struct churn_range *own = &known.own.range[0];

	known.own.nr = 1;
	own->start = OWN_START;
	own->end = OWN_START + CHURN_PAGE;
	own->offset = OWN_OFFSET;
	own->id_len = 20;
	memset(own->id, 0x5a, 20);
	memset(&r.addr[0], 0, sizeof(r.addr[0]));
	set_ip(&r, OWN_START + 0x10);
	r.nr_stack = 1;
	expect("program: ID of a test file", &r, CHURN_WRONG_ID);
	memcpy(r.frame[0].id, own->id, 20);
	memset(r.frame[0].id + 20, 0, BUILDIDX_ID_MAX - 20);
	r.frame[0].id_len = 20;
	r.frame[0].offset = OWN_OFFSET + 0x10;
	expect("program: right", &r, CHURN_RIGHT);
	r.frame[0].id_len = 19;
	r.frame[0].id[19] = 0;
	expect("program: ID cut short", &r, CHURN_WRONG_ID);
	set_status(&r, BUILDIDX_STATUS_NO_MAPPING, 0);
	expect("program: said to be unmapped", &r, CHURN_UNEXPLAINED);
	strcpy(r.comm, "bxc-x0");
	set_ip(&r, 0x555555555000ULL);
	set_answer(&r, CHURN_F_EXEC_0, 1, 0x1000);
	set_page(&r.addr[0].before, CHURN_F_EXEC_0, 1, 0x1000);
	r.addr[0].after = r.addr[0].before;
	expect("executed file: right", &r, CHURN_RIGHT);
	set_status(&r, BUILDIDX_STATUS_NOT_INDEXED, 0x1000);
	expect("executed file: unknown while it runs", &r, CHURN_UNEXPLAINED);
	memset(&r.addr[0].before, 0, sizeof(r.addr[0].before));
	memcpy(r.frame[0].id, own->id, 20);
	r.frame[0].id_len = 20;
	r.frame[0].kind = BUILDIDX_KIND_GNU;
	r.frame[0].status = BUILDIDX_STATUS_OK;
	expect("nothing known: ID that is nobody's", &r, CHURN_WRONG_ID);
	known.own.nr = 0;
}

static void check_form(void)
{
	struct churn_record r = good(CHURN_W_SPLIT, 0x40, 1);

	memset(r.frame, 0xee, sizeof(r.frame));
	expect("frame not written", &r, CHURN_UNEXPLAINED);
	r = good(CHURN_W_SPLIT, 0x40, 1);
	r.ret = -22;
	expect("kfunc failed", &r, CHURN_UNEXPLAINED);
	r = good(CHURN_W_SPLIT, 0x40, 1);
	r.frame[0].ip++;
	expect("answer to another address", &r, CHURN_UNEXPLAINED);
	r = good(CHURN_W_SPLIT, 0x40, 1);
	r.frame[0].id[BUILDIDX_ID_MAX - 1] = 1;
	expect("garbage behind the ID", &r, CHURN_UNEXPLAINED);
	r = good(CHURN_W_SPLIT, 0x40, 1);
	memset(r.frame[0].id, 0, BUILDIDX_ID_MAX);
	expect("ID of zeros", &r, CHURN_WRONG_ID);
	r = good(CHURN_W_SPLIT, 0x40, 1);
	set_status(&r, BUILDIDX_STATUS_NO_MM, 0);
	expect("no mm although there is one", &r, CHURN_UNEXPLAINED);
	r.mm = 0;
	expect("no mm", &r, CHURN_EXPLAINED);
	set_answer(&r, CHURN_F_SPLIT, 1, 0x1040);
	expect("an ID without an mm", &r, CHURN_UNEXPLAINED);
}

static void check_kmsg(void)
{
	static const struct {
		const char *text;
		bool splat;
	} lines[] = {
		{ "WARNING: CPU: 1 PID: 77 at mm/mmap.c:700 __vma_adjust+0x1/0x2", true },
		{ "BUG: kernel NULL pointer dereference, address: 0000000000000008", true },
		{ "INFO: task kworker/0:1:9 blocked for more than 120 seconds.", true },
		{ "watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [churn:88]", true },
		{ "rcu: INFO: rcu_preempt self-detected stall on CPU", true },
		{ "bxc-w0[123]: segfault at 0 ip 0000000000401000 sp 00007ffd error 4", true },
		{ "NMI backtrace for cpu 1", false },
		{ "sysrq: Show backtrace of all active CPUs", false },
		{ "Call Trace:", false },
	};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		tried++;
		if (kmsg_is_splat(lines[i].text) == lines[i].splat)
			continue;
		bad++;
		printf("# self-check: kernel log line misjudged: %s\n", lines[i].text);
	}
}

unsigned int churn_selfcheck(unsigned int *cases)
{
	int file;

	memset(&known, 0, sizeof(known));
	tried = bad = 0;
	for (file = 0; file < CHURN_FILES; file++)
		known.begun[file] = 1;
	check_fixed_windows();
	check_holes();
	check_rewritten();
	check_replaced();
	check_programs();
	check_form();
	check_kmsg();
	*cases = tried;
	return bad;
}
