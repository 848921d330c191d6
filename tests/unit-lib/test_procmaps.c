// SPDX-License-Identifier: GPL-2.0
/*
 * test_procmaps - lines of /proc/PID/maps, operands of the command line, JSON
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procmaps.h"
#include "tool.h"

static bool parse(const char *text, struct mapping *m, char **line)
{
	free(*line);
	*line = strdup(text);
	assert_non_null(*line);
	return parse_mapping(*line, m);
}

static void test_lines(void **state)
{
	struct mapping m;
	char *line = NULL;

	(void)state;
	assert_true(parse("55d0c8a4e000-55d0c8b4f000 r-xp 0002f000 fe:10 1234567      /usr/bin/a b (deleted)\n",
			  &m, &line));
	assert_int_equal(m.start, 0x55d0c8a4e000);
	assert_int_equal(m.end, 0x55d0c8b4f000);
	assert_int_equal(m.offset, 0x2f000);
	assert_int_equal(m.dev, makedev(0xfe, 0x10));
	assert_int_equal(m.ino, 1234567);
	assert_true(m.executable);
	assert_string_equal(m.name, "/usr/bin/a b (deleted)");
	assert_int_equal(mapping_kind_of(&m), MAPPING_FILE);

	/* The whole range of each number. */
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp ffffffffffffffff 00:00 18446744073709551615 /x\n",
			  &m, &line));
	assert_int_equal(m.ino, UINT64_MAX);
	assert_int_equal(m.offset, UINT64_MAX);

	/* Nothing after the inode but the kernel's space. */
	assert_true(parse("7f00-7f01 rw-p 00000000 00:00 0 \n", &m, &line));
	assert_false(m.executable);
	assert_string_equal(m.name, "");
	assert_int_equal(mapping_kind_of(&m), MAPPING_ANON);

	assert_true(parse("7f00-7f01 r-xp 00000000 00:00 0                  [vdso]\n", &m, &line));
	assert_int_equal(mapping_kind_of(&m), MAPPING_SPECIAL);
	assert_true(parse("7f00-7f01 r-xp 00000000 00:00 0   [anon:jit code]\n", &m, &line));
	assert_int_equal(mapping_kind_of(&m), MAPPING_ANON);
	assert_true(parse("7f00-7f01 r-xp 00000000 00:00 0   [stack]\n", &m, &line));
	assert_int_equal(mapping_kind_of(&m), MAPPING_ANON);
	/* A file may be called like that. */
	assert_true(parse("7f00-7f01 r-xp 00000000 00:01 7   /[vdso]\n", &m, &line));
	assert_int_equal(mapping_kind_of(&m), MAPPING_FILE);
	/* A memfd has an inode and the device 00:01. */
	assert_true(parse("7f00-7f01 r-xp 00000000 00:01 7   /memfd:x (deleted)\n", &m, &line));
	assert_int_equal(mapping_kind_of(&m), MAPPING_FILE);
	free(line);
}

static void test_not_lines(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"hello",
		"-7f01 r-xp 00000000 00:00 0 \n",
		"7f00-7f01\n",
		"7f00-7f01 r-xp\n",
		"7f00-7f01 r-x 00000000 00:00 0 \n",
		"7f00-7f01 r-xpq 00000000 00:00 0 \n",
		"7f00-7f01 r-xp +0000000 00:00 0 \n",
		"7f00-7f01 r-xp 00000000 00-00 0 \n",
		"7f00-7f01 r-xp 00000000 00:00 \n",
		"7f00-7f01 r-xp 00000000 00:00 0x1 /a\n",
		"7f00-7f01 r-xp 00000000 00:00 18446744073709551616 /a\n",
		"17f0000000000000000-7f01 r-xp 00000000 00:00 0 \n",
		"7f00- 7f01 r-xp 00000000 00:00 0 \n",
	};
	struct mapping m;
	char *line = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i], &m, &line))
			fail_msg("accepted: %s", bad[i]);
	free(line);
}

/* The line of a mapping of this program itself; the caller frees it. */
static char *own_mapping(struct mapping *m)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t size = 0;

	assert_non_null(f);
	while (getline(&line, &size, f) > 0) {
		assert_true(parse_mapping(line, m));
		if (m->start <= (uintptr_t)own_mapping && m->end > (uintptr_t)own_mapping) {
			fclose(f);
			return line;
		}
	}
	fail_msg("no mapping of our own");
	return NULL;
}

static void test_name_is_that_of_the_line(void **state)
{
	enum mapping_state kind;
	struct buildidx_error err;
	struct mapping m;
	char *line = own_mapping(&m), *path;
	int fd;

	(void)state;
	path = mapping_path(getpid(), &m, &kind);
	assert_string_equal(path, m.name);
	assert_int_equal(kind, MAPPING_FILE);
	fd = open_mapping(getpid(), &m, path, kind, &err);
	assert_true(fd >= 0);
	close(fd);
	free(path);

	/* The mapping changed since the line was read: its new name is not ours. */
	m.name = "/somewhere/else (deleted)";
	path = mapping_path(getpid(), &m, &kind);
	assert_string_equal(path, "/somewhere/else");
	assert_int_equal(kind, MAPPING_DELETED);
	free(path);
	free(line);
}

static void test_operands(void **state)
{
	static const char *const bad_pids[] = {
		"", "0", "-1", "+1", " 1", "1 ", "0x1", "1a", "2147483648",
		"99999999999999999999999",
	};
	static const char *const bad_addresses[] = {
		"", "0x", "x1", "-1", "+1", " 1", "1 ", "1g", "0x0x1", "10000000000000000",
	};
	uint64_t address;
	pid_t pid;
	size_t i;

	(void)state;
	assert_true(parse_pid("2147483647", &pid));
	assert_int_equal(pid, 2147483647);
	assert_true(parse_address("ffffffffffffffff", &address));
	assert_true(address == UINT64_MAX);
	assert_true(parse_address("0X00007Fff00000010", &address));
	assert_int_equal(address, 0x7fff00000010);
	for (i = 0; i < sizeof(bad_pids) / sizeof(bad_pids[0]); i++)
		if (parse_pid(bad_pids[i], &pid))
			fail_msg("accepted: '%s'", bad_pids[i]);
	for (i = 0; i < sizeof(bad_addresses) / sizeof(bad_addresses[0]); i++)
		if (parse_address(bad_addresses[i], &address))
			fail_msg("accepted: '%s'", bad_addresses[i]);
}

/* What a script sees: the member after printing and parsing. */
static struct json_object *reread(struct json_object *o, const char *key)
{
	const char *text = json_object_to_json_string(o);
	struct json_tokener *tok = json_tokener_new();
	struct json_object *whole, *member = NULL;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	whole = json_tokener_parse_ex(tok, text, (int)strlen(text) + 1);
	if (!whole)
		fail_msg("not JSON: %s", text);
	json_tokener_free(tok);
	json_object_object_get_ex(whole, key, &member);
	json_object_get(member);
	json_object_put(whole);
	return member;
}

static void assert_member(struct json_object *o, const char *key, const void *want, size_t len)
{
	struct json_object *m = reread(o, key);

	assert_non_null(m);
	assert_int_equal(json_object_get_string_len(m), len);
	assert_memory_equal(json_object_get_string(m), want, len);
	json_object_put(m);
}

static void test_json_names(void **state)
{
	struct json_object *o = json_new();

	(void)state;
	json_add_name(o, "a", "plain");
	json_add_bytes(o, "b", "x\n\"\\\x01\0y", 7);
	json_add_name(o, "c", "\xff" "a\xc3\xa4\xed\xa0\x80");
	json_add_name(o, "d", NULL);
	json_add_address(o, "e", UINT64_MAX);
	assert_member(o, "a", "plain", 5);
	assert_null(reread(o, "a_hex"));
	assert_member(o, "b", "x\n\"\\\x01\0y", 7);
	assert_member(o, "c",
		      "\xef\xbf\xbd" "a\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 15);
	assert_member(o, "c_hex", "ff61c3a4eda080", 14);
	assert_null(reread(o, "d"));
	assert_member(o, "e", "0xffffffffffffffff", 18);
	json_object_put(o);
}

static void test_json_kinds(void **state)
{
	static const char *const keys[] = { NULL, "build_id", "go_build_id", "hash" };
	unsigned int kind, i;

	(void)state;
	for (kind = BUILDIDX_KIND_NONE; kind <= BUILDIDX_KIND_HASH; kind++) {
		struct answer a = {
			.from = FROM_FILE, .kind = kind, .id = "ab", .id_len = 2, .id_have = 2,
		};
		struct json_object *o = json_new();

		json_add_answer(o, &a);
		/* No other member than that of the kind holds anything. */
		for (i = 1; i < 4; i++) {
			struct json_object *m = reread(o, keys[i]);

			assert_int_equal(m != NULL, kind == i);
			json_object_put(m);
		}
		json_object_put(o);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_not_lines),
		cmocka_unit_test(test_name_is_that_of_the_line),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_json_names),
		cmocka_unit_test(test_json_kinds),
	};

	return cmocka_run_group_tests_name("tool", tests, NULL, NULL);
}
