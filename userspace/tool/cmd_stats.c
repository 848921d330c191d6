// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_stats - counters of the module
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

/* A newer module may count what this tool has no name for. */
static const char *name_of(const char *name, unsigned int i, char *buf, size_t size)
{
	if (strcmp(name, "unknown"))
		return name;
	snprintf(buf, size, "unknown-%u", i);
	return buf;
}

static void print_json(const struct buildidx_stats *s)
{
	struct json_object *o = json_new(), *status = json_new(), *counter = json_new();
	unsigned int i;
	char buf[24];

	if (s->cpu >= 0)
		json_add_u64(o, "cpu", (uint64_t)s->cpu);
	else
		json_add_text(o, "cpu", "all");
	for (i = 0; i < s->nr_status; i++)
		json_add_u64(status, name_of(buildidx_status_name(i), i, buf, sizeof(buf)),
			     s->status[i]);
	for (i = 0; i < s->nr_counter; i++)
		json_add_u64(counter, name_of(buildidx_counter_name(i), i, buf, sizeof(buf)),
			     s->counter[i]);
	json_add_object(o, "status", status);
	json_add_object(o, "counter", counter);
	json_print(o);
}

static void print_text(const struct options *opt, const struct buildidx_stats *s)
{
	unsigned int i;
	char buf[24];

	if (!opt->no_header)
		printf("%-7s %-12s %20s\n", "GROUP", "NAME", "COUNT");
	for (i = 0; i < s->nr_status; i++)
		printf("%-7s %-12s %20" PRIu64 "\n", "status",
		       name_of(buildidx_status_name(i), i, buf, sizeof(buf)),
		       (uint64_t)s->status[i]);
	for (i = 0; i < s->nr_counter; i++)
		printf("%-7s %-12s %20" PRIu64 "\n", "counter",
		       name_of(buildidx_counter_name(i), i, buf, sizeof(buf)),
		       (uint64_t)s->counter[i]);
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct buildidx_stats stats;
	struct buildidx_error err;
	struct buildidx *bx;
	int code, ret;

	(void)argc;
	(void)argv;
	code = device_open(&bx);
	if (code)
		return code;
	ret = buildidx_get_stats(bx, opt->cpu, &stats, &err);
	if (ret)
		complain("%s", err.text);
	else if (opt->json)
		print_json(&stats);
	else
		print_text(opt, &stats);
	buildidx_close(bx);
	return exit_code_of(ret);
}

const struct command cmd_stats = {
	.name = "stats",
	.args = "",
	.summary = "Counters of the module",
	.help =
	"Needs the module, and CAP_PERFMON or CAP_SYS_ADMIN. Counters only grow while\n"
	"the module is loaded. Group status: frames answered with each status. Group\n"
	"counter: captured = indexed + refused + failed + dropped; refused are files that\n"
	"found the index full of mapped ones; pool-empty and worker are captures that\n"
	"took the slow way.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER | OPT_CPU,
	.run = run,
};
