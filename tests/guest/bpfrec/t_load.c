// SPDX-License-Identifier: GPL-2.0
/*
 * t_load: who loads a program and how, who drops it and how (cases B4 and B5), and what
 * may be asked about it afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "rec.h"
#include "truth.h"
#include "who.h"
#include "light.lskel.h"

#define PATIENCE_MS	5000

static int dev;
static struct stream reader;

/* --- what comes in the stream --- */

static void *copy_of(const struct buildidx_rec *r)
{
	void *copy = malloc(r->size);

	if (!copy)
		bail("no memory");
	return memcpy(copy, r, r->size);
}

/* The record of the next program with that name; NULL when none comes. For free(). */
static struct buildidx_rec_bpf *await_load(const char *name)
{
	const struct buildidx_rec *r;

	while ((r = stream_next(&reader, PATIENCE_MS))) {
		const struct buildidx_rec_bpf *b = (const void *)r;

		if (r->type == BUILDIDX_REC_BPF_LOAD && !strcmp(rec_text(b, b->name), name))
			return copy_of(r);
	}
	return NULL;
}

static struct buildidx_rec_bpf_unload *await_unload(const struct buildidx_rec_bpf *b)
{
	const struct buildidx_rec *r;

	while (b && (r = stream_next(&reader, PATIENCE_MS))) {
		const struct buildidx_rec_bpf_unload *u = (const void *)r;

		if (r->type == BUILDIDX_REC_BPF_UNLOAD && u->object == b->object)
			return copy_of(r);
	}
	return NULL;
}

static const char *show_who(const struct buildidx_rec_bpf *b)
{
	static char text[160];

	if (!b)
		return "no record";
	snprintf(text, sizeof(text), "pid %u tid %u uid %u comm %.15s flags %#x", b->pid, b->tid,
		 b->uid, b->comm, b->flags);
	return text;
}

static bool loader_is(const struct buildidx_rec_bpf *b, pid_t pid, pid_t tid, uid_t uid,
		      const char *comm)
{
	return b && b->pid == (uint32_t)pid && b->tid == (uint32_t)tid && b->uid == uid &&
	       !strcmp((const char *)b->comm, comm);
}

static struct gen simple(const char *name)
{
	struct gen g = { .file = "/src/load.bpf.c", .line = 20, .funcs = 2, .loops = 3 };

	snprintf(g.name, sizeof(g.name), "%s", name);
	return g;
}

static int must_load(const struct gen *g)
{
	int fd = gen_load(g, NULL);

	if (fd < 0)
		bail("loading %s: %s", g->name, strerror(-fd));
	return fd;
}

static pid_t must_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	return pid;
}

/* --- users, threads, namespaces --- */

static void another_user(uid_t uid)
{
	struct buildidx_rec_bpf_unload *u;
	struct buildidx_rec_bpf *b;
	struct gen g = simple("by_a_user");
	pid_t pid = must_fork();

	if (!pid) {
		prctl(PR_SET_NAME, "user's loader");
		/* without CAP_PERFMON the verifier takes every branch that speculation might */
		if (become(uid, 1ULL << CAP_BPF | 1ULL << CAP_PERFMON))
			_exit(1);
		_exit(gen_load(&g, NULL) < 0);
	}
	reap(pid, "a loader of another user");
	b = await_load(g.name);
	if (!ok(loader_is(b, pid, pid, uid, "user's loader"), "loaded by user %u: pid, uid, comm", uid))
		diag("wanted pid %d, got %s", pid, show_who(b));
	u = await_unload(b);
	if (!ok(u && (!u->unload_pid || u->unload_pid == (uint32_t)pid),
		"dropped by its exit: told as that process, or as not known"))
		diag("unload pid %u, wanted %d", u ? u->unload_pid : 0, pid);
	free(b);
	free(u);
}

static void *thread_main(void *arg)
{
	struct gen g = simple("by_a_thread");

	prctl(PR_SET_NAME, "loading thread");
	*(pid_t *)arg = syscall(SYS_gettid);
	close(must_load(&g));
	return NULL;
}

static void a_thread(void)
{
	struct buildidx_rec_bpf_unload *u;
	struct buildidx_rec_bpf *b;
	pthread_t thread;
	pid_t tid = 0;

	if (pthread_create(&thread, NULL, thread_main, &tid))
		bail("cannot start a thread");
	pthread_join(thread, NULL);
	b = await_load("by_a_thread");
	if (!ok(loader_is(b, getpid(), tid, 0, "loading thread"), "loaded by a thread: pid, tid, comm"))
		diag("wanted %d %d, got %s", getpid(), tid, show_who(b));
	u = await_unload(b);
	if (!ok(u && u->unload_pid == (uint32_t)getpid() && u->unload_tid == (uint32_t)tid &&
		!strcmp((const char *)u->unload_comm, "loading thread"),
		"closed by a thread: its process, number and name"))
		diag("%u %u %.15s", u ? u->unload_pid : 0, u ? u->unload_tid : 0,
		     u ? (const char *)u->unload_comm : "");
	free(b);
	free(u);
}

static int in_namespace(void *unused)
{
	struct gen g = simple("by_a_namespace");

	(void)unused;
	return getpid() != 1 || gen_load(&g, NULL) < 0;
}

static void a_namespace(void)
{
	static char stack[256 << 10] __attribute__((aligned(16)));
	struct buildidx_rec_bpf *b;
	pid_t pid;

	pid = clone(in_namespace, stack + sizeof(stack), CLONE_NEWPID | SIGCHLD, NULL);
	reap(pid, "a loader in a pid namespace");
	b = await_load("by_a_namespace");
	if (!ok(b && b->pid == (uint32_t)pid && b->tid == (uint32_t)pid,
		"loaded in a pid namespace: the pid of the initial one"))
		diag("wanted %d, got %s", pid, show_who(b));
	free(b);
}

/* --- references that are handed on --- */

static void handed_on(void)
{
	struct buildidx_rec_bpf_unload *u;
	struct buildidx_rec_bpf *b;
	struct gen g = simple("handed_on");
	int fd = must_load(&g), start[2];
	pid_t pid;
	char byte;

	b = await_load(g.name);
	if (pipe(start))
		bail("pipe: %s", strerror(errno));
	pid = must_fork();
	if (!pid) {
		prctl(PR_SET_NAME, "last user");
		close(start[1]);
		if (read(start[0], &byte, 1) != 1)
			_exit(1);
		close(fd);
		_exit(0);
	}
	close(fd);
	if (write(start[1], "x", 1) != 1)
		bail("pipe: %s", strerror(errno));
	reap(pid, "the last user");
	u = await_unload(b);
	if (!ok(u && u->unload_pid == (uint32_t)pid && !strcmp((const char *)u->unload_comm, "last user"),
		"closed last by another process: that is told"))
		diag("wanted %d, got %u", pid, u ? u->unload_pid : 0);
	free(b);
	free(u);
	close(start[0]);
	close(start[1]);
}

static bool is_kernel_thread(uint32_t pid)
{
	char path[32], link[8];

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return readlink(path, link, sizeof(link)) < 0 && errno == ENOENT && !kill(pid, 0);
}

/* The socket's filter is freed by RCU, in softirq: on top of any process. */
static void freed_later(void)
{
	struct buildidx_rec_bpf_unload *u;
	struct buildidx_rec_bpf *b;
	struct gen g = simple("on_a_socket");
	int fd = must_load(&g), pair[2];

	b = await_load(g.name);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) ||
	    setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd)))
		bail("attaching to a socket: %s", strerror(errno));
	close(fd);
	close(pair[0]);
	close(pair[1]);
	u = await_unload(b);
	if (!ok(u && (!u->unload_pid || is_kernel_thread(u->unload_pid)),
		"freed in the kernel's own time: no process is blamed"))
		diag("unload pid %u comm %.15s", u ? u->unload_pid : 0,
		     u ? (const char *)u->unload_comm : "");
	free(b);
	free(u);
}

/* --- loaders that are gone --- */

static void gone_at_once(void)
{
	unsigned int i, good = 0;
	pid_t pid[20];

	for (i = 0; i < 20; i++) {
		struct gen g = simple("gone_at_once");

		pid[i] = must_fork();
		if (!pid[i]) {
			int fd = gen_load(&g, NULL);

			_exit(fd < 0);
		}
	}
	for (i = 0; i < 20; i++)
		reap(pid[i], "a loader that exits at once");
	for (i = 0; i < 20; i++) {
		struct buildidx_rec_bpf *b = await_load("gone_at_once");
		unsigned int k;

		for (k = 0; b && k < 20; k++)
			good += b->pid == (uint32_t)pid[k] && rec_funcs(b) == 2 && rec_lines(b) == 8;
		free(b);
	}
	ok(good == 20, "20 loaders that exit at once: %u whole records", good);
}

struct killed {
	atomic_uint begun;
	atomic_uint done;
};

static void killed_meanwhile(void)
{
	struct killed *k = mmap(NULL, sizeof(*k), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				-1, 0);
	unsigned int round, missing = 0, cut = 0, seen, total = 0;
	const struct buildidx_rec *r;
	char name[32];

	if (k == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	for (round = 0; round < 10; round++) {
		pid_t pid;

		atomic_store(&k->done, 0);
		atomic_store(&k->begun, 0);
		pid = must_fork();
		if (!pid) {
			struct gen g = simple("killed");

			for (;;) {
				int fd;

				atomic_fetch_add(&k->begun, 1);
				fd = gen_load(&g, NULL);
				atomic_fetch_add(&k->done, 1);
				close(fd);
			}
		}
		while (atomic_load(&k->begun) < 3 + round)
			usleep(300);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		/* the mark behind all that it loaded */
		snprintf(name, sizeof(name), "mark_%u", round);
		{
			struct gen g = simple(name);

			close(must_load(&g));
		}
		for (seen = 0; (r = stream_next(&reader, PATIENCE_MS)); ) {
			const struct buildidx_rec_bpf *b = (const void *)r;

			if (r->type != BUILDIDX_REC_BPF_LOAD)
				continue;
			if (!strcmp(rec_text(b, b->name), name))
				break;
			if (strcmp(rec_text(b, b->name), "killed") || b->pid != (uint32_t)pid)
				continue;
			seen++;
			cut += rec_funcs(b) != 2 || rec_lines(b) != 8 || b->flags & BUILDIDX_REC_CUT;
		}
		total += seen;
		if (seen < atomic_load(&k->done) || seen > atomic_load(&k->begun))
			missing++;
	}
	if (!ok(total && !missing && !cut, "loaders that are killed: what they loaded is recorded"))
		diag("%u programs, %u rounds with a wrong number of records, %u records cut", total,
		     missing, cut);
	munmap(k, sizeof(*k));
}

/* --- B4: the last reference may go before the loader has returned from bpf(2) --- */

static atomic_bool stop_closing;
static int closed_from;

static void *closer(void *unused)
{
	while (!atomic_load(&stop_closing)) {
		int i;

		for (i = 0; i < 6; i++)
			close(closed_from + i);
	}
	return unused;
}

static int racing_main(unsigned int count)
{
	unsigned int i, loaded = 0;
	pthread_t thread[2];

	/* Nothing of this process but what it loads has descriptors from here on. */
	closed_from = 100;
	for (i = 0; i < 100; i++)
		if (fcntl(i, F_GETFD) < 0 && dup2(0, i) < 0)
			return 1;
	for (i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, closer, NULL))
			return 1;
	for (i = 0; i < count; i++) {
		struct gen g = simple("raced");

		g.no_btf = true; /* its descriptor would be closed, too */
		loaded += gen_load(&g, NULL) >= 0;
	}
	atomic_store(&stop_closing, true);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return loaded == count ? 0 : 2;
}

static void raced(void)
{
	const unsigned int count = 300;
	unsigned int seen = 0, cut = 0, unloaded = 0;
	const struct buildidx_rec *r;
	struct gen mark = simple("after_the_race");
	pid_t pid = must_fork();

	if (!pid)
		_exit(racing_main(count));
	reap(pid, "the race of load and close");
	close(must_load(&mark));
	while ((r = stream_next(&reader, PATIENCE_MS))) {
		const struct buildidx_rec_bpf_unload *u = (const void *)r;
		const struct buildidx_rec_bpf *b = (const void *)r;

		if (r->type == BUILDIDX_REC_BPF_UNLOAD)
			unloaded += u->rec.time >= u->load_time;
		if (r->type != BUILDIDX_REC_BPF_LOAD)
			continue;
		if (!strcmp(rec_text(b, b->name), mark.name))
			break;
		if (strcmp(rec_text(b, b->name), "raced") || b->pid != (uint32_t)pid)
			continue;
		seen++;
		cut += rec_funcs(b) != 2 || !b->image.len || b->flags & BUILDIDX_REC_CUT;
	}
	if (!ok(seen == count && !cut && unloaded >= count,
		"B4: closed by others while bpf(2) is at it: %u of %u whole records", seen - cut, count))
		diag("%u cut, %u unloads", cut, unloaded);
}

/* --- how it is loaded --- */

static void light_skeleton(void)
{
	struct light_bpf *skel = light_bpf__open_and_load();
	struct buildidx_rec_bpf *b;
	struct truth t;
	const char *what;
	int err;

	if (!skel)
		bail("the light skeleton does not load: %s", strerror(errno));
	err = truth_ask(&t, skel->progs.light_program.prog_fd, -1);
	if (err)
		bail("asking about the light skeleton's program: %s", strerror(-err));
	b = await_load("light_program");
	what = b ? truth_differs(&t, b, true) : "no record";
	if (!ok(!what && rec_funcs(b) == 2, "loaded by a BPF program (light skeleton): whole record"))
		diag("%s; %s", what ? what : "functions", show_who(b));
	light_bpf__destroy(skel);
	truth_free(&t);
	free(b);
}

static void attach_target(void)
{
	struct gen g = simple("on_a_function");
	struct btf *vmlinux = btf__load_vmlinux_btf();
	struct buildidx_rec_bpf *b;
	int fd, id;

	id = vmlinux ? btf__find_by_name_kind(vmlinux, "bpf_fentry_test1", BTF_KIND_FUNC) : -1;
	if (id < 0)
		bail("bpf_fentry_test1 is not in the kernel's BTF");
	g.type = BPF_PROG_TYPE_TRACING;
	g.expected = BPF_TRACE_FENTRY;
	g.attach_btf_id = id;
	fd = must_load(&g);
	b = await_load(g.name);
	if (!ok(b && b->prog_type == g.type && b->attach_type == g.expected &&
		b->attach_btf_id == (uint32_t)id &&
		!strcmp(rec_text(b, b->attach_name), "bpf_fentry_test1"),
		"what it is loaded to attach to: type, number and name"))
		diag("type %u attach type %u target %u %s", b ? b->prog_type : 0,
		     b ? b->attach_type : 0, b ? b->attach_btf_id : 0,
		     b ? rec_text(b, b->attach_name) : "");
	close(fd);
	free(b);
	btf__free(vmlinux);
}

/* --- what may be asked --- */

/* @r is looked at, and freed, once @err is known: it is what the call for @err set. */
static bool is_record_of(int err, struct buildidx_rec **r, const struct truth *t)
{
	bool same = !err && (*r)->type == BUILDIDX_REC_BPF_LOAD &&
		    !truth_differs(t, (void *)*r, true);

	free(*r);
	return same;
}

static int by_prog_flags(uint32_t id, uint32_t flags)
{
	struct buildidx_query_record q = { .by = BUILDIDX_BY_PROG_ID, .id = id, .flags = flags };
	struct buildidx_rec *r;
	int err = rec_query(dev, &q, &r);

	free(r);
	return err;
}

struct search {
	uint64_t object;
	unsigned int found;
	uint64_t last;
	unsigned int disorder;
};

static void search(const struct buildidx_rec *r, void *arg)
{
	const struct buildidx_rec_bpf *b = (const void *)r;
	struct search *s = arg;

	s->disorder += b->object <= s->last;
	s->last = b->object;
	s->found += r->type == BUILDIDX_REC_BPF_LOAD && b->object == s->object;
}

static void questions(void)
{
	struct gen g = simple("asked_about");
	struct search s = { 0 };
	uint8_t id[BUILDIDX_BPF_ID_LEN];
	struct buildidx_rec_bpf *b;
	struct buildidx_rec *r;
	uint64_t before, after;
	unsigned int i, good;
	struct truth t;
	int fd, err;
	long n;

	g.funcs = 3;
	before = boottime();
	fd = must_load(&g);
	err = truth_ask(&t, fd, -1);
	if (err)
		bail("asking about %s: %s", g.name, strerror(-err));
	truth_build_id(&t, id);
	b = await_load(g.name);
	if (!b)
		bail("no record of %s", g.name);

	ok(is_record_of(rec_by_prog(dev, t.info.id, &r), &r, &t), "live, by number of the program");
	ok(is_record_of(rec_by_object(dev, b->object, &r), &r, &t), "live, by number of the record");
	ok(is_record_of(rec_by_build_id(dev, id, sizeof(id), &r), &r, &t), "live, by build ID");
	for (i = good = 0; i < t.nr_funcs; i++) {
		good += is_record_of(rec_by_address(dev, t.addr[i], 0, &r), &r, &t);
		good += is_record_of(rec_by_address(dev, t.addr[i] + t.len[i] - 1, boottime(), &r), &r, &t);
	}
	ok(good == 2 * t.nr_funcs, "live, by the first and last address of each function: %u of %u",
	   good, 2 * t.nr_funcs);
	err = rec_by_address(dev, t.addr[0], before, &r);
	ok(err || ((struct buildidx_rec_bpf *)r)->object != b->object,
	   "by address, at a time before it was loaded: not this one");
	free(r);
	ok(!by_prog_flags(t.info.id, BUILDIDX_RECORDS_LIVE) &&
	   by_prog_flags(t.info.id, BUILDIDX_RECORDS_GONE) == -ENOENT, "live: is among the live only");
	s.object = b->object;
	n = rec_dump(dev, BUILDIDX_RECORDS_LIVE, 0, search, &s);
	ok(n > 0 && s.found == 1 && !s.disorder, "dump of what is live: %ld records, it is there once", n);

	close(fd);
	free(await_unload(b));
	after = boottime();
	err = rec_by_object(dev, b->object, &r);
	ok(!err && ((struct buildidx_rec_bpf *)r)->flags & BUILDIDX_REC_GONE &&
	   ((struct buildidx_rec_bpf *)r)->unload_time > t.info.load_time &&
	   ((struct buildidx_rec_bpf *)r)->unload_time <= after &&
	   ((struct buildidx_rec_bpf *)r)->unload_pid == (uint32_t)getpid(),
	   "gone: when, and by whom");
	ok(is_record_of(err, &r, &t), "gone, by number of the record");
	ok(is_record_of(rec_by_prog(dev, t.info.id, &r), &r, &t), "gone, by number of the program");
	ok(is_record_of(rec_by_build_id(dev, id, sizeof(id), &r), &r, &t), "gone, by build ID");
	for (i = good = 0; i < t.nr_funcs; i++)
		good += is_record_of(rec_by_address(dev, t.addr[i] + 1, t.info.load_time + 1, &r), &r, &t);
	ok(good == t.nr_funcs, "gone, by address and time: %u of %u functions", good, t.nr_funcs);
	ok(by_prog_flags(t.info.id, BUILDIDX_RECORDS_LIVE) == -ENOENT &&
	   !by_prog_flags(t.info.id, BUILDIDX_RECORDS_GONE), "gone: is among the gone only");
	s = (struct search) { .object = b->object };
	n = rec_dump(dev, BUILDIDX_RECORDS_GONE, TYPE(BPF_LOAD), search, &s);
	ok(n > 0 && s.found == 1 && !s.disorder, "dump of what is gone: %ld records, it is there once", n);
	truth_free(&t);
	free(b);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	stream_open(&reader, ALL_TYPES & ~TYPE(OBJECT) & ~TYPE(MAP), false);
	another_user(1234);
	another_user(4000000000U);
	a_thread();
	a_namespace();
	handed_on();
	freed_later();
	gone_at_once();
	killed_meanwhile();
	raced();
	light_skeleton();
	attach_target();
	questions();
	if (!ok(!reader.bad && !reader.lost, "the stream was whole: %llu bad, %llu lost",
		(unsigned long long)reader.bad, (unsigned long long)reader.lost))
		diag("%s", reader.first_bad);
	stream_close(&reader);
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
