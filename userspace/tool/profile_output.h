/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_output - the files that a profile is written to
 */
#ifndef BUILDIDX_PROFILE_OUTPUT_H
#define BUILDIDX_PROFILE_OUTPUT_H

#include <stdbool.h>

#include "profile_fold.h"
#include "profile_pprof.h"

/** struct output - files that are open for it */
struct output;

/** output_is_pprof() - does the name of a file ask for the format of pprof? */
bool output_is_pprof(const char *name);

/**
 * output_open() - open all of them, before anything is done that could be lost
 * @o: receives the files; to be closed with output_close()
 * @name: of the main one; NULL for standard output, unless there is a flame graph
 * @svg: of the flame graph; NULL for none
 *
 * Return: exit code; a failure has been reported.
 */
int output_open(struct output **o, const char *name, const char *svg);

/**
 * struct result - what is written
 * @fold: lines
 * @title: of the flame graph
 * @samples: for pprof
 * @places: for pprof, NULL without names
 * @info: for pprof
 * @describe: for pprof
 * @ctx: for @describe
 */
struct result {
	const struct fold *fold;
	const char *title;
	const struct samples *samples;
	const struct places *places;
	struct pprof_info info;
	void (*describe)(void *ctx, uint64_t number, struct pprof_object *o);
	void *ctx;
};

/** output_write() - write all of them. Return: exit code; a failure has been reported. */
int output_write(struct output *o, const struct result *r);

/** output_close() - NULL is allowed */
void output_close(struct output *o);

#endif /* BUILDIDX_PROFILE_OUTPUT_H */
