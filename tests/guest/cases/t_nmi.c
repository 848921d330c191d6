// SPDX-License-Identifier: GPL-2.0
/*
 * t_nmi: cases M1 to M6, W7 and W8 by kfunc in true NMI context, with the stock
 * helper's answer to the same stack next to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "maps.h"
#include "minielf.h"
#include "nmi_user.h"
#include "tap.h"
#include "testfs.h"
#include "victim.h"

#define ID_LEN		20
#define FAR_TEXT	(2UL << 20) /* far from the headers, whatever the folio size */
#define PRIVATE_DIR	TESTFS_ROOT "/private"

static int dev;
static bool rt;

/* What the samples of one run say, frame by frame. */
struct tally {
	unsigned int samples;
	unsigned int frames;	/* in a file-backed mapping of the victim */
	unsigned int stock;	/* of those, answered by the stock helper */
	unsigned int rich;	/* of those, right by bpf_buildidx_frames() */
	unsigned int dropin;	/* of those, right by bpf_buildidx_stack_build_id() */
	unsigned int wrong;	/* an ID or offset that is not the truth */
	unsigned int unexplained; /* not file-backed, and the status does not say why */
	char first_bad[700];
};

/* What a victim executes from: one file with one ID. */
struct truth {
	const uint8_t *id;
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* of @start */
};

static void note_bad(struct tally *t, const char *what, const struct nmi_sample *s, int i)
{
	if (!t->first_bad[0])
		snprintf(t->first_bad, sizeof(t->first_bad), "%s: frame %d of %d: %s", what, i,
			 s->ips_ret / 8, show_frame(0, &s->frames[i]));
}

static bool stack_id_is(const struct bpf_stack_build_id *b, const struct truth *truth, uint64_t ip)
{
	return b->status == BPF_STACK_BUILD_ID_VALID && !memcmp(b->build_id, truth->id, ID_LEN) &&
	       b->offset == ip - truth->start + truth->offset;
}

static void judge_file_frame(struct tally *t, const struct nmi_sample *s, int i,
			     const struct truth *truth)
{
	const struct buildidx_frame *f = &s->frames[i];
	uint64_t ip = s->ips[i];

	t->frames++;
	if (s->stock_ret > 0 && s->stock[i].status == BPF_STACK_BUILD_ID_VALID) {
		t->stock++;
		if (!stack_id_is(&s->stock[i], truth, ip))
			diag("the stock helper is wrong: %s, truth %s",
			     hex(s->stock[i].build_id, ID_LEN), hex(truth->id, ID_LEN));
	}
	if (frame_is(0, f, truth->id, ID_LEN) && f->ip == ip &&
	    f->offset == ip - truth->start + truth->offset) {
		t->rich++;
	} else {
		if (f->id_len || f->status == BUILDIDX_STATUS_OK)
			t->wrong++;
		note_bad(t, "bpf_buildidx_frames", s, i);
	}
	if (stack_id_is(&s->dropin[i], truth, ip)) {
		t->dropin++;
	} else {
		if (s->dropin[i].status == BPF_STACK_BUILD_ID_VALID)
			t->wrong++;
		note_bad(t, "bpf_buildidx_stack_build_id", s, i);
	}
}

/* A frame pointer chain that runs out of the program's own text. */
static void judge_other_frame(struct tally *t, const struct nmi_sample *s, int i)
{
	switch (s->frames[i].status) {
	case BUILDIDX_STATUS_NO_MAPPING:
	case BUILDIDX_STATUS_ANON:
	case BUILDIDX_STATUS_KERNEL:
	case BUILDIDX_STATUS_SPECIAL:
		if (s->dropin[i].status == BPF_STACK_BUILD_ID_IP)
			return;
	}
	t->unexplained++;
	note_bad(t, "not in the victim's file", s, i);
}

static void judge(struct tally *t, unsigned int samples, const struct truth *truth)
{
	struct nmi_sample s;
	unsigned int n;
	int i;

	memset(t, 0, sizeof(*t));
	for (n = 0; n < samples; n++) {
		nmi_get(n, &s);
		t->samples++;
		if (s.frames_ret != NMI_DEPTH || s.dropin_ret != NMI_DEPTH) {
			t->unexplained++;
			note_bad(t, "return value", &s, 0);
			diag("kfuncs returned %d and %d", s.frames_ret, s.dropin_ret);
			continue;
		}
		for (i = 0; i < s.ips_ret / 8; i++) {
			if (s.ips[i] >= truth->start && s.ips[i] < truth->end)
				judge_file_frame(t, &s, i, truth);
			else if (s.ips[i])
				judge_other_frame(t, &s, i);
		}
	}
}

static void all_answered(const struct tally *t, unsigned int want, const char *what)
{
	if (!ok(t->samples >= want && t->frames >= t->samples && t->rich == t->frames &&
		t->dropin == t->frames && !t->wrong && !t->unexplained,
		"%s: every file-backed frame has its ID and offset", what) && t->first_bad[0])
		diag("%s", t->first_bad);
	diag("%s: nmi=%u frames=%u stock=%u buildidx=%u dropin=%u wrong=%u unexplained=%u", what,
	     t->samples, t->frames, t->stock, t->rich, t->dropin, t->wrong, t->unexplained);
}

/* --- victims --- */

struct victim {
	pid_t pid;
	struct truth truth;
};

/* Run a program on the sampled CPU; with @mode, wait for its byte on stdout. */
static pid_t spawn(const char *path, const char *mode, bool any_cpu)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		cpu_set_t all;

		memset(&all, 0xff, sizeof(all));
		if (any_cpu)
			sched_setaffinity(0, sizeof(all), &all);
		else
			pin_to_cpu(0, NMI_CPU_TARGET);
		dup2(ready[1], 1);
		close(ready[0]);
		close(ready[1]);
		execl(path, path, mode, NULL);
		_exit(127);
	}
	close(ready[1]);
	/* A small ELF says nothing: its end of the pipe closes only when it dies. */
	if (mode && read(ready[0], &byte, 1) != 1)
		bail("%s %s did not start", path, mode);
	close(ready[0]);
	return pid;
}

/* Until the process has left the program that forked it. */
static const struct map *await_text(pid_t pid, const char *path, struct maps *m)
{
	size_t i;
	int tries;

	for (tries = 0; tries < 500; tries++) {
		maps_read(pid, m);
		for (i = 0; i < m->count; i++)
			if (!strcmp(m->map[i].path, path) && m->map[i].perms[2] == 'x')
				return &m->map[i];
		sleep_ms(10);
	}
	bail("%s was not executed", path);
}

/*
 * Until a sample shows that it has run in its own text. At its first byte it may still
 * be in exec: the address is set before the process leaves the kernel.
 */
static void await_running(pid_t pid, const struct truth *truth)
{
	struct nmi_sample s;
	int tries;

	for (tries = 0; tries < 200; tries++) {
		if (nmi_sample(pid, 1, 0) != 1)
			break;
		nmi_get(0, &s);
		if (s.ips[0] > truth->start && s.ips[0] < truth->end)
			return;
	}
	bail("process %d does not run on CPU %d", pid, NMI_CPU_TARGET);
}

static void start_victim(struct victim *v, const char *path, const char *mode, bool any_cpu,
			 const uint8_t *id)
{
	const struct map *text;
	struct maps m;

	v->pid = spawn(path, mode, any_cpu);
	text = await_text(v->pid, path, &m);
	v->truth = (struct truth) {
		.id = id, .start = text->start, .end = text->end, .offset = text->offset,
	};
	await_running(v->pid, &v->truth);
}

static void end_victim(const struct victim *v)
{
	kill(v->pid, SIGKILL);
	waitpid(v->pid, NULL, 0);
}

/* Is the first page of the file in the page cache? */
static bool first_page_resident(const char *path)
{
	unsigned char resident = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED || mincore(at, 4096, &resident))
		bail("mincore of %s: %s", path, strerror(errno));
	munmap(at, 4096);
	close(fd);
	return resident & 1;
}

static void read_first_page(const char *path)
{
	char page[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, page, sizeof(page)) != sizeof(page))
		bail("%s: %s", path, strerror(errno));
	close(fd);
}

static bool make_cold(const char *path)
{
	int tries;

	for (tries = 0; tries < 20; tries++) {
		drop_caches(3);
		if (!first_page_resident(path))
			return true;
		sleep_ms(50);
	}
	return false;
}

/* --- M1, M2, M4 --- */

static void warm_and_cold(struct victim *v, const char *path, const char *name)
{
	const unsigned int want = 100;
	struct tally t;
	char what[64];
	bool cold;

	read_first_page(path);
	judge(&t, nmi_sample(v->pid, want, 0), &v->truth);
	snprintf(what, sizeof(what), "%s, note in the page cache", name);
	all_answered(&t, want, what);
	if (rt)
		ok(!t.stock, "M4: PREEMPT_RT: with interrupts off the stock helper answers none of %u",
		   t.frames);
	else
		ok(t.stock, "%s: control: warm, the stock helper answers %u of %u", name, t.stock,
		   t.frames);

	cold = make_cold(path);
	ok(cold, "%s: the page of the note is out of the page cache (mincore)", name);
	judge(&t, nmi_sample(v->pid, want, 0), &v->truth);
	snprintf(what, sizeof(what), "%s, note paged out", name);
	all_answered(&t, want, what);
	ok(!t.stock && t.frames, "%s: paged out, the stock helper answers none of %u", name, t.frames);
	ok(!first_page_resident(path), "%s: sampling did not read the page in", name);
}

static void m1_cold_note(void)
{
	const char *path = TESTFS_ROOT "/ext4/cold";
	struct minielf m = { .gnu_len = ID_LEN, .text_off = FAR_TEXT };
	uint8_t id[ID_LEN];
	struct victim v;

	unique_id(id);
	m.gnu = id;
	minielf_create(path, &m);
	start_victim(&v, path, NULL, false, id);
	warm_and_cold(&v, path, "M1");
	end_victim(&v);
	unlink(path);
}

static void m2_selftest(void)
{
	const char *path = TESTFS_ROOT "/ext4/victim";
	struct victim v;

	copy_file(program_file("victim"), path);
	start_victim(&v, path, "paged", false, (const uint8_t *)VICTIM_ID);
	warm_and_cold(&v, path, "M2");
	end_victim(&v);
	unlink(path);
}

/* --- M3 --- */

static void m3_contention(void)
{
	const unsigned int want = 300;
	const char *path = TESTFS_ROOT "/ext4/churning";
	struct victim v;
	struct tally t;

	copy_file(program_file("victim"), path);
	start_victim(&v, path, "churn", true, (const uint8_t *)VICTIM_ID);
	judge(&t, nmi_sample(v.pid, want, 0), &v.truth);
	all_answered(&t, want, "M3, mmap_lock contended");
	ok(t.stock < t.frames, "M3: control: there was contention, the stock helper missed %u of %u",
	   t.frames - t.stock, t.frames);
	end_victim(&v);
	unlink(path);
}

/* --- M5 --- */

static void m5_short_lived(void)
{
	const unsigned int rounds = 20;
	unsigned int i, right = 0, sampled = 0, killed = 0;
	char path[128], bad[700] = "";
	struct nmi_sample s;

	for (i = 0; i < rounds; i++) {
		struct buildidx_frame f;
		uint8_t id[ID_LEN];
		struct victim v;
		int status, err;

		unique_id(id);
		snprintf(path, sizeof(path), TESTFS_ROOT "/tmpfs/short%u", i);
		minielf_simple(path, id);
		start_victim(&v, path, NULL, false, id);
		if (nmi_sample(v.pid, 1, SIGKILL) != 1) {
			end_victim(&v);
			continue;
		}
		sampled++;
		waitpid(v.pid, &status, 0);
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		unlink(path);
		/* Process and file are gone; what the sample holds is all that is left. */
		err = dev_addr64(dev, v.pid, MINIELF_VADDR + MINIELF_TEXT, &f);
		nmi_get(0, &s);
		if (err == -ESRCH && frame_is(0, &s.frames[0], id, ID_LEN) &&
		    s.frames[0].offset - MINIELF_TEXT < MINIELF_CODE_SIZE &&
		    s.frames[0].offset == s.ips[0] - MINIELF_VADDR)
			right++;
		else
			snprintf(bad, sizeof(bad), "process gone: errno %d; wanted %s, sample: %s",
				 -err, hex(id, ID_LEN), show_frame(0, &s.frames[0]));
	}
	if (!ok(sampled == rounds && killed == rounds && right == rounds,
		"M5: %u of %u processes that died of their sample are known by it", right, rounds))
		diag("sampled %u, killed by the sample %u, right %u; %s", sampled, killed, right, bad);
}

/* --- M6 --- */

/* In new mount and pid namespaces: a file system nobody else sees, and a file without a name. */
static int private_main(void *arg)
{
	const uint8_t *id = arg;
	const char *path = PRIVATE_DIR "/hidden";
	int fd;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("private", PRIVATE_DIR, "tmpfs", 0, NULL))
		return 1;
	minielf_simple(path, id);
	pin_to_cpu(0, NMI_CPU_TARGET);
	/* Executed through a descriptor after its name is gone. */
	fd = open(path, O_RDONLY);
	if (fd < 0 || unlink(path))
		return 2;
	fexecve(fd, (char *[]){ "hidden", NULL }, (char *[]){ NULL });
	return 3;
}

static void m6_hidden(void)
{
	const unsigned int want = 50;
	static char stack[1 << 16] __attribute__((aligned(16)));
	struct truth truth = {
		.start = MINIELF_VADDR + MINIELF_TEXT, .end = MINIELF_VADDR + MINIELF_TEXT + 4096,
		.offset = MINIELF_TEXT,
	};
	uint8_t id[ID_LEN];
	const struct map *text = NULL;
	struct maps m;
	struct tally t;
	int tries, status = 0;
	pid_t pid;

	make_dirs(PRIVATE_DIR);
	unique_id(id);
	truth.id = id;
	pid = clone(private_main, stack + sizeof(stack), CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, id);
	if (pid < 0)
		bail("clone with new namespaces: %s", strerror(errno));
	for (tries = 0; tries < 500; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			bail("M6: the victim ended with status %#x", status);
		maps_read(pid, &m);
		text = maps_find(&m, truth.start);
		if (text && strstr(text->path, "/hidden (deleted)"))
			break;
		text = NULL;
		sleep_ms(10);
	}
	ok(text, "M6: the victim runs a deleted file of another mount and pid namespace");
	ok(access(PRIVATE_DIR "/hidden", F_OK) && errno == ENOENT,
	   "M6: its file has no path here");
	await_running(pid, &truth);
	judge(&t, nmi_sample(pid, want, 0), &truth);
	all_answered(&t, want, "M6, deleted, in other namespaces");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- addresses that are not the stack --- */

struct probe {
	const char *what;
	uint64_t addr;
	unsigned int status;
	const uint8_t *id; /* with OK */
	uint64_t offset;
};

static char *map_or_bail(void *at, size_t len, int prot, int flags, int fd)
{
	char *m = mmap(at, len, prot, flags, fd, 0);

	if (m == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	return m;
}

static void probes(void)
{
	const char *path = TESTFS_ROOT "/tmpfs/probe";
	uint8_t id[ID_LEN], memfd_id[ID_LEN];
	struct minielf m = { .gnu = memfd_id, .gnu_len = ID_LEN };
	char *area, *text, *copy, *anon, *moved, *memfd_text;
	uint64_t address[NMI_PROBES];
	const struct map *vvar;
	struct nmi_sample s = { 0 };
	struct maps maps;
	unsigned int i, n, taken;
	int fd, memfd;
	pid_t pid;

	unique_id(id);
	unique_id(memfd_id);
	minielf_simple(path, id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	memfd = memfd_create("probe", MFD_CLOEXEC);
	if (fd < 0 || memfd < 0)
		bail("probe files: %s", strerror(errno));
	minielf_write(memfd, &m);
	sleep_ms(20);

	/* What the kernel may place anywhere first: it must not fill the holes. */
	anon = map_or_bail(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memfd_text = map_or_bail(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, memfd);
	moved = map_or_bail(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1);
	/* page 0: hole, 1 and 2: the file, 3: hole, 4: text copied over its mapping */
	area = map_or_bail(NULL, 6 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	munmap(area, 6 * 4096);
	text = map_or_bail(area + 4096, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd);
	copy = map_or_bail(area + 4 * 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd);
	memcpy(moved, copy, 4096);
	if (mremap(moved, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, copy) != copy)
		bail("mremap: %s", strerror(errno));
	maps_read(0, &maps);
	vvar = maps_named(&maps, "[vvar]");

	const struct probe probe[] = {
		{ "first byte of the file", (uintptr_t)text, BUILDIDX_STATUS_OK, id, 0 },
		{ "last byte of the file", (uintptr_t)text + 8191, BUILDIDX_STATUS_OK, id, 8191 },
		{ "W7: last byte of the hole below the file", (uintptr_t)text - 1,
		  BUILDIDX_STATUS_NO_MAPPING, NULL, 0 },
		{ "W7: first byte of the hole above the file", (uintptr_t)text + 8192,
		  BUILDIDX_STATUS_NO_MAPPING, NULL, 0 },
		{ "W8: text copied to anonymous memory at its address", (uintptr_t)copy + 0x123,
		  BUILDIDX_STATUS_ANON, NULL, 0 },
		{ "anonymous executable memory", (uintptr_t)anon, BUILDIDX_STATUS_ANON, NULL, 0 },
		{ "stack", (uintptr_t)&s, BUILDIDX_STATUS_ANON, NULL, 0 },
		{ "mapped memfd", (uintptr_t)memfd_text + 0x1001, BUILDIDX_STATUS_OK, memfd_id, 0x1001 },
		{ "address 0", 0, BUILDIDX_STATUS_NO_MAPPING, NULL, 0 },
		{ "top of user memory", 0x7ffffffff000 - 1, BUILDIDX_STATUS_NO_MAPPING, NULL, 0 },
		{ "kernel text", 0xffffffff81000000, BUILDIDX_STATUS_KERNEL, NULL, 0 },
		{ "vvar", vvar ? vvar->start : 0, vvar ? BUILDIDX_STATUS_SPECIAL :
		  BUILDIDX_STATUS_NO_MAPPING, NULL, 0 },
	};

	n = sizeof(probe) / sizeof(probe[0]);
	for (i = 0; i < n; i++)
		address[i] = probe[i].addr;
	pid = fork();
	if (!pid) {
		volatile unsigned long turns = 0;

		pin_to_cpu(0, NMI_CPU_TARGET);
		for (;;)
			turns++;
	}
	nmi_probe(address, n);
	taken = nmi_sample(pid, 20, 0);
	nmi_probe(NULL, 0);
	ok(taken == 20, "probes: %u samples", taken);
	for (i = 0; i < n; i++) {
		const struct buildidx_frame *f = &s.probes[i];
		unsigned int k, bad = 0;

		for (k = 0; k < taken && !bad; k++) {
			nmi_get(k, &s);
			if (s.probes_ret != NMI_PROBES || f->ip != probe[i].addr ||
			    f->status != probe[i].status)
				bad++;
			else if (probe[i].id ? !frame_is(0, f, probe[i].id, ID_LEN) ||
					       f->offset != probe[i].offset : f->id_len || f->kind)
				bad++;
		}
		if (!ok(taken && !bad, "kfunc in NMI: %s: %s", probe[i].what,
			status_name(probe[i].status)))
			diag("returned %d, %s", s.probes_ret, show_frame(0, f));
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	munmap(text, 8192);
	munmap(copy, 4096);
	munmap(anon, 4096);
	munmap(memfd_text, 8192);
	close(fd);
	close(memfd);
	unlink(path);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	dev = dev_open();
	rt = kernel_is_rt();
	testfs_mount(testfs_named("tmpfs"));
	testfs_mount(testfs_named("ext4"));
	nmi_start();
	m1_cold_note();
	m2_selftest();
	m3_contention();
	m5_short_lived();
	m6_hidden();
	probes();
	nmi_stop();
	testfs_umount(testfs_named("ext4"));
	testfs_umount(testfs_named("tmpfs"));
	return tap_end();
}
