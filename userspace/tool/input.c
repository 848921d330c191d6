// SPDX-License-Identifier: GPL-2.0
/*
 * input - operands from the command line
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

static bool only(const char *text, const char *digits)
{
	return *text && text[strspn(text, digits)] == '\0';
}

bool parse_pid(const char *text, pid_t *pid)
{
	unsigned long value = 0;
	char *shown;

	errno = 0;
	if (only(text, "0123456789"))
		value = strtoul(text, NULL, 10);
	if (errno || value == 0 || value > INT_MAX) {
		shown = escaped(text);
		complain("not a process number: '%s'", shown);
		free(shown);
		return false;
	}
	*pid = (pid_t)value;
	return true;
}

bool parse_address(const char *text, uint64_t *address)
{
	const char *digits = text;
	char *shown;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		digits += 2;
	errno = 0;
	if (only(digits, "0123456789abcdefABCDEF")) {
		*address = strtoull(digits, NULL, 16);
		if (!errno)
			return true;
	}
	shown = escaped(text);
	complain("not an address of up to 16 hex digits: '%s'", shown);
	free(shown);
	return false;
}
