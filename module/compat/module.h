/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a module's text is
 *
 * struct module_layout became struct module_memory in 6.4 (ac3b43283923, "module: replace
 * module_layout with module_memory").
 */
#ifndef BIDX_COMPAT_MODULE_H
#define BIDX_COMPAT_MODULE_H

#include <linux/module.h>
#include <linux/version.h>

/* What stays of its text once it is initialized. Return: first address. */
static inline unsigned long bidx_module_text(const struct module *mod, unsigned long *len)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*len = mod->mem[MOD_TEXT].size;
	return (unsigned long)mod->mem[MOD_TEXT].base;
#else
	*len = mod->core_layout.text_size;
	return (unsigned long)mod->core_layout.base;
#endif
}

#endif /* BIDX_COMPAT_MODULE_H */
