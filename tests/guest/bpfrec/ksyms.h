/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel says of its own text, apart from buildidx. */
#ifndef BPFREC_KSYMS_H
#define BPFREC_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ksym - one symbol of /proc/kallsyms
 * @addr: address
 * @name: name
 * @module: what is in brackets behind it, empty for vmlinux
 */
struct ksym {
	uint64_t addr;
	const char *name;
	const char *module;
};

/* Read /proc/kallsyms, text only, anew. The program ends when it has no addresses. */
void ksyms_read(void);

/* The first symbol of that name in that module; NULL when there is none. */
const struct ksym *ksyms_named(const char *name, const char *module);

/* The first whose name starts so, in that module, and that is not below @from. */
const struct ksym *ksyms_like(const char *start, const char *module, uint64_t from);

/* The last symbol that is not above @addr; NULL when there is none. */
const struct ksym *ksyms_at(uint64_t addr);

/* The n-th text symbol of a module, NULL past the last. */
const struct ksym *ksyms_of_module(const char *module, size_t n);

/* What vmlinux was moved by at boot; the program ends when /proc/kcore does not tell. */
uint64_t kernel_offset(void);

/* First address of a module's text, by /proc/modules; 0 when it is not loaded. */
uint64_t module_base(const char *module);

/* GNU build ID of vmlinux ("vmlinux") or a module. Return: its length, 0 when none is told. */
size_t kernel_build_id(const char *module, uint8_t id[32]);

#endif /* BPFREC_KSYMS_H */
