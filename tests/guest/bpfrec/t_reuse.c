// SPDX-License-Identifier: GPL-2.0
/*
 * t_reuse: a program is unloaded, another one is loaded at its address; samples of both,
 * taken in NMI context, are told apart by their time, also when both are gone.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "rec.h"
#include "sample.h"
#include "truth.h"

#define SAMPLES		40
#define TRIES		200

/**
 * struct program - one of the two
 * @g: what it is
 * @fd: descriptor, -1 once closed
 * @truth: what the kernel says of it
 * @build_id: by its documentation
 * @hits: samples in it
 * @time: when
 * @frame: what was resolved then
 */
struct program {
	struct gen g;
	int fd;
	struct truth truth;
	uint8_t build_id[BUILDIDX_BPF_ID_LEN];
	unsigned int hits;
	uint64_t time[SAMPLES];
	struct buildidx_frame frame[SAMPLES];
};

static int dev;

static void load(struct program *p, const char *name, unsigned int line)
{
	int err;

	p->g = (struct gen) { .file = "/src/reuse.bpf.c", .line = line, .funcs = 3, .loops = 500 };
	snprintf(p->g.name, sizeof(p->g.name), "%s", name);
	p->fd = gen_load(&p->g, NULL);
	err = p->fd < 0 ? p->fd : truth_ask(&p->truth, p->fd, -1);
	if (err)
		bail("loading %s: %s", name, strerror(-err));
	truth_build_id(&p->truth, p->build_id);
}

static void unload(struct program *p)
{
	close(p->fd);
	p->fd = -1;
}

/* Run it on the sampled CPU, sample, stop. */
static void sample(struct program *p)
{
	struct kern_sample s;
	unsigned int i, k, taken;
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		pin_to(CPU_TARGET);
		for (;;)
			if (gen_run(p->fd, 2000))
				_exit(1);
	}
	taken = sample_take(pid, SAMPLES);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < taken && p->hits < SAMPLES; i++) {
		sample_get(i, &s);
		for (k = 0; k < KERN_DEPTH && s.ips[k]; k++)
			if (truth_func(&p->truth, s.ips[k]) >= 0)
				break;
		if (k == KERN_DEPTH || !s.ips[k])
			continue;
		p->time[p->hits] = s.time;
		p->frame[p->hits++] = s.frames[k];
	}
	ok(p->hits >= 5, "%s: %u samples, %u in the program", p->g.name, taken, p->hits);
}

/* Function and line of a frame by its record alone. */
static bool symbolizes(const struct program *p, const struct buildidx_rec_bpf *r,
		       const struct buildidx_frame *f)
{
	const struct buildidx_bpf_func *func = rec_func_at(r, f->offset);
	const struct truth_line *want = truth_line(&p->truth, f->ip);
	const struct buildidx_bpf_line *line;
	int i = truth_func(&p->truth, f->ip);

	if (!func || i < 0 || !want || strcmp(rec_text(r, func->name), p->truth.name[i]) ||
	    f->ip - p->truth.addr[i] != f->offset - func->image)
		return false;
	line = rec_line_at(r, func, f->offset - func->image);
	return line && line->line == BPF_LINE_INFO_LINE_NUM(want->line_col) &&
	       !strcmp(rec_text(r, line->file), p->g.file);
}

static void judge(const struct program *p, const char *when)
{
	unsigned int i, by_time = 0, by_object = 0, good = 0;

	for (i = 0; i < p->hits; i++) {
		const struct buildidx_frame *f = &p->frame[i];
		struct buildidx_rec *r;

		good += f->status == BUILDIDX_STATUS_OK && f->kind == BUILDIDX_KIND_BPF &&
			f->id_len == BUILDIDX_BPF_ID_LEN &&
			!memcmp(f->id, p->build_id, BUILDIDX_BPF_ID_LEN);
		if (!rec_by_address(dev, f->ip, p->time[i], &r))
			by_time += !truth_differs(&p->truth, (void *)r, true) &&
				   symbolizes(p, (void *)r, f);
		free(r);
		if (!rec_by_object(dev, f->object, &r))
			by_object += !truth_differs(&p->truth, (void *)r, true) &&
				     symbolizes(p, (void *)r, f);
		free(r);
	}
	if (!ok(p->hits && good == p->hits && by_time == p->hits && by_object == p->hits,
		"%s, %s: each sample has its own record and its own line", p->g.name, when))
		diag("%u samples: %u resolved, %u right by address and time, %u by object: %s", p->hits,
		     good, by_time, by_object, show_frame(0, &p->frame[0]));
}

int main(void)
{
	static struct program a, b;
	struct buildidx_rec *r;
	unsigned int tries;
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	sample_start();
	load(&a, "first_at_address", 30);
	sample(&a);
	judge(&a, "loaded");
	unload(&a);
	for (tries = 0; tries < TRIES; tries++) {
		/* a grace period, then its memory is free */
		usleep(5000);
		load(&b, "second_at_address", 7000);
		if (b.truth.addr[0] == a.truth.addr[0])
			break;
		unload(&b);
		truth_free(&b.truth);
	}
	if (!ok(b.fd >= 0, "another program was loaded at the same address, after %u others", tries))
		return tap_end();
	sample(&b);
	judge(&b, "loaded");
	judge(&a, "gone, the other one there");
	err = rec_by_address(dev, a.truth.addr[0], 0, &r);
	ok(!err && ((struct buildidx_rec_bpf *)r)->id == b.truth.info.id,
	   "by address, now: the one that is there");
	free(r);
	unload(&b);
	judge(&a, "both gone");
	judge(&b, "both gone");
	err = rec_by_address(dev, a.truth.addr[0], 0, &r);
	ok(!err && ((struct buildidx_rec_bpf *)r)->id == b.truth.info.id &&
	   ((struct buildidx_rec_bpf *)r)->flags & BUILDIDX_REC_GONE,
	   "by address, now, nothing there: the last that was");
	free(r);
	err = rec_by_address(dev, a.truth.addr[0], a.truth.info.load_time - 1, &r);
	ok(err || ((struct buildidx_rec_bpf *)r)->id != a.truth.info.id,
	   "by address, before both: neither of them");
	free(r);
	sample_stop();
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
