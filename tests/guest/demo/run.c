// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../sampler/files.h"
#include "run.h"

#define VICTIM_CPU	"1"
#define ELSEWHERE	"/run/demo-elsewhere"

/* A victim that is not ready, or has too few samples, by then never will. */
#define PATIENCE_S	120

static int make_stage(struct stage **stage)
{
	int fd = memfd_create("stage", 0);
	int err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, sizeof(**stage)))
		goto fail;
	*stage = mmap(NULL, sizeof(**stage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*stage == MAP_FAILED)
		goto fail;
	atomic_store(&(*stage)->goal, UINT64_MAX);
	return fd;
fail:
	err = -errno;
	close(fd);
	return err;
}

static void exec_victim(const char *dir, const char *mode, int stage_fd, int counts_fd)
{
	char path[256], stage_arg[16], counts_arg[16];

	snprintf(path, sizeof(path), "%s/victim", dir);
	snprintf(stage_arg, sizeof(stage_arg), "%d", stage_fd);
	snprintf(counts_arg, sizeof(counts_arg), "%d", counts_fd);
	execl(path, path, mode, stage_arg, counts_arg, VICTIM_CPU, NULL);
	fprintf(stderr, "demo: %s: %s\n", path, strerror(errno));
	_exit(127);
}

static int move_elsewhere(const char *payload)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", ELSEWHERE, "tmpfs", 0, NULL)) {
		fprintf(stderr, "demo: mount on %s: %s\n", ELSEWHERE, strerror(errno));
		return -errno;
	}
	return files_copy(payload, ELSEWHERE);
}

/* Forks a victim that waits for a byte on @go before it runs. */
static pid_t spawn(struct run *run, const char *mode, int stage_fd, bool elsewhere, int *go)
{
	unsigned long flags = SIGCHLD | (elsewhere ? CLONE_NEWNS | CLONE_NEWPID : 0);
	int counts_fd, pipe_fds[2];
	pid_t pid;
	char byte;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	pid = syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
	if (pid < 0) {
		pid = -errno;
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		return pid;
	}
	if (pid) {
		close(pipe_fds[0]);
		*go = pipe_fds[1];
		return pid;
	}
	/* The sampler's descriptors are close-on-exec; the victim needs this one. */
	counts_fd = dup(sampler_counts_fd(run->sampler));
	if (elsewhere && move_elsewhere(run->payload))
		_exit(126);
	if (read(pipe_fds[0], &byte, 1) != 1)
		_exit(125);
	exec_victim(elsewhere ? ELSEWHERE : DEMO_DIR, mode, stage_fd, counts_fd);
	_exit(127);
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int wait_ready(pid_t pid, const struct stage *stage, time_t until)
{
	while (!atomic_load(&stage->ready)) {
		if (waitpid(pid, NULL, WNOHANG | WNOWAIT) == pid || now() > until)
			return -ESRCH;
		usleep(2000);
	}
	return 0;
}

static int wait_samples(struct run *run, unsigned long goal, time_t until)
{
	const volatile struct sample_counts *counts = sampler_counts(run->sampler);

	while (counts->nmi_taken < goal) {
		if (now() > until)
			return -ETIMEDOUT;
		usleep(2000);
	}
	return 0;
}

/* The note of each of the victim's own files is in its first page. */
static int count_cold(void)
{
	char path[256];
	int i, cached, cold = 0;

	for (i = 0; i <= DEMO_LIBS; i++) {
		if (i)
			snprintf(path, sizeof(path), "%s/liblayer%d.so", DEMO_DIR, i);
		else
			snprintf(path, sizeof(path), "%s/victim", DEMO_DIR);
		cached = files_page_cached(path, 0);
		if (cached < 0)
			return cached;
		cold += !cached;
	}
	return cold;
}

static int make_cold(void)
{
	int err, tries;

	for (tries = 0; tries < 10; tries++) {
		err = files_drop_caches();
		if (err)
			return err;
		if (count_cold() == 1 + DEMO_LIBS)
			return 0;
		usleep(50000);
	}
	fprintf(stderr, "demo: the note pages do not leave the page cache\n");
	return -EBUSY;
}

static int attend(struct run *run, const char *mode, pid_t pid, struct stage *stage,
		  unsigned long samples)
{
	const volatile struct sample_counts *counts = sampler_counts(run->sampler);
	bool cold = !strcmp(mode, MODE_COLD);
	time_t until = now() + PATIENCE_S;
	struct timespec t;
	int err;

	err = wait_ready(pid, stage, until);
	if (err)
		return err;
	if (cold) {
		err = make_cold();
		if (err)
			return err;
		/* samples from before do not count */
		clock_gettime(CLOCK_MONOTONIC, &t);
		stage->truth.time_ns = t.tv_sec * 1000000000ULL + t.tv_nsec;
	}
	run->storm = storm_start(STORM_CPU);
	if (!run->storm)
		return -errno;
	if (samples)
		err = wait_samples(run, counts->nmi_taken + samples, until);
	if (err || !cold)
		return err;
	if (count_cold() != 1 + DEMO_LIBS) {
		fprintf(stderr, "demo: a note page came back into the page cache\n");
		return -EBUSY;
	}
	run->tally.notes_cold += 1 + DEMO_LIBS;
	return 0;
}

static int run_one(struct run *run, const char *mode, unsigned long samples, bool elsewhere)
{
	int stage_fd, status, err, go = -1;
	struct stage *stage;
	pid_t pid;

	if (run->nr_victims == RUN_VICTIMS)
		return -ENOSPC;
	stage_fd = make_stage(&stage);
	if (stage_fd < 0)
		return stage_fd;
	pid = spawn(run, mode, stage_fd, elsewhere, &go);
	close(stage_fd);
	if (pid < 0) {
		munmap(stage, sizeof(*stage));
		return pid;
	}
	run->victims[run->nr_victims].pid = pid;
	run->victims[run->nr_victims++].stage = stage;
	err = sampler_watch(run->sampler, pid) ? -errno : 0;
	if (!err && write(go, "g", 1) != 1)
		err = -EPIPE;
	close(go);
	if (!err)
		err = attend(run, mode, pid, stage, samples);
	if (samples)
		atomic_store(&stage->goal, 0);
	if (err)
		kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	storm_stop(run->storm);
	run->storm = NULL;
	sampler_unwatch(run->sampler, pid);
	if (!err && status) {
		fprintf(stderr, "demo: victim ended with wait status 0x%x\n", status);
		err = -ECHILD;
	}
	return err;
}

int run_victim(struct run *run, const char *mode, unsigned long samples)
{
	return run_one(run, mode, samples, false);
}

int run_victim_elsewhere(struct run *run, const char *mode, unsigned long samples)
{
	if (mkdir(ELSEWHERE, 0755) && errno != EEXIST)
		return -errno;
	return run_one(run, mode, samples, true);
}

static int judge_one(void *ctx, const struct sample *s)
{
	struct run *run = ctx;
	struct stage *stage;
	int i;

	for (i = 0; i < run->nr_victims; i++)
		if (run->victims[i].pid == (pid_t)s->tgid)
			break;
	if (i == run->nr_victims)
		return -ESRCH;
	stage = run->victims[i].stage;
	if (s->time_ns >= stage->truth.time_ns)
		tally_sample(&run->tally, s, &stage->truth, run->idents, run->nr_idents,
			     &stage->vdso);
	return 0;
}

int run_judge(struct run *run)
{
	const volatile struct sample_counts *counts = sampler_counts(run->sampler);
	int n = sampler_drain(run->sampler, judge_one, run);
	int i;

	for (i = 0; i < run->nr_victims; i++)
		munmap(run->victims[i].stage, sizeof(*run->victims[i].stage));
	run->nr_victims = 0;
	run->tally.dropped = counts->dropped - run->dropped;
	run->dropped = counts->dropped;
	return n < 0 ? n : 0;
}
