/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_places - places in code, and the functions there
 */
#ifndef BUILDIDX_PROFILE_PLACES_H
#define BUILDIDX_PROFILE_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "symbols_functions.h"

/**
 * struct place - one of them
 * @id: text of an identity, as in a folded line
 * @offset: offset there
 * @is_return: it is a return address: the functions are those of the call before it
 * @functions: functions; none when it has no name
 */
struct place {
	char *id;
	uint64_t offset;
	bool is_return;
	struct functions functions;
};

/** struct places - those that are known */
struct places;

struct places *places_new(void);
void places_free(struct places *p);

/** places_add() - note a place; takes over @place's functions */
void places_add(struct places *p, const struct place *place);

/** places_find() - functions at a place; NULL when nothing is known of it */
const struct functions *places_find(const struct places *p, const char *id, uint64_t offset,
				    bool is_return);

/** place_print() - one line that place_parse() reads */
void place_print(const struct place *place, FILE *out);

/**
 * place_parse() - read a place
 * @line: text without its newline; is taken apart
 * @place: result; @id points into @line, the functions are allocated
 *
 * Return: false when it is none.
 */
bool place_parse(char *line, struct place *place);

#endif /* BUILDIDX_PROFILE_PLACES_H */
