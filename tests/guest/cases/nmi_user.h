/* SPDX-License-Identifier: GPL-2.0 */
/* Sampling a process in NMI context, see nmi.bpf.c. */
#ifndef CASES_NMI_USER_H
#define CASES_NMI_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/bpf.h>

#include "nmi.h"

/* The sampler runs on one CPU and interrupts the other. */
#define NMI_CPU_SELF	0
#define NMI_CPU_TARGET	1

/* Load and attach; the program ends when that fails. Then it runs on NMI_CPU_SELF. */
void nmi_start(void);
void nmi_stop(void);

/* Addresses that each later sample resolves besides the stack. */
void nmi_probe(const uint64_t *addresses, size_t count);

/*
 * Send NMIs until @want of them found a thread of @pid running, or far too many did
 * not. With @then_signal, each sample also sends that signal to the target.
 * Return: samples taken, in slots from 0.
 */
unsigned int nmi_sample(pid_t pid, unsigned int want, int then_signal);
void nmi_get(unsigned int slot, struct nmi_sample *s);

void pin_to_cpu(pid_t pid, int cpu);
bool kernel_is_rt(void);

#endif /* CASES_NMI_USER_H */
