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
#include "profile_fold.h"
#include "profile_kernel.h"
#include "profile_naming.h"
#include "profile_opener.h"
#include "profile_output.h"
#include "profile_report.h"
#include "profile_run.h"
#include "profile_sampler.h"
#include "profile_samples.h"
#include "tool.h"

#define KFUNC		"bpf_buildidx_frames"
#define TICK_NS		500000000L
/* Places of one object that are tried in vain before it is given up. */
#define PLACES_MAX	64
/* For files that are still being opened when all else is done. */
#define OPEN_MS		5000

/* An object number, what it looks like, and the name that a file was mapped by. */
struct known {
	uint64_t number;
	char *text;
	char *path;
	unsigned int places;
	bool vdso;
};

struct profile {
	const struct profile_options *asked;
	struct buildidx *bx;
	struct sampler *sampler;
	struct sampler_config config;
	struct child child;
	struct child_world world;
	bool has_child;
	int signals;
	int timer;
	int process;		/* pidfd, -1 for none */
	struct opener *opener;
	struct output *output;
	void *known;
	struct kernel_objects *kernel;
	struct fold *fold;
	struct samples *samples;
	struct places *names;
	struct timespec began;	/* of CLOCK_REALTIME */
	struct timespec start;
	struct timespec end;
	bool done;
	struct profile_report report;
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
	free(k->path);
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

	if (k->text || !sampler_object(p->sampler, number, &o))
		return k->text;
	if (number & PROFILE_KERNEL_OBJECT)
		k->text = must(strdup(kernel_meet(p->kernel, number, &o)));
	else
		k->text = whole_id(p, number, &o);
	k->vdso = o.vdso;
	return k->text;
}

static void one_stack(void *ctx, const struct profile_stack *stack, uint64_t count)
{
	struct profile *p = ctx;
	char *line = fold_stack(stack, id_text, p);

	fold_add(p->fold, line, count);
	samples_add(p->samples, stack, count);
	free(line);
}

/* Open what runs there while it does: it may be deleted, or gone, before the end. */
static void one_place(void *ctx, const struct profile_place *place)
{
	struct profile *p = ctx;

	if (!opener_ask(p->opener, place))
		sampler_tell_again(p->sampler, place->object);
}

/* Its name, unless another file was mapped there meanwhile. */
static void take_path(struct profile *p, struct opened *o)
{
	struct known *k = know(p, o->object);
	const char *text = id_text(p, o->object);

	if (!o->path || k->path || !text || strcmp(text, o->id))
		return;
	k->path = o->path;
	o->path = NULL;
}

/* A file is used under what it holds, whatever it was meant to be. */
static void take_opened(struct profile *p)
{
	struct opened o;

	while (opener_take(p->opener, &o)) {
		if (o.gone && ++know(p, o.object)->places < PLACES_MAX)
			sampler_tell_again(p->sampler, o.object);
		if (o.fd >= 0)
			take_path(p, &o);
		if (o.fd >= 0 && p->asked->symbols)
			symbols_add_fd(p->asked->symbols, o.fd, o.id);
		else if (o.fd >= 0)
			close(o.fd);
		free(o.path);
		free(o.id);
	}
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	return (double)(b->tv_sec - a->tv_sec) + (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

/* A module cannot find those BPF programs that were there before it. */
static void adopt_programs(const struct profile *p)
{
	struct buildidx_error err;

	if (p->config.kernel && buildidx_adopt_all(p->bx, NULL, &err))
		complain("%s: frames in BPF programs that are older than the module have no name", err.text);
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
	if (ret)
		return device_refused(ret, &err, instead);
	ret = buildidx_get_info(p->bx, &info, &err);
	if (ret) {
		complain("%s", err.text);
		return exit_code_of(ret);
	}
	if (!(info.kfunc_state & BUILDIDX_KFUNC_TRACING) || !buildidx_bpf_present(KFUNC)) {
		complain("the module is loaded, but BPF programs cannot call it (see `buildidx doctor`)%s",
			 instead);
		return EXIT_NO_MODULE;
	}
	if (!info.hooks_on)
		complain(hooks_silenced(&info) ?
			 "the kernel's kprobes were disarmed (see `buildidx doctor`): the module will resolve nothing" :
			 "the module is switched off (/sys/module/buildidx/parameters/enable): it will resolve nothing");
	adopt_programs(p);
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
		err = child_prepare(&p->child, command, &p->world);
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
	sigprocmask(SIG_BLOCK, &set, &p->world.mask);
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
		{ .events = POLLIN },
	};
	bool terminal = isatty(STDERR_FILENO);
	struct signalfd_siginfo info;
	struct profile_counts counts;
	int code = EXIT_OK;
	uint64_t n, missed;

	while (!p->done && !code) {
		fds[4].fd = opener_fd(p->opener);
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), left_ms(p)) < 0) {
			if (errno == EINTR)
				continue;
			complain("cannot wait for events: %s", strerror(errno));
			return EXIT_PARTLY;
		}
		/* taken, so that it does not end what comes next too */
		if (fds[0].revents && read(p->signals, &info, sizeof(info)) > 0)
			p->done = true;
		if (fds[2].revents)
			p->done = true;
		if (fds[3].revents)
			sampler_places(p->sampler, one_place, p);
		if (fds[4].revents)
			take_opened(p);
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
	clock_gettime(CLOCK_REALTIME, &p->began);
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

/* A signal, or time, ends the wait for files that cannot be had. */
static void finish_opening(struct profile *p)
{
	struct pollfd fds[] = { { .events = POLLIN }, { .fd = p->signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	struct timespec start, now;
	int left = OPEN_MS;

	sampler_places(p->sampler, one_place, p);
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (opener_pending(p->opener) && opener_fd(p->opener) >= 0 && left > 0) {
		fds[0].fd = opener_fd(p->opener);
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			break;
		take_opened(p);
		if (read(p->signals, &info, sizeof(info)) > 0)
			break;
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = OPEN_MS - (int)(seconds_between(&start, &now) * 1000);
	}
	if (opener_pending(p->opener))
		complain("%u files could not be opened in time: frames there may stay without a name",
			 opener_pending(p->opener));
}

static int name_all(struct profile *p, char **text)
{
	struct fold *named;

	symbols_add_vdso(p->asked->symbols);
	kernel_symbols(p->kernel, p->asked->symbols);
	if (isatty(STDERR_FILENO))
		fputs("profile: looking for symbols; Ctrl-C ends that\n", stderr);
	named = naming_run(p->asked->symbols, p->fold, p->signals, &p->names, text);
	if (!named)
		return EXIT_PARTLY;
	fold_free(p->fold);
	p->fold = named;
	return EXIT_OK;
}

static int count(struct profile *p)
{
	struct profile_report *r = &p->report;
	int err;

	r->seconds = seconds_between(&p->start, &p->end);
	r->clock = sampler_clock(p->sampler);
	r->hz = p->asked->hz;
	r->cpus = sampler_cpus(p->sampler);
	r->kfunc = p->config.kfunc;
	r->stock = p->config.stock;
	r->targets = p->config.targets;
	r->kernel = p->config.kernel;
	r->user = p->config.user;
	r->stacks = fold_lines(p->fold);
	r->missed_known = sampler_knows_missed(p->sampler);
	r->expected = sampler_expected(p->sampler);
	err = sampler_counts(p->sampler, &r->counts, &r->missed);
	if (err)
		complain("cannot read the counters: %s", strerror(-err));
	return err ? EXIT_PARTLY : EXIT_OK;
}

static int report(const struct profile *p)
{
	profile_report_print(&p->report, stderr);
	kernel_report(p->kernel, p->samples, stderr);
	if (p->report.counts.kept)
		return EXIT_OK;
	complain("no sample was taken: what was to be profiled did not run on a CPU");
	return EXIT_PARTLY;
}

/* From now on they end the program, except those that came before. */
static void allow_signals(struct profile *p)
{
	struct signalfd_siginfo info;

	while (read(p->signals, &info, sizeof(info)) > 0)
		;
	sigprocmask(SIG_SETMASK, &p->world.mask, NULL);
}

/* Of files; of the kernel others know. */
static void describe(void *ctx, uint64_t number, struct pprof_object *o)
{
	struct known key = { .number = number }, **found;
	struct profile *p = ctx;

	kernel_describe(p->kernel, number, o);
	found = number & PROFILE_KERNEL_OBJECT ? NULL : tfind(&key, &p->known, by_number);
	if (!found || !(*found)->text)
		return;
	o->id = (*found)->text;
	o->build_id = (*found)->text;
	o->filename = (*found)->vdso ? "[vdso]" : (*found)->path;
}

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

static int write_result(struct profile *p)
{
	const struct profile_report *r = &p->report;
	struct result result = {
		.fold = p->fold,
		.samples = p->samples,
		.places = p->names,
		.info = {
			.time_ns = ns_of(&p->began),
			.duration_ns = ns_of(&p->end) - ns_of(&p->start),
			.hz = p->asked->hz,
			.comment = "buildidx " BUILDIDX_VERSION ": address - start + offset of the mapping is the offset in the file; in a kernel module that in its text, in a BPF program that in its image, in vmlinux the address itself",
		},
		.describe = describe,
		.ctx = p,
	};
	char *title;
	int code;

	if (asprintf(&title, "buildidx profile: %.1f s, %s, %u a second on each of %u CPUs",
		     r->seconds, r->clock, r->hz, r->cpus) < 0)
		must(NULL);
	result.title = title;
	code = output_write(p->output, &result);
	free(title);
	return code;
}

/* An event for each CPU, and a file for each that is to be named. */
static void allow_many_files(struct profile *p)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	p->world.files = limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The result, and what it is worth. */
static int tell(struct profile *p)
{
	char *names = NULL;
	int counted, code = EXIT_OK;

	if (p->opener)
		finish_opening(p);
	kernel_refresh(p->kernel);
	counted = count(p);
	/* Names may take long, and are found by a process that needs none of it. */
	sampler_close(p->sampler);
	p->sampler = NULL;
	if (p->asked->symbols)
		code = name_all(p, &names);
	allow_signals(p);
	code = worse_of(code, write_result(p));
	code = worse_of(code, counted ? counted : report(p));
	if (names)
		fputs(names, stderr);
	free(names);
	return code;
}

static int start_opener(struct profile *p)
{
	int err = p->config.places ? opener_new(&p->opener) : 0;

	if (err)
		complain("cannot start a process: %s", strerror(-err));
	return exit_code_of(err);
}

int profile_run(const struct profile_options *asked, char **command)
{
	struct profile p = { .asked = asked, .signals = -1, .timer = -1, .process = -1 };
	int code;

	p.fold = fold_new();
	p.samples = samples_new();
	p.config.hz = asked->hz;
	p.config.targets = (asked->pid || *command) && !asked->all;
	p.config.pids = output_is_pprof(asked->output);
	p.config.places = asked->symbols || p.config.pids;
	p.config.kernel = !asked->user_only;
	p.config.user = !asked->kernel_only;
	code = output_open(&p.output, asked->output, asked->svg);
	if (!code)
		code = choose_programs(&p);
	p.config.stock = asked->compare || !p.config.kfunc;
	p.kernel = kernel_objects_new(p.bx);
	allow_many_files(&p);
	if (!code)
		code = prepare_waiting(&p);
	if (!code)
		code = start_opener(&p);
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
	output_close(p.output);
	tdestroy(p.known, free_known);
	samples_free(p.samples);
	places_free(p.names);
	fold_free(p.fold);
	sampler_close(p.sampler);
	opener_free(p.opener);
	kernel_objects_free(p.kernel);
	buildidx_close(p.bx);
	return code;
}
