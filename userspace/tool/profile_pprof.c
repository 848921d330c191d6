// SPDX-License-Identifier: GPL-2.0
/*
 * profile_pprof - a profile as a file for pprof
 *
 * The whole message is built, then packed by libprotobuf-c and compressed by zlib.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../lib/utf8.h"
#include "profile.pb-c.h"
#include "profile_fold.h"
#include "profile_pprof.h"
#include "tool.h"

/* Made-up addresses: apart from each other, of user space, and not at zero. */
#define FIRST_START	0x10000000ULL
#define PAGE		0x1000ULL
#define GAP		0x10000000ULL
/* Offsets beyond are not those of files: no room is kept for them. */
#define OFFSET_MAX		(1ULL << 47)

/* A text, and its place in the table. */
struct text {
	char *text;
	int64_t index;
};

/* An object that has frames; @mapping is NULL where it is no mapping. */
struct object {
	uint64_t number;
	struct pprof_object is;
	uint64_t end;
	Pprof__Mapping *mapping;
};

/* A place in an object, or with @text alone in none. */
struct location {
	uint64_t number;
	uint64_t offset;
	bool is_return;
	int64_t text;
	uint64_t id;
};

struct function_key {
	int64_t name;
	int64_t file;
	uint64_t id;
};

/**
 * struct builder - the message and what finds the parts of it
 * @info: about the profile
 * @places: names
 * @describe: tells of objects
 * @ctx: for @describe
 * @profile: the message
 * @texts: tree of struct text
 * @objects: tree of struct object
 * @locations: tree of struct location
 * @functions: tree of struct function_key
 * @next_start: of the next mapping
 */
struct builder {
	const struct pprof_info *info;
	const struct places *places;
	void (*describe)(void *ctx, uint64_t number, struct pprof_object *o);
	void *ctx;
	Pprof__Profile *profile;
	void *texts;
	void *objects;
	void *locations;
	void *functions;
	uint64_t next_start;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct text *)a)->text, ((const struct text *)b)->text);
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_number(const void *a, const void *b)
{
	return compare(((const struct object *)a)->number, ((const struct object *)b)->number);
}

static int by_location(const void *a, const void *b)
{
	const struct location *x = a, *y = b;
	int d = compare(x->number, y->number);

	if (!d)
		d = compare(x->offset, y->offset);
	if (!d)
		d = compare(x->is_return, y->is_return);
	return d ? d : compare((uint64_t)x->text, (uint64_t)y->text);
}

static int by_function(const void *a, const void *b)
{
	const struct function_key *x = a, *y = b;
	int d = compare((uint64_t)x->name, (uint64_t)y->name);

	return d ? d : compare((uint64_t)x->file, (uint64_t)y->file);
}

/* One more at the end of a repeated member; the room doubles when it is full. */
#define APPEND(list, n, item) do {						\
	if (!((n) & ((n) - 1)))							\
		(list) = must(reallocarray((list), (n) ? 2 * (n) : 1, sizeof(*(list)))); \
	(list)[(n)++] = (item);							\
} while (0)

/* A message of a type of the .proto file. */
#define NEW(type, init) memcpy(must(malloc(sizeof(type))), &(type)init, sizeof(type))

/* Texts of a message are UTF-8, or readers may refuse all of it; names of files need not be. */
static char *as_utf8(const char *text)
{
	char *copy = must(strdup(text));
	size_t n, left = strlen(copy);
	unsigned char *p;
	uint32_t cp;

	for (p = (unsigned char *)copy; left; p += n, left -= n) {
		n = bidx_utf8_next(p, left, &cp);
		if (n)
			continue;
		*p = '?';
		n = 1;
	}
	return copy;
}

static int64_t text_of(struct builder *b, const char *text)
{
	struct text *new = must(malloc(sizeof(*new))), **found;

	new->text = as_utf8(text);
	found = must(tsearch(new, &b->texts, by_text));
	if (*found != new) {
		free(new->text);
		free(new);
		return (*found)->index;
	}
	new->index = (int64_t)b->profile->n_string_table;
	APPEND(b->profile->string_table, b->profile->n_string_table, new->text);
	return new->index;
}

static Pprof__ValueType *type_of(struct builder *b, const char *type, const char *unit)
{
	Pprof__ValueType *v = NEW(Pprof__ValueType, PPROF__VALUE_TYPE__INIT);

	v->type = text_of(b, type);
	v->unit = text_of(b, unit);
	return v;
}

/* First pass: which objects there are, and how far they go. */
static void note_objects(void *ctx, const struct profile_stack *stack, uint64_t count)
{
	struct builder *b = ctx;
	struct object *new, **found;
	uint32_t i;

	(void)count;
	for (i = 0; i < stack->nr; i++) {
		const struct profile_frame *f = &stack->frames[i];

		if (!f->object)
			continue;
		new = must(calloc(1, sizeof(*new)));
		new->number = f->object;
		found = must(tsearch(new, &b->objects, by_number));
		if (*found != new)
			free(new);
		else
			b->describe(b->ctx, f->object, &new->is);
		if (f->value >= (*found)->end)
			(*found)->end = f->value + 1;
	}
}

static uint64_t up(uint64_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static Pprof__Mapping *mapping_of(struct builder *b, int64_t build_id)
{
	size_t i;

	for (i = 0; i < b->profile->n_mapping; i++)
		if (b->profile->mapping[i]->build_id == build_id)
			return b->profile->mapping[i];
	return NULL;
}

static void place(struct builder *b, Pprof__Mapping *m, const struct object *o)
{
	uint64_t size = o->end > o->is.size || o->end >= OFFSET_MAX ? o->end : o->is.size;

	if (o->is.start) {
		m->memory_start = o->is.start;
		m->memory_limit = o->is.start + o->is.size;
		m->file_offset = o->is.start;
		return;
	}
	if (size >= OFFSET_MAX)
		size = OFFSET_MAX;
	m->memory_start = b->next_start;
	m->memory_limit = b->next_start + up(size);
	b->next_start = m->memory_limit + GAP;
}

static void make_mapping(struct builder *b, struct object *o)
{
	int64_t build_id = text_of(b, o->is.build_id ? o->is.build_id : "");
	Pprof__Profile *p = b->profile;
	Pprof__Mapping *m;

	o->mapping = mapping_of(b, build_id);
	if (o->mapping) {
		/* a file whose number changed */
		if (o->mapping->memory_start + up(o->end) > o->mapping->memory_limit && !o->is.start)
			o->mapping->memory_limit = o->mapping->memory_start + up(o->end);
		return;
	}
	m = NEW(Pprof__Mapping, PPROF__MAPPING__INIT);
	place(b, m, o);
	m->id = p->n_mapping + 1;
	m->build_id = build_id;
	m->filename = text_of(b, o->is.filename ? o->is.filename : "");
	m->has_functions = true;
	m->has_filenames = true;
	APPEND(p->mapping, p->n_mapping, m);
	o->mapping = m;
}

/* Readers take the first one for the program: files of user code come first. */
static bool is_first(const struct object *o)
{
	return o->is.filename && *o->is.filename == '/';
}

static void visit_first(const void *node, VISIT when, void *closure)
{
	struct object *o = *(struct object *const *)node;

	if ((when == postorder || when == leaf) && o->is.id && is_first(o))
		make_mapping(closure, o);
}

static void visit_others(const void *node, VISIT when, void *closure)
{
	struct object *o = *(struct object *const *)node;

	if ((when == postorder || when == leaf) && o->is.id && !is_first(o) &&
	    (o->is.build_id || o->is.filename))
		make_mapping(closure, o);
}

static uint64_t function_of(struct builder *b, const char *name, const char *file)
{
	struct function_key *key = must(malloc(sizeof(*key))), **found;
	Pprof__Function *f;

	key->name = text_of(b, name);
	key->file = text_of(b, file);
	found = must(tsearch(key, &b->functions, by_function));
	if (*found != key) {
		free(key);
		return (*found)->id;
	}
	f = NEW(Pprof__Function, PPROF__FUNCTION__INIT);
	f->id = b->profile->n_function + 1;
	f->name = key->name;
	f->system_name = key->name;
	f->filename = key->file;
	APPEND(b->profile->function, b->profile->n_function, f);
	key->id = f->id;
	return f->id;
}

static void add_line(struct builder *b, Pprof__Location *l, const char *name, const char *file,
		     unsigned int line)
{
	Pprof__Line *new = NEW(Pprof__Line, PPROF__LINE__INIT);

	new->function_id = function_of(b, name, file);
	new->line = line;
	APPEND(l->line, l->n_line, new);
}

static void in_mapping(struct builder *b, Pprof__Location *l, const struct object *o,
		       const struct location *key)
{
	const struct functions *f = places_find(b->places, o->is.id, key->offset, key->is_return);
	Pprof__Mapping *m = o->mapping;
	size_t i = f ? f->nr : 0;

	l->mapping_id = m->id;
	l->address = m->memory_start + (key->offset - m->file_offset) - key->is_return;
	if (!i)
		m->has_functions = false;
	if (!i || !*f->list[0].file)
		m->has_filenames = false;
	while (i--)
		add_line(b, l, f->list[i].name, f->list[i].file, f->list[i].line);
}

static uint64_t location_of(struct builder *b, const struct location *key)
{
	struct location *new = must(malloc(sizeof(*new))), **found;
	struct object number = { .number = key->number }, **o;
	Pprof__Location *l;

	*new = *key;
	found = must(tsearch(new, &b->locations, by_location));
	if (*found != new) {
		free(new);
		return (*found)->id;
	}
	l = NEW(Pprof__Location, PPROF__LOCATION__INIT);
	l->id = b->profile->n_location + 1;
	APPEND(b->profile->location, b->profile->n_location, l);
	new->id = l->id;
	o = key->number ? tfind(&number, &b->objects, by_number) : NULL;
	if (o && (*o)->mapping)
		in_mapping(b, l, *o, key);
	else
		add_line(b, l, b->profile->string_table[key->text], "", 0);
	return l->id;
}

static uint64_t location_of_frame(struct builder *b, const struct profile_stack *stack, uint32_t i)
{
	const struct profile_frame *f = &stack->frames[i];
	struct object number = { .number = f->object }, **o;
	struct location key = { 0 };

	o = f->object ? tfind(&number, &b->objects, by_number) : NULL;
	if (o && (*o)->mapping) {
		key.number = f->object;
		key.offset = f->value;
		key.is_return = samples_is_return(stack, i);
	} else if (o && (*o)->is.id) {
		key.text = text_of(b, (*o)->is.id);
	} else {
		key.text = text_of(b, fold_status(f->object ? PROFILE_UNRECORDED : f->value));
	}
	return location_of(b, &key);
}

static void add_text(struct builder *b, Pprof__Sample *s, const char *text)
{
	struct location key = { .text = text_of(b, text) };

	APPEND(s->location_id, s->n_location_id, location_of(b, &key));
}

static void add_label(struct builder *b, Pprof__Sample *s, const char *name, const char *text,
		      int64_t number)
{
	Pprof__Label *l = NEW(Pprof__Label, PPROF__LABEL__INIT);

	l->key = text_of(b, name);
	if (text)
		l->str = text_of(b, text);
	else
		l->num = number;
	APPEND(s->label, s->n_label, l);
}

static int64_t period_of(const struct builder *b)
{
	return 1000000000 / (int64_t)b->info->hz;
}

/* Second pass. */
static void add_sample(void *ctx, const struct profile_stack *stack, uint64_t count)
{
	Pprof__Sample *s = NEW(Pprof__Sample, PPROF__SAMPLE__INIT);
	char comm[PROFILE_COMM + 1] = "", *name;
	struct builder *b = ctx;
	int64_t n = count > INT64_MAX ? INT64_MAX : (int64_t)count, ns;
	uint32_t i;

	if (stack->flags & PROFILE_USER_ONLY && stack->flags & PROFILE_IN_KERNEL)
		add_text(b, s, FOLD_KERNEL);
	for (i = 0; i < stack->nr; i++) {
		if (i && i == stack->nr_kernel && stack->flags & PROFILE_CUT)
			add_text(b, s, FOLD_TRUNCATED FOLD_OF_KERNEL);
		APPEND(s->location_id, s->n_location_id, location_of_frame(b, stack, i));
	}
	if (stack->nr && stack->nr == stack->nr_kernel && stack->flags & PROFILE_CUT)
		add_text(b, s, FOLD_TRUNCATED FOLD_OF_KERNEL);
	if (stack->flags & PROFILE_KERNEL_ONLY && !(stack->flags & PROFILE_IN_KERNEL))
		add_text(b, s, FOLD_USER);
	if (stack->flags & PROFILE_NO_STACK)
		add_text(b, s, FOLD_NO_STACK);
	if (stack->flags & PROFILE_TRUNCATED)
		add_text(b, s, FOLD_TRUNCATED);
	if (__builtin_mul_overflow(n, period_of(b), &ns))
		ns = INT64_MAX;
	APPEND(s->value, s->n_value, n);
	APPEND(s->value, s->n_value, ns);
	memcpy(comm, stack->comm, PROFILE_COMM);
	name = escaped(comm);
	add_label(b, s, "comm", name, 0);
	free(name);
	if (stack->tgid)
		add_label(b, s, "pid", NULL, stack->tgid);
	APPEND(b->profile->sample, b->profile->n_sample, s);
}

static void finish(struct builder *b)
{
	Pprof__Profile *p = b->profile;
	size_t i;

	for (i = 0; i < p->n_mapping; i++) {
		p->mapping[i]->has_line_numbers = p->mapping[i]->has_filenames;
		p->mapping[i]->has_inline_frames = p->mapping[i]->has_filenames;
	}
}

static void build(struct builder *b, const struct samples *samples)
{
	Pprof__Profile *p = b->profile;

	text_of(b, "");
	APPEND(p->sample_type, p->n_sample_type, type_of(b, "samples", "count"));
	APPEND(p->sample_type, p->n_sample_type, type_of(b, "cpu", "nanoseconds"));
	p->period_type = type_of(b, "cpu", "nanoseconds");
	p->period = period_of(b);
	p->time_nanos = b->info->time_ns;
	p->duration_nanos = b->info->duration_ns;
	APPEND(p->comment, p->n_comment, text_of(b, b->info->comment));
	samples_each(samples, note_objects, b);
	twalk_r(b->objects, visit_first, b);
	twalk_r(b->objects, visit_others, b);
	samples_each(samples, add_sample, b);
	finish(b);
}

static int write_packed(int fd, const uint8_t *bytes, size_t size)
{
	int copy = dup(fd);
	gzFile out = copy < 0 ? NULL : gzdopen(copy, "wb");
	size_t part;
	bool failed;

	if (!out) {
		if (copy >= 0)
			close(copy);
		return errno ? -errno : -ENOMEM;
	}
	errno = 0;
	for (failed = false; size && !failed; bytes += part, size -= part) {
		part = size > (1U << 20) ? 1U << 20 : size;
		failed = gzwrite(out, bytes, (unsigned int)part) != (int)part;
	}
	failed |= gzclose(out) != Z_OK;
	return failed ? (errno ? -errno : -EIO) : 0;
}

int pprof_write(int fd, const struct samples *samples, const struct places *places,
		const struct pprof_info *info,
		void (*describe)(void *ctx, uint64_t number, struct pprof_object *o), void *ctx)
{
	struct builder b = {
		.info = info,
		.places = places,
		.describe = describe,
		.ctx = ctx,
		.profile = NEW(Pprof__Profile, PPROF__PROFILE__INIT),
		.next_start = FIRST_START,
	};
	uint8_t *bytes;
	size_t size;
	int err;

	build(&b, samples);
	size = pprof__profile__get_packed_size(b.profile);
	bytes = must(malloc(size));
	pprof__profile__pack(b.profile, bytes);
	err = write_packed(fd, bytes, size);
	free(bytes);
	tdestroy(b.texts, free); /* the message has the text itself */
	tdestroy(b.objects, free);
	tdestroy(b.locations, free);
	tdestroy(b.functions, free);
	pprof__profile__free_unpacked(b.profile, NULL);
	return err;
}
