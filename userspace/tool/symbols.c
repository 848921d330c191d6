// SPDX-License-Identifier: GPL-2.0
/*
 * symbols - names of functions for (identity, file offset)
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile_fold.h"
#include "symbols.h"
#include "symbols_elf.h"
#include "symbols_find.h"
#include "symbols_servers.h"
#include "tool.h"

/**
 * struct source - names from elsewhere than a file
 * @id: text of the identity; the key
 * @find: gives them
 * @ctx: for @find
 * @release: frees @ctx, NULL when that is not needed
 */
struct source {
	char *id;
	void (*find)(void *ctx, uint64_t offset, struct functions *f);
	void *ctx;
	void (*release)(void *ctx);
};

/**
 * struct used - one identity that stands in the lines
 * @id: its text; the key
 * @source: names from elsewhere than a file, NULL for none
 * @elf: the file, NULL where there is none
 * @why: why there is none, or why it is of no use
 * @answers: tree of struct answered, so that each place is searched once
 * @frames: frames asked for
 * @named: frames that got a name
 */
struct used {
	char *id;
	const struct source *source;
	struct symbols_elf *elf;
	const char *why;
	void *answers;
	uint64_t frames;
	uint64_t named;
};

/**
 * struct answered - one place in a file
 * @place: the place; its id is that of the identity
 * @text: functions there, NULL for none
 */
struct answered {
	struct place place;
	char *text;
};

struct symbols {
	struct symbols_files *files;
	void *sources;
	void *used;
	uint64_t ids;
	uint64_t not_found;
	uint64_t frames;
	uint64_t named;
};

static int by_source(const void *a, const void *b)
{
	return strcmp(((const struct source *)a)->id, ((const struct source *)b)->id);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct used *)a)->id, ((const struct used *)b)->id);
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = &((const struct answered *)a)->place;
	const struct place *y = &((const struct answered *)b)->place;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->is_return - (int)y->is_return;
}

static void free_answered(void *p)
{
	struct answered *a = p;

	functions_clear(&a->place.functions);
	free(a->text);
	free(a);
}

static void free_source(void *p)
{
	struct source *source = p;

	if (source->release)
		source->release(source->ctx);
	free(source->id);
	free(source);
}

static void free_used(void *p)
{
	struct used *u = p;

	tdestroy(u->answers, free_answered);
	symbols_elf_close(u->elf);
	free(u->id);
	free(u);
}

struct symbols *symbols_new(void)
{
	struct symbols *s = must(calloc(1, sizeof(*s)));

	s->files = symbols_files_new();
	return s;
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	tdestroy(s->used, free_used);
	tdestroy(s->sources, free_source);
	symbols_files_free(s->files);
	servers_free();
	free(s);
}

int symbols_add_dir(struct symbols *s, const char *dir)
{
	return symbols_files_add_dir(s->files, dir);
}

void symbols_add_fd(struct symbols *s, int fd, const char *id)
{
	symbols_files_add_fd(s->files, fd, id);
}

void symbols_hold(struct symbols *s)
{
	symbols_files_hold(s->files);
}

void symbols_add_vdso(struct symbols *s)
{
	symbols_files_add_vdso(s->files);
}

void symbols_add_source(struct symbols *s, const char *id,
			void (*find)(void *ctx, uint64_t offset, struct functions *f), void *ctx,
			void (*release)(void *ctx))
{
	struct source *new = must(calloc(1, sizeof(*new))), **found;

	new->id = must(strdup(id));
	new->find = find;
	new->ctx = ctx;
	new->release = release;
	found = must(tsearch(new, &s->sources, by_source));
	if (*found != new)
		free_source(new);
}

/* What somebody pointed at comes first; what must be looked for, only without a source. */
static void find_names(struct symbols *s, struct used *u, const struct fold_frame *f)
{
	struct source key = { .id = u->id };
	struct source **source = tfind(&key, &s->sources, by_source);

	u->source = source ? *source : NULL;
	u->why = "no kernel symbols are known";
	if (f->is_address || (u->source && !symbols_files_have(s->files, u->id)))
		return;
	u->elf = symbols_elf_open(s->files, u->id, f->origin, &u->why);
}

static struct used *use(struct symbols *s, const struct fold_frame *f)
{
	struct used key = { .id = must(strndup(f->id, f->id_len)) };
	struct used **found = tfind(&key, &s->used, by_id);
	struct used *u;

	if (found) {
		free(key.id);
		return *found;
	}
	u = must(calloc(1, sizeof(*u)));
	u->id = key.id;
	must(tsearch(u, &s->used, by_id));
	find_names(s, u, f);
	s->ids++;
	s->not_found += !u->elf && !u->source;
	return u;
}

/* The function, and what is inlined in it. */
static char *text_of(const struct functions *f, enum fold_origin origin)
{
	char *text;
	size_t size, i;
	FILE *out;

	if (!f->nr)
		return NULL;
	out = must(open_memstream(&text, &size));
	fputs(f->list[0].name, out);
	if (origin == FOLD_IN_KERNEL || origin == FOLD_IN_BPF)
		fputs(origin == FOLD_IN_BPF ? FOLD_OF_BPF : FOLD_OF_KERNEL, out);
	for (i = 1; i < f->nr; i++)
		fprintf(out, ";%s" FOLD_INLINED, f->list[i].name);
	if (fclose(out))
		must(NULL);
	return text;
}

static void find_functions(struct used *u, uint64_t offset, bool is_return, struct functions *f)
{
	if (u->elf)
		symbols_elf_find(u->elf, offset, is_return, f);
	if (u->source && !f->nr)
		u->source->find(u->source->ctx, offset - is_return, f);
}

static const char *functions_at(struct used *u, const struct fold_frame *f, bool is_return)
{
	struct answered key = { .place = { u->id, f->offset, is_return, { 0 } } };
	struct answered **found = tfind(&key, &u->answers, by_place);
	struct answered *a;

	if (found)
		return (*found)->text;
	a = must(malloc(sizeof(*a)));
	*a = key;
	find_functions(u, f->offset, is_return, &a->place.functions);
	/* an interrupt is no call: where it came at a function's start, nothing need be before it */
	if (is_return && !a->place.functions.nr)
		find_functions(u, f->offset, false, &a->place.functions);
	a->text = text_of(&a->place.functions, f->origin);
	must(tsearch(a, &u->answers, by_place));
	return a->text;
}

static void put_frame(struct symbols *s, FILE *out, const char *text, size_t len, bool innermost)
{
	const char *functions;
	struct fold_frame f;
	struct used *u;

	if (!fold_parse_frame(text, len, &f)) {
		fwrite(text, 1, len, out);
		return;
	}
	u = use(s, &f);
	s->frames++;
	u->frames++;
	/* All but the innermost are return addresses: the call is in front of them. */
	functions = functions_at(u, &f, !innermost);
	if (functions) {
		s->named++;
		u->named++;
		fputs(functions, out);
		return;
	}
	fwrite(text, 1, len, out);
}

/*
 * Where the CPU was: the last frame; and where it was in user code, when the kernel
 * follows, before it.
 */
static bool is_innermost(const char *end, enum fold_origin origin)
{
	const char *next = end + 1;

	if (!*end)
		return true;
	return origin == FOLD_IN_USER &&
	       fold_origin_of(next, strcspn(next, ";")) != FOLD_IN_USER;
}

char *symbols_line(struct symbols *s, const char *line)
{
	const char *p = line, *end;
	char *text;
	size_t size, len;
	FILE *out = must(open_memstream(&text, &size));

	/* the name of the thread first; it may look like anything */
	end = strchrnul(p, ';');
	fwrite(p, 1, (size_t)(end - p), out);
	while (*end) {
		p = end + 1;
		end = strchrnul(p, ';');
		len = (size_t)(end - p);
		putc(';', out);
		put_frame(s, out, p, len, is_innermost(end, fold_origin_of(p, len)));
	}
	if (fclose(out))
		must(NULL);
	return text;
}

struct each_place {
	void (*one)(void *ctx, const struct place *place);
	void *ctx;
};

static void visit_place(const void *node, VISIT when, void *closure)
{
	const struct answered *a = *(const struct answered *const *)node;
	const struct each_place *e = closure;

	if (when == postorder || when == leaf)
		e->one(e->ctx, &a->place);
}

static void visit_used(const void *node, VISIT when, void *closure)
{
	const struct used *u = *(const struct used *const *)node;

	if (when == postorder || when == leaf)
		twalk_r(u->answers, visit_place, closure);
}

void symbols_each_place(const struct symbols *s,
			void (*one)(void *ctx, const struct place *place), void *ctx)
{
	struct each_place e = { one, ctx };

	twalk_r(s->used, visit_used, &e);
}

static void report_one(const void *node, VISIT when, void *closure)
{
	const struct used *u = *(const struct used *const *)node;

	if (when != postorder && when != leaf)
		return;
	if (u->elf && symbols_elf_guessed(u->elf))
		fprintf(closure, "  %s: only its debug information was found: offsets as GNU ld lays them out\n",
			u->id);
	if (u->named == u->frames)
		return;
	fprintf(closure, "  %s: %llu of %llu frames without a name: %s\n", u->id,
		(unsigned long long)(u->frames - u->named), (unsigned long long)u->frames,
		u->elf || u->source ? "no function at this offset in its symbols" : u->why);
}

void symbols_report(const struct symbols *s, FILE *out)
{
	fprintf(out, "symbols: %llu of %llu frames have a name\n", (unsigned long long)s->named,
		(unsigned long long)s->frames);
	twalk_r(s->used, report_one, out);
	if (!s->not_found)
		return;
	fprintf(out, "files not found: %llu of %llu\n", (unsigned long long)s->not_found,
		(unsigned long long)s->ids);
	symbols_files_report(s->files, out);
	servers_report(out);
}

bool symbols_complete(const struct symbols *s)
{
	return s->named == s->frames;
}
