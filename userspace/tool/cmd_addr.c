// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_addr - identity and file offset of addresses in a process
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

static void print_json(struct json_list *list, uint64_t address,
		       const struct buildidx_frame *f, const struct answer *a)
{
	struct json_object *o = json_new();

	json_add_address(o, "address", address);
	if (!a->error && frame_has_offset(f))
		json_add_u64(o, "offset", f->offset);
	if (!a->error) {
		json_add_u64(o, "object", f->object);
		json_add_bool(o, "vdso", f->flags & BUILDIDX_FRAME_VDSO);
	}
	json_add_answer(o, a);
	json_list_add(list, o);
}

static void print_text(uint64_t address, const struct buildidx_frame *f,
		       const struct answer *a)
{
	char id[ANSWER_TEXT_MAX], offset[24] = "-";

	if (!a->error && frame_has_offset(f))
		snprintf(offset, sizeof(offset), "0x%" PRIx64, (uint64_t)f->offset);
	printf("0x%016" PRIx64 " %-10s %-4s %-7s %-12s %s\n", address, offset,
	       buildidx_kind_name(a->kind), buildidx_source_name(a->source),
	       answer_status_name(a), answer_id_text(a, id));
}

static int query(const struct options *opt, const struct buildidx *bx, pid_t pid,
		 const uint64_t *addresses, int count)
{
	struct json_list list;
	int i, code = EXIT_OK;

	if (opt->json)
		json_list_start(&list);
	else if (!opt->no_header)
		printf("%-18s %-10s %-4s %-7s %-12s %s\n", "ADDRESS", "OFFSET", "KIND",
		       "SOURCE", "STATUS", "ID");

	for (i = 0; i < count; i++) {
		struct buildidx_frame frame;
		struct buildidx_error err;
		struct answer a;
		int ret = buildidx_get_addr(bx, pid, addresses[i], &frame, &err);

		if (ret)
			answer_error(&a, ret, &err, FROM_INDEX);
		else
			answer_frame(&a, bx, &frame);
		code = worse_of(code, answer_exit_code(&a));
		if (opt->json)
			print_json(&list, addresses[i], &frame, &a);
		else
			print_text(addresses[i], &frame, &a);
		if (ret)
			complain("%s", err.text);
		else if (!answer_has_id(&a))
			complain("pid %d: address 0x%" PRIx64 ": %s", pid, addresses[i],
				 buildidx_status_text(a.status));
		/* The next address would fail in the same way. */
		if (ret)
			break;
	}

	if (opt->json)
		json_list_end(&list);
	return code;
}

static int run(const struct options *opt, int argc, char **argv)
{
	uint64_t *addresses = must(calloc((size_t)argc, sizeof(*addresses)));
	struct buildidx *bx;
	int i, code = EXIT_USAGE;
	pid_t pid;

	if (!parse_pid(argv[0], &pid))
		goto out;
	for (i = 1; i < argc; i++)
		if (!parse_address(argv[i], &addresses[i - 1]))
			goto out;
	code = device_open(&bx);
	if (code)
		goto out;
	code = query(opt, bx, pid, addresses, argc - 1);
	buildidx_close(bx);
out:
	free(addresses);
	return code;
}

const struct command cmd_addr = {
	.name = "addr",
	.args = "PID ADDRESS...",
	.summary = "Identities and file offsets of addresses in a process",
	.help =
	"Addresses are hex, with or without 0x. One line for each; needs the module.\n"
	"A STATUS other than ok, no-note and too-long (see `buildidx file --help`) means\n"
	"that there is no identity; stderr says why. OFFSET is that in the file, - where\n"
	"there is none. Another process than one's own needs CAP_SYS_PTRACE or\n"
	"CAP_PERFMON.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.min_args = 2,
	.max_args = -1,
	.run = run,
};
