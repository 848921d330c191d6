/* SPDX-License-Identifier: GPL-2.0 */
/* What every loader of a BPF program here needs. */
#ifndef CASES_KFUNC_H
#define CASES_KFUNC_H

#include <stdarg.h>
#include <stdbool.h>

#include <bpf/libbpf.h>

/* Is @name a function that the BTF of buildidx tells about? */
bool module_has_function(const char *name);

/* For libbpf_set_print(): warnings as TAP comments. */
int bpf_messages(enum libbpf_print_level level, const char *fmt, va_list ap);

#endif /* CASES_KFUNC_H */
