// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_found - the list of findings
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "doctor.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	int code;
} levels[] = {
	[LEVEL_OK]	= { "ok",	EXIT_OK },
	[LEVEL_NOTE]	= { "note",	EXIT_OK },
	[LEVEL_WARN]	= { "warn",	EXIT_PARTLY },
	[LEVEL_FAIL]	= { "fail",	EXIT_PARTLY },
	[LEVEL_DENIED]	= { "denied",	EXIT_DENIED },
};

/* Part of it comes from files and programs: nothing in it may reach the terminal as a command. */
static char *format(const char *fmt, va_list ap)
{
	char *text, *c;

	if (vasprintf(&text, fmt, ap) < 0)
		must(NULL);
	for (c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return text;
}

void found(struct doctor *d, const char *check, enum level level, const char *fmt, ...)
{
	struct finding *f;
	va_list ap;

	d->found = must(reallocarray(d->found, d->nr_found + 1, sizeof(*d->found)));
	f = &d->found[d->nr_found++];
	f->check = check;
	f->level = level;
	f->code = levels[level].code;
	f->remedy = NULL;
	va_start(ap, fmt);
	f->text = format(fmt, ap);
	va_end(ap);
}

void remedy(struct doctor *d, const char *fmt, ...)
{
	struct finding *f = &d->found[d->nr_found - 1];
	va_list ap;

	free(f->remedy);
	va_start(ap, fmt);
	f->remedy = format(fmt, ap);
	va_end(ap);
}

void remedy_free(struct doctor *d, char *text, const char *then)
{
	remedy(d, "%s%s", text, then);
	free(text);
}

void found_code(struct doctor *d, int code)
{
	d->found[d->nr_found - 1].code = code;
}

const char *level_name(enum level level)
{
	return (size_t)level < COUNT(levels) ? levels[level].name : "unknown";
}

int doctor_exit_code(const struct doctor *d)
{
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < d->nr_found; i++)
		code = worse_of(code, d->found[i].code);
	return code;
}

void doctor_free(struct doctor *d)
{
	size_t i;

	for (i = 0; i < d->nr_found; i++) {
		free(d->found[i].text);
		free(d->found[i].remedy);
	}
	free(d->found);
	d->found = NULL;
	d->nr_found = 0;
}
