/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_functions - the functions at one place in code: that which is there, and
 * what is inlined in it
 */
#ifndef BUILDIDX_SYMBOLS_FUNCTIONS_H
#define BUILDIDX_SYMBOLS_FUNCTIONS_H

#include <stddef.h>

/* More than that are not looked for. */
#define FUNCTIONS_MAX	64

/**
 * struct function - one of them
 * @name: readable, without what separates frames
 * @file: where the place is in the source; "" when not known
 * @line: its number from 1; 0 when not known
 */
struct function {
	char *name;
	char *file;
	unsigned int line;
};

/**
 * struct functions - all of them
 * @nr: their number; 0 for a place without a name
 * @list: outermost first; those that follow are inlined in the one before
 */
struct functions {
	size_t nr;
	struct function *list;
};

/**
 * functions_add() - one more, inside of what is there
 * @f: functions
 * @name: as the file has it; C++ names are demangled, what is not printable is escaped
 * @file: NULL for not known
 * @line: 0 for not known
 */
void functions_add(struct functions *f, const char *name, const char *file, unsigned int line);

/** functions_add_plain() - the same of a name and a file that came from functions_add() */
void functions_add_plain(struct functions *f, const char *name, const char *file,
			 unsigned int line);

/** functions_clear() - none */
void functions_clear(struct functions *f);

#endif /* BUILDIDX_SYMBOLS_FUNCTIONS_H */
