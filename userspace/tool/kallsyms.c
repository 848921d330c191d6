// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms - names of the kernel's functions, as long as they are there
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "tool.h"

/**
 * struct symbol - a function
 * @address: where it starts
 * @name: its name, and behind the NUL that of its module
 */
struct symbol {
	uint64_t address;
	char *name;
};

struct kallsyms {
	struct symbol *symbol;
	size_t count;
	size_t room;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void add(struct kallsyms *k, uint64_t address, const char *name, const char *module)
{
	size_t len = strlen(name) + 1;
	char *both = must(malloc(len + strlen(module) + 1));

	memcpy(both, name, len);
	strcpy(both + len, module);
	if (k->count == k->room) {
		k->room = k->room ? 2 * k->room : 65536;
		k->symbol = must(realloc(k->symbol, k->room * sizeof(*k->symbol)));
	}
	k->symbol[k->count++] = (struct symbol){ address, both };
}

/* "ffffffffc0201000 t ext4_init [ext4]" */
static void read_line(struct kallsyms *k, const char *line)
{
	char type, name[512], module[128] = "vmlinux";
	uint64_t address;

	if (sscanf(line, "%" SCNx64 " %c %511s [%127[^]]", &address, &type, name, module) < 3 ||
	    !address || !strchr("tTwW", type))
		return;
	/* programs and trampolines are told by their records */
	if (strcmp(module, "bpf"))
		add(k, address, name, module);
}

struct kallsyms *kallsyms_read(void)
{
	struct kallsyms *k = must(calloc(1, sizeof(*k)));
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t size = 0;
	char *line = NULL;

	while (f && getline(&line, &size, f) > 0)
		read_line(k, line);
	free(line);
	if (f)
		fclose(f);
	if (!k->count) {
		kallsyms_free(k);
		return NULL;
	}
	qsort(k->symbol, k->count, sizeof(*k->symbol), by_address);
	return k;
}

void kallsyms_free(struct kallsyms *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->count; i++)
		free(k->symbol[i].name);
	free(k->symbol);
	free(k);
}

const char *kallsyms_find(const struct kallsyms *k, const char *module, uint64_t address,
			  uint64_t *offset)
{
	size_t low = 0, high = k->count;
	const char *name;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->symbol[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	name = k->symbol[low - 1].name;
	if (module && strcmp(name + strlen(name) + 1, module))
		return NULL;
	*offset = address - k->symbol[low - 1].address;
	return name;
}
