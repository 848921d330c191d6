// SPDX-License-Identifier: GPL-2.0
/*
 * Cost per frame, warm, in interrupt: what BPF_F_USER_BUILD_ID adds to
 * bpf_get_stack(), against what a kfunc adds to it.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../cases/dev.h"
#include "../cases/kfunc.h"
#include "../cases/tap.h"
#include "bench.h"
#include "frames.skel.h"
#include "frames_record.h"
#include "stack.h"

/* Longer than a sample takes, or the kernel lowers the rate. */
#define PERIOD_NS	2000000

static int open_clock(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		bail("perf clock: %s", strerror(errno));
	return fd;
}

static void sample_stack(struct frames_bpf *skel, enum stack_shape shape, unsigned int want)
{
	volatile struct frames_bpf__bss *bss = skel->bss;
	struct bpf_link *link = NULL;
	unsigned int tries;
	pid_t pid = stack_start(shape, FRAMES_DEPTH);
	int fd = open_clock(pid);

	if (bench_kernel_at_least(6, 12)) {
		link = bpf_program__attach_perf_event(skel->progs.frames_perf, fd);
		if (!link)
			bail("attaching to the perf clock: %s", strerror(errno));
	}
	bss->taken = 0;
	bss->target = pid;
	for (tries = 0; bss->taken < want && tries < 1000; tries++)
		sleep_ms(10);
	bss->target = 0;
	stack_stop(pid);
	if (link)
		bpf_link__destroy(link);
	else
		close(fd);
	if (bss->taken < want)
		bail("%u of %u samples taken", bss->taken, want);
}

/* Median cost per frame of a call beyond that of @base; and its noise. */
static double per_frame(const struct frames_sample *s, unsigned int n, enum frames_call call,
			enum frames_call base, double *noise)
{
	double v[FRAMES_SAMPLES];
	unsigned int i;

	for (i = 0; i < n; i++)
		v[i] = ((double)s[i].took[call] - (double)s[i].took[base]) / FRAMES_DEPTH;
	/* Between the quartiles: the first sample of a process finds caches cold. */
	*noise = (bench_quantile(v, n, 750) - bench_quantile(v, n, 250)) * 100 / bench_median(v, n);
	return bench_median(v, n);
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static unsigned int fewest(const struct frames_sample *s, unsigned int n, enum frames_call call)
{
	unsigned int i, least = FRAMES_DEPTH;

	for (i = 0; i < n; i++)
		if (s[i].answered[call] < least)
			least = s[i].answered[call];
	return least;
}

static void report(struct frames_bpf *skel, unsigned int n, const char *name, const char *rich_name)
{
	struct frames_sample s[FRAMES_SAMPLES];
	double stock, dropin, rich, noise, noise2;
	__u32 i;

	for (i = 0; i < n; i++)
		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.samples), &i, &s[i]))
			bail("reading a sample: %s", strerror(errno));
	diag("%s: of %u frames resolved in every sample: stock %u, drop-in %u, rich %u",
	     name, fewest(s, n, FRAMES_PLAIN), fewest(s, n, FRAMES_STOCK),
	     fewest(s, n, FRAMES_DROPIN), fewest(s, n, FRAMES_RICH));
	if (fewest(s, n, FRAMES_PLAIN) != FRAMES_DEPTH ||
	    fewest(s, n, FRAMES_DROPIN) != FRAMES_DEPTH ||
	    fewest(s, n, FRAMES_RICH) != FRAMES_DEPTH)
		bail("%s: not every frame was resolved", name);
	dropin = per_frame(s, n, FRAMES_DROPIN, FRAMES_NOTHING, &noise);
	rich = per_frame(s, n, FRAMES_RICH, FRAMES_NOTHING, &noise2);
	noise = larger(noise, noise2);
	if (fewest(s, n, FRAMES_STOCK) == FRAMES_DEPTH) {
		stock = per_frame(s, n, FRAMES_STOCK, FRAMES_PLAIN, &noise2);
		noise = larger(noise, noise2);
	} else {
		/* Nothing to compare with: it gave up (PREEMPT_RT: always) */
		stock = BENCH_NONE;
	}
	bench_result(name, stock, dropin, BENCH_NONE, noise);
	bench_result(rich_name, stock, rich, BENCH_NONE, noise);
}

void bench_frames(const struct bench *b)
{
	unsigned int n = b->repeats;
	struct frames_bpf *skel;
	int err;

	bench_load("");
	stack_files();
	libbpf_set_print(bpf_messages);
	skel = frames_bpf__open();
	if (!skel)
		bail("opening the BPF program: %s", strerror(errno));
	bpf_program__set_autoload(skel->progs.frames_perf, bench_kernel_at_least(6, 12));
	bpf_program__set_autoload(skel->progs.frames_fentry, !bench_kernel_at_least(6, 12));
	err = frames_bpf__load(skel);
	if (err)
		bail("loading the BPF program: %s", strerror(-err));
	if (!bench_kernel_at_least(6, 12)) {
		skel->links.frames_fentry = bpf_program__attach(skel->progs.frames_fentry);
		if (!skel->links.frames_fentry)
			bail("attaching to the perf interrupt: %s", strerror(errno));
	}
	sample_stack(skel, STACK_RUNS, n);
	report(skel, n, "frame_runs", "frame_runs_rich");
	sample_stack(skel, STACK_ALTERNATING, n);
	report(skel, n, "frame_alternating", "frame_alternating_rich");
	frames_bpf__destroy(skel);
}
