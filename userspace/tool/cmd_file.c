// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_file - identities of files
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

static void identify(struct answer *a, const struct buildidx *bx, const char *path)
{
	struct buildidx_error err;
	int fd = buildidx_open_path(path, &err);

	if (fd < 0) {
		answer_error(a, fd, &err, FROM_FILE);
		return;
	}
	answer_fd(a, bx, fd);
	close(fd);
}

static void print_json(struct json_list *list, const struct answer *a, const char *path)
{
	struct json_object *o = json_new();

	json_add_name(o, "path", path);
	json_add_answer(o, a);
	json_list_add(list, o);
}

static void print_text(const struct answer *a, const char *shown)
{
	char id[ANSWER_TEXT_MAX];

	printf("%-40s %-4s %-7s %-8s %-5s %s\n", answer_id_text(a, id),
	       buildidx_kind_name(a->kind), buildidx_source_name(a->source),
	       answer_status_name(a), a->from, shown);
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct buildidx *bx = device_open_optional();
	struct json_list list;
	int i, code = EXIT_OK;

	if (opt->json)
		json_list_start(&list);
	else if (!opt->no_header)
		printf("%-40s %-4s %-7s %-8s %-5s %s\n", "ID", "KIND", "SOURCE",
		       "STATUS", "FROM", "PATH");

	for (i = 0; i < argc; i++) {
		char *shown = escaped(argv[i]);
		struct answer a;

		identify(&a, bx, argv[i]);
		code = worse_of(code, answer_exit_code(&a));
		if (opt->json)
			print_json(&list, &a, argv[i]);
		else
			print_text(&a, shown);
		if (a.error)
			complain("%s: %s", shown, a.err.text);
		free(shown);
	}

	if (opt->json)
		json_list_end(&list);
	buildidx_close(bx);
	return code;
}

const struct command cmd_file = {
	.name = "file",
	.args = "PATH...",
	.summary = "Identities of files",
	.help =
	"One line for each file, the path last. A GNU build ID is plain hex; a Go build\n"
	"ID starts with go:, and a file that has neither gets hash: and the first half\n"
	"of SHA-256 over its head, tail and length. SOURCE is where the ID was found:\n"
	"phdr (a segment), shdr (a section), content. STATUS is ok, no-note (hash, no\n"
	"build ID), too-long (hash, the build ID has more than 32 bytes) or error. FROM\n"
	"is index, or file when the file was read without the module.\n"
	"In paths, space, backslash and what is not printable become \\ooo (octal), as\n"
	"printf(1) reads it.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
