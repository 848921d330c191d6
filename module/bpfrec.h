/* SPDX-License-Identifier: GPL-2.0 */
/* Records of BPF programs */
#ifndef BIDX_BPFREC_H
#define BIDX_BPFREC_H

#include <linux/sched.h>
#include <linux/types.h>

#include "../include/uapi/buildidx_record.h"

struct bpf_prog;

/**
 * struct bidx_loader - who loaded a program
 * @pid: process, in the initial namespace
 * @tid: thread
 * @comm: name of the thread
 */
struct bidx_loader {
	u32 pid;
	u32 tid;
	char comm[TASK_COMM_LEN];
};

struct buildidx_rec_bpf *bidx_bpf_record(struct bpf_prog *prog, const struct bidx_loader *loader);

#endif /* BIDX_BPFREC_H */
