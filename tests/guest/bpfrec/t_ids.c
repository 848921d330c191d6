// SPDX-License-Identifier: GPL-2.0
/*
 * t_ids [PROGRAMS]: build IDs of programs that are always the same, handed to the host, which
 * compares those of two boots. PROGRAMS others are loaded first, so that numbers and
 * addresses are not the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "rec.h"
#include "truth.h"

#define FIXED	16

static struct gen fixed(unsigned int i)
{
	struct gen g = {
		.file = "/src/fixed.bpf.c", .line = 100 + i, .funcs = 1 + i % 8, .no_btf = i % 4 == 3,
		.loops = i,
	};

	snprintf(g.name, sizeof(g.name), i % 2 ? "fixed_%u" : "fixed_program_with_a_long_name_%u", i);
	return g;
}

/* The port that ends in a file on the host. */
static int open_port(void)
{
	char name[64] = "", path[64];
	int fd = -1;
	glob_t g;
	size_t i;

	if (glob("/sys/class/virtio-ports/*/name", 0, NULL, &g))
		return -1;
	for (i = 0; i < g.gl_pathc && fd < 0; i++) {
		char *dir = g.gl_pathv[i] + strlen("/sys/class/virtio-ports/");
		int n, in = open(g.gl_pathv[i], O_RDONLY | O_CLOEXEC);

		n = read(in, name, sizeof(name) - 1);
		close(in);
		if (n < 5 || strncmp(name, "files", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/%.*s", (int)strcspn(dir, "/"), dir);
		fd = open(path, O_WRONLY | O_CLOEXEC);
	}
	globfree(&g);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned int others = argc > 1 ? strtoul(argv[1], NULL, 0) : 0, i, good = 0;
	int dev, port;
	FILE *out;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	port = open_port();
	out = port < 0 ? NULL : fdopen(port, "w");
	if (!out)
		bail("the port to the host: %s", strerror(errno));
	for (i = 0; i < others; i++) {
		struct gen g = { .name = "other", .file = "/src/other.bpf.c", .line = i, .funcs = 1 + i % 3 };

		/* stays until this process ends */
		if (gen_load(&g, NULL) < 0)
			bail("loading another program");
	}
	for (i = 0; i < FIXED; i++) {
		struct gen g = fixed(i);
		uint8_t id[BUILDIDX_BPF_ID_LEN];
		struct buildidx_rec_bpf *b;
		struct buildidx_rec *r;
		struct truth t;
		int fd = gen_load(&g, NULL);

		if (fd < 0 || truth_ask(&t, fd, -1) || rec_by_prog(dev, t.info.id, &r))
			bail("program %u has no record", i);
		truth_build_id(&t, id);
		b = (void *)r;
		good += !truth_differs(&t, b, true) && !memcmp(b->build_id, id, sizeof(id));
		fprintf(out, "%s %s\n", g.name, hex(b->build_id, sizeof(b->build_id)));
		diag("%s %s", g.name, hex(b->build_id, sizeof(b->build_id)));
		free(r);
		truth_free(&t);
		close(fd);
	}
	ok(good == FIXED, "build IDs are as documented: %u of %u", good, FIXED);
	ok(!fclose(out), "handed to the host");
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
