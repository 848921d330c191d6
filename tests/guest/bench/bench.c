// SPDX-License-Identifier: GPL-2.0
/*
 * bench [--smoke] MEASUREMENT...: measure in this guest, see bench.h.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "../cases/tap.h"
#include "bench.h"

static const struct measurement {
	const char *name;
	void (*run)(const struct bench *b);
} measurements[] = {
	{ "frames", bench_frames },
	{ "paths", bench_paths },
	{ "sizes", bench_sizes },
	{ "scan", bench_scan },
	{ "capture", bench_capture },
	{ "lookup", bench_lookup },
	{ "readers", bench_readers },
	{ "kernel", bench_kernel },
	{ "stream", bench_stream },
};

static void run(const char *name, const struct bench *b)
{
	size_t i;

	for (i = 0; i < sizeof(measurements) / sizeof(measurements[0]); i++) {
		if (strcmp(measurements[i].name, name))
			continue;
		measurements[i].run(b);
		bench_unload();
		return;
	}
	bail("no such measurement: %s", name);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "smoke", no_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	const struct bench smoke = {
		.rounds = 2, .repeats = 5, .files = 3000, .processes = 10, .window_ms = 20,
	};
	struct bench b = {
		.rounds = 7, .repeats = 101, .files = 1000000, .processes = 1000, .window_ms = 200,
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != 's')
			return 2;
		b = smoke;
	}
	for (; optind < argc; optind++)
		run(argv[optind], &b);
	return 0;
}
