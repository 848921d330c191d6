// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel frames: what recording adds to bpf(BPF_PROG_LOAD), what resolving a kernel stack costs
 * next to storing it, what a record takes, how fast a reader gets on.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../bpfrec/gen.h"
#include "../bpfrec/rec.h"
#include "../cases/dev.h"
#include "../cases/kfunc.h"
#include "../cases/tap.h"
#include "bench.h"
#include "kframes.skel.h"

#define PADDING		986	/* 1,000 instructions with those of the frame around it */
#define LOADS_MAX	128
#define STACKS_MAX	1024

enum state { UNLOADED, ON, OFF, STATES };

static struct gen big = {
	.name = "bench_load", .file = "/src/bench.bpf.c", .line = 10, .funcs = 1, .padding = PADDING,
};

static double time_loads(unsigned int n)
{
	struct gen_code *c = gen_make(&big);
	double v[LOADS_MAX];
	unsigned int i;

	if (!c)
		bail("making a program");
	n = n > LOADS_MAX ? LOADS_MAX : n;
	for (i = 0; i < n + 2; i++) {
		uint64_t start = bench_count();
		int fd = gen_load_made(c, &big);

		/* the first two find caches cold */
		if (i >= 2)
			v[i - 2] = bench_count() - start;
		if (fd < 0)
			bail("loading a program: %s", strerror(-fd));
		close(fd);
	}
	gen_free(c);
	return bench_median(v, n);
}

static void enter(enum state state)
{
	switch (state) {
	case UNLOADED:
		bench_unload();
		break;
	case ON:
		bench_load("");
		break;
	default:
		bench_enable(false);
		break;
	}
}

static void loads(const struct bench *b)
{
	double seen[STATES][BENCH_ROUNDS_MAX], noise, other;
	enum state state;
	unsigned int i;

	gen_init();
	for (i = 0; i < b->rounds; i++) {
		for (state = UNLOADED; state < STATES; state++) {
			enter(state);
			seen[state][i] = time_loads(b->repeats / 4 + 3);
		}
	}
	noise = bench_noise(seen[UNLOADED], b->rounds);
	other = bench_noise(seen[ON], b->rounds);
	bench_result("prog_load", bench_median(seen[UNLOADED], b->rounds),
		     bench_median(seen[ON], b->rounds), bench_median(seen[OFF], b->rounds),
		     other > noise ? other : noise);
}

static struct kframes_bpf *load_frames(unsigned int use)
{
	struct kframes_bpf *skel = kframes_bpf__open();
	int err;

	if (!skel)
		bail("opening the BPF program: %s", strerror(errno));
	if (use)
		skel->rodata->use = use;
	err = kframes_bpf__load(skel);
	if (!err)
		err = kframes_bpf__attach(skel);
	if (err)
		bail("loading the BPF program: %s", strerror(-err));
	skel->bss->target = getpid();
	return skel;
}

/* One stack, stored and resolved. */
static void one_stack(struct kframes_bpf *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	volatile struct kframes_bpf__bss *bss = skel->bss;
	int err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.kframes), &opts);

	if (err || !bss->depth || bss->resolved != bss->depth)
		bail("of %u frames %u are resolved, error %d", bss->depth, bss->resolved, -err);
}

/* Between the quartiles: now and then a timer ticks in between. */
static double spread(double *v, unsigned int n)
{
	return (bench_quantile(v, n, 750) - bench_quantile(v, n, 250)) * 100 / bench_median(v, n);
}

static void frames(const struct bench *b)
{
	unsigned int i, n = b->repeats > STACKS_MAX ? STACKS_MAX : b->repeats, depth;
	double stored[STACKS_MAX], resolved[STACKS_MAX], noise, other;
	volatile struct kframes_bpf__bss *bss;
	struct kframes_bpf *skel;

	libbpf_set_print(bpf_messages);
	skel = load_frames(0);
	one_stack(skel);
	depth = skel->bss->depth;
	kframes_bpf__destroy(skel);
	skel = load_frames(depth);
	bss = skel->bss;
	/* the first ones find caches cold */
	one_stack(skel);
	one_stack(skel);
	for (i = 0; i < n; i++) {
		one_stack(skel);
		stored[i] = (double)(bss->stored_ns - bss->nothing_ns) / depth;
		resolved[i] = (double)(bss->resolved_ns - bss->nothing_ns) / depth;
	}
	diag("kernel stacks of %u frames", depth);
	kframes_bpf__destroy(skel);
	noise = spread(stored, n);
	other = spread(resolved, n);
	bench_result("kernel_frame", bench_median(stored, n), bench_median(resolved, n), BENCH_NONE,
		     other > noise ? other : noise);
}

/* Programs of every size that the storm has. */
static void load_many(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct gen g = {
			.name = "bench_many", .file = "/src/bench.bpf.c", .line = 10 + i,
			.funcs = 1 + i % 8, .loops = i % 7,
		};
		int fd = gen_load(&g, NULL);

		if (fd < 0)
			bail("loading a program: %s", strerror(-fd));
		close(fd);
	}
}

static void sizes(const struct bench *b)
{
	struct buildidx_info before, after;
	int dev = dev_open();

	if (dev_info(dev, &before))
		bail("BUILDIDX_IOC_INFO: %s", strerror(errno));
	load_many(b->repeats * 4);
	/* what is unloaded goes to the history at once */
	if (dev_info(dev, &after) || after.records_gone <= before.records_gone)
		bail("the history did not grow");
	bench_result("record_bytes", BENCH_NONE,
		     (double)(after.history_bytes - before.history_bytes) /
		     (after.records_gone - before.records_gone), BENCH_NONE, 0);
	close(dev);
}

void bench_kernel(const struct bench *b)
{
	loads(b);
	bench_load("");
	frames(b);
	bench_load("");
	sizes(b);
}

/* How many records a second one reader takes, when they are there. */
void bench_stream(const struct bench *b)
{
	double rates[BENCH_ROUNDS_MAX];
	unsigned int i;

	gen_init();
	bench_load("");
	load_many(b->repeats * 10);
	for (i = 0; i < b->rounds; i++) {
		uint64_t start = boottime();
		struct stream s;

		stream_open(&s, ALL_TYPES & ~TYPE(MAP), true);
		while (stream_next(&s, 0))
			;
		rates[i] = s.records * 1e9 / (boottime() - start);
		if (s.records < b->repeats * 10 || s.bad)
			bail("the stream gave %llu records, %llu of them bad", (unsigned long long)s.records,
			     (unsigned long long)s.bad);
		stream_close(&s);
	}
	bench_result("stream_rate", BENCH_NONE, bench_median(rates, b->rounds), BENCH_NONE,
		     bench_noise(rates, b->rounds));
}
