// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_symbolize - names of functions in the output of `buildidx profile`, on this
 * machine or another
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fold.h"
#include "profile_output.h"
#include "symbols.h"
#include "symbols_bpf.h"
#include "tool.h"

static struct symbols *symbols;
static int dirs_code = EXIT_OK;
static const char *svg;

enum {
	OWN_SVG = UCHAR_MAX + 1,
};

static const struct option own_options[] = {
	{ "dir", required_argument, NULL, 'd' },
	{ "debuginfod", required_argument, NULL, 'u' },
	{ "records", required_argument, NULL, 'r' },
	{ "svg", required_argument, NULL, OWN_SVG },
	{ NULL, 0, NULL, 0 },
};

static struct symbols *get_symbols(void)
{
	if (!symbols)
		symbols = symbols_new();
	return symbols;
}

static bool take(int option, const char *arg)
{
	switch (option) {
	case 'd':
		dirs_code = worse_of(dirs_code, symbols_add_dir(get_symbols(), arg));
		return true;
	case 'r':
		dirs_code = worse_of(dirs_code, symbols_add_records(get_symbols(), arg));
		return true;
	case 'u':
		symbols_server(arg);
		return true;
	}
	svg = arg;
	return true;
}

static int read_lines(FILE *in, const char *name, struct fold *fold)
{
	unsigned long nr = 0;
	char *line = NULL, *named;
	int code = EXIT_OK;
	uint64_t count;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) >= 0) {
		nr++;
		if (len && line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!fold_parse_line(line, &count)) {
			complain("%s: line %lu is not \"STACK COUNT\"", name, nr);
			code = EXIT_PARTLY;
			continue;
		}
		named = symbols_line(symbols, line);
		fold_add(fold, named, count);
		free(named);
	}
	if (ferror(in)) {
		complain("%s: %s", name, strerror(errno));
		code = EXIT_PARTLY;
	}
	free(line);
	return code;
}

static int read_file(const char *name, struct fold *fold)
{
	char *shown = escaped(name);
	int code = EXIT_OK;
	FILE *in;

	if (!strcmp(name, "-")) {
		code = read_lines(stdin, "standard input", fold);
	} else {
		in = fopen(name, "re");
		if (in) {
			code = read_lines(in, shown, fold);
			fclose(in);
		} else {
			complain("%s: %s", shown, strerror(errno));
			code = exit_code_of(-errno);
		}
	}
	free(shown);
	return code;
}

static int run_on(struct output *output, int argc, char **argv)
{
	struct fold *fold = fold_new();
	struct result result = { .fold = fold, .title = "buildidx symbolize" };
	int i, code = dirs_code;

	symbols_add_vdso(get_symbols());
	if (!argc)
		code = worse_of(code, read_file("-", fold));
	for (i = 0; i < argc; i++)
		code = worse_of(code, read_file(argv[i], fold));
	code = worse_of(code, output_write(output, &result));
	fold_free(fold);
	fflush(stdout);
	symbols_report(symbols, stderr);
	if (!symbols_complete(symbols))
		code = worse_of(code, EXIT_PARTLY);
	return code;
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct output *output;
	int code;

	(void)opt;
	code = output_open(&output, NULL, svg);
	if (!code)
		code = run_on(output, argc, argv);
	output_close(output);
	symbols_free(symbols);
	return code;
}

const struct command cmd_symbolize = {
	.name = "symbolize",
	.args = "[FILE...]",
	.summary = "Names of functions in the output of `buildidx profile`",
	.help =
	"Reads folded stacks from files, or from standard input; prints them with names in\n"
	"the place of build IDs. Needs neither the module nor the machine that was\n"
	"profiled: files are found by their IDs alone, in each --dir, in\n"
	"/usr/lib/debug/.build-id, and at the debuginfod servers that DEBUGINFOD_URLS and\n"
	"--debuginfod name (libdebuginfod1 must be installed for these). Program and debug\n"
	"information may be two files. The debug information alone is enough for what GNU\n"
	"ld linked; it is told where that is so. Kernel frames are named from the vmlinux and\n"
	"module files with their IDs, or the debug information of these; frames of BPF\n"
	"programs from --records, or from what `buildidx bpf export` wrote, in a --dir or at a\n"
	"server.\n"
	"\n"
	"A function that was inlined follows the one that it is in, as NAME_[i]. C++ names\n"
	"are demangled; ';' in a name becomes \\073. A frame without a name stays as it is,\n"
	"so that the output can be symbolized again elsewhere. At the end, on standard\n"
	"error: how many frames have a name, why others have none, and where files were\n"
	"looked for that were not found; a server that gives no answer is left out after one\n"
	"try. The exit code is 0 only when each frame with an ID has a name, else at least 1.\n",
	.options = own_options,
	.options_help =
	"  -d, --dir=DIR    use the files below DIR, or the file DIR (may be repeated); other\n"
	"                   file systems below it are not entered\n"
	"  -u, --debuginfod=URL  ask this debuginfod server too (may be repeated)\n"
	"  -r, --records=FILE  use the BPF programs in FILE, which `buildidx watch -o FILE` wrote\n"
	"                   (may be repeated)\n"
	"      --svg=FILE   draw a flame graph; print no stacks\n",
	.take = take,
	.max_args = -1,
	.run = run,
};
