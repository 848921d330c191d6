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

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#define BIDX_SCAN_PASSES	8
/* Files collected under one hold of mmap_lock. */
#define BIDX_SCAN_BATCH		32

/*
 * Collect unknown files of executable mappings from @addr on. Return: how many;
 * @addr is where to go on, 0 at the end.
 */
static unsigned int bidx_collect(struct mm_struct *mm, unsigned long *addr,
				 struct file **files)
{
	VMA_ITERATOR(vmi, mm, *addr);
	struct vm_area_struct *vma;
	unsigned int n = 0;

	*addr = 0;
	if (mmap_read_lock_killable(mm))
		return 0;
	for_each_vma(vmi, vma) {
		struct file *file = vma->vm_file;

		if (!(vma->vm_flags & VM_EXEC) || !file || !bidx_file_wanted(file) ||
		    bidx_index_covers(file_inode(file)))
			continue;
		if (n == BIDX_SCAN_BATCH) {
			*addr = vma->vm_start;
			break;
		}
		files[n++] = get_file(file);
	}
	mmap_read_unlock(mm);
	return n;
}

/* The address space is not held while files are read: its process may exit meanwhile. */
static unsigned int bidx_scan_task(struct task_struct *task, struct file **files)
{
	unsigned int i, n, found = 0;
	unsigned long addr = 0;
	struct mm_struct *mm;

	do {
		mm = get_task_mm(task);
		if (!mm)
			break;
		bidx_vdso_learn(mm);
		n = bidx_collect(mm, &addr, files);
		/* Not mmput(): the last reference would tear the process down here. */
		mmput_async(mm);
		for (i = 0; i < n; i++) {
			struct inode *inode = file_inode(files[i]);

			/* The batch may hold a file twice. */
			if (!bidx_index_covers(inode) && !bidx_capture(files[i], inode)) {
				bidx_count(BUILDIDX_CNT_SCAN_FILES);
				found++;
			}
			fput(files[i]);
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

static long bidx_scan_pass(struct file **files)
{
	struct task_struct **tasks;
	long found = 0;
	size_t n, i;

	tasks = bidx_all_tasks(&n);
	if (!tasks)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		bidx_count(BUILDIDX_CNT_SCAN_TASKS);
		found += bidx_scan_task(tasks[i], files);
		put_task_struct(tasks[i]);
		cond_resched();
	}
	kvfree(tasks);
	return found;
}

/**
 * bidx_scan() - capture every file that is mapped executable now
 *
 * Context: may sleep and read from local devices.
 */
void bidx_scan(void)
{
	struct file **files;
	long found = -ENOMEM;
	int pass;

	files = kmalloc_array(BIDX_SCAN_BATCH, sizeof(*files), GFP_KERNEL);
	if (files) {
		for (pass = 0; pass < BIDX_SCAN_PASSES; pass++) {
			found = bidx_scan_pass(files);
			if (found <= 0)
				break;
		}
	}
	kfree(files);
	if (found < 0)
		pr_warn("no memory to scan the running processes: files that they mapped before are NOT_INDEXED until mapped again\n");
}
