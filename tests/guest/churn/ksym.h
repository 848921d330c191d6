/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the running kernel, from /proc/kallsyms.
 */
#ifndef CHURN_KSYM_H
#define CHURN_KSYM_H

#include <stddef.h>

#include <linux/types.h>

/**
 * struct ksym - one function
 * @address: of its first instruction
 * @name: as in kallsyms
 */
struct ksym {
	__u64 address;
	const char *name;
};

/* Read them all, once. Returns how many, or 0 with a text printed. */
size_t ksym_load(void);

/* The functions, by address. */
const struct ksym *ksym_table(void);

/* "name+0x12" of a kernel address, "user" of any other. Valid until the next call. */
const char *ksym_name(__u64 address);

#endif /* CHURN_KSYM_H */
