// SPDX-License-Identifier: GPL-2.0
/*
 * records - where the commands have their records from: the module, or a file
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "records.h"

/**
 * struct records_file - what was in a file
 * @rec: in the order of their numbers
 * @count: how many
 * @room: how many fit
 */
struct records_file {
	struct buildidx_rec **rec;
	size_t count;
	size_t room;
};

struct record_life record_life(const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf *bpf = (const void *)rec;
	const struct buildidx_rec_bpf_unload *unload = (const void *)rec;
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;

	switch (rec->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return (struct record_life){ bpf->object, bpf->flags, bpf->load_time,
					     bpf->unload_time };
	case BUILDIDX_REC_BPF_UNLOAD:
		return (struct record_life){ unload->object, unload->flags, unload->load_time,
					     rec->time };
	case BUILDIDX_REC_KSYM:
		return (struct record_life){ ksym->object, ksym->flags, ksym->load_time,
					     ksym->unload_time };
	case BUILDIDX_REC_MODULE:
		return (struct record_life){ module->object, module->flags, module->load_time,
					     module->unload_time };
	default:
		return (struct record_life){ 0 };
	}
}

bool record_holds(const struct buildidx_rec *rec, uint64_t address)
{
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;
	struct buildidx_bpf_where where;

	switch (rec->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return buildidx_bpf_find_address((const void *)rec, address, &where);
	case BUILDIDX_REC_KSYM:
		return ksym->addr && address >= ksym->addr && address - ksym->addr < ksym->len;
	case BUILDIDX_REC_MODULE:
		return module->addr && address >= module->addr &&
		       address - module->addr < module->len;
	default:
		return false;
	}
}

struct buildidx_rec *record_copy(const struct buildidx_rec *rec)
{
	struct buildidx_rec *copy = must(malloc(rec->size));

	memcpy(copy, rec, rec->size);
	return copy;
}

static void keep(struct records_file *f, const struct buildidx_rec *rec)
{
	if (f->count == f->room) {
		f->room = f->room ? 2 * f->room : 256;
		f->rec = must(realloc(f->rec, f->room * sizeof(*f->rec)));
	}
	f->rec[f->count++] = record_copy(rec);
}

/* By number; of one number a program's load comes first, then as time goes. */
static int order(const void *a, const void *b)
{
	const struct buildidx_rec *x = *(struct buildidx_rec *const *)a;
	const struct buildidx_rec *y = *(struct buildidx_rec *const *)b;
	const struct record_life lx = record_life(x), ly = record_life(y);
	const uint32_t gone_x = lx.flags & BUILDIDX_REC_GONE, gone_y = ly.flags & BUILDIDX_REC_GONE;

	if (lx.object != ly.object)
		return lx.object < ly.object ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return gone_x < gone_y ? -1 : gone_x > gone_y;
}

static void put_in(struct buildidx_rec_bpf *load, const struct buildidx_rec_bpf_unload *unload)
{
	load->flags |= BUILDIDX_REC_GONE;
	load->unload_time = unload->rec.time;
	load->unload_pid = unload->unload_pid;
	load->unload_tid = unload->unload_tid;
	memcpy(load->unload_comm, unload->unload_comm, sizeof(load->unload_comm));
}

/*
 * What a file says of one number in several records becomes one: a program was live
 * when the file was begun, or loaded later, and then unloaded. An unload of a program
 * of which the file says nothing else tells nothing that could be shown.
 */
static void merge(struct records_file *f)
{
	size_t i, n = 0;

	qsort(f->rec, f->count, sizeof(*f->rec), order);
	for (i = 0; i < f->count; i++) {
		struct buildidx_rec *rec = f->rec[i], *last = n ? f->rec[n - 1] : NULL;
		bool same = last && record_life(last).object == record_life(rec).object;

		if (rec->type == BUILDIDX_REC_BPF_UNLOAD) {
			if (same && last->type == BUILDIDX_REC_BPF_LOAD &&
			    !record_life(last).unload_time)
				put_in((void *)last, (const void *)rec);
			free(rec);
		} else if (same && last->type == rec->type) {
			free(last);
			f->rec[n - 1] = rec;
		} else {
			f->rec[n++] = rec;
		}
	}
	f->count = n;
}

static bool stands_for_something(const struct buildidx_rec *rec)
{
	return rec->type == BUILDIDX_REC_BPF_LOAD || rec->type == BUILDIDX_REC_BPF_UNLOAD ||
	       rec->type == BUILDIDX_REC_KSYM || rec->type == BUILDIDX_REC_MODULE;
}

static void load(struct records *s, struct buildidx_capture *c)
{
	const struct buildidx_rec *rec;
	struct buildidx_error err;
	int ret;

	while ((ret = buildidx_capture_next(c, &rec, &err)) != 0) {
		if (ret < 0) {
			complain("%s: %s", s->name, err.text);
			s->code = worse_of(s->code, exit_code_of(ret));
		} else if (stands_for_something(rec)) {
			keep(s->file, rec);
		}
	}
	merge(s->file);
}

static int open_file(struct records *s, const char *path)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct buildidx_capture *c;
	struct buildidx_error err;
	int ret;

	s->name = escaped(path);
	if (fd < 0) {
		ret = -errno;
		complain("%s: cannot open: %s", s->name, strerror(errno));
		free(s->name);
		return exit_code_of(ret);
	}
	ret = buildidx_capture_open(fd, &c, &err);
	if (ret) {
		complain("%s: %s", s->name, err.text);
		free(s->name);
	} else {
		s->realtime = buildidx_capture_header(c)->realtime;
		memcpy(s->machine, buildidx_capture_header(c)->machine, sizeof(s->machine));
		s->file = must(calloc(1, sizeof(*s->file)));
		load(s, c);
		buildidx_capture_close(c);
	}
	if (!standard)
		close(fd);
	return exit_code_of(ret);
}

int records_open(struct records *s, const char *path)
{
	struct utsname name;

	memset(s, 0, sizeof(*s));
	if (path)
		return open_file(s, path);
	s->realtime = buildidx_realtime_offset();
	if (!uname(&name))
		memcpy(s->machine, name.machine, sizeof(s->machine) - 1);
	return device_open(&s->bx);
}

void records_close(struct records *s)
{
	size_t i;

	for (i = 0; s->file && i < s->file->count; i++)
		free(s->file->rec[i]);
	if (s->file)
		free(s->file->rec);
	free(s->file);
	free(s->name);
	buildidx_close(s->bx);
}

void records_adopt(struct records *s)
{
	struct buildidx_error err;
	int ret;

	if (!s->bx)
		return;
	ret = buildidx_adopt_all(s->bx, NULL, &err);
	if (!ret)
		return;
	complain("%s; those are not shown", err.text);
	s->code = worse_of(s->code, exit_code_of(ret));
}

static bool wanted(const struct buildidx_rec *rec, unsigned int flags, unsigned int types)
{
	unsigned int is = record_life(rec).flags & BUILDIDX_REC_GONE ? BUILDIDX_RECORDS_GONE :
			  BUILDIDX_RECORDS_LIVE;

	return (!flags || flags & is) && (!types || types & 1U << rec->type);
}

int records_each(struct records *s, unsigned int flags, unsigned int types,
		 bool (*each)(void *ctx, const struct buildidx_rec *rec), void *ctx)
{
	struct buildidx_records *walk;
	const struct buildidx_rec *rec;
	struct buildidx_error err;
	size_t i;
	int ret;

	for (i = 0; s->file && i < s->file->count; i++)
		if (wanted(s->file->rec[i], flags, types) && !each(ctx, s->file->rec[i]))
			break;
	if (s->file)
		return EXIT_OK;
	ret = buildidx_records_new(s->bx, flags, types, &walk, &err);
	if (ret) {
		complain("%s", err.text);
		return exit_code_of(ret);
	}
	while ((ret = buildidx_records_next(walk, &rec, &err)) > 0)
		if (!each(ctx, rec))
			break;
	if (ret < 0)
		complain("%s", err.text);
	buildidx_records_free(walk);
	return ret < 0 ? exit_code_of(ret) : EXIT_OK;
}

/**
 * struct spec - how an operand names a program
 * @by: BUILDIDX_BY_*
 * @number: program or record
 * @id: build ID
 */
struct spec {
	unsigned int by;
	uint64_t number;
	unsigned char id[BUILDIDX_BPF_ID_LEN];
};

static bool parse_number(const char *text, uint64_t max, uint64_t *number)
{
	if (!*text || text[strspn(text, "0123456789")])
		return false;
	errno = 0;
	*number = strtoull(text, NULL, 10);
	return !errno && *number && *number <= max;
}

static bool parse_id(const char *text, unsigned char *id)
{
	const char pair[] = { 'x', 'x', '\0' };
	char byte[sizeof(pair)];
	size_t i;

	if (strlen(text) != 2 * BUILDIDX_BPF_ID_LEN ||
	    text[strspn(text, "0123456789abcdefABCDEF")])
		return false;
	for (i = 0; i < BUILDIDX_BPF_ID_LEN; i++) {
		memcpy(byte, text + 2 * i, 2);
		byte[2] = '\0';
		id[i] = (unsigned char)strtoul(byte, NULL, 16);
	}
	return true;
}

static bool parse_spec(const char *text, struct spec *spec)
{
	char *shown;

	if (!strncmp(text, "object:", 7) && parse_number(text + 7, UINT64_MAX, &spec->number)) {
		spec->by = BUILDIDX_BY_OBJECT;
		return true;
	}
	if (parse_id(text, spec->id)) {
		spec->by = BUILDIDX_BY_BUILD_ID;
		return true;
	}
	if (parse_number(text, UINT32_MAX, &spec->number)) {
		spec->by = BUILDIDX_BY_PROG_ID;
		return true;
	}
	shown = escaped(text);
	complain("not a BPF program: '%s': give its number, object: and the number of its record, or its build ID in 40 hex digits",
		 shown);
	free(shown);
	return false;
}

static int ask(const struct records *s, const struct spec *spec, struct buildidx_rec **rec,
	       struct buildidx_error *err)
{
	switch (spec->by) {
	case BUILDIDX_BY_OBJECT:
		return buildidx_find_object(s->bx, spec->number, rec, err);
	case BUILDIDX_BY_PROG_ID:
		return buildidx_find_program(s->bx, (uint32_t)spec->number, rec, err);
	default:
		return buildidx_find_build_id(s->bx, spec->id, sizeof(spec->id), rec, err);
	}
}

static bool is_meant(const struct buildidx_rec *rec, const struct spec *spec)
{
	const struct buildidx_rec_bpf *r = (const void *)rec;

	switch (spec->by) {
	case BUILDIDX_BY_OBJECT:
		return record_life(rec).object == spec->number;
	case BUILDIDX_BY_PROG_ID:
		return rec->type == BUILDIDX_REC_BPF_LOAD && r->id == spec->number;
	default:
		return rec->type == BUILDIDX_REC_BPF_LOAD &&
		       !memcmp(r->build_id, spec->id, sizeof(spec->id));
	}
}

/* Of two that match: what is there now, else the last that went. */
static bool is_better(const struct buildidx_rec *a, const struct buildidx_rec *b)
{
	const struct record_life la = record_life(a), lb = record_life(b);

	if ((la.flags ^ lb.flags) & BUILDIDX_REC_GONE)
		return lb.flags & BUILDIDX_REC_GONE;
	return la.unload_time > lb.unload_time;
}

static int look_for(const struct records *s, const struct spec *spec, struct buildidx_rec **rec)
{
	const struct buildidx_rec *best = NULL;
	size_t i;

	for (i = 0; i < s->file->count; i++)
		if (is_meant(s->file->rec[i], spec) && (!best || is_better(s->file->rec[i], best)))
			best = s->file->rec[i];
	if (!best)
		return -ENOENT;
	*rec = record_copy(best);
	return 0;
}

int records_program(struct records *s, const char *name, struct buildidx_rec_bpf **out)
{
	struct buildidx_rec *rec;
	struct buildidx_error err;
	struct spec spec;
	int ret;

	if (!parse_spec(name, &spec))
		return EXIT_USAGE;
	if (s->file) {
		ret = look_for(s, &spec, &rec);
		if (ret)
			complain("%s: no BPF program %s", s->name, name);
	} else {
		ret = ask(s, &spec, &rec, &err);
		if (ret == -ENOENT) {
			/* it may be older than the module */
			records_adopt(s);
			ret = ask(s, &spec, &rec, &err);
		}
		if (ret)
			complain("%s", err.text);
	}
	if (ret)
		return exit_code_of(ret);
	if (rec->type != BUILDIDX_REC_BPF_LOAD) {
		complain("%s is a record of type %s, not a BPF program", name,
			 buildidx_record_name(rec->type));
		free(rec);
		return EXIT_PARTLY;
	}
	*out = (void *)rec;
	return EXIT_OK;
}

static bool was_there(const struct buildidx_rec *rec, uint64_t time)
{
	const struct record_life life = record_life(rec);

	return !time || (life.load_time <= time &&
			 (!(life.flags & BUILDIDX_REC_GONE) || time < life.unload_time));
}

/* Trampolines are told longer than they are: the one that starts last is meant. */
static bool is_closer(const struct buildidx_rec *a, const struct buildidx_rec *b, uint64_t time)
{
	const struct buildidx_rec_ksym *x = (const void *)a, *y = (const void *)b;

	if (!time && is_better(a, b) != is_better(b, a))
		return is_better(a, b);
	if (a->type == BUILDIDX_REC_KSYM && b->type == BUILDIDX_REC_KSYM)
		return x->addr > y->addr;
	return b->type == BUILDIDX_REC_KSYM;
}

int records_address(struct records *s, uint64_t address, uint64_t time,
		    struct buildidx_rec **rec, struct buildidx_error *err)
{
	const struct buildidx_rec *r, *best = NULL;
	size_t i;

	if (!s->file)
		return buildidx_find_address(s->bx, address, time, rec, err);
	for (i = 0; i < s->file->count; i++) {
		r = s->file->rec[i];
		if (record_holds(r, address) && was_there(r, time) &&
		    (!best || is_closer(r, best, time)))
			best = r;
	}
	if (!best) {
		snprintf(err->text, sizeof(err->text), "address 0x%" PRIx64 ": no record of it",
			 address);
		return -ENOENT;
	}
	*rec = record_copy(best);
	return 0;
}
