// SPDX-License-Identifier: GPL-2.0
/*
 * profile_sampler - the BPF programs of `buildidx profile`, and their maps
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "profile_sampler.h"
#include "profile.skel.h"
#include "tool.h"

/* Drained twice a second: room for four times of what can come in between. */
#define ROOM_SECONDS	2
#define ROOM_MIN	1024
#define ROOM_MAX	65536
#define NS_PER_S	1000000000U

struct sampler {
	struct sampler_config config;
	struct profile_bpf *skel;
	struct ring_buffer *ring;
	int stacks[2];		/* one is in use by the programs, the other empty */
	int in_use;
	int nr_cpus;		/* possible ones */
	int *events;		/* of each, -1 where it is offline */
	bool hardware;
	bool catch;		/* a tracing program takes what perf_event programs miss */
	void (*place)(void *ctx, const struct profile_place *place);
	void *ctx;
};

/* Its messages of lower levels are of use to its developers only. */
static int print_warning(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level != LIBBPF_WARN)
		return 0;
	fflush(stdout);
	return vfprintf(stderr, fmt, ap);
}

static int fail(int error, const char *what)
{
	if (error == -EPERM || error == -EACCES)
		complain("%s: %s; profiling needs root, or CAP_BPF and CAP_PERFMON", what,
			 strerror(-error));
	else
		complain("%s: %s", what, strerror(-error));
	return exit_code_of(error);
}

static int open_event(int cpu, bool hardware, unsigned int hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = hardware ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_events(struct sampler *s)
{
	int cpu;

	for (cpu = 0; s->events && cpu < s->nr_cpus; cpu++) {
		if (s->events[cpu] >= 0)
			close(s->events[cpu]);
		s->events[cpu] = -1;
	}
}

/* One event on each CPU that is online. Return: their number, or -errno. */
static int open_events(struct sampler *s, bool hardware)
{
	int cpu, fd, n = 0;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		fd = open_event(cpu, hardware, s->config.hz);
		if (fd == -ENODEV && !hardware)
			continue; /* offline */
		if (fd < 0) {
			close_events(s);
			return fd;
		}
		s->events[cpu] = fd;
		n++;
	}
	return n ? n : -ENODEV;
}

/* More than the kernel allows is answered with EINVAL, which says nothing. */
static bool rate_allowed(unsigned int hz)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	unsigned int max = 0;
	FILE *f = fopen(path, "re");

	if (!f)
		return true;
	if (fscanf(f, "%u", &max) != 1)
		max = 0;
	fclose(f);
	if (!max || hz <= max)
		return true;
	complain("%u samples a second are more than this kernel allows (%u); raise %s or ask for less",
		 hz, max, path);
	return false;
}

static int open_clock(struct sampler *s)
{
	int n;

	if (!rate_allowed(s->config.hz))
		return EXIT_USAGE;
	/* Where there is a PMU on each CPU, its interrupt is an NMI; else the CPU clock. */
	n = open_events(s, true);
	s->hardware = n > 0;
	if (n < 0)
		n = open_events(s, false);
	return n < 0 ? fail(n, "cannot open a perf event") : EXIT_OK;
}

static int tell_ids(struct sampler *s)
{
	int cpu, fd = bpf_map__fd(s->skel->maps.events);
	uint8_t one = 1;
	uint64_t id;

	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		if (s->events[cpu] < 0)
			continue;
		if (ioctl(s->events[cpu], PERF_EVENT_IOC_ID, &id) ||
		    bpf_map_update_elem(fd, &id, &one, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int make_stacks(struct sampler *s)
{
	unsigned long room = (unsigned long)s->config.hz * (unsigned long)s->nr_cpus * ROOM_SECONDS;
	uint32_t zero = 0;
	int i;

	if (room < ROOM_MIN)
		room = ROOM_MIN;
	if (room > ROOM_MAX)
		room = ROOM_MAX;
	for (i = 0; i < 2; i++) {
		s->stacks[i] = bpf_map_create(BPF_MAP_TYPE_HASH, "stacks",
					      sizeof(struct profile_stack), sizeof(uint64_t),
					      (uint32_t)room, NULL);
		if (s->stacks[i] < 0)
			return -errno;
	}
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.current_stacks), &zero, &s->stacks[0],
				BPF_ANY))
		return -errno;
	return 0;
}

static int one_place(void *ctx, void *data, size_t size)
{
	struct sampler *s = ctx;

	if (size >= sizeof(struct profile_place))
		s->place(s->ctx, data);
	return 0;
}

/* Has this kernel what it takes? */
static bool can_catch(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool can = btf && btf__find_by_name_kind(btf, "__perf_event_overflow", BTF_KIND_FUNC) > 0 &&
		   btf__find_by_name_kind(btf, "bpf_prog_active", BTF_KIND_VAR) > 0;

	btf__free(btf);
	return can;
}

static int load(struct sampler *s)
{
	const struct sampler_config *c = &s->config;
	int err;

	s->skel = profile_bpf__open();
	if (!s->skel)
		return fail(-errno, "cannot open the BPF programs");
	s->skel->rodata->have_buildidx = c->kfunc;
	s->skel->rodata->ask_stock = c->stock;
	s->skel->rodata->only_targets = c->targets;
	s->skel->rodata->tell_places = c->places;
	s->skel->rodata->tell_pids = c->pids;
	s->skel->rodata->take_kernel = c->kernel;
	s->skel->rodata->take_user = c->user;
	s->catch = !c->fentry && can_catch();
	s->skel->rodata->only_missed = s->catch;
	bpf_program__set_autoload(s->skel->progs.sample_event, !c->fentry);
	bpf_program__set_autoload(s->skel->progs.sample_overflow, c->fentry || s->catch);
	bpf_program__set_autoload(s->skel->progs.on_fork, c->targets);
	bpf_program__set_autoload(s->skel->progs.on_exit, c->targets);
	bpf_map__set_max_entries(s->skel->maps.events, (uint32_t)s->nr_cpus);
	err = profile_bpf__load(s->skel);
	if (err)
		return fail(err, "cannot load the BPF programs");
	err = make_stacks(s);
	if (err)
		return fail(err, "cannot make the maps of stacks");
	if (c->places) {
		s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.places), one_place, s, NULL);
		if (!s->ring)
			return fail(-errno, "cannot map the ring");
	}
	return EXIT_OK;
}

int sampler_open(struct sampler **sampler, const struct sampler_config *config)
{
	struct sampler *s = must(calloc(1, sizeof(*s)));
	int code, cpu;

	s->config = *config;
	s->stacks[0] = -1;
	s->stacks[1] = -1;
	libbpf_set_print(print_warning);
	s->nr_cpus = libbpf_num_possible_cpus();
	if (s->nr_cpus < 0) {
		code = fail(s->nr_cpus, "cannot tell the number of CPUs");
		s->nr_cpus = 0;
		goto failed;
	}
	s->events = must(calloc((size_t)s->nr_cpus, sizeof(*s->events)));
	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		s->events[cpu] = -1;
	code = open_clock(s);
	if (code)
		goto failed;
	code = load(s);
	if (code)
		goto failed;
	*sampler = s;
	return EXIT_OK;
failed:
	sampler_close(s);
	return code;
}

void sampler_close(struct sampler *s)
{
	int i;

	if (!s)
		return;
	close_events(s);
	free(s->events);
	ring_buffer__free(s->ring);
	profile_bpf__destroy(s->skel);
	for (i = 0; i < 2; i++)
		if (s->stacks[i] >= 0)
			close(s->stacks[i]);
	free(s);
}

const char *sampler_clock(const struct sampler *s)
{
	return s->hardware ? "cycles" : "cpu-clock";
}

unsigned int sampler_cpus(const struct sampler *s)
{
	unsigned int n = 0;
	int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		n += s->events[cpu] >= 0;
	return n;
}

int sampler_follow(struct sampler *s, pid_t pid)
{
	uint32_t key = (uint32_t)pid;
	uint8_t one = 1;

	return bpf_map_update_elem(bpf_map__fd(s->skel->maps.targets), &key, &one, BPF_ANY) ?
		-errno : 0;
}

static int each_event(struct sampler *s, unsigned long request, int arg)
{
	int cpu;

	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		if (s->events[cpu] >= 0 && ioctl(s->events[cpu], request, arg))
			return -errno;
	return 0;
}

int sampler_start(struct sampler *s)
{
	struct bpf_link *link;
	int err;

	/* attaches what was loaded, except a perf_event program, which needs its events */
	bpf_program__set_autoattach(s->skel->progs.sample_event, false);
	if (s->catch) {
		/* in a kernel that inlines that function, it goes without */
		bpf_program__set_autoattach(s->skel->progs.sample_overflow, false);
		link = bpf_program__attach(s->skel->progs.sample_overflow);
		s->catch = link;
		s->skel->links.sample_overflow = link;
	}
	err = profile_bpf__attach(s->skel);
	if (err)
		return fail(err, s->config.fentry ?
			    "cannot attach to __perf_event_overflow (needed on a kernel whose perf_event programs may not call the module)" :
			    "cannot attach the BPF programs");
	err = tell_ids(s);
	if (!err && !s->config.fentry)
		err = each_event(s, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(s->skel->progs.sample_event));
	if (!err)
		err = each_event(s, PERF_EVENT_IOC_ENABLE, 0);
	return err ? fail(err, "cannot attach to the perf events") : EXIT_OK;
}

void sampler_stop(struct sampler *s)
{
	each_event(s, PERF_EVENT_IOC_DISABLE, 0);
	profile_bpf__detach(s->skel);
}

int sampler_drain(struct sampler *s,
		  void (*one)(void *ctx, const struct profile_stack *stack, uint64_t count),
		  void *ctx)
{
	int full = s->stacks[s->in_use], empty = s->stacks[!s->in_use];
	struct profile_stack key, next;
	uint32_t zero = 0;
	uint64_t count;
	bool more;

	/* Returns when no program uses the full one any more. */
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.current_stacks), &zero, &empty, BPF_ANY))
		return -errno;
	s->in_use = !s->in_use;
	/* From the start each time, it would look through all that is empty already. */
	more = !bpf_map_get_next_key(full, NULL, &next);
	while (more) {
		key = next;
		more = !bpf_map_get_next_key(full, &key, &next);
		if (!more && errno != ENOENT)
			return -errno;
		if (bpf_map_lookup_and_delete_elem(full, &key, &count))
			return -errno;
		one(ctx, &key, count);
	}
	return errno == ENOENT ? 0 : -errno;
}

bool sampler_object(const struct sampler *s, uint64_t number, struct profile_object *o)
{
	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.objects), &number, o);
}

void sampler_places(struct sampler *s,
		    void (*one)(void *ctx, const struct profile_place *place), void *ctx)
{
	s->place = one;
	s->ctx = ctx;
	if (s->ring)
		ring_buffer__consume(s->ring);
}

/* The programs tell it when they see it next. */
void sampler_tell_again(struct sampler *s, uint64_t number)
{
	struct profile_object o;

	if (!sampler_object(s, number, &o))
		return;
	o.told = 0;
	bpf_map_update_elem(bpf_map__fd(s->skel->maps.objects), &number, &o, BPF_EXIST);
}

int sampler_places_fd(const struct sampler *s)
{
	return s->ring ? ring_buffer__epoll_fd(s->ring) : -1;
}

static uint64_t missed_by(const struct bpf_program *prog)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_program__fd(prog);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.recursion_misses;
}

int sampler_counts(const struct sampler *s, struct profile_counts *sum, uint64_t *missed)
{
	struct profile_counts *each = must(calloc((size_t)s->nr_cpus, sizeof(*each)));
	uint64_t *to = (uint64_t *)sum;
	uint32_t zero = 0;
	int cpu, err = 0;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counts), &zero, each)) {
		err = -errno;
		goto out;
	}
	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		for (i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
			to[i] += ((const uint64_t *)&each[cpu])[i];
	*missed = missed_by(s->skel->progs.sample_overflow) +
		  missed_by(s->skel->progs.sample_event);
out:
	free(each);
	return err;
}

bool sampler_knows_missed(const struct sampler *s)
{
	return s->config.fentry || s->catch;
}

uint64_t sampler_expected(const struct sampler *s)
{
	struct {
		uint64_t value;
		uint64_t running;
	} event;
	uint64_t n = 0;
	int cpu;

	/* cycles do not tell: a CPU that does nothing has none, and their number for a sample varies */
	for (cpu = 0; !s->hardware && cpu < s->nr_cpus; cpu++)
		if (s->events[cpu] >= 0 &&
		    read(s->events[cpu], &event, sizeof(event)) == (ssize_t)sizeof(event))
			n += event.running / (NS_PER_S / s->config.hz);
	return n;
}
