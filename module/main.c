// SPDX-License-Identifier: GPL-2.0
/*
 * buildidx - build IDs of user code, answered from any context
 *
 * Loading, switching off and on, unloading.
 */
#include "internal.h"
#include "bpfprog.h"
#include "krec.h"

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#ifndef BUILDIDX_VERSION
#error "BUILDIDX_VERSION is set by Kbuild from the file VERSION"
#endif

#define BIDX_ENTRIES_MIN	16UL
#define BIDX_ENTRIES_MAX	(16UL << 20)
#define BIDX_STREAM_MIN		65536UL

static unsigned long max_entries = 262144;
module_param(max_entries, ulong, 0444);
MODULE_PARM_DESC(max_entries,
		 "Most files in the index, 16 to 16777216 (default 262144; about 150 bytes each when used, and 4 bytes each at load)");

static unsigned long history_bytes = 64UL << 20;
module_param(history_bytes, ulong, 0444);
MODULE_PARM_DESC(history_bytes,
		 "Most bytes that records of unloaded BPF programs, modules and generated text may take (default 67108864); the oldest go first");

static unsigned long stream_bytes = 16UL << 20;
module_param(stream_bytes, ulong, 0444);
MODULE_PARM_DESC(stream_bytes,
		 "Most bytes of records that are kept for readers of the stream, at least 65536 (default 16777216); the oldest go first");

static char *hook = "ftrace";
module_param(hook, charp, 0444);
MODULE_PARM_DESC(hook, "How to hook kernel functions: ftrace (default) or kprobe");

static char *debug_skip_hook;
module_param(debug_skip_hook, charp, 0444);
MODULE_PARM_DESC(debug_skip_hook,
		 "For tests: treat the first function of this hook (mmap, fput, inode, bpf, ksym), or with a * after the name all of them, as missing");

bool bidx_active;
bool bidx_use_kprobe;
const char *bidx_skip_hook;

/* Start and stop, and nothing else, under this lock. */
static DEFINE_MUTEX(bidx_switch);
static bool bidx_loaded;
static bool bidx_start_off;		/* enable=0 on the command line */

/*
 * Without hooks the index would miss changes and dying inodes, so it is emptied.
 * Does not wait for captures: those under way find their entry gone, and those
 * that are queued to a task may be so for as long as the task likes.
 * Context: may sleep; under bidx_switch.
 */
static void bidx_stop(void)
{
	WRITE_ONCE(bidx_active, false);
	/*
	 * The flush takes every stripe's lock after the line above, and no
	 * entry is made under one once it is false: so the table is empty, and
	 * stays so, before inodes may die unseen.
	 */
	bidx_index_flush();
	bidx_work_forget_scans();
	bidx_hooks_stop();
	bidx_bpf_stop();
	bidx_ksym_stop();
	bidx_index_reap();
}

/* Context: may sleep; under bidx_switch. Return: 0, or an errno whose reason is in dmesg. */
static int bidx_start(void)
{
	int err = bidx_hooks_start() ?: bidx_self_test();

	if (!err) {
		WRITE_ONCE(bidx_active, true);
		/* Either bidx_on_kprobes_switch() comes later and clears it, or this sees it. */
		smp_mb();
		if (bidx_hooks_silenced()) {
			pr_err("the kernel's kprobes were switched while buildidx was being started; try again\n");
			err = -EAGAIN;
		}
	}
	if (err)
		bidx_stop();
	return err;
}

/*
 * The processes' files are read here, before anybody can rely on the index; what
 * cannot be is left to the worker.
 * Context: may sleep; under bidx_switch.
 */
static void bidx_start_scan(void)
{
	bool complete = bidx_scan();

	if (!complete)
		pr_warn("some processes could not be scanned yet (mmap_lock held or busy, or the scan was interrupted): what they mapped before is NOT_INDEXED until a later scan, see `buildidx stats`\n");
	bidx_work_scanned(complete);
}

static int bidx_enable_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (err)
		return err;
	mutex_lock(&bidx_switch);
	if (!bidx_loaded) {
		bidx_start_off = !on;
	} else if (on && !READ_ONCE(bidx_active)) {
		bidx_stop();		/* if kprobes were silenced, the hooks are still placed */
		err = bidx_start();
		if (!err) {
			bidx_hooks_start_kernel();
			bidx_ksym_start();
			bidx_start_scan();
		}
		if (!err && !READ_ONCE(bidx_active))
			err = -EAGAIN;		/* silenced meanwhile; the worker says so */
	} else if (!on) {
		bidx_stop();
	}
	mutex_unlock(&bidx_switch);
	return err;
}

static const struct kernel_param_ops bidx_enable_ops = {
	.set = bidx_enable_set,
	.get = param_get_bool,
};
module_param_cb(enable, &bidx_enable_ops, &bidx_active, 0644);
MODULE_PARM_DESC(enable,
		 "0 removes the hooks and empties the index without unloading; 1 (default) places them and scans again");

static int __init bidx_init(void)
{
	int err;

	if (max_entries < BIDX_ENTRIES_MIN || max_entries > BIDX_ENTRIES_MAX) {
		pr_err("max_entries=%lu is not between %lu and %lu\n", max_entries,
		       BIDX_ENTRIES_MIN, BIDX_ENTRIES_MAX);
		return -EINVAL;
	}
	if (!strcmp(hook, "kprobe")) {
		bidx_use_kprobe = true;
	} else if (strcmp(hook, "ftrace")) {
		pr_err("hook=%s is neither ftrace nor kprobe\n", hook);
		return -EINVAL;
	}
	if (stream_bytes < BIDX_STREAM_MIN) {
		pr_err("stream_bytes=%lu is less than %lu\n", stream_bytes, BIDX_STREAM_MIN);
		return -EINVAL;
	}
	if (debug_skip_hook && *debug_skip_hook)
		bidx_skip_hook = debug_skip_hook;

	err = bidx_index_init(max_entries);
	if (err)
		return err;
	err = bidx_work_init();
	if (err)
		goto free_index;
	err = bidx_stream_init(stream_bytes);
	if (err)
		goto free_work;
	err = bidx_krec_init(history_bytes);
	if (err)
		goto free_stream;
	err = bidx_ksym_init();
	if (err)
		goto free_krec;
	err = bidx_bpf_init();
	if (err)
		goto free_ksym;
	err = bidx_kmod_init();
	if (err)
		goto free_bpf;
	bidx_vdso_init();

	mutex_lock(&bidx_switch);
	err = bidx_start();
	if (err)
		goto drain;
	err = bidx_kfunc_init();
	if (err)
		goto stop;
	err = bidx_device_init();
	if (err)
		goto stop;
	bidx_work_open();
	if (bidx_start_off) {
		bidx_stop();
	} else {
		bidx_hooks_start_kernel();
		bidx_ksym_start();
		bidx_start_scan();
	}
	bidx_loaded = true;
	mutex_unlock(&bidx_switch);

	if (!bidx_work_has_task_work())
		pr_warn("task_work_add() is not exported: files are read by a worker, a short time after they are mapped\n");
	pr_info("version %s, %lu files indexed, room for %lu\n", BUILDIDX_VERSION,
		bidx_index_count(), bidx_index_max());
	return 0;

stop:
	bidx_stop();
drain:
	bidx_work_drain();
	mutex_unlock(&bidx_switch);
	bidx_kmod_exit();
free_bpf:
	bidx_bpf_exit();
free_ksym:
	bidx_see_exit();
	bidx_stream_exit();
	bidx_krec_exit();
	bidx_work_exit();
	bidx_ksym_exit();
	bidx_index_exit();
	return err;

free_krec:
	bidx_krec_exit();
free_stream:
	bidx_stream_exit();
free_work:
	bidx_work_exit();
free_index:
	bidx_index_exit();
	return err;
}

/*
 * No program calls a kfunc any more and no task has our work queued: both hold
 * a module reference. What is left are running hooks, the worker, and the last
 * instructions of a task work.
 */
static void __exit bidx_exit(void)
{
	bidx_device_exit();
	bidx_kmod_exit();
	mutex_lock(&bidx_switch);
	bidx_loaded = false;
	bidx_stop();
	mutex_unlock(&bidx_switch);
	bidx_work_drain();
	/* A task preempted after the module_put() at the end of its task work. */
	synchronize_rcu_tasks();
	bidx_bpf_exit();
	bidx_see_exit();
	bidx_stream_exit();
	bidx_krec_exit();
	/* Its worker fills the pool of ksym.c. */
	bidx_work_exit();
	bidx_ksym_exit();
	bidx_index_exit();
}

module_init(bidx_init);
module_exit(bidx_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(BUILDIDX_VERSION);
MODULE_DESCRIPTION("Build IDs of user code for profilers, answered from any context");
