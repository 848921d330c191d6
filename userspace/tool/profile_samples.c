// SPDX-License-Identifier: GPL-2.0
/*
 * profile_samples - stacks as they were taken, and how often each was
 */
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profile_samples.h"
#include "tool.h"

struct sample {
	uint64_t count;
	struct profile_stack stack;	/* as long as it has frames */
};

struct samples {
	void *tree;
};

static size_t size_of(const struct profile_stack *s)
{
	return offsetof(struct profile_stack, frames) + s->nr * sizeof(s->frames[0]);
}

static int by_bytes(const void *a, const void *b)
{
	const struct profile_stack *x = &((const struct sample *)a)->stack;
	const struct profile_stack *y = &((const struct sample *)b)->stack;

	if (x->nr != y->nr)
		return x->nr < y->nr ? -1 : 1;
	return memcmp(x, y, size_of(x));
}

struct samples *samples_new(void)
{
	return must(calloc(1, sizeof(struct samples)));
}

void samples_free(struct samples *s)
{
	if (!s)
		return;
	tdestroy(s->tree, free);
	free(s);
}

void samples_add(struct samples *s, const struct profile_stack *stack, uint64_t count)
{
	struct sample *new, **found;

	if (stack->nr > PROFILE_FRAMES || stack->nr_kernel > stack->nr)
		return;
	new = must(malloc(offsetof(struct sample, stack) + size_of(stack)));
	new->count = count;
	memcpy(&new->stack, stack, size_of(stack));
	found = must(tsearch(new, &s->tree, by_bytes));
	if (*found == new)
		return;
	if (__builtin_add_overflow((*found)->count, count, &(*found)->count))
		(*found)->count = UINT64_MAX;
	free(new);
}

struct each {
	void (*one)(void *ctx, const struct profile_stack *stack, uint64_t count);
	void *ctx;
};

static void visit(const void *node, VISIT when, void *closure)
{
	const struct sample *s = *(const struct sample *const *)node;
	const struct each *e = closure;

	if (when == postorder || when == leaf)
		e->one(e->ctx, &s->stack, s->count);
}

void samples_each(const struct samples *s,
		  void (*one)(void *ctx, const struct profile_stack *stack, uint64_t count),
		  void *ctx)
{
	struct each e = { one, ctx };

	twalk_r(s->tree, visit, &e);
}

bool samples_is_return(const struct profile_stack *stack, uint32_t i)
{
	return i && i != stack->nr_kernel;
}
