// SPDX-License-Identifier: GPL-2.0
/*
 * victim MODE STAGE_FD COUNTS_FD CPU: a program that knows the truth about its
 * own frames. Loads its libraries, writes down where they are, and calls
 * through all of them until it has been sampled enough.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contend.h"
#include "layer.h"
#include "../sampler/vdso.h"

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "victim: %s: %s\n", what, why);
	exit(1);
}

static void *map_fd(const char *fd, size_t size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, atoi(fd), 0);

	if (p == MAP_FAILED)
		fail("mmap of what the demo passed", strerror(errno));
	return p;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity", strerror(errno));
}

static void load_layers(struct chain *chain, const char *dir)
{
	char path[512];
	void *lib;
	int i;

	chain->layer[chain->nr++] = layer_entry;
	for (i = 1; i <= DEMO_LIBS; i++) {
		snprintf(path, sizeof(path), "%s/liblayer%d.so", dir, i);
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!lib)
			fail("dlopen", dlerror());
		chain->layer[chain->nr] = (layer_fn)dlsym(lib, "layer_entry");
		if (!chain->layer[chain->nr])
			fail("dlsym", dlerror());
		chain->nr++;
	}
}

/*
 * The first mapping of each file holds its ELF header and its note and is not
 * needed any more: all symbols are bound. Once it is unmapped, dropping the
 * page cache really drops it.
 */
static void forget_notes(const struct truth *t)
{
	__u32 i;

	for (i = 0; i < t->count; i++) {
		const struct truth_range *r = &t->range[i];

		if (r->offset || !strcmp(r->name, TRUTH_VDSO))
			continue;
		if (madvise((void *)r->start, r->end - r->start, MADV_DONTNEED))
			fail("madvise", strerror(errno));
	}
}

static void remove_files(const char *exe, const char *dir)
{
	char path[512];
	int i;

	for (i = 1; i <= DEMO_LIBS; i++) {
		snprintf(path, sizeof(path), "%s/liblayer%d.so", dir, i);
		if (unlink(path))
			fail(path, strerror(errno));
	}
	if (unlink(exe))
		fail(exe, strerror(errno));
}

int main(int argc, char **argv)
{
	struct chain chain = { 0 };
	char exe[256], copy[256];
	const char *mode, *dir;
	volatile uint64_t sum = 0;
	ssize_t n;
	int err;

	if (argc != 5)
		fail("usage", "victim MODE STAGE_FD COUNTS_FD CPU");
	mode = argv[1];
	chain.stage = map_fd(argv[2], sizeof(*chain.stage), PROT_READ | PROT_WRITE);
	chain.counts = map_fd(argv[3], sizeof(*chain.counts), PROT_READ);
	pin(atoi(argv[4]));
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		fail("/proc/self/exe", strerror(errno));
	exe[n] = '\0';
	memcpy(copy, exe, sizeof(copy));
	dir = dirname(copy);

	load_layers(&chain, dir);
	vdso_ident(&chain.stage->vdso);
	/* once through all layers, so that every code page is there */
	sum += layer_entry(&chain, 0);
	if (!strcmp(mode, MODE_DELETED))
		remove_files(exe, dir);
	err = truth_take(&chain.stage->truth);
	if (err)
		fail("/proc/self/maps", strerror(-err));
	if (!strcmp(mode, MODE_COLD))
		forget_notes(&chain.stage->truth);
	if (!strcmp(mode, MODE_BRIEF))
		atomic_store(&chain.stage->goal, chain.counts->taken + BRIEF_SAMPLES);
	atomic_store(&chain.stage->ready, 1);
	if (!strcmp(mode, MODE_CONTEND)) {
		err = contend_start(&chain);
		if (err)
			fail("pthread_create", strerror(-err));
	}
	while (!chain_done(&chain))
		sum += layer_entry(&chain, 0);
	_exit(0);
}
