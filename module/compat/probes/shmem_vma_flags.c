// SPDX-License-Identifier: GPL-2.0
/* shmem_file_setup() takes vma_flags_t, not unsigned long (7.x). */
#include <linux/shmem_fs.h>
#include <linux/mm.h>

struct file *probe(void);
struct file *probe(void)
{
#ifdef PROBE_CONTROL
	return NULL;
#else
	return shmem_file_setup("probe", 0, EMPTY_VMA_FLAGS);
#endif
}
