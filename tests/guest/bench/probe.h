/* SPDX-License-Identifier: GPL-2.0 */
/* Lookups of addresses in files that this process has mapped, each timed. */
#ifndef BENCH_PROBE_H
#define BENCH_PROBE_H

#include "probe_record.h"

/* Make PROBE_FILES files, map them, and get ready. The module must be loaded. */
void probe_start(void);

/* The module can be unloaded again. */
void probe_stop(void);

/*
 * Look each file up once; @v gets PROBE_FILES times in nanoseconds. The program ends
 * when one gave no build ID.
 */
void probe_once(double *v);

#endif /* BENCH_PROBE_H */
