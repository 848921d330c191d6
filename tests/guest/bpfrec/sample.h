/* SPDX-License-Identifier: GPL-2.0 */
/* Sampling the kernel stacks of a process in NMI context, see kern.bpf.c. */
#ifndef BPFREC_SAMPLE_H
#define BPFREC_SAMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/bpf.h>

#include "kern.h"

/* The sampler runs on one CPU and interrupts the other. */
#define CPU_SELF	0
#define CPU_TARGET	1

/* Load and attach; the program ends when that fails. Then it runs on CPU_SELF. */
void sample_start(void);
void sample_stop(void);
void pin_to(int cpu);

/* Addresses that each later sample resolves besides the stack. */
void sample_probe(const uint64_t *addresses, size_t count);

/*
 * Send NMIs until @want of them found a thread of @pid running, or far too many did
 * not. Return: samples taken, in slots from 0.
 */
unsigned int sample_take(pid_t pid, unsigned int want);
void sample_get(unsigned int slot, struct kern_sample *s);

#endif /* BPFREC_SAMPLE_H */
