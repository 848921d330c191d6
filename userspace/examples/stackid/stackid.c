// SPDX-License-Identifier: GPL-2.0
/*
 * stackid PID [COUNT]: print COUNT (default 10) stacks of a process at the
 * moments it goes to sleep, each frame as BUILDID+OFFSET, or as a bare address
 * where no build ID could be had.
 *
 * An example of a program that uses the buildidx kfunc where the module is
 * loaded and the stock helper where it is not: the same BPF object, one flag.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "buildidx_bpf_present.h"
#include "stackid.h"
#include "stackid.skel.h"

static int left;

static void print_frame(const struct bpf_stack_build_id *f)
{
	int i;

	if (f->status == BPF_STACK_BUILD_ID_IP) {
		printf("  0x%llx\n", f->ip);
		return;
	}
	printf("  ");
	for (i = 0; i < BPF_BUILD_ID_SIZE; i++)
		printf("%02x", f->build_id[i]);
	printf("+0x%llx\n", f->offset);
}

static int print_stack(void *ctx, void *data, size_t size)
{
	const struct stack *s = data;
	int i;

	(void)ctx;
	if (size < sizeof(*s) || !left)
		return 0;
	printf("thread %u\n", s->pid);
	for (i = 0; i < STACKID_DEPTH && s->frames[i].status != BPF_STACK_BUILD_ID_EMPTY; i++)
		print_frame(&s->frames[i]);
	left--;
	return 0;
}

static void usage(FILE *out)
{
	fprintf(out, "usage: stackid PID [COUNT]\n");
}

/* A number above 0 that an int holds; 0 for what is none. */
static int number(const char *text)
{
	unsigned long n;

	if (!*text || text[strspn(text, "0123456789")])
		return 0;
	errno = 0;
	n = strtoul(text, NULL, 10);
	return errno || n > INT_MAX ? 0 : (int)n;
}

int main(int argc, char **argv)
{
	struct stackid_bpf *skel;
	struct ring_buffer *ring = NULL;
	pid_t target;
	int err = 0;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	target = argc == 2 || argc == 3 ? number(argv[1]) : 0;
	left = argc == 3 ? number(argv[2]) : 10;
	if (!target || !left) {
		usage(stderr);
		return 2;
	}
	skel = stackid_bpf__open();
	if (!skel) {
		fprintf(stderr, "stackid: cannot open the BPF object: %s\n", strerror(errno));
		return 1;
	}
	skel->rodata->target = target;
	/* Not `if (bpf_buildidx_...)` in the program: see buildidx.bpf.h. */
	skel->rodata->have_buildidx = buildidx_bpf_present("bpf_buildidx_stack_build_id");
	fprintf(stderr, "stackid: using %s\n",
		skel->rodata->have_buildidx ? "buildidx" : "the stock helper");
	if (stackid_bpf__load(skel) || stackid_bpf__attach(skel)) {
		fprintf(stderr, "stackid: cannot load the BPF program: %s; root is needed\n",
			strerror(errno));
		err = 1;
		goto out;
	}
	ring = ring_buffer__new(bpf_map__fd(skel->maps.stacks), print_stack, NULL, NULL);
	if (!ring) {
		fprintf(stderr, "stackid: cannot map the ring: %s\n", strerror(errno));
		err = 1;
		goto out;
	}
	/* Until there are enough, or the process is gone. */
	while (left > 0 && !kill(target, 0)) {
		err = ring_buffer__poll(ring, 100);
		if (err < 0 && err != -EINTR)
			break;
		err = 0;
	}
out:
	ring_buffer__free(ring);
	stackid_bpf__destroy(skel);
	return err ? 1 : 0;
}
