// SPDX-License-Identifier: GPL-2.0
/* The scan of all processes when the module is loaded or switched on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "bench.h"
#include "calls.h"

#define LIBRARIES	10	/* executable mappings of each process, beside its own */
#define ROUNDS		3

static void map_libraries(void)
{
	char name[32];
	uint8_t id[20];
	int i, fd;

	for (i = 0; i < LIBRARIES; i++) {
		snprintf(name, sizeof(name), "/tmp/scan%d", i);
		unique_id(id);
		minielf_simple(name, id);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
				   MINIELF_TEXT) == MAP_FAILED)
			bail("%s: %s", name, strerror(errno));
		close(fd);
	}
}

static pid_t *start_processes(unsigned int n)
{
	pid_t *pids = calloc(n, sizeof(*pids));
	unsigned int i;

	for (i = 0; pids && i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			bail("fork of process %u: %s", i, strerror(errno));
		if (!pids[i]) {
			pause();
			_exit(0);
		}
	}
	if (!pids)
		bail("no memory");
	return pids;
}

static double scan_once(void)
{
	double took;

	bench_enable(false);
	calls_reset();
	bench_enable(true);
	calls_took(&took, 1);
	return took;
}

void bench_scan(const struct bench *b)
{
	double few[ROUNDS], many[ROUNDS];
	unsigned int i;
	pid_t *pids;

	bench_load("");
	map_libraries();
	calls_attach(CALLS_SCAN);
	for (i = 0; i < ROUNDS; i++)
		few[i] = scan_once();
	pids = start_processes(b->processes);
	for (i = 0; i < ROUNDS; i++)
		many[i] = scan_once();
	for (i = 0; i < b->processes; i++)
		kill(pids[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	free(pids);
	calls_detach();
	diag("scan: %.0f without these processes", bench_median(few, ROUNDS));
	bench_result("scan_1000", BENCH_NONE, bench_median(many, ROUNDS), BENCH_NONE,
		     bench_noise(many, ROUNDS));
}
