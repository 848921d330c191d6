// SPDX-License-Identifier: GPL-2.0
/* Are kfuncs defined between __bpf_kfunc_start_defs and listed with BTF_KFUNCS_START? */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>

#ifndef PROBE_CONTROL
__bpf_kfunc_start_defs();

__bpf_kfunc int bpf_buildidx_probe(int n)
{
	return n;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(probe_set)
BTF_ID_FLAGS(func, bpf_buildidx_probe)
BTF_KFUNCS_END(probe_set)
#endif

int probe;
