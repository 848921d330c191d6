// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_maps - identities behind the executable mappings of a process
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procmaps.h"
#include "tool.h"

/**
 * struct line - one executable mapping
 * @m: the mapping; its name points into @text
 * @text: the line
 */
struct line {
	struct mapping m;
	char *text;
};

/**
 * struct table - the executable mappings of a process
 * @pid: process
 * @lines: mappings
 * @count: their number
 */
struct table {
	pid_t pid;
	struct line *lines;
	size_t count;
};

static void table_free(struct table *t)
{
	size_t i;

	for (i = 0; i < t->count; i++)
		free(t->lines[i].text);
	free(t->lines);
}

static void table_add(struct table *t, const struct mapping *m, char *text)
{
	t->lines = must(realloc(t->lines, (t->count + 1) * sizeof(*t->lines)));
	t->lines[t->count].m = *m;
	t->lines[t->count].text = text;
	t->count++;
}

static int report_unreadable(pid_t pid, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		complain("pid %d: not permitted to read /proc/%d/maps: the mappings of another user's process need CAP_SYS_PTRACE",
			 pid, pid);
		return EXIT_DENIED;
	case ENOENT:
	case ESRCH:
		complain("pid %d: %s", pid, has_proc() ? "no such process" : NO_PROC);
		return EXIT_PARTLY;
	default:
		complain("pid %d: /proc/%d/maps: %s", pid, pid, strerror(error));
		return EXIT_PARTLY;
	}
}

static int table_read(struct table *t)
{
	int code = EXIT_OK;
	char name[32];
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", t->pid);
	f = fopen(name, "re");
	if (!f)
		return report_unreadable(t->pid, errno);
	for (;;) {
		struct mapping m;

		errno = 0;
		if (getline(&text, &size, f) < 0) {
			if (errno)
				code = report_unreadable(t->pid, errno);
			break;
		}
		if (!parse_mapping(text, &m)) {
			char *shown = escaped(text);

			complain("pid %d: not understood in %s: %s", t->pid, name, shown);
			free(shown);
			code = EXIT_PARTLY;
		} else if (m.executable) {
			table_add(t, &m, text);
			text = NULL;
			size = 0;
		}
	}
	free(text);
	fclose(f);
	if (!code && !t->count) {
		complain("pid %d: no executable mapping (kernel thread, or exiting)", t->pid);
		code = EXIT_PARTLY;
	}
	return code;
}

/* Returns false when the module refuses to say anything about the process. */
static bool ask_index(struct answer *a, const struct buildidx *bx, pid_t pid,
		      const struct mapping *m)
{
	struct buildidx_frame frame;
	struct buildidx_error err;
	int ret = buildidx_get_addr(bx, pid, m->start, &frame, &err);

	if (ret == -EPERM)
		return false;
	if (ret)
		answer_error(a, ret, &err, FROM_INDEX);
	else if (frame_has_offset(&frame) && frame.offset != m->offset)
		/* Something else is mapped there by now. */
		answer_status(a, BUILDIDX_STATUS_RACED, FROM_INDEX);
	else
		answer_frame(a, bx, &frame);
	return true;
}

static void ask_file(struct answer *a, pid_t pid, const struct mapping *m,
		     const char *path, enum mapping_state state)
{
	struct buildidx_error err;
	int fd;

	switch (state) {
	case MAPPING_ANON:
		answer_status(a, BUILDIDX_STATUS_ANON, FROM_FILE);
		return;
	case MAPPING_SPECIAL:
		answer_status(a, BUILDIDX_STATUS_SPECIAL, FROM_FILE);
		return;
	default:
		break;
	}
	fd = open_mapping(pid, m, path, state, &err);
	if (fd < 0) {
		answer_error(a, fd, &err, FROM_FILE);
		return;
	}
	answer_fd(a, NULL, fd);
	close(fd);
}

static int line_exit_code(const struct answer *a, enum mapping_state state)
{
	/* That there is no file is a full answer about a mapping. */
	if (!a->error && (state == MAPPING_ANON || state == MAPPING_SPECIAL))
		return EXIT_OK;
	return answer_exit_code(a);
}

static void print_json(struct json_list *list, const struct mapping *m,
		       const struct answer *a, const char *path, enum mapping_state state)
{
	struct json_object *o = json_new();

	json_add_address(o, "start", m->start);
	json_add_address(o, "end", m->end);
	json_add_u64(o, "offset", m->offset);
	json_add_u64(o, "dev_major", major(m->dev));
	json_add_u64(o, "dev_minor", minor(m->dev));
	json_add_u64(o, "ino", m->ino);
	json_add_text(o, "state", mapping_state_name(state));
	json_add_name(o, "path", path);
	json_add_answer(o, a);
	json_list_add(list, o);
}

static void print_text(const struct mapping *m, const struct answer *a,
		       const char *shown, enum mapping_state state)
{
	char id[ANSWER_TEXT_MAX], range[40];

	snprintf(range, sizeof(range), "%" PRIx64 "-%" PRIx64, m->start, m->end);
	printf("%-33s %8" PRIx64 " %-40s %-4s %-7s %-8s %-5s %-7s %s\n", range, m->offset,
	       answer_id_text(a, id), buildidx_kind_name(a->kind),
	       buildidx_source_name(a->source), answer_status_name(a), a->from,
	       mapping_state_name(state), shown);
}

static int answer_lines(const struct options *opt, const struct buildidx *bx,
			const struct table *t)
{
	struct json_list list;
	int code = EXIT_OK;
	size_t i;

	if (opt->json)
		json_list_start(&list);
	else if (!opt->no_header)
		printf("%-33s %8s %-40s %-4s %-7s %-8s %-5s %-7s %s\n", "RANGE", "OFFSET",
		       "ID", "KIND", "SOURCE", "STATUS", "FROM", "STATE", "PATH");

	for (i = 0; i < t->count; i++) {
		const struct mapping *m = &t->lines[i].m;
		enum mapping_state state = mapping_kind_of(m);
		char *path = NULL, *shown = NULL;
		struct answer a;

		if (state == MAPPING_FILE)
			path = mapping_path(t->pid, m, &state);
		else if (*m->name)
			path = must(strdup(m->name));
		if (path)
			shown = escaped(path);

		if (!bx || !ask_index(&a, bx, t->pid, m)) {
			bx = NULL;
			ask_file(&a, t->pid, m, path, state);
		}
		code = worse_of(code, line_exit_code(&a, state));
		if (opt->json)
			print_json(&list, m, &a, path, state);
		else
			print_text(m, &a, shown ? shown : "-", state);
		if (a.error)
			complain("pid %d: %s: %s", t->pid, shown ? shown : "-", a.err.text);
		free(shown);
		free(path);
	}
	if (opt->json)
		json_list_end(&list);
	return code;
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct table table = { 0 };
	struct buildidx *bx;
	int code;

	(void)argc;
	if (!parse_pid(argv[0], &table.pid))
		return EXIT_USAGE;
	code = table_read(&table);
	if (table.count) {
		bx = device_open_optional();
		code = worse_of(code, answer_lines(opt, bx, &table));
		buildidx_close(bx);
	}
	table_free(&table);
	return code;
}

const struct command cmd_maps = {
	.name = "maps",
	.args = "PID",
	.summary = "Identities behind the executable mappings of a process",
	.help =
	"One line for each executable mapping, the path last; see `buildidx file --help`\n"
	"for ID, KIND, SOURCE, STATUS and the path. STATE is file, deleted (the path is\n"
	"the name that it had), anon (no file) or special (made by the kernel). FROM is\n"
	"index, or file when the module is absent or not open to the caller and the file\n"
	"was read through /proc/PID/map_files.\n"
	"The mappings of another user's process need CAP_SYS_PTRACE.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
