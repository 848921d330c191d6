// SPDX-License-Identifier: GPL-2.0
/*
 * Read what is already mapped when the module is loaded
 *
 * The hooks are on before this runs, so only mappings that are older than they
 * need to be found. A process that was forked during a pass by one that exits
 * before its turn is found by the next pass: passes are made until one finds
 * nothing new.
 */
#include "internal.h"

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#define BIDX_SCAN_PASSES	8
/* Files collected under one hold of mmap_lock. */
#define BIDX_SCAN_BATCH		32

/* Waiting for mmap_locks: for one of them, and in a whole scan; jiffies. */
#define BIDX_SCAN_WAIT		(HZ / 5)
#define BIDX_SCAN_WAIT_ALL	(2 * HZ)

/**
 * struct bidx_scan - one scan of all processes
 * @files: room for BIDX_SCAN_BATCH files
 * @patience: jiffies that may still be waited
 * @skipped: processes whose mmap_lock was not to be had, in the last pass
 */
struct bidx_scan {
	struct file **files;
	unsigned long patience;
	unsigned int skipped;
};

static bool bidx_scan_must_end(void)
{
	return !READ_ONCE(bidx_active) || fatal_signal_pending(current);
}

/*
 * A process may hold its mmap_lock for as long as it likes: it mapped a file
 * whose server is silent. The scan goes on without it.
 */
static bool bidx_scan_lock(struct mm_struct *mm, struct bidx_scan *scan)
{
	unsigned long patience = min_t(unsigned long, scan->patience, BIDX_SCAN_WAIT);
	unsigned long start = jiffies, waited = 0;
	bool locked;

	while (!(locked = mmap_read_trylock(mm)) && waited < patience && !bidx_scan_must_end()) {
		usleep_range(1000, 2000);
		waited = jiffies - start;
	}
	scan->patience -= min(waited, scan->patience);
	return locked;
}

/*
 * Collect unknown files of executable mappings from @addr on. Return: how many;
 * @addr is where to go on, 0 at the end.
 */
static unsigned int bidx_collect(struct mm_struct *mm, unsigned long *addr,
				 struct bidx_scan *scan)
{
	VMA_ITERATOR(vmi, mm, *addr);
	struct vm_area_struct *vma;
	unsigned int n = 0;

	*addr = 0;
	if (!bidx_scan_lock(mm, scan)) {
		bidx_count(BUILDIDX_CNT_SCAN_SKIPPED);
		scan->skipped++;
		return 0;
	}
	for_each_vma(vmi, vma) {
		struct file *file = vma->vm_file;

		if (!(vma->vm_flags & VM_EXEC) || !file || !bidx_file_wanted(file) ||
		    bidx_index_covers(file_inode(file)))
			continue;
		/* The self-test must be the only one who holds it. */
		if (file_inode(file) == READ_ONCE(bidx_probe.inode))
			continue;
		if (n == BIDX_SCAN_BATCH) {
			*addr = vma->vm_start;
			break;
		}
		scan->files[n++] = get_file(file);
	}
	mmap_read_unlock(mm);
	return n;
}

/* The address space is not held while files are read: its process may exit meanwhile. */
static unsigned int bidx_scan_task(struct task_struct *task, struct bidx_scan *scan)
{
	unsigned int i, n, found = 0;
	unsigned long addr = 0;
	struct mm_struct *mm;

	do {
		mm = get_task_mm(task);
		if (!mm)
			break;
		bidx_vdso_learn(mm);
		n = bidx_collect(mm, &addr, scan);
		/* Not mmput(): the last reference would tear the process down here. */
		mmput_async(mm);
		for (i = 0; i < n; i++) {
			struct file *file = scan->files[i];
			struct inode *inode = file_inode(file);

			/* The batch may hold a file twice. */
			if (!bidx_index_covers(inode) && !bidx_capture(file, inode, NULL)) {
				bidx_count(BUILDIDX_CNT_SCAN_FILES);
				found++;
			}
			fput(file);
			cond_resched();
		}
	} while (addr);
	return found;
}

/* All threads: the leader of a process may have exited before the rest. */
static struct task_struct **bidx_all_tasks(size_t *count)
{
	struct task_struct *p, *t, **tasks;
	size_t room = 1024, n;

	for (;;) {
		bool full = false;

		tasks = kvmalloc_array(room, sizeof(*tasks), GFP_KERNEL);
		if (!tasks)
			return NULL;
		n = 0;
		rcu_read_lock();
		for_each_process(p) {
			if (p->flags & PF_KTHREAD)
				continue;
			for_each_thread(p, t) {
				if (!READ_ONCE(t->mm))
					continue;
				if (n == room) {
					full = true;
					break;
				}
				tasks[n++] = get_task_struct(t);
				break;	/* one that has the mm is enough */
			}
			if (full)
				break;
		}
		rcu_read_unlock();
		if (!full)
			break;
		while (n)
			put_task_struct(tasks[--n]);
		kvfree(tasks);
		room *= 2;
	}
	*count = n;
	return tasks;
}

/* Return: files captured; -ENOMEM; -EINTR. */
static long bidx_scan_pass(struct bidx_scan *scan)
{
	struct task_struct **tasks;
	long found = 0;
	size_t n, i;

	tasks = bidx_all_tasks(&n);
	if (!tasks)
		return -ENOMEM;
	scan->skipped = 0;
	for (i = 0; i < n; i++) {
		if (found >= 0 && bidx_scan_must_end())
			found = -EINTR;
		if (found >= 0) {
			bidx_count(BUILDIDX_CNT_SCAN_TASKS);
			found += bidx_scan_task(tasks[i], scan);
		}
		put_task_struct(tasks[i]);
		cond_resched();
	}
	kvfree(tasks);
	return found;
}

/**
 * bidx_scan() - capture every file that is mapped executable now
 *
 * Context: may sleep and read from local devices; waits for processes
 * BIDX_SCAN_WAIT_ALL at most.
 * Return: false when there must be another: some processes could not be looked
 * at, or the caller is being killed.
 */
bool bidx_scan(void)
{
	struct bidx_scan scan = { .patience = BIDX_SCAN_WAIT_ALL };
	long found = -ENOMEM;
	int pass;

	scan.files = kmalloc_array(BIDX_SCAN_BATCH, sizeof(*scan.files), GFP_KERNEL);
	if (scan.files) {
		for (pass = 0; pass < BIDX_SCAN_PASSES; pass++) {
			found = bidx_scan_pass(&scan);
			if (found <= 0)
				break;
		}
	}
	kfree(scan.files);
	if (found == -ENOMEM)
		pr_warn_ratelimited("no memory to scan the running processes; trying again\n");
	return found >= 0 && !scan.skipped;
}
