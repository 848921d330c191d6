// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_exe - identity of the main executable of a process
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procmaps.h"
#include "tool.h"

static void ask_file(struct answer *a, pid_t pid)
{
	struct buildidx_error err;
	char link[32];
	int fd;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	fd = buildidx_open_path(link, &err);
	if (fd >= 0) {
		answer_fd(a, NULL, fd);
		close(fd);
		return;
	}
	if (fd == -ENOENT && !has_proc())
		snprintf(err.text, sizeof(err.text), NO_PROC);
	else if (fd == -ENOENT)
		snprintf(err.text, sizeof(err.text),
			 "no such process, or it has no executable (kernel thread, exiting)");
	else if (fd == -EACCES || fd == -EPERM)
		snprintf(err.text, sizeof(err.text),
			 "not permitted: another process needs CAP_SYS_PTRACE, or with the module CAP_PERFMON");
	answer_error(a, fd, &err, FROM_FILE);
}

static void ask(struct answer *a, const struct buildidx *bx, pid_t pid)
{
	struct buildidx_object obj;
	int ret;

	if (bx) {
		ret = buildidx_get_exe(bx, pid, &obj, NULL);
		if (!ret && obj.kind != BUILDIDX_KIND_NONE) {
			answer_object(a, &obj, FROM_INDEX);
			return;
		}
	}
	ask_file(a, pid);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int run(const struct options *opt, int argc, char **argv)
{
	enum mapping_state state, state_before;
	char *path, *before, *shown = NULL;
	char id[ANSWER_TEXT_MAX];
	struct json_object *o;
	struct buildidx *bx;
	struct answer a;
	pid_t pid;

	(void)argc;
	if (!parse_pid(argv[0], &pid))
		return EXIT_USAGE;
	bx = device_open_optional();
	before = exe_path(pid, &state_before);
	ask(&a, bx, pid);
	buildidx_close(bx);
	path = exe_path(pid, &state);
	/* An exec in between: the name and the identity may not belong together. */
	if (!same_text(before, path)) {
		free(path);
		path = NULL;
		state = MAPPING_UNKNOWN;
	}
	free(before);
	if (path)
		shown = escaped(path);

	if (a.error) {
		complain("pid %d: %s", pid, a.err.text);
	} else if (!opt->json) {
		if (!opt->no_header)
			printf("%-40s %-4s %-7s %-8s %-5s %-7s %s\n", "ID", "KIND",
			       "SOURCE", "STATUS", "FROM", "STATE", "PATH");
		printf("%-40s %-4s %-7s %-8s %-5s %-7s %s\n", answer_id_text(&a, id),
		       buildidx_kind_name(a.kind), buildidx_source_name(a.source),
		       answer_status_name(&a), a.from, mapping_state_name(state),
		       shown ? shown : "-");
	}
	if (opt->json) {
		o = json_new();
		json_add_u64(o, "pid", (uint64_t)pid);
		json_add_text(o, "state", mapping_state_name(state));
		json_add_name(o, "path", path);
		json_add_answer(o, &a);
		json_print(o);
	}
	free(shown);
	free(path);
	return answer_exit_code(&a);
}

const struct command cmd_exe = {
	.name = "exe",
	.args = "PID",
	.summary = "Identity of the main executable of a process",
	.help =
	"One line; see `buildidx file --help` for ID, KIND, SOURCE, STATUS and the path.\n"
	"STATE is file, deleted (the path is the name that it had), or unknown with the\n"
	"path - when the caller may not see the name. FROM is index, or file when the\n"
	"module is absent or has no identity and /proc/PID/exe was read.\n"
	"Another process than one's own needs CAP_SYS_PTRACE or CAP_PERFMON (without the\n"
	"module: CAP_SYS_PTRACE if it is another user's).\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
