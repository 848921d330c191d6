/* SPDX-License-Identifier: GPL-2.0 */
/* What probe.bpf.c and user space share. */
#ifndef BENCH_PROBE_RECORD_H
#define BENCH_PROBE_RECORD_H

#define PROBE_FILES 128

#endif /* BENCH_PROBE_RECORD_H */
