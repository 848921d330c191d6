// SPDX-License-Identifier: GPL-2.0
/*
 * profile_kernel - what the kernel frames of a profile are of
 */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "profile_fold.h"
#include "profile_kernel.h"
#include "symbols_bpf.h"
#include "tool.h"

/* Kernel addresses, where nobody says which ones those of the kernel are. */
#define KERNEL_START	0xffff000000000000ULL
#define KERNEL_SIZE	(UINT64_MAX - KERNEL_START)
/* Lines of BPF programs that are shown. */
#define LINES_MAX	10

/**
 * struct kernel_object - one of them
 * @number: its number, of which PROFILE_KERNEL_OBJECT is set
 * @is: what the programs noted
 * @rec: its record, NULL when it could not be had
 * @text: for folded lines
 * @build_id: for pprof, NULL for none
 * @filename: for pprof, NULL for none
 * @kallsyms: symbols, if its addresses are in @rec and still its own
 */
struct kernel_object {
	uint64_t number;
	struct profile_object is;
	struct buildidx_rec *rec;
	char *text;
	char *build_id;
	char *filename;
	const struct kallsyms *kallsyms;
};

struct kernel_objects {
	const struct buildidx *bx;
	struct kallsyms *kallsyms;
	void *tree;
	bool modules;
};

static int by_number(const void *a, const void *b)
{
	const struct kernel_object *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void free_object(void *p)
{
	struct kernel_object *o = p;

	free(o->rec);
	free(o->text);
	free(o->build_id);
	free(o->filename);
	free(o);
}

struct kernel_objects *kernel_objects_new(const struct buildidx *bx)
{
	struct kernel_objects *k = must(calloc(1, sizeof(*k)));

	k->bx = bx;
	return k;
}

void kernel_objects_free(struct kernel_objects *k)
{
	if (!k)
		return;
	tdestroy(k->tree, free_object);
	kallsyms_free(k->kallsyms);
	free(k);
}

static const struct buildidx_rec_bpf *as_bpf(const struct kernel_object *o)
{
	return o->rec && o->rec->type == BUILDIDX_REC_BPF_LOAD ? (const void *)o->rec : NULL;
}

static const struct buildidx_rec_module *as_module(const struct kernel_object *o)
{
	return o->rec && o->rec->type == BUILDIDX_REC_MODULE ? (const void *)o->rec : NULL;
}

static const struct buildidx_rec_ksym *as_ksym(const struct kernel_object *o)
{
	return o->rec && o->rec->type == BUILDIDX_REC_KSYM ? (const void *)o->rec : NULL;
}

static bool is_vmlinux(const struct buildidx_rec_module *m)
{
	return !strcmp((const char *)m->name, "vmlinux");
}

static char *bracketed(const char *name)
{
	char *plain = escaped(name), *text;

	if (asprintf(&text, "[%s]", plain) < 0)
		must(NULL);
	free(plain);
	return text;
}

static char *hex_of(const struct profile_object *o)
{
	char *text = must(malloc(2 * sizeof(o->id) + 1));

	buildidx_hex(o->id, o->id_len < sizeof(o->id) ? o->id_len : sizeof(o->id), text,
		     2 * sizeof(o->id) + 1);
	return text;
}

/* As the kernel names the symbol; in brackets, since it is no file. */
static char *name_of_program(const struct buildidx_rec_bpf *rec)
{
	char tag[2 * sizeof(rec->tag) + 1], *name, *text;

	buildidx_hex(rec->tag, sizeof(rec->tag), tag, sizeof(tag));
	name = escaped(buildidx_record_text(&rec->rec, rec->name));
	if (asprintf(&text, "[bpf_prog_%s_%s]", tag, name) < 0)
		must(NULL);
	free(name);
	return text;
}

/* What has no ID is told by its name. */
static void set_texts(struct kernel_object *o)
{
	const struct buildidx_rec_module *module = as_module(o);
	const struct buildidx_rec_ksym *ksym = as_ksym(o);

	if (o->is.kind != BUILDIDX_KIND_NONE) {
		o->text = fold_id(o->is.kind, o->is.id, o->is.id_len, o->is.id_len);
		o->build_id = hex_of(&o->is);
	} else if (module || ksym) {
		o->text = bracketed((const char *)(module ? module->name : ksym->name));
	} else {
		o->text = must(strdup("[generated]"));
	}
	if (module)
		o->filename = is_vmlinux(module) ? must(strdup("vmlinux")) :
			bracketed((const char *)module->name);
	else if (as_bpf(o))
		o->filename = name_of_program(as_bpf(o));
}

const char *kernel_meet(struct kernel_objects *k, uint64_t number, const struct profile_object *is)
{
	struct kernel_object key = { .number = number };
	struct kernel_object **found = tfind(&key, &k->tree, by_number);
	struct kernel_object *o;

	if (found)
		return (*found)->text;
	o = must(calloc(1, sizeof(*o)));
	o->number = number;
	o->is = *is;
	if (o->is.id_len > sizeof(o->is.id))
		o->is.id_len = sizeof(o->is.id);
	if (k->bx && buildidx_find_object(k->bx, number & ~PROFILE_KERNEL_OBJECT, &o->rec, NULL))
		o->rec = NULL;
	k->modules |= as_module(o) != NULL;
	set_texts(o);
	must(tsearch(o, &k->tree, by_number));
	return o->text;
}

static void refresh(const void *node, VISIT when, void *closure)
{
	struct kernel_object *o = *(struct kernel_object *const *)node;
	const struct kernel_objects *k = closure;
	struct buildidx_rec *rec;

	if ((when != postorder && when != leaf) || !o->rec || !k->bx ||
	    buildidx_find_object(k->bx, o->number & ~PROFILE_KERNEL_OBJECT, &rec, NULL))
		return;
	free(o->rec);
	o->rec = rec;
}

void kernel_refresh(struct kernel_objects *k)
{
	twalk_r(k->tree, refresh, k);
}

static void find_in_module(void *ctx, uint64_t offset, struct functions *f)
{
	const struct kernel_object *o = ctx;
	const struct buildidx_rec_module *m = as_module(o);
	const char *name;
	uint64_t distance;

	if (offset < m->vaddr || offset - m->vaddr >= m->len)
		return;
	name = kallsyms_find(o->kallsyms, (const char *)m->name, offset - m->vaddr + m->addr,
			     &distance);
	if (name)
		functions_add(f, name, NULL, 0);
}

static void find_address(void *ctx, uint64_t address, struct functions *f)
{
	uint64_t distance;
	const char *name = kallsyms_find(ctx, NULL, address, &distance);

	if (name)
		functions_add(f, name, NULL, 0);
}

static bool is_there(const struct buildidx_rec_module *m)
{
	return m->addr && m->len && !(m->flags & (BUILDIDX_REC_GONE | BUILDIDX_REC_NO_ADDRESS));
}

struct add {
	struct kernel_objects *k;
	struct symbols *s;
};

static void add_symbols(const void *node, VISIT when, void *closure)
{
	struct kernel_object *o = *(struct kernel_object *const *)node;
	const struct add *a = closure;

	if (when != postorder && when != leaf)
		return;
	if (as_bpf(o))
		symbols_add_bpf(a->s, as_bpf(o));
	if (!as_module(o) || !a->k->kallsyms || !is_there(as_module(o)))
		return;
	o->kallsyms = a->k->kallsyms;
	symbols_add_source(a->s, o->text, find_in_module, o, NULL);
}

void kernel_symbols(struct kernel_objects *k, struct symbols *s)
{
	struct add a = { k, s };

	if (k->modules || !k->bx) {
		k->kallsyms = kallsyms_read();
		if (!k->kallsyms)
			complain("/proc/kallsyms shows no addresses (see kernel.kptr_restrict): names of kernel functions are looked for in files");
	}
	if (k->kallsyms && !k->bx)
		symbols_add_source(s, FOLD_ADDRESS, find_address, k->kallsyms, NULL);
	twalk_r(k->tree, add_symbols, &a);
}

void kernel_describe(const struct kernel_objects *k, uint64_t number, struct pprof_object *out)
{
	struct kernel_object key = { .number = number };
	struct kernel_object **found = tfind(&key, &k->tree, by_number);
	const struct buildidx_rec_module *m;
	const struct kernel_object *o;

	*out = (struct pprof_object){ 0 };
	if (number == PROFILE_ADDRESS) {
		out->id = FOLD_ADDRESS;
		out->filename = "[kernel.kallsyms]";
		out->start = KERNEL_START;
		out->size = KERNEL_SIZE;
	}
	if (!found)
		return;
	o = *found;
	out->id = o->text;
	out->build_id = o->build_id;
	out->filename = o->build_id ? o->filename : NULL;
	m = as_module(o);
	if (m && is_vmlinux(m)) {
		out->start = m->vaddr ? m->vaddr : KERNEL_START;
		out->size = m->vaddr ? m->len : KERNEL_SIZE;
	} else if (m) {
		out->size = m->len;
	} else if (as_bpf(o)) {
		out->size = buildidx_bpf_size(as_bpf(o));
	}
}

/* A line of a BPF program, and how many samples were there. */
struct hit {
	const struct kernel_object *object;
	const struct buildidx_rec_bpf *rec;
	struct buildidx_bpf_where where;
	uint64_t count;
};

struct hits {
	const struct kernel_objects *k;
	void *tree;
	uint64_t samples;
	struct hit **list;
	size_t nr;
};

static int by_line(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->where.func != y->where.func)
		return x->where.func < y->where.func ? -1 : 1;
	return x->where.line < y->where.line ? -1 : x->where.line > y->where.line;
}

/* The innermost place in a BPF program, of those who have one. */
static void count_hit(void *ctx, const struct profile_stack *stack, uint64_t count)
{
	struct kernel_object key, **object;
	struct hit new = { .count = 0 }, *kept, **found;
	struct hits *h = ctx;
	uint32_t i;

	for (i = 0; i < stack->nr_kernel; i++) {
		key.number = stack->frames[i].object;
		object = tfind(&key, &h->k->tree, by_number);
		if (!object || !as_bpf(*object))
			continue;
		new.object = *object;
		new.rec = as_bpf(*object);
		if (buildidx_bpf_find(new.rec, stack->frames[i].value - samples_is_return(stack, i),
				      &new.where))
			break;
	}
	if (i == stack->nr_kernel)
		return;
	h->samples += count;
	kept = must(malloc(sizeof(*kept)));
	*kept = new;
	found = must(tsearch(kept, &h->tree, by_line));
	(*found)->count += count;
	if (*found != kept)
		free(kept);
}

static void list_hit(const void *node, VISIT when, void *closure)
{
	struct hits *h = closure;

	if (when != postorder && when != leaf)
		return;
	h->list = must(reallocarray(h->list, h->nr + 1, sizeof(*h->list)));
	h->list[h->nr++] = *(struct hit *const *)node;
}

static int most_first(const void *a, const void *b)
{
	const struct hit *x = *(struct hit *const *)a, *y = *(struct hit *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return by_line(x, y);
}

/* Source text, as its author wrote it, on a terminal. */
static void put_source(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text + strspn(text, " \t");

	for (; *p; p++)
		putc(*p == '\t' ? ' ' : *p < ' ' || *p >= 0x7f ? '?' : *p, out);
}

static void print_hit(const struct hit *h, FILE *out)
{
	const char *file = strrchr(h->where.file, '/');
	char *name = escaped(h->where.name), *shown = escaped(file ? file + 1 : h->where.file);

	fprintf(out, "  %10" PRIu64 "  %s%s", h->count, name,
		h->rec->flags & BUILDIDX_REC_GONE ? " (unloaded)" : "");
	if (h->where.line) {
		fprintf(out, "  %s:%u  ", shown, h->where.line);
		put_source(out, h->where.text);
	}
	putc('\n', out);
	free(name);
	free(shown);
}

void kernel_report(const struct kernel_objects *k, const struct samples *samples, FILE *out)
{
	struct hits h = { .k = k };
	uint64_t rest = 0;
	size_t i;

	samples_each(samples, count_hit, &h);
	twalk_r(h.tree, list_hit, &h);
	if (h.nr) {
		qsort(h.list, h.nr, sizeof(*h.list), most_first);
		fprintf(out, "samples in BPF programs: %" PRIu64 "\n", h.samples);
	}
	for (i = 0; i < h.nr && i < LINES_MAX; i++)
		print_hit(h.list[i], out);
	for (; i < h.nr; i++)
		rest += h.list[i]->count;
	if (rest)
		fprintf(out, "  %10" PRIu64 "  in %zu other lines\n", rest, h.nr - LINES_MAX);
	free(h.list);
	tdestroy(h.tree, free);
}
