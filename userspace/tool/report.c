// SPDX-License-Identifier: GPL-2.0
/*
 * report - messages and exit codes
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

void complain(const char *fmt, ...)
{
	va_list ap;

	/* Keep the order of answers and complaints when both go to one place. */
	fflush(stdout);
	fputs("buildidx: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void *must(void *p)
{
	if (!p) {
		complain("out of memory");
		exit(EXIT_PARTLY);
	}
	return p;
}

char *escaped(const char *name)
{
	size_t len = strlen(name);
	size_t size = buildidx_escape(name, len, NULL, 0) + 1;
	char *text = must(malloc(size));

	buildidx_escape(name, len, text, size);
	return text;
}

int exit_code_of(int error)
{
	switch (error) {
	case 0:
		return EXIT_OK;
	case -EPERM:
	case -EACCES:
		return EXIT_DENIED;
	case -ENOTTY:	/* a module that does not know the command */
		return EXIT_NO_MODULE;
	default:
		return EXIT_PARTLY;
	}
}

int worse_of(int a, int b)
{
	return a > b ? a : b;
}

bool has_proc(void)
{
	return access("/proc/self", F_OK) == 0;
}

bool hooks_silenced(const struct buildidx_info *info)
{
	uint32_t i;

	for (i = 0; !info->hooks_on && i < info->nr_hooks; i++)
		if (info->hooks[i].state == BUILDIDX_HOOK_KPROBE)
			return true;
	return false;
}

bool keeps_records(const struct buildidx_info *info)
{
	return info->history_max || info->stream_max;
}
