/* SPDX-License-Identifier: GPL-2.0 */
/* bpf_names - names of the kernel's numbers of BPF */
#ifndef BUILDIDX_BPF_NAMES_H
#define BUILDIDX_BPF_NAMES_H

#include <stdint.h>

/** bpf_type_name() - enum bpf_prog_type, without BPF_PROG_TYPE_; "unknown" */
const char *bpf_type_name(uint32_t type);

/**
 * bpf_attach_name() - enum bpf_attach_type, without BPF_; "unknown"
 *
 * Return: NULL for 0, which most program types have that do not know attach types.
 */
const char *bpf_attach_name(uint32_t prog_type, uint32_t type);

#endif /* BUILDIDX_BPF_NAMES_H */
