// SPDX-License-Identifier: GPL-2.0
/*
 * Load the sampling programs, choose those that this kernel allows, and read
 * the ring.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "../../../include/buildidx_bpf_present.h"
#include "sampler.skel.h"
#include "sampler.h"

struct sampler {
	struct sampler_bpf *skel;
	struct ring_buffer *ring;
	struct sample_counts *counts;
	long page;
	bool buildidx;
	int *perf_fds;
	struct bpf_link **perf_links;
	int nr_cpus;
	int (*one)(void *ctx, const struct sample *sample);
	void *ctx;
};

/*
 * NMI_MASK of the kernel's preempt.h. With CONFIG_HAS_SEPARATE_PREEMPT_RESCHED_BITS
 * the counter is a long and the NMI bits are the top four of its low word.
 */
static __u32 nmi_mask(struct btf *vmlinux)
{
	const struct btf_type *t;
	__s32 id = btf__find_by_name_kind(vmlinux, "__preempt_count", BTF_KIND_VAR);

	if (id > 0) {
		t = btf__type_by_id(vmlinux, id);
		if (t && btf__resolve_size(vmlinux, t->type) == 8)
			return 0xf0000000;
	}
	return 0x00f00000;
}

/* kfuncs from perf_event programs: 6.12 and later */
static bool perf_program_allowed(void)
{
	struct utsname u;
	unsigned int major = 0, minor = 0;

	uname(&u);
	if (sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 12);
}

static int open_clock(struct sampler *s, unsigned int hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
	};
	int cpu;

	s->perf_fds = calloc(s->nr_cpus, sizeof(*s->perf_fds));
	s->perf_links = calloc(s->nr_cpus, sizeof(*s->perf_links));
	if (!s->perf_fds || !s->perf_links)
		return -ENOMEM;
	for (cpu = 0; cpu < s->nr_cpus; cpu++)
		s->perf_fds[cpu] = -1;
	for (cpu = 0; cpu < s->nr_cpus; cpu++) {
		s->perf_fds[cpu] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
					   PERF_FLAG_FD_CLOEXEC);
		if (s->perf_fds[cpu] < 0)
			return -errno;
		if (!perf_program_allowed())
			continue;
		s->perf_links[cpu] = bpf_program__attach_perf_event(s->skel->progs.sample_clock,
								    s->perf_fds[cpu]);
		if (!s->perf_links[cpu])
			return -errno;
	}
	return 0;
}

static int one_sample(void *ctx, void *data, size_t size)
{
	struct sampler *s = ctx;

	if (size < sizeof(struct sample))
		return -EINVAL;
	return s->one(s->ctx, data);
}

static int load(struct sampler *s, const struct sampler_config *config, struct btf *vmlinux)
{
	bool clock = config->clock_hz != 0;
	struct bpf_link *link;
	int err;

	s->skel->rodata->have_buildidx = s->buildidx;
	s->skel->rodata->nmi_mask = nmi_mask(vmlinux);
	bpf_program__set_autoload(s->skel->progs.sample_nmi, config->nmi);
	bpf_program__set_autoload(s->skel->progs.sample_clock, clock && perf_program_allowed());
	bpf_program__set_autoload(s->skel->progs.sample_clock_fentry,
				  clock && !perf_program_allowed());
	if (config->ring_bytes)
		bpf_map__set_max_entries(s->skel->maps.samples, config->ring_bytes);
	err = sampler_bpf__load(s->skel);
	if (err)
		return err;
	s->counts = mmap(NULL, s->page, PROT_READ, MAP_SHARED, sampler_counts_fd(s), 0);
	if (s->counts == MAP_FAILED) {
		s->counts = NULL;
		return -errno;
	}
	s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.samples), one_sample, s, NULL);
	if (!s->ring)
		return -errno;
	if (config->nmi) {
		link = bpf_program__attach(s->skel->progs.sample_nmi);
		if (!link)
			return -errno;
		s->skel->links.sample_nmi = link;
	}
	if (clock && !perf_program_allowed()) {
		link = bpf_program__attach(s->skel->progs.sample_clock_fentry);
		if (!link)
			return -errno;
		s->skel->links.sample_clock_fentry = link;
	}
	return clock ? open_clock(s, config->clock_hz) : 0;
}

struct sampler *sampler_open(const struct sampler_config *config)
{
	struct sampler *s = calloc(1, sizeof(*s));
	struct btf *vmlinux = NULL;
	int err = -ENOMEM;

	if (!s)
		goto out;
	s->page = sysconf(_SC_PAGESIZE);
	s->nr_cpus = libbpf_num_possible_cpus();
	vmlinux = btf__load_vmlinux_btf();
	if (!vmlinux) {
		err = -errno;
		goto out;
	}
	s->buildidx = buildidx_bpf_present("bpf_buildidx_stack_build_id") &&
		      buildidx_bpf_present("bpf_buildidx_frames");
	s->skel = sampler_bpf__open();
	if (!s->skel) {
		err = -errno;
		goto out;
	}
	err = load(s, config, vmlinux);
out:
	btf__free(vmlinux);
	if (err) {
		fprintf(stderr, "sampler: cannot load or attach: %s\n", strerror(-err));
		sampler_close(s);
		errno = -err;
		return NULL;
	}
	return s;
}

void sampler_close(struct sampler *s)
{
	int cpu;

	if (!s)
		return;
	for (cpu = 0; s->perf_links && cpu < s->nr_cpus; cpu++)
		bpf_link__destroy(s->perf_links[cpu]);
	for (cpu = 0; s->perf_fds && cpu < s->nr_cpus; cpu++)
		if (s->perf_fds[cpu] >= 0)
			close(s->perf_fds[cpu]);
	free(s->perf_links);
	free(s->perf_fds);
	ring_buffer__free(s->ring);
	if (s->counts)
		munmap(s->counts, s->page);
	sampler_bpf__destroy(s->skel);
	free(s);
}

bool sampler_has_buildidx(const struct sampler *s)
{
	return s->buildidx;
}

int sampler_watch(struct sampler *s, pid_t tgid)
{
	__u32 key = tgid;
	__u8 one = 1;

	return bpf_map_update_elem(bpf_map__fd(s->skel->maps.watched), &key, &one, BPF_ANY) ? -1 : 0;
}

int sampler_unwatch(struct sampler *s, pid_t tgid)
{
	__u32 key = tgid;

	return bpf_map_delete_elem(bpf_map__fd(s->skel->maps.watched), &key) ? -1 : 0;
}

const volatile struct sample_counts *sampler_counts(const struct sampler *s)
{
	return s->counts;
}

int sampler_counts_fd(const struct sampler *s)
{
	return bpf_map__fd(s->skel->maps.counts);
}

int sampler_drain(struct sampler *s, int (*one)(void *ctx, const struct sample *sample),
		  void *ctx)
{
	s->one = one;
	s->ctx = ctx;
	return ring_buffer__consume(s->ring);
}
