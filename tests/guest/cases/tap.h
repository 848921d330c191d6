/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP for the guest tests. One process, one plan, written at the end; a test
 * program that dies earlier has no plan and so counts as failed.
 */
#ifndef CASES_TAP_H
#define CASES_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Weak: one count for all the objects of a program that include this. */
__attribute__((weak)) unsigned int tap_count;
__attribute__((weak)) unsigned int tap_failed;

/* A line of explanation; belongs to the result that was printed last. */
__attribute__((format(printf, 1, 2), unused))
static void diag(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", stdout);
	vfprintf(stdout, fmt, ap);
	fputc('\n', stdout);
	va_end(ap);
	fflush(stdout);
}

/* One result. Returns @pass, so that what was seen can be printed on failure. */
__attribute__((format(printf, 2, 3), unused))
static bool ok(bool pass, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok %u - ", pass ? "" : "not ", ++tap_count);
	vfprintf(stdout, fmt, ap);
	fputc('\n', stdout);
	va_end(ap);
	fflush(stdout);
	if (!pass)
		tap_failed++;
	return pass;
}

/* A test that this kernel cannot run at all; the reason is part of the result. */
__attribute__((unused))
static void skip(const char *name, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_count, name, why);
	fflush(stdout);
}

/* Nothing more can be tested: the harness reads this as a failure. */
__attribute__((format(printf, 1, 2), noreturn, unused))
static void bail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("Bail out! ", stdout);
	vfprintf(stdout, fmt, ap);
	fputc('\n', stdout);
	va_end(ap);
	fflush(stdout);
	exit(2);
}

/* The plan and the exit status of the program. */
__attribute__((unused))
static int tap_end(void)
{
	printf("1..%u\n", tap_count);
	fflush(stdout);
	return tap_failed || !tap_count ? 1 : 0;
}

#endif /* CASES_TAP_H */
