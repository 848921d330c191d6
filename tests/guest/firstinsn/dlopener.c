// SPDX-License-Identifier: GPL-2.0
/*
 * dlopener ROSTER_FD COUNT: dlopen and dlclose fresh0.so, fresh1.so, ... of
 * FIRSTINSN_DIR one after the other, mostly at the same address, and write down
 * when each was where.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../sampler/vdso.h"
#include "roster.h"

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "dlopener: %s: %s\n", what, why);
	exit(1);
}

static __u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void visit(struct stay *stay, int i)
{
	struct link_map *map;
	long (*value)(void);
	char path[128];
	void *lib;

	snprintf(path, sizeof(path), "%s/fresh%d.so", FIRSTINSN_DIR, i);
	stay->from_ns = now();
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib || dlinfo(lib, RTLD_DI_LINKMAP, &map))
		fail(path, dlerror());
	stay->base = map->l_addr;
	value = (long (*)(void))dlsym(lib, "fresh_value");
	if (!value || value() != 6)
		fail(path, "its constructor did not run");
	dlclose(lib);
	stay->until_ns = now();
}

int main(int argc, char **argv)
{
	struct roster *roster;
	int i, count, err;

	if (argc != 3)
		fail("usage", "dlopener ROSTER_FD COUNT");
	count = atoi(argv[2]);
	roster = mmap(NULL, sizeof(*roster), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[1]), 0);
	if (roster == MAP_FAILED)
		fail("mmap", strerror(errno));
	vdso_ident(&roster->vdso);
	err = truth_take(&roster->truth);
	if (err)
		fail("/proc/self/maps", strerror(-err));
	for (i = 0; i < count && i < BATCH; i++) {
		visit(&roster->stays[i], i);
		roster->count = i + 1;
	}
	return 0;
}
