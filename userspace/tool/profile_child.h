/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_child - start the command to be profiled, once the profiler is ready
 */
#ifndef BUILDIDX_PROFILE_CHILD_H
#define BUILDIDX_PROFILE_CHILD_H

#include <signal.h>
#include <sys/resource.h>
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

/**
 * struct child_world - what the profiler changed for itself, and the command gets as it was
 * @mask: blocked signals
 * @files: RLIMIT_NOFILE
 */
struct child_world {
	sigset_t mask;
	struct rlimit files;
};

/** child_prepare() - a process that waits. Return: 0 or -errno. */
int child_prepare(struct child *c, char **argv, const struct child_world *world);

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
