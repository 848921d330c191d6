/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel itself says of a BPF program while it is loaded, to compare records with. */
#ifndef BPFREC_TRUTH_H
#define BPFREC_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/bpf.h>

#include "../../../include/uapi/buildidx_record.h"
#include "gen.h"

#define TRUTH_LINES_MAX	(GEN_FUNCS_MAX * GEN_LINES + GEN_PADDING_MAX)
#define TRUTH_MAPS_MAX	4

/**
 * struct truth_line - one line of jited_line_info
 * @addr: address of its first instruction
 * @file: text, offset in @btf
 * @text: the same
 * @line_col: as the kernel keeps it
 */
struct truth_line {
	uint64_t addr;
	uint32_t file;
	uint32_t text;
	uint32_t line_col;
};

/**
 * struct truth - one program
 * @info: as bpf_obj_get_info_by_fd() gave it
 * @who: process that loaded it
 * @tid: its thread
 * @nr_funcs: functions
 * @addr: jited_ksyms
 * @len: jited_func_lens
 * @name: their names by func_info; what the kernel uses without that
 * @nr_lines: lines
 * @lines: as they come
 * @maps: numbers of the maps
 * @image_len: bytes of @image
 * @image: text of all functions, without gaps
 * @btf_len: bytes of @btf
 * @btf: names, NULL without BTF
 */
struct truth {
	struct bpf_prog_info info;
	pid_t who;
	pid_t tid;
	uint32_t nr_funcs;
	uint64_t addr[GEN_FUNCS_MAX];
	uint32_t len[GEN_FUNCS_MAX];
	char name[GEN_FUNCS_MAX][GEN_NAME_MAX];
	uint32_t nr_lines;
	struct truth_line *lines;
	uint32_t maps[TRUTH_MAPS_MAX];
	uint32_t image_len;
	unsigned char *image;
	uint32_t btf_len;
	char *btf;
};

/*
 * Ask the kernel; loaded by the calling thread. @btf_fd: its BTF, -1: to be asked for.
 * Return: 0 or a negative errno.
 */
int truth_ask(struct truth *t, int prog_fd, int btf_fd);
void truth_free(struct truth *t);

/*
 * Does the record say the same? Return: NULL, or what differs (static text).
 * @image: the record must have the text, else it must not.
 */
const char *truth_differs(const struct truth *t, const struct buildidx_rec_bpf *r, bool image);

/* The build ID by its documentation, from what the kernel says and not from a record. */
void truth_build_id(const struct truth *t, uint8_t id[BUILDIDX_BPF_ID_LEN]);

/* The function that holds @addr, or -1. */
int truth_func(const struct truth *t, uint64_t addr);

/* The line that holds @addr, NULL when there is none. */
const struct truth_line *truth_line(const struct truth *t, uint64_t addr);

#endif /* BPFREC_TRUTH_H */
