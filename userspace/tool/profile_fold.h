/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_fold - stacks as folded lines: "comm;frame;...;frame COUNT", the
 * outermost frame first
 */
#ifndef BUILDIDX_PROFILE_FOLD_H
#define BUILDIDX_PROFILE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile_record.h"

/** struct fold - lines and how often each was seen */
struct fold;

struct fold *fold_new(void);
void fold_free(struct fold *f);

/** fold_add() - @line, without its count, was seen @count times more */
void fold_add(struct fold *f, const char *line, uint64_t count);

/** fold_lines() - number of different lines */
size_t fold_lines(const struct fold *f);

/** fold_each() - all lines, in the order of strcmp(3) */
void fold_each(const struct fold *f,
	       void (*one)(void *ctx, const char *line, uint64_t count), void *ctx);

/** fold_print() - all lines, each with its count */
void fold_print(const struct fold *f, FILE *out);

/**
 * fold_id() - an identity as it stands in a frame, in front of "+0x"
 * @kind: enum buildidx_kind
 * @id: identity
 * @have: bytes valid in @id
 * @len: its true length; if that is more, "..." follows
 *
 * As buildidx_format_id(), with ';' escaped too.
 *
 * Return: allocated text.
 */
char *fold_id(unsigned int kind, const void *id, size_t have, size_t len);

/** fold_status() - what stands for a frame without an object; valid until the next call */
const char *fold_status(uint64_t status);

/**
 * fold_stack() - one stack as a line, without its count
 * @stack: stack
 * @id_text: gives the text of an object, from fold_id(); or in brackets what stands for
 *	it when it has no ID; NULL when it is not known
 * @ctx: for @id_text
 *
 * User frames come first, then those of the kernel, each with its mark.
 *
 * Return: allocated text.
 */
char *fold_stack(const struct profile_stack *stack,
		 const char *(*id_text)(void *ctx, uint64_t object), void *ctx);

/**
 * enum fold_origin - whose code a frame is
 * @FOLD_IN_USER: of user code
 * @FOLD_IN_KERNEL: of the kernel or one of its modules
 * @FOLD_IN_BPF: of a BPF program
 * @FOLD_IS_INLINED: of that which the frame before it is of
 */
enum fold_origin {
	FOLD_IN_USER,
	FOLD_IN_KERNEL,
	FOLD_IN_BPF,
	FOLD_IS_INLINED,
};

/** fold_origin_of() - whose code is this? */
enum fold_origin fold_origin_of(const char *text, size_t len);

/**
 * struct fold_frame - a frame with an identity, taken apart
 * @id: its text, as fold_id() gives it; points into the line
 * @id_len: length of @id
 * @offset: file offset, or what struct buildidx_frame has as offset of a kernel address
 * @origin: whose code
 * @is_address: @id is FOLD_ADDRESS and @offset an address in the kernel that ran
 */
struct fold_frame {
	const char *id;
	size_t id_len;
	uint64_t offset;
	enum fold_origin origin;
	bool is_address;
};

/**
 * fold_parse_frame() - take a frame apart
 * @text: frame
 * @len: its length
 * @frame: result
 *
 * Return: false when it has no identity: a name, a status in brackets.
 */
bool fold_parse_frame(const char *text, size_t len, struct fold_frame *frame);

/** fold_parse_place() - the same of "ID+0xOFFSET" without a mark; @origin is not set */
bool fold_parse_place(const char *text, size_t len, struct fold_frame *frame);

/**
 * fold_parse_line() - take a line apart
 * @line: text; its count is cut off
 * @count: result
 *
 * Return: false when it is not a folded line.
 */
bool fold_parse_line(char *line, uint64_t *count);

/* A frame that stands for all of the kernel's, or of user code. */
#define FOLD_KERNEL	"[kernel]"
#define FOLD_USER	"[user]"
/* Something is missing there. */
#define FOLD_TRUNCATED	"[truncated]"
#define FOLD_NO_STACK	"[no-stack]"
/* In the place of an ID: the kernel that ran, where it was. */
#define FOLD_ADDRESS	"kernel"
/* What ends frames that are not of user code; all are of one length. */
#define FOLD_OF_KERNEL	"_[k]"
#define FOLD_OF_BPF	"_[b]"
#define FOLD_INLINED	"_[i]"

#endif /* BUILDIDX_PROFILE_FOLD_H */
