// SPDX-License-Identifier: GPL-2.0
/*
 * kprobes in the middle of the kernel's own split, merge and store code.
 */
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aim.h"
#include "ksym.h"
#include "truth.h"

/*
 * More than any one kernel has; a name also stands for its .isra and .constprop
 * clones. The heavier, the more probes. The maple tree's own functions are not
 * here: the kernel probes nothing that is built without ftrace.
 */
static const struct {
	const char *name;
	__u32 weight;
	enum aim_role role;
} wanted[] = {
	/* 6.1 */
	{ "__vma_adjust", 16, AIM_ADJUST },
	{ "vma_mas_store", 8, AIM_OTHER },
	{ "do_mas_align_munmap", 3, AIM_OTHER },
	{ "vma_merge", 2, AIM_OTHER },
	/* later */
	{ "vma_prepare", 4, AIM_OTHER },
	{ "vma_complete", 4, AIM_OTHER },
	{ "init_multi_vma_prep", 1, AIM_OTHER },
	{ "commit_merge", 6, AIM_MERGE },
	{ "vma_merge_existing_range", 4, AIM_OTHER },
	{ "vma_merge_new_range", 2, AIM_OTHER },
	{ "vma_expand", 2, AIM_OTHER },
	{ "vma_shrink", 1, AIM_OTHER },
	{ "vma_modify", 4, AIM_OTHER },
	{ "vma_modify_flags", 2, AIM_OTHER },
	{ "vma_set_range", 2, AIM_OTHER },
	{ "vma_iter_store", 6, AIM_OTHER },
	{ "vma_iter_store_overwrite", 6, AIM_OTHER },
	{ "vma_mark_detached", 1, AIM_OTHER },
	{ "__vma_start_write", 2, AIM_OTHER },
	{ "do_vmi_align_munmap", 2, AIM_OTHER },
	{ "vms_gather_munmap_vmas", 2, AIM_OTHER },
	{ "vms_complete_munmap_vmas", 2, AIM_OTHER },
	{ "__mmap_region", 3, AIM_OTHER },
	/* both */
	{ "__split_vma", 6, AIM_SPLIT },
	{ "mmap_region", 2, AIM_OTHER },
	{ "vm_area_dup", 1, AIM_OTHER },
	{ "vm_area_free", 1, AIM_OTHER },
	{ "vma_interval_tree_insert", 3, AIM_OTHER },
	{ "vma_interval_tree_remove", 3, AIM_OTHER },
	{ "mapping_rmap_tree_insert", 3, AIM_OTHER },	/* the same in 7.x */
	{ "mapping_rmap_tree_remove", 3, AIM_OTHER },
	{ "unlink_file_vma", 1, AIM_OTHER },
	{ "copy_vma", 1, AIM_OTHER },
	{ "mprotect_fixup", 2, AIM_OTHER },
};

#define TRIES		3000	/* most addresses are not the start of an instruction */

static int perf_open(struct perf_event_attr *attr, int cpu)
{
	return syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* true when @name is @want or a clone of it by the compiler */
static bool is_function(const char *name, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(name, want, n) &&
	       (!name[n] || !strncmp(name + n, ".isra", 5) ||
		!strncmp(name + n, ".constprop", 10));
}

static void note_function(struct aim *a, const struct ksym *k, __u64 size)
{
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct aim_function *f = &a->function[a->nr];

		if (!is_function(k->name, wanted[i].name) || a->nr == AIM_FUNCTIONS)
			continue;
		memset(f, 0, sizeof(*f));
		snprintf(f->name, sizeof(f->name), "%s", k->name);
		f->address = k->address;
		f->size = size;
		f->weight = wanted[i].weight;
		f->role = wanted[i].role;
		a->nr++;
		return;
	}
}

/* Index of a function, at random by weight; @x is any number. */
static __u32 choose(const struct aim *a, __u32 x)
{
	__u32 i, sum = 0;

	for (i = 0; i < a->nr; i++)
		sum += a->function[i].weight;
	x %= sum;
	for (i = 0; x >= a->function[i].weight; i++)
		x -= a->function[i].weight;
	return i;
}

static __u32 next_random(struct aim *a)
{
	a->random ^= a->random << 13;
	a->random ^= a->random >> 17;
	a->random ^= a->random << 5;
	return a->random;
}

static int find_functions(struct aim *a, size_t symbols)
{
	const struct ksym *k = ksym_table();
	size_t i;
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "re");

	if (!f || fscanf(f, "%u", &a->pmu) != 1) {
		fprintf(stderr, "churn: this kernel has no kprobe perf events\n");
		return -1;
	}
	fclose(f);
	for (i = 0; i + 1 < symbols; i++)
		note_function(a, &k[i], k[i + 1].address - k[i].address);
	if (!a->nr) {
		fprintf(stderr, "churn: no known mapping function in /proc/kallsyms\n");
		return -1;
	}
	return 0;
}

/* With IBT a probe on an entry is moved behind the endbr64. */
#define ENDBR	4

static bool count_at(struct aim *a, __u64 address)
{
	__u64 zero = 0;

	return !bpf_map_update_elem(a->map, &address, &zero, BPF_ANY);
}

static __u64 take_count(struct aim *a, __u64 address)
{
	__u64 hits = 0;

	bpf_map_lookup_elem(a->map, &address, &hits);
	bpf_map_delete_elem(a->map, &address);
	return hits;
}

/* The kernel refuses what is not the start of an instruction, and what must not be probed. */
static bool place(struct aim *a, __u32 function, __u64 offset)
{
	struct aim_probe *p = &a->probe[a->nr_probes];
	__u64 address = a->function[function].address + offset;
	struct perf_event_attr attr = {
		.type = a->pmu,
		.size = sizeof(attr),
		.kprobe_addr = address,
		.sample_period = 1,
		.disabled = 1,
	};
	__u32 i, cpu;

	for (i = 0; i < a->nr_probes; i++)
		if (a->probe[i].address == address)
			return false;
	if (!count_at(a, address) || (!offset && !count_at(a, address + ENDBR)))
		return false;
	for (cpu = 0; cpu < a->cpus; cpu++) {
		p->fd[cpu] = perf_open(&attr, cpu);
		if (p->fd[cpu] < 0)
			break;
	}
	if (cpu < a->cpus) {
		while (cpu--)
			close(p->fd[cpu]);
		take_count(a, address);
		if (!offset)
			take_count(a, address + ENDBR);
		return false;
	}
	p->address = address;
	p->function = function;
	a->function[function].probes++;
	a->nr_probes++;
	return true;
}

int aim_place(struct aim *a, size_t symbols, int map, __u32 cpus, __u32 seed)
{
	__u32 n, tries;

	memset(a, 0, sizeof(*a));
	a->map = map;
	a->cpus = cpus;
	a->random = seed | 1;
	if (find_functions(a, symbols))
		return -1;
	for (n = 0; n < a->nr; n++)
		if (a->function[n].role != AIM_OTHER)
			place(a, n, 0);
	a->nr_entries = a->nr_probes;
	for (tries = 0; tries < TRIES && a->nr_probes < AIM_PROBES; tries++) {
		__u32 i = choose(a, next_random(a));
		__u64 size = a->function[i].size;

		if (size > 2 * ENDBR)
			place(a, i, 2 * ENDBR + next_random(a) % (size - 2 * ENDBR));
	}
	if (a->nr_probes == a->nr_entries) {
		fprintf(stderr, "churn: no kprobe can be placed in the mapping code\n");
		return -1;
	}
	a->first = a->nr_entries;
	return 0;
}

static void switch_probe(const struct aim *a, __u32 probe, unsigned long request)
{
	__u32 cpu;

	for (cpu = 0; cpu < a->cpus; cpu++)
		if (ioctl(a->probe[probe].fd[cpu], request, 0))
			perror("churn: perf event of a kprobe");
}

void aim_next(struct aim *a)
{
	__u32 i, others = a->nr_probes - a->nr_entries;

	for (i = 0; i < AIM_LIVE && i < others; i++)
		switch_probe(a, a->nr_entries + (a->first + i) % others, PERF_EVENT_IOC_DISABLE);
	a->first = (a->first + AIM_LIVE) % others;
	for (i = 0; i < AIM_LIVE && i < others; i++)
		switch_probe(a, a->nr_entries + (a->first + i) % others, PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < a->nr_entries; i++)
		switch_probe(a, i, PERF_EVENT_IOC_ENABLE);
}

void aim_remove(struct aim *a)
{
	__u32 i, cpu;

	for (i = 0; i < a->nr_probes; i++) {
		struct aim_function *f = &a->function[a->probe[i].function];
		__u64 address = a->probe[i].address, hits;

		for (cpu = 0; cpu < a->cpus; cpu++)
			close(a->probe[i].fd[cpu]);
		hits = take_count(a, address);
		if (address == f->address) {
			hits += take_count(a, address + ENDBR);
			f->calls += hits;
		}
		f->hits += hits;
	}
	a->nr_probes = 0;
}
