// SPDX-License-Identifier: GPL-2.0
/*
 * main - command table, options and help of buildidx(1)
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct command *const commands[] = {
	&cmd_status,
	&cmd_doctor,
	&cmd_file,
	&cmd_maps,
	&cmd_addr,
	&cmd_exe,
	&cmd_dump,
	&cmd_stats,
	&cmd_bpf,
	&cmd_watch,
	&cmd_resolve,
#ifdef BUILDIDX_PROFILE
	&cmd_profile,
	&cmd_symbolize,
#endif
};

static const struct {
	unsigned int opt;
	struct option getopt;
	const char *help;
} known_options[] = {
	{ OPT_JSON, { "json", no_argument, NULL, 'j' },
	  "  -j, --json       print JSON; names that are not UTF-8 have a \"..._hex\" twin\n" },
	{ OPT_NO_HEADER, { "no-header", no_argument, NULL, 'H' },
	  "  -H, --no-header  print no header line\n" },
	{ OPT_CPU, { "cpu", required_argument, NULL, 'c' },
	  "  -c, --cpu=N      of one CPU, not the sum over all\n" },
};

static const char exit_codes[] =
	"Exit codes (of several, the highest):\n"
	"  0  everything was answered\n"
	"  1  something could not be answered, or the output not be written\n"
	"  2  the command line is wrong\n"
	"  3  the module is needed and is not there, or is of another version\n"
	"  4  not permitted\n";

static void print_help(void)
{
	size_t i;

	fputs("Usage: buildidx COMMAND [OPTION...] [ARGUMENT...]\n"
	      "Build IDs of files, processes and addresses, from the buildidx kernel module.\n"
	      "\n", stdout);
	for (i = 0; i < COUNT(commands); i++)
		printf("  %-9s %-16s  %s\n", commands[i]->name, commands[i]->args,
		       commands[i]->summary);
	fputs("\n"
	      "  -h, --help     print this; after a command, print the help of the command\n"
	      "  -V, --version  print the version\n"
	      "\n", stdout);
	fputs(exit_codes, stdout);
}

static void print_command_help(const struct command *cmd)
{
	size_t i;

	printf("Usage: buildidx %s [OPTION...]%s%s\n%s.\n\n%s\n", cmd->name,
	       *cmd->args ? " " : "", cmd->args, cmd->summary, cmd->help);
	for (i = 0; i < COUNT(known_options); i++)
		if (cmd->accepts & known_options[i].opt)
			fputs(known_options[i].help, stdout);
	if (cmd->options_help)
		fputs(cmd->options_help, stdout);
	printf("  -h, --help       print this\n\n%s", exit_codes);
}

static int usage_error(const char *cmd)
{
	fprintf(stderr, "Try 'buildidx %s%s--help'.\n", cmd, *cmd ? " " : "");
	return EXIT_USAGE;
}

static bool parse_cpu(const char *text, int *cpu)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 0 || value > INT_MAX ||
	    strspn(text, "0123456789") != strlen(text)) {
		char *shown = escaped(text);

		complain("not a CPU number: '%s'", shown);
		free(shown);
		return false;
	}
	*cpu = (int)value;
	return true;
}

#define OWN_OPTIONS_MAX	16

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct option longopts[COUNT(known_options) + OWN_OPTIONS_MAX + 2] = { 0 };
	char shortopts[2 * (COUNT(known_options) + OWN_OPTIONS_MAX) + 3] = "";
	const struct option *own = cmd->options;
	struct options opt = { .cpu = -1 };
	size_t i, n = 0, s = 0;
	char title[32];
	int c;

	if (cmd->accepts & OPT_IN_FRONT)
		shortopts[s++] = '+';
	shortopts[s++] = 'h';
	for (i = 0; i < COUNT(known_options); i++) {
		const struct option *o = &known_options[i].getopt;

		if (!(cmd->accepts & known_options[i].opt))
			continue;
		longopts[n++] = *o;
		shortopts[s++] = (char)o->val;
		if (o->has_arg)
			shortopts[s++] = ':';
	}
	for (i = 0; own && own[i].name && i < OWN_OPTIONS_MAX; i++) {
		longopts[n++] = own[i];
		if (own[i].val > UCHAR_MAX)
			continue;
		shortopts[s++] = (char)own[i].val;
		if (own[i].has_arg)
			shortopts[s++] = ':';
	}
	longopts[n] = (struct option){ "help", no_argument, NULL, 'h' };

	/* getopt starts its messages with argv[0]. */
	snprintf(title, sizeof(title), "buildidx: %s", cmd->name);
	argv[0] = title;
	optind = 0;
	while ((c = getopt_long(argc, argv, shortopts, longopts, NULL)) != -1) {
		switch (c) {
		case 'j':
			opt.json = true;
			break;
		case 'H':
			opt.no_header = true;
			break;
		case 'c':
			if (!parse_cpu(optarg, &opt.cpu))
				return usage_error(cmd->name);
			break;
		case 'h':
			print_command_help(cmd);
			return EXIT_OK;
		case '?':
			return usage_error(cmd->name);
		default:
			if (!cmd->take(c, optarg))
				return usage_error(cmd->name);
			break;
		}
	}
	argc -= optind;
	argv += optind;
	if (argc < cmd->min_args) {
		complain("%s: needs %s", cmd->name, cmd->args);
		return usage_error(cmd->name);
	}
	if (cmd->max_args >= 0 && argc > cmd->max_args) {
		char *shown = escaped(argv[cmd->max_args]);

		complain("%s: unexpected argument '%s'", cmd->name, shown);
		free(shown);
		return usage_error(cmd->name);
	}
	return cmd->run(&opt, argc, argv);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	char *shown;
	size_t i;

	if (!name) {
		complain("needs a command");
		return usage_error("");
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_help();
		return EXIT_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("buildidx %s (ABI %u)\n", buildidx_version(), BUILDIDX_ABI_VERSION);
		return EXIT_OK;
	}
	for (i = 0; i < COUNT(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return run_command(commands[i], argc - 1, argv + 1);
#ifndef BUILDIDX_PROFILE
	if (!strcmp(name, "profile") || !strcmp(name, "symbolize")) {
		complain("%s was left out of this build (PROFILE=no or STATIC=1)", name);
		return EXIT_PARTLY;
	}
#endif
	shown = escaped(name);
	complain("unknown %s '%s'", name[0] == '-' ? "option" : "command", shown);
	free(shown);
	return usage_error("");
}

int main(int argc, char **argv)
{
	int code = run(argc, argv);

	if (fflush(stdout) || ferror(stdout)) {
		complain("cannot write the output: %s", strerror(errno));
		code = worse_of(code, EXIT_PARTLY);
	}
	return code;
}
