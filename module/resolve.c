// SPDX-License-Identifier: GPL-2.0
/*
 * address -> mapping -> identity, without a lock (design D6)
 *
 * An NMI may have interrupted the very writer of the mapping it asks about, so
 * reading twice and comparing proves nothing: it reads the same torn VMA twice.
 * What proves it is that between the two reads nobody held the locks under
 * which a file mapping changes (compat/vma.h). Where mmap_lock was not taken
 * for writing at all in between, one read is enough.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#ifdef CONFIG_X86_VSYSCALL_EMULATION
#include <asm/vsyscall.h>
#endif

#include "compat/inode.h"
#include "compat/nofault.h"
#include "compat/vdso.h"
#include "compat/vma.h"
#include "krec.h"
#include "maple.h"

/* On another CPU a writer needs a microsecond; on this one it will not get on. */
#define BIDX_TRIES 16

/**
 * struct bidx_view - what one look at the address space saw
 * @vma: address of the VMA, NULL for a hole
 * @start: vm_start
 * @end: vm_end
 * @pgoff: vm_pgoff
 * @lock_seq: vm_lock_seq, 0 where there is none
 * @file: vm_file
 * @inode: of @file, where there is one
 * @mapping: of @file, where there is one
 * @ops: vm_ops, where there is no @file
 * @private_data: vm_private_data, where there is no @file
 */
struct bidx_view {
	const struct vm_area_struct *vma;
	unsigned long start;
	unsigned long end;
	unsigned long pgoff;
	unsigned int lock_seq;
	struct file *file;
	struct inode *inode;
	struct address_space *mapping;
	const struct vm_operations_struct *ops;
	void *private_data;
};

/*
 * The memory of VMA and file may be gone, or be another's by now: what was read is believed
 * only after the tests of bidx_try().
 * Return: false when what was seen cannot be a settled state.
 */
static __always_inline bool bidx_look(struct mm_struct *mm, unsigned long ip,
				      struct bidx_view *v)
{
	const struct vm_area_struct *vma;
	struct mm_struct *vm_mm;
	unsigned long min, max;
	bool torn;

	v->vma = vma = bidx_maple_find(&mm->mm_mt, ip, &min, &max, &torn);
	if (!vma)
		return !torn;
	bidx_nofault_begin();
	if (!bidx_nofault_object(vma, sizeof(*vma)))
		goto gone;
	bidx_nofault_get(v->start, &vma->vm_start, gone);
	bidx_nofault_get(v->end, &vma->vm_end, gone);
	bidx_nofault_get(vm_mm, &vma->vm_mm, gone);
	if (vm_mm != mm || v->start != min || v->end - 1 != max)
		goto gone;
	bidx_nofault_get(v->pgoff, &vma->vm_pgoff, gone);
	bidx_nofault_get(v->file, &vma->vm_file, gone);
	bidx_vma_get_lock_seq(v->lock_seq, vma, gone);
	if (v->file) {
		if (!bidx_nofault_object(v->file, sizeof(*v->file)))
			goto gone;
		bidx_nofault_get(v->inode, &v->file->f_inode, gone);
		bidx_nofault_get(v->mapping, &v->file->f_mapping, gone);
	} else {
		bidx_nofault_get(v->ops, &vma->vm_ops, gone);
		bidx_nofault_get(v->private_data, &vma->vm_private_data, gone);
	}
	bidx_nofault_end();
	return true;

gone:
	bidx_nofault_end();
	return false;
}

static bool bidx_same_view(const struct bidx_view *a, const struct bidx_view *b)
{
	if (a->vma != b->vma)
		return false;
	if (!a->vma)
		return true;
	if (a->start != b->start || a->end != b->end || a->pgoff != b->pgoff ||
	    a->file != b->file || a->lock_seq != b->lock_seq)
		return false;
	return !a->file || (a->inode == b->inode && a->mapping == b->mapping);
}

/* Is somebody changing this mapping now? */
static bool bidx_in_flux(struct mm_struct *mm, const struct bidx_view *v)
{
	unsigned long owner, other;

	if (!v->vma)
		return bidx_mm_write_locked(mm);
	if (!v->file)
		return false;	/* no offset is taken from the VMA */
	if (!bidx_vma_write_locked(mm, v->lock_seq))
		return false;
	owner = bidx_rwsem_writer(&mm->mmap_lock);
	if (!owner)
		return false;
	other = bidx_rwsem_writer_nofault(&v->mapping->i_mmap_rwsem);
	if (other != owner && other != ~0UL)
		return false;
	return !bidx_vma_at_rest(v->vma, v->mapping);
}

/* No identity, and why. */
static void bidx_range_none(struct bidx_range *r, u16 status)
{
	r->object = 0;
	r->status = status;
	r->kind = 0;
	r->source = 0;
	r->id_len = 0;
	memset(r->id, 0, sizeof(r->id));
}

static void bidx_range_clear(struct bidx_range *r, u16 status)
{
	r->start = 0;
	r->end = 0;
	r->base = 0;
	r->flags = 0;
	bidx_range_none(r, status);
}

/* The identity of an entry that was VALID when it was looked at; @r->flags is set. */
static __always_inline void bidx_range_of_entry(const struct bidx_entry *e, struct bidx_range *r)
{
	r->object = e->object;
	r->status = e->status;
	r->kind = e->kind;
	r->source = e->source;
	r->id_len = e->id_len;
	if (unlikely(e->id_len > BUILDIDX_ID_MAX)) {
		memcpy(r->id, e->text, BUILDIDX_ID_MAX);
		r->flags |= BUILDIDX_FRAME_TRUNCATED;
	} else {
		memcpy(r->id, e->id, BUILDIDX_ID_MAX);
	}
}

/**
 * bidx_entry_modified() - may the content differ from what the entry says?
 * @e: VALID when it was looked at
 * @inode: its inode, maybe gone
 * @mapping: the page cache that is mapped, maybe gone
 *
 * Size and mtime tell that the content changed, except where a write does not
 * move them, or somebody put the mtime back (which moves the ctime, as chmod
 * does, which changes nothing): then a writer that is still there makes the
 * answer MODIFIED. One that has closed the file was seen by the close hook.
 *
 * Context: any, NMI included; reads nofault.
 */
bool bidx_entry_modified(const struct bidx_entry *e, struct inode *inode,
			 struct address_space *mapping)
{
	atomic_t writers;
	struct bidx_times t;

	if (bidx_inode_peek(inode, &t))
		return true;
	if (t.size != e->size || t.mtime != e->mtime)
		return true;
	if (likely(!e->traits && t.ctime == e->ctime))
		return false;
	if (e->traits & BIDX_UNSTAMPED) {
		if (copy_from_kernel_nofault(&writers, &mapping->i_mmap_writable,
					     sizeof(writers)) || atomic_read(&writers) > 0)
			return true;
	}
	if ((e->traits & BIDX_UNCOUNTED) && t.ctime != e->ctime)
		return true;
	if ((e->traits & (BIDX_FRESH | BIDX_UNSTAMPED)) || t.ctime != e->ctime) {
		if (copy_from_kernel_nofault(&writers, &inode->i_writecount,
					     sizeof(writers)) || atomic_read(&writers) > 0)
			return true;
	}
	return false;
}

/* Return: the entry to check again at the end, NULL when there is none. */
static struct bidx_entry *bidx_identify_mapped(struct inode *inode,
					       struct address_space *mapping, struct bidx_range *r)
{
	struct bidx_entry *e = bidx_index_lookup(inode);

	if (!e) {
		bidx_range_none(r, BUILDIDX_STATUS_NOT_INDEXED);
		return NULL;
	}
	switch (smp_load_acquire(&e->state)) {
	case BIDX_VALID:
		if (bidx_entry_modified(e, inode, mapping))
			bidx_range_none(r, BUILDIDX_STATUS_MODIFIED);
		else
			bidx_range_of_entry(e, r);
		break;
	case BIDX_PENDING:
		bidx_range_none(r, BUILDIDX_STATUS_PENDING);
		break;
	case BIDX_STALE:
		bidx_range_none(r, BUILDIDX_STATUS_MODIFIED);
		break;
	case BIDX_FAILED:
		bidx_range_none(r, e->status);
		break;
	default:
		bidx_range_none(r, BUILDIDX_STATUS_NOT_INDEXED);
	}
	return e;
}

/* @start and @end are set. The offset comes from the vDSO's base, which a split leaves alone. */
static void bidx_range_of_vdso(struct mm_struct *mm, struct bidx_range *r)
{
	const struct bidx_entry *image = bidx_vdso_lookup(mm);
	unsigned long base = bidx_mm_vdso_base(mm);

	bidx_range_none(r, BUILDIDX_STATUS_SPECIAL);
	if (!image || r->start < base || r->end - base > image->size)
		return;
	r->base = r->start - base;
	r->flags = BUILDIDX_FRAME_VDSO;
	bidx_range_of_entry(image, r);
}

static void bidx_range_of_fileless(struct mm_struct *mm, const void *ops,
				   const void *private_data, struct bidx_range *r)
{
	if (bidx_vdso_is(private_data))
		bidx_range_of_vdso(mm, r);
	else
		bidx_range_none(r, ops ? BUILDIDX_STATUS_SPECIAL : BUILDIDX_STATUS_ANON);
}

/* The same once more, as it must be where mmap_lock was taken meanwhile, or no count tells. */
static noinline bool bidx_unchanged(struct mm_struct *mm, unsigned long ip,
				    const struct bidx_view *view)
{
	struct bidx_view again __uninitialized;

	if (!bidx_look(mm, ip, &again) || !bidx_same_view(view, &again))
		return false;
	smp_rmb();
	return !bidx_in_flux(mm, &again);
}

/* One attempt. Return: false when the answer may be torn. */
static bool bidx_try(struct mm_struct *mm, unsigned long ip, struct bidx_range *r)
{
	struct bidx_entry *e = NULL;
	struct bidx_view view __uninitialized;
	unsigned int seq;

	seq = bidx_mm_seq(mm);
	smp_rmb();
	if (!bidx_look(mm, ip, &view))
		return false;
	smp_rmb();
	if (bidx_in_flux(mm, &view))
		return false;

	if (likely(view.vma)) {
		r->start = view.start;
		r->end = view.end;
		r->base = 0;
		r->flags = 0;
		if (view.file) {
			r->base = (u64)view.pgoff << PAGE_SHIFT;
			e = bidx_identify_mapped(view.inode, view.mapping, r);
		} else {
			bidx_range_of_fileless(mm, view.ops, view.private_data, r);
		}
	} else {
		bidx_range_clear(r, BUILDIDX_STATUS_NO_MAPPING);
	}

	smp_rmb();
	if (!bidx_mm_quiet_since(mm, seq) && !bidx_unchanged(mm, ip, &view))
		return false;
	if (e) {
		/* It was in the table all the while, so the inode was what it stands for. */
		if (smp_load_acquire(&e->state) == BIDX_DEAD)
			return false;
		if (unlikely(r->status == BUILDIDX_STATUS_MODIFIED ||
			     r->status == BUILDIDX_STATUS_NOT_RESIDENT))
			bidx_work_reread(e);
	}
	return true;
}

/*
 * While the hooks are off what is there now may not be what is known, so nothing is told of
 * the kernel either.
 */
static noinline void bidx_resolve_kernel(unsigned long ip, struct bidx_range *r)
{
#ifdef CONFIG_X86_VSYSCALL_EMULATION
	if ((ip & PAGE_MASK) == VSYSCALL_ADDR) {
		bidx_range_clear(r, BUILDIDX_STATUS_SPECIAL);
		return;
	}
#endif
	if (!READ_ONCE(bidx_active)) {
		bidx_range_clear(r, BUILDIDX_STATUS_OFF);
	} else if (!bidx_ktree_resolve(ip, r)) {
		bidx_range_clear(r, BUILDIDX_STATUS_KERNEL);
		bidx_ksym_unknown(ip);
	}
}

/**
 * bidx_resolve() - which file, and where in it, is an address of an address space
 * @mm: current->mm; NULL is fine for kernel addresses, which are the same in each
 * @ip: address
 * @r: result; where the status gives no mapping, only @ip itself is covered
 *
 * Context: any, NMI included; under rcu_read_lock().
 */
void bidx_resolve(struct mm_struct *mm, unsigned long ip, struct bidx_range *r)
{
	unsigned int i;

	if (unlikely(ip >= TASK_SIZE_MAX)) {
		bidx_resolve_kernel(ip, r);
		return;
	}
	if (!mm) {
		bidx_range_clear(r, BUILDIDX_STATUS_NO_MM);
		return;
	}
	if (!READ_ONCE(bidx_active) && READ_ONCE(bidx_probe.task) != current) {
		bidx_range_clear(r, BUILDIDX_STATUS_OFF);
		return;
	}
	for (i = 0; i < BIDX_TRIES; i++) {
		if (bidx_try(mm, ip, r))
			break;
		if (!i)
			bidx_count(BUILDIDX_CNT_RETRY);
		/* The writer that we interrupted will not get on before we return. */
		if (bidx_rwsem_writer(&mm->mmap_lock) == (unsigned long)current)
			i = BIDX_TRIES - 1;
		cpu_relax();
	}
	if (i == BIDX_TRIES)
		bidx_range_clear(r, BUILDIDX_STATUS_RACED);
}

/* An address that is not to be resolved. */
void bidx_range_unresolved(struct bidx_range *r, u16 status)
{
	bidx_range_clear(r, status);
}

/**
 * bidx_resolve_locked() - the same for any address space, at leisure
 * @mm: held for reading by the caller (mmap_lock)
 * @ip: address, not of the kernel
 * @r: result
 * @file: result, the mapping's file with a reference where its content should
 *	be read before asking again, else NULL
 *
 * Context: may sleep.
 */
void bidx_resolve_locked(struct mm_struct *mm, unsigned long ip, struct bidx_range *r,
			 struct file **file)
{
	struct vm_area_struct *vma;

	*file = NULL;
	bidx_range_clear(r, BUILDIDX_STATUS_NO_MAPPING);
	vma = find_vma(mm, ip);
	if (!vma || ip < vma->vm_start)
		return;
	r->start = vma->vm_start;
	r->end = vma->vm_end;
	if (!vma->vm_file) {
		bidx_range_of_fileless(mm, vma->vm_ops, vma->vm_private_data, r);
		return;
	}
	r->base = (u64)vma->vm_pgoff << PAGE_SHIFT;
	rcu_read_lock();
	bidx_identify_mapped(file_inode(vma->vm_file), vma->vm_file->f_mapping, r);
	rcu_read_unlock();
	switch (r->status) {
	case BUILDIDX_STATUS_NOT_INDEXED:
	case BUILDIDX_STATUS_PENDING:
	case BUILDIDX_STATUS_NOT_RESIDENT:
	case BUILDIDX_STATUS_MODIFIED:
	case BUILDIDX_STATUS_READ_ERROR:
		if (bidx_file_wanted(vma->vm_file))
			*file = get_file(vma->vm_file);
	}
}

/**
 * bidx_range_to_frame() - the answer for one address of a range
 * @r: resolved range
 * @ip: address in it
 * @f: result
 */
void bidx_range_to_frame(const struct bidx_range *r, unsigned long ip, struct buildidx_frame *f)
{
	memset(f, 0, sizeof(*f));
	f->ip = ip;
	f->status = r->status;
	if (r->status == BUILDIDX_STATUS_ANON || (r->status == BUILDIDX_STATUS_SPECIAL && !r->flags))
		return;
	if (r->end)
		f->offset = r->base + (ip - r->start);
	f->object = r->object;
	f->kind = r->kind;
	f->source = r->source;
	f->id_len = r->id_len;
	f->flags = r->flags;
	memcpy(f->id, r->id, sizeof(f->id));
}
