// SPDX-License-Identifier: GPL-2.0
/*
 * profile_output - the files that a profile is written to
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile_output.h"
#include "profile_svg.h"
#include "tool.h"

/**
 * struct output - files that are open for it
 * @name: name of the main one, NULL for standard output
 * @svg_name: name of the flame graph, NULL for none
 * @main: file; NULL where nothing but the flame graph is asked for
 * @svg: file
 */
struct output {
	const char *name;
	const char *svg_name;
	FILE *main;
	FILE *svg;
};

bool output_is_pprof(const char *name)
{
	static const char end[] = ".pb.gz";
	size_t len = name ? strlen(name) : 0;

	return len >= sizeof(end) - 1 && !strcmp(name + len - (sizeof(end) - 1), end);
}

static int failed(const char *name, int error)
{
	char *shown = escaped(name);

	complain("%s: %s", shown, strerror(error));
	free(shown);
	return exit_code_of(-error);
}

static int open_file(const char *name, FILE **file)
{
	*file = fopen(name, "we");
	return *file ? EXIT_OK : failed(name, errno);
}

int output_open(struct output **output, const char *name, const char *svg)
{
	struct output *o = must(calloc(1, sizeof(*o)));
	int code = EXIT_OK;

	o->name = name;
	o->svg_name = svg;
	if (name)
		code = open_file(name, &o->main);
	else if (!svg)
		o->main = stdout;
	if (!code && svg)
		code = open_file(svg, &o->svg);
	*output = o;
	return code;
}

static int close_file(FILE **file, const char *name)
{
	bool bad = fflush(*file) || ferror(*file);
	int error = errno;

	if (fclose(*file)) {
		error = bad ? error : errno;
		bad = true;
	}
	*file = NULL;
	return bad ? failed(name, error) : EXIT_OK;
}

int output_write(struct output *o, const struct result *r)
{
	int err, code = EXIT_OK;

	if (output_is_pprof(o->name)) {
		err = pprof_write(fileno(o->main), r->samples, r->places, &r->info, r->describe,
				  r->ctx);
		if (err)
			code = failed(o->name, -err);
	} else if (o->main) {
		fold_print(r->fold, o->main);
	}
	/* that of standard output is checked at the very end */
	if (o->main && o->main != stdout)
		code = worse_of(code, close_file(&o->main, o->name));
	if (o->svg) {
		svg_write(r->fold, r->title, o->svg);
		code = worse_of(code, close_file(&o->svg, o->svg_name));
	}
	return code;
}

void output_close(struct output *o)
{
	if (!o)
		return;
	if (o->main && o->main != stdout)
		fclose(o->main);
	if (o->svg)
		fclose(o->svg);
	free(o);
}
