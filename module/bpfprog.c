// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs come and go (design D8)
 *
 * The hook may not allocate, so it takes a reference on the program and an item, and
 * leaves the rest to the loading task on its way out of bpf(2), or to the worker where
 * the loader is a kernel thread. The record is a copy: once it is made the reference
 * is given back.
 *
 * Each item holds a reference on the module too, so that rmmod says "in use" instead of
 * waiting for a loader that does not get on.
 */
#include "internal.h"
#include "bpfprog.h"
#include "bpfrec.h"
#include "krec.h"
#include "pool.h"

#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "compat/bpf.h"

/* A loader has one at a time, a light skeleton as many as it has programs. */
#define BIDX_BPF_ITEMS	1024
/* More than there are types of programs; the kernel says no to what is none. */
#define BIDX_BPF_TYPES	64

/**
 * struct bidx_bpf_item - a program that has no record yet
 * @cb: while queued to a task
 * @node: while queued to the worker
 * @prog: with a reference
 * @loader: who loaded it
 * @epoch: bpf.epoch when the hook saw it
 * @user: whose share it is of
 */
struct bidx_bpf_item {
	union {
		struct callback_head cb;
		struct llist_node node;
	};
	struct bpf_prog *prog;
	struct bidx_loader loader;
	unsigned int epoch;
	u16 user;
};

static struct {
	struct bidx_pool items;
	struct llist_head queue;
	struct irq_work kick;
	struct work_struct work;
	unsigned int epoch;		/* how often the hook was removed */
} bpf;

static void bidx_bpf_lost(void)
{
	bidx_count(BUILDIDX_CNT_BPF_LOST);
	bidx_stream_lost(BUILDIDX_REC_BPF_LOAD, 1);
}

/* Addresses of the functions that have text. */
static void bidx_bpf_ranges(struct bidx_krec *k, const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f = (void *)r + r->funcs.off;
	u32 i, n = 0;

	for (i = 0; i < k->nr_ranges; i++) {
		struct bidx_krange *range = &k->ranges[n];

		if (!f[i].len)
			continue;
		range->start = f[i].addr;
		range->len = f[i].len;
		range->base = f[i].image;
		n++;
	}
	k->nr_ranges = n;
}

/* What stood for the program's text while there was no record of it goes. */
static void bidx_bpf_forget_symbols(const struct bpf_prog *prog)
{
	u32 i, n = bidx_prog_func_count(prog->aux);

	if (!n)
		bidx_ksym_forget((unsigned long)prog->bpf_func);
	for (i = 0; i < n; i++)
		bidx_ksym_forget((unsigned long)prog->aux->func[i]->bpf_func);
}

/* Context: may sleep. Return: a record that is not published, or NULL for want of memory. */
static struct bidx_krec *bidx_bpf_krec(struct bpf_prog *prog, const struct bidx_loader *loader)
{
	struct buildidx_rec_bpf *r = bidx_bpf_record(prog, loader);
	struct bidx_krec *k;

	if (!r)
		return NULL;
	k = bidx_krec_alloc(&r->rec, r->funcs.len / sizeof(struct buildidx_bpf_func));
	if (!k) {
		kvfree(r);
		return NULL;
	}
	k->kind = BUILDIDX_KIND_BPF;
	k->source = BUILDIDX_SOURCE_CONTENT;
	k->id_len = sizeof(r->build_id);
	memcpy(k->id, r->build_id, sizeof(r->build_id));
	bidx_bpf_ranges(k, r);
	return k;
}

/*
 * After a record was published: once the hook is removed a program may go unseen, and what
 * comes after bidx_bpf_stop() went through the records must not stay live.
 */
static void bidx_bpf_published(struct bpf_prog *prog, unsigned int epoch)
{
	const struct bidx_gone unseen = { .time = ktime_get_boottime_ns() };

	/* Pairs with bidx_bpf_stop(): it finds the record or we see the new epoch. */
	smp_mb();
	if (READ_ONCE(bpf.epoch) != epoch)
		bidx_krec_retire(prog, &unseen);
}

static void bidx_bpf_run(struct bidx_bpf_item *item)
{
	struct bidx_krec *k = bidx_bpf_krec(item->prog, &item->loader);

	if (k) {
		/* One that was adopted meanwhile knows no loader. */
		bidx_krec_publish(k, item->prog);
		bidx_bpf_forget_symbols(item->prog);
		bidx_bpf_published(item->prog, item->epoch);
		bidx_count(BUILDIDX_CNT_BPF_LOADED);
	} else {
		bidx_bpf_lost();
	}
	bpf_prog_put(item->prog);
	bidx_pool_put(&bpf.items, item, item->user);
	/* Nothing of ours may run in this task after the epilogue: exit waits for it. */
	module_put(THIS_MODULE);
}

static void bidx_bpf_task_work(struct callback_head *cb)
{
	bidx_bpf_run(container_of(cb, struct bidx_bpf_item, cb));
}

static void bidx_bpf_worker(struct work_struct *work)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&bpf.queue));
	struct bidx_bpf_item *item, *next;

	llist_for_each_entry_safe(item, next, list, node) {
		bidx_bpf_run(item);
		cond_resched();
	}
}

static void bidx_bpf_irq_work(struct irq_work *work)
{
	bidx_krec_in_background(&bpf.work);
}

/**
 * bidx_bpf_loaded() - current loads a program
 * @prog: it; nobody else has it yet, but may get it by its number
 *
 * Context: the bpf hook. Allocates nothing.
 */
void bidx_bpf_loaded(struct bpf_prog *prog)
{
	u16 user = bidx_user_of_current();
	struct bidx_bpf_item *item = bidx_pool_get(&bpf.items, user);

	if (!item) {
		bidx_bpf_lost();
		return;
	}
	if (!try_module_get(THIS_MODULE)) {
		bidx_pool_put(&bpf.items, item, user);
		return;		/* going away: nobody can ask any more */
	}
	item->user = user;
	item->epoch = READ_ONCE(bpf.epoch);
	item->loader.pid = task_tgid_nr(current);
	item->loader.tid = task_pid_nr(current);
	strscpy(item->loader.comm, current->comm, sizeof(item->loader.comm));
	bpf_prog_inc(prog);
	item->prog = prog;
	if (bidx_run_in_current(&item->cb, bidx_bpf_task_work))
		return;
	if (llist_add(&item->node, &bpf.queue))
		irq_work_queue(&bpf.kick);
}

/**
 * bidx_bpf_unloaded() - the last reference to a program is gone
 * @prog: it; its memory is given back soon, its text after that
 *
 * Context: the bpf hook: task, softirq or worker of the kernel. Allocates nothing.
 */
void bidx_bpf_unloaded(struct bpf_prog *prog)
{
	struct bidx_gone gone = { .time = ktime_get_boottime_ns() };

	/* A kernel thread does it for somebody who is not known any more. */
	if (in_task() && !(current->flags & PF_KTHREAD)) {
		gone.pid = task_tgid_nr(current);
		gone.tid = task_pid_nr(current);
		strscpy(gone.comm, current->comm, sizeof(gone.comm));
	}
	if (bidx_krec_retire(prog, &gone))
		bidx_count(BUILDIDX_CNT_BPF_UNLOADED);
	bidx_bpf_forget_symbols(prog);
}

/* The program behind a file descriptor, of whatever type, with a reference; or an error. */
static struct bpf_prog *bidx_bpf_prog_of(int fd)
{
	struct bpf_prog *prog = ERR_PTR(-EINVAL);
	int type;

	for (type = 1; type < BIDX_BPF_TYPES && prog == ERR_PTR(-EINVAL); type++)
		prog = bpf_prog_get_type_dev(fd, type, true);
	return prog;
}

/**
 * bidx_bpf_adopt() - make a record of a program that is older than the module
 * @fd: of the program
 * @object: result, number of its record
 *
 * Context: may sleep.
 * Return: 0; -EBADF no such fd; -EINVAL not a program's; -ENOMEM; -EAGAIN the hook is not
 * there, so it would not be seen to go.
 */
int bidx_bpf_adopt(int fd, u64 *object)
{
	unsigned int epoch = READ_ONCE(bpf.epoch);
	struct bidx_krec *k = NULL;
	struct bpf_prog *prog;
	int err = 0;

	/* A hook that is removed after this look makes another epoch. */
	smp_rmb();
	if (!READ_ONCE(bidx_active) || !bidx_hook_placed(BIDX_HOOK_BPF))
		return -EAGAIN;
	prog = bidx_bpf_prog_of(fd);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	*object = bidx_krec_object_of(prog);
	if (!*object) {
		k = bidx_bpf_krec(prog, NULL);
		err = k ? 0 : -ENOMEM;
	}
	if (k && bidx_krec_publish_new(k, prog)) {
		bidx_bpf_forget_symbols(prog);
		bidx_bpf_published(prog, epoch);
		bidx_count(BUILDIDX_CNT_BPF_ADOPTED);
	} else if (k) {
		bidx_krec_put(k);
	}
	if (!err && !*object)
		*object = bidx_krec_object_of(prog);
	if (!err && !*object)
		err = -EAGAIN;		/* the hook was removed meanwhile */
	bpf_prog_put(prog);
	return err;
}

/**
 * bidx_bpf_stop() - the hook was removed: what is there may go unseen
 *
 * All programs are told as gone now. Those that are still there when the hook is placed
 * again can be adopted, and get new records.
 *
 * Context: may sleep.
 */
void bidx_bpf_stop(void)
{
	WRITE_ONCE(bpf.epoch, bpf.epoch + 1);
	/* Pairs with bidx_bpf_published(). */
	smp_mb();
	bidx_krec_retire_all(BUILDIDX_REC_BPF_LOAD);
}

/* Context: may sleep. Return: 0 or -ENOMEM. */
int bidx_bpf_init(void)
{
	init_llist_head(&bpf.queue);
	init_irq_work(&bpf.kick, bidx_bpf_irq_work);
	INIT_WORK(&bpf.work, bidx_bpf_worker);
	return bidx_pool_init(&bpf.items, BIDX_BPF_ITEMS, sizeof(struct bidx_bpf_item));
}

/* No item is queued: each holds the module. Before bidx_krec_exit(). Context: may sleep. */
void bidx_bpf_exit(void)
{
	irq_work_sync(&bpf.kick);
	cancel_work_sync(&bpf.work);
	bidx_pool_exit(&bpf.items);
}
