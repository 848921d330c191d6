// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

#define PREFIX "bench: "

static bool read_number(const char *text, double *v)
{
	char *end;

	if (!text)
		return false;
	if (!strcmp(text, "-")) {
		*v = NAN;
		return true;
	}
	*v = strtod(text, &end);
	return end != text && !*end && isfinite(*v);
}

static bool read_line(char *line, struct result *results)
{
	const struct metric *m;
	struct result *r;
	char *name = strtok(line + strlen(PREFIX), " \r\n");

	m = name ? metric_find(name) : NULL;
	if (!m) {
		fprintf(stderr, "report: unknown metric %s\n", name ? name : "(none)");
		return false;
	}
	r = &results[m - metrics];
	if (r->seen) {
		fprintf(stderr, "report: %s is there twice\n", name);
		return false;
	}
	r->seen = read_number(strtok(NULL, " \r\n"), &r->stock) &&
		  read_number(strtok(NULL, " \r\n"), &r->buildidx) &&
		  read_number(strtok(NULL, " \r\n"), &r->off) &&
		  read_number(strtok(NULL, " \r\n"), &r->noise) &&
		  !strtok(NULL, " \r\n") && !isnan(r->buildidx) && !isnan(r->noise);
	if (!r->seen)
		fprintf(stderr, "report: %s: four numbers are needed\n", name);
	return r->seen;
}

bool results_read(const char *path, struct result *results)
{
	FILE *f = fopen(path, "r");
	bool good = true;
	char line[512];
	size_t i;

	if (!f) {
		fprintf(stderr, "report: %s: %s\n", path, strerror(errno));
		return false;
	}
	memset(results, 0, nr_metrics * sizeof(*results));
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, PREFIX, strlen(PREFIX)))
			good &= read_line(line, results);
	fclose(f);
	for (i = 0; i < nr_metrics; i++) {
		if (results[i].seen)
			continue;
		fprintf(stderr, "report: %s: no result for %s\n", path, metrics[i].name);
		good = false;
	}
	return good;
}

double result_ratio(const struct result *r)
{
	return r->stock > 0 ? r->buildidx / r->stock : NAN;
}
