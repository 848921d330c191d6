// SPDX-License-Identifier: GPL-2.0
/*
 * The slow ones of many lookups while another CPU inserts and removes entries as fast
 * as it can, against the same while that CPU spins in user mode. The table is so small
 * that both meet in the same chains.
 *
 * Needs CPUs that truly run at once, so it is measured in time; windows of both kinds
 * alternate, so that what else the host does meets both.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "bench.h"
#include "probe.h"

#define PARAMS		"max_entries=1024"
#define LOOKUPS_MAX	(1024 * PROBE_FILES)
#define SLOW		999 /* per mille that are faster */

/**
 * struct shared - of reader and writer
 * @busy: the writer is to insert and remove
 * @count: files that it has inserted and removed
 */
struct shared {
	atomic_bool busy;
	atomic_ulong count;
};

static double took[LOOKUPS_MAX];

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bail("cannot run on CPU %d: %s", cpu, strerror(errno));
}

static void writer(struct shared *shared, int dev)
{
	struct buildidx_object o;
	int fd;

	pin(1);
	for (;;) {
		if (!atomic_load_explicit(&shared->busy, memory_order_relaxed))
			continue;
		fd = memfd_create("bench", MFD_CLOEXEC);
		if (fd < 0 || dev_fd(dev, fd, &o))
			_exit(1);
		close(fd);
		atomic_fetch_add_explicit(&shared->count, 1, memory_order_relaxed);
	}
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static double window(const struct bench *b, struct shared *shared, bool busy)
{
	uint64_t end;
	size_t n = 0;

	atomic_store(&shared->busy, busy);
	/* what the writer does first is not what it goes on with */
	sleep_ms(10);
	end = now_ms() + b->window_ms;
	/* At least once, however late an emulated CPU is. */
	do {
		probe_once(took + n);
		n += PROBE_FILES;
	} while (now_ms() < end && n + PROBE_FILES <= LOOKUPS_MAX);
	return bench_quantile(took, n, SLOW);
}

void bench_readers(const struct bench *b)
{
	double quiet[BENCH_ROUNDS_MAX], busy[BENCH_ROUNDS_MAX], noise, noise2;
	struct shared *shared;
	unsigned int i;
	pid_t pid;
	int dev;

	bench_load(PARAMS);
	dev = dev_open();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	probe_start();
	pid = fork();
	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid)
		writer(shared, dev);
	pin(0);
	window(b, shared, true);
	for (i = 0; i < b->rounds; i++) {
		quiet[i] = window(b, shared, false);
		busy[i] = window(b, shared, true);
	}
	if (waitpid(pid, NULL, WNOHANG))
		bail("the writer ended");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	diag("readers: %lu files inserted and removed", atomic_load(&shared->count));
	if (!atomic_load(&shared->count))
		bail("the writer did nothing");
	probe_stop();
	close(dev);
	munmap(shared, sizeof(*shared));
	noise = bench_noise(quiet, b->rounds);
	noise2 = bench_noise(busy, b->rounds);
	bench_result("reader_worst", bench_median(quiet, b->rounds), bench_median(busy, b->rounds),
		     BENCH_NONE, noise > noise2 ? noise : noise2);
}
