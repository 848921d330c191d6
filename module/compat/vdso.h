/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vDSO of a process
 *
 * x86 keeps the image that a process uses in mm->context.vdso_image, the same
 * on all supported kernels. Other architectures keep it in static tables.
 */
#ifndef BIDX_COMPAT_VDSO_H
#define BIDX_COMPAT_VDSO_H

#include <linux/mm.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64
#include <asm/vdso.h>
#include <asm/thread_info.h>

#define BIDX_HAVE_VDSO 1

static inline const void *bidx_mm_vdso_image(struct mm_struct *mm)
{
	return READ_ONCE(mm->context.vdso_image);
}

static inline unsigned long bidx_mm_vdso_base(struct mm_struct *mm)
{
	return (unsigned long)READ_ONCE(mm->context.vdso);
}

/* Return: 0 or -EFAULT. */
static inline int bidx_vdso_image_data(const void *image, void **data, unsigned long *size)
{
	struct vdso_image copy;

	if (copy_from_kernel_nofault(&copy, image, sizeof(copy)))
		return -EFAULT;
	*data = copy.data;
	*size = copy.size;
	return 0;
}

/* 32-bit and x32 tasks use another image than the rest. */
static inline bool bidx_task_is_narrow(void)
{
	return test_thread_flag(TIF_ADDR32);
}
#else
static inline const void *bidx_mm_vdso_image(struct mm_struct *mm)
{
	return NULL;
}

static inline unsigned long bidx_mm_vdso_base(struct mm_struct *mm)
{
	return 0;
}

static inline int bidx_vdso_image_data(const void *image, void **data, unsigned long *size)
{
	return -EFAULT;
}

static inline bool bidx_task_is_narrow(void)
{
	return false;
}
#endif

#endif /* BIDX_COMPAT_VDSO_H */
