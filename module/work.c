// SPDX-License-Identifier: GPL-2.0
/*
 * Captures that wait to be done
 *
 * A hook may not sleep, allocate or free. It takes an item from a fixed pool
 * and leaves it to the mapping task, which runs it before its next user
 * instruction, or to the worker where a task takes no work (kernel threads).
 *
 * Each item of a task holds a reference on the module, so that rmmod says
 * "in use" instead of waiting for a mapper that waits for its disk.
 */
#include "internal.h"
#include "krec.h"
#include "pool.h"

#include <linux/cred.h>
#include <linux/file.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat_config.h"

#define BIDX_ITEMS	2048
/* Between two scans of all processes: because an item was lacking; at most. */
#define BIDX_RESCAN_PAUSE	(2 * HZ)
#define BIDX_RESCAN_PAUSE_MAX	(64 * HZ)

enum bidx_what {
	BIDX_WORK_MAPPED,
	BIDX_WORK_WRITTEN,
	BIDX_WORK_VDSO,
};

/**
 * struct bidx_item - one thing to do
 * @cb: while queued to a task
 * @node: while queued to the worker
 * @file: MAPPED: reference, put when done
 * @by: MAPPED: who did it
 * @inode: WRITTEN: key of the entry, no reference
 * @object: WRITTEN: number of the entry
 * @what: enum bidx_what
 * @holds_module: drop a module reference when done
 * @user: whose share it is of
 */
struct bidx_item {
	union {
		struct callback_head cb;
		struct llist_node node;
	};
	struct file *file;
	struct bidx_mapper by;
	struct inode *inode;
	u64 object;
	u8 what;
	bool holds_module;
	u16 user;
};

static struct {
	struct bidx_pool items;
	struct llist_head quick;
	struct llist_head slow;
	struct workqueue_struct *wq;
	struct work_struct quick_work;
	struct work_struct slow_work;
	struct delayed_work scan_work;
	struct delayed_work retry_work;
	struct irq_work irq_work;
	unsigned long retry_pause;
	bool rescan;
	bool open;
} pool;

/* Any context. Return: an item, or NULL when none is left for @user. */
static struct bidx_item *bidx_item_get(u16 user)
{
	struct bidx_item *item = bidx_pool_get(&pool.items, user);

	if (item)
		item->user = user;
	return item;
}

/* An item for what current did, once bidx_work_open() was called. */
static struct bidx_item *bidx_item_get_current(void)
{
	if (!READ_ONCE(pool.open))
		return NULL;
	return bidx_item_get(bidx_user_of_current());
}

static void bidx_item_put(struct bidx_item *item)
{
	bidx_pool_put(&pool.items, item, item->user);
}

static void bidx_item_run(struct bidx_item *item)
{
	bool holds_module = item->holds_module;

	switch (item->what) {
	case BIDX_WORK_MAPPED:
		if (!(current->flags & PF_EXITING) && READ_ONCE(bidx_active) &&
		    !bidx_index_covers(file_inode(item->file)))
			bidx_capture(item->file, file_inode(item->file), &item->by);
		if (item->by.tell)
			bidx_tell_map(item->file, &item->by);
		fput(item->file);
		break;
	case BIDX_WORK_WRITTEN:
		if (READ_ONCE(bidx_active))
			bidx_reread(item->inode, item->object);
		break;
	case BIDX_WORK_VDSO:
		if (current->mm)
			bidx_vdso_learn(current->mm);
		break;
	}
	bidx_item_put(item);
	/* Nothing of ours may run in this task after the epilogue: exit waits for it. */
	if (holds_module)
		module_put(THIS_MODULE);
}

static void bidx_task_work(struct callback_head *cb)
{
	bidx_item_run(container_of(cb, struct bidx_item, cb));
}

static void bidx_run_queue(struct llist_head *queue)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(queue));
	struct bidx_item *item, *next;

	llist_for_each_entry_safe(item, next, list, node) {
		bidx_count(BUILDIDX_CNT_WORKER);
		bidx_item_run(item);
		cond_resched();
	}
}

/* What waits for no device: must go on while the other worker is stuck on one. */
static void bidx_quick_worker(struct work_struct *work)
{
	bidx_hooks_tell();
	bidx_index_reap();
	bidx_stream_reap();
	bidx_ksym_work();
	bidx_run_queue(&pool.quick);
}

static void bidx_slow_worker(struct work_struct *work)
{
	bidx_run_queue(&pool.slow);
	if (READ_ONCE(pool.rescan))
		queue_delayed_work(pool.wq, &pool.scan_work, BIDX_RESCAN_PAUSE);
}

/* With a reference on the module: a scan may be stuck on a disk, and rmmod must not be. */
static void bidx_scan_again(void)
{
	if (!READ_ONCE(bidx_active) || !try_module_get(THIS_MODULE))
		return;
	bidx_work_scanned(bidx_scan());
	module_put(THIS_MODULE);
}

static void bidx_scan_worker(struct work_struct *work)
{
	if (xchg(&pool.rescan, false))
		bidx_scan_again();
}

static void bidx_retry_worker(struct work_struct *work)
{
	bidx_scan_again();
}

/**
 * bidx_work_scanned() - a scan of the processes has ended
 * @complete: false: some could not be looked at, so there must be another
 *
 * Context: may sleep.
 */
void bidx_work_scanned(bool complete)
{
	unsigned long pause = READ_ONCE(pool.retry_pause);

	if (complete) {
		WRITE_ONCE(pool.retry_pause, BIDX_RESCAN_PAUSE);
		return;
	}
	/* Who keeps its mmap_lock for long may do so for ever: less and less often. */
	if (queue_delayed_work(pool.wq, &pool.retry_work, pause))
		WRITE_ONCE(pool.retry_pause, min_t(unsigned long, 2 * pause, BIDX_RESCAN_PAUSE_MAX));
}

/* When switched off: what is to be scanned again is forgotten. Waits for no scan. */
void bidx_work_forget_scans(void)
{
	WRITE_ONCE(pool.rescan, false);
	cancel_delayed_work(&pool.scan_work);
	cancel_delayed_work(&pool.retry_work);
	WRITE_ONCE(pool.retry_pause, BIDX_RESCAN_PAUSE);
}

static void bidx_irq_work(struct irq_work *work)
{
	queue_work(pool.wq, &pool.quick_work);
	if (!llist_empty(&pool.slow) || READ_ONCE(pool.rescan))
		queue_work(pool.wq, &pool.slow_work);
}

/* Wake the workers. Context: any, NMI included. */
void bidx_work_kick(void)
{
	irq_work_queue(&pool.irq_work);
}

static void bidx_to_worker(struct bidx_item *item)
{
	if (llist_add(&item->node, item->what == BIDX_WORK_MAPPED ? &pool.slow : &pool.quick))
		bidx_work_kick();
}

/**
 * bidx_work_has_task_work() - is what a task maps read before its next user
 * instruction? task_work_add() is exported by Debian, not by mainline.
 */
bool bidx_work_has_task_work(void)
{
#ifdef HAVE_TASK_WORK_ADD_EXPORT
	return true;
#else
	return false;
#endif
}

/* Tasks that never return to user mode, so that a task work could wait for ever. */
#ifdef PF_USER_WORKER	/* since 6.4, 54e6842d0775: io_uring's and vhost's */
#define BIDX_KERNEL_ONLY	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define BIDX_KERNEL_ONLY	(PF_KTHREAD | PF_IO_WORKER)
#endif

/**
 * bidx_run_in_current() - have current do something before its next user instruction
 * @cb: of an item
 * @fn: what to do
 *
 * Context: any where current is who does it.
 * Return: false when current takes no task work.
 */
bool bidx_run_in_current(struct callback_head *cb, task_work_func_t fn)
{
#ifdef HAVE_TASK_WORK_ADD_EXPORT
	if (current->flags & BIDX_KERNEL_ONLY)
		return false;
	init_task_work(cb, fn);
	return !task_work_add(current, cb, TWA_RESUME);
#else
	return false;
#endif
}

static bool bidx_to_current(struct bidx_item *item)
{
	return bidx_run_in_current(&item->cb, bidx_task_work);
}

/*
 * Queue an item of a hook. Return: false when the module is going away: the
 * item is then the caller's.
 */
static bool bidx_queue(struct bidx_item *item)
{
	item->holds_module = try_module_get(THIS_MODULE);
	if (!item->holds_module)
		return false;
	if (!bidx_to_current(item))
		bidx_to_worker(item);
	return true;
}

static void bidx_pool_empty(void)
{
	if (!READ_ONCE(pool.open))
		return;		/* the scan that follows finds it */
	bidx_count(BUILDIDX_CNT_POOL_EMPTY);
	WRITE_ONCE(pool.rescan, true);
	bidx_work_kick();
}

static void bidx_mapper_of_current(struct bidx_mapper *by, const struct vm_area_struct *vma,
				   bool tell)
{
	by->time = ktime_get_boottime_ns();
	by->addr = vma->vm_start;
	by->len = vma->vm_end - vma->vm_start;
	by->offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	by->pid = task_tgid_nr(current);
	by->tid = task_pid_nr(current);
	by->uid = __kuid_val(current_uid());
	memcpy(by->comm, current->comm, sizeof(by->comm));
	by->tell = tell;
}

/**
 * bidx_work_mapped() - current has mapped a file
 * @vma: the mapping; a reference on its file is taken while the item waits
 * @known: the file's identity is; it need not be read
 * @tell: there is to be a MAP record
 *
 * Context: the mmap hook, under mmap_lock.
 * Return: true when it is queued.
 */
bool bidx_work_mapped(const struct vm_area_struct *vma, bool known, bool tell)
{
	struct bidx_item *item = bidx_item_get_current();

	if (item) {
		item->what = BIDX_WORK_MAPPED;
		item->file = get_file(vma->vm_file);
		bidx_mapper_of_current(&item->by, vma, tell);
		if (bidx_queue(item))
			return true;
		/* The mapping holds the file, so this cannot be the last reference. */
		fput(item->file);
		bidx_item_put(item);
	} else if (!known) {
		bidx_pool_empty();
	}
	if (tell)
		bidx_stream_lost(BUILDIDX_REC_MAP, 1);
	return false;
}

/**
 * bidx_work_written() - a writer has released a file whose content changed
 * @inode: key of its entry; no reference is taken, or an unmount would meet it
 * @object: number of the entry
 *
 * Context: the close hook.
 * Return: true when it is queued; else the entry stays STALE until the next mmap.
 */
bool bidx_work_written(struct inode *inode, u64 object)
{
	struct bidx_item *item = bidx_item_get_current();

	if (!item) {
		if (READ_ONCE(pool.open))
			bidx_count(BUILDIDX_CNT_POOL_EMPTY);
		return false;
	}
	item->what = BIDX_WORK_WRITTEN;
	item->inode = inode;
	item->object = object;
	if (bidx_queue(item))
		return true;
	bidx_item_put(item);
	return false;
}

/* current may have a vDSO that is not known. Context: the mmap hook. */
void bidx_work_vdso(void)
{
	struct bidx_item *item = bidx_item_get_current();

	if (!item)
		return;
	item->what = BIDX_WORK_VDSO;
	item->holds_module = try_module_get(THIS_MODULE);
	if (item->holds_module && bidx_to_current(item))
		return;
	if (item->holds_module)
		module_put(THIS_MODULE);
	bidx_item_put(item);
}

/**
 * bidx_work_reread() - a lookup met an entry that a re-read could cure
 * @e: under rcu_read_lock()
 *
 * Context: any, NMI included.
 */
void bidx_work_reread(struct bidx_entry *e)
{
	struct bidx_item *item;

	if (READ_ONCE(e->reread_queued) ||
	    (u32)jiffies - READ_ONCE(e->reread_at) < BIDX_REREAD_PAUSE)
		return;
	item = bidx_item_get(BIDX_REREADS);
	if (!item)
		return;
	if (xchg(&e->reread_queued, 1)) {
		bidx_item_put(item);
		return;
	}
	WRITE_ONCE(e->reread_at, (u32)jiffies);
	item->what = BIDX_WORK_WRITTEN;
	item->inode = e->inode;
	item->object = e->object;
	item->holds_module = false;	/* the worker is flushed at exit */
	bidx_to_worker(item);
}

/* From now on the hooks may queue. A load that fails after it would wait for mappers. */
void bidx_work_open(void)
{
	WRITE_ONCE(pool.open, true);
}

/**
 * bidx_work_drain() - wait until nothing is queued
 *
 * Only where nothing can be queued to a task: bidx_work_open() was not called, or the module
 * is going, which a task's item does not let it; and the hooks are off. Context: may sleep.
 */
void bidx_work_drain(void)
{
	do {
		irq_work_sync(&pool.irq_work);
		cancel_delayed_work_sync(&pool.scan_work);
		cancel_delayed_work_sync(&pool.retry_work);
		queue_work(pool.wq, &pool.quick_work);
		queue_work(pool.wq, &pool.slow_work);
		flush_workqueue(pool.wq);
		if (!atomic_read(&pool.items.pending))
			break;
		schedule_timeout_uninterruptible(HZ / 50 ?: 1);
	} while (true);
}

/* Context: may sleep. Return: 0 or -ENOMEM. */
int bidx_work_init(void)
{
	init_llist_head(&pool.quick);
	init_llist_head(&pool.slow);
	INIT_WORK(&pool.quick_work, bidx_quick_worker);
	INIT_WORK(&pool.slow_work, bidx_slow_worker);
	INIT_DELAYED_WORK(&pool.scan_work, bidx_scan_worker);
	INIT_DELAYED_WORK(&pool.retry_work, bidx_retry_worker);
	init_irq_work(&pool.irq_work, bidx_irq_work);
	pool.retry_pause = BIDX_RESCAN_PAUSE;
	if (bidx_pool_init(&pool.items, BIDX_ITEMS, sizeof(struct bidx_item)))
		return -ENOMEM;
	pool.wq = alloc_workqueue("buildidx", WQ_UNBOUND, 0);
	if (!pool.wq) {
		bidx_pool_exit(&pool.items);
		return -ENOMEM;
	}
	return 0;
}

/* After bidx_work_drain(), and after the last RCU reader. Context: may sleep. */
void bidx_work_exit(void)
{
	irq_work_sync(&pool.irq_work);
	cancel_delayed_work_sync(&pool.scan_work);
	cancel_delayed_work_sync(&pool.retry_work);
	destroy_workqueue(pool.wq);
	bidx_pool_exit(&pool.items);
}
