// SPDX-License-Identifier: GPL-2.0
/* Made into a light skeleton: a BPF program loads it from inside the kernel. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

int seen;

static __attribute__((noinline)) int light_inner(struct __sk_buff *skb)
{
	return skb->len * 3;
}

SEC("socket")
int light_program(struct __sk_buff *skb)
{
	seen = light_inner(skb);
	return 0;
}
