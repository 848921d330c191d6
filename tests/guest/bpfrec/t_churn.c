// SPDX-License-Identifier: GPL-2.0
/*
 * t_churn [ROUNDS [SECONDS]]: BPF programs, trampolines, the dispatcher and a kernel module
 * come and go all along; in each round buildidx is loaded, read by two readers, one of
 * which is slow, switched off and on, and unloaded.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "rec.h"
#include "truth.h"

#define MODULE		"isofs"
/* So little that the slow reader must lose. */
#define PARAMS		"stream_bytes=65536"
#define SLOW_MS		400
/* A round goes on until so many were dropped at that bound; then some were the slow reader's. */
#define DROPPED		50
#define PATIENCE_S	60

/**
 * struct counts - what the churn did; shared memory
 * @programs: loaded and closed
 * @trampolines: attached and detached
 * @dispatched: XDP programs run
 * @modules: loaded and unloaded
 * @failed: what should have worked and did not
 */
struct counts {
	atomic_uint programs;
	atomic_uint trampolines;
	atomic_uint dispatched;
	atomic_uint modules;
	atomic_uint failed;
};

static struct counts *counts;
static atomic_bool stop_reading;

/* --- the churn: processes that run until killed --- */

static struct gen any_program(unsigned int i, unsigned int slot)
{
	struct gen g = {
		.file = "/src/churn.bpf.c", .line = 10 + i % 1000, .funcs = 1 + i % 8,
		.no_btf = i % 5 == 0, .loops = i % 50,
	};

	snprintf(g.name, sizeof(g.name), "churned_%u_%u", slot, i % 100000);
	return g;
}

static void failed(const char *what)
{
	if (atomic_fetch_add(&counts->failed, 1) < 3)
		diag("%s: %s", what, strerror(errno));
}

static void programs(unsigned int slot)
{
	unsigned int i;
	int kept[8];

	memset(kept, 0xff, sizeof(kept));
	for (i = 0;; i++) {
		struct gen g = any_program(i, slot);
		int fd = gen_load(&g, NULL);

		if (fd < 0 || gen_run(fd, 20))
			failed("a program of the churn");
		/* some live for a while, some for no time at all */
		if (i % 3) {
			close(fd);
		} else {
			close(kept[i / 3 % 8]);
			kept[i / 3 % 8] = fd;
		}
		atomic_fetch_add(&counts->programs, 1);
	}
}

static void trampolines(unsigned int slot)
{
	struct btf *vmlinux = btf__load_vmlinux_btf();
	unsigned int i;

	for (i = 0;; i++) {
		struct gen g = any_program(i, slot);
		char name[32];
		int fd, link;

		/* bpf_fentry_test1 to 6 are there for tests */
		snprintf(name, sizeof(name), "bpf_fentry_test%u", 1 + i % 6);
		g.type = BPF_PROG_TYPE_TRACING;
		g.expected = BPF_TRACE_FENTRY;
		g.attach_btf_id = btf__find_by_name_kind(vmlinux, name, BTF_KIND_FUNC);
		fd = gen_load(&g, NULL);
		link = fd < 0 ? -1 : bpf_raw_tracepoint_open(NULL, fd);
		if (link < 0)
			failed("a trampoline of the churn");
		close(link);
		close(fd);
		atomic_fetch_add(&counts->trampolines, 1);
	}
}

static void dispatched(unsigned int slot)
{
	unsigned int i;

	for (i = 0;; i++) {
		struct gen g = any_program(i, slot);
		int fd;

		g.type = BPF_PROG_TYPE_XDP;
		fd = gen_load(&g, NULL);
		if (fd < 0 || gen_run(fd, 50))
			failed("an XDP program of the churn");
		close(fd);
		atomic_fetch_add(&counts->dispatched, 1);
		usleep(20000);
	}
}

static void modules(unsigned int slot)
{
	(void)slot;
	for (;;) {
		if (system("modprobe " MODULE))
			failed("modprobe " MODULE);
		if (system("rmmod " MODULE))
			failed("rmmod " MODULE);
		atomic_fetch_add(&counts->modules, 1);
		usleep(30000);
	}
}

static void (*const churn[])(unsigned int slot) = {
	programs, programs, trampolines, dispatched, modules,
};
#define CHURNERS (sizeof(churn) / sizeof(churn[0]))
static pid_t churner[CHURNERS];

static void start_churn(void)
{
	size_t i;

	/* What they started is ours to wait for when they are gone, see end_churn(). */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		bail("PR_SET_CHILD_SUBREAPER: %s", strerror(errno));
	for (i = 0; i < CHURNERS; i++) {
		churner[i] = fork();
		if (churner[i] < 0)
			bail("fork: %s", strerror(errno));
		if (!churner[i]) {
			/* with what it starts, so that all can be ended */
			setpgid(0, 0);
			churn[i](i);
		}
		setpgid(churner[i], churner[i]);
	}
}

static unsigned int end_churn(void)
{
	unsigned int early = 0;
	int status;
	size_t i;

	for (i = 0; i < CHURNERS; i++) {
		early += waitpid(churner[i], &status, WNOHANG) != 0;
		kill(-churner[i], SIGKILL);
		/* An rmmod gets on with it: it must not meet the next round's. */
		while (waitpid(-churner[i], NULL, 0) > 0)
			;
	}
	return early;
}

/* --- two readers --- */

/**
 * struct reading - one of them
 * @stream: its reader
 * @slow_ms: how long it sleeps after each record that it takes
 * @thread: where it runs
 */
struct reading {
	struct stream stream;
	unsigned int slow_ms;
	pthread_t thread;
};

static void *read_all(void *arg)
{
	struct reading *r = arg;
	bool last;

	do {
		last = atomic_load(&stop_reading);
		while (stream_next(&r->stream, last ? 0 : 20))
			if (r->slow_ms && !atomic_load(&stop_reading))
				sleep_ms(r->slow_ms);
	} while (!last);
	return NULL;
}

static void start_reading(struct reading *r, unsigned int slow_ms)
{
	r->slow_ms = slow_ms;
	stream_open(&r->stream, ALL_TYPES, false);
	/* a slow one takes little at a time */
	r->stream.room = slow_ms ? 8192 : r->stream.room;
	if (pthread_create(&r->thread, NULL, read_all, r))
		bail("cannot start a thread");
}

static bool told_exactly(struct reading *r, const char *who, unsigned int round,
			 uint64_t unmade)
{
	struct stream *s = &r->stream;

	if (stream_exact(s) && s->records && s->unmade <= unmade)
		return true;
	diag("round %u, %s reader: %llu records, %llu lost, %llu made, %llu missing, %llu bad: %s", round,
	     who, (unsigned long long)s->records, (unsigned long long)s->lost,
	     (unsigned long long)(s->next - s->first), (unsigned long long)s->gaps,
	     (unsigned long long)s->bad, s->first_bad);
	return false;
}

/* --- what a round does besides --- */

static int old_fd;
static struct truth old_truth;

/* A program that is older than the module, which cannot find it by itself. */
static bool adopted(int dev)
{
	struct buildidx_adopt a = { .size = sizeof(a), .fd = old_fd }, again = a;
	struct buildidx_rec *r;
	const char *what;

	if (ioctl(dev, BUILDIDX_IOC_ADOPT, &a) || ioctl(dev, BUILDIDX_IOC_ADOPT, &again)) {
		diag("ADOPT: %s", strerror(errno));
		return false;
	}
	if (a.object != again.object || rec_by_object(dev, a.object, &r)) {
		diag("ADOPT: object %llu, then %llu", (unsigned long long)a.object,
		     (unsigned long long)again.object);
		return false;
	}
	what = truth_differs(&old_truth, (void *)r, true);
	if (!what && !(((struct buildidx_rec_bpf *)r)->flags & BUILDIDX_REC_ADOPTED))
		what = "flag ADOPTED";
	if (what)
		diag("adopted program: %s differs", what);
	free(r);
	return !what;
}

static int live(int dev, uint32_t id)
{
	struct buildidx_query_record q = {
		.by = BUILDIDX_BY_PROG_ID, .id = id, .flags = BUILDIDX_RECORDS_LIVE,
	};
	struct buildidx_rec *r;
	int err = rec_query(dev, &q, &r);

	free(r);
	return err;
}

/* A program that goes while nobody looks must not be told as if it were there. */
static bool switched_off_and_on(int dev)
{
	struct gen g = { .name = "before_off", .file = "/src/off.bpf.c", .line = 5, .funcs = 2 };
	struct truth t, after;
	bool good = true;
	int fd, err;

	fd = gen_load(&g, NULL);
	if (fd < 0 || truth_ask(&t, fd, -1))
		bail("loading %s", g.name);
	err = live(dev, t.info.id);
	if (err) {
		diag("a program just loaded is not live: %s", strerror(-err));
		good = false;
	}
	err = mod_enable("0");
	if (err) {
		diag("enable=0: %s", strerror(err));
		good = false;
	}
	close(fd);
	sleep_ms(100);
	err = mod_enable("1");
	if (err) {
		diag("enable=1: %s", strerror(err));
		good = false;
	}
	err = live(dev, t.info.id);
	if (err != -ENOENT) {
		diag("a program that went while hooks were off is told as live: %d", err);
		good = false;
	}
	snprintf(g.name, sizeof(g.name), "after_on");
	fd = gen_load(&g, NULL);
	if (fd < 0 || truth_ask(&after, fd, -1))
		bail("loading %s", g.name);
	err = live(dev, after.info.id);
	if (err) {
		diag("a program loaded after enable=1 has no record: %s", strerror(-err));
		good = false;
	}
	close(fd);
	truth_free(&t);
	truth_free(&after);
	return good;
}

/**
 * struct verdict - of all rounds
 * @lost: what the slow reader lost
 */
static struct {
	unsigned int loads, unloads, exact, adoptions, switches, switched;
	uint64_t records, lost, fast_lost, unmade;
} verdict;

static void one_round(unsigned int round, unsigned int seconds)
{
	static struct reading fast, slow;
	uint64_t until, unmade;
	int dev;

	if (mod_load(PARAMS))
		return;
	verdict.loads++;
	dev = dev_open();
	atomic_store(&stop_reading, false);
	start_reading(&fast, 0);
	start_reading(&slow, SLOW_MS);
	until = boottime() + seconds * 1000000000ULL;
	verdict.adoptions += adopted(dev);
	if (round % 2) {
		verdict.switches++;
		verdict.switched += switched_off_and_on(dev);
	}
	while (boottime() < until ||
	       (dev_counter(dev, BUILDIDX_CNT_EVENTS_DROPPED) < DROPPED &&
		boottime() < until + PATIENCE_S * 1000000000ULL))
		sleep_ms(50);
	atomic_store(&stop_reading, true);
	pthread_join(fast.thread, NULL);
	pthread_join(slow.thread, NULL);
	unmade = dev_counter(dev, BUILDIDX_CNT_EVENTS_LOST);
	verdict.exact += told_exactly(&fast, "fast", round, unmade) &&
			 told_exactly(&slow, "slow", round, unmade);
	verdict.records += fast.stream.records;
	verdict.fast_lost += fast.stream.lost;
	verdict.lost += slow.stream.lost;
	verdict.unmade += unmade;
	stream_close(&fast.stream);
	stream_close(&slow.stream);
	close(dev);
	verdict.unloads += mod_unload();
}

/* Does a program of ours still exist? Its number goes with its last reference. */
static unsigned int programs_left(void)
{
	struct bpf_prog_info info;
	uint32_t id = 0, len;
	unsigned int left = 0;
	int fd;

	while (!bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
		    (!strncmp(info.name, "churned_", 8) || !strcmp(info.name, "before_off") ||
		     !strcmp(info.name, "after_on")))
			left++;
		close(fd);
	}
	return left;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 4, i, early, left, tries;
	unsigned int seconds = argc > 2 ? strtoul(argv[2], NULL, 0) : 2;
	struct gen g = { .name = "older", .file = "/src/old.bpf.c", .line = 60, .funcs = 5 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	if (!mod_unload())
		bail("buildidx cannot be unloaded");
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	old_fd = gen_load(&g, NULL);
	if (old_fd < 0 || truth_ask(&old_truth, old_fd, -1))
		bail("loading %s", g.name);
	start_churn();
	for (i = 0; i < rounds; i++)
		one_round(i, seconds);
	early = end_churn();
	close(old_fd);
	diag("churn: %u programs, %u trampolines, %u dispatched, %u modules", counts->programs,
	     counts->trampolines, counts->dispatched, counts->modules);
	diag("%llu records to the fast reader, which lost %llu, the slow one %llu; not made %llu",
	     (unsigned long long)verdict.records, (unsigned long long)verdict.fast_lost,
	     (unsigned long long)verdict.lost, (unsigned long long)verdict.unmade);
	ok(!early && !counts->failed && counts->programs && counts->trampolines &&
	   counts->dispatched && counts->modules,
	   "the churn went on all along, modules could always be unloaded: %u failures, %u ended",
	   counts->failed, early);
	ok(verdict.loads == rounds && verdict.unloads == rounds, "loaded %u times, unloaded %u times",
	   verdict.loads, verdict.unloads);
	ok(verdict.exact == rounds,
	   "each record came or was told of as lost, to both readers: %u of %u rounds",
	   verdict.exact, rounds);
	ok(verdict.lost, "the slow reader lost some: %llu", (unsigned long long)verdict.lost);
	ok(verdict.adoptions == rounds, "a program older than the module was adopted: %u of %u rounds",
	   verdict.adoptions, rounds);
	ok(verdict.switches && verdict.switched == verdict.switches,
	   "enable=0 and 1: what went meanwhile is not live, what comes is: %u of %u", verdict.switched,
	   verdict.switches);
	/* those on the way out wait for a grace period */
	for (tries = 0; (left = programs_left()) && tries < 50; tries++)
		sleep_ms(100);
	ok(!left, "no program is held: %u left", left);
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
