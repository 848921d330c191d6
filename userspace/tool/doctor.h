/* SPDX-License-Identifier: GPL-2.0 */
/*
 * doctor - what the checks of `buildidx doctor` share
 *
 * Facts are read below a root directory and from the struct here, so that tests
 * can show the checks any machine.
 */
#ifndef BUILDIDX_DOCTOR_H
#define BUILDIDX_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "tool.h"

/**
 * enum level - how bad a finding is
 * @LEVEL_OK: as it should be
 * @LEVEL_NOTE: worth knowing; nothing to mend
 * @LEVEL_WARN: works, but less than it could, or not for long
 * @LEVEL_FAIL: does not work
 * @LEVEL_DENIED: could not be looked at for want of permission
 */
enum level {
	LEVEL_OK,
	LEVEL_NOTE,
	LEVEL_WARN,
	LEVEL_FAIL,
	LEVEL_DENIED,
};

/**
 * struct finding - the result of one check
 * @check: its name, the same in every release
 * @level: how bad
 * @code: exit code that it calls for
 * @text: what was found; ASCII
 * @remedy: what to do; NULL when there is nothing to do
 */
struct finding {
	const char *check;
	enum level level;
	int code;
	char *text;
	char *remedy;
};

/**
 * struct doctor - the machine, and what was found on it
 * @root: directory that stands for /; "" is the machine itself
 * @release: `uname -r`
 * @version: version of this program
 * @library: version of the library that it was linked with
 * @device_error: 0, or the negative errno of opening the device or asking it
 * @device_text: the same in words
 * @info: what the module says; when @device_error is 0 its abi_version is valid, and
 *	the rest if that is ours
 * @stats_error: 0, or the negative errno of asking for the counters
 * @stats: valid when @info is and @stats_error is 0
 * @found: findings so far
 * @nr_found: their number
 */
struct doctor {
	const char *root;
	const char *release;
	const char *version;
	const char *library;
	int device_error;
	struct buildidx_error device_text;
	struct buildidx_info info;
	int stats_error;
	struct buildidx_stats stats;
	struct finding *found;
	size_t nr_found;
};

/* The groups of checks, one file each. */
void doctor_kernel(struct doctor *d);
void doctor_module(struct doctor *d);
void doctor_security(struct doctor *d);
void doctor_device(struct doctor *d);
void doctor_versions(struct doctor *d);

/* doctor_found.c */

/**
 * found() - add a finding
 * @d: doctor
 * @check: name of the check
 * @level: how bad
 * @fmt: what was found; bytes that are not printable ASCII become '?'
 */
void found(struct doctor *d, const char *check, enum level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** remedy() - what to do about the last finding */
void remedy(struct doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** remedy_free() - the same, of an allocated text, which is freed, and words that follow it */
void remedy_free(struct doctor *d, char *text, const char *then);

/** found_code() - the exit code that the last finding calls for, if not its level's own */
void found_code(struct doctor *d, int code);

/** level_name() - name for machines */
const char *level_name(enum level level);

/** doctor_exit_code() - of all findings */
int doctor_exit_code(const struct doctor *d);

/** doctor_free() - free the findings */
void doctor_free(struct doctor *d);

/* doctor_probe.c */

/** probe_path() - a path below the root; allocated */
char *probe_path(const struct doctor *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** probe_exists() - is there such a file, directory or device? */
bool probe_exists(const struct doctor *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * probe_read() - the start of a small file as text, without its last newline
 * @d: doctor
 * @buf: receives the text; holds "" on failure
 * @size: room in @buf
 * @fmt: path
 *
 * Return: bytes read, or a negative errno.
 */
long probe_read(const struct doctor *d, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** probe_program() - path of a program; allocated, NULL when it is not installed */
char *probe_program(const struct doctor *d, const char *name);

/**
 * probe_run() - what a program prints
 * @argv: path and arguments, ended by NULL
 * @buf: receives the start of its standard output, NUL-terminated
 * @size: room in @buf
 *
 * Its standard error is thrown away. One that does not end is killed after a while.
 *
 * Return: exit status, or a negative errno when it could not be run.
 */
int probe_run(char *const argv[], char *buf, size_t size);

/* doctor_module.c, doctor_kernel.c: what several groups ask */

/** doctor_loaded() - is the module loaded? */
bool doctor_loaded(const struct doctor *d);

/** doctor_has_btf() - did the kernel take the module's BTF? */
bool doctor_has_btf(const struct doctor *d);

/** doctor_module_file() - the installed module for this kernel; allocated, or NULL */
char *doctor_module_file(const struct doctor *d);

/**
 * doctor_modinfo() - one line of modinfo(8) of the installed module
 * @d: doctor
 * @file: module
 * @field: name
 * @buf: receives the value; holds "" when there is none
 * @size: room in @buf
 *
 * Return: false when modinfo cannot be run or cannot read the file.
 */
bool doctor_modinfo(const struct doctor *d, const char *file, const char *field, char *buf,
		    size_t size);

/* doctor_system.c: remedies that exist on this system; texts are allocated */

/** doctor_get_program() - how to install a program */
char *doctor_get_program(const struct doctor *d, const char *name);

enum kernel_part {
	KERNEL_HEADERS,
	KERNEL_IMAGE,
};

/** doctor_get_kernel_part() - how to get what belongs to the running kernel */
char *doctor_get_kernel_part(const struct doctor *d, enum kernel_part part);

/** doctor_takes_modules() - was the kernel built to load modules? */
bool doctor_takes_modules(const struct doctor *d);

/** doctor_config() - the kernel's configuration. Return: its length; not above 0 when unknown. */
long doctor_config(const struct doctor *d, char *text, size_t size);

/** doctor_image() - does the machine have the kernel's image, from which BTF is made? */
bool doctor_image(const struct doctor *d);

/** doctor_headers() - does the machine have the kernel's headers? */
bool doctor_headers(const struct doctor *d);

#endif /* BUILDIDX_DOCTOR_H */
