/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * buildidx_bpf_present - may a BPF program call the kfuncs of buildidx?
 *
 * For loaders of programs that include buildidx.bpf.h. Inline and in a header
 * of its own because it needs libbpf, which a loader links anyway and other
 * users of libbuildidx should not have to. Link with -lbpf.
 */
#ifndef BUILDIDX_BPF_PRESENT_H
#define BUILDIDX_BPF_PRESENT_H

#include <stdbool.h>
#include <bpf/btf.h>

/**
 * buildidx_btf_has_func() - does this BTF, base included, know a function?
 * @btf: BTF
 * @name: name of the function
 */
static inline bool buildidx_btf_has_func(const struct btf *btf, const char *name)
{
	return btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

/**
 * buildidx_bpf_present() - is a kfunc there for BPF programs that load now?
 * @kfunc: its name, such as "bpf_buildidx_frames"
 *
 * False when the module is not loaded, was built without BTF, or when the BTF
 * of kernel and module cannot be read: in each case a program that calls the
 * kfunc would not load. Which program types may call it depends on the kernel;
 * `buildidx status` shows that. Reads /sys/kernel/btf, needs no privilege.
 */
static inline bool buildidx_bpf_present(const char *kfunc)
{
	struct btf *base, *mod;
	bool present = false;

	base = btf__load_vmlinux_btf();
	if (!base)
		return false;
	mod = btf__load_module_btf("buildidx", base);
	if (mod) {
		present = buildidx_btf_has_func(mod, kfunc);
		btf__free(mod);
	}
	btf__free(base);
	return present;
}

#endif /* BUILDIDX_BPF_PRESENT_H */
