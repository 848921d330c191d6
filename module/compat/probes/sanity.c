// SPDX-License-Identifier: GPL-2.0
/* Every kernel that buildidx supports compiles this. */
#include <linux/module.h>
#include <linux/fs.h>
#include <linux/mm_types.h>

unsigned long probe(struct vm_area_struct *vma);

unsigned long probe(struct vm_area_struct *vma)
{
	return vma->vm_start + (vma->vm_file ? 1 : 0);
}
