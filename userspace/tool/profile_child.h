/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_child - start the command to be profiled, once the profiler is ready
 */
#ifndef BUILDIDX_PROFILE_CHILD_H
#define BUILDIDX_PROFILE_CHILD_H

#include <sys/types.h>

/**
 * struct child - a process that waits to become the command
 * @pid: its number
 * @go: closed without a byte written, it ends
 * @failed: becomes readable with an errno when the command cannot be run
 */
struct child {
	pid_t pid;
	int go;
	int failed;
};

/** child_prepare() - a process that waits. Return: 0 or -errno. */
int child_prepare(struct child *c, char **argv);

/**
 * child_run() - let it run the command
 *
 * Return: 0, or -errno when the command cannot be run; then the process is gone.
 */
int child_run(struct child *c);

/** child_cancel() - end it before it ran */
void child_cancel(struct child *c);

/** child_reap() - wait for its end. Return: its wait status. */
int child_reap(struct child *c);

#endif /* BUILDIDX_PROFILE_CHILD_H */
