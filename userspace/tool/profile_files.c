// SPDX-License-Identifier: GPL-2.0
/*
 * profile_files - files that run right now
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "procmaps.h"
#include "profile_files.h"
#include "tool.h"

static int open_if_file(pid_t pid, const struct mapping *m, char **path)
{
	enum mapping_state state;
	struct buildidx_error err;

	if (mapping_kind_of(m) != MAPPING_FILE)
		return -ENOENT;
	*path = mapping_path(pid, m, &state);
	return open_mapping(pid, m, *path, state, &err);
}

int open_file_at(pid_t pid, uint64_t ip, char **path)
{
	char name[32], *line = NULL;
	int fd = -ESRCH;
	struct mapping m;
	size_t room = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "re");
	if (!maps)
		return -ESRCH;
	while (getline(&line, &room, maps) > 0) {
		if (!parse_mapping(line, &m) || ip < m.start || ip >= m.end)
			continue;
		fd = open_if_file(pid, &m, path);
		break;
	}
	free(line);
	fclose(maps);
	return fd;
}
