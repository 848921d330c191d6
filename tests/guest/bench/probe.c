// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "../cases/kfunc.h"
#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "bench.h"
#include "probe.h"
#include "probe.skel.h"

#define PAGE 4096

static struct probe_bpf *skel;
static void *mapped[PROBE_FILES];

static const char *file_name(unsigned int i)
{
	static char name[32];

	snprintf(name, sizeof(name), "/scratch/probe%u", i);
	return name;
}

static void make_files(void)
{
	uint8_t id[20];
	unsigned int i;

	for (i = 0; i < PROBE_FILES; i++) {
		unique_id(id);
		minielf_simple(file_name(i), id);
	}
	bench_settle();
}

static void *map_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	void *p;

	if (fd < 0)
		bail("%s: %s", name, strerror(errno));
	p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, MINIELF_TEXT);
	if (p == MAP_FAILED)
		bail("%s: mmap: %s", name, strerror(errno));
	close(fd);
	return p;
}

void probe_start(void)
{
	unsigned int i;
	int err;

	libbpf_set_print(bpf_messages);
	skel = probe_bpf__open_and_load();
	if (!skel)
		bail("loading the BPF program: %s", strerror(errno));
	err = probe_bpf__attach(skel);
	if (err)
		bail("attaching the BPF program: %s", strerror(-err));
	make_files();
	for (i = 0; i < PROBE_FILES; i++) {
		mapped[i] = map_file(file_name(i));
		skel->bss->ips[i] = (uintptr_t)mapped[i] + 1;
	}
	skel->bss->target = getpid();
}

void probe_stop(void)
{
	unsigned int i;

	probe_bpf__destroy(skel);
	for (i = 0; i < PROBE_FILES; i++)
		munmap(mapped[i], PAGE);
}

void probe_once(double *v)
{
	unsigned int i;

	skel->bss->answered = 0;
	syscall(SYS_getpgid, 0);
	if (skel->bss->answered != PROBE_FILES)
		bail("%u of %u lookups gave a build ID", skel->bss->answered, PROBE_FILES);
	for (i = 0; i < PROBE_FILES; i++)
		v[i] = skel->bss->took[i];
}
