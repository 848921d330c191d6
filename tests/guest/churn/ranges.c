// SPDX-License-Identifier: GPL-2.0
/*
 * The file mappings of the calling process.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"

#define NOTES_MAX 4096

static void fail(const char *what, const char *path)
{
	fprintf(stderr, "churn: %s: %s\n", path, what);
	exit(2);
}

/* The GNU build ID in @n bytes of notes. */
static bool find_note(const char *notes, size_t n, struct churn_range *e)
{
	size_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= n) {
		const Elf64_Nhdr *nh = (const void *)(notes + at);
		size_t desc = at + sizeof(*nh) + ((nh->n_namesz + 3) & ~3U);
		size_t next = desc + ((nh->n_descsz + 3) & ~3U);

		if (next > n)
			return false;
		if (nh->n_type == NT_GNU_BUILD_ID && nh->n_namesz == 4 &&
		    nh->n_descsz <= sizeof(e->id)) {
			e->id_len = nh->n_descsz;
			memcpy(e->id, notes + desc, e->id_len);
			return true;
		}
		at = next;
	}
	return false;
}

/* @image: the start of an ELF file or of the vDSO; @fd: -1 when all of it is there */
static bool find_id(const char *image, int fd, struct churn_range *e)
{
	static char notes[NOTES_MAX];
	const Elf64_Ehdr *eh = (const void *)image;
	const Elf64_Phdr *ph = (const void *)(image + eh->e_phoff);
	unsigned int i;

	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_phoff + eh->e_phnum * sizeof(*ph) > CHURN_PAGE)
		return false;
	for (i = 0; i < eh->e_phnum; i++) {
		size_t n = ph[i].p_filesz < NOTES_MAX ? ph[i].p_filesz : NOTES_MAX;

		if (ph[i].p_type != PT_NOTE)
			continue;
		if (fd < 0)
			memcpy(notes, image + ph[i].p_offset, n);
		else if (pread(fd, notes, n, ph[i].p_offset) != (ssize_t)n)
			return false;
		if (find_note(notes, n, e))
			return true;
	}
	return false;
}

static void id_of_file(const char *path, struct churn_range *e)
{
	char head[CHURN_PAGE] __attribute__((aligned(8)));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, head, sizeof(head), 0) != sizeof(head) || !find_id(head, fd, e))
		fail("cannot read its build ID", path);
	close(fd);
}

void churn_ranges_of_self(struct churn_ranges *r)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], path[256];
	unsigned long start, end, offset, ino;

	if (!f)
		fail("cannot open", "/proc/self/maps");
	r->nr = 0;
	while (fgets(line, sizeof(line), f)) {
		struct churn_range *e = &r->range[r->nr];
		int n = sscanf(line, "%lx-%lx %*s %lx %*x:%*x %lu %255s", &start, &end,
			       &offset, &ino, path);

		if (n != 5 || (path[0] != '/' && strcmp(path, "[vdso]")))
			continue;
		if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/memfd:", 7) ||
		    (start >= CHURN_WINDOW_BASE && churn_window_of(start) >= 0))
			continue;
		if (r->nr == CHURN_RANGES)
			fail("too many mappings", path);
		memset(e, 0, sizeof(*e));
		e->start = start;
		e->end = end;
		e->offset = offset;
		e->vdso = path[0] == '[';
		if (!e->vdso)
			id_of_file(path, e);
		else if (!find_id((const char *)start, -1, e))
			fail("has no build ID", path);
		r->nr++;
	}
	fclose(f);
}
