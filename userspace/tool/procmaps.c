// SPDX-License-Identifier: GPL-2.0
/*
 * procmaps - mappings of a process and the files behind them, from /proc
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "procmaps.h"
#include "tool.h"

#define DELETED	" (deleted)"

/* "/proc/PID/map_files/START-END" fits. */
#define LINK_MAX_LEN	80

/* A number, then @after, which is skipped. */
static bool number(const char **p, int base, char after, uint64_t *value)
{
	char *end;

	/* strtoull() would take spaces and signs. */
	if (!((**p >= '0' && **p <= '9') || (base == 16 && **p >= 'a' && **p <= 'f')))
		return false;
	errno = 0;
	*value = strtoull(*p, &end, base);
	if (errno || *end != after)
		return false;
	*p = end + 1;
	return true;
}

bool parse_mapping(char *line, struct mapping *m)
{
	uint64_t major, minor;
	const char *p = line;

	line[strcspn(line, "\n")] = '\0';
	if (!number(&p, 16, '-', &m->start) || !number(&p, 16, ' ', &m->end))
		return false;
	if (strcspn(p, " ") != 4)
		return false;
	m->executable = p[2] == 'x';
	p += 5;
	if (!number(&p, 16, ' ', &m->offset) || !number(&p, 16, ':', &major) ||
	    !number(&p, 16, ' ', &minor))
		return false;
	/* The kernel ends a line without a name in a space. */
	if (!number(&p, 10, ' ', &m->ino))
		return false;
	m->dev = makedev((unsigned int)major, (unsigned int)minor);
	m->name = p + strspn(p, " ");
	return true;
}

const char *mapping_state_name(enum mapping_state state)
{
	static const char *const names[] = {
		[MAPPING_FILE]		= "file",
		[MAPPING_DELETED]	= "deleted",
		[MAPPING_ANON]		= "anon",
		[MAPPING_SPECIAL]	= "special",
		[MAPPING_UNKNOWN]	= "unknown",
	};

	return names[state];
}

enum mapping_state mapping_kind_of(const struct mapping *m)
{
	static const char *const anon[] = { "[heap]", "[stack]", "[anon:" };
	size_t i;

	/* A file has an inode; pseudo names come without one. */
	if (m->ino || m->dev)
		return MAPPING_FILE;
	if (!*m->name)
		return MAPPING_ANON;
	for (i = 0; i < sizeof(anon) / sizeof(anon[0]); i++)
		if (!strncmp(m->name, anon[i], strlen(anon[i])))
			return MAPPING_ANON;
	return MAPPING_SPECIAL;
}

static char *read_link(const char *link)
{
	char *target = must(malloc(PATH_MAX + 1));
	ssize_t n = readlink(link, target, PATH_MAX + 1);

	if (n < 0 || n > PATH_MAX) {
		if (n >= 0)
			errno = ENAMETOOLONG;
		free(target);
		return NULL;
	}
	target[n] = '\0';
	return target;
}

/* Is @name what maps shows for a file called @exact? */
static bool shown_as(const char *exact, const char *name)
{
	for (; *exact; exact++) {
		if (*exact == '\n') {
			if (strncmp(name, "\\012", 4))
				return false;
			name += 4;
		} else if (*exact != *name++) {
			return false;
		}
	}
	return *name == '\0';
}

static void link_name(char *buf, pid_t pid, const struct mapping *m)
{
	snprintf(buf, LINK_MAX_LEN, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
		 m->start, m->end);
}

/* The name as our root has it (@i is 0), and as that of the process has it. */
static char *candidate(pid_t pid, const char *path, int i)
{
	char *name;

	if (i == 0)
		return must(strdup(path));
	if (asprintf(&name, "/proc/%d/root%s", pid, path) < 0)
		must(NULL);
	return name;
}
#define NR_CANDIDATES	2

static bool leads_to(pid_t pid, const char *path, dev_t dev, bool dev_known, uint64_t ino)
{
	bool found = false;
	struct stat st;
	int i;

	if (*path != '/')
		return false;
	for (i = 0; i < NR_CANDIDATES && !found; i++) {
		char *name = candidate(pid, path, i);

		found = !stat(name, &st) && st.st_ino == ino &&
			(!dev_known || st.st_dev == dev);
		free(name);
	}
	return found;
}

/*
 * Take " (deleted)" off @path unless that is really part of the name. On some
 * file systems stat(2) and maps disagree about the device; where only maps
 * knows it (@dev_known is false), the inode number decides.
 */
static enum mapping_state strip_deleted(pid_t pid, char *path, dev_t dev, bool dev_known,
					uint64_t ino)
{
	size_t len = strlen(path);

	if (len < strlen(DELETED) || strcmp(path + len - strlen(DELETED), DELETED))
		return MAPPING_FILE;
	if (leads_to(pid, path, dev, dev_known, ino))
		return MAPPING_FILE;
	path[len - strlen(DELETED)] = '\0';
	return MAPPING_DELETED;
}

char *mapping_path(pid_t pid, const struct mapping *m, enum mapping_state *state)
{
	char link[LINK_MAX_LEN];
	struct stat st;
	bool followed;
	char *path;

	link_name(link, pid, m);
	path = read_link(link);
	/* Something else may be mapped there by now. */
	if (path && !shown_as(path, m->name)) {
		free(path);
		path = NULL;
	}
	if (!path)
		path = must(strdup(m->name));

	/* Following the link, unlike reading it, needs a capability. */
	followed = !stat(link, &st);
	*state = strip_deleted(pid, path, followed ? st.st_dev : m->dev, followed,
			       followed ? st.st_ino : m->ino);
	return path;
}

static int open_by_name(pid_t pid, const struct mapping *m, const char *path)
{
	struct stat st;
	int i, fd;

	if (*path != '/')
		return -ENOENT;
	for (i = 0; i < NR_CANDIDATES; i++) {
		char *name = candidate(pid, path, i);

		fd = buildidx_open_path(name, NULL);
		free(name);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && st.st_ino == m->ino && st.st_dev == m->dev)
			return fd;
		close(fd);
	}
	return -ENOENT;
}

int open_mapping(pid_t pid, const struct mapping *m, const char *path,
		 enum mapping_state state, struct buildidx_error *err)
{
	char link[LINK_MAX_LEN];
	int fd, ret;

	link_name(link, pid, m);
	ret = buildidx_open_path(link, err);
	if (ret != -EPERM && ret != -EACCES)
		return ret;
	if (state == MAPPING_FILE) {
		fd = open_by_name(pid, m, path);
		if (fd >= 0)
			return fd;
	}
	snprintf(err->text, sizeof(err->text),
		 "not permitted: its name does not lead to it, and opening %s needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN",
		 link);
	return ret;
}

char *exe_path(pid_t pid, enum mapping_state *state)
{
	char link[LINK_MAX_LEN];
	struct stat st;
	char *path;

	*state = MAPPING_UNKNOWN;
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	path = read_link(link);
	if (!path)
		return NULL;
	if (!stat(link, &st))
		*state = strip_deleted(pid, path, st.st_dev, true, st.st_ino);
	return path;
}
