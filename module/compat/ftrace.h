/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments of a hooked function
 *
 * ftrace_regs_get_argument() is there since 6.2 (94d095ffa0e1, "ftrace: abstract
 * DYNAMIC_FTRACE_WITH_ARGS accesses"). Before, x86 has pt_regs in ftrace_regs,
 * of which the arguments are saved even where the rest is not.
 */
#ifndef BIDX_COMPAT_FTRACE_H
#define BIDX_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/version.h>

#if !defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) || !defined(CONFIG_KPROBES)
#error "buildidx needs CONFIG_DYNAMIC_FTRACE_WITH_ARGS and CONFIG_KPROBES"
#endif

static inline unsigned long bidx_ftrace_arg(struct ftrace_regs *fregs, unsigned int n)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return ftrace_regs_get_argument(fregs, n);
#else
	return regs_get_kernel_argument(&fregs->regs, n);
#endif
}

static inline void *bidx_ftrace_arg0(struct ftrace_regs *fregs)
{
	return (void *)bidx_ftrace_arg(fregs, 0);
}

static inline unsigned long bidx_kprobe_arg(struct pt_regs *regs, unsigned int n)
{
	return regs_get_kernel_argument(regs, n);
}

#endif /* BIDX_COMPAT_FTRACE_H */
