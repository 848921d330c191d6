/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs' fields
 *
 * real_func_cnt counts the hidden exception callbacks too since 6.7 (335d1c5b5452).
 */
#ifndef BIDX_COMPAT_BPF_H
#define BIDX_COMPAT_BPF_H

#include <linux/bpf.h>
#include <linux/version.h>

static inline u32 bidx_prog_func_count(const struct bpf_prog_aux *aux)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return aux->func ? aux->real_func_cnt : 0;
#else
	return aux->func ? aux->func_cnt : 0;
#endif
}

/* Did the kernel add it? Then it has no lines of its own. */
static inline bool bidx_prog_func_is_hidden(const struct bpf_prog_aux *aux, u32 i)
{
	return aux->func && i >= aux->func_cnt;
}

#endif /* BIDX_COMPAT_BPF_H */
