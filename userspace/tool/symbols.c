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
 * struct used - one identity that stands in the lines
 * @id: its text; the key
 * @elf: the file, NULL where there is none
 * @why: why there is none, or why it is of no use
 * @answers: tree of struct answered, so that each place is searched once
 * @frames: frames asked for
 * @named: frames that got a name
 */
struct used {
	char *id;
	struct symbols_elf *elf;
	const char *why;
	void *answers;
	uint64_t frames;
	uint64_t named;
};

/**
 * struct answered - one place in a file
 * @offset: file offset
 * @is_return: it is a return address
 * @text: functions there, NULL for none
 */
struct answered {
	uint64_t offset;
	bool is_return;
	char *text;
};

struct symbols {
	struct symbols_files *files;
	void *used;
	uint64_t ids;
	uint64_t not_found;
	uint64_t frames;
	uint64_t named;
};

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct used *)a)->id, ((const struct used *)b)->id);
}

static int by_place(const void *a, const void *b)
{
	const struct answered *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->is_return - (int)y->is_return;
}

static void free_answered(void *p)
{
	struct answered *a = p;

	free(a->text);
	free(a);
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

static struct used *use(struct symbols *s, const char *id, size_t len)
{
	struct used key = { .id = must(strndup(id, len)) };
	struct used **found = tfind(&key, &s->used, by_id);
	struct used *u;

	if (found) {
		free(key.id);
		return *found;
	}
	u = must(calloc(1, sizeof(*u)));
	u->id = key.id;
	must(tsearch(u, &s->used, by_id));
	u->elf = symbols_elf_open(s->files, u->id, &u->why);
	s->ids++;
	s->not_found += !u->elf;
	return u;
}

static const char *functions_at(struct used *u, uint64_t offset, bool is_return)
{
	struct answered key = { offset, is_return, NULL };
	struct answered **found = tfind(&key, &u->answers, by_place);
	struct answered *a;
	size_t size;
	FILE *out;
	bool named;

	if (found)
		return (*found)->text;
	a = must(malloc(sizeof(*a)));
	*a = key;
	out = must(open_memstream(&a->text, &size));
	named = symbols_elf_put(u->elf, out, offset, is_return);
	if (fclose(out))
		must(NULL);
	if (!named) {
		free(a->text);
		a->text = NULL;
	}
	must(tsearch(a, &u->answers, by_place));
	return a->text;
}

static void put_frame(struct symbols *s, FILE *out, const char *text, size_t len, bool innermost)
{
	const char *functions = NULL;
	struct fold_frame f;
	struct used *u;

	if (!fold_parse_frame(text, len, &f)) {
		fwrite(text, 1, len, out);
		return;
	}
	u = use(s, f.id, f.id_len);
	s->frames++;
	u->frames++;
	/* All but the innermost are return addresses: the call is in front of them. */
	if (u->elf)
		functions = functions_at(u, f.offset, !innermost);
	if (functions) {
		s->named++;
		u->named++;
		fputs(functions, out);
		return;
	}
	fwrite(text, 1, len, out);
}

/* Start of the innermost frame of user code. */
static const char *innermost_of(const char *line)
{
	const char *last = strrchr(line, ';');

	if (last && !strcmp(last + 1, FOLD_KERNEL))
		last = last > line ? memrchr(line, ';', (size_t)(last - line)) : NULL;
	return last ? last + 1 : NULL;
}

char *symbols_line(struct symbols *s, const char *line)
{
	const char *innermost = innermost_of(line);
	const char *p = line, *end;
	char *text;
	size_t size;
	FILE *out = must(open_memstream(&text, &size));

	/* the name of the thread first; it may look like anything */
	end = strchrnul(p, ';');
	fwrite(p, 1, (size_t)(end - p), out);
	while (*end) {
		p = end + 1;
		end = strchrnul(p, ';');
		putc(';', out);
		put_frame(s, out, p, (size_t)(end - p), p == innermost);
	}
	if (fclose(out))
		must(NULL);
	return text;
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
		u->elf ? "no function at this offset in its symbols" : u->why);
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
