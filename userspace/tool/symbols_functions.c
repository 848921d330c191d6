// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_functions - the functions at one place in code
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols_functions.h"
#include "tool.h"

/* A longer name is printed as it is: some kilobytes can stand for gigabytes. */
#define MANGLED_MAX	4096

/* Of the C++ runtime, whose headers are of no use to C. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* Bytes of UTF-8 for U+0080 to U+009F, which terminals obey as they do those below space. */
static bool is_c1(const unsigned char *p)
{
	return p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f;
}

/* Readable text that separates nothing. */
static char *plain_text(const char *text)
{
	const unsigned char *p;
	char *plain;
	size_t size;
	FILE *out = must(open_memstream(&plain, &size));

	for (p = (const unsigned char *)text; *p; p++) {
		bool c1 = is_c1(p);

		if (c1)
			fprintf(out, "\\%03o", *p++);
		if (c1 || *p == ';' || *p == '\\' || *p < ' ' || *p == 0x7f)
			fprintf(out, "\\%03o", *p);
		else
			putc(*p, out);
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
