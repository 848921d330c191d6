/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_samples - stacks as they were taken, and how often each was
 */
#ifndef BUILDIDX_PROFILE_SAMPLES_H
#define BUILDIDX_PROFILE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile_record.h"

/** struct samples - all of them */
struct samples;

struct samples *samples_new(void);
void samples_free(struct samples *s);

/** samples_add() - @stack was seen @count times more */
void samples_add(struct samples *s, const struct profile_stack *stack, uint64_t count);

/**
 * samples_each() - all of them, in an order that depends on their bytes only
 * @s: samples
 * @one: gets a stack, of which only @nr frames are there, and its count
 * @ctx: for @one
 */
void samples_each(const struct samples *s,
		  void (*one)(void *ctx, const struct profile_stack *stack, uint64_t count),
		  void *ctx);

/** samples_is_return() - is frame number @i a return address, or where the CPU was? */
bool samples_is_return(const struct profile_stack *stack, uint32_t i);

#endif /* BUILDIDX_PROFILE_SAMPLES_H */
