// SPDX-License-Identifier: GPL-2.0
/*
 * Loads the BPF program, drives its clock and hands out its records.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "churn.skel.h"
#include "collect.h"

static void *map_memory(int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED) {
		perror("churn: mmap of a BPF map");
		return NULL;
	}
	return p;
}

int collect_prepare(struct collect *c)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < COLLECT_CPUS; i++)
		c->clock[i] = -1;
	if (cpus < 1 || cpus > COLLECT_CPUS) {
		fprintf(stderr, "churn: written for 1 to %d CPUs, not %ld\n", COLLECT_CPUS, cpus);
		return -1;
	}
	c->cpus = cpus;
	c->state_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "state", sizeof(__u32),
				     sizeof(struct churn_state), 1, &opts);
	if (c->state_fd < 0) {
		perror("churn: BPF map");
		return -1;
	}
	c->state = map_memory(c->state_fd, sizeof(*c->state));
	return c->state ? 0 : -1;
}

/* From 6.12 the verifier lets perf_event programs call the kfunc. */
static bool has_clock_program(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	return sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 12));
}

static int start_clock(struct collect *c, __u64 clock_ns)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = clock_ns,
	};
	__u32 cpu;

	for (cpu = 0; cpu < c->cpus; cpu++) {
		c->clock[cpu] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
					PERF_FLAG_FD_CLOEXEC);
		if (c->clock[cpu] < 0) {
			perror("churn: perf_event_open");
			return -1;
		}
		if (!c->skel->rodata->clock_program)
			continue;
		c->link[cpu] = bpf_program__attach_perf_event(c->skel->progs.on_clock,
							      c->clock[cpu]);
		if (!c->link[cpu]) {
			perror("churn: BPF program on the clock");
			return -1;
		}
	}
	return 0;
}

int collect_load(struct collect *c, __u64 clock_ns)
{
	memset(c->position, 0, sizeof(c->position));
	memset(c->state->tail, 0, sizeof(c->state->tail));
	c->skel = churn_bpf__open();
	if (!c->skel) {
		perror("churn: BPF object");
		return -1;
	}
	c->skel->rodata->clock_program = has_clock_program();
	bpf_program__set_autoload(c->skel->progs.on_clock, c->skel->rodata->clock_program);
	bpf_map__set_max_entries(c->skel->maps.ring, CHURN_RING * c->cpus);
	if (bpf_map__reuse_fd(c->skel->maps.state, c->state_fd) || churn_bpf__load(c->skel)) {
		fprintf(stderr, "churn: the BPF program does not load; is the module loaded, with BTF?\n");
		goto fail;
	}
	c->ring = map_memory(bpf_map__fd(c->skel->maps.ring),
			     CHURN_RING * c->cpus * sizeof(*c->ring));
	c->counts = map_memory(bpf_map__fd(c->skel->maps.counts), 64 * sizeof(*c->counts));
	if (!c->ring || !c->counts || churn_bpf__attach(c->skel)) {
		fprintf(stderr, "churn: the BPF program does not attach\n");
		goto fail;
	}
	if (start_clock(c, clock_ns))
		goto fail;
	return 0;
fail:
	collect_unload(c);
	return -1;
}

unsigned int collect_drain(struct collect *c,
			   void (*fn)(void *arg, const struct churn_record *r), void *arg)
{
	unsigned int done = 0;
	__u32 cpu;

	for (cpu = 0; cpu < c->cpus; cpu++) {
		__u64 *at = &c->position[cpu];

		for (;;) {
			const struct churn_record *r =
				&c->ring[cpu * CHURN_RING + (*at & (CHURN_RING - 1))];

			if (__atomic_load_n(&r->commit, __ATOMIC_ACQUIRE) != *at + 1)
				break;
			fn(arg, r);
			__atomic_store_n(&c->state->tail[cpu], ++*at, __ATOMIC_RELEASE);
			done++;
		}
	}
	return done;
}

int collect_probes(const struct collect *c)
{
	return bpf_map__fd(c->skel->maps.probes);
}

struct churn_counts collect_counts(const struct collect *c)
{
	struct churn_counts sum = { 0 };
	__u32 cpu, i;

	for (cpu = 0; cpu < c->cpus; cpu++) {
		for (i = 0; i < CHURN_SOURCES; i++) {
			sum.hits[i] += c->counts[cpu].hits[i];
			sum.lost[i] += c->counts[cpu].lost[i];
		}
		sum.head += c->counts[cpu].head;
		sum.nmi_handled += c->counts[cpu].nmi_handled;
	}
	return sum;
}

void collect_unload(struct collect *c)
{
	__u32 cpu;

	for (cpu = 0; cpu < c->cpus; cpu++) {
		if (c->clock[cpu] >= 0 && !c->link[cpu])
			close(c->clock[cpu]);
		bpf_link__destroy(c->link[cpu]); /* closes the event too */
		c->clock[cpu] = -1;
		c->link[cpu] = NULL;
	}
	if (c->ring)
		munmap(c->ring, CHURN_RING * c->cpus * sizeof(*c->ring));
	if (c->counts)
		munmap(c->counts, 64 * sizeof(*c->counts));
	c->ring = NULL;
	c->counts = NULL;
	churn_bpf__destroy(c->skel);
	c->skel = NULL;
}
