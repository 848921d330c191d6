// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../cases/kfunc.h"
#include "../cases/tap.h"
#include "sample.h"
#include "kern.skel.h"

static struct kern_bpf *skel;
static int trigger = -1;

void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		bail("cannot run on CPU %d; these tests need two: %s", cpu, strerror(errno));
}

void sample_start(void)
{
	int err;

	libbpf_set_print(bpf_messages);
	skel = kern_bpf__open();
	if (!skel)
		bail("opening the BPF program: %s", strerror(errno));
	skel->rodata->have_buildidx = module_has_function("bpf_buildidx_frames");
	if (!skel->rodata->have_buildidx)
		bail("the module has no kfuncs: it was built without BTF");
	err = kern_bpf__load(skel);
	if (err)
		bail("loading the BPF program: %s", strerror(-err));
	err = kern_bpf__attach(skel);
	if (err)
		bail("attaching the BPF program: %s", strerror(-err));
	trigger = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	if (trigger < 0)
		bail("/proc/sysrq-trigger: %s", strerror(errno));
	pin_to(CPU_SELF);
}

void sample_stop(void)
{
	close(trigger);
	kern_bpf__destroy(skel);
}

void sample_probe(const uint64_t *addresses, size_t count)
{
	size_t i;

	for (i = 0; i < KERN_PROBES; i++)
		skel->bss->probe_ips[i] = i < count ? addresses[i] : 0;
}

unsigned int sample_take(pid_t pid, unsigned int want)
{
	volatile struct kern_bpf__bss *b = skel->bss;
	unsigned int tries, most;

	if (want > KERN_SLOTS)
		want = KERN_SLOTS;
	most = want * 20 + 200;
	b->taken = 0;
	b->done = 0;
	__sync_synchronize();
	b->target = pid;
	/* The NMI goes to the other CPUs; it finds the target there or it does not. */
	for (tries = 0; b->done < want && tries < most; tries++)
		if (write(trigger, "l", 1) != 1)
			bail("/proc/sysrq-trigger: %s", strerror(errno));
	b->target = 0;
	__sync_synchronize();
	/* Samples go to slots in the order in which they begin. */
	for (tries = 0; b->done < b->taken && b->done < KERN_SLOTS && tries < 1000; tries++)
		usleep(1000);
	return b->done < want ? b->done : want;
}

void sample_get(unsigned int slot, struct kern_sample *s)
{
	__u32 key = slot;

	if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.samples), &key, s))
		bail("reading sample %u: %s", slot, strerror(errno));
}
