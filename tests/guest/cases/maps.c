// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "maps.h"
#include "tap.h"

void maps_read(pid_t pid, struct maps *m)
{
	char name[64], line[512];
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(pid ? name : "/proc/self/maps", "r");
	if (!f)
		bail("%s: %s", name, strerror(errno));
	m->count = 0;
	while (fgets(line, sizeof(line), f)) {
		struct map *e = &m->map[m->count];

		if (m->count == sizeof(m->map) / sizeof(m->map[0]))
			bail("%s: too many mappings", name);
		e->path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %255[^\n]",
			   &e->start, &e->end, e->perms, &e->offset, &e->ino, e->path) < 5)
			bail("%s: cannot read the line %s", name, line);
		m->count++;
	}
	fclose(f);
}

const struct map *maps_find(const struct maps *m, uint64_t addr)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (addr >= m->map[i].start && addr < m->map[i].end)
			return &m->map[i];
	return NULL;
}

const struct map *maps_named(const struct maps *m, const char *path)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (!strcmp(m->map[i].path, path))
			return &m->map[i];
	return NULL;
}
