// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>

#include "../cases/kfunc.h"
#include "../cases/tap.h"
#include "calls.h"
#include "calls.skel.h"

static struct calls_bpf *skel;
static enum calls_function function;

void calls_attach(enum calls_function f)
{
	bool scan = f == CALLS_SCAN;
	int err;

	libbpf_set_print(bpf_messages);
	skel = calls_bpf__open();
	if (!skel)
		bail("opening the BPF program: %s", strerror(errno));
	bpf_program__set_autoload(skel->progs.scan_enter, scan);
	bpf_program__set_autoload(skel->progs.scan_leave, scan);
	bpf_program__set_autoload(skel->progs.capture_enter, !scan);
	bpf_program__set_autoload(skel->progs.capture_leave, !scan);
	err = calls_bpf__load(skel);
	if (!err)
		err = calls_bpf__attach(skel);
	if (err)
		bail("timing the module's functions: %s", strerror(-err));
	function = f;
	calls_reset();
	skel->bss->target = getpid();
}

void calls_detach(void)
{
	calls_bpf__destroy(skel);
	skel = NULL;
}

void calls_reset(void)
{
	skel->bss->count[function] = 0;
}

void calls_took(double *v, size_t want)
{
	size_t i, n = skel->bss->count[function];

	if (n != want || want > CALLS_MAX)
		bail("%zu calls were timed, not %zu", n, want);
	for (i = 0; i < n; i++)
		v[i] = skel->bss->took[function][i];
}
