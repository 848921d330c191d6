/* SPDX-License-Identifier: GPL-2.0 */
/*
 * records - where the commands have their records from: the module, or a file
 */
#ifndef BUILDIDX_RECORDS_H
#define BUILDIDX_RECORDS_H

#include "tool.h"

struct records_file;

/**
 * struct records - where records come from
 * @bx: the module, NULL when they come from a file
 * @file: what was in the file
 * @name: of the file, as one printable word
 * @realtime: CLOCK_REALTIME minus CLOCK_BOOTTIME of the machine that they are of
 * @machine: its architecture (uname -m)
 * @code: exit code of what went wrong so far, and was reported
 */
struct records {
	struct buildidx *bx;
	struct records_file *file;
	char *name;
	int64_t realtime;
	char machine[32];
	int code;
};

/**
 * records_open() - get at records
 * @s: to be closed with records_close()
 * @path: file to read, "-" for the standard input; NULL: ask the module
 *
 * Of a file, all is read that stands for something in the kernel: a program, a module,
 * generated text. What the file says of it later (unloaded) is put in.
 *
 * Return: exit code; a failure has been reported, and @s is not to be closed.
 */
int records_open(struct records *s, const char *path);
void records_close(struct records *s);

/** records_adopt() - have older programs recorded; what goes wrong is reported */
void records_adopt(struct records *s);

/**
 * records_each() - look at all records, in the order of their numbers
 * @s: records
 * @flags: BUILDIDX_RECORDS_*, 0 for all
 * @types: bit 1 << enum buildidx_rec_type for each type wanted, 0 for all
 * @each: called with each; false ends it
 * @ctx: for @each
 *
 * Return: exit code; a failure has been reported.
 */
int records_each(struct records *s, unsigned int flags, unsigned int types,
		 bool (*each)(void *ctx, const struct buildidx_rec *rec), void *ctx);

/**
 * records_program() - the BPF program that an operand names
 * @s: records
 * @name: the kernel's number of it, "object:" and the number of its record, or its build
 *	ID in 40 hex digits
 * @rec: receives a record for free(3)
 *
 * Return: exit code; a failure has been reported.
 */
int records_program(struct records *s, const char *name, struct buildidx_rec_bpf **rec);

/**
 * records_address() - whose text is, or was, at a kernel address
 * @s: records
 * @address: address
 * @time: CLOCK_BOOTTIME; 0: now, or the last that was there
 * @rec: receives a record for free(3)
 * @err: text of the error; of -ENOENT too
 *
 * Return: 0 or a negative errno; nothing is reported.
 */
int records_address(struct records *s, uint64_t address, uint64_t time,
		    struct buildidx_rec **rec, struct buildidx_error *err);

/* What BPF_LOAD, KSYM and MODULE have in common; for another type all is 0. */
struct record_life {
	uint64_t object;
	uint32_t flags;
	uint64_t load_time;
	uint64_t unload_time;
};
struct record_life record_life(const struct buildidx_rec *rec);

/** record_holds() - is a kernel address in the text that a record stands for? */
bool record_holds(const struct buildidx_rec *rec, uint64_t address);

/** record_copy() - a copy for free(3); the tool ends when memory is short */
struct buildidx_rec *record_copy(const struct buildidx_rec *rec);

/* record_text.c */

#define TIME_TEXT_MAX	48

/**
 * time_text() - a time for people
 * @realtime: as in struct records
 * @time: CLOCK_BOOTTIME
 * @buf: TIME_TEXT_MAX bytes
 *
 * Return: "YYYY-MM-DD HH:MM:SS.mmm" in local time, "-" for 0.
 */
const char *time_text(int64_t realtime, uint64_t time, char *buf);

/**
 * time_parse() - a time from the command line
 * @realtime: as in struct records
 * @text: nanoseconds of CLOCK_BOOTTIME, the same in seconds with a decimal point, or
 *	"YYYY-MM-DD HH:MM:SS[.fraction]" in local time
 * @time: result, in nanoseconds of CLOCK_BOOTTIME
 *
 * Return: false when it is none; that has been reported.
 */
bool time_parse(int64_t realtime, const char *text, uint64_t *time);

/** json_add_time() - members @key, seconds of CLOCK_BOOTTIME, and @key_utc; null for 0 */
void json_add_time(struct json_object *o, const char *key, int64_t realtime, uint64_t time);

/** source_text() - a source line without the blanks around it, escaped, for free(3) */
char *source_text(const char *text);

/** bpf_name() - name of a program, never empty: "-" when it has none */
const char *bpf_name(const struct buildidx_rec_bpf *r);

/** bpf_json() - all that a program's record tells, but its lines and image */
struct json_object *bpf_json(const struct buildidx_rec_bpf *r, int64_t realtime);

/** record_json() - any record, for the stream; a program as bpf_json() */
struct json_object *record_json(const struct buildidx_rec *rec, int64_t realtime);

/** record_print() - any record as one line, for the stream */
void record_print(const struct buildidx_rec *rec, int64_t realtime);

#endif /* BUILDIDX_RECORDS_H */
