// SPDX-License-Identifier: GPL-2.0
/*
 * churn-dl DISK TMPFS COUNTS_FD RANGES_FD: two threads that dlopen test files,
 * run their code and dlclose them, until killed. Tells its own mappings on
 * RANGES_FD first.
 *
 * The only program of the test that is linked dynamically.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ranges.h"
#include "testfile.h"
#include "work.h"

static struct work w;

static void open_and_run(__u32 x)
{
	enum churn_file file = CHURN_F_DL_0 + (x >> 4) % 4;
	char path[256];
	struct link_map *map = dlopen(work_path(&w, file, path), RTLD_NOW | RTLD_LOCAL);

	if (!map) {
		const char *text = dlerror();

		/* between unlink and the new file */
		if (churn_files[file].life == CHURN_REPLACED && strstr(text, strerror(ENOENT)))
			return;
		fprintf(stderr, "# churn-dl: %s\n", text);
		work_add(&w.counts->failed);
		return;
	}
	work_run(map->l_addr + (1 + (x >> 8) % 10) * CHURN_PAGE, 3000);
	dlclose(map);
	work_add(&w.counts->dlopens);
}

static void *loop(void *arg)
{
	__u32 rnd = (unsigned long)arg;

	for (;;)
		open_and_run(work_random(&rnd));
	return NULL;
}

int main(int argc, char **argv)
{
	struct churn_ranges ranges;
	pthread_t thread;
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: churn-dl DISK TMPFS COUNTS_FD RANGES_FD\n");
		return 2;
	}
	snprintf(w.disk, sizeof(w.disk), "%s", argv[1]);
	snprintf(w.tmpfs, sizeof(w.tmpfs), "%s", argv[2]);
	churn_ranges_of_self(&ranges);
	w.counts = mmap(NULL, sizeof(*w.counts), PROT_READ | PROT_WRITE, MAP_SHARED,
			atoi(argv[3]), 0);
	if (w.counts == MAP_FAILED) {
		perror("churn-dl: counts");
		return 2;
	}
	fd = atoi(argv[4]);
	if (write(fd, &ranges, sizeof(ranges)) != sizeof(ranges)) {
		perror("churn-dl: ranges");
		return 2;
	}
	close(fd);
	work_name(CHURN_CLASS_DL, 0);
	if (pthread_create(&thread, NULL, loop, (void *)0x51ed270bUL)) {
		fprintf(stderr, "churn-dl: pthread_create failed\n");
		return 2;
	}
	work_add(&w.counts->ready);
	loop((void *)0x3c6ef372UL);
	return 0;
}
