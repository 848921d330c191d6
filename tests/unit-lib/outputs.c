// SPDX-License-Identifier: GPL-2.0
/*
 * outputs DIR: writes a profile that is known to DIR/known.pb.gz, without names to
 * DIR/unnamed.pb.gz, DIR/known.svg, and DIR/odd.svg with what XML cannot hold; outputs.sh
 * reads them with other programs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_output.h"
#include "tool.h"

#define VMLINUX		(PROFILE_KERNEL_OBJECT | 5)
#define MODULE		(PROFILE_KERNEL_OBJECT | 6)
#define BPF		(PROFILE_KERNEL_OBJECT | 7)
#define TRAMPOLINE	(PROFILE_KERNEL_OBJECT | 8)

static const struct {
	uint64_t number;
	struct pprof_object is;
} objects[] = {
	{ 1, { "aa11", "aa11", "/usr/bin/prog", 0, 0x5000 } },
	{ 2, { "go:x/y", "go:x/y", "odd\xff\xc3\xa9", 0, 0 } },
	/* the same file, whose number changed */
	{ 3, { "aa11", "aa11", "/usr/bin/prog", 0, 0x5000 } },
	{ VMLINUX, { "cc33", "cc33", "vmlinux", 0xffffffff81000000, 0x1000000 } },
	{ MODULE, { "dd44", "dd44", "[ext4]", 0, 0x8000 } },
	{ BPF, { "bpf:ee55", "ee55", "[bpf_prog_0011_busy]", 0, 0x80 } },
	{ TRAMPOLINE, { "[bpf_trampoline_9]", NULL, NULL, 0, 0 } },
};

static void describe(void *ctx, uint64_t number, struct pprof_object *o)
{
	size_t i;

	(void)ctx;
	*o = (struct pprof_object){ 0 };
	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i].number == number)
			*o = objects[i].is;
}

static const char *id_text(void *ctx, uint64_t number)
{
	static struct pprof_object o;

	describe(ctx, number, &o);
	return o.id;
}

static void name(struct places *p, const char *id, uint64_t offset, bool is_return,
		 const char *outer, const char *inner, const char *file, unsigned int line)
{
	struct place place = { (char *)id, offset, is_return, { 0 } };

	functions_add(&place.functions, outer, file, line);
	if (inner)
		functions_add(&place.functions, inner, file, line + 10);
	places_add(p, &place);
}

static void add(struct samples *s, struct fold *f, const struct profile_stack *stack, uint64_t count)
{
	char *line = fold_stack(stack, id_text, NULL);

	samples_add(s, stack, count);
	fold_add(f, line, count);
	free(line);
}

static void fill(struct samples *s, struct fold *f)
{
	struct profile_stack deep = {
		.comm = "a<&\">b", .tgid = 11, .nr = 7, .nr_kernel = 4, .flags = PROFILE_IN_KERNEL,
		.frames = { { BPF, 0x10 }, { TRAMPOLINE, 0x30 }, { MODULE, 0x7f00 },
			    { VMLINUX, 0xffffffff81001000 },
			    { 1, 0x1234 }, { 1, 0x2000 }, { 2, 0x300 } },
	};
	struct profile_stack flat = {
		.comm = "prog", .tgid = 12, .nr = 1, .frames = { { 3, 0x1234 } },
	};
	struct profile_stack odd = {
		.comm = "odd", .tgid = 13, .nr = 2, .flags = PROFILE_TRUNCATED,
		.frames = { { 0, BUILDIDX_STATUS_ANON }, { 99, 0x10 } },
	};

	add(s, f, &deep, 2);
	add(s, f, &deep, 1);
	add(s, f, &flat, 4);
	add(s, f, &odd, 1);
}

static int write_to(const char *dir, const char *file, const char *svg, struct result *r)
{
	char path[256], picture[256];
	struct output *o;
	int code;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	snprintf(picture, sizeof(picture), "%s/%s", dir, svg ? svg : "");
	code = output_open(&o, path, svg ? picture : NULL);
	if (!code)
		code = output_write(o, r);
	output_close(o);
	return code;
}

int main(int argc, char **argv)
{
	struct places *places = places_new();
	struct samples *samples = samples_new();
	struct fold *fold = fold_new();
	struct result r = {
		.fold = fold, .title = "a <title> & more", .samples = samples, .places = places,
		.info = { 1700000000000000000, 2500000000, 100, "a comment" },
		.describe = describe,
	};
	int code;

	if (argc != 2)
		return EXIT_USAGE;
	fill(samples, fold);
	name(places, "aa11", 0x1234, false, "outer", "inner", "/src/prog.c", 20);
	name(places, "aa11", 0x2000, true, "main", NULL, "/src/caf\xe9/prog.c", 7);
	name(places, "cc33", 0xffffffff81001000, true, "do_syscall_64", NULL, NULL, 0);
	name(places, "bpf:ee55", 0x10, false, "busy", NULL, "/src/busy.bpf.c", 17);
	code = write_to(argv[1], "known.pb.gz", "known.svg", &r);
	r.places = NULL;
	code = worse_of(code, write_to(argv[1], "unnamed.pb.gz", NULL, &r));
	code = worse_of(code, write_to(argv[1], "known.folded", NULL, &r));
	fold_free(fold);
	fold = fold_new();
	fold_add(fold, "x;a\xff\x01\xef\xbf\xbf" "b_[k]", 1);
	r.fold = fold;
	code = worse_of(code, write_to(argv[1], "odd.folded", "odd.svg", &r));
	fold_free(fold);
	samples_free(samples);
	places_free(places);
	return code;
}
