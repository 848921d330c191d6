// SPDX-License-Identifier: GPL-2.0
/*
 * Starts and ends the processes that make the churn.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ranges.h"
#include "spawn.h"

#define READY_TRIES	600	/* of a tenth of a second */
#define PROCESSES	(SPAWN_WORKERS + 3)

static pid_t group;
static pid_t children[PROCESSES];
static int nr_children;

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("churn: fork");
		exit(2);
	}
	if (pid) {
		if (!group)
			group = pid;
		setpgid(pid, group);
		children[nr_children++] = pid;
		return pid;
	}
	setpgid(0, group);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return 0;
}

static void start_dl(const struct work *w, int ranges_fd)
{
	char counts[16], ranges[16];

	snprintf(counts, sizeof(counts), "%d", w->counts_fd);
	snprintf(ranges, sizeof(ranges), "%d", ranges_fd);
	execl(w->dl_program, w->dl_program, w->disk, w->tmpfs, counts, ranges, (char *)NULL);
	perror(w->dl_program);
	_exit(2);
}

static int wait_ready(const struct work *w)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };
	int i;

	for (i = 0; i < READY_TRIES; i++) {
		if (__atomic_load_n(&w->counts->ready, __ATOMIC_RELAXED) == PROCESSES)
			return 0;
		if (waitpid(-1, NULL, WNOHANG) > 0) {
			fprintf(stderr, "churn: a process ended before it was ready\n");
			return -1;
		}
		nanosleep(&tenth, NULL);
	}
	fprintf(stderr, "churn: the processes are not ready after a minute\n");
	return -1;
}

static int read_all(int fd, void *to, size_t size)
{
	ssize_t n;

	while (size) {
		n = read(fd, to, size);
		if (n <= 0)
			return -1;
		to = (char *)to + n;
		size -= n;
	}
	return 0;
}

int spawn_all(struct work *w, struct churn_known *known)
{
	int ranges[2];
	unsigned int i;

	group = 0;
	nr_children = 0;
	/* grandchildren are reaped here too: the end of all is then known */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	w->counts_fd = memfd_create("churn-counts", 0);
	if (w->counts_fd < 0 || ftruncate(w->counts_fd, sizeof(*w->counts)) || pipe(ranges)) {
		perror("churn: memfd, pipe");
		return -1;
	}
	w->counts = mmap(NULL, sizeof(*w->counts), PROT_READ | PROT_WRITE, MAP_SHARED,
			 w->counts_fd, 0);
	if (w->counts == MAP_FAILED) {
		perror("churn: mmap");
		return -1;
	}
	work_create_files(w);
	churn_ranges_of_self(&known->own);

	for (i = 0; i < SPAWN_WORKERS; i++)
		if (!start())
			work_worker(w, i);
	if (!start())
		work_forker(w, 0);
	if (!start()) {
		prctl(PR_SET_NAME, "bxw");
		work_writer(w);
	}
	if (!start())
		start_dl(w, ranges[1]);
	close(ranges[1]);
	if (read_all(ranges[0], &known->dl, sizeof(known->dl))) {
		fprintf(stderr, "churn: %s told no mappings\n", w->dl_program);
		return -1;
	}
	close(ranges[0]);
	return wait_ready(w);
}

void spawn_pause(bool pause)
{
	kill(-group, pause ? SIGSTOP : SIGCONT);
}

unsigned int spawn_end(void)
{
	unsigned int early = 0;
	int i, status;
	pid_t pid;

	for (i = 0; i < nr_children; i++)
		if (waitpid(children[i], NULL, WNOHANG) != 0)
			early++;
	kill(-group, SIGKILL);
	for (;;) {
		pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno != EINTR)
			return early;
	}
}
