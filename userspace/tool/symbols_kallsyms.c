// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_kallsyms - functions of the running kernel and its modules
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols_kallsyms.h"
#include "tool.h"

struct symbol {
	uint64_t address;
	uint32_t order;		/* in the file */
	char *name;
};

struct kallsyms {
	struct symbol *list;
	size_t nr;
};

/* The first of several at an address comes last, and is found. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? 1 : -1;
}

/* "ADDRESS TYPE NAME", of a module with "\t[MODULE]". */
static void add(struct kallsyms *k, char *line)
{
	char *type, *name;
	uint64_t address = strtoull(line, &type, 16);

	if (type == line || *type++ != ' ' || !*type || !strchr("tTwW", *type) || type[1] != ' ')
		return;
	name = type + 2;
	name[strcspn(name, " \t\n")] = '\0';
	if (!*name)
		return;
	if (!(k->nr & (k->nr - 1)))
		k->list = must(reallocarray(k->list, k->nr ? 2 * k->nr : 1, sizeof(*k->list)));
	k->list[k->nr] = (struct symbol){ address, (uint32_t)k->nr, must(strdup(name)) };
	k->nr++;
}

int kallsyms_read(struct kallsyms **kallsyms, const char *path)
{
	FILE *in = fopen(path, "re");
	struct kallsyms *k;
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	if (!in)
		return -errno;
	k = must(calloc(1, sizeof(*k)));
	while (getline(&line, &room, in) > 0)
		add(k, line);
	if (ferror(in))
		err = -EIO;
	free(line);
	fclose(in);
	if (k->nr)
		qsort(k->list, k->nr, sizeof(*k->list), by_address);
	if (!err && (!k->nr || !k->list[k->nr - 1].address))
		err = -EPERM;
	if (err)
		kallsyms_free(k);
	else
		*kallsyms = k;
	return err;
}

void kallsyms_free(struct kallsyms *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->nr; i++)
		free(k->list[i].name);
	free(k->list);
	free(k);
}

const char *kallsyms_find(const struct kallsyms *k, uint64_t address, uint64_t from)
{
	size_t low = 0, high = k->nr, mid;

	/* the first one behind it */
	while (low < high) {
		mid = low + (high - low) / 2;
		if (k->list[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || k->list[low - 1].address < from)
		return NULL;
	return k->list[low - 1].name;
}
