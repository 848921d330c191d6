/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tool - what the commands of buildidx(1) share
 */
#ifndef BUILDIDX_TOOL_H
#define BUILDIDX_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "libbuildidx.h"

struct option;

/* Exit codes, documented in every --help; of several, the highest is given. */
enum {
	EXIT_OK		= 0,	/* everything was answered */
	EXIT_PARTLY	= 1,	/* something could not be answered */
	EXIT_USAGE	= 2,	/* the command line is wrong */
	EXIT_NO_MODULE	= 3,	/* the module is needed and not there, or of another version */
	EXIT_DENIED	= 4,	/* not permitted */
};

/* Options that a command can accept. */
#define OPT_JSON	(1U << 0)
#define OPT_NO_HEADER	(1U << 1)
#define OPT_CPU		(1U << 2)
#define OPT_IN_FRONT	(1U << 3)	/* options end at the first operand */

/**
 * struct options - the options given
 * @json: print JSON
 * @no_header: print no header line
 * @cpu: CPU number, or -1 for all
 */
struct options {
	bool json;
	bool no_header;
	int cpu;
};

/**
 * struct command - one command of the tool
 * @name: as typed
 * @args: its operands, for the usage line
 * @summary: one line
 * @help: the rest of its --help
 * @accepts: OPT_*
 * @min_args: operands that it needs
 * @max_args: operands that it takes; -1 for no limit
 * @options: options of its own, for getopt_long(3); each @val is its short form, or
 *	above 255 when it has none. NULL for none
 * @options_help: their help
 * @take: takes one of them; false when its argument is wrong, which has been reported
 * @run: carries it out; returns an exit code
 */
struct command {
	const char *name;
	const char *args;
	const char *summary;
	const char *help;
	unsigned int accepts;
	int min_args;
	int max_args;
	const struct option *options;
	const char *options_help;
	bool (*take)(int option, const char *arg);
	int (*run)(const struct options *opt, int argc, char **argv);
};

extern const struct command cmd_status;
extern const struct command cmd_doctor;
extern const struct command cmd_file;
extern const struct command cmd_maps;
extern const struct command cmd_addr;
extern const struct command cmd_exe;
extern const struct command cmd_dump;
extern const struct command cmd_stats;
extern const struct command cmd_profile;
extern const struct command cmd_symbolize;
extern const struct command cmd_bpf;
extern const struct command cmd_watch;
extern const struct command cmd_resolve;

/* Who gave an answer: the module, or the tool that read the file itself. */
#define FROM_INDEX	"index"
#define FROM_FILE	"file"

/* input.c */

/**
 * parse_pid() - a process number
 * @text: decimal digits
 * @pid: result
 *
 * Return: false when it is none; that has been reported.
 */
bool parse_pid(const char *text, pid_t *pid);

/**
 * parse_address() - an address
 * @text: hex digits, with or without 0x
 * @address: result
 *
 * Return: false when it is none; that has been reported.
 */
bool parse_address(const char *text, uint64_t *address);

/* report.c */

/**
 * complain() - one line to stderr, after the name of the tool
 * @fmt: text; bytes from outside must have been escaped
 */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * escaped() - a name as one printable word
 * @name: any bytes
 *
 * Return: allocated text; never NULL (the tool ends when memory is short).
 */
char *escaped(const char *name);

/** exit_code_of() - the exit code for a question that failed with this errno */
int exit_code_of(int error);

/** worse_of() - the exit code to keep of two */
int worse_of(int a, int b);

/**
 * hooks_silenced() - are hooks off because the kernel's kprobes were disarmed?
 * @info: what the module says
 *
 * Hooks that are switched off are not placed; those that were silenced still are.
 */
bool hooks_silenced(const struct buildidx_info *info);

/** has_proc() - is there a /proc? Without one, no process seems to exist. */
bool has_proc(void);
#define NO_PROC	"not known: /proc is not mounted here"

/** keeps_records() - does the module know of records, or is it of the first release? */
bool keeps_records(const struct buildidx_info *info);

/** must() - a pointer that is not NULL; the tool ends when memory is short */
void *must(void *p);

/* device.c */

/**
 * device_open() - open the device; without it, there is nothing to do
 * @bx: receives the handle
 *
 * Return: an exit code; a failure has been reported.
 */
int device_open(struct buildidx **bx);

/**
 * device_open_optional() - open the device if there is one that we may open
 *
 * Return: handle or NULL.
 */
struct buildidx *device_open_optional(void);

/** device_exit_code() - the exit code for buildidx_open() that failed so */
int device_exit_code(int error);

/**
 * device_refused() - report that the device could not be opened, and what to do
 * @error: negative errno of buildidx_open()
 * @err: its text
 * @instead: what could be done without it, or ""
 *
 * Return: device_exit_code().
 */
int device_refused(int error, const struct buildidx_error *err, const char *instead);

/* identify.c */

/**
 * struct answer - what is known about one file or address
 * @error: negative errno when there is no answer at all, else 0
 * @err: text of @error
 * @from: FROM_INDEX or FROM_FILE
 * @kind: enum buildidx_kind
 * @source: enum buildidx_source
 * @status: enum buildidx_status
 * @id: the identity
 * @id_len: its length in bytes; more than @id_have when it is known in part
 * @id_have: bytes valid in @id
 */
struct answer {
	int error;
	struct buildidx_error err;
	const char *from;
	unsigned int kind;
	unsigned int source;
	unsigned int status;
	unsigned char id[BUILDIDX_TEXT_MAX];
	size_t id_len;
	size_t id_have;
};

/** answer_object() - take over what the module or the parser says of a file */
void answer_object(struct answer *a, const struct buildidx_object *obj, const char *from);

/** frame_has_offset() - does the status of a frame come with a file offset? */
bool frame_has_offset(const struct buildidx_frame *frame);

/**
 * answer_frame() - take over what the module says of an address
 * @a: result
 * @bx: handle, to ask for the rest of a long identity
 * @frame: the module's answer
 */
void answer_frame(struct answer *a, const struct buildidx *bx,
		  const struct buildidx_frame *frame);

/** answer_error() - there is no answer */
void answer_error(struct answer *a, int error, const struct buildidx_error *err,
		  const char *from);

/** answer_status() - the answer is a status without an identity */
void answer_status(struct answer *a, unsigned int status, const char *from);

/**
 * answer_fd() - identify an open file
 * @a: result
 * @bx: handle, or NULL when there is no module
 * @fd: file
 *
 * The module is asked first; where it has no identity, the file is read.
 */
void answer_fd(struct answer *a, const struct buildidx *bx, int fd);

/** answer_has_id() - is there an identity? */
bool answer_has_id(const struct answer *a);

/**
 * answer_id_text() - the identity as text
 * @a: answer
 * @buf: at least ANSWER_TEXT_MAX bytes
 */
const char *answer_id_text(const struct answer *a, char *buf);
#define ANSWER_TEXT_MAX	(BUILDIDX_FORMAT_MAX + 4)

/** answer_exit_code() - EXIT_OK with an identity, else what the reason calls for */
int answer_exit_code(const struct answer *a);

/** answer_status_name() - name of the status, "error" when there is no answer */
const char *answer_status_name(const struct answer *a);

/* json.c */

struct json_object;

/** json_new() - an empty object */
struct json_object *json_new(void);

/** json_add_text() - a text that is known to be ASCII; NULL gives null */
void json_add_text(struct json_object *o, const char *key, const char *text);

/**
 * json_add_bytes() - a text from outside
 * @o: object
 * @key: name of the member
 * @bytes: any bytes
 * @len: their number
 *
 * Bytes that are not UTF-8 become U+FFFD in member @key; member "@key_hex"
 * then holds all bytes as hex, and is absent otherwise.
 */
void json_add_bytes(struct json_object *o, const char *key, const void *bytes, size_t len);

/** json_add_name() - json_add_bytes() of a file name; NULL gives null */
void json_add_name(struct json_object *o, const char *key, const char *name);

void json_add_u64(struct json_object *o, const char *key, uint64_t value);
void json_add_bool(struct json_object *o, const char *key, bool value);

/** json_add_address() - an address, as "0x..." because it can exceed 2^53 */
void json_add_address(struct json_object *o, const char *key, uint64_t value);

/** json_add_object() - a member; @o owns @child afterwards */
void json_add_object(struct json_object *o, const char *key, struct json_object *child);

/** json_add_answer() - the members that describe an answer */
void json_add_answer(struct json_object *o, const struct answer *a);

/** json_print() - print and free one object, and a newline */
void json_print(struct json_object *o);

/**
 * struct json_list - an array that is printed while it grows
 * @count: elements printed
 */
struct json_list {
	size_t count;
};

void json_list_start(struct json_list *l);
/** json_list_add() - print and free one element */
void json_list_add(struct json_list *l, struct json_object *o);
void json_list_end(struct json_list *l);

/** json_array_add() - append to member @key of @o, an array */
void json_array_add(struct json_object *o, const char *key, struct json_object *element);

#endif /* BUILDIDX_TOOL_H */
