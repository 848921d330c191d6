// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cases/tap.h"
#include "ksyms.h"

static struct ksym *table;
static size_t nr, room;
static char *names;

static char *whole_file(const char *path, size_t *len)
{
	size_t used = 0, size = 1 << 20;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || !text)
		bail("%s: %s", path, strerror(errno));
	while ((n = read(fd, text + used, size - used - 1)) > 0) {
		used += n;
		if (size - used < 4096) {
			size *= 2;
			text = realloc(text, size);
			if (!text)
				bail("no memory for %s", path);
		}
	}
	close(fd);
	text[used] = '\0';
	if (len)
		*len = used;
	return text;
}

static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void add(uint64_t addr, const char *name, const char *module)
{
	if (nr == room) {
		room = room ? 2 * room : 1 << 17;
		table = realloc(table, room * sizeof(*table));
		if (!table)
			bail("no memory for the kernel's symbols");
	}
	table[nr++] = (struct ksym) { .addr = addr, .name = name, .module = module };
}

/* "ADDRESS TYPE NAME[\t[MODULE]]"; cut in place. */
static void parse_line(char *line)
{
	char *end, *name, *module;
	uint64_t addr = strtoull(line, &end, 16);

	if (end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]) || !addr)
		return;
	name = end + 3;
	module = name + strcspn(name, "\t ");
	if (*module) {
		*module = '\0';
		module += 1 + strspn(module + 1, "\t [");
		module[strcspn(module, "]")] = '\0';
	}
	add(addr, name, module);
}

void ksyms_read(void)
{
	char *line, *next;

	free(names);
	nr = 0;
	names = whole_file("/proc/kallsyms", NULL);
	for (line = names; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		parse_line(line);
	}
	if (!nr)
		bail("/proc/kallsyms tells no addresses");
	qsort(table, nr, sizeof(*table), by_address);
}

const struct ksym *ksyms_named(const char *name, const char *module)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(table[i].name, name) && !strcmp(table[i].module, module))
			return &table[i];
	return NULL;
}

const struct ksym *ksyms_like(const char *start, const char *module, uint64_t from)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (table[i].addr >= from && !strncmp(table[i].name, start, strlen(start)) &&
		    !strcmp(table[i].module, module))
			return &table[i];
	return NULL;
}

const struct ksym *ksyms_at(uint64_t addr)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &table[low - 1] : NULL;
}

const struct ksym *ksyms_of_module(const char *module, size_t n)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(table[i].module, module) && !n--)
			return &table[i];
	return NULL;
}

uint64_t kernel_offset(void)
{
	/* The notes are at the start of the file. */
	static const char key[] = "\nKERNELOFFSET=";
	static char head[256 << 10];
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : pread(fd, head, sizeof(head) - 1, 0);
	char *at;

	close(fd);
	at = len < 0 ? NULL : memmem(head, len, key, sizeof(key) - 1);
	if (!at)
		bail("/proc/kcore does not tell where vmlinux is: %s", strerror(errno));
	return strtoull(at + sizeof(key) - 1, NULL, 16);
}

uint64_t module_base(const char *module)
{
	char *text = whole_file("/proc/modules", NULL), *line, *next, *at;
	uint64_t base = 0;
	size_t len = strlen(module);

	for (line = text; *line && !base; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (strncmp(line, module, len) || line[len] != ' ')
			continue;
		at = strstr(line, " 0x");
		base = at ? strtoull(at + 1, NULL, 16) : 0;
	}
	free(text);
	return base;
}

size_t kernel_build_id(const char *module, uint8_t id[32])
{
	char path[160], *notes, *at;
	size_t len, found = 0;

	if (strcmp(module, "vmlinux"))
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	else
		snprintf(path, sizeof(path), "/sys/kernel/notes");
	if (access(path, R_OK))
		return 0;
	notes = whole_file(path, &len);
	for (at = notes; !found && at + sizeof(Elf64_Nhdr) <= notes + len; ) {
		const Elf64_Nhdr *n = (const void *)at;
		const char *name = at + sizeof(*n), *desc = name + ((n->n_namesz + 3) & ~3U);

		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
		    n->n_descsz <= 32) {
			memcpy(id, desc, n->n_descsz);
			found = n->n_descsz;
		}
		at = (char *)desc + ((n->n_descsz + 3) & ~3U);
	}
	free(notes);
	return found;
}
