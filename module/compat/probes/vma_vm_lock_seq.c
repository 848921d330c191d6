// SPDX-License-Identifier: GPL-2.0
/* Does a VMA say for itself that it is write-locked (per-VMA locks, 6.4 and later)? */
#include <linux/mm_types.h>

unsigned long probe(struct vm_area_struct *vma);

unsigned long probe(struct vm_area_struct *vma)
{
#ifdef PROBE_CONTROL
	return 0;
#else
	return (unsigned long)vma->vm_lock_seq;
#endif
}
