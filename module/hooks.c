// SPDX-License-Identifier: GPL-2.0
/*
 * Where the kernel tells us what happens to files (design D1)
 *
 * A callback filters, marks, and queues; it never sleeps, allocates or frees.
 * With hook=kprobe it runs where in_nmi() is true.
 *
 * A hook that falls silent unnoticed would make answers wrong. ftrace hooks are
 * permanent. Kprobes can be disarmed by kernel.ftrace_enabled=0 and by the
 * switch in debugfs; a permanent ftrace hook on the function behind that switch
 * makes the first fail, and tells of the second before it happens. (Not of a
 * writer that was inside of that function before the hook was placed, and gets on
 * with it after the self-test: root, twice, within microseconds.)
 */
#include "internal.h"
#include "bpfprog.h"
#include "krec.h"

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "compat/ftrace.h"
#include "reader.h"

#define BIDX_ALTERNATIVES 3

/**
 * struct bidx_hook - one hook
 * @name: what it is for
 * @symbols: functions that it can sit on, best first; the first argument of
 *	each is what @event takes
 * @event: what to do with that argument
 * @event2: the same for a hook that takes two
 * @event_regs: the same for one that takes more
 * @callback: the same, called by ftrace; each hook has its own, as the functions
 *	that are hooked run often and are mostly of no interest
 * @loss: what is lost without it, for dmesg
 * @placed: index of the symbol that it sits on, -1 when none
 * @error: positive errno of the last attempt when not placed
 * @ops: while placed through ftrace
 * @kp: while placed as a kprobe
 * @as_kprobe: which of the two
 */
struct bidx_hook {
	const char *name;
	const char *symbols[BIDX_ALTERNATIVES];
	void (*event)(void *arg);
	void (*event2)(void *arg, unsigned long arg1);
	void (*event_regs)(struct pt_regs *regs);
	ftrace_func_t callback;
	const char *loss;
	int placed;
	int error;
	struct ftrace_ops ops;
	struct kprobe kp;
	bool as_kprobe;
};

struct bidx_probe_file bidx_probe;

/* Kprobes were switched while one of our hooks was one. */
static bool bidx_silenced;
static bool bidx_silenced_told;

static void bidx_hit(enum bidx_hook_id id)
{
	this_cpu_inc(bidx_cpu_stats.hook_hits[id]);
}

/* Is this the self-test's file? Then it is noted, and captured by the test itself. */
static bool bidx_is_probe(enum bidx_hook_id id, const struct inode *inode)
{
	if (likely(READ_ONCE(bidx_probe.inode) != inode))
		return false;
	set_bit(id, &bidx_probe.seen);
	return true;
}

/* A mapping was made or became executable; under mmap_lock. */
static void bidx_on_mmap(void *arg)
{
	struct vm_area_struct *vma = arg;
	struct file *file = vma->vm_file;
	bool known, tell;

	if (!(vma->vm_flags & VM_EXEC))
		return;
	if (!file) {
		if (unlikely(bidx_vdso_wants(vma)))
			bidx_work_vdso();
		return;
	}
	if (vma->vm_mm != current->mm || !bidx_file_wanted(file))
		return;
	bidx_hit(BIDX_HOOK_MMAP);
	if (bidx_is_probe(BIDX_HOOK_MMAP, file_inode(file)))
		return;
	known = bidx_index_covers(file_inode(file));
	tell = bidx_stream_wants_map();
	if (!known || unlikely(tell))
		bidx_work_mapped(vma, known, tell);
}

/* The last reference to an open file goes away. Runs on every close: f_inode may be NULL. */
static void bidx_on_fput(void *arg)
{
	const fmode_t need = FMODE_OPENED | FMODE_WRITE;
	struct file *file = arg;
	struct inode *inode;
	u64 object;

	if ((file->f_mode & need) != need)
		return;
	inode = file->f_inode;
	if (!inode || !S_ISREG(inode->i_mode))
		return;
	bidx_hit(BIDX_HOOK_FPUT);
	if (bidx_is_probe(BIDX_HOOK_FPUT, inode))
		return;
	/* FMODE_NOCMTIME: written through a handle that moves no times (XFS, nfsd) */
	if (bidx_index_written(inode, file->f_mode & FMODE_NOCMTIME, &object))
		bidx_work_written(inode, object);
}

/* The memory of an inode will be reused. */
static void bidx_on_inode(void *arg)
{
	struct inode *inode = arg;

	if (!inode || !S_ISREG(inode->i_mode))
		return;
	bidx_hit(BIDX_HOOK_INODE);
	bidx_is_probe(BIDX_HOOK_INODE, inode);
	bidx_index_inode_died(inode);
}

/* A BPF program is loaded and gets its file descriptor next, or its last reference is gone. */
static void bidx_on_bpf(void *arg, unsigned long type)
{
	struct bpf_prog *prog = arg;

	/* Only the low half of the register is the argument. */
	switch ((enum perf_bpf_event_type)type) {
	case PERF_BPF_EVENT_PROG_LOAD:
		bidx_hit(BIDX_HOOK_BPF);
		bidx_bpf_loaded(prog);
		break;
	case PERF_BPF_EVENT_PROG_UNLOAD:
		bidx_hit(BIDX_HOOK_BPF);
		bidx_bpf_unloaded(prog);
		break;
	default:
		break;
	}
}

/* Text that the kernel generated comes or goes. Arguments are as in the registers. */
static void bidx_on_ksym(unsigned long type, unsigned long addr, unsigned long len,
			 unsigned long unregister, unsigned long name)
{
	bidx_hit(BIDX_HOOK_KSYM);
	bidx_ksym_event((u16)type, addr, (u32)len, (u8)unregister, (const char *)name);
}

/* All kprobes of the kernel are about to be disarmed, or armed again. */
static void bidx_on_kprobes_switch(void *arg)
{
	WRITE_ONCE(bidx_silenced, true);
	/* Every lookup answers OFF from here on. Pairs with bidx_start(). */
	smp_mb();
	WRITE_ONCE(bidx_active, false);
	bidx_work_kick();
}

static void bidx_ftrace_mmap(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	bidx_on_mmap(bidx_ftrace_arg0(fregs));
}

static void bidx_ftrace_fput(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	bidx_on_fput(bidx_ftrace_arg0(fregs));
}

static void bidx_ftrace_inode(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *fregs)
{
	bidx_on_inode(bidx_ftrace_arg0(fregs));
}

static void bidx_ftrace_bpf(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	bidx_on_bpf(bidx_ftrace_arg0(fregs), bidx_ftrace_arg(fregs, 1));
}

static void bidx_ftrace_ksym(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			     struct ftrace_regs *fregs)
{
	bidx_on_ksym(bidx_ftrace_arg(fregs, 0), bidx_ftrace_arg(fregs, 1),
		     bidx_ftrace_arg(fregs, 2), bidx_ftrace_arg(fregs, 3),
		     bidx_ftrace_arg(fregs, 4));
}

static void bidx_kprobe_ksym(struct pt_regs *regs)
{
	bidx_on_ksym(bidx_kprobe_arg(regs, 0), bidx_kprobe_arg(regs, 1), bidx_kprobe_arg(regs, 2),
		     bidx_kprobe_arg(regs, 3), bidx_kprobe_arg(regs, 4));
}

static void bidx_ftrace_kprobes_switch(unsigned long ip, unsigned long parent_ip,
				       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	bidx_on_kprobes_switch(NULL);
}

/* Placed while one of the hooks is a kprobe. Not a hook that the device shows. */
static struct bidx_hook bidx_guard = {
	.name = "guard",
	.symbols = { "write_enabled_file_bool" },
	.event = bidx_on_kprobes_switch,
	.callback = bidx_ftrace_kprobes_switch,
	.placed = -1,
};

static struct bidx_hook hooks[BIDX_HOOK_COUNT] = {
	[BIDX_HOOK_MMAP] = {
		.name = "mmap",
		.placed = -1,
		/* uprobe_mmap() is not called by mprotect, else the same */
		.symbols = { "perf_event_mmap", "uprobe_mmap" },
		.event = bidx_on_mmap,
		.callback = bidx_ftrace_mmap,
		.loss = "no mapping would be seen",
	},
	[BIDX_HOOK_FPUT] = {
		.name = "fput",
		.placed = -1,
		.symbols = { "__fput", "security_file_release", "locks_remove_file" },
		.event = bidx_on_fput,
		.callback = bidx_ftrace_fput,
		.loss = "a file rewritten in place within one timestamp tick would keep its old ID",
	},
	[BIDX_HOOK_INODE] = {
		.name = "inode",
		.placed = -1,
		.symbols = { "__destroy_inode", "security_inode_free" },
		.event = bidx_on_inode,
		.callback = bidx_ftrace_inode,
		.loss = "an inode's memory could be reused under its old ID",
	},
	[BIDX_HOOK_BPF] = {
		.name = "bpf",
		.placed = -1,
		.symbols = { "perf_event_bpf_event" },
		.event2 = bidx_on_bpf,
		.callback = bidx_ftrace_bpf,
		.loss = "BPF programs get no record when they are loaded, their frames stay unknown; all else works",
	},
	[BIDX_HOOK_KSYM] = {
		.name = "ksym",
		.placed = -1,
		.symbols = { "perf_event_ksymbol" },
		.event_regs = bidx_kprobe_ksym,
		.callback = bidx_ftrace_ksym,
		.loss = "frames in trampolines and other generated text stay unknown; all else works",
	},
};

static int bidx_kprobe_callback(struct kprobe *kp, struct pt_regs *regs)
{
	const struct bidx_hook *hook = container_of(kp, struct bidx_hook, kp);

	if (hook->event_regs)
		hook->event_regs(regs);
	else if (hook->event2)
		hook->event2((void *)bidx_kprobe_arg(regs, 0), bidx_kprobe_arg(regs, 1));
	else
		hook->event((void *)bidx_kprobe_arg(regs, 0));
	return 0;
}

/* Address of a function, from a kprobe that is never armed. */
static int bidx_symbol_address(const char *symbol, unsigned long *addr)
{
	struct kprobe kp = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&kp);

	if (err)
		return err;
	*addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return 0;
}

static int bidx_place_ftrace(struct bidx_hook *hook, const char *symbol)
{
	unsigned long addr;
	int err;

	err = bidx_symbol_address(symbol, &addr);
	if (err)
		return err;
	memset(&hook->ops, 0, sizeof(hook->ops));
	hook->ops.func = hook->callback;
	/*
	 * PERMANENT: kernel.ftrace_enabled=0 must not lose mappings silently.
	 * Not RECURSION: that would have the core put a guard around the callback
	 * (since 5.11, a25d036d939a), at the price of every close of a file. The
	 * callback reaches no function that we hook: what it calls are lists, bits,
	 * raw locks, task_work_add() and irq_work_queue(), and fput() defers. It may
	 * be preempted; unregistering waits for it (synchronize_rcu_tasks()).
	 */
	hook->ops.flags = FTRACE_OPS_FL_PERMANENT;
	err = ftrace_set_filter_ip(&hook->ops, addr, 0, 1) ?: register_ftrace_function(&hook->ops);
	if (err)
		ftrace_free_filter(&hook->ops);
	return err;
}

static int bidx_place_guard(void)
{
	int err;

	if (bidx_guard.placed >= 0)
		return 0;
	err = bidx_place_ftrace(&bidx_guard, bidx_guard.symbols[0]);
	if (err) {
		pr_err("kprobes are not used as hooks: ftrace on %s failed (%d), so they could be disarmed unnoticed\n",
		       bidx_guard.symbols[0], err);
		return err;
	}
	bidx_guard.placed = 0;
	return 0;
}

static int bidx_place_kprobe(struct bidx_hook *hook, const char *symbol)
{
	int err = bidx_place_guard();

	if (err)
		return err;
	memset(&hook->kp, 0, sizeof(hook->kp));
	hook->kp.symbol_name = symbol;
	hook->kp.pre_handler = bidx_kprobe_callback;
	return register_kprobe(&hook->kp);
}

/* debug_skip_hook=NAME: the first function is missing; NAME*: all are. */
static bool bidx_skipped(const struct bidx_hook *hook, int i)
{
	size_t len = strlen(hook->name);

	if (!bidx_skip_hook || strncmp(bidx_skip_hook, hook->name, len))
		return false;
	return !strcmp(bidx_skip_hook + len, "*") || (!i && !bidx_skip_hook[len]);
}

static int bidx_place(struct bidx_hook *hook)
{
	int i, err = -ENOENT;

	for (i = 0; i < BIDX_ALTERNATIVES && hook->symbols[i]; i++) {
		if (bidx_skipped(hook, i)) {
			pr_info("hook %s: %s is treated as missing (debug_skip_hook)\n",
				hook->name, hook->symbols[i]);
			continue;
		}
		hook->as_kprobe = bidx_use_kprobe;
		err = hook->as_kprobe ? bidx_place_kprobe(hook, hook->symbols[i]) :
					bidx_place_ftrace(hook, hook->symbols[i]);
		if (err && !hook->as_kprobe) {
			pr_warn("hook %s: ftrace on %s failed (%d), trying a kprobe\n",
				hook->name, hook->symbols[i], err);
			hook->as_kprobe = true;
			err = bidx_place_kprobe(hook, hook->symbols[i]);
		}
		if (!err) {
			hook->placed = i;
			hook->error = 0;
			if (i)
				pr_warn("hook %s: %s is missing, using %s\n", hook->name,
					hook->symbols[0], hook->symbols[i]);
			return 0;
		}
		pr_warn("hook %s: cannot be placed on %s (%d)\n", hook->name, hook->symbols[i],
			err);
	}
	hook->placed = -1;
	hook->error = -err;
	pr_err("hook %s: no function to sit on: %s\n", hook->name, hook->loss);
	return err;
}

static void bidx_remove(struct bidx_hook *hook)
{
	int err;

	if (hook->placed < 0)
		return;
	if (hook->as_kprobe) {
		unregister_kprobe(&hook->kp);
	} else {
		/* While ftrace has a pointer to us our memory must stay: rather never return. */
		while ((err = unregister_ftrace_function(&hook->ops))) {
			pr_err_once("hook %s cannot be removed (%d): waiting, the module's memory must stay\n",
				    hook->name, err);
			msleep(1000);
		}
		ftrace_free_filter(&hook->ops);
	}
	hook->placed = -1;
}

/*
 * Placing a hook through ftrace makes a trampoline on x86, which the hook "ksym" must have
 * seen. Without it the module works on, so it is removed rather than trusted.
 */
static void bidx_check_ksym(void)
{
#ifdef CONFIG_X86_64
	struct bidx_hook *hook = &hooks[BIDX_HOOK_KSYM];
	u64 hits = 0;
	int cpu;

	if (hook->placed < 0 || hooks[BIDX_HOOK_MMAP].as_kprobe)
		return;
	for_each_possible_cpu(cpu)
		hits += READ_ONCE(per_cpu(bidx_cpu_stats.hook_hits[BIDX_HOOK_KSYM], cpu));
	if (hits)
		return;
	pr_err("hook %s: was placed but did not fire: %s\n", hook->name, hook->loss);
	bidx_remove(hook);
	hook->error = EOPNOTSUPP;
#endif
}

/**
 * bidx_hooks_start() - place the hooks that tell of files
 *
 * Without one of them an answer could be missing or wrong, so each must be placed. Before
 * them comes the one that tells of the text that placing them makes, if it can.
 *
 * Context: may sleep. Return: 0, or the errno of the hook that dmesg names.
 */
int bidx_hooks_start(void)
{
	int i, err;

	bidx_silenced = false;
	bidx_silenced_told = false;
	bidx_place(&hooks[BIDX_HOOK_KSYM]);
	/* Teardown first: no entry may be made that it would miss. */
	for (i = BIDX_HOOK_NEEDED - 1; i >= 0; i--) {
		err = bidx_place(&hooks[i]);
		if (err) {
			bidx_hooks_stop();
			return err;
		}
	}
	bidx_check_ksym();
	return 0;
}

/**
 * bidx_hooks_start_kernel() - place the hook that tells of BPF programs
 *
 * If it cannot be placed those stay unknown; all else works.
 *
 * Context: may sleep; the queues of work are open.
 */
void bidx_hooks_start_kernel(void)
{
	bidx_place(&hooks[BIDX_HOOK_BPF]);
}

/* Does a hook tell of what happens? */
bool bidx_hook_placed(enum bidx_hook_id id)
{
	return READ_ONCE(hooks[id].placed) >= 0;
}

/**
 * bidx_hooks_stop() - remove every hook; when it returns no callback runs
 *
 * Context: may sleep.
 */
void bidx_hooks_stop(void)
{
	int i;

	for (i = 0; i < BIDX_HOOK_COUNT; i++)
		bidx_remove(&hooks[i]);
	bidx_remove(&bidx_guard);
}

/* Did the hooks fall silent since they were placed? Then there is no answer but OFF. */
bool bidx_hooks_silenced(void)
{
	return READ_ONCE(bidx_silenced);
}

/* Say so, once. Context: the worker. */
void bidx_hooks_tell(void)
{
	if (READ_ONCE(bidx_silenced) && !xchg(&bidx_silenced_told, true))
		pr_warn("the kernel's kprobes were switched through debugfs, so hooks may have been silent: every lookup answers OFF until 1 is written to /sys/module/buildidx/parameters/enable\n");
}

/**
 * bidx_hooks_info() - describe the hooks
 * @info: array to fill
 * @max: its length
 *
 * Return: entries written.
 */
unsigned int bidx_hooks_info(struct buildidx_hook *info, unsigned int max)
{
	struct bidx_cpu_stats sum;
	unsigned int i;

	bidx_stats_sum(-1, &sum);
	for (i = 0; i < BIDX_HOOK_COUNT && i < max; i++) {
		const struct bidx_hook *hook = &hooks[i];
		int placed = READ_ONCE(hook->placed);

		memset(&info[i], 0, sizeof(info[i]));
		strscpy(info[i].name, hook->name, sizeof(info[i].name));
		info[i].hits = sum.hook_hits[i];
		info[i].error = hook->error;
		if (placed < 0)
			continue;
		strscpy(info[i].symbol, hook->symbols[placed], sizeof(info[i].symbol));
		info[i].state = hook->as_kprobe ? BUILDIDX_HOOK_KPROBE : BUILDIDX_HOOK_FTRACE;
		if (hook->as_kprobe)
			info[i].missed = hook->kp.nmissed;
	}
	return i;
}
