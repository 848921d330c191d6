// SPDX-License-Identifier: GPL-2.0
/*
 * demobpf PERF: BPF programs that are gone when they are looked up. Each one is loaded,
 * runs for a moment, by BPF_PROG_TEST_RUN or attached to a tracepoint, is sampled in NMI
 * context meanwhile and unloaded. Half of them run in a quiet guest, half while perf's
 * reader is kept from running. `perf record` watches all along; afterwards its file and
 * buildidx' records are asked for the names and source lines of what was sampled.
 *
 * Runs in the test guest, two CPUs: NMIs are sent from CPU 0, programs run on CPU 1.
 *
 * Prints a table and one line; exits 0 only if buildidx told all of all programs.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "../bpfrec/gen.h"
#include "../bpfrec/rec.h"
#include "../bpfrec/sample.h"
#include "../bpfrec/truth.h"
#include "perf.h"

#define PROGRAMS	40
#define QUIET		(PROGRAMS / 2)
#define FUNCS		3
/* While perf stands still, so many at a time. */
#define BATCH		5
#define WANTED		6	/* NMI samples in each program */
#define TRIES		10
#define LIVES_MS	150	/* so that perf's clock finds it, too */
#define SAMPLES_MAX	256
#define PERF_FILE	"/scratch/perf.data"
#define SOURCE		"/src/demo.bpf.c"

/**
 * struct program - one of them
 * @gen: what it was made from: its names and lines
 * @truth: what the kernel said of it while it was there: where they are
 * @hits: samples in it
 * @frames: what buildidx resolved in those NMIs
 * @times: when
 * @named: frames whose function's name is right, by records alone
 * @lined: frames whose file, line and source text are right
 * @wrong: frames with another name or line
 * @clock: perf's own samples in it
 * @clock_named: those that perf names right
 * @clock_lined: those whose line buildidx tells by address and time
 * @perf_names: perf's file names all functions
 * @perf_lines: perf's file has all lines
 */
struct program {
	struct gen gen;
	struct truth truth;
	unsigned int hits;
	struct buildidx_frame frames[SAMPLES_MAX];
	uint64_t times[SAMPLES_MAX];
	unsigned int named;
	unsigned int lined;
	unsigned int wrong;
	unsigned int clock;
	unsigned int clock_named;
	unsigned int clock_lined;
	bool perf_names;
	bool perf_lines;
};

static struct program programs[PROGRAMS];
static int dev;

static bool attaches(unsigned int i)
{
	return i % 2;
}

static bool fail(const char *what, int err)
{
	fprintf(stderr, "demobpf: %s: %s\n", what, strerror(err < 0 ? -err : err));
	return false;
}

/* --- running one program --- */

static void child(int fd, unsigned int i)
{
	pin_to(CPU_TARGET);
	for (;;) {
		if (attaches(i))
			syscall(SYS_getppid);
		else if (gen_run(fd, 500))
			_exit(1);
	}
}

static void collect(struct program *p, unsigned int taken)
{
	struct kern_sample s;
	unsigned int n;
	int k;

	for (n = 0; n < taken; n++) {
		sample_get(n, &s);
		for (k = 0; k < KERN_DEPTH && s.ips[k]; k++) {
			if (truth_func(&p->truth, s.ips[k]) < 0 || p->hits == SAMPLES_MAX)
				continue;
			p->frames[p->hits] = s.frames[k];
			p->times[p->hits++] = s.time;
		}
	}
}

/* A link gives its program back a moment after it was closed. */
static bool is_gone(const struct program *p)
{
	unsigned int tries;
	int fd;

	for (tries = 0; tries < 500; tries++) {
		fd = bpf_prog_get_fd_by_id(p->truth.info.id);
		if (fd < 0)
			return true;
		close(fd);
		usleep(10000);
	}
	return fail("a program is still there", EBUSY);
}

static bool run_program(unsigned int i)
{
	struct program *p = &programs[i];
	int fd, link = -1, err, tries;
	uint64_t until;
	pid_t pid;

	p->gen = (struct gen) {
		.file = SOURCE, .line = 1000 * (i + 1), .funcs = FUNCS, .loops = 400,
		.type = attaches(i) ? BPF_PROG_TYPE_RAW_TRACEPOINT : BPF_PROG_TYPE_SOCKET_FILTER,
	};
	snprintf(p->gen.name, sizeof(p->gen.name), "demo%02u", i);
	fd = gen_load(&p->gen, NULL);
	if (fd < 0)
		return fail("loading a program", fd);
	err = truth_ask(&p->truth, fd, -1);
	if (!err && attaches(i)) {
		link = bpf_raw_tracepoint_open("sys_enter", fd);
		err = link < 0 ? link : 0;
	}
	if (err)
		return fail("attaching a program", err);
	pid = fork();
	if (!pid)
		child(fd, i);
	until = boottime() + LIVES_MS * 1000000ULL;
	for (tries = 0; tries < TRIES && p->hits < WANTED; tries++)
		collect(p, sample_take(pid, WANTED));
	while (boottime() < until)
		usleep(5000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(link);
	close(fd);
	/* from here on nobody can be asked about it */
	return is_gone(p);
}

static bool run_all(pid_t perf)
{
	unsigned int i;

	for (i = 0; i < QUIET; i++) {
		if (!run_program(i))
			return false;
		usleep(100000);
	}
	for (i = QUIET; i < PROGRAMS; i++) {
		if ((i - QUIET) % BATCH == 0)
			kill(perf, SIGSTOP);
		if (!run_program(i))
			return false;
		if ((i - QUIET) % BATCH == BATCH - 1) {
			kill(perf, SIGCONT);
			usleep(500000);
		}
	}
	return true;
}

/* --- what buildidx says --- */

static bool judge_line(const struct program *p, const struct buildidx_rec_bpf *r,
		       const struct buildidx_bpf_func *f, uint32_t off, uint64_t ip)
{
	const struct buildidx_bpf_line *line = rec_line_at(r, f, off);
	const struct truth_line *want = truth_line(&p->truth, ip);
	unsigned int number = want ? BPF_LINE_INFO_LINE_NUM(want->line_col) : 0;
	unsigned int func = (number - p->gen.line) / 100;
	char text[128];

	if (!line || !want)
		return false;
	/* what the source says there, from how it was made */
	gen_line_text(&p->gen, func, (number - p->gen.line) % 100, text);
	return line->line == number && !strcmp(rec_text(r, line->text), text) &&
	       !strcmp(rec_text(r, line->file), SOURCE);
}

static bool judge_name(const struct program *p, const struct buildidx_rec_bpf *r,
		       const struct buildidx_bpf_func *f, uint64_t ip)
{
	char name[GEN_NAME_MAX];

	gen_func_name(&p->gen, truth_func(&p->truth, ip), name);
	return !strcmp(rec_text(r, f->name), name);
}

/* An NMI sample: the frame names its record, whatever became of the program. */
static void judge_frame(struct program *p, const struct buildidx_frame *frame)
{
	const struct buildidx_bpf_func *f;
	struct buildidx_rec_bpf *r;
	struct buildidx_rec *any;
	bool named, lined;

	if (frame->status != BUILDIDX_STATUS_OK || rec_by_object(dev, frame->object, &any))
		return;
	r = (void *)any;
	f = any->type == BUILDIDX_REC_BPF_LOAD ? rec_func_at(r, frame->offset) : NULL;
	named = f && judge_name(p, r, f, frame->ip);
	lined = f && judge_line(p, r, f, frame->offset - f->image, frame->ip);
	p->named += named;
	p->lined += lined;
	p->wrong += !named || !lined;
	free(any);
}

/* A sample of perf's: an address, and when. */
static bool judge_clock(struct program *p, const struct perf_sample *s)
{
	const struct buildidx_bpf_func *f = NULL;
	struct buildidx_rec_bpf *r;
	struct buildidx_rec *any;
	bool good = false;
	uint32_t i;

	if (rec_by_address(dev, s->ip, s->time, &any))
		return false;
	r = (void *)any;
	for (i = 0; any->type == BUILDIDX_REC_BPF_LOAD && i < rec_funcs(r) && !f; i++)
		if (s->ip - rec_func(r, i)->addr < rec_func(r, i)->len)
			f = rec_func(r, i);
	if (f)
		good = judge_name(p, r, f, s->ip) && judge_line(p, r, f, s->ip - f->addr, s->ip);
	p->wrong += !good;
	free(any);
	return good;
}

/* --- what perf says --- */

static void perf_told(struct program *p, const struct perf_prog *progs, long n, const char *text)
{
	const struct perf_prog *found = NULL;
	char name[GEN_NAME_MAX], wanted[GEN_NAME_MAX + 8];
	unsigned int i, names = 0;
	long k;

	for (k = 0; k < n; k++)
		if (progs[k].id == p->truth.info.id)
			found = &progs[k];
	for (i = 0; i < FUNCS; i++) {
		gen_func_name(&p->gen, i, name);
		snprintf(wanted, sizeof(wanted), "_%s addr ", name);
		names += text && strstr(text, wanted);
	}
	p->perf_names = found && found->btf && names == FUNCS;
	p->perf_lines = found && found->btf && found->lines == p->truth.nr_lines;
}

static struct program *program_at(const struct perf_sample *s)
{
	unsigned int i;

	for (i = 0; i < PROGRAMS; i++) {
		struct program *p = &programs[i];

		/* addresses are used again: by the time that it was there, too */
		if (truth_func(&p->truth, s->ip) >= 0 && s->time >= p->truth.info.load_time &&
		    (i + 1 == PROGRAMS || s->time < programs[i + 1].truth.info.load_time))
			return p;
	}
	return NULL;
}

static void judge_samples(const struct perf_sample *samples, long n)
{
	char name[GEN_NAME_MAX];
	long i;

	for (i = 0; i < n; i++) {
		struct program *p = program_at(&samples[i]);
		const char *at;

		if (!p)
			continue;
		p->clock++;
		p->clock_lined += judge_clock(p, &samples[i]);
		gen_func_name(&p->gen, truth_func(&p->truth, samples[i].ip), name);
		at = strstr(samples[i].symbol, name);
		p->clock_named += at && !at[strlen(name)];
	}
}

static const char *yes(bool b)
{
	return b ? "yes" : "-";
}

static bool is_full(const struct program *p)
{
	return p->hits && p->named == p->hits && p->lined == p->hits &&
	       p->clock_lined == p->clock && !p->wrong;
}

static void print_table(void)
{
	unsigned int i;

	printf("                               NMI samples          perf's samples       perf's file\n"
	       "program phase   how            all  name  line    all  name  line*  names lines\n");
	for (i = 0; i < PROGRAMS; i++) {
		const struct program *p = &programs[i];

		printf("%-7s %-7s %-13s %4u %5u %5u   %4u %5u %5u   %-5s %s\n", p->gen.name,
		       i < QUIET ? "quiet" : "stopped", attaches(i) ? "raw_tp attach" : "test_run",
		       p->hits, p->named, p->lined, p->clock, p->clock_named, p->clock_lined,
		       yes(p->perf_names), yes(p->perf_lines));
	}
	printf("all: samples in the program. name, line: those with the right function, and the right file,\n"
	       "line and source text; of perf's samples, name is what perf calls it, and line* what buildidx\n"
	       "says of the address and time that perf recorded.\n"
	       "stopped: perf was stopped (SIGSTOP) from before the program was loaded until it was gone.\n"
	       "perf_full: perf's file has the program's bpf_prog_info and BTF, all names and lines in them.\n"
	       "buildidx_full: every sample in the program, perf's included, has the right function, file,\n"
	       "line and source text by buildidx' records, asked for after the program was gone.\n");
}

int main(int argc, char **argv)
{
	unsigned int i, perf_full = 0, full = 0, wrong = 0;
	struct perf_sample *samples;
	struct perf_prog *progs;
	struct utsname u;
	long n, nr_samples;
	pid_t perf;
	char *text;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: demobpf PERF\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	uname(&u);
	gen_init();
	dev = rec_device();
	if (dev < 0)
		return fail(BUILDIDX_DEVICE, dev), 1;
	sample_start();
	perf = perf_start(argv[1], PERF_FILE);
	if (perf < 0)
		return fail("perf does not record (see /tmp/perf.log)", perf), 1;
	if (!run_all(perf)) {
		kill(perf, SIGKILL);
		return 1;
	}
	err = perf_stop(perf);
	if (err)
		fprintf(stderr, "demobpf: perf ended with status %d\n", err);
	sample_stop();
	n = perf_progs(PERF_FILE, &progs);
	text = perf_header_text(argv[1], PERF_FILE);
	nr_samples = perf_samples(argv[1], PERF_FILE, &samples);
	if (n < 0 || !text || nr_samples <= 0)
		return fail("reading what perf recorded", n < 0 ? n : nr_samples < 0 ? nr_samples : EIO), 1;
	judge_samples(samples, nr_samples);
	for (i = 0; i < PROGRAMS; i++) {
		struct program *p = &programs[i];
		unsigned int k;

		for (k = 0; k < p->hits; k++)
			judge_frame(p, &p->frames[k]);
		perf_told(p, progs, n, text);
		perf_full += p->perf_names && p->perf_lines;
		full += is_full(p);
		wrong += p->wrong;
	}
	print_table();
	printf("demo-bpf: kernel=%s programs=%u perf_full=%u buildidx_full=%u wrong=%u\n", u.release,
	       PROGRAMS, perf_full, full, wrong);
	free(progs);
	free(samples);
	free(text);
	return full == PROGRAMS && !wrong ? 0 : 1;
}
