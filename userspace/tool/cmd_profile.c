// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_profile - where do processes spend their time: folded stacks of build IDs
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile_run.h"
#include "tool.h"

#define DEFAULT_HZ	99

enum {
	OWN_STOCK = UCHAR_MAX + 1,
	OWN_COMPARE,
	OWN_SYMBOLS,
	OWN_DIR,
	OWN_DEBUGINFOD,
	OWN_SVG,
};

static const struct option own_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "all", no_argument, NULL, 'a' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "svg", required_argument, NULL, OWN_SVG },
	{ "user-only", no_argument, NULL, 'U' },
	{ "kernel-only", no_argument, NULL, 'K' },
	{ "stock", no_argument, NULL, OWN_STOCK },
	{ "compare", no_argument, NULL, OWN_COMPARE },
	{ "symbols", no_argument, NULL, OWN_SYMBOLS },
	{ "dir", required_argument, NULL, OWN_DIR },
	{ "debuginfod", required_argument, NULL, OWN_DEBUGINFOD },
	{ NULL, 0, NULL, 0 },
};

static struct profile_options asked = { .hz = DEFAULT_HZ };
static int dirs_code = EXIT_OK;

static bool parse_number(const char *text, const char *what, unsigned int max, unsigned int *value)
{
	unsigned long n = 0;
	char *shown;

	errno = 0;
	if (*text && !text[strspn(text, "0123456789")])
		n = strtoul(text, NULL, 10);
	if (!errno && n && n <= max) {
		*value = (unsigned int)n;
		return true;
	}
	shown = escaped(text);
	complain("not a number of %s from 1 to %u: '%s'", what, max, shown);
	free(shown);
	return false;
}

static bool take(int option, const char *arg)
{
	switch (option) {
	case 'p':
		return parse_pid(arg, &asked.pid);
	case 'a':
		asked.all = true;
		return true;
	case 'F':
		return parse_number(arg, "samples a second", 100000, &asked.hz);
	case 'd':
		return parse_number(arg, "seconds", 1000000, &asked.seconds);
	case 'o':
		asked.output = arg;
		return true;
	case OWN_SVG:
		asked.svg = arg;
		return true;
	case 'U':
		asked.user_only = true;
		return true;
	case 'K':
		asked.kernel_only = true;
		return true;
	case OWN_STOCK:
		asked.stock = true;
		return true;
	case OWN_COMPARE:
		asked.compare = true;
		return true;
	}
	if (!asked.symbols)
		asked.symbols = symbols_new();
	if (option == OWN_DIR)
		dirs_code = worse_of(dirs_code, symbols_add_dir(asked.symbols, arg));
	else if (option == OWN_DEBUGINFOD)
		symbols_server(arg);
	return true;
}

/* BPF programs count processes as the initial namespace does. */
static bool in_initial_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == 0xeffffffcU;
}

static int check_usage(char **command)
{
	const char *wrong = NULL;

	if (asked.pid && asked.all)
		wrong = "-p and -a exclude each other";
	else if (asked.pid && *command)
		wrong = "-p and a command exclude each other";
	else if (asked.stock && asked.compare)
		wrong = "--stock and --compare exclude each other";
	else if (asked.user_only && asked.kernel_only)
		wrong = "-U and -K exclude each other";
	if (wrong) {
		complain("%s", wrong);
		fputs("Try 'buildidx profile --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if ((asked.pid || *command) && !asked.all && !in_initial_pid_namespace()) {
		complain("processes of a pid namespace cannot be told from others here: use -a, or run outside of the container");
		return EXIT_PARTLY;
	}
	return EXIT_OK;
}

static int run(const struct options *opt, int argc, char **argv)
{
	int code = check_usage(argv);

	(void)opt;
	(void)argc;
	if (!code)
		code = worse_of(profile_run(&asked, argv), dirs_code);
	symbols_free(asked.symbols);
	return code;
}

const struct command cmd_profile = {
	.name = "profile",
	.args = "[-- COMMAND...]",
	.summary = "Where processes spend their time, as stacks of build IDs",
	.help =
	"Samples what runs on each CPU until Ctrl-C, -d SECONDS, or the end of COMMAND or of\n"
	"process PID, and prints each different stack as one line, outermost frame first:\n"
	"\n"
	"  COMM;FRAME;...;FRAME COUNT\n"
	"\n"
	"A FRAME of a file is ID+0xOFFSET, the offset being that in the file:\n"
	"  1f2e...+0x1a2b      GNU build ID\n"
	"  go:TEXT+0x1a2b      Go build ID\n"
	"  hash:1f2e...+0x1a2b no build ID (or one of more than 32 bytes): hash of the content\n"
	"  bpf:1f2e...+0x1a2b  BPF program, the offset being that in its image\n"
	"Kernel frames come after those of user code, and end in _[k], those of BPF programs\n"
	"in _[b]. The offset is the address in the vmlinux file, or that from the start of the\n"
	"module's text. --stock has addresses in the kernel that runs: kernel+0xADDRESS_[k].\n"
	"Without an ID, it says why there is none, or whose code it is:\n"
	"  [no-mapping] [anon] [special] [not-indexed] [pending] [not-resident] [modified]\n"
	"  [raced] [read-error] [off] [no-mm]   the statuses of `buildidx stats`\n"
	"  [kernel-address]  a kernel address: on the stack of user code; or of which nothing\n"
	"                is known\n"
	"  [bpf_trampoline_...] and the like: text that the kernel generated\n"
	"  [unresolved]  --stock: the stock helper had no answer\n"
	"  [unrecorded]  more different files than there is room for (32768)\n"
	"  [kernel]      -U: the sample hit the kernel\n"
	"  [user]        -K: the sample hit user code\n"
	"  [truncated]   127 frames were taken, or the kernel's stack could not be unwound: the\n"
	"                outermost ones may be missing\n"
	"  [no-stack]    the stack of the process could not be had\n"
	"In names, space, backslash, ';' and what is not printable become \\ooo (octal).\n"
	"User code built without frame pointers cannot be unwound: garbage on the stack then\n"
	"shows as [no-mapping] or [anon].\n"
	"\n"
	"What the samples are worth is told on standard error at the end: lost ones, and\n"
	"frames by status. Needs the module and root, or CAP_BPF and CAP_PERFMON. Samples\n"
	"are taken by hardware cycles (NMI) where each CPU can count them, else by the CPU\n"
	"clock.\n"
	"\n"
	"Where samples hit BPF programs, the busiest lines of these are told too, of programs\n"
	"that are gone as well.\n"
	"\n"
	"An output FILE.pb.gz is for pprof, with build IDs, labels \"comm\" and \"pid\", and names\n"
	"if asked for. In it, address - start + offset of a mapping is the offset that a FRAME\n"
	"has; start is made up, except for vmlinux. --svg draws a flame graph: one file, to be\n"
	"opened in a browser; a click zooms.\n"
	"\n"
	"Names of functions: --symbols, now, from the files that run; or later, or on\n"
	"another machine, `buildidx symbolize`. Files that run are held open until then, and\n"
	"read by a process without privileges (of user 65534; what it downloads is kept in\n"
	"/var/cache/buildidx-debuginfod, or in DEBUGINFOD_CACHE_PATH). If that fails, the\n"
	"stacks are printed without names, and the exit code is 1. Ctrl-C ends the search,\n"
	"once more gives up the names.\n",
	.accepts = OPT_IN_FRONT,
	.options = own_options,
	.options_help =
	"  -p, --pid=PID    only this process, and what it starts from now on\n"
	"  -a, --all        all processes; the default without PID and COMMAND\n"
	"  -F, --frequency=HZ  samples a second on each CPU (99)\n"
	"  -d, --duration=SECONDS  end after so long; a COMMAND runs on\n"
	"  -o, --output=FILE   write the stacks there, not to standard output; for pprof if the\n"
	"                   name ends in .pb.gz\n"
	"      --svg=FILE   draw a flame graph; without -o, print no stacks\n"
	"  -U, --user-only  no kernel frames\n"
	"  -K, --kernel-only  no user frames\n"
	"      --stock      resolve by the stock helper, without the module\n"
	"      --compare    resolve by both, and say how many frames each answered\n"
	"      --symbols    print names of functions where they can be found\n"
	"      --dir=DIR    the same, with the files below DIR (may be repeated)\n"
	"      --debuginfod=URL  the same, asking this server too (may be repeated)\n",
	.take = take,
	.max_args = -1,
	.run = run,
};
