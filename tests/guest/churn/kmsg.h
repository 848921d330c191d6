/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the kernel log all along, so that a flood of NMI backtraces cannot push
 * a splat out of it.
 */
#ifndef CHURN_KMSG_H
#define CHURN_KMSG_H

#include <stdbool.h>

/* true when a line of the kernel log tells of a fault of the kernel */
bool kmsg_is_splat(const char *text);

/* Start reading at the newest line. Returns 0, or -1 with a text printed. */
int kmsg_start(void);

/**
 * struct kmsg_result - what was read
 * @lines: lines
 * @splats: lines that tell of a fault
 * @overruns: times that lines were lost before they were read
 * @first: the first such line
 */
struct kmsg_result {
	unsigned long lines;
	unsigned long splats;
	unsigned long overruns;
	char first[256];
};

/* Read what is there, stop, and tell. */
struct kmsg_result kmsg_stop(void);

#endif /* CHURN_KMSG_H */
