// SPDX-License-Identifier: GPL-2.0
#include <bpf/btf.h>

#include "kfunc.h"
#include "tap.h"

int bpf_messages(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	fputs("# libbpf: ", stdout);
	return vfprintf(stdout, fmt, ap);
}

bool module_has_function(const char *name)
{
	struct btf *vmlinux = btf__load_vmlinux_btf();
	struct btf *module;
	bool found = false;

	if (libbpf_get_error(vmlinux))
		bail("no BTF of the kernel");
	module = btf__load_module_btf("buildidx", vmlinux);
	if (!libbpf_get_error(module)) {
		found = btf__find_by_name_kind(module, name, BTF_KIND_FUNC) > 0;
		btf__free(module);
	}
	btf__free(vmlinux);
	return found;
}
