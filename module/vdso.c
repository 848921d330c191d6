// SPDX-License-Identifier: GPL-2.0
/*
 * vDSO images: code with a build ID and no file
 *
 * A kernel has at most one image for 64-bit, 32-bit and x32 tasks each. They
 * are kernel memory and never change, so each is parsed once, when the first
 * process with it is met, and kept in a small table that only grows.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "compat/vdso.h"

static struct {
	struct mutex lock;		/* writers */
	const void *special;		/* vm_private_data of every vDSO mapping */
	unsigned int count;
	bool narrow_known;
	const void *image[BIDX_VDSO_MAX];
	struct bidx_entry entry[BIDX_VDSO_MAX];
} vdso = {
	.lock = __MUTEX_INITIALIZER(vdso.lock),
};

/**
 * bidx_vdso_wants() - may this mapping be a vDSO that is not known yet?
 * @vma: without a file
 *
 * Context: the mmap hook, by the task that executes.
 */
bool bidx_vdso_wants(const struct vm_area_struct *vma)
{
	return vma->vm_private_data && vma->vm_private_data == READ_ONCE(vdso.special) &&
	       bidx_task_is_narrow() && !READ_ONCE(vdso.narrow_known) &&
	       READ_ONCE(vdso.count) < BIDX_VDSO_MAX;
}

/* Does vm_private_data belong to a vDSO mapping? Context: any, NMI included. */
bool bidx_vdso_is(const void *private_data)
{
	return private_data && private_data == READ_ONCE(vdso.special);
}

/**
 * bidx_vdso_lookup() - identity of the vDSO of an address space
 * @mm: alive
 *
 * Context: any, NMI included.
 * Return: a VALID entry that is never freed, or NULL.
 */
const struct bidx_entry *bidx_vdso_lookup(struct mm_struct *mm)
{
	unsigned int i, count = smp_load_acquire(&vdso.count);
	const void *image = bidx_mm_vdso_image(mm);

	for (i = 0; i < count; i++)
		if (vdso.image[i] == image)
			return &vdso.entry[i];
	return NULL;
}

static int bidx_vdso_parse(const void *image, struct bidx_entry *e)
{
	struct bidx_reader reader = { .read = bidx_read_kernel };
	struct bidx_ident *id;
	unsigned long size;
	void *scratch;
	int err = -ENOMEM;

	if (bidx_vdso_image_data(image, &reader.ctx, &size))
		return -EFAULT;
	reader.size = size;
	scratch = kmalloc(BIDX_SCRATCH_SIZE, GFP_KERNEL);
	id = kmalloc(sizeof(*id), GFP_KERNEL);
	if (scratch && id)
		err = bidx_identify(&reader, id, scratch);
	if (!err && id->id_len > BUILDIDX_ID_MAX)
		err = -EOVERFLOW;
	if (!err) {
		e->size = size;
		e->state = BIDX_VALID;
		e->status = id->status;
		e->kind = id->kind;
		e->source = id->source;
		e->id_len = id->id_len;
		memcpy(e->id, id->id, sizeof(e->id));
		e->object = bidx_index_next_object();
	}
	kfree(id);
	kfree(scratch);
	return err;
}

/**
 * bidx_vdso_learn() - add the vDSO image of an address space to the table
 * @mm: alive
 *
 * Context: may sleep.
 */
void bidx_vdso_learn(struct mm_struct *mm)
{
	const void *image = bidx_mm_vdso_image(mm);
	unsigned int i;

	if (!image)
		return;
	mutex_lock(&vdso.lock);
	for (i = 0; i < vdso.count; i++)
		if (vdso.image[i] == image)
			goto unlock;
	if (vdso.count < BIDX_VDSO_MAX && !bidx_vdso_parse(image, &vdso.entry[vdso.count])) {
		vdso.image[vdso.count] = image;
		smp_store_release(&vdso.count, vdso.count + 1);
	}
unlock:
	/* The mapper is a 32-bit task, and its image is now known (or cannot be). */
	if (mm == current->mm && bidx_task_is_narrow())
		WRITE_ONCE(vdso.narrow_known, true);
	mutex_unlock(&vdso.lock);
}

/**
 * bidx_vdso_init() - learn what marks a vDSO mapping, from the loading task's own
 *
 * Context: may sleep.
 */
void bidx_vdso_init(void)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long base;

	if (!mm)
		goto none;
	base = bidx_mm_vdso_base(mm);
	if (!base)
		goto none;
	mmap_read_lock(mm);
	vma = find_vma(mm, base);
	if (vma && vma->vm_start <= base && !vma->vm_file)
		WRITE_ONCE(vdso.special, vma->vm_private_data);
	mmap_read_unlock(mm);
	bidx_vdso_learn(mm);
none:
	if (!vdso.special || !vdso.count)
		pr_warn("the vDSO of the loading task is not readable: its frames will answer SPECIAL\n");
}

/* Return: 0, or -ENOENT past the last image. */
int bidx_vdso_object(unsigned int i, struct buildidx_object *obj)
{
	if (i >= smp_load_acquire(&vdso.count))
		return -ENOENT;
	bidx_entry_to_object(&vdso.entry[i], obj);
	obj->flags = BUILDIDX_FRAME_VDSO;
	return 0;
}
