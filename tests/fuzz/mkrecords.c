// SPDX-License-Identifier: GPL-2.0
/* mkrecords DIR - write the seeds of bpfrec_fuzz into DIR: a good record, and parts of it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../hostile/record.h"

static void die(const char *what, const char *name)
{
	fprintf(stderr, "mkrecords: %s ", what);
	perror(name);
	exit(1);
}

static void write_seed(const char *dir, const char *name, const struct record *r, size_t len)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		die("cannot create", path);
	fwrite(r, len, 1, f);
	if (ferror(f) || fclose(f))
		die("cannot write", path);
}

int main(int argc, char **argv)
{
	struct record r;

	if (argc != 2) {
		fputs("usage: mkrecords DIR\n", stderr);
		return 2;
	}
	if (mkdir(argv[1], 0777))
		die("cannot make", argv[1]);
	record_init(&r);
	write_seed(argv[1], "good", &r, sizeof(r));
	write_seed(argv[1], "head", &r, sizeof(r.bpf));
	r.bpf.rec.size = r.bpf.image.off;
	r.bpf.image.off = r.bpf.image.len = 0;
	write_seed(argv[1], "no-image", &r, r.bpf.rec.size);
	r.bpf.lines.off = r.bpf.lines.len = 0;
	r.func[0].lines = r.func[1].lines = r.func[1].line = 0;
	write_seed(argv[1], "no-lines", &r, r.bpf.rec.size);
	return 0;
}
