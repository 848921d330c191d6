/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is changing a mapping right now
 *
 * A VMA of a file changes its range or offset only while its mm's mmap_lock
 * and its mapping's i_mmap_rwsem are held for writing by one task: in 6.1 by
 * __vma_adjust(), later between vma_prepare() and vma_complete().
 *
 * mm_lock_seq is a seqcount since 6.13 (eb449bd96954, "mm: convert mm_lock_seq
 * to a proper seqcount"), and in Debian's 6.12: probed. It is odd while
 * mmap_lock is held for writing, and vm_lock_seq equals it in the VMAs that
 * the holder has locked.
 */
#ifndef BIDX_COMPAT_VMA_H
#define BIDX_COMPAT_VMA_H

#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/rbtree.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>
#include "compat_config.h"
#include "compat/nofault.h"

#if defined(HAVE_MM_LOCK_SEQCOUNT) && defined(HAVE_VMA_VM_LOCK_SEQ) && \
	defined(CONFIG_PER_VMA_LOCK)
#define BIDX_MM_SEQ 1
#endif

#ifdef CONFIG_PREEMPT_RT
/* Copied as a block, so that owner and reader count are from one instant or nearly so. */
typedef struct rwbase_rt bidx_rwsem_view;

static inline unsigned long bidx_rwsem_view_writer(const bidx_rwsem_view *v)
{
	if (atomic_read(&v->readers) != WRITER_BIAS)
		return 0;
	return (unsigned long)v->rtmutex.owner & ~1UL;	/* RT_MUTEX_HAS_WAITERS */
}
#define bidx_rwsem_view_of(sem)	(&(sem)->rwbase)
#else
typedef atomic_long_t bidx_rwsem_view;

static inline unsigned long bidx_rwsem_view_writer(const bidx_rwsem_view *v)
{
	unsigned long owner = atomic_long_read(v);

	if (owner & 1)			/* RWSEM_READER_OWNED */
		return 0;
	return owner & ~7UL;		/* RWSEM_OWNER_FLAGS_MASK, and one to spare */
}
#define bidx_rwsem_view_of(sem)	(&(sem)->owner)
#endif

/**
 * bidx_rwsem_writer() - task that holds a rw_semaphore for writing
 * @sem: lives, as that of current->mm does
 *
 * Return: the task's address, 0 when nobody does.
 */
static inline unsigned long bidx_rwsem_writer(struct rw_semaphore *sem)
{
	return bidx_rwsem_view_writer(bidx_rwsem_view_of(sem));
}

/**
 * bidx_rwsem_writer_nofault() - the same of a semaphore whose memory may be gone
 *
 * Return: the task's address, 0 when nobody does, ~0 when unreadable.
 */
static inline unsigned long bidx_rwsem_writer_nofault(struct rw_semaphore *sem)
{
	bidx_rwsem_view v;

	if (copy_from_kernel_nofault(&v, bidx_rwsem_view_of(sem), sizeof(v)))
		return ~0UL;
	return bidx_rwsem_view_writer(&v);
}

/* vm_lock_seq of a VMA whose memory may be gone, as bidx_nofault_get(); 0 where there is none. */
#ifdef BIDX_MM_SEQ
#define bidx_vma_get_lock_seq(var, vma, label)	\
	bidx_nofault_get(var, &(vma)->vm_lock_seq, label)
#else
#define bidx_vma_get_lock_seq(var, vma, label)	((var) = 0)
#endif

/* A number that differs whenever mmap_lock was taken for writing in between; 0: unknown. */
static inline unsigned int bidx_mm_seq(struct mm_struct *mm)
{
#ifdef BIDX_MM_SEQ
	return READ_ONCE(mm->mm_lock_seq.sequence);
#else
	return 0;
#endif
}

/* Nobody held mmap_lock for writing since @seq was read. */
static inline bool bidx_mm_quiet_since(struct mm_struct *mm, unsigned int seq)
{
#ifdef BIDX_MM_SEQ
	return !(seq & 1) && READ_ONCE(mm->mm_lock_seq.sequence) == seq;
#else
	return false;
#endif
}

static inline bool bidx_mm_write_locked(struct mm_struct *mm)
{
#ifdef BIDX_MM_SEQ
	return READ_ONCE(mm->mm_lock_seq.sequence) & 1;
#else
	return bidx_rwsem_writer(&mm->mmap_lock) != 0;
#endif
}

/* May the holder of mmap_lock change a VMA with this vm_lock_seq? Where that is unknown: yes. */
static inline bool bidx_vma_write_locked(struct mm_struct *mm, unsigned int lock_seq)
{
#ifdef BIDX_MM_SEQ
	unsigned int seq = bidx_mm_seq(mm);

	return (seq & 1) && lock_seq == seq;
#else
	return true;
#endif
}

/**
 * bidx_vma_at_rest() - is a VMA surely not being changed, locks or not?
 * @vma: its address; memory that may be gone
 * @mapping: its file's; memory that may be gone
 *
 * Before it is changed it is taken out of the interval tree of its file, and
 * put back after, so one that the tree leads to is at rest. That tells a fork,
 * which holds the same locks, from a split. Only where the VMA itself does not
 * say whether it is locked: there that is the better test.
 */
static inline bool bidx_vma_at_rest(const void *vma, const struct address_space *mapping)
{
#ifdef BIDX_MM_SEQ
	return false;
#else
	const struct rb_node *node = &((const struct vm_area_struct *)vma)->shared.rb;
	struct rb_node *parent, *left, *right;
	unsigned long color;

	if (get_kernel_nofault(color, &node->__rb_parent_color))
		return false;
	parent = (struct rb_node *)(color & ~3UL);
	if (!parent)
		return !get_kernel_nofault(left, &mapping->i_mmap.rb_root.rb_node) && left == node;
	return !get_kernel_nofault(left, &parent->rb_left) &&
	       !get_kernel_nofault(right, &parent->rb_right) &&
	       (left == node || right == node);
#endif
}

#endif /* BIDX_COMPAT_VMA_H */
