// SPDX-License-Identifier: GPL-2.0
/*
 * test_bpf_present - the header that loaders of BPF programs include
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "buildidx_bpf_present.h"

static void test_functions_are_found(void **state)
{
	struct btf *btf = btf__new_empty();
	int proto;

	(void)state;
	assert_non_null(btf);
	proto = btf__add_func_proto(btf, 0);
	assert_true(proto > 0);
	assert_true(btf__add_func(btf, "bpf_buildidx_frames", BTF_FUNC_STATIC, proto) > 0);
	assert_true(btf__add_struct(btf, "bpf_buildidx_struct", 4) > 0);
	assert_true(buildidx_btf_has_func(btf, "bpf_buildidx_frames"));
	assert_false(buildidx_btf_has_func(btf, "bpf_buildidx_frame"));
	assert_false(buildidx_btf_has_func(btf, "bpf_buildidx_struct"));
	assert_false(buildidx_btf_has_func(btf, ""));
	btf__free(btf);
}

static void test_presence_is_that_of_the_module(void **state)
{
	bool loaded = access("/sys/kernel/btf/buildidx", F_OK) == 0;

	(void)state;
	assert_int_equal(buildidx_bpf_present("bpf_buildidx_frames"), loaded);
	assert_false(buildidx_bpf_present("bpf_buildidx_no_such_function"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_are_found),
		cmocka_unit_test(test_presence_is_that_of_the_module),
	};

	return cmocka_run_group_tests_name("bpf_present", tests, NULL, NULL);
}
