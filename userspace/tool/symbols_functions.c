// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_functions - the functions at one place in code
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/utf8.h"
#include "symbols_functions.h"
#include "tool.h"

/* A longer name is printed as it is: some kilobytes can stand for gigabytes. */
#define MANGLED_MAX	4096

/* Of the C++ runtime, whose headers are of no use to C. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* U+0080 to U+009F are obeyed by terminals as those below space are. */
static bool is_plain(uint32_t cp)
{
	return cp >= ' ' && cp != ';' && cp != '\\' && (cp < 0x7f || cp > 0x9f);
}

/* Readable text that separates nothing. */
static char *plain_text(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n, size, left = strlen(text);
	uint32_t cp;
	char *plain;
	FILE *out = must(open_memstream(&plain, &size));

	for (; left; left -= n) {
		n = bidx_utf8_next(p, left, &cp);
		if (n && is_plain(cp)) {
			fwrite(p, 1, n, out);
			p += n;
			continue;
		}
		n = n ? n : 1;
		for (const unsigned char *end = p + n; p < end; p++)
			fprintf(out, "\\%03o", *p);
	}
	if (fclose(out))
		must(NULL);
	return plain;
}

static void add(struct functions *f, char *name, char *file, unsigned int line)
{
	f->list = must(reallocarray(f->list, f->nr + 1, sizeof(*f->list)));
	f->list[f->nr++] = (struct function){ name, file, line };
}

void functions_add(struct functions *f, const char *name, const char *file, unsigned int line)
{
	char *demangled = NULL;

	if (!strncmp(name, "_Z", 2) && strlen(name) <= MANGLED_MAX)
		demangled = __cxa_demangle(name, NULL, NULL, NULL);
	add(f, plain_text(demangled ? demangled : name), plain_text(file ? file : ""), line);
	free(demangled);
}

void functions_add_plain(struct functions *f, const char *name, const char *file,
			 unsigned int line)
{
	add(f, must(strdup(name)), must(strdup(file)), line);
}

void functions_clear(struct functions *f)
{
	while (f->nr) {
		f->nr--;
		free(f->list[f->nr].name);
		free(f->list[f->nr].file);
	}
	free(f->list);
	f->list = NULL;
}
