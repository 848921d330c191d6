// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_bpf - BPF programs: what is loaded, and what was
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_names.h"
#include "export.h"
#include "records.h"

enum {
	OPTION_GONE = 256,
	OPTION_LIVE,
	OPTION_DEBUGINFOD,
	OPTION_SOURCES,
};

static struct {
	unsigned int flags;
	const char *file;
	const char *output;
	const char *debuginfod;
	const char *sources;
	bool all;
} given;

static const struct option options[] = {
	{ "gone", no_argument, NULL, OPTION_GONE },
	{ "live", no_argument, NULL, OPTION_LIVE },
	{ "file", required_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "all", no_argument, NULL, 'a' },
	{ "debuginfod", required_argument, NULL, OPTION_DEBUGINFOD },
	{ "sources", required_argument, NULL, OPTION_SOURCES },
	{ NULL, 0, NULL, 0 },
};

static bool take(int option, const char *arg)
{
	switch (option) {
	case OPTION_GONE:
		given.flags |= BUILDIDX_RECORDS_GONE;
		return true;
	case OPTION_LIVE:
		given.flags |= BUILDIDX_RECORDS_LIVE;
		return true;
	case 'f':
		given.file = arg;
		return true;
	case 'o':
		given.output = arg;
		return true;
	case 'a':
		given.all = true;
		return true;
	case OPTION_DEBUGINFOD:
		given.debuginfod = arg;
		return true;
	default:
		given.sources = arg;
		return true;
	}
}

/**
 * struct printing - what is passed on from record to record
 * @opt: options
 * @realtime: as in struct records
 * @list: of JSON objects
 */
struct printing {
	const struct options *opt;
	int64_t realtime;
	struct json_list list;
};

static void print_who(const char *what, int64_t realtime, uint64_t time, uint32_t pid,
		      const uint32_t *uid, const void *comm)
{
	char when[TIME_TEXT_MAX];
	char *name = escaped(comm);

	printf("%-13s%s", what, time_text(realtime, time, when));
	if (pid)
		printf(" by pid %u, %s", pid, *name ? name : "-");
	if (pid && uid)
		printf(", uid %u", *uid);
	putchar('\n');
	free(name);
}

static void print_type(const struct buildidx_rec_bpf *r)
{
	char *to = escaped(buildidx_record_text(&r->rec, r->attach_name));
	const char *how = bpf_attach_name(r->prog_type, r->attach_type);

	printf("type         %s", bpf_type_name(r->prog_type));
	if (how)
		printf(", for %s", how);
	if (*to)
		printf(" %s", to);
	if (r->attach_prog)
		printf(" of program %u", r->attach_prog);
	putchar('\n');
	free(to);
}

static void print_text(const struct buildidx_rec_bpf *r)
{
	size_t len;

	printf("text         %" PRIu64 " bytes", buildidx_bpf_size(r));
	if (r->flags & BUILDIDX_BPF_NO_JIT)
		printf(", interpreted");
	else if (!buildidx_bpf_image(r, &len))
		printf(", not kept or not to be seen");
	if (r->flags & BUILDIDX_BPF_NO_BTF)
		printf("; no BTF, so no lines");
	if (r->flags & BUILDIDX_BPF_NO_STRINGS)
		printf("; its BTF could not be read, so lines have numbers only");
	if (r->flags & BUILDIDX_REC_CUT)
		printf("; something was too large to be kept");
	putchar('\n');
}

static void print_one(const struct buildidx_rec_bpf *r, int64_t realtime)
{
	const struct buildidx_bpf_func *f;
	char hex[2 * BUILDIDX_BPF_ID_LEN + 1];
	char *name = escaped(bpf_name(r));
	const uint32_t *maps;
	uint32_t i, count;

	printf("program      %u, object %" PRIu64 "\nname         %s\n", r->id, (uint64_t)r->object,
	       name);
	free(name);
	print_type(r);
	buildidx_hex(r->build_id, sizeof(r->build_id), hex, sizeof(hex));
	printf("build ID     %s%s\n", hex,
	       buildidx_bpf_build_id_matches(r) ? "" : " (not that of this content)");
	buildidx_hex(r->tag, sizeof(r->tag), hex, sizeof(hex));
	printf("tag          %s\n", hex);
	print_who("loaded", realtime, r->load_time, r->pid, &r->uid, r->comm);
	if (r->flags & BUILDIDX_REC_ADOPTED)
		printf("             older than the module: who loaded it is not known\n");
	if (r->flags & BUILDIDX_REC_GONE)
		print_who("unloaded", realtime, r->unload_time, r->unload_pid, NULL,
			  r->unload_comm);
	printf("verified     %u instructions%s\n", r->verified_insns,
	       r->flags & BUILDIDX_BPF_GPL ? ", GPL compatible" : "");
	maps = buildidx_bpf_maps(r, &count);
	printf("maps        ");
	for (i = 0; i < count; i++)
		printf(" %u", maps[i]);
	puts(count ? "" : " -");
	print_text(r);
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		name = escaped(buildidx_record_text(&r->rec, f->name));
		printf("function     ");
		if (!(r->flags & BUILDIDX_REC_NO_ADDRESS))
			printf("0x%" PRIx64 " ", (uint64_t)f->addr);
		printf("+0x%x, %u bytes, %u lines: %s\n", f->image, f->len, f->lines,
		       *name ? name : "-");
		free(name);
	}
}

static void print_lines(const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	uint32_t i, k;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		char *name = escaped(buildidx_record_text(&r->rec, f->name));

		printf("%s:\n", *name ? name : "-");
		free(name);
		for (k = 0; (l = buildidx_bpf_line(r, f, k)); k++) {
			char *file = escaped(buildidx_record_text(&r->rec, l->file));
			char *text = source_text(buildidx_record_text(&r->rec, l->text));

			printf("  0x%-6x %s:%u:%u  %s\n", f->image + l->off, *file ? file : "-",
			       l->line, l->col, text);
			free(file);
			free(text);
		}
	}
}

static void add_lines(struct json_object *o, const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	uint32_t i, k;

	json_array_add(o, "lines", NULL);
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		for (k = 0; (l = buildidx_bpf_line(r, f, k)); k++) {
			struct json_object *part = json_new();

			json_add_u64(part, "function", i);
			json_add_u64(part, "offset", (uint64_t)f->image + l->off);
			json_add_name(part, "file", buildidx_record_text(&r->rec, l->file));
			json_add_u64(part, "line", l->line);
			json_add_u64(part, "column", l->col);
			json_add_name(part, "text", buildidx_record_text(&r->rec, l->text));
			json_array_add(o, "lines", part);
		}
	}
}

static void add_image(struct json_object *o, const struct buildidx_rec_bpf *r)
{
	size_t len;
	const void *image = buildidx_bpf_image(r, &len);
	char *hex;

	if (!image) {
		json_add_text(o, "image_hex", NULL);
		return;
	}
	hex = must(malloc(2 * len + 1));
	buildidx_hex(image, len, hex, 2 * len + 1);
	json_add_text(o, "image_hex", hex);
	free(hex);
}

static bool list_one(void *ctx, const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf *r = (const void *)rec;
	char hex[2 * BUILDIDX_BPF_ID_LEN + 1], loaded[TIME_TEXT_MAX], unloaded[TIME_TEXT_MAX];
	struct printing *p = ctx;
	char *name, *comm;

	if (p->opt->json) {
		json_list_add(&p->list, bpf_json(r, p->realtime));
		return true;
	}
	name = escaped(bpf_name(r));
	comm = escaped((const char *)r->comm);
	buildidx_hex(r->build_id, sizeof(r->build_id), hex, sizeof(hex));
	printf("%6u %6" PRIu64 " %-40s %5" PRIu64 " %-23s %-23s %7u %-15s %-16s %s\n", r->id,
	       (uint64_t)r->object, hex, buildidx_bpf_size(r),
	       time_text(p->realtime, r->load_time, loaded),
	       time_text(p->realtime, r->unload_time, unloaded), r->pid, *comm ? comm : "-",
	       bpf_type_name(r->prog_type), name);
	free(name);
	free(comm);
	return true;
}

static bool dump_one(void *ctx, const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf *r = (const void *)rec;
	struct printing *p = ctx;
	struct json_object *o;

	if (p->opt->json) {
		o = bpf_json(r, p->realtime);
		add_lines(o, r);
		add_image(o, r);
		json_list_add(&p->list, o);
		return true;
	}
	print_one(r, p->realtime);
	print_lines(r);
	putchar('\n');
	return true;
}

static int each(const struct options *opt, struct records *s,
		bool (*print)(void *ctx, const struct buildidx_rec *rec))
{
	struct printing p = { .opt = opt, .realtime = s->realtime };
	int code;

	records_adopt(s);
	if (opt->json)
		json_list_start(&p.list);
	code = records_each(s, given.flags, 1U << BUILDIDX_REC_BPF_LOAD, print, &p);
	if (opt->json)
		json_list_end(&p.list);
	return code;
}

static int run_list(const struct options *opt, struct records *s, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (!opt->json && !opt->no_header)
		printf("%6s %6s %-40s %5s %-23s %-23s %7s %-15s %-16s %s\n", "ID", "OBJECT",
		       "BUILD-ID", "BYTES", "LOADED", "UNLOADED", "PID", "COMM", "TYPE", "NAME");
	return each(opt, s, list_one);
}

static int run_dump(const struct options *opt, struct records *s, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return each(opt, s, dump_one);
}

static int run_show(const struct options *opt, struct records *s, int argc, char **argv)
{
	struct buildidx_rec_bpf *r;
	struct json_list list;
	int i, ret, code = EXIT_OK;

	if (opt->json)
		json_list_start(&list);
	for (i = 0; i < argc; i++) {
		ret = records_program(s, argv[i], &r);
		code = worse_of(code, ret);
		if (ret)
			continue;
		if (opt->json)
			json_list_add(&list, bpf_json(r, s->realtime));
		else
			print_one(r, s->realtime);
		if (!opt->json && i + 1 < argc)
			putchar('\n');
		free(r);
	}
	if (opt->json)
		json_list_end(&list);
	return code;
}

static int run_lines(const struct options *opt, struct records *s, int argc, char **argv)
{
	struct buildidx_rec_bpf *r;
	struct json_object *o;
	int code;

	(void)argc;
	code = records_program(s, argv[0], &r);
	if (code)
		return code;
	if (opt->json) {
		o = json_new();
		json_add_u64(o, "id", r->id);
		json_add_u64(o, "object", r->object);
		json_add_name(o, "name", bpf_name(r));
		add_lines(o, r);
		json_print(o);
	} else {
		print_lines(r);
	}
	free(r);
	return code;
}

#ifdef BUILDIDX_PROFILE
/**
 * struct exporting - what is passed on from record to record
 * @machine: that the records are of
 * @code: exit code so far
 * @written: programs written
 * @without: programs without text
 */
struct exporting {
	struct export_machine machine;
	int code;
	unsigned int written;
	unsigned int without;
};

static int report(int ret, const struct buildidx_error *err)
{
	if (ret)
		complain("%s", err->text);
	return exit_code_of(ret);
}

static bool has_text(const struct buildidx_rec_bpf *r)
{
	return !(r->flags & BUILDIDX_BPF_NO_JIT) && buildidx_bpf_size(r);
}

/* Under a build ID that is not its own, it would be taken for another program, or for any file. */
static bool has_own_id(const struct buildidx_rec_bpf *r)
{
	if (buildidx_bpf_build_id_matches(r))
		return true;
	complain("program %u, object %" PRIu64 ": its build ID is not that of its content: no ELF file is written",
		 r->id, (uint64_t)r->object);
	return false;
}

static bool export_one_of_all(void *ctx, const struct buildidx_rec *rec)
{
	const struct buildidx_rec_bpf *r = (const void *)rec;
	char hex[2 * BUILDIDX_BPF_ID_LEN + 1], *dir;
	struct exporting *e = ctx;
	struct buildidx_error err;
	int code = EXIT_OK;

	if (!has_text(r)) {
		e->without++;
		return true;
	}
	code = has_own_id(r) ?
	       report(export_debuginfod(given.debuginfod, r, &e->machine, &err), &err) :
	       EXIT_PARTLY;
	if (!code && given.sources) {
		/* programs of the same file name need not be of the same file */
		buildidx_hex(r->build_id, sizeof(r->build_id), hex, sizeof(hex));
		if (asprintf(&dir, "%s/%s", given.sources, hex) < 0)
			must(NULL);
		code = report(export_sources(dir, r, &err), &err);
		free(dir);
	}
	e->code = worse_of(e->code, code);
	e->written += !code;
	return true;
}

static int export_all(struct records *s, struct exporting *e)
{
	int code;

	records_adopt(s);
	code = records_each(s, given.flags, 1U << BUILDIDX_REC_BPF_LOAD, export_one_of_all, e);
	fprintf(stderr, "buildidx: %u programs written", e->written);
	if (e->without)
		fprintf(stderr, ", %u left out: interpreted, they have no text of their own",
			e->without);
	fputc('\n', stderr);
	return worse_of(code, e->code);
}

static int export_one(struct records *s, struct exporting *e, const char *name)
{
	struct buildidx_rec_bpf *r;
	struct buildidx_error err;
	int code = records_program(s, name, &r);

	if (code)
		return code;
	if (!has_text(r)) {
		complain("program %u was interpreted: it has no text of its own", r->id);
		code = EXIT_PARTLY;
	}
	if (!code && (given.output || given.debuginfod) && !has_own_id(r))
		code = EXIT_PARTLY;
	if (!code && given.output)
		code = report(export_to_file(given.output, r, &e->machine, &err), &err);
	if (!code && given.debuginfod)
		code = report(export_debuginfod(given.debuginfod, r, &e->machine, &err), &err);
	if (!code && given.sources)
		code = report(export_sources(given.sources, r, &err), &err);
	free(r);
	return code;
}

static bool export_args_fit(int argc)
{
	if (given.all && (argc || given.output || !given.debuginfod))
		complain("bpf: export --all needs --debuginfod=DIR, and neither a program nor -o");
	else if (!given.all && argc != 1)
		complain("bpf: export needs one program, or --all");
	else if (!given.all && !given.output && !given.debuginfod && !given.sources)
		complain("bpf: export needs -o FILE, --debuginfod=DIR or --sources=DIR");
	else if (given.output && !strcmp(given.output, "-"))
		complain("bpf: export cannot write to standard output: give a file");
	else
		return true;
	return false;
}

static int run_export(const struct options *opt, struct records *s, int argc, char **argv)
{
	struct exporting e = { .code = EXIT_OK };
	char *shown;

	(void)opt;
	if (!export_args_fit(argc))
		return EXIT_USAGE;
	if (!export_machine(s->machine, &e.machine)) {
		shown = escaped(s->machine);
		complain("the programs are of a machine that has no ELF number here: '%s'", shown);
		free(shown);
		return EXIT_PARTLY;
	}
	return given.all ? export_all(s, &e) : export_one(s, &e, argv[0]);
}
#else
static int run_export(const struct options *opt, struct records *s, int argc, char **argv)
{
	(void)opt;
	(void)s;
	(void)argc;
	(void)argv;
	complain("bpf export was left out of this build (PROFILE=no or STATIC=1)");
	return EXIT_PARTLY;
}
#endif

static const struct {
	const char *name;
	int min_args;
	int max_args;
	int (*run)(const struct options *opt, struct records *s, int argc, char **argv);
} actions[] = {
	{ "list", 0, 0, run_list },
	{ "show", 1, -1, run_show },
	{ "dump", 0, 0, run_dump },
	{ "lines", 1, 1, run_lines },
	{ "export", 0, 1, run_export },
};

static int run(const struct options *opt, int argc, char **argv)
{
	struct records s;
	char *shown;
	size_t i;
	int code;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(argv[0], actions[i].name))
			break;
	if (i == sizeof(actions) / sizeof(actions[0])) {
		shown = escaped(argv[0]);
		complain("bpf: unknown action '%s': list, show, dump, lines or export", shown);
		free(shown);
		return EXIT_USAGE;
	}
	if (actions[i].run != run_export &&
	    (given.output || given.all || given.debuginfod || given.sources)) {
		complain("bpf: -o, --all, --debuginfod and --sources are for export");
		return EXIT_USAGE;
	}
	argc--;
	argv++;
	if (argc < actions[i].min_args ||
	    (actions[i].max_args >= 0 && argc > actions[i].max_args)) {
		complain("bpf: %s takes %s", actions[i].name,
			 actions[i].max_args < 0 ? "one or more programs" :
			 actions[i].max_args ? "one program" : "no program");
		return EXIT_USAGE;
	}
	code = records_open(&s, given.file);
	if (code)
		return code;
	code = actions[i].run(opt, &s, argc, argv);
	code = worse_of(code, s.code);
	records_close(&s);
	return code;
}

const struct command cmd_bpf = {
	.name = "bpf",
	.args = "ACTION [ID...]",
	.summary = "BPF programs, loaded and gone",
	.help =
	"The module records each BPF program when it is loaded, with its functions, source\n"
	"lines and text, and keeps the record when the program is gone. Programs that are\n"
	"older than the module are recorded by the first call of this command.\n"
	"\n"
	"  list       one line for each program\n"
	"  show ID... what is known of programs\n"
	"  dump       the same for all, with their lines; with --json their text, too\n"
	"  lines ID   source lines, by offset in the program's text\n"
	"  export ID  an ELF file with the program's build ID, text, symbols and lines, for\n"
	"             addr2line, objdump, gdb and debuginfod\n"
	"\n"
	"An ID is the kernel's number of a program (of several that had it, the one that is\n"
	"loaded, else the last), object: and the number of a record, or a build ID in full.\n"
	"Needs the module, and CAP_PERFMON or CAP_SYS_ADMIN; text and addresses also need\n"
	"CAP_BPF, and what kernel.kptr_restrict and net.core.bpf_jit_harden leave to be seen.\n",
	.accepts = OPT_JSON | OPT_NO_HEADER,
	.min_args = 1,
	.max_args = -1,
	.options = options,
	.options_help =
	"      --live       only what is loaded\n"
	"      --gone       only what is gone\n"
	"  -f, --file=FILE  read a file that `buildidx watch -o` wrote (-: standard input)\n"
	"  -o, --output=FILE      export: the ELF file\n"
	"      --debuginfod=DIR   export: write buildid/<ID>/debuginfo (and executable) there\n"
	"  -a, --all              export: all programs, with --debuginfod\n"
	"      --sources=DIR      export: write the source lines as files there;\n"
	"                         no other file there is written over\n",
	.take = take,
	.run = run,
};
