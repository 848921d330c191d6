// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_dump - everything in the index
 */
#include <inttypes.h>
#include <stdio.h>

#include "tool.h"

/* Seconds since 1970 with nine decimals: as a number it would exceed 2^53. */
static void format_time(char *buf, size_t size, int64_t ns)
{
	int64_t sec = ns / 1000000000, rest = ns % 1000000000;

	if (rest < 0) {
		sec--;
		rest += 1000000000;
	}
	snprintf(buf, size, "%" PRId64 ".%09" PRId64, sec, rest);
}

static void print_json(struct json_list *list, const struct buildidx_object *obj,
		       const struct answer *a)
{
	struct json_object *o = json_new();
	char mtime[40];

	json_add_u64(o, "object", obj->object);
	json_add_u64(o, "dev_major", obj->dev_major);
	json_add_u64(o, "dev_minor", obj->dev_minor);
	json_add_u64(o, "ino", obj->ino);
	json_add_u64(o, "generation", obj->generation);
	json_add_u64(o, "file_size", obj->file_size);
	format_time(mtime, sizeof(mtime), obj->mtime_ns);
	json_add_text(o, "mtime", mtime);
	json_add_bool(o, "vdso", obj->flags & BUILDIDX_FRAME_VDSO);
	json_add_answer(o, a);
	json_list_add(list, o);
}

static void print_text(const struct buildidx_object *obj, const struct answer *a)
{
	char id[ANSWER_TEXT_MAX], dev[24];

	snprintf(dev, sizeof(dev), "%u:%u", obj->dev_major, obj->dev_minor);
	printf("%8" PRIu64 " %-7s %10" PRIu64 " %12" PRIu64 " %-4s %-7s %-12s %s\n",
	       (uint64_t)obj->object, dev, (uint64_t)obj->ino, (uint64_t)obj->file_size,
	       buildidx_kind_name(a->kind), buildidx_source_name(a->source),
	       answer_status_name(a), answer_id_text(a, id));
}

static int walk(const struct options *opt, struct buildidx_iter *iter)
{
	struct buildidx_object obj;
	struct buildidx_error err;
	struct json_list list;
	struct answer a;
	int ret;

	if (opt->json)
		json_list_start(&list);
	else if (!opt->no_header)
		printf("%8s %-7s %10s %12s %-4s %-7s %-12s %s\n", "OBJECT", "DEV", "INO",
		       "SIZE", "KIND", "SOURCE", "STATUS", "ID");

	while ((ret = buildidx_iter_next(iter, &obj, &err)) > 0) {
		answer_object(&a, &obj, FROM_INDEX);
		if (opt->json)
			print_json(&list, &obj, &a);
		else
			print_text(&obj, &a);
	}
	if (opt->json)
		json_list_end(&list);
	if (ret < 0)
		complain("%s", err.text);
	return exit_code_of(ret);
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct buildidx_iter *iter;
	struct buildidx_error err;
	struct buildidx *bx;
	int code;

	(void)argc;
	(void)argv;
	code = device_open(&bx);
	if (code)
		return code;
	if (buildidx_iter_new(bx, &iter, &err)) {
		complain("%s", err.text);
		code = EXIT_PARTLY;
	} else {
		code = walk(opt, iter);
		buildidx_iter_free(iter);
	}
	buildidx_close(bx);
	return code;
}

const struct command cmd_dump = {
	.name = "dump",
	.args = "",
	.summary = "Everything in the index",
	.help =
	"One line for each file that the index holds; needs the module, and CAP_PERFMON\n"
	"or CAP_SYS_ADMIN. The index knows files by device and inode, not by name. See\n"
	"`buildidx file --help` for the columns.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.run = run,
};
