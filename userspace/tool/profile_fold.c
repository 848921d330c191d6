// SPDX-License-Identifier: GPL-2.0
/*
 * profile_fold - stacks as folded lines
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fold.h"
#include "tool.h"

struct line {
	char *text;
	uint64_t count;
};

struct fold {
	void *tree;
	size_t lines;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static void free_line(void *p)
{
	struct line *l = p;

	free(l->text);
	free(l);
}

struct fold *fold_new(void)
{
	return must(calloc(1, sizeof(struct fold)));
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	tdestroy(f->tree, free_line);
	free(f);
}

/* As much as can be, rather than starting again at zero. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void fold_add(struct fold *f, const char *text, uint64_t count)
{
	struct line key = { .text = (char *)text };
	struct line **found = tfind(&key, &f->tree, by_text);
	struct line *l;

	if (found) {
		(*found)->count = sum_of((*found)->count, count);
		return;
	}
	l = must(malloc(sizeof(*l)));
	l->text = must(strdup(text));
	l->count = count;
	must(tsearch(l, &f->tree, by_text));
	f->lines++;
}

size_t fold_lines(const struct fold *f)
{
	return f->lines;
}

struct each {
	void (*one)(void *ctx, const char *line, uint64_t count);
	void *ctx;
};

static void visit(const void *node, VISIT when, void *closure)
{
	const struct line *l = *(const struct line *const *)node;
	struct each *e = closure;

	if (when == postorder || when == leaf)
		e->one(e->ctx, l->text, l->count);
}

void fold_each(const struct fold *f,
	       void (*one)(void *ctx, const char *line, uint64_t count), void *ctx)
{
	struct each e = { one, ctx };

	twalk_r(f->tree, visit, &e);
}

static void print_line(void *ctx, const char *text, uint64_t count)
{
	fprintf(ctx, "%s %" PRIu64 "\n", text, count);
}

void fold_print(const struct fold *f, FILE *out)
{
	fold_each(f, print_line, out);
}

/* What separates frames must not stand in one. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ';')
			fputs("\\073", out);
		else
			putc(*text, out);
	}
}

static FILE *open_text(char **text, size_t *size)
{
	return must(open_memstream(text, size));
}

static char *close_text(FILE *out, char **text)
{
	if (fclose(out))
		must(NULL);
	return *text;
}

char *fold_id(unsigned int kind, const void *id, size_t have, size_t len)
{
	char plain[BUILDIDX_FORMAT_MAX], *text;
	size_t size;
	FILE *out = open_text(&text, &size);

	buildidx_format_id(kind, id, have, plain, sizeof(plain));
	put_escaped(out, plain);
	if (have < len)
		fputs("...", out);
	return close_text(out, &text);
}

static bool is_bpf(const char *id, size_t len)
{
	return len > 4 && !strncmp(id, "bpf:", 4);
}

const char *fold_status(uint64_t status)
{
	static char text[64];

	switch (status) {
	case PROFILE_UNRECORDED:
		return "[unrecorded]";
	case PROFILE_UNRESOLVED:
		return "[unresolved]";
	case BUILDIDX_STATUS_KERNEL:
		/* not what FOLD_KERNEL means */
		return "[kernel-address]";
	default:
		snprintf(text, sizeof(text), "[%s]", buildidx_status_name((unsigned int)status));
		return text;
	}
}

/* What stands in brackets is no place in anything. */
static void put_frame(FILE *out, const struct profile_frame *f, const char *id)
{
	if (f->object == PROFILE_ADDRESS)
		fprintf(out, FOLD_ADDRESS "+0x%" PRIx64, (uint64_t)f->value);
	else if (id && *id == '[')
		fputs(id, out);
	else if (id)
		fprintf(out, "%s+0x%" PRIx64, id, (uint64_t)f->value);
	else
		fputs(fold_status(f->object ? PROFILE_UNRECORDED : f->value), out);
}

static void put_comm(FILE *out, const struct profile_stack *stack)
{
	char comm[PROFILE_COMM + 1], *name;

	memcpy(comm, stack->comm, PROFILE_COMM);
	comm[PROFILE_COMM] = '\0';
	name = escaped(comm);
	put_escaped(out, name);
	free(name);
}

char *fold_stack(const struct profile_stack *stack,
		 const char *(*id_text)(void *ctx, uint64_t object), void *ctx)
{
	uint32_t i = stack->nr < PROFILE_FRAMES ? stack->nr : PROFILE_FRAMES;
	const struct profile_frame *f;
	bool kernel = false;
	const char *id;
	char *text;
	size_t size;
	FILE *out = open_text(&text, &size);

	put_comm(out, stack);
	if (stack->flags & PROFILE_TRUNCATED)
		fputs(";" FOLD_TRUNCATED, out);
	if (stack->flags & PROFILE_NO_STACK)
		fputs(";" FOLD_NO_STACK, out);
	if (stack->flags & PROFILE_KERNEL_ONLY && !(stack->flags & PROFILE_IN_KERNEL))
		fputs(";" FOLD_USER, out);
	while (i--) {
		f = &stack->frames[i];
		id = f->object && f->object != PROFILE_ADDRESS ? id_text(ctx, f->object) : NULL;
		if (!kernel && i < stack->nr_kernel) {
			kernel = true;
			if (stack->flags & PROFILE_CUT)
				fputs(";" FOLD_TRUNCATED FOLD_OF_KERNEL, out);
		}
		putc(';', out);
		put_frame(out, f, id);
		if (kernel)
			fputs(id && is_bpf(id, strlen(id)) ? FOLD_OF_BPF : FOLD_OF_KERNEL, out);
	}
	if (stack->flags & PROFILE_USER_ONLY && stack->flags & PROFILE_IN_KERNEL)
		fputs(";" FOLD_KERNEL, out);
	return close_text(out, &text);
}

static bool is_hex(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!strchr("0123456789abcdef", text[i]))
			return false;
	return len > 0;
}

static bool is_id(const char *text, size_t len)
{
	if (len > 3 && !strncmp(text, "go:", 3))
		return true;
	if (len > 5 && !strncmp(text, "hash:", 5))
		return is_hex(text + 5, len - 5);
	if (is_bpf(text, len))
		return is_hex(text + 4, len - 4);
	return len % 2 == 0 && len <= 2 * BUILDIDX_ID_MAX && is_hex(text, len);
}

enum fold_origin fold_origin_of(const char *text, size_t len)
{
	static const size_t mark = sizeof(FOLD_OF_KERNEL) - 1;

	if (len > mark && !memcmp(text + len - mark, FOLD_OF_KERNEL, mark))
		return FOLD_IN_KERNEL;
	if (len > mark && !memcmp(text + len - mark, FOLD_OF_BPF, mark))
		return FOLD_IN_BPF;
	if (len > mark && !memcmp(text + len - mark, FOLD_INLINED, mark))
		return FOLD_IS_INLINED;
	if (len == sizeof(FOLD_KERNEL) - 1 && !memcmp(text, FOLD_KERNEL, len))
		return FOLD_IN_KERNEL;
	return FOLD_IN_USER;
}

bool fold_parse_place(const char *text, size_t len, struct fold_frame *frame)
{
	char digits[17];
	size_t plus = len;

	while (plus && text[plus - 1] != '+')
		plus--;
	if (plus < 2 || len - plus < 3 || len - plus > 2 + 16 ||
	    strncmp(text + plus, "0x", 2) || !is_hex(text + plus + 2, len - plus - 2))
		return false;
	frame->is_address = plus == sizeof(FOLD_ADDRESS) && !memcmp(text, FOLD_ADDRESS, plus - 1);
	if (!frame->is_address && !is_id(text, plus - 1))
		return false;
	memcpy(digits, text + plus + 2, len - plus - 2);
	digits[len - plus - 2] = '\0';
	frame->id = text;
	frame->id_len = plus - 1;
	frame->offset = strtoull(digits, NULL, 16);
	return true;
}

bool fold_parse_frame(const char *text, size_t len, struct fold_frame *frame)
{
	static const size_t mark = sizeof(FOLD_OF_KERNEL) - 1;

	frame->origin = fold_origin_of(text, len);
	if (frame->origin == FOLD_IN_KERNEL || frame->origin == FOLD_IN_BPF)
		len -= mark < len ? mark : len;
	return fold_parse_place(text, len, frame) &&
	       (!frame->is_address || frame->origin == FOLD_IN_KERNEL);
}

bool fold_parse_line(char *line, uint64_t *count)
{
	char *space = strrchr(line, ' '), *end;

	if (!space || space == line || !space[1] ||
	    space[1 + strspn(space + 1, "0123456789")])
		return false;
	errno = 0;
	*count = strtoull(space + 1, &end, 10);
	if (errno)
		return false;
	*space = '\0';
	return true;
}
