// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_device - what the loaded module says of itself
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

#define PARAMETERS	"/sys/module/buildidx/parameters/"
#define KPROBES_ARMED	"/sys/kernel/debug/kprobes/enabled"

/* Program types, and the first kernel whose verifier lets them call a module. */
static const struct {
	uint32_t bit;
	const char *check;
	const char *types;
	const char *since;
} kfuncs[] = {
	{ BUILDIDX_KFUNC_TRACING, "kfunc-tracing", "fentry, fexit, tp_btf, iterators", "6.1" },
	{ BUILDIDX_KFUNC_PERF, "kfunc-perf-event", "perf_event and tracepoint", "6.12" },
	{ BUILDIDX_KFUNC_KPROBE, "kfunc-kprobe", "kprobe and uprobe", "6.12" },
	{ BUILDIDX_KFUNC_RAW_TP, "kfunc-raw-tp", "raw tracepoint", "7.3" },
};

static void check_open(struct doctor *d)
{
	switch (d->device_error) {
	case 0:
		found(d, "device", LEVEL_OK, "%s", BUILDIDX_DEVICE);
		break;
	case -EPERM:
	case -EACCES:
		found(d, "device", LEVEL_DENIED,
		      "%s: permission denied; hooks, kfuncs and limits were not checked",
		      BUILDIDX_DEVICE);
		remedy(d, "run buildidx doctor as root, or let a group use the device: see buildidx(4)");
		break;
	default:
		found(d, "device", LEVEL_FAIL, "%s", d->device_text.text);
		remedy(d, "mount devtmpfs on /dev; in a container, pass %s in", BUILDIDX_DEVICE);
		break;
	}
}

/* The fields of @info mean what they say here only in our own version of the ABI. */
static bool knows_info(const struct doctor *d)
{
	return !d->device_error && d->info.abi_version == BUILDIDX_ABI_VERSION;
}

static bool reads(const struct doctor *d, const char *file, const char *expected)
{
	char value[16];

	probe_read(d, value, sizeof(value), "%s", file);
	return !strcmp(value, expected);
}

static void check_enabled(struct doctor *d)
{
	const char *first = "";

	if (knows_info(d) ? d->info.hooks_on : reads(d, PARAMETERS "enable", "Y")) {
		found(d, "enable", LEVEL_OK, "switched on");
		return;
	}
	/* in another ABI, or where we may not look, perhaps nobody says */
	if (!knows_info(d) && !reads(d, PARAMETERS "enable", "N"))
		return;
	if (knows_info(d) && hooks_silenced(&d->info))
		found(d, "enable", LEVEL_FAIL,
		      "silenced: kprobes were disarmed; every lookup answers off");
	else if (!knows_info(d) && reads(d, PARAMETERS "hook", "kprobe"))
		found(d, "enable", LEVEL_WARN,
		      "switched off by its parameter, or silenced as kprobes were disarmed: nothing is answered");
	else
		found(d, "enable", LEVEL_WARN, "switched off by its parameter: nothing is answered");
	/* with hook=kprobe it can only be switched on while kprobes are armed */
	if (reads(d, PARAMETERS "hook", "kprobe") && reads(d, KPROBES_ARMED, "0"))
		first = "echo 1 > " KPROBES_ARMED ", then ";
	remedy(d, "%secho 1 > " PARAMETERS "enable", first);
}

static void check_hook(struct doctor *d, const struct buildidx_hook *h)
{
	if (h->state == BUILDIDX_HOOK_OFF) {
		/* without these two, frames of user space are still all resolved */
		found(d, "hook", !strcmp(h->name, "bpf") || !strcmp(h->name, "ksym") ?
		      LEVEL_WARN : LEVEL_FAIL, "%s is not placed: %s", h->name,
		      h->error ? strerror((int)h->error) : "no reason given");
		remedy(d, "dmesg | grep buildidx names the functions that were tried; please report the kernel");
		return;
	}
	if (h->state == BUILDIDX_HOOK_KPROBE) {
		found(d, "hook", h->missed ? LEVEL_WARN : LEVEL_NOTE,
		      "%s: a kprobe on %s, %" PRIu64 " hits, %" PRIu64 " missed; when kprobes are disarmed every lookup answers off",
		      h->name, h->symbol, (uint64_t)h->hits, (uint64_t)h->missed);
		remedy(d, "load the module without hook=kprobe; if ftrace failed, dmesg says why");
		return;
	}
	found(d, "hook", h->missed ? LEVEL_WARN : LEVEL_OK,
	      "%s: ftrace on %s, %" PRIu64 " hits, %" PRIu64 " missed", h->name, h->symbol,
	      (uint64_t)h->hits, (uint64_t)h->missed);
	if (h->missed)
		remedy(d, "switch the module off and on, which reads all mapped files again: echo 0, then echo 1 > /sys/module/buildidx/parameters/enable");
}

static void check_kfunc(struct doctor *d, size_t i)
{
	const struct buildidx_info *info = &d->info;

	if (info->kfunc_state & kfuncs[i].bit) {
		found(d, kfuncs[i].check, LEVEL_OK, "%s can call it", kfuncs[i].types);
	} else if (info->kfunc_state & BUILDIDX_KFUNC_NO_BTF) {
		found(d, kfuncs[i].check, LEVEL_WARN, "%s cannot call it: no BTF (with it: from %s on)",
		      kfuncs[i].types, kfuncs[i].since);
		remedy(d, "see module-btf");
	} else if (info->kfunc_error) {
		found(d, kfuncs[i].check, LEVEL_WARN, "%s cannot call it: registering failed: %s",
		      kfuncs[i].types, strerror((int)info->kfunc_error));
		remedy(d, "dmesg | grep buildidx says more; please report the kernel");
	} else {
		found(d, kfuncs[i].check, LEVEL_NOTE, "%s cannot call modules on this kernel (%s can)",
		      kfuncs[i].types, kfuncs[i].since);
		remedy(d, "use fentry, fexit or tp_btf programs, as buildidx.bpf.h describes");
	}
}

static void check_capture(struct doctor *d)
{
	if (d->info.capture_mode == BUILDIDX_CAPTURE_TASK_WORK) {
		found(d, "capture", LEVEL_OK,
		      "task-work: before the mapping task runs its first instruction");
		return;
	}
	found(d, "capture", LEVEL_NOTE,
	      "%s: the kernel does not export task_work_add(), so a mapping may be used for a short time before it is indexed",
	      buildidx_capture_name(d->info.capture_mode));
	remedy(d, "a kernel that exports it, as Debian's do, closes that window");
}

static void check_limits(struct doctor *d)
{
	const struct buildidx_info *info = &d->info;
	const uint64_t *counter = (const uint64_t *)d->stats.counter;
	uint64_t refused = 0;

	if (d->stats_error) {
		found(d, "counters", LEVEL_DENIED, "not permitted to read them");
		remedy(d, "run buildidx doctor as root, or with CAP_PERFMON");
	} else {
		refused = counter[BUILDIDX_CNT_REFUSED];
	}
	if (refused || info->entries >= info->max_entries - info->max_entries / 10) {
		found(d, "limits", LEVEL_WARN,
		      "%" PRIu64 " of %" PRIu64 " files indexed, %" PRIu64 " refused: their frames have no build ID",
		      (uint64_t)info->entries, (uint64_t)info->max_entries, refused);
		remedy(d, "echo options buildidx max_entries=%" PRIu64 " > /etc/modprobe.d/buildidx.conf, then modprobe -r buildidx and modprobe buildidx",
		       2 * (uint64_t)info->max_entries);
	} else {
		found(d, "limits", LEVEL_OK, "%" PRIu64 " of %" PRIu64 " files indexed",
		      (uint64_t)info->entries, (uint64_t)info->max_entries);
	}
	if (!d->stats_error && counter[BUILDIDX_CNT_POOL_EMPTY])
		found(d, "pool", LEVEL_NOTE,
		      "%" PRIu64 " mappings came faster than they could be queued, and were found by a scan afterwards",
		      counter[BUILDIDX_CNT_POOL_EMPTY]);
}

static void check_records(struct doctor *d)
{
	const struct buildidx_info *info = &d->info;
	const uint32_t all = BUILDIDX_KERNEL_VMLINUX | BUILDIDX_KERNEL_MODULES |
			     BUILDIDX_KERNEL_BPF | BUILDIDX_KERNEL_KSYM;

	if (!keeps_records(info)) {
		found(d, "kernel-frames", LEVEL_NOTE,
		      "a module of an earlier version: kernel frames are not resolved");
		remedy(d, "install the module of this version, and load it");
		return;
	}
	if (info->hooks_on && (info->kernel_state & all) != all) {
		found(d, "kernel-frames", LEVEL_WARN, "not recorded:%s%s%s%s",
		      info->kernel_state & BUILDIDX_KERNEL_VMLINUX ? "" : " vmlinux",
		      info->kernel_state & BUILDIDX_KERNEL_MODULES ? "" : " modules",
		      info->kernel_state & BUILDIDX_KERNEL_BPF ? "" : " BPF-programs",
		      info->kernel_state & BUILDIDX_KERNEL_KSYM ? "" : " generated-text");
		remedy(d, "dmesg | grep buildidx says why; frames there stay unresolved, all else works");
		return;
	}
	found(d, "kernel-frames", LEVEL_OK,
	      "%" PRIu64 " records of what is there, %" PRIu64 " of what is gone in %" PRIu64 " of %" PRIu64 " KiB",
	      (uint64_t)info->records_live, (uint64_t)info->records_gone,
	      (uint64_t)info->history_bytes / 1024, (uint64_t)info->history_max / 1024);
}

void doctor_device(struct doctor *d)
{
	size_t i;

	if (!doctor_loaded(d))
		return;
	check_open(d);
	check_enabled(d);
	if (!knows_info(d))
		return;
	for (i = 0; d->info.hooks_on && i < d->info.nr_hooks; i++)
		check_hook(d, &d->info.hooks[i]);
	for (i = 0; i < sizeof(kfuncs) / sizeof(kfuncs[0]); i++)
		check_kfunc(d, i);
	check_capture(d);
	check_limits(d);
	check_records(d);
}
