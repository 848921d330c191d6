// SPDX-License-Identifier: GPL-2.0
/*
 * profile_places - places in code, and the functions there
 */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fold.h"
#include "profile_places.h"
#include "tool.h"

struct places {
	void *tree;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->is_return != y->is_return)
		return x->is_return ? 1 : -1;
	return strcmp(x->id, y->id);
}

static void free_place(void *p)
{
	struct place *place = p;

	functions_clear(&place->functions);
	free(place->id);
	free(place);
}

struct places *places_new(void)
{
	return must(calloc(1, sizeof(struct places)));
}

void places_free(struct places *p)
{
	if (!p)
		return;
	tdestroy(p->tree, free_place);
	free(p);
}

void places_add(struct places *p, const struct place *place)
{
	struct place *new = must(malloc(sizeof(*new)));
	struct place **found;

	*new = *place;
	new->id = must(strdup(place->id));
	found = must(tsearch(new, &p->tree, by_place));
	if (*found != new)
		free_place(new);
}

const struct functions *places_find(const struct places *p, const char *id, uint64_t offset,
				    bool is_return)
{
	struct place key = { .id = (char *)id, .offset = offset, .is_return = is_return };
	struct place **found = p ? tfind(&key, &p->tree, by_place) : NULL;

	return found ? &(*found)->functions : NULL;
}

/* ID+0xOFFSET;return or exact;NAME;FILE;LINE;... - no text in it has a ';' */
void place_print(const struct place *place, FILE *out)
{
	const struct function *f;
	size_t i;

	fprintf(out, "%s+0x%" PRIx64 ";%s", place->id, place->offset,
		place->is_return ? "return" : "exact");
	for (i = 0; i < place->functions.nr; i++) {
		f = &place->functions.list[i];
		fprintf(out, ";%s;%s;%u", f->name, f->file, f->line);
	}
	putc('\n', out);
}

/* Up to the next ';', which is cut off. */
static char *field(char **rest)
{
	return strsep(rest, ";");
}

static bool parse_functions(char *rest, struct functions *f)
{
	char *name, *file, *line, *end;

	while (rest) {
		name = field(&rest);
		file = field(&rest);
		line = field(&rest);
		if (!line || !*name || !*line || line[strspn(line, "0123456789")] ||
		    f->nr == FUNCTIONS_MAX)
			return false;
		functions_add_plain(f, name, file, (unsigned int)strtoul(line, &end, 10));
	}
	return true;
}

bool place_parse(char *line, struct place *place)
{
	char *frame = field(&line), *how = field(&line);
	struct fold_frame parsed;

	if (!how || (strcmp(how, "return") && strcmp(how, "exact")) ||
	    !fold_parse_place(frame, strlen(frame), &parsed))
		return false;
	frame[parsed.id_len] = '\0';
	place->id = frame;
	place->offset = parsed.offset;
	place->is_return = *how == 'r';
	place->functions = (struct functions){ 0 };
	if (parse_functions(line, &place->functions))
		return true;
	functions_clear(&place->functions);
	return false;
}
