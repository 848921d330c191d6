// SPDX-License-Identifier: GPL-2.0
/*
 * A process that forks all the time. Its children change protections of what
 * they inherited, run code, and exit, or execute a test file.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define ALIVE_MAX 3

static const enum churn_window windows[] = {
	CHURN_W_SPLIT, CHURN_W_SPLIT_RUN, CHURN_W_REWRITE_DISK, CHURN_W_REWRITE_TMPFS,
};

static void child(const struct work *w, unsigned int slot, __u32 rnd)
{
	int i;

	work_name(CHURN_CLASS_CHILD, slot);
	for (i = 0; i < 8; i++) {
		__u32 x = work_random(&rnd);
		enum churn_window win = windows[1 + x % 3];

		work_protect(w, x & 0x100 ? CHURN_W_SPLIT : CHURN_W_SPLIT_RUN, &rnd);
		work_run(churn_window_start(win) +
			 (x >> 10) % churn_windows[win].pages * CHURN_PAGE, 5000);
	}
	_exit(0);
}

static void execute(const struct work *w, unsigned int slot, __u32 rnd)
{
	char path[256], *argv[] = { path, NULL }, *env[] = { NULL };

	work_path(w, CHURN_F_EXEC_0 + (rnd >> 8) % 2, path);
	work_name(CHURN_CLASS_EXECING, slot);
	execve(path, argv, env);
	/* between unlink and the new file */
	if (errno != ENOENT)
		work_failed(w, path);
	work_add(&w->counts->exec_errors);
	_exit(0);
}

void work_forker(const struct work *w, unsigned int slot)
{
	__u32 rnd = 0x27d4eb2f + slot;
	unsigned int i, alive = 0;
	int status;

	for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		work_map(w, windows[i], 0, 0, churn_windows[windows[i]].pages);
	work_name(CHURN_CLASS_FORKER, slot);
	work_add(&w->counts->ready);
	for (;;) {
		__u32 x = work_random(&rnd);
		pid_t pid = fork();

		if (pid == 0) {
			if (x & 0x100)
				execute(w, slot, x);
			child(w, slot, x);
		}
		if (pid < 0) {
			work_failed(w, "fork");
			continue;
		}
		work_add(x & 0x100 ? &w->counts->execs : &w->counts->forks);
		if (++alive < ALIVE_MAX)
			continue;
		if (wait(&status) > 0) {
			alive--;
			if (status) {
				errno = EFAULT;
				work_failed(w, "a forked process did not exit well");
			}
		}
	}
}
