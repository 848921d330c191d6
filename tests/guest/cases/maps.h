/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/maps: the truth that answers are compared with. */
#ifndef CASES_MAPS_H
#define CASES_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t ino; /* 0: no file */
	char perms[5];
	char path[256];
};

struct maps {
	size_t count;
	struct map map[128];
};

/* The program ends when it cannot be read. @pid 0 is the caller. */
void maps_read(pid_t pid, struct maps *m);

/* The mapping that holds @addr, or NULL. */
const struct map *maps_find(const struct maps *m, uint64_t addr);

/* The first mapping of that name, or NULL. */
const struct map *maps_named(const struct maps *m, const char *path);

#endif /* CASES_MAPS_H */
