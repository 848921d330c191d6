// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_profile - where do processes spend their time: folded stacks of build IDs
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "buildidx_bpf_present.h"
#include "profile_child.h"
#include "profile_files.h"
#include "profile_fold.h"
#include "profile_report.h"
#include "profile_sampler.h"
#include "symbols.h"
#include "tool.h"

#define KFUNC		"bpf_buildidx_frames"
#define DEFAULT_HZ	99
#define TICK_NS		500000000L
/* Places of one object that are tried in vain before it is given up. */
#define PLACES_MAX	64

enum {
	OWN_STOCK = UCHAR_MAX + 1,
	OWN_COMPARE,
	OWN_SYMBOLS,
	OWN_DIR,
	OWN_DEBUGINFOD,
};

static const struct option own_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "all", no_argument, NULL, 'a' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "duration", required_argument, NULL, 'd' },
	{ "output", required_argument, NULL, 'o' },
	{ "stock", no_argument, NULL, OWN_STOCK },
	{ "compare", no_argument, NULL, OWN_COMPARE },
	{ "symbols", no_argument, NULL, OWN_SYMBOLS },
	{ "dir", required_argument, NULL, OWN_DIR },
	{ "debuginfod", required_argument, NULL, OWN_DEBUGINFOD },
	{ NULL, 0, NULL, 0 },
};

static struct {
	pid_t pid;
	bool all;
	unsigned int hz;
	unsigned int seconds;
	const char *output;
	bool stock;
	bool compare;
	struct symbols *symbols;
	int dirs_code;
} asked = { .hz = DEFAULT_HZ };

static bool parse_number(const char *text, const char *what, unsigned int max, unsigned int *value)
{
	unsigned long n = 0;
	char *shown;

	errno = 0;
	if (*text && !text[strspn(text, "0123456789")])
		n = strtoul(text, NULL, 10);
	if (!errno && n && n <= max) {
		*value = (unsigned int)n;
		return true;
	}
	shown = escaped(text);
	complain("not a number of %s from 1 to %u: '%s'", what, max, shown);
	free(shown);
	return false;
}

static bool take(int option, const char *arg)
{
	switch (option) {
	case 'p':
		return parse_pid(arg, &asked.pid);
	case 'a':
		asked.all = true;
		return true;
	case 'F':
		return parse_number(arg, "samples a second", 100000, &asked.hz);
	case 'd':
		return parse_number(arg, "seconds", 1000000, &asked.seconds);
	case 'o':
		asked.output = arg;
		return true;
	case OWN_STOCK:
		asked.stock = true;
		return true;
	case OWN_COMPARE:
		asked.compare = true;
		return true;
	}
	if (!asked.symbols)
		asked.symbols = symbols_new();
	if (option == OWN_DIR)
		asked.dirs_code = worse_of(asked.dirs_code, symbols_add_dir(asked.symbols, arg));
	else if (option == OWN_DEBUGINFOD)
		symbols_server(arg);
	return true;
}

/* An object number and what it looks like. */
struct known {
	uint64_t number;
	char *text;
	unsigned int places;
};

struct profile {
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
	symbols_add_fd(asked.symbols, fd);
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

	if (asked.stock)
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

/* BPF programs count processes as the initial namespace does. */
static bool in_initial_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == 0xeffffffcU;
}

static int prepare_process(struct profile *p, char **command)
{
	pid_t pid = asked.pid;
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

	if (!asked.seconds)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = asked.seconds - seconds_between(&p->start, &now);
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
		if (asked.seconds && seconds_between(&p->start, &p->end) >= asked.seconds)
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
	struct naming n = { asked.symbols, fold_new() };
	sigset_t set;

	sampler_places(p->sampler, one_place, p);
	symbols_add_vdso(asked.symbols);
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
		.hz = asked.hz,
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
	shown = escaped(asked.output);
	complain("%s: %s", shown, strerror(errno));
	free(shown);
	return EXIT_PARTLY;
}

static int open_output(struct profile *p)
{
	char *shown;
	int err;

	p->out = stdout;
	if (!asked.output)
		return EXIT_OK;
	p->out = fopen(asked.output, "we");
	if (p->out)
		return EXIT_OK;
	err = -errno;
	p->out = stdout;
	shown = escaped(asked.output);
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

static int check_usage(char **command)
{
	const char *wrong = NULL;

	if (asked.pid && asked.all)
		wrong = "-p and -a exclude each other";
	else if (asked.pid && *command)
		wrong = "-p and a command exclude each other";
	else if (asked.stock && asked.compare)
		wrong = "--stock and --compare exclude each other";
	if (wrong) {
		complain("%s", wrong);
		fputs("Try 'buildidx profile --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if ((asked.pid || *command) && !asked.all && !in_initial_pid_namespace()) {
		complain("processes of a pid namespace cannot be told from others here: use -a, or run outside of the container");
		return EXIT_PARTLY;
	}
	return EXIT_OK;
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct profile p = { .signals = -1, .timer = -1, .process = -1 };
	int code = check_usage(argv);

	(void)opt;
	(void)argc;
	if (code)
		return code;
	p.fold = fold_new();
	p.config.hz = asked.hz;
	p.config.targets = (asked.pid || *argv) && !asked.all;
	p.config.places = asked.symbols != NULL;
	code = open_output(&p);
	if (!code)
		code = choose_programs(&p);
	p.config.stock = asked.compare || !p.config.kfunc;
	allow_many_files();
	if (!code)
		code = prepare_waiting(&p);
	if (!code)
		code = sampler_open(&p.sampler, &p.config);
	if (!code)
		code = prepare_process(&p, argv);
	if (!code)
		code = collect(&p, argv);
	else if (p.has_child)
		child_cancel(&p.child);
	if (!code) {
		if (asked.symbols)
			name_all(&p);
		code = worse_of(write_result(&p), report(&p));
		if (asked.symbols)
			symbols_report(asked.symbols, stderr);
	}
	if (p.out != stdout)
		fclose(p.out);
	tdestroy(p.known, free_known);
	fold_free(p.fold);
	symbols_free(asked.symbols);
	sampler_close(p.sampler);
	buildidx_close(p.bx);
	return worse_of(code, asked.dirs_code);
}

const struct command cmd_profile = {
	.name = "profile",
	.args = "[-- COMMAND...]",
	.summary = "Where processes spend their time, as stacks of build IDs",
	.help =
	"Samples what runs on each CPU until Ctrl-C, -d SECONDS, or the end of COMMAND or of\n"
	"process PID, and prints each different stack as one line, outermost frame first:\n"
	"\n"
	"  COMM;FRAME;...;FRAME COUNT\n"
	"\n"
	"A FRAME of a file is ID+0xOFFSET, the offset being that in the file:\n"
	"  1f2e...+0x1a2b      GNU build ID\n"
	"  go:TEXT+0x1a2b      Go build ID\n"
	"  hash:1f2e...+0x1a2b no build ID (or one of more than 32 bytes): hash of the content\n"
	"Else it says why there is none:\n"
	"  [no-mapping] [anon] [special] [not-indexed] [pending] [not-resident] [modified]\n"
	"  [raced] [read-error] [off] [no-mm]   the statuses of `buildidx stats`\n"
	"  [kernel-address]  a kernel address on the stack of user code\n"
	"  [unresolved]  --stock: the stock helper had no answer\n"
	"  [unrecorded]  more different files than there is room for (32768)\n"
	"  [kernel]      the sample hit the kernel; its frames are not resolved\n"
	"  [truncated]   127 frames were taken: the outermost ones may be missing\n"
	"  [no-stack]    the stack of the process could not be had\n"
	"In names, space, backslash, ';' and what is not printable become \\ooo (octal).\n"
	"User code built without frame pointers cannot be unwound: garbage on the stack then\n"
	"shows as [no-mapping] or [anon].\n"
	"\n"
	"What the samples are worth is told on standard error at the end: lost ones, and\n"
	"frames by status. Needs the module and root, or CAP_BPF and CAP_PERFMON. Samples\n"
	"are taken by hardware cycles (NMI) where each CPU can count them, else by the CPU\n"
	"clock.\n"
	"\n"
	"Names of functions: --symbols, now, from the files that run; or later, or on\n"
	"another machine, `buildidx symbolize`. Files that run are held open until then.\n",
	.accepts = OPT_IN_FRONT,
	.options = own_options,
	.options_help =
	"  -p, --pid=PID    only this process, and what it starts from now on\n"
	"  -a, --all        all processes; the default without PID and COMMAND\n"
	"  -F, --frequency=HZ  samples a second on each CPU (99)\n"
	"  -d, --duration=SECONDS  end after so long; a COMMAND runs on\n"
	"  -o, --output=FILE   write the stacks there, not to standard output\n"
	"      --stock      resolve by the stock helper, without the module\n"
	"      --compare    resolve by both, and say how many frames each answered\n"
	"      --symbols    print names of functions where they can be found\n"
	"      --dir=DIR    the same, with the files below DIR (may be repeated)\n"
	"      --debuginfod=URL  the same, asking this server too (may be repeated)\n",
	.take = take,
	.max_args = -1,
	.run = run,
};
