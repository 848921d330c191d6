// SPDX-License-Identifier: GPL-2.0
/*
 * report OUT.json KERNEL=FILE...: print the table of what the guests measured, and write
 * it as JSON:
 *
 *	{"6.12": {"frame_runs": {"stock": 1, "buildidx": 2, "ratio": 2, "unit": "...",
 *	  "noise_percent": 0, "off": null, "goal": 0.5, "goal_for": "ratio", "met": false}}}
 *
 * A missed goal is shown, and no error. Exit status 1: a file lacks a metric or has one
 * that is not known; nothing is written then.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "results.h"

static const char *goal_for(const struct metric *m)
{
	return m->kind == GOAL_RATIO ? "ratio" : "buildidx";
}

/* What is compared with the goal; NAN when there is nothing to compare. */
static double judged(const struct metric *m, const struct result *r)
{
	switch (m->kind) {
	case GOAL_RATIO:
		return result_ratio(r);
	case GOAL_VALUE:
		return r->buildidx;
	default:
		return NAN;
	}
}

static struct json_object *number(double v)
{
	char text[64];

	if (isnan(v))
		return NULL;	/* null */
	snprintf(text, sizeof(text), "%.4f", v);
	return json_object_new_double_s(v, text);
}

static struct json_object *metric_json(const struct metric *m, const struct result *r,
				       const char *kernel)
{
	struct json_object *o = json_object_new_object();
	double value = judged(m, r);

	json_object_object_add(o, "stock", number(r->stock));
	json_object_object_add(o, "buildidx", number(r->buildidx));
	json_object_object_add(o, "ratio", number(result_ratio(r)));
	json_object_object_add(o, "unit", json_object_new_string(m->unit));
	json_object_object_add(o, "noise_percent", number(r->noise));
	json_object_object_add(o, "off", number(r->off));
	if (m->kind == GOAL_NONE)
		return o;
	json_object_object_add(o, "goal", number(metric_goal(m, kernel)));
	json_object_object_add(o, "goal_for", json_object_new_string(goal_for(m)));
	json_object_object_add(o, "met", isnan(value) ? NULL :
			       json_object_new_boolean(value <= metric_goal(m, kernel)));
	return o;
}

static const char *text_of(double v, int digits, char *buf, size_t size)
{
	if (isnan(v))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.*f", digits, v);
	return buf;
}

static void print_metric(const struct metric *m, const struct result *r, const char *kernel)
{
	double goal = metric_goal(m, kernel), value = judged(m, r);
	char stock[32], buildidx[32], ratio[32], off[32], noise[32], verdict[32] = "";
	int digits = r->buildidx < 1000 ? 1 : 0;

	if (m->kind != GOAL_NONE)
		snprintf(verdict, sizeof(verdict), "%6.4g %s", goal,
			 isnan(value) ? "no stock answer" : value <= goal ? "met" : "MISSED");
	printf("%-46s %12s %12s %7s %12s %6s  %-12s %s\n", m->text,
	       text_of(r->stock, digits, stock, sizeof(stock)),
	       text_of(r->buildidx, digits, buildidx, sizeof(buildidx)),
	       text_of(result_ratio(r), 3, ratio, sizeof(ratio)),
	       text_of(r->off, digits, off, sizeof(off)),
	       text_of(r->noise, 1, noise, sizeof(noise)), m->unit, verdict);
}

static void print_table(const char *kernel, const struct result *results)
{
	size_t i;

	printf("\n%-46s %12s %12s %7s %12s %6s  %-12s %s\n", kernel, "stock", "buildidx", "ratio",
	       "switched off", "noise%", "unit", "  goal");
	for (i = 0; i < nr_metrics; i++)
		print_metric(&metrics[i], &results[i], kernel);
}

static struct json_object *kernel_json(const char *kernel, const struct result *results)
{
	struct json_object *o = json_object_new_object();
	size_t i;

	for (i = 0; i < nr_metrics; i++)
		json_object_object_add(o, metrics[i].name,
				       metric_json(&metrics[i], &results[i], kernel));
	return o;
}

int main(int argc, char **argv)
{
	struct json_object *all = json_object_new_object();
	struct result *results = calloc(nr_metrics, sizeof(*results));
	char *file;
	int i;

	if (argc < 3 || !all || !results) {
		fprintf(stderr, "usage: report OUT.json KERNEL=FILE...\n");
		return 2;
	}
	for (i = 2; i < argc; i++) {
		file = strchr(argv[i], '=');
		if (!file) {
			fprintf(stderr, "report: %s is not KERNEL=FILE\n", argv[i]);
			return 2;
		}
		*file++ = '\0';
		if (!results_read(file, results))
			return 1;
		print_table(argv[i], results);
		json_object_object_add(all, argv[i], kernel_json(argv[i], results));
	}
	if (json_object_to_file_ext(argv[1], all, JSON_C_TO_STRING_PRETTY)) {
		fprintf(stderr, "report: %s\n", json_util_get_last_err());
		return 1;
	}
	json_object_put(all);
	free(results);
	return 0;
}
