/* SPDX-License-Identifier: GPL-2.0 */
/* A process whose user stack is exactly as the measurement wants it. */
#ifndef BENCH_STACK_H
#define BENCH_STACK_H

#include <sys/types.h>

#define STACK_FILES	6

/* How the frames are spread over the files. */
enum stack_shape {
	STACK_RUNS,		/* all frames of a file follow each other */
	STACK_ALTERNATING,	/* neighbours are never of one file */
};

/* Write the files; they stay until the guest ends. */
void stack_files(void);

/*
 * Start a process that does nothing but spin in user code, with @depth frames on
 * its stack. The program ends on failure. Return: its pid.
 */
pid_t stack_start(enum stack_shape shape, unsigned int depth);

void stack_stop(pid_t pid);

#endif /* BENCH_STACK_H */
