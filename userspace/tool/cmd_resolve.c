// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_resolve - kernel addresses, now or at a time
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "records.h"

enum {
	OPTION_TIME = 256,
};

static struct {
	const char *time;
	const char *file;
} given;

static const struct option options[] = {
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "file", required_argument, NULL, 'f' },
	{ NULL, 0, NULL, 0 },
};

static bool take(int option, const char *arg)
{
	if (option == OPTION_TIME)
		given.time = arg;
	else
		given.file = arg;
	return true;
}

/**
 * struct place - what is at an address
 * @rec: record
 * @kind: "vmlinux", "module", "bpf" or "generated"
 * @name: of the module, program or text
 * @id: build ID
 * @id_len: its bytes, 0 when there is none
 * @offset: what a frame has as offset
 * @function: name, NULL when not known
 * @distance: from the start of the function
 * @where: line of a BPF program, its @line is 0 when not known
 */
struct place {
	const struct buildidx_rec *rec;
	const char *kind;
	const char *name;
	const unsigned char *id;
	size_t id_len;
	uint64_t offset;
	const char *function;
	uint64_t distance;
	struct buildidx_bpf_where where;
};

/**
 * struct resolver - what is needed for each address
 * @s: records
 * @time: CLOCK_BOOTTIME, 0: now
 * @names: of what is there now
 * @names_read: they were asked for
 * @adopted: programs older than the module are recorded
 */
struct resolver {
	struct records *s;
	uint64_t time;
	struct kallsyms *names;
	bool names_read;
	bool adopted;
};

static void name_function(struct resolver *r, struct place *p, uint64_t address)
{
	/* addresses of a file, or of what is gone, mean nothing to the running kernel */
	if (!r->s->bx || record_life(p->rec).flags & BUILDIDX_REC_GONE)
		return;
	if (!r->names_read) {
		r->names_read = true;
		r->names = kallsyms_read();
		if (!r->names)
			complain("/proc/kallsyms shows no addresses, so functions of the kernel have no names: needs CAP_SYSLOG, and kernel.kptr_restrict below 2");
	}
	if (r->names)
		p->function = kallsyms_find(r->names, p->name, address, &p->distance);
}

static void place_module(struct resolver *r, struct place *p, uint64_t address)
{
	const struct buildidx_rec_module *m = (const void *)p->rec;

	p->name = (const char *)m->name;
	p->kind = strcmp(p->name, "vmlinux") ? "module" : "vmlinux";
	p->id = m->id;
	p->id_len = m->id_len;
	p->offset = address - m->addr + m->vaddr;
	name_function(r, p, address);
}

static void place_bpf(struct place *p, uint64_t address)
{
	const struct buildidx_rec_bpf *b = (const void *)p->rec;

	p->kind = "bpf";
	p->name = bpf_name(b);
	p->id = b->build_id;
	p->id_len = sizeof(b->build_id);
	if (!buildidx_bpf_find_address(b, address, &p->where))
		return;
	p->offset = (uint64_t)buildidx_bpf_func(b, p->where.func)->image + p->where.offset;
	p->function = *p->where.name ? p->where.name : p->name;
	p->distance = p->where.offset;
}

static void place_ksym(struct place *p, uint64_t address)
{
	const struct buildidx_rec_ksym *k = (const void *)p->rec;

	p->kind = "generated";
	p->name = (const char *)k->name;
	p->offset = address - k->addr;
	p->function = p->name;
	p->distance = p->offset;
}

static void find_place(struct resolver *r, struct place *p, const struct buildidx_rec *rec,
		       uint64_t address)
{
	memset(p, 0, sizeof(*p));
	p->rec = rec;
	p->kind = p->name = "unknown";
	switch (rec->type) {
	case BUILDIDX_REC_MODULE:
		place_module(r, p, address);
		break;
	case BUILDIDX_REC_BPF_LOAD:
		place_bpf(p, address);
		break;
	case BUILDIDX_REC_KSYM:
		place_ksym(p, address);
		break;
	}
}

static void print_text(const struct resolver *r, const struct place *p, uint64_t address)
{
	const struct record_life life = record_life(p->rec);
	char id[2 * BUILDIDX_ID_MAX + 1], when[TIME_TEXT_MAX];
	char *name = escaped(p->name), *function = p->function ? escaped(p->function) : NULL;
	char *file, *text;

	buildidx_hex(p->id, p->id_len, id, sizeof(id));
	printf("0x%016" PRIx64 " %-9s %s+0x%" PRIx64 " ", address, p->kind, *id ? id : "-",
	       p->offset);
	if (p->rec->type == BUILDIDX_REC_MODULE)
		printf("%s%s", name, function ? ":" : "");
	if (function)
		printf("%s+0x%" PRIx64, function, p->distance);
	if (p->where.line) {
		file = escaped(p->where.file);
		text = source_text(p->where.text);
		printf(" %s:%u:%u  %s", *file ? file : "-", p->where.line, p->where.col, text);
		free(file);
		free(text);
	}
	if (life.flags & BUILDIDX_REC_GONE)
		printf(" (gone since %s)", time_text(r->s->realtime, life.unload_time, when));
	putchar('\n');
	free(name);
	free(function);
}

static struct json_object *place_json(const struct resolver *r, const struct place *p)
{
	const struct record_life life = record_life(p->rec);
	struct json_object *o = json_new();
	char id[2 * BUILDIDX_ID_MAX + 1];

	buildidx_hex(p->id, p->id_len, id, sizeof(id));
	json_add_text(o, "kind", p->kind);
	json_add_name(o, "name", p->name);
	json_add_text(o, "build_id", p->id_len ? id : NULL);
	json_add_address(o, "offset", p->offset);
	json_add_u64(o, "object", life.object);
	json_add_name(o, "function", p->function);
	if (p->function)
		json_add_address(o, "function_offset", p->distance);
	if (p->rec->type == BUILDIDX_REC_BPF_LOAD)
		json_add_u64(o, "prog_id", ((const struct buildidx_rec_bpf *)p->rec)->id);
	if (p->where.line) {
		json_add_name(o, "file", p->where.file);
		json_add_u64(o, "line", p->where.line);
		json_add_u64(o, "column", p->where.col);
		json_add_name(o, "text", p->where.text);
	}
	json_add_text(o, "state", life.flags & BUILDIDX_REC_GONE ? "gone" : "live");
	json_add_time(o, "loaded", r->s->realtime, life.load_time);
	json_add_time(o, "unloaded", r->s->realtime, life.unload_time);
	return o;
}

static int find(struct resolver *r, uint64_t address, struct buildidx_rec **rec,
		struct buildidx_error *err)
{
	int ret = records_address(r->s, address, r->time, rec, err);

	if (ret != -ENOENT || r->adopted || !r->s->bx)
		return ret;
	/* it may be of a program that is older than the module */
	r->adopted = true;
	records_adopt(r->s);
	return records_address(r->s, address, r->time, rec, err);
}

static int resolve(struct resolver *r, struct json_list *list, uint64_t address)
{
	struct buildidx_rec *rec;
	struct buildidx_error err;
	struct json_object *o;
	struct place p;
	int ret = find(r, address, &rec, &err);

	if (ret) {
		complain("%s", err.text);
		if (list) {
			o = json_new();
			json_add_address(o, "address", address);
			json_add_text(o, "error", err.text);
			json_add_u64(o, "errno", (uint64_t)-ret);
			json_list_add(list, o);
		}
		return exit_code_of(ret);
	}
	find_place(r, &p, rec, address);
	if (list) {
		o = place_json(r, &p);
		json_add_address(o, "address", address);
		json_list_add(list, o);
	} else {
		print_text(r, &p, address);
	}
	free(rec);
	return EXIT_OK;
}

static int run(const struct options *opt, int argc, char **argv)
{
	uint64_t *address = must(calloc((size_t)argc, sizeof(*address)));
	struct resolver r = { 0 };
	struct json_list list;
	struct records s;
	int i, code = EXIT_OK;

	for (i = 0; i < argc && !code; i++)
		if (!parse_address(argv[i], &address[i]))
			code = EXIT_USAGE;
	if (!code)
		code = records_open(&s, given.file);
	if (code) {
		free(address);
		return code;
	}
	r.s = &s;
	if (given.time && !time_parse(s.realtime, given.time, &r.time)) {
		code = EXIT_USAGE;
	} else {
		if (opt->json)
			json_list_start(&list);
		for (i = 0; i < argc; i++)
			code = worse_of(code, resolve(&r, opt->json ? &list : NULL, address[i]));
		if (opt->json)
			json_list_end(&list);
		code = worse_of(code, s.code);
	}
	kallsyms_free(r.names);
	records_close(&s);
	free(address);
	return code;
}

const struct command cmd_resolve = {
	.name = "resolve",
	.args = "ADDRESS...",
	.summary = "What is, or was, at kernel addresses",
	.help =
	"Of each kernel address, in hex: whether it is in vmlinux, a module, a BPF program or\n"
	"text that the kernel generated; build ID and offset; the function, and for BPF\n"
	"programs file, line and source text. Functions of vmlinux and modules are named by\n"
	"/proc/kallsyms, for what is there now.\n"
	"\n"
	"Without --time: what is there now or, when nothing is, what was there last. Needs the\n"
	"module, and CAP_BPF and CAP_PERFMON or CAP_SYS_ADMIN, as far as\n"
	"kernel.kptr_restrict lets kernel addresses be seen. With --file none of that.\n",
	.accepts = OPT_JSON,
	.min_args = 1,
	.max_args = -1,
	.options = options,
	.options_help =
	"      --time=TIME  at this time: nanoseconds since boot, seconds since boot with a\n"
	"                   decimal point, or 'YYYY-MM-DD HH:MM:SS[.fraction]'\n"
	"  -f, --file=FILE  ask a file that `buildidx watch -o` wrote (-: standard input)\n",
	.take = take,
	.run = run,
};
