/* SPDX-License-Identifier: GPL-2.0 */
/* shmem_file_setup() without flags; its flags have a type of their own in 7.x. */
#ifndef BIDX_COMPAT_SHMEM_H
#define BIDX_COMPAT_SHMEM_H

#include <linux/mm.h>
#include <linux/shmem_fs.h>

#include "compat_config.h"

static inline struct file *bidx_shmem_file(const char *name, loff_t size)
{
#ifdef HAVE_SHMEM_VMA_FLAGS
	return shmem_file_setup(name, size, EMPTY_VMA_FLAGS);
#else
	return shmem_file_setup(name, size, 0);
#endif
}

#endif /* BIDX_COMPAT_SHMEM_H */
