// SPDX-License-Identifier: GPL-2.0
/* At a system call of the measuring process, look up addresses one by one and time each. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../../include/uapi/buildidx.h"
#include "../../../include/buildidx.bpf.h"
#include "../bench/probe_record.h"

char LICENSE[] SEC("license") = "GPL";

__u32 target = 0;	/* tgid */
__u32 answered = 0;	/* lookups of the last call that gave a build ID */
__u64 ips[PROBE_FILES] = {};
__u32 took[PROBE_FILES] = {};

SEC("fentry/__x64_sys_getpgid")
int BPF_PROG(probe)
{
	struct buildidx_frame f;
	__u32 i, good = 0;

	if (bpf_get_current_pid_tgid() >> 32 != target)
		return 0;
	for (i = 0; i < PROBE_FILES; i++) {
		__u64 ip = ips[i], start;

		start = bpf_ktime_get_ns();
		bpf_buildidx_frames(&ip, sizeof(ip), &f, sizeof(f), 0);
		took[i] = bpf_ktime_get_ns() - start;
		if (f.status == BUILDIDX_STATUS_OK)
			good++;
	}
	answered = good;
	return 0;
}
