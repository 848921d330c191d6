/* SPDX-License-Identifier: GPL-2.0 */
/* What calls.bpf.c hands to user space. Included by both. */
#ifndef BENCH_CALLS_RECORD_H
#define BENCH_CALLS_RECORD_H

#define CALLS_MAX	256

/* Functions of the module whose calls are timed. */
enum calls_function {
	CALLS_SCAN,	/* bidx_scan() */
	CALLS_CAPTURE,	/* bidx_capture() */
	CALLS_FUNCTIONS,
};

#endif /* BENCH_CALLS_RECORD_H */
