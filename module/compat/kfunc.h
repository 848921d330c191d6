/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How kfuncs are declared and which programs a registration reaches
 *
 * __bpf_kfunc_start_defs() is from 6.7 (391145ba2acc), BTF_KFUNCS_START() from
 * 6.9 (6f3189f38a3e), __bpf_kfunc from 6.3 (57e7c169cd6a).
 * perf_event and tracepoint programs count as tracing since 6.12 (bc638d8cb5be),
 * raw tracepoints later; kprobe programs have a set since 6.12 (same).
 */
#ifndef BIDX_COMPAT_KFUNC_H
#define BIDX_COMPAT_KFUNC_H

#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/version.h>

#include "compat_config.h"

#ifdef HAVE_KFUNC_DEFS_START
#define bidx_kfunc_start_defs	__bpf_kfunc_start_defs();
#define bidx_kfunc_end_defs	__bpf_kfunc_end_defs();
#define BIDX_KFUNC_SET_START	BTF_KFUNCS_START
#define BIDX_KFUNC_SET_END	BTF_KFUNCS_END
#else
#define bidx_kfunc_start_defs					\
	__diag_push();						\
	__diag_ignore_all("-Wmissing-prototypes", "called by BPF programs");
#define bidx_kfunc_end_defs	__diag_pop();
#define BIDX_KFUNC_SET_START	BTF_SET8_START
#define BIDX_KFUNC_SET_END	BTF_SET8_END
#endif

#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define BIDX_KFUNC_WITH_TRACING	(BUILDIDX_KFUNC_PERF | BUILDIDX_KFUNC_RAW_TP)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define BIDX_KFUNC_WITH_TRACING	BUILDIDX_KFUNC_PERF
#else
#define BIDX_KFUNC_WITH_TRACING	0
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define BIDX_KFUNC_HAS_KPROBE
#endif

#endif /* BIDX_COMPAT_KFUNC_H */
