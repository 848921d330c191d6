// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "ask_user.h"
#include "kfunc.h"
#include "tap.h"
#include "ask.skel.h"

static struct ask_bpf *skel;

void ask_start(void)
{
	int err;

	libbpf_set_print(bpf_messages);
	skel = ask_bpf__open();
	if (!skel)
		bail("opening the BPF program: %s", strerror(errno));
	skel->rodata->have_buildidx = module_has_function("bpf_buildidx_frames");
	if (!skel->rodata->have_buildidx)
		bail("the module has no kfuncs: it was built without BTF");
	err = ask_bpf__load(skel);
	if (err)
		bail("loading the BPF program: %s", strerror(-err));
	err = ask_bpf__attach(skel);
	if (err)
		bail("attaching the BPF program: %s", strerror(-err));
}

void ask_stop(void)
{
	ask_bpf__destroy(skel);
	skel = NULL;
}

void ask_kfuncs(struct ask *a)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct ask_bpf__bss *b = skel->bss;
	unsigned int before = *(volatile __u32 *)&b->calls;
	int err;

	b->asker = getpid();
	memcpy(b->ips, a->ips, sizeof(b->ips));
	memcpy(b->frames, a->frames, sizeof(b->frames));
	memcpy(b->ids, a->ids, sizeof(b->ids));
	b->ips_size = a->ips_size;
	b->frames_size = a->frames_size;
	b->ids_size = a->ids_size;
	b->flags = a->flags;
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ask), &opts);
	__sync_synchronize();
	if (err || b->calls != before + 1)
		bail("the kfuncs were not called: %s, %u calls", strerror(-err), b->calls - before);
	a->frames_ret = b->frames_ret;
	a->ids_ret = b->ids_ret;
	memcpy(a->frames, b->frames, sizeof(b->frames));
	memcpy(a->ids, b->ids, sizeof(b->ids));
}

int ask_frame(int unused, const void *at, struct buildidx_frame *f)
{
	static struct ask a;

	(void)unused;
	memset(&a, 0, sizeof(a));
	a.ips[0] = (uintptr_t)at;
	a.ips_size = sizeof(a.ips[0]);
	a.frames_size = sizeof(a.frames[0]);
	a.ids_size = sizeof(a.ids[0]);
	ask_kfuncs(&a);
	*f = a.frames[0];
	return a.frames_ret == 1 ? 0 : -EIO;
}
