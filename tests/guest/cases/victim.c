// SPDX-License-Identifier: GPL-2.0
/*
 * victim MODE - a program that is sampled while it spins, three known frames deep
 *
 *   spin    just that
 *   paged   first gives back the page that holds the note, as the kernel's own
 *           selftest for build IDs does
 *   churn   four more threads map, unmap, protect and brk without a pause
 *
 * Writes one byte to stdout when it is ready. Linked with a page size of 2 MiB, so
 * that headers and note share no page, and no large folio, with the text.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT	21
#endif

extern char __executable_start[];

static volatile unsigned long turns;

static __attribute__((noinline, noclone)) void inner(void)
{
	for (;;)
		turns++;
}

static __attribute__((noinline, noclone)) void middle(void)
{
	inner();
	turns++;
}

static __attribute__((noinline, noclone)) void outer(void)
{
	middle();
	turns++;
}

static void *churn(void *unused)
{
	for (;;) {
		char *at = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			abort();
		at[0] = 1;
		mprotect(at + 4096, 8192, PROT_READ);
		if (sbrk(4096) != (void *)-1)
			sbrk(-4096);
		munmap(at, 1 << 16);
	}
	return unused;
}

static int page_out(void)
{
	/* PAGEOUT as the selftest does; it leaves a page of a large folio mapped. */
	madvise(__executable_start, 4096, MADV_PAGEOUT);
	if (madvise(__executable_start, 4096, MADV_DONTNEED)) {
		perror("madvise");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "spin";
	pthread_t thread;
	int i;

	if (!strcmp(mode, "paged") && page_out())
		return 1;
	if (!strcmp(mode, "churn"))
		for (i = 0; i < 4; i++)
			if (pthread_create(&thread, NULL, churn, NULL))
				return 1;
	if (write(1, "r", 1) != 1)
		return 1;
	outer();
	return 0;
}
