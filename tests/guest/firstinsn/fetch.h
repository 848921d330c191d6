/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watch the instruction-fetch faults of chosen processes.
 */
#ifndef FIRSTINSN_FETCH_H
#define FIRSTINSN_FETCH_H

#include <sys/types.h>

#include "fetch_record.h"

struct watcher;

/* Load and attach. NULL with the reason on stderr. */
struct watcher *watcher_open(void);
void watcher_close(struct watcher *w);

/* Start or stop watching a process. Return 0 or negative errno. */
int watcher_add(struct watcher *w, pid_t tgid);
void watcher_del(struct watcher *w, pid_t tgid);

/* Hand over all records in order; number of records or negative errno. */
int watcher_drain(struct watcher *w, int (*one)(void *ctx, const struct fetch *f), void *ctx);

/* Faults that found no room in the ring. */
unsigned long watcher_lost(const struct watcher *w);

#endif /* FIRSTINSN_FETCH_H */
