// SPDX-License-Identifier: GPL-2.0
/*
 * hog MS [fentry]: be on a CPU for so many milliseconds of its time, nearly all of them in
 * a BPF program, which is gone then
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "hog.skel.h"

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	struct hog_bpf *skel = hog_bpf__open_and_load();
	long end;
	int err;

	err = skel ? hog_bpf__attach(skel) : -1;
	if (err || argc < 2) {
		fprintf(stderr, "hog: cannot load its program: %s\n", strerror(-err));
		return 1;
	}
	skel->bss->target = (__u32)getpid();
	for (end = cpu_ms() + atol(argv[1]); cpu_ms() < end; ) {
		if (argc > 2)
			getpgid(0);
		else
			getppid();
	}
	hog_bpf__destroy(skel);
	return 0;
}
