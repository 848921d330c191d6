/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACKID_H
#define STACKID_H

#include <linux/bpf.h>

#define STACKID_DEPTH	32

/**
 * struct stack - one stack, in the format of the stock helper
 * @pid: thread
 * @pad: not set
 * @frames: the answers; the first one with status EMPTY ends the stack
 */
struct stack {
	__u32 pid;
	__u32 pad;
	struct bpf_stack_build_id frames[STACKID_DEPTH];
};

#endif /* STACKID_H */
