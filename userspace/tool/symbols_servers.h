/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbols_servers - the debuginfod servers of DEBUGINFOD_URLS and of the command line
 */
#ifndef BUILDIDX_SYMBOLS_SERVERS_H
#define BUILDIDX_SYMBOLS_SERVERS_H

#include <stdio.h>

/**
 * servers_check() - to be called before one is asked: leave out those that do not answer
 * @progress: as for debuginfod_set_progressfn(3)
 *
 * A server that does not answer would be waited for again with each file. It is asked for
 * something that it cannot have, once in a run.
 */
void servers_check(int (*progress)(void *client, long a, long b));

/** servers_report() - which ones were asked, and which did not answer; lines of text */
void servers_report(FILE *out);

/** servers_free() - free the list */
void servers_free(void);

#endif /* BUILDIDX_SYMBOLS_SERVERS_H */
