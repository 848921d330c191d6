// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that hold mmap_lock for writing as often as they can: mmap, munmap,
 * mprotect and brk, each on anonymous memory, so that the file mappings (the
 * truth) stay as they are.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "contend.h"

#define PAGE	4096UL
#define PAGES	16UL

static void map_and_unmap(void)
{
	char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	/* splits the mapping in three, then merges it again */
	mprotect(p + 4 * PAGE, 4 * PAGE, PROT_READ);
	mprotect(p + 4 * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE);
	munmap(p + 8 * PAGE, PAGE);
	munmap(p, PAGES * PAGE);
}

static void *map_loop(void *arg)
{
	while (!chain_done(arg))
		map_and_unmap();
	return NULL;
}

/* glibc's own heap is left alone: brk is moved above it and back. */
static void *brk_loop(void *arg)
{
	unsigned long end = syscall(SYS_brk, 0);

	while (!chain_done(arg)) {
		syscall(SYS_brk, end + PAGES * PAGE);
		syscall(SYS_brk, end);
	}
	return NULL;
}

int contend_start(struct chain *chain)
{
	static void *(*const loops[])(void *) = { map_loop, map_loop, brk_loop };
	pthread_t thread;
	size_t i;
	int err;

	for (i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		err = pthread_create(&thread, NULL, loops[i], chain);
		if (err)
			return -err;
		pthread_detach(thread);
	}
	return 0;
}
