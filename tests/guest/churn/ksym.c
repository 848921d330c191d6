// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the running kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ksym.h"

static struct ksym *table;
static size_t nr, room;

static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void add(__u64 address, const char *name)
{
	if (nr == room) {
		room = room ? 2 * room : 65536;
		table = realloc(table, room * sizeof(*table));
	}
	if (table) {
		table[nr].address = address;
		table[nr].name = strdup(name);
	}
	if (!table || !table[nr++].name) {
		fprintf(stderr, "churn: no memory for the kernel's symbols\n");
		exit(2);
	}
}

size_t ksym_load(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	unsigned long long address;

	if (!f) {
		perror("/proc/kallsyms");
		return 0;
	}
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %255s", &address, &type, name) == 3 &&
		    (type == 't' || type == 'T') && address)
			add(address, name);
	fclose(f);
	if (!nr)
		fprintf(stderr, "churn: /proc/kallsyms tells no addresses\n");
	qsort(table, nr, sizeof(*table), by_address);
	return nr;
}

const struct ksym *ksym_table(void)
{
	return table;
}

const char *ksym_name(__u64 address)
{
	size_t low = 0, high = nr;
	static char text[96];

	if (!(address >> 63))
		return "user";
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return "kernel";
	snprintf(text, sizeof(text), "%s+%#llx", table[low - 1].name,
		 (unsigned long long)(address - table[low - 1].address));
	return text;
}
