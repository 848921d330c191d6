// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_watch - records as they come, or from a file
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "records.h"

enum {
	OPTION_OLDEST = 256,
};

static struct {
	const char *output;
	const char *file;
	bool oldest;
	unsigned int types;
	uint32_t pid;
	uint64_t count;
} given;

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "file", required_argument, NULL, 'f' },
	{ "oldest", no_argument, NULL, OPTION_OLDEST },
	{ "types", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'n' },
	{ NULL, 0, NULL, 0 },
};

static unsigned int type_bits(const char *name)
{
	unsigned int type;

	if (!strcmp(name, "all"))
		return (1U << BUILDIDX_REC_TYPES) - 2;
	if (!strcmp(name, "bpf"))
		return 1U << BUILDIDX_REC_BPF_LOAD | 1U << BUILDIDX_REC_BPF_UNLOAD;
	for (type = 1; type < BUILDIDX_REC_TYPES; type++)
		if (!strcmp(name, buildidx_record_name(type)))
			return 1U << type;
	return 0;
}

static bool take_types(const char *arg)
{
	char *copy = must(strdup(arg)), *name, *shown, *rest = NULL;
	bool good = true;

	for (name = strtok_r(copy, ",", &rest); name && good; name = strtok_r(NULL, ",", &rest)) {
		given.types |= type_bits(name);
		good = type_bits(name);
		if (good)
			continue;
		shown = escaped(name);
		complain("no type of records: '%s': object, map, bpf (bpf-load, bpf-unload), ksym, module, lost or all",
			 shown);
		free(shown);
	}
	free(copy);
	if (good && !given.types) {
		complain("--types needs a type");
		good = false;
	}
	return good;
}

static bool take_count(const char *arg)
{
	char *shown;

	errno = 0;
	given.count = strtoull(arg, NULL, 10);
	if (!errno && given.count && !arg[strspn(arg, "0123456789")])
		return true;
	shown = escaped(arg);
	complain("not a number of records: '%s'", shown);
	free(shown);
	return false;
}

static bool take(int option, const char *arg)
{
	pid_t pid;

	switch (option) {
	case 'o':
		given.output = arg;
		return true;
	case 'f':
		given.file = arg;
		return true;
	case OPTION_OLDEST:
		given.oldest = true;
		return true;
	case 't':
		return take_types(arg);
	case 'n':
		return take_count(arg);
	default:
		if (!parse_pid(arg, &pid))
			return false;
		given.pid = (uint32_t)pid;
		return true;
	}
}

/**
 * struct sink - where records go
 * @opt: options
 * @realtime: as in struct records
 * @fd: file, or -1: they are printed
 * @name: of the file
 * @count: how many went there
 * @lost: how many did not come, by LOST records
 * @full: no more can be taken
 * @code: exit code so far
 */
struct sink {
	const struct options *opt;
	int64_t realtime;
	int fd;
	char *name;
	uint64_t count;
	uint64_t lost;
	bool full;
	int code;
};

/* Records that no process caused have no pid. */
static uint32_t pid_of(const struct buildidx_rec *rec)
{
	switch (rec->type) {
	case BUILDIDX_REC_OBJECT:
		return ((const struct buildidx_rec_object *)rec)->pid;
	case BUILDIDX_REC_MAP:
		return ((const struct buildidx_rec_map *)rec)->pid;
	case BUILDIDX_REC_BPF_LOAD:
		return ((const struct buildidx_rec_bpf *)rec)->pid;
	case BUILDIDX_REC_BPF_UNLOAD:
		return ((const struct buildidx_rec_bpf_unload *)rec)->unload_pid;
	default:
		return 0;
	}
}

static bool is_wanted(const struct buildidx_rec *rec)
{
	if (rec->type == BUILDIDX_REC_LOST)
		return true;
	if (given.types && (rec->type >= BUILDIDX_REC_TYPES || !(given.types & 1U << rec->type)))
		return false;
	return !given.pid || pid_of(rec) == given.pid;
}

/* Return: false when no more can be taken, now or later. */
static bool sink_take(struct sink *s, const struct buildidx_rec *rec)
{
	struct buildidx_error err;
	int ret = 0;

	if (!is_wanted(rec))
		return true;
	if (rec->type == BUILDIDX_REC_LOST) {
		s->lost += ((const struct buildidx_rec_lost *)rec)->lost;
		s->code = worse_of(s->code, EXIT_PARTLY);
	} else {
		s->count++;
	}
	if (s->fd >= 0)
		ret = buildidx_capture_write(s->fd, rec, &err);
	else if (s->opt->json)
		json_print(record_json(rec, s->realtime));
	else
		record_print(rec, s->realtime);
	if (ret) {
		complain("%s: %s", s->name, err.text);
		s->code = worse_of(s->code, exit_code_of(ret));
	}
	s->full = ret || (given.count && s->count >= given.count);
	return !s->full;
}

static int sink_open(struct sink *s, const struct options *opt, const struct buildidx_file *header)
{
	struct buildidx_error err;
	bool standard;
	int ret;

	memset(s, 0, sizeof(*s));
	s->opt = opt;
	s->fd = -1;
	s->realtime = header ? header->realtime : buildidx_realtime_offset();
	if (!given.output)
		return EXIT_OK;
	standard = !strcmp(given.output, "-");
	s->name = escaped(given.output);
	s->fd = standard ? STDOUT_FILENO :
		open(given.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->fd < 0) {
		ret = -errno;
		complain("%s: cannot create: %s", s->name, strerror(errno));
	} else {
		ret = buildidx_capture_start(s->fd, header, &err);
		if (ret)
			complain("%s: %s", s->name, err.text);
	}
	if (ret)
		free(s->name);
	return exit_code_of(ret);
}

static int sink_close(struct sink *s)
{
	if (s->fd >= 0 && s->fd != STDOUT_FILENO && close(s->fd)) {
		complain("%s: cannot write: %s", s->name, strerror(errno));
		s->code = worse_of(s->code, EXIT_PARTLY);
	}
	if (s->fd >= 0)
		complain("%s: %" PRIu64 " records, %" PRIu64 " lost", s->name, s->count, s->lost);
	else if (s->lost)
		complain("%" PRIu64 " records lost", s->lost);
	free(s->name);
	return s->code;
}

/* A file */

/* Its numbers are still those of the other byte order: nobody could read them in our file. */
static bool is_foreign(const struct sink *s, const struct buildidx_capture *c,
		       const struct buildidx_rec *rec)
{
	return s->fd >= 0 && buildidx_capture_foreign(c) && rec->type >= BUILDIDX_REC_TYPES;
}

static int replay(const struct options *opt, struct buildidx_capture *c, const char *name)
{
	const struct buildidx_rec *rec;
	struct buildidx_error err;
	uint64_t foreign = 0;
	struct sink s;
	int ret, code = sink_open(&s, opt, buildidx_capture_header(c));

	if (code)
		return code;
	while ((ret = buildidx_capture_next(c, &rec, &err)) != 0) {
		if (ret < 0) {
			complain("%s: %s", name, err.text);
			s.code = worse_of(s.code, exit_code_of(ret));
		} else if (is_foreign(&s, c, rec)) {
			foreign++;
		} else if (!sink_take(&s, rec)) {
			break;
		}
	}
	if (foreign) {
		complain("%s: %" PRIu64 " records of types that this version does not know are left out, as the file is of the other byte order",
			 name, foreign);
		s.code = worse_of(s.code, EXIT_PARTLY);
	}
	if (buildidx_capture_ignored(c))
		complain("%s: the last record is not whole: %" PRIu64 " bytes are left aside", name,
			 buildidx_capture_ignored(c));
	return sink_close(&s);
}

/* Opening it for the output would empty it before it is read. */
static bool is_own_output(int fd)
{
	struct stat in, out;

	return given.output && strcmp(given.output, "-") && !fstat(fd, &in) && S_ISREG(in.st_mode) &&
	       !stat(given.output, &out) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

static int run_file(const struct options *opt)
{
	bool standard = !strcmp(given.file, "-");
	int fd = standard ? STDIN_FILENO : open(given.file, O_RDONLY | O_CLOEXEC);
	char *name = escaped(given.file);
	struct buildidx_capture *c;
	struct buildidx_error err;
	int ret, code;

	if (fd < 0) {
		code = exit_code_of(-errno);
		complain("%s: cannot open: %s", name, strerror(errno));
	} else if (is_own_output(fd)) {
		code = EXIT_USAGE;
		complain("watch: %s cannot be read and written at once", name);
		if (!standard)
			close(fd);
	} else {
		ret = buildidx_capture_open(fd, &c, &err);
		code = exit_code_of(ret);
		if (ret) {
			complain("%s: %s", name, err.text);
		} else {
			code = replay(opt, c, name);
			buildidx_capture_close(c);
		}
		if (!standard)
			close(fd);
	}
	free(name);
	return code;
}

/* The stream */

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void end_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/*
 * The first one ends us after the record that we are at. It is not blocked, as records may come
 * without a pause; the next one kills, as whoever reads our output may have stopped.
 */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND };
	sigset_t set;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	end_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static bool dump_one(void *ctx, const struct buildidx_rec *rec)
{
	return sink_take(ctx, rec) && !interrupted;
}

/*
 * A file starts with what is there already, so that it needs nothing else. The stream
 * was opened before: what comes meanwhile is in both, which readers know.
 */
static int dump_first(struct records *from, struct sink *s)
{
	unsigned int types = 1U << BUILDIDX_REC_BPF_LOAD | 1U << BUILDIDX_REC_KSYM |
			     1U << BUILDIDX_REC_MODULE;

	if (given.types)
		types &= given.types;
	if (!types || given.pid)
		return EXIT_OK;
	records_adopt(from);
	return records_each(from, given.oldest ? 0 : BUILDIDX_RECORDS_LIVE, types, dump_one, s);
}

/* Nobody reads our output any more: told as an error of the pipe, without being asked for. */
static bool is_alone(const struct pollfd *out)
{
	return out->revents & POLLERR;
}

static int wait_for(struct buildidx_events *events)
{
	struct pollfd p[] = {
		{ .fd = buildidx_events_fd(events), .events = POLLIN },
		{ .fd = STDOUT_FILENO },
	};
	sigset_t block, waiting;
	int ret, error;

	/* whoever reads our output should not wait for it */
	fflush(stdout);
	/* a signal must not slip in between the look at it and the wait */
	end_signals(&block);
	sigprocmask(SIG_BLOCK, &block, &waiting);
	ret = interrupted ? 0 : ppoll(p, 2, NULL, &waiting);
	error = errno;
	sigprocmask(SIG_SETMASK, &waiting, NULL);
	if (ret < 0) {
		if (error == EINTR)
			return EXIT_OK;
		complain("cannot wait for records: %s", strerror(error));
		return EXIT_PARTLY;
	}
	if (is_alone(&p[1]))
		interrupted = 1;
	return EXIT_OK;
}

static int follow(struct buildidx_events *events, struct sink *s)
{
	const struct buildidx_rec *rec;
	struct buildidx_error err;
	int ret, code;

	while (!interrupted && !s->full && !ferror(stdout)) {
		ret = buildidx_events_next(events, &rec, &err);
		if (ret < 0) {
			complain("%s", err.text);
			return exit_code_of(ret);
		}
		if (ret) {
			sink_take(s, rec);
			continue;
		}
		code = wait_for(events);
		if (code)
			return code;
	}
	return EXIT_OK;
}

static int run_stream(const struct options *opt)
{
	struct buildidx_events *events;
	struct buildidx_error err;
	struct records from;
	struct sink s;
	int ret, code;

	code = records_open(&from, NULL);
	if (code)
		return code;
	ret = buildidx_events_open(from.bx, given.oldest ? BUILDIDX_STREAM_OLDEST : 0, given.types,
				   &events, &err);
	if (ret) {
		complain("%s", err.text);
		code = exit_code_of(ret);
		goto close;
	}
	code = sink_open(&s, opt, NULL);
	if (code)
		goto stop;
	catch_signals();
	if (given.output)
		code = dump_first(&from, &s);
	if (!code)
		code = follow(events, &s);
	code = worse_of(worse_of(code, from.code), sink_close(&s));
stop:
	buildidx_events_close(events);
close:
	records_close(&from);
	return code;
}

static int run(const struct options *opt, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (given.file && given.oldest) {
		complain("watch: a file is read from its start; --oldest is for the module");
		return EXIT_USAGE;
	}
	if (given.output && opt->json) {
		complain("watch: -o writes records, not JSON; `buildidx watch --json --file=FILE` prints them");
		return EXIT_USAGE;
	}
	return given.file ? run_file(opt) : run_stream(opt);
}

const struct command cmd_watch = {
	.name = "watch",
	.args = "",
	.summary = "What the kernel loads, as it happens",
	.help =
	"One line for each record: files that got an identity (object) or were mapped (map,\n"
	"only when asked for), BPF programs, generated kernel text (ksym) and modules that\n"
	"come (+) and go (-). Until it is interrupted. What came too fast is counted as lost,\n"
	"and makes the exit code 1.\n"
	"\n"
	"With -o the records are written to a file, which starts with what is there already\n"
	"and has all that is needed to read it anywhere: by --file here, in `buildidx bpf`\n"
	"and in `buildidx resolve`. Needs the module, and CAP_PERFMON or CAP_SYS_ADMIN; a\n"
	"file needs neither. With --json each record is one line.\n",
	.accepts = OPT_JSON,
	.options = options,
	.options_help =
	"  -o, --output=FILE  write records to a file; -: standard output\n"
	"  -f, --file=FILE  read a file; -: standard input\n"
	"      --oldest     begin at the oldest record that the module keeps; with -o, write\n"
	"                   what is gone too\n"
	"  -t, --types=TYPE,...  only object, map, bpf, ksym, module; all: with map\n"
	"  -p, --pid=PID    only what this process caused\n"
	"  -n, --count=N    end after so many\n",
	.take = take,
	.run = run,
};
