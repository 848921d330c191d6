// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_symbolize - names of functions in the output of `buildidx profile`, on this
 * machine or another
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fold.h"
#include "symbols.h"
#include "tool.h"

/* 127 frames of the longest IDs that there are, escaped, do not fill half of it. */
#define LINE_SIZE	(1U << 20)

static struct symbols *symbols;
static int dirs_code = EXIT_OK;

static const struct option own_options[] = {
	{ "dir", required_argument, NULL, 'd' },
	{ "debuginfod", required_argument, NULL, 'u' },
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
	if (option == 'd')
		dirs_code = worse_of(dirs_code, symbols_add_dir(get_symbols(), arg));
	else
		symbols_server(arg);
	return true;
}

/*
 * One line, without its end. Return: its length, -1 at the end of the file; @size or more: it did
 * not fit, and is cut.
 */
static ssize_t read_line(FILE *in, char *line, size_t size)
{
	size_t len = 0;
	int c;

	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		if (len < size - 1)
			line[len] = (char)c;
		len++;
	}
	line[len < size ? len : size - 1] = '\0';
	return c == EOF && !len ? -1 : (ssize_t)len;
}

/* Whoever made the file: nothing in it may reach the terminal as a command. */
static char *printable(const char *line)
{
	static const char separators[] = " \\";
	char *text, *word, *shown;
	size_t size, n;
	FILE *out = must(open_memstream(&text, &size));

	while (*line) {
		n = strspn(line, separators);
		fwrite(line, 1, n, out);
		line += n;
		n = strcspn(line, separators);
		word = must(strndup(line, n));
		shown = escaped(word);
		fputs(shown, out);
		free(shown);
		free(word);
		line += n;
	}
	if (fclose(out))
		must(NULL);
	return text;
}

static void add_line(struct fold *fold, const char *line, uint64_t count)
{
	char *shown = printable(line);
	char *named = symbols_line(symbols, shown);

	fold_add(fold, named, count);
	free(named);
	free(shown);
}

static int read_lines(FILE *in, const char *name, struct fold *fold)
{
	char *line = must(malloc(LINE_SIZE));
	unsigned long nr = 0;
	int code = EXIT_OK;
	uint64_t count;
	ssize_t len;

	while ((len = read_line(in, line, LINE_SIZE)) >= 0) {
		nr++;
		if ((size_t)len < LINE_SIZE && strlen(line) == (size_t)len &&
		    fold_parse_line(line, &count)) {
			add_line(fold, line, count);
			continue;
		}
		complain((size_t)len < LINE_SIZE ? "%s: line %lu is not \"STACK COUNT\"" :
			 "%s: line %lu is too long", name, nr);
		code = EXIT_PARTLY;
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

static int run(const struct options *opt, int argc, char **argv)
{
	struct fold *fold = fold_new();
	int i, code = dirs_code;

	(void)opt;
	symbols_add_vdso(get_symbols());
	if (!argc)
		code = worse_of(code, read_file("-", fold));
	for (i = 0; i < argc; i++)
		code = worse_of(code, read_file(argv[i], fold));
	fold_print(fold, stdout);
	fold_free(fold);
	fflush(stdout);
	symbols_report(symbols, stderr);
	if (!symbols_complete(symbols))
		code = worse_of(code, EXIT_PARTLY);
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
	"ld linked; it is told where that is so.\n"
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
	"  -u, --debuginfod=URL  ask this debuginfod server too (may be repeated)\n",
	.take = take,
	.max_args = -1,
	.run = run,
};
