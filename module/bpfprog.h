/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpfprog - BPF programs come and go
 *
 * A program's record is published under its struct bpf_prog as key.
 */
#ifndef BIDX_BPFPROG_H
#define BIDX_BPFPROG_H

#include <linux/types.h>

struct bpf_prog;

int bidx_bpf_init(void);
void bidx_bpf_exit(void);
void bidx_bpf_stop(void);
void bidx_bpf_loaded(struct bpf_prog *prog);
void bidx_bpf_unloaded(struct bpf_prog *prog);
int bidx_bpf_adopt(int fd, u64 *object);

#endif /* BIDX_BPFPROG_H */
