// SPDX-License-Identifier: GPL-2.0
/*
 * A process' own view of its file mappings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "truth.h"

#define DELETED " (deleted)"

static void set_name(struct truth_range *r, char *path)
{
	size_t len = strlen(path);
	size_t tail = strlen(DELETED);
	char *slash;

	if (len > tail && !strcmp(path + len - tail, DELETED))
		path[len - tail] = '\0';
	slash = strrchr(path, '/');
	snprintf(r->name, sizeof(r->name), "%s", slash ? slash + 1 : path);
}

int truth_take(struct truth *t)
{
	unsigned long long start, end, offset;
	struct timespec now;
	char line[512], perms[8];
	FILE *maps;
	int at;

	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return -errno;
	t->count = 0;
	while (fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		at = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &start, &end, perms, &offset,
			   &at) < 4 || !at)
			continue;
		/* shared: data, such as what a test shares with its helpers */
		if (perms[3] != 'p')
			continue;
		if (line[at] != '/' && strcmp(line + at, TRUTH_VDSO))
			continue;
		if (t->count == TRUTH_RANGES) {
			fclose(maps);
			return -E2BIG;
		}
		t->range[t->count].start = start;
		t->range[t->count].end = end;
		t->range[t->count].offset = offset;
		set_name(&t->range[t->count], line + at);
		t->count++;
	}
	fclose(maps);
	clock_gettime(CLOCK_MONOTONIC, &now);
	t->time_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return 0;
}

const struct truth_range *truth_find(const struct truth *t, __u64 ip)
{
	__u32 i;

	for (i = 0; i < t->count; i++)
		if (ip >= t->range[i].start && ip < t->range[i].end)
			return &t->range[i];
	return NULL;
}
