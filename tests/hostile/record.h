/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record - a small, good record of a BPF program, to hash and to spoil
 *
 * Two functions with three lines and one, two maps, an image.
 */
#ifndef HOSTILE_RECORD_H
#define HOSTILE_RECORD_H

#include "../../module/bpfid.h"

#define RECORD_FUNCS	2
#define RECORD_LINES	4

struct record {
	struct buildidx_rec_bpf bpf;
	struct buildidx_bpf_func func[RECORD_FUNCS];
	struct buildidx_bpf_line line[RECORD_LINES];
	__u32 map[2];
	char strings[64];
	char image[48];
};

void record_init(struct record *r);

#endif /* HOSTILE_RECORD_H */
