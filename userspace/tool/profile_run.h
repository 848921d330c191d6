/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_run - take a profile: from the first sample to the report
 */
#ifndef BUILDIDX_PROFILE_RUN_H
#define BUILDIDX_PROFILE_RUN_H

#include <stdbool.h>
#include <sys/types.h>

#include "symbols.h"

/**
 * struct profile_options - what was asked for
 * @pid: only this process and what it starts; 0 for none
 * @all: all processes, also when there is a command
 * @hz: samples a second on each CPU
 * @seconds: how long; 0 for no limit
 * @output: name of the file to write; NULL for standard output
 * @svg: name of the flame graph to write; NULL for none
 * @user_only: no kernel stacks
 * @kernel_only: no user stacks
 * @stock: by the stock helper
 * @compare: by both
 * @symbols: print names, from here; NULL for identities
 */
struct profile_options {
	pid_t pid;
	bool all;
	unsigned int hz;
	unsigned int seconds;
	const char *output;
	const char *svg;
	bool user_only;
	bool kernel_only;
	bool stock;
	bool compare;
	struct symbols *symbols;
};

/**
 * profile_run() - take a profile and print it
 * @asked: what was asked for; options that exclude each other are not set
 * @command: command to run and its arguments, NULL-terminated; may be empty
 *
 * Return: exit code; a failure has been reported.
 */
int profile_run(const struct profile_options *asked, char **command);

#endif /* BUILDIDX_PROFILE_RUN_H */
