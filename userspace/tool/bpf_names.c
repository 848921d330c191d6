// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_names - names of the kernel's numbers, as of Linux 7.3
 *
 * A table of our own: the headers that the tool is built with may be older than the
 * kernel that it runs on, or that a file comes from.
 */
#include <stddef.h>

#include "bpf_names.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* enum bpf_prog_type */
static const char *const prog_types[] = {
	"unspec", "socket_filter", "kprobe", "sched_cls", "sched_act", "tracepoint", "xdp",
	"perf_event", "cgroup_skb", "cgroup_sock", "lwt_in", "lwt_out", "lwt_xmit", "sock_ops",
	"sk_skb", "cgroup_device", "sk_msg", "raw_tracepoint", "cgroup_sock_addr",
	"lwt_seg6local", "lirc_mode2", "sk_reuseport", "flow_dissector", "cgroup_sysctl",
	"raw_tracepoint_writable", "cgroup_sockopt", "tracing", "struct_ops", "ext", "lsm",
	"sk_lookup", "syscall", "netfilter",
};

/* enum bpf_attach_type */
static const char *const attach_types[] = {
	"cgroup_inet_ingress", "cgroup_inet_egress", "cgroup_inet_sock_create",
	"cgroup_sock_ops", "sk_skb_stream_parser", "sk_skb_stream_verdict", "cgroup_device",
	"sk_msg_verdict", "cgroup_inet4_bind", "cgroup_inet6_bind", "cgroup_inet4_connect",
	"cgroup_inet6_connect", "cgroup_inet4_post_bind", "cgroup_inet6_post_bind",
	"cgroup_udp4_sendmsg", "cgroup_udp6_sendmsg", "lirc_mode2", "flow_dissector",
	"cgroup_sysctl", "cgroup_udp4_recvmsg", "cgroup_udp6_recvmsg", "cgroup_getsockopt",
	"cgroup_setsockopt", "trace_raw_tp", "trace_fentry", "trace_fexit", "modify_return",
	"lsm_mac", "trace_iter", "cgroup_inet4_getpeername", "cgroup_inet6_getpeername",
	"cgroup_inet4_getsockname", "cgroup_inet6_getsockname", "xdp_devmap",
	"cgroup_inet_sock_release", "xdp_cpumap", "sk_lookup", "xdp", "sk_skb_verdict",
	"sk_reuseport_select", "sk_reuseport_select_or_migrate", "perf_event",
	"trace_kprobe_multi", "lsm_cgroup", "struct_ops", "netfilter", "tcx_ingress",
	"tcx_egress", "trace_uprobe_multi", "cgroup_unix_connect", "cgroup_unix_sendmsg",
	"cgroup_unix_recvmsg", "cgroup_unix_getpeername", "cgroup_unix_getsockname",
	"netkit_primary", "netkit_peer", "trace_kprobe_session", "trace_uprobe_session",
	"trace_fsession", "trace_fentry_multi", "trace_fexit_multi", "trace_fsession_multi",
};

const char *bpf_type_name(uint32_t type)
{
	return type < COUNT(prog_types) ? prog_types[type] : "unknown";
}

#define CGROUP_SKB	8

const char *bpf_attach_name(uint32_t prog_type, uint32_t type)
{
	if (!type && prog_type != CGROUP_SKB)
		return NULL;
	return type < COUNT(attach_types) ? attach_types[type] : "unknown";
}
