// SPDX-License-Identifier: GPL-2.0
/*
 * profile_run - take a profile: from the first sample to the report
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buildidx_bpf_present.h"
#include "profile_child.h"
#include "profile_files.h"
#include "profile_fold.h"
#include "profile_report.h"
#include "profile_run.h"
#include "profile_sampler.h"
#include "tool.h"

#define KFUNC		"bpf_buildidx_frames"
#define TICK_NS		500000000L
/* Places of one object that are tried in vain before it is given up. */
#define PLACES_MAX	64

/* An object number and what it looks like. */
struct known {
	uint64_t number;
	char *text;
	unsigned int places;
};

struct profile {
	const struct profile_options *asked;
	struct buildidx *bx;
	struct sampler *sampler;
	struct sampler_config config;
	struct child child;
	bool has_child;
	int signals;
	int timer;
	int process;		/* pidfd, -1 for none */
	FILE *out;
	void *known;
	struct fold *fold;
	struct timespec start;
	struct timespec end;
	bool done;
};

static int by_number(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void free_known(void *p)
{
	struct known *k = p;

	free(k->text);
	free(k);
}

static struct known *know(struct profile *p, uint64_t number)
{
	struct known key = { .number = number };
	struct known **found = tfind(&key, &p->known, by_number);
	struct known *k;

	if (found)
		return *found;
	k = must(calloc(1, sizeof(*k)));
	k->number = number;
	must(tsearch(k, &p->known, by_number));
	return k;
}

/* Only Go's are longer than what a frame holds. */
static char *whole_id(const struct profile *p, uint64_t number, const struct profile_object *o)
{
	struct buildidx_object obj;

	if (o->id_len <= sizeof(o->id))
		return fold_id(o->kind, o->id, o->id_len, o->id_len);
	if (p->bx && !buildidx_get_object(p->bx, number, &obj, NULL) && obj.kind == o->kind &&
	    obj.id_len == o->id_len)
		return fold_id(obj.kind, obj.id, obj.id_len, obj.id_len);
	return fold_id(o->kind, o->id, sizeof(o->id), o->id_len);
}

static const char *id_text(void *ctx, uint64_t number)
{
	struct profile *p = ctx;
	struct known *k = know(p, number);
	struct profile_object o;

	if (!k->text && sampler_object(p->sampler, number, &o))
		k->text = whole_id(p, number, &o);
	return k->text;
}

static void one_stack(void *ctx, const struct profile_stack *stack, uint64_t count)
{
	struct profile *p = ctx;
	char *line = fold_stack(stack, id_text, p);

	fold_add(p->fold, line, count);
	free(line);
}

/* Open what runs there while it does: it may be deleted, or gone, before the end. */
static bool one_place(void *ctx, const struct profile_place *place)
{
	struct profile *p = ctx;
	struct known *k = know(p, place->object);
	int fd = open_file_at((pid_t)place->tgid, place->ip);

	if (fd < 0)
		return ++k->places >= PLACES_MAX;
	/* Filed under what it holds, whatever it was meant to be. */
	symbols_add_fd(p->asked->symbols, fd);
	return true;
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

/* May the program call the kfunc, and which one? */
static int choose_programs(struct profile *p)
{
	static const char instead[] =
		"; --stock profiles with the stock helper, which loses frames";
	struct buildidx_error err;
	struct buildidx_info info;
	int ret;

	if (p->asked->stock)
		return EXIT_OK;
	ret = buildidx_open(&p->bx, 0, &err);
	if (ret) {
		complain("%s%s", err.text, instead);
		return device_exit_code(ret);
	}
	ret = buildidx_get_info(p->bx, &info, &err);
	if (ret) {
		complain("%s", err.text);
		return exit_code_of(ret);
	}
	if (!(info.kfunc_state & BUILDIDX_KFUNC_TRACING) || !buildidx_bpf_present(KFUNC)) {
		complain("the module is loaded, but BPF programs cannot call it (see `buildidx status`)%s",
			 instead);
		return EXIT_NO_MODULE;
	}
	if (!info.hooks_on)
		complain("the module is switched off (/sys/module/buildidx/parameters/enable): it will resolve nothing");
	p->config.kfunc = true;
	p->config.fentry = !(info.kfunc_state & BUILDIDX_KFUNC_PERF);
	return EXIT_OK;
}

static int prepare_process(struct profile *p, char **command)
{
	pid_t pid = p->asked->pid;
	const char *why;
	int err;

	if (*command) {
		err = child_prepare(&p->child, command);
		if (err) {
			complain("cannot start a process: %s", strerror(-err));
			return exit_code_of(err);
		}
		p->has_child = true;
		pid = p->child.pid;
	}
	if (!pid)
		return EXIT_OK;
	p->process = pidfd_open(pid, 0);
	if (p->process < 0) {
		err = -errno;
		why = err == -EINVAL ? "is a thread, not a process" : strerror(-err);
		complain("process %d: %s", pid, why);
		return exit_code_of(err);
	}
	if (!p->config.targets)
		return EXIT_OK;
	err = sampler_follow(p->sampler, pid);
	if (err)
		complain("process %d: cannot be followed: %s", pid, strerror(-err));
	return exit_code_of(err);
}

static int prepare_waiting(struct profile *p)
{
	struct itimerspec tick = { { 0, TICK_NS }, { 0, TICK_NS } };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	p->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (p->signals < 0 || p->timer < 0 || timerfd_settime(p->timer, 0, &tick, NULL)) {
		complain("cannot wait for events: %s", strerror(errno));
		return EXIT_PARTLY;
	}
	return EXIT_OK;
}

static void show_progress(const struct profile *p, const struct profile_counts *c, uint64_t missed)
{
	fprintf(stderr, "\rprofile: %.0f s, %" PRIu64 " samples, %zu stacks, %" PRIu64
		" lost; Ctrl-C ends it \033[K", seconds_between(&p->start, &p->end),
		(uint64_t)c->kept, fold_lines(p->fold), profile_lost(c, missed));
}

static int drain(struct profile *p)
{
	int err = sampler_drain(p->sampler, one_stack, p);

	if (err)
		complain("cannot read the stacks: %s", strerror(-err));
	return exit_code_of(err);
}

/* Until time is up, in milliseconds; -1 for ever. */
static int left_ms(const struct profile *p)
{
	struct timespec now;
	double left;

	if (!p->asked->seconds)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = p->asked->seconds - seconds_between(&p->start, &now);
	/* the timer ticks more often than once a minute */
	return left <= 0 ? 0 : left > 60 ? 60000 : (int)(left * 1000) + 1;
}

static int watch(struct profile *p)
{
	struct pollfd fds[] = {
		{ .fd = p->signals, .events = POLLIN },
		{ .fd = p->timer, .events = POLLIN },
		{ .fd = p->process, .events = POLLIN },
		{ .fd = sampler_places_fd(p->sampler), .events = POLLIN },
	};
	bool terminal = isatty(STDERR_FILENO);
	struct signalfd_siginfo info;
	struct profile_counts counts;
	int code = EXIT_OK;
	uint64_t n, missed;

	while (!p->done && !code) {
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), left_ms(p)) < 0)
			continue;
		/* taken, so that it does not end what comes next too */
		if (fds[0].revents && read(p->signals, &info, sizeof(info)) > 0)
			p->done = true;
		if (fds[2].revents)
			p->done = true;
		if (fds[3].revents)
			sampler_places(p->sampler, one_place, p);
		clock_gettime(CLOCK_MONOTONIC, &p->end);
		if (p->asked->seconds && seconds_between(&p->start, &p->end) >= p->asked->seconds)
			p->done = true;
		if (p->done || read(p->timer, &n, sizeof(n)) != (ssize_t)sizeof(n))
			continue;
		code = drain(p);
		if (terminal && !sampler_counts(p->sampler, &counts, &missed))
			show_progress(p, &counts, missed);
	}
	if (terminal)
		fputs("\r\033[K", stderr);
	return code;
}

static int run_command_of(struct profile *p, char **command)
{
	char *shown;
	int err;

	if (!p->has_child)
		return EXIT_OK;
	err = child_run(&p->child);
	if (!err)
		return EXIT_OK;
	p->has_child = false;
	shown = escaped(command[0]);
	complain("cannot run %s: %s", shown, strerror(-err));
	free(shown);
	return exit_code_of(err);
}

/* One that runs on, because time was up or the user wants no more, is left alone. */
static void end_of_child(struct profile *p)
{
	struct pollfd ended = { .fd = p->process, .events = POLLIN };
	int status;

	if (!p->has_child || poll(&ended, 1, 0) != 1)
		return;
	status = child_reap(&p->child);
	p->has_child = false;
	if (WIFSIGNALED(status))
		complain("the command was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		complain("the command ended with exit status %d", WEXITSTATUS(status));
}

static int collect(struct profile *p, char **command)
{
	int code = sampler_start(p->sampler);

	if (code)
		goto cancel;
	clock_gettime(CLOCK_MONOTONIC, &p->start);
	p->end = p->start;
	code = run_command_of(p, command);
	if (!code)
		code = watch(p);
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	sampler_stop(p->sampler);
	end_of_child(p);
	if (code)
		return code;
	/* what was in use, and what became full meanwhile */
	code = drain(p);
	return code ? code : drain(p);
cancel:
	if (p->has_child)
		child_cancel(&p->child);
	p->has_child = false;
	return code;
}

static void on_interrupt(int sig)
{
	symbols_stop();
	/* once more ends the program */
	signal(sig, SIG_DFL);
}

struct naming {
	struct symbols *symbols;
	struct fold *fold;
};

static void name_one(void *ctx, const char *line, uint64_t count)
{
	struct naming *n = ctx;
	char *named = symbols_line(n->symbols, line);

	fold_add(n->fold, named, count);
	free(named);
}

static void name_all(struct profile *p)
{
	struct naming n = { p->asked->symbols, fold_new() };
	sigset_t set;

	sampler_places(p->sampler, one_place, p);
	symbols_add_vdso(p->asked->symbols);
	signal(SIGINT, on_interrupt);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (isatty(STDERR_FILENO))
		fputs("profile: looking for symbols; Ctrl-C ends that\n", stderr);
	fold_each(p->fold, name_one, &n);
	fold_free(p->fold);
	p->fold = n.fold;
}

static int report(struct profile *p)
{
	struct profile_report r = {
		.seconds = seconds_between(&p->start, &p->end),
		.clock = sampler_clock(p->sampler),
		.hz = p->asked->hz,
		.cpus = sampler_cpus(p->sampler),
		.kfunc = p->config.kfunc,
		.stock = p->config.stock,
		.targets = p->config.targets,
		.stacks = fold_lines(p->fold),
	};
	int err = sampler_counts(p->sampler, &r.counts, &r.missed);

	if (err) {
		complain("cannot read the counters: %s", strerror(-err));
		return EXIT_PARTLY;
	}
	profile_report_print(&r, stderr);
	if (r.counts.kept)
		return EXIT_OK;
	complain("no sample was taken: what was to be profiled did not run on a CPU");
	return EXIT_PARTLY;
}

static int write_result(struct profile *p)
{
	char *shown;
	bool failed;

	fold_print(p->fold, p->out);
	failed = fflush(p->out) || ferror(p->out);
	if (p->out == stdout)
		return EXIT_OK; /* checked at the very end */
	failed |= fclose(p->out) != 0;
	p->out = stdout;
	if (!failed)
		return EXIT_OK;
	shown = escaped(p->asked->output);
	complain("%s: %s", shown, strerror(errno));
	free(shown);
	return EXIT_PARTLY;
}

static int open_output(struct profile *p)
{
	char *shown;
	int err;

	p->out = stdout;
	if (!p->asked->output)
		return EXIT_OK;
	p->out = fopen(p->asked->output, "we");
	if (p->out)
		return EXIT_OK;
	err = -errno;
	p->out = stdout;
	shown = escaped(p->asked->output);
	complain("%s: %s", shown, strerror(-err));
	free(shown);
	return exit_code_of(err);
}

/* An event for each CPU, and a file for each that is to be named. */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The result, and what it is worth. */
static int tell(struct profile *p)
{
	int code;

	if (p->asked->symbols)
		name_all(p);
	code = worse_of(write_result(p), report(p));
	if (p->asked->symbols)
		symbols_report(p->asked->symbols, stderr);
	return code;
}

int profile_run(const struct profile_options *asked, char **command)
{
	struct profile p = { .asked = asked, .signals = -1, .timer = -1, .process = -1 };
	int code;

	p.fold = fold_new();
	p.config.hz = asked->hz;
	p.config.targets = (asked->pid || *command) && !asked->all;
	p.config.places = asked->symbols != NULL;
	code = open_output(&p);
	if (!code)
		code = choose_programs(&p);
	p.config.stock = asked->compare || !p.config.kfunc;
	allow_many_files();
	if (!code)
		code = prepare_waiting(&p);
	if (!code)
		code = sampler_open(&p.sampler, &p.config);
	if (!code)
		code = prepare_process(&p, command);
	if (!code)
		code = collect(&p, command);
	else if (p.has_child)
		child_cancel(&p.child);
	if (!code)
		code = tell(&p);
	if (p.out != stdout)
		fclose(p.out);
	tdestroy(p.known, free_known);
	fold_free(p.fold);
	sampler_close(p.sampler);
	buildidx_close(p.bx);
	return code;
}
