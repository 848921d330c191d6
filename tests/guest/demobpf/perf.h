/* SPDX-License-Identifier: GPL-2.0 */
/* perf at work next to us, and what its file knows afterwards. */
#ifndef DEMOBPF_PERF_H
#define DEMOBPF_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct perf_prog - one bpf_prog_info in perf's file
 * @id: number of the program
 * @funcs: its functions
 * @lines: lines of source with addresses
 * @btf: the file has its BTF, too, where the texts are
 */
struct perf_prog {
	uint32_t id;
	uint32_t funcs;
	uint32_t lines;
	bool btf;
};

/**
 * struct perf_sample - one sample
 * @time: CLOCK_BOOTTIME in nanoseconds
 * @ip: address
 * @symbol: what perf calls it
 */
struct perf_sample {
	uint64_t time;
	uint64_t ip;
	char symbol[96];
};

/*
 * Start `perf record` of all CPUs and wait until it follows BPF events. @perf: the command.
 * Return: its pid, or a negative errno.
 */
pid_t perf_start(const char *perf, const char *file);

/* End it as Ctrl-C does. Return: 0, or its exit status. */
int perf_stop(pid_t pid);

/* The programs whose bpf_prog_info is in the file. Return: how many, or a negative errno. */
long perf_progs(const char *file, struct perf_prog **progs);

/* What `perf report --header-only -I` prints, for free(); NULL on failure. */
char *perf_header_text(const char *perf, const char *file);

/* All samples with kernel addresses. Return: how many, or a negative errno. */
long perf_samples(const char *perf, const char *file, struct perf_sample **samples);

#endif /* DEMOBPF_PERF_H */
