// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * error - texts of errors in the caller's buffer
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

int bidx_fail(struct buildidx_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int bidx_fail_errno(struct buildidx_error *err, int code, const char *fmt, ...)
{
	char reason[96];
	va_list ap;
	size_t n;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s",
		 strerror_r(-code, reason, sizeof(reason)));
	return code;
}
