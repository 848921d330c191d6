/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_bpf - functions and lines of BPF programs, from their records
 */
#ifndef BUILDIDX_SYMBOLS_BPF_H
#define BUILDIDX_SYMBOLS_BPF_H

#include "libbuildidx.h"
#include "symbols.h"

/**
 * symbols_add_bpf() - use the record of a BPF program
 * @s: symbols
 * @rec: its record, of BUILDIDX_REC_BPF_LOAD; is copied
 */
void symbols_add_bpf(struct symbols *s, const struct buildidx_rec_bpf *rec);

/**
 * symbols_add_records() - use those in a file of records (`buildidx watch -o FILE`)
 * @s: symbols
 * @path: name of the file
 *
 * Return: exit code; a failure has been reported.
 */
int symbols_add_records(struct symbols *s, const char *path);

#endif /* BUILDIDX_SYMBOLS_BPF_H */
