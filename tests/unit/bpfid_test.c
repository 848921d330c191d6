// SPDX-License-Identifier: GPL-2.0
/*
 * bpfid_test - which bytes make the build ID of a BPF program, and which records are
 * refused before their offsets are followed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <nettle/sha2.h>

#include "../hostile/record.h"

/* What was given to the hash. */
struct fed {
	uint8_t bytes[512];
	size_t len;
};

static void fed_add(void *ctx, const void *bytes, size_t len)
{
	struct fed *fed = ctx;

	assert_true(len <= sizeof(fed->bytes) - fed->len);
	memcpy(fed->bytes + fed->len, bytes, len);
	fed->len += len;
}

static void feed(const struct record *r, struct fed *fed)
{
	const struct bidx_hash hash = { .add = fed_add, .ctx = fed };

	fed->len = 0;
	assert_true(bidx_rec_bpf_check(&r->bpf, sizeof(*r)));
	bidx_bpf_id_feed(&r->bpf, &hash);
}

static void build_id(const struct record *r, uint8_t id[BUILDIDX_BPF_ID_LEN])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	struct fed fed;

	feed(r, &fed);
	sha256_init(&ctx);
	sha256_update(&ctx, fed.len, fed.bytes);
	sha256_digest(&ctx, sizeof(digest), digest);
	memcpy(id, digest, BUILDIDX_BPF_ID_LEN);
}

#define U32(low, high)	(low), (high), 0, 0

/* The test vector, in the words of buildidx_record.h. */
static const uint8_t expected_bytes[] = {
	'b', 'i', 'd', 'x', 'b', 'p', 'f', 0,
	U32(2, 0),					/* functions */
	'm', 'a', 'i', 'n', 0, U32(0x1c, 0), U32(3, 0),	/* name, length, lines */
	U32(0, 0), U32(7, 0), U32(2, 0), U32(0, 0),	/* offset, line, column, what is equal */
	'a', '.', 'c', 0, 'i', 'n', 't', ' ', 'x', ';', 0,
	U32(4, 0), U32(8, 0), U32(0, 0), U32(3, 0),	/* file and text as before */
	U32(9, 0), U32(2, 1), U32(1, 0), U32(0, 0),
	'b', '.', 'h', 0, 'r', 'e', 't', 'u', 'r', 'n', ' ', 'x', ';', 0,
	's', 'u', 'b', 0, U32(0x10, 0), U32(1, 0),
	U32(0, 0), U32(2, 1), U32(1, 0), U32(0, 0),	/* no line before in this function */
	'b', '.', 'h', 0, 'r', 'e', 't', 'u', 'r', 'n', ' ', 'x', ';', 0,
};

static const uint8_t expected_id[BUILDIDX_BPF_ID_LEN] = {
	0xbb, 0x85, 0x97, 0x35, 0x17, 0x06, 0x9b, 0x44, 0x08, 0xb7,
	0x65, 0xfa, 0x31, 0x73, 0xf4, 0x22, 0xa2, 0xa7, 0x74, 0x69,
};

static void test_vector(void **state)
{
	uint8_t id[BUILDIDX_BPF_ID_LEN];
	struct record r;
	struct fed fed;

	(void)state;
	record_init(&r);
	feed(&r, &fed);
	assert_int_equal(fed.len, sizeof(expected_bytes));
	assert_memory_equal(fed.bytes, expected_bytes, sizeof(expected_bytes));
	build_id(&r, id);
	assert_memory_equal(id, expected_id, sizeof(id));
}

static void set_u8(void *at, uint64_t value)
{
	*(uint8_t *)at = value;
}

static void set_u16(void *at, uint64_t value)
{
	*(uint16_t *)at = value;
}

static void set_u32(void *at, uint64_t value)
{
	*(uint32_t *)at = value;
}

static void set_u64(void *at, uint64_t value)
{
	*(uint64_t *)at = value;
}

struct change {
	const char *what;
	size_t at;
	void (*set)(void *at, uint64_t value);
	uint64_t value;
};

#define CHANGE(member, bits, value) \
	{ #member " = " #value, offsetof(struct record, member), set_u##bits, value }

/* What makes another program. */
static const struct change differing[] = {
	CHANGE(func[0].len, 32, 0x1d),
	CHANGE(func[1].name, 32, 1),
	CHANGE(line[1].off, 32, 5),
	CHANGE(line[0].line, 32, 8),
	CHANGE(line[0].col, 32, 3),
	CHANGE(line[2].file, 32, 10),
	CHANGE(line[0].text, 32, 32),
	CHANGE(strings[1], 8, 'M'),
	CHANGE(strings[10], 8, 'A'),
	CHANGE(strings[30], 8, 'y'),		/* the second "int x;" */
	CHANGE(strings[39], 8, 'y'),
};

/* What does not: where and when it ran, what it was given. */
static const struct change same[] = {
	CHANGE(bpf.object, 64, 99),
	CHANGE(bpf.id, 32, 99),
	CHANGE(bpf.load_time, 64, 99),
	CHANGE(bpf.tag[0], 8, 99),
	CHANGE(bpf.comm[0], 8, 'x'),
	CHANGE(func[0].addr, 64, 0xffffffffc0003000),
	CHANGE(func[1].image, 32, 16),
	CHANGE(map[0], 32, 99),
	CHANGE(image[0], 8, 0xcc),
	CHANGE(line[1].text, 32, 18),		/* equal, at another place */
};

/* What no reader may follow. */
static const struct change broken[] = {
	CHANGE(bpf.rec.size, 32, sizeof(struct record) + 8),
	CHANGE(bpf.rec.size, 32, sizeof(struct record) - 4),
	CHANGE(bpf.rec.size, 32, sizeof(struct buildidx_rec_bpf) - 8),
	CHANGE(bpf.rec.size, 32, 0),
	CHANGE(bpf.rec.fixed, 16, sizeof(struct buildidx_rec_bpf) - 8),
	CHANGE(bpf.rec.fixed, 16, 0xffff),
	CHANGE(bpf.name, 32, sizeof(((struct record *)0)->strings)),
	CHANGE(bpf.attach_name, 32, 0xffffffff),
	CHANGE(bpf.func_each, 16, 0),
	CHANGE(bpf.func_each, 16, 4),
	CHANGE(bpf.func_each, 16, 36),
	CHANGE(bpf.line_each, 16, 0),
	CHANGE(bpf.line_each, 16, 4),
	CHANGE(bpf.line_each, 16, 22),
	CHANGE(bpf.funcs.off, 32, 8),
	CHANGE(bpf.funcs.off, 32, 0),
	CHANGE(bpf.funcs.off, 32, 0xfffffff8),
	CHANGE(bpf.funcs.len, 32, 0xffffffe0),
	CHANGE(bpf.lines.off, 32, sizeof(struct record)),
	CHANGE(bpf.lines.len, 32, 3 * sizeof(struct buildidx_bpf_line)),
	CHANGE(bpf.lines.off, 32, offsetof(struct record, line) + 4),
	CHANGE(bpf.maps.len, 32, 6),
	CHANGE(bpf.maps.off, 32, 0xfffffff8),
	CHANGE(bpf.image.len, 32, sizeof(struct record)),
	CHANGE(bpf.strings.len, 32, 0),
	CHANGE(bpf.strings.len, 32, 9),		/* ends in the middle of a text */
	CHANGE(bpf.strings.len, 32, 0xffffffff),
	CHANGE(strings[0], 8, 'x'),
	CHANGE(strings[63], 8, 'x'),
	CHANGE(func[0].name, 32, 0xfffffff0),
	CHANGE(func[0].line, 32, 1),
	CHANGE(func[0].lines, 32, 2),
	CHANGE(func[1].lines, 32, 0xffffffff),
	CHANGE(func[0].image, 32, 0xfffffff0),
	CHANGE(func[1].len, 32, 0x11),
	CHANGE(line[3].file, 32, 64),
	CHANGE(line[3].text, 32, 0x80000000),
};

static void apply(struct record *r, const struct change *c)
{
	record_init(r);
	c->set((char *)r + c->at, c->value);
}

static void other_id(void **state)
{
	const struct change *c = *state;
	uint8_t id[BUILDIDX_BPF_ID_LEN];
	struct record r;

	apply(&r, c);
	build_id(&r, id);
	assert_memory_not_equal(id, expected_id, sizeof(id));
}

static void same_id(void **state)
{
	const struct change *c = *state;
	uint8_t id[BUILDIDX_BPF_ID_LEN];
	struct record r;

	apply(&r, c);
	build_id(&r, id);
	assert_memory_equal(id, expected_id, sizeof(id));
}

static void refused(void **state)
{
	const struct change *c = *state;
	struct record r;

	apply(&r, c);
	assert_false(bidx_rec_bpf_check(&r.bpf, sizeof(r)));
}

/* Every length but the whole is too short. */
static void truncated(void **state)
{
	struct record r;
	size_t len;

	(void)state;
	record_init(&r);
	for (len = 0; len < sizeof(r); len++) {
		void *part = malloc(len ? len : 1);

		assert_non_null(part);
		memcpy(part, &r, len);
		assert_false(bidx_rec_bpf_check(part, len));
		free(part);
	}
}

/* Many lines may name one text, so that is bounded. */
static void long_text(void **state)
{
	const size_t room = 2048;
	struct record *r = calloc(1, sizeof(*r) + room);
	char *strings;

	(void)state;
	assert_non_null(r);
	record_init(r);
	r->bpf.rec.size += room;
	r->bpf.strings.off = sizeof(*r);
	r->bpf.strings.len = room;
	strings = (char *)r + sizeof(*r);
	memset(strings + 1, 'x', BUILDIDX_REC_TEXT_MAX - 1);
	assert_true(bidx_rec_bpf_check(&r->bpf, r->bpf.rec.size));
	strings[BUILDIDX_REC_TEXT_MAX] = 'x';
	assert_false(bidx_rec_bpf_check(&r->bpf, r->bpf.rec.size));
	free(r);
}

/* A program without JIT, lines, image and maps. */
static void least(void **state)
{
	struct record r;

	(void)state;
	record_init(&r);
	r.bpf.funcs.len = sizeof(r.func[0]);
	r.func[0].lines = 0;
	r.bpf.lines = r.bpf.image = r.bpf.maps = (struct buildidx_sect) {};
	assert_true(bidx_rec_bpf_check(&r.bpf, sizeof(r)));
}

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static void add(struct CMUnitTest *tests, const struct change *changes, size_t n,
		CMUnitTestFunction function)
{
	size_t i;

	for (i = 0; i < n; i++)
		tests[i] = (struct CMUnitTest) {
			.name = changes[i].what,
			.test_func = function,
			.initial_state = (void *)&changes[i],
		};
}

int main(void)
{
	const struct CMUnitTest fixed[] = {
		cmocka_unit_test(test_vector),
		cmocka_unit_test(truncated),
		cmocka_unit_test(long_text),
		cmocka_unit_test(least),
	};
	struct CMUnitTest changed[COUNT(differing) + COUNT(same) + COUNT(broken)];
	int failed;

	add(changed, differing, COUNT(differing), other_id);
	add(changed + COUNT(differing), same, COUNT(same), same_id);
	add(changed + COUNT(differing) + COUNT(same), broken, COUNT(broken), refused);
	failed = cmocka_run_group_tests_name("bpfid", fixed, NULL, NULL);
	failed += cmocka_run_group_tests_name("bpfid changes", changed, NULL, NULL);
	return failed ? 1 : 0;
}
