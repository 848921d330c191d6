/* SPDX-License-Identifier: GPL-2.0 */
/* Timing of calls inside the module, for what happens in no system call of its own. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stddef.h>

#include "calls_record.h"

/* Time the calls that this process makes of one function. The module must be loaded. */
void calls_attach(enum calls_function f);

/* Its module can be unloaded again. */
void calls_detach(void);

/* Forget the calls so far. */
void calls_reset(void);

/*
 * The calls since then, in nanoseconds, CALLS_MAX at most. The program ends when there
 * were not exactly @want.
 */
void calls_took(double *v, size_t want);

#endif /* BENCH_CALLS_H */
