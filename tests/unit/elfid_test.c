// SPDX-License-Identifier: GPL-2.0
/*
 * elfid_test - the parser on every odd and hostile file, in memory: the answer,
 * the bounds, reads that fail, and content that changes between two reads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <elf.h>
#include <errno.h>
#include <cmocka.h>

#include "../hostile/cases.h"
#include "reader.h"

#define PAGE		4096U
/* A content hash costs two reads, anything else is of whole pages. */
#define MOST_READS	(BIDX_READ_MAX / PAGE + 2)

/* All images, built once. */
static struct image *images;

static int build_images(void **state)
{
	size_t i;

	(void)state;
	images = calloc(hostile_case_count, sizeof(*images));
	if (!images)
		return -1;
	for (i = 0; i < hostile_case_count; i++) {
		image_init(&images[i], true, false);
		hostile_cases[i].make(&images[i]);
	}
	return 0;
}

static int free_images(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < hostile_case_count; i++)
		image_free(&images[i]);
	free(images);
	return 0;
}

static const struct image *image_of(const char *name)
{
	size_t i;

	for (i = 0; i < hostile_case_count; i++)
		if (!strcmp(hostile_cases[i].name, name))
			return &images[i];
	fail_msg("no case is named %s", name);
	return NULL;
}

/* What holds for every answer, whatever the file is. */
static bool well_formed(const struct bidx_ident *id)
{
	size_t i;

	if (id->id_len > sizeof(id->id))
		return false;
	for (i = id->id_len; i < sizeof(id->id); i++)
		if (id->id[i])
			return false;

	switch (id->status) {
	case BUILDIDX_STATUS_OK:
		if (id->source != BUILDIDX_SOURCE_PHDR && id->source != BUILDIDX_SOURCE_SHDR)
			return false;
		if (id->kind == BUILDIDX_KIND_GNU)
			return id->id_len >= 1 && id->id_len <= BUILDIDX_ID_MAX;
		return id->kind == BUILDIDX_KIND_GO && id->id_len >= 1 &&
		       id->id[id->id_len - 1];
	case BUILDIDX_STATUS_NO_NOTE:
	case BUILDIDX_STATUS_TOO_LONG:
		return id->kind == BUILDIDX_KIND_HASH && id->id_len == 16 &&
		       id->source == BUILDIDX_SOURCE_CONTENT;
	default:
		return false;
	}
}

static bool is_answer(const struct bidx_ident *id, const struct hostile_case *c,
		      const struct image *img)
{
	uint8_t hash[16];

	if (!well_formed(id) || id->status != c->status || id->kind != c->kind ||
	    id->source != c->source || id->id_len != c->id_len)
		return false;
	if (c->kind != BUILDIDX_KIND_HASH)
		return !memcmp(id->id, c->id, c->id_len);
	image_hash(img, hash);
	return !memcmp(id->id, hash, sizeof(hash));
}

static void answer(void **state)
{
	const struct hostile_case *c = *state;
	const struct image *img = &images[c - hostile_cases];
	struct test_reader t = { .img = img };
	struct bidx_ident id;

	assert_int_equal(test_identify(&t, &id), 0);
	assert_int_equal(id.status, c->status);
	assert_int_equal(id.kind, c->kind);
	assert_int_equal(id.source, c->source);
	assert_int_equal(id.id_len, c->id_len);
	assert_true(is_answer(&id, c, img));

	assert_false(t.broken);
	assert_true(t.bytes <= BIDX_READ_MAX);
	assert_true(t.reads <= MOST_READS);
}

static void self_test(void **state)
{
	void *scratch = malloc(BIDX_SCRATCH_SIZE);

	(void)state;
	assert_non_null(scratch);
	assert_int_equal(bidx_self_test_ident(scratch), 0);
	free(scratch);
}

/* Constants from sha256sum(1), so that two wrong hashes cannot agree. */
static void known_hashes(void **state)
{
	static const struct {
		const char *name;
		uint8_t hash[16];
	} known[] = {
		{ "empty", {
			0xaf, 0x55, 0x70, 0xf5, 0xa1, 0x81, 0x0b, 0x7a,
			0xf7, 0x8c, 0xaf, 0x4b, 0xc7, 0x0a, 0x66, 0x0f } },
		{ "text-1", {
			0x0d, 0x5f, 0x30, 0x0f, 0xff, 0xf7, 0x32, 0x9a,
			0x0a, 0x42, 0x4e, 0x75, 0x9a, 0xe0, 0x6a, 0xfe } },
		{ "text-35", {
			0xd6, 0x4c, 0x7f, 0x85, 0xc0, 0x7e, 0x4d, 0xc0,
			0x2a, 0x8d, 0x78, 0xe7, 0x60, 0x84, 0x3d, 0xa8 } },
		{ "text-4097", {
			0xe1, 0xb5, 0xea, 0x07, 0xb6, 0xde, 0xac, 0x3c,
			0x28, 0xb4, 0xa4, 0x28, 0x0a, 0xdf, 0xef, 0x69 } },
		{ "text-8191", {
			0x36, 0xee, 0xfe, 0x4a, 0x96, 0x8e, 0x8c, 0x75,
			0xa5, 0xc0, 0x6f, 0x90, 0x55, 0xbc, 0xc6, 0x23 } },
		{ "text-100000", {
			0xbf, 0x78, 0xef, 0x4d, 0x45, 0x56, 0x79, 0xfd,
			0xe0, 0x12, 0xfa, 0x91, 0xab, 0xe2, 0x6f, 0x45 } },
		{ "sparse-10g-zeros", {
			0x0c, 0x10, 0xed, 0x47, 0xfe, 0xf1, 0x11, 0xb5,
			0xba, 0x4f, 0x98, 0x7d, 0x10, 0xdf, 0x00, 0xb4 } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct test_reader t = { .img = image_of(known[i].name) };
		struct bidx_ident id;

		assert_int_equal(test_identify(&t, &id), 0);
		if (memcmp(id.id, known[i].hash, 16))
			fail_msg("wrong hash of %s", known[i].name);
	}
}

/* A usual binary costs one page. */
static void few_reads(void **state)
{
	static const struct {
		const char *name;
		u32 reads;
	} known[] = {
		{ "gnu-20", 1 },
		{ "go-83", 1 },
		{ "note-on-later-page", 2 },
		{ "sparse-phdrs-at-end", 3 },
		{ "empty", 0 },
		{ "text-1", 2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct test_reader t = { .img = image_of(known[i].name) };
		struct bidx_ident id;

		assert_int_equal(test_identify(&t, &id), 0);
		if (t.reads != known[i].reads)
			fail_msg("%s: %u reads, expected %u", known[i].name, t.reads,
				 known[i].reads);
	}
}

/* A failing read is handed through, whichever it is. */
static void read_errors(void **state)
{
	static const int errors[] = { -EAGAIN, -EIO, -EINTR, -ENOMEM, -ERANGE };
	size_t i, k;

	(void)state;
	for (i = 0; i < hostile_case_count; i++) {
		struct test_reader t = { .img = &images[i] };
		struct bidx_ident id;
		u32 total;

		assert_int_equal(test_identify(&t, &id), 0);
		total = t.reads;
		for (t.fail_at = 0; t.fail_at < total; t.fail_at++) {
			for (k = 0; k < sizeof(errors) / sizeof(errors[0]); k++) {
				t.fail_with = errors[k];
				if (test_identify(&t, &id) != errors[k])
					fail_msg("%s: error %d of read %u is lost",
						 hostile_cases[i].name, -errors[k], t.fail_at);
				if (t.reads != t.fail_at + 1)
					fail_msg("%s: reads on after a failed read",
						 hostile_cases[i].name);
			}
		}
	}
}

/*
 * Bytes that are gone: a parse without a note that it would have found, or
 * -ENODATA when they are needed for the hash. Never another build ID.
 */
static void shrinking_file(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < hostile_case_count; i++) {
		const struct hostile_case *c = &hostile_cases[i];
		struct test_reader t = { .img = &images[i], .fail_with = -ENODATA };
		struct bidx_ident id;

		t.fail_at = 0;
		do {
			int ret = test_identify(&t, &id);

			if (ret != 0 && ret != -ENODATA)
				fail_msg("%s: %d after -ENODATA", c->name, ret);
			if (t.broken || t.bytes > BIDX_READ_MAX)
				fail_msg("%s: bad reads after -ENODATA", c->name);
			if (ret)
				continue;
			if (!well_formed(&id))
				fail_msg("%s: bad answer after -ENODATA", c->name);
			if (id.status == BUILDIDX_STATUS_OK && c->status != BUILDIDX_STATUS_OK)
				fail_msg("%s: an ID out of nothing", c->name);
			/* phdr-beats-shdr holds two IDs, and loses the first one. */
			if (id.kind == BUILDIDX_KIND_GNU && strcmp(c->name, "phdr-beats-shdr") &&
			    !is_answer(&id, c, &images[i]))
				fail_msg("%s: another ID", c->name);
		} while (t.failed && ++t.fail_at);
	}
}

/* Both reads of the hash hand -ENODATA through. */
static void shrinking_hash(void **state)
{
	struct test_reader t = { .img = image_of("text-8193") };
	struct bidx_ident id;

	(void)state;
	assert_int_equal(test_identify(&t, &id), 0);
	assert_int_equal(t.reads, 3);
	t.fail_with = -ENODATA;
	t.fail_at = 0;
	assert_int_equal(test_identify(&t, &id), 0);
	t.fail_at = 1;
	assert_int_equal(test_identify(&t, &id), -ENODATA);
	t.fail_at = 2;
	assert_int_equal(test_identify(&t, &id), -ENODATA);
}

/*
 * The page of the last note is gone, and the read of it has spoilt the copy of
 * the page before. The search of the sections needs that page again.
 */
static void spoilt_copy(void **state)
{
	struct entry segment = { .type = PT_NOTE, .align = 4 };
	struct entry section = { .type = SHT_NOTE, .align = 4, .size = 36 };
	struct image img;
	struct test_reader t = { .img = &img, .fail_at = 3, .fail_with = -ENODATA };
	struct bidx_ident id;

	(void)state;
	image_init(&img, true, false);
	image_elf_header(&img);
	image_pad_to(&img, PAGE);
	section.offset = image_gnu_note(&img, "0123456789abcdefghij", 20);
	segment.offset = image_other_note(&img, PAGE);
	image_other_note(&img, 4);
	segment.size = img.size - segment.offset;
	image_pad_to(&img, 3 * PAGE);
	image_phdrs(&img, &segment, 1);
	image_shdrs(&img, &section, 1);

	assert_int_equal(test_identify(&t, &id), 0);
	assert_true(t.failed);
	assert_int_equal(id.kind, BUILDIDX_KIND_GNU);
	assert_int_equal(id.source, BUILDIDX_SOURCE_SHDR);
	assert_memory_equal(id.id, "0123456789abcdefghij", 20);
	image_free(&img);
}

/* Every file turns into its neighbours in the list after every read. */
static void changing_file(void **state)
{
	size_t i, step;

	(void)state;
	for (i = 0; i < hostile_case_count; i++) {
		for (step = 1; step <= 16; step++) {
			const struct image *next = &images[(i + step) % hostile_case_count];
			struct test_reader t = { .img = &images[i], .next = next };
			struct bidx_ident id;
			u32 total = 1;

			for (t.change_at = 0; t.change_at < total && t.change_at < 8; t.change_at++) {
				int ret = test_identify(&t, &id);

				if (t.reads > total)
					total = t.reads;
				if (ret && ret != -ENODATA)
					fail_msg("%s: %d while changing", hostile_cases[i].name, ret);
				if (t.broken || t.bytes > BIDX_READ_MAX)
					fail_msg("%s: bad reads while changing",
						 hostile_cases[i].name);
				if (!ret && !well_formed(&id))
					fail_msg("%s: bad answer while changing",
						 hostile_cases[i].name);
			}
		}
	}
}

static void build_twin(struct image *img, uint8_t fill)
{
	struct entry e = { .type = PT_NOTE, .align = 4, .size = 36 };
	uint8_t id[20];

	memset(id, fill, sizeof(id));
	image_init(img, true, false);
	image_elf_header(img);
	image_pad_to(img, 3 * PAGE + 8);
	e.offset = image_gnu_note(img, id, sizeof(id));
	image_pad_to(img, 5 * PAGE);
	image_phdrs(img, &e, 1);
}

/* Rewritten in place between two reads: one file's ID or the other's, no mixture. */
static void rewritten_file(void **state)
{
	struct image old, new;
	struct test_reader t = { .img = &old, .next = &new };
	struct bidx_ident id;
	int seen_old = 0, seen_new = 0;

	(void)state;
	build_twin(&old, 0x11);
	build_twin(&new, 0x22);
	for (t.change_at = 0; t.change_at < 4; t.change_at++) {
		assert_int_equal(test_identify(&t, &id), 0);
		assert_int_equal(id.kind, BUILDIDX_KIND_GNU);
		assert_int_equal(id.id_len, 20);
		assert_memory_equal(id.id, id.id + 1, 19);
		if (id.id[0] == 0x11)
			seen_old++;
		else if (id.id[0] == 0x22)
			seen_new++;
	}
	image_free(&old);
	image_free(&new);
	assert_int_equal(seen_old, 1);
	assert_int_equal(seen_new, 3);
}

/* Pages are asked for one by one and aligned: nothing that is not needed is touched. */
static int aligned_read(void *ctx, u64 off, void *buf, size_t len)
{
	const struct image *img = ctx;

	if (off % PAGE || len > PAGE || (len < PAGE && off + len != img->size))
		return -EDOM;
	image_read(img, off, buf, len);
	return 0;
}

static void aligned_pages(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < hostile_case_count; i++) {
		const struct bidx_reader r = {
			.read = aligned_read, .ctx = &images[i], .size = images[i].size,
		};
		struct bidx_ident id;
		void *scratch;
		int ret;

		/* The tail of the hash is not aligned. */
		if (hostile_cases[i].kind == BUILDIDX_KIND_HASH)
			continue;
		scratch = malloc(BIDX_SCRATCH_SIZE);
		assert_non_null(scratch);
		ret = bidx_identify(&r, &id, scratch);
		free(scratch);
		if (ret)
			fail_msg("%s: a read that is not one page", hostile_cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(self_test),
		cmocka_unit_test(known_hashes),
		cmocka_unit_test(few_reads),
		cmocka_unit_test(aligned_pages),
		cmocka_unit_test(read_errors),
		cmocka_unit_test(shrinking_file),
		cmocka_unit_test(shrinking_hash),
		cmocka_unit_test(spoilt_copy),
		cmocka_unit_test(changing_file),
		cmocka_unit_test(rewritten_file),
	};
	struct CMUnitTest *answers = calloc(hostile_case_count, sizeof(*answers));
	int failed;
	size_t i;

	if (!answers)
		return 1;
	for (i = 0; i < hostile_case_count; i++)
		answers[i] = (struct CMUnitTest) {
			.name = hostile_cases[i].name,
			.test_func = answer,
			.initial_state = (void *)&hostile_cases[i],
		};

	failed = cmocka_run_group_tests_name("elfid", fixed, build_images, free_images);
	/* The macro counts the elements of an array, which this is not. */
	failed += _cmocka_run_group_tests("elfid answers", answers, hostile_case_count,
					  build_images, free_images);
	free(answers);
	return failed ? 1 : 0;
}
