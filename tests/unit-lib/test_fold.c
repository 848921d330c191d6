// SPDX-License-Identifier: GPL-2.0
/*
 * test_fold - stacks as lines, and lines taken apart
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libbuildidx.h"
#include "profile_fold.h"
#include "profile_report.h"

static const char *id_text(void *ctx, uint64_t object)
{
	static const char *const ids[] = {
		NULL, "aabb", "hash:00ff", "go:x\\073y", "bpf:11ee", "[bpf_trampoline_7]",
	};

	(void)ctx;
	return object < sizeof(ids) / sizeof(ids[0]) ? ids[object] : NULL;
}

static void assert_line(const struct profile_stack *stack, const char *expected)
{
	char *line = fold_stack(stack, id_text, NULL);

	assert_string_equal(line, expected);
	free(line);
}

static void test_outermost_first(void **state)
{
	struct profile_stack s = {
		.comm = "make", .nr = 3,
		.frames = { { 1, 0x10 }, { 2, 0x20 }, { 3, 0xffffffffffffffff } },
	};

	(void)state;
	assert_line(&s, "make;go:x\\073y+0xffffffffffffffff;hash:00ff+0x20;aabb+0x10");
	s.flags = PROFILE_IN_KERNEL | PROFILE_USER_ONLY;
	assert_line(&s, "make;go:x\\073y+0xffffffffffffffff;hash:00ff+0x20;aabb+0x10;[kernel]");
	s.flags = PROFILE_TRUNCATED;
	assert_line(&s, "make;[truncated];go:x\\073y+0xffffffffffffffff;hash:00ff+0x20;aabb+0x10");
}

static void test_kernel_frames_come_last(void **state)
{
	struct profile_stack s = {
		.comm = "cat", .nr = 5, .nr_kernel = 3, .flags = PROFILE_IN_KERNEL,
		.frames = { { 4, 0x10 }, { 5, 0x7 }, { 1, 0xffffffff81000010 }, { 1, 0x20 }, { 0, 3 } },
	};

	(void)state;
	assert_line(&s, "cat;[anon];aabb+0x20;aabb+0xffffffff81000010_[k];[bpf_trampoline_7]_[k];bpf:11ee+0x10_[b]");
	s.flags |= PROFILE_CUT;
	assert_line(&s, "cat;[anon];aabb+0x20;[truncated]_[k];aabb+0xffffffff81000010_[k];[bpf_trampoline_7]_[k];bpf:11ee+0x10_[b]");
	s.flags = PROFILE_IN_KERNEL | PROFILE_TRUNCATED | PROFILE_NO_STACK;
	s.nr = 3;
	assert_line(&s, "cat;[truncated];[no-stack];aabb+0xffffffff81000010_[k];[bpf_trampoline_7]_[k];bpf:11ee+0x10_[b]");
	/* statuses, and what only has an address */
	s.flags = PROFILE_IN_KERNEL;
	s.nr_kernel = s.nr;
	s.frames[0] = (struct profile_frame){ 0, BUILDIDX_STATUS_KERNEL };
	s.frames[1] = (struct profile_frame){ PROFILE_ADDRESS, 0xffffffffa0001234 };
	assert_line(&s, "cat;aabb+0xffffffff81000010_[k];kernel+0xffffffffa0001234_[k];[kernel-address]_[k]");
}

static void test_one_half_alone(void **state)
{
	struct profile_stack s = { .comm = "x", .nr = 1, .frames = { { 1, 0x10 } } };

	(void)state;
	s.flags = PROFILE_IN_KERNEL | PROFILE_USER_ONLY;
	assert_line(&s, "x;aabb+0x10;[kernel]");
	s.flags = PROFILE_USER_ONLY;
	assert_line(&s, "x;aabb+0x10");
	s.nr_kernel = 1;
	s.flags = PROFILE_IN_KERNEL | PROFILE_KERNEL_ONLY;
	assert_line(&s, "x;aabb+0x10_[k]");
	s.nr = 0;
	s.nr_kernel = 0;
	s.flags = PROFILE_KERNEL_ONLY;
	assert_line(&s, "x;[user]");
}

static void test_whose_code(void **state)
{
	static const struct {
		const char *text;
		enum fold_origin origin;
	} all[] = {
		{ "main", FOLD_IN_USER }, { "ab+0x1", FOLD_IN_USER }, { "[anon]", FOLD_IN_USER },
		{ "[kernel]", FOLD_IN_KERNEL }, { "ab+0x1_[k]", FOLD_IN_KERNEL },
		{ "schedule_[k]", FOLD_IN_KERNEL }, { "[raced]_[k]", FOLD_IN_KERNEL },
		{ "bpf:ab+0x1_[b]", FOLD_IN_BPF }, { "prog_[b]", FOLD_IN_BPF },
		{ "f_[i]", FOLD_IS_INLINED }, { "", FOLD_IN_USER }, { "_[k]", FOLD_IN_USER },
		{ "[user]", FOLD_IN_USER },
	};
	struct fold_frame f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		assert_int_equal(fold_origin_of(all[i].text, strlen(all[i].text)), all[i].origin);
	assert_true(fold_parse_frame("ab+0x12_[k]", 11, &f));
	assert_true(f.origin == FOLD_IN_KERNEL && f.offset == 0x12 && f.id_len == 2 && !f.is_address);
	assert_true(fold_parse_frame("bpf:ab+0x12_[b]", 15, &f));
	assert_true(f.origin == FOLD_IN_BPF && f.offset == 0x12 && f.id_len == 6);
	assert_true(fold_parse_frame("kernel+0xffffffff81000000_[k]", 29, &f));
	assert_true(f.is_address && f.offset == 0xffffffff81000000);
	/* of user code that is a name */
	assert_false(fold_parse_frame("kernel+0xffffffff81000000", 25, &f));
	assert_false(fold_parse_frame("bpf:xy+0x1_[b]", 14, &f));
	assert_false(fold_parse_frame("bpf:+0x1_[b]", 12, &f));
	assert_false(fold_parse_frame("ab+0x12_[i]", 11, &f));
}

static void test_every_status_has_a_token_of_its_own(void **state)
{
	struct profile_stack s = { .comm = "x", .nr = 1 };
	char *seen[BUILDIDX_STATUS_COUNT];
	int i, j;

	(void)state;
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++) {
		s.frames[0].value = i;
		seen[i] = fold_stack(&s, id_text, NULL);
		assert_memory_equal(seen[i], "x;[", 3);
		assert_null(strstr(seen[i], "unknown"));
		/* [kernel] means something else */
		assert_string_not_equal(seen[i], "x;[kernel]");
		for (j = 0; j < i; j++)
			assert_string_not_equal(seen[i], seen[j]);
	}
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++)
		free(seen[i]);
	s.frames[0].value = PROFILE_UNRECORDED;
	assert_line(&s, "x;[unrecorded]");
	s.frames[0].value = PROFILE_UNRESOLVED;
	assert_line(&s, "x;[unresolved]");
	/* a number that nobody knows is no ID, and not its offset either */
	s.frames[0].object = 77;
	s.frames[0].value = 3;
	assert_line(&s, "x;[unrecorded]");
}

static void test_without_frames(void **state)
{
	struct profile_stack s = { .comm = "kworker/0:1", .flags = PROFILE_IN_KERNEL | PROFILE_USER_ONLY };

	(void)state;
	assert_line(&s, "kworker/0:1;[kernel]");
	s.flags = PROFILE_NO_STACK;
	assert_line(&s, "kworker/0:1;[no-stack]");
}

static void test_names_separate_nothing(void **state)
{
	struct profile_stack s = { .nr = 1, .frames = { { 1, 1 } } };

	(void)state;
	memcpy(s.comm, "a b;c\n\\\xff 9", 11);
	assert_line(&s, "a\\040b\\073c\\012\\134\\377\\0409;aabb+0x1");
	/* all bytes used, no NUL */
	memset(s.comm, 'z', sizeof(s.comm));
	assert_line(&s, "zzzzzzzzzzzzzzzz;aabb+0x1");
}

static void test_a_wrong_number_of_frames_is_bounded(void **state)
{
	struct profile_stack *s = calloc(1, sizeof(*s));
	char *line;

	(void)state;
	assert_non_null(s);
	s->nr = UINT32_MAX;
	line = fold_stack(s, id_text, NULL);
	assert_int_equal(strlen(line), PROFILE_FRAMES * strlen(";[ok]"));
	free(line);
	free(s);
}

static void test_ids(void **state)
{
	static const unsigned char id[32] = { 0xab, 0xcd };
	char *text;

	(void)state;
	text = fold_id(BUILDIDX_KIND_GNU, id, 2, 2);
	assert_string_equal(text, "abcd");
	free(text);
	text = fold_id(BUILDIDX_KIND_HASH, id, 2, 2);
	assert_string_equal(text, "hash:abcd");
	free(text);
	text = fold_id(BUILDIDX_KIND_GO, "a;b c", 5, 83);
	assert_string_equal(text, "go:a\\073b\\040c...");
	free(text);
}

static void test_frames_are_taken_apart(void **state)
{
	static const struct {
		const char *text;
		size_t id_len;
		uint64_t offset;
	} good[] = {
		{ "ab+0x0", 2, 0 },
		{ "00112233445566778899aabbccddeeff01234500+0x1a2b", 40, 0x1a2b },
		{ "hash:00ff+0xffffffffffffffff", 9, UINT64_MAX },
		{ "go:a/b+0x1/c+0x2", 12, 2 },
	};
	static const char *const bad[] = {
		"", "+0x1", "ab", "ab+", "ab+0x", "ab+1", "abc+0x1", "AB+0x1", "ab+0xG", "ab+0x1 ",
		"hash:+0x1", "go:+0x1", "hash:xy+0x1", "main", "[kernel]", "[anon]", "f+0x1",
		"operator+", "ab+0x11111111111111111",
		"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff00+0x1",
	};
	struct fold_frame f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(fold_parse_frame(good[i].text, strlen(good[i].text), &f));
		assert_ptr_equal(f.id, good[i].text);
		assert_int_equal(f.id_len, good[i].id_len);
		assert_true(f.offset == good[i].offset);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(fold_parse_frame(bad[i], strlen(bad[i]), &f));
	/* it ends where it is said to */
	assert_true(fold_parse_frame("ab+0x12;", 6, &f));
	assert_true(f.offset == 1);
}

static void test_lines_are_taken_apart(void **state)
{
	static const char *const bad[] = {
		"", " ", "x", " 1", "x ", "x 1a", "x -1", "x 99999999999999999999999",
	};
	char line[64];
	uint64_t count;
	size_t i;

	(void)state;
	strcpy(line, "a b;c 12");
	assert_true(fold_parse_line(line, &count));
	assert_string_equal(line, "a b;c");
	assert_true(count == 12);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(line, bad[i]);
		assert_false(fold_parse_line(line, &count));
	}
}

static void test_equal_lines_are_one(void **state)
{
	struct fold *f = fold_new();
	char *text;
	size_t size;
	FILE *out;

	(void)state;
	fold_add(f, "b", 1);
	fold_add(f, "a", UINT32_MAX);
	fold_add(f, "b", 2);
	fold_add(f, "a", 1);
	assert_int_equal(fold_lines(f), 2);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	fold_print(f, out);
	fclose(out);
	assert_string_equal(text, "a 4294967296\nb 3\n");
	free(text);
	fold_free(f);
}

static char *report_of(const struct profile_report *r)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	profile_report_print(r, out);
	fclose(out);
	return text;
}

static void test_report_hides_nothing(void **state)
{
	struct profile_report r = {
		.clock = "cycles", .hz = 99, .cpus = 2, .kfunc = true, .stock = true,
		.missed = 3, .user = true, .kernel = true,
	};
	struct profile_counts *c = &r.counts;
	unsigned int i;
	char *text;

	(void)state;
	c->lost_full = 4;
	c->lost_busy = 5;
	c->no_kernel = 6;
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++) {
		c->frames += c->status[i] = 1000 + i;
		c->kernel_frames += c->kernel_status[i] = 2000 + i;
	}
	text = report_of(&r);
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++) {
		char line[64];

		snprintf(line, sizeof(line), "  %-14s %10u  ", buildidx_status_name(i), 1000 + i);
		assert_non_null(strstr(text, line));
		snprintf(line, sizeof(line), "  %-14s %10u  ", buildidx_status_name(i), 2000 + i);
		assert_non_null(strstr(text, line));
	}
	assert_non_null(strstr(text, "    no-kernel             6"));
	assert_non_null(strstr(text, "  lost                   12  of these:"));
	assert_non_null(strstr(text, "    table-full            4"));
	assert_non_null(strstr(text, "    table-busy            5"));
	assert_non_null(strstr(text, "    missed                3"));
	assert_null(strstr(text, "not known  another BPF"));
	/* all but no-mm, no-mapping, anon, special, kernel, generated; with an ID: ok, too-long, no-note */
	assert_non_null(strstr(text, "in files: 10083, of these without an ID: 7064"));
	free(text);
}

static void test_none_lost_is_said_when_it_is_known(void **state)
{
	struct profile_report r = { .clock = "cycles", .missed_known = true };
	char *text;

	(void)state;
	text = report_of(&r);
	assert_non_null(strstr(text, "  lost                    0  none\n"));
	assert_null(strstr(text, "missed"));
	free(text);
	r.missed_known = false;
	text = report_of(&r);
	assert_null(strstr(text, "  none\n"));
	assert_non_null(strstr(text, "    missed        not known  another BPF program"));
	free(text);
}

/* What the clock should have given is there, and what became of it adds up. */
static void test_report_of_what_was_expected(void **state)
{
	struct profile_report r = {
		.clock = "cpu-clock", .missed_known = true, .missed = 1, .expected = 100, .targets = true,
	};
	char *text;

	(void)state;
	r.counts.kept = 50;
	r.counts.idle = 20;
	r.counts.other = 10;
	r.counts.lost_busy = 2;
	r.counts.caught = 7;
	text = report_of(&r);
	assert_non_null(strstr(text, "  expected              100  by the clock"));
	assert_non_null(strstr(text, "  late                   17  of these"));
	assert_non_null(strstr(text, "  caught                  7  met another BPF program"));
	free(text);
	/* the clock's rounding must not make a negative number of it */
	r.expected = 82;
	text = report_of(&r);
	assert_null(strstr(text, "  late  "));
	free(text);
	r.expected = 0;
	text = report_of(&r);
	assert_null(strstr(text, "expected"));
	free(text);
}

/* The stock helper's IDs for addresses where nothing is mapped are no answers. */
static void test_report_of_the_stock_helper(void **state)
{
	struct profile_report r = { .clock = "cpu-clock", .stock = true, .user = true };
	char *text;

	(void)state;
	r.counts.frames = 100;
	r.counts.stock = 60;
	r.counts.stock_no_file = 15;
	text = report_of(&r);
	assert_non_null(strstr(text, "  ok                     60  "));
	assert_non_null(strstr(text, "  no-file                15  "));
	assert_non_null(strstr(text, "  unresolved             25  "));
	free(text);
}

static void test_counts_do_not_wrap(void **state)
{
	struct fold *f = fold_new();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	fold_add(f, "a", UINT64_MAX - 1);
	fold_add(f, "a", 2);
	fold_print(f, out);
	fclose(out);
	assert_string_equal(text, "a 18446744073709551615\n");
	free(text);
	fold_free(f);
}

static void test_comparison(void **state)
{
	struct profile_report r = { .clock = "cycles", .kfunc = true, .stock = true, .user = true };
	char *text;

	(void)state;
	r.counts.frames = 300;
	r.counts.status[BUILDIDX_STATUS_OK] = 200;
	r.counts.status[BUILDIDX_STATUS_ANON] = 100;
	r.counts.stock = 50;
	r.counts.both = 50;
	r.counts.stock_no_file = 7;
	text = report_of(&r);
	assert_non_null(strstr(text, "compared: 200 frames in files"));
	assert_non_null(strstr(text, "  stock helper           50  25.00%\n"));
	assert_non_null(strstr(text, "  buildidx              200 100.00%\n"));
	assert_non_null(strstr(text, "answered by both: 50, differently: 0\n"));
	assert_non_null(strstr(text, "gave an ID to 7 frames where no file is mapped"));
	assert_null(strstr(text, "kernel frames"));
	free(text);
	r.kernel = true;
	r.counts.kernel_frames = 80;
	r.counts.kernel_status[BUILDIDX_STATUS_OK] = 60;
	r.counts.kernel_status[BUILDIDX_STATUS_GENERATED] = 20;
	text = report_of(&r);
	assert_non_null(strstr(text, "kernel frames: 80, resolved by buildidx\n"));
	assert_non_null(strstr(text, "  generated              20  "));
	assert_non_null(strstr(text, "compared: 80 kernel frames"));
	assert_non_null(strstr(text, "  stock helper            0   0.00%\n"));
	assert_non_null(strstr(text, "  buildidx               60  75.00%\n"));
	free(text);
	r.stock = false;
	text = report_of(&r);
	assert_null(strstr(text, "compared"));
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outermost_first),
		cmocka_unit_test(test_kernel_frames_come_last),
		cmocka_unit_test(test_one_half_alone),
		cmocka_unit_test(test_whose_code),
		cmocka_unit_test(test_every_status_has_a_token_of_its_own),
		cmocka_unit_test(test_without_frames),
		cmocka_unit_test(test_names_separate_nothing),
		cmocka_unit_test(test_a_wrong_number_of_frames_is_bounded),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_frames_are_taken_apart),
		cmocka_unit_test(test_lines_are_taken_apart),
		cmocka_unit_test(test_equal_lines_are_one),
		cmocka_unit_test(test_report_hides_nothing),
		cmocka_unit_test(test_none_lost_is_said_when_it_is_known),
		cmocka_unit_test(test_report_of_what_was_expected),
		cmocka_unit_test(test_report_of_the_stock_helper),
		cmocka_unit_test(test_counts_do_not_wrap),
		cmocka_unit_test(test_comparison),
	};

	return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
