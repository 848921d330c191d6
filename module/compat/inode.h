/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inode times and numbers
 *
 * i_mtime became i_mtime_sec and i_mtime_nsec in 6.11 (3aa63a569c64, "fs:
 * switch timespec64 fields in inode to discrete integers"). The accessors had
 * renamed the members before: i_ctime to __i_ctime in 6.6 (13bc24457850), i_mtime
 * to __i_mtime in 6.7 (12cd44023651). No accessor is used, because all of them
 * are read nofault too.
 */
#ifndef BIDX_COMPAT_INODE_H
#define BIDX_COMPAT_INODE_H

#include <linux/fs.h>
#include <linux/time64.h>
#include <linux/version.h>

#include "compat/nofault.h"

/* Wraps for hostile times; the result is only ever compared for equality. */
static inline u64 bidx_ns(u64 sec, u32 nsec)
{
	return sec * NSEC_PER_SEC + nsec;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define BIDX_MTIME_SEC	i_mtime_sec
#define BIDX_MTIME_NSEC	i_mtime_nsec
#define BIDX_CTIME_SEC	i_ctime_sec
#define BIDX_CTIME_NSEC	i_ctime_nsec
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define BIDX_MTIME_SEC	__i_mtime.tv_sec
#define BIDX_MTIME_NSEC	__i_mtime.tv_nsec
#define BIDX_CTIME_SEC	__i_ctime.tv_sec
#define BIDX_CTIME_NSEC	__i_ctime.tv_nsec
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define BIDX_MTIME_SEC	i_mtime.tv_sec
#define BIDX_MTIME_NSEC	i_mtime.tv_nsec
#define BIDX_CTIME_SEC	__i_ctime.tv_sec
#define BIDX_CTIME_NSEC	__i_ctime.tv_nsec
#else
#define BIDX_MTIME_SEC	i_mtime.tv_sec
#define BIDX_MTIME_NSEC	i_mtime.tv_nsec
#define BIDX_CTIME_SEC	i_ctime.tv_sec
#define BIDX_CTIME_NSEC	i_ctime.tv_nsec
#endif

/* Bit 31 of the ctime's is I_CTIME_QUERIED since 6.13 (multigrain times). */
#define BIDX_NSEC_MASK	(~BIT(31))

static inline u64 bidx_inode_mtime(const struct inode *inode)
{
	return bidx_ns(inode->BIDX_MTIME_SEC, inode->BIDX_MTIME_NSEC);
}

static inline u64 bidx_inode_ctime(const struct inode *inode)
{
	return bidx_ns(inode->BIDX_CTIME_SEC, inode->BIDX_CTIME_NSEC & BIDX_NSEC_MASK);
}

/**
 * bidx_inode_peek() - size and times of an inode that may be gone
 *
 * Context: any, NMI included. The caller decides afterwards whether the memory
 * was still that inode.
 * Return: 0 or -EFAULT.
 */
static inline int bidx_inode_peek(struct inode *inode, struct bidx_times *t)
{
	typeof(inode->BIDX_MTIME_SEC) mtime, ctime;
	typeof(inode->BIDX_MTIME_NSEC) mtime_ns, ctime_ns;
	loff_t size;

	bidx_nofault_begin();
	if (!bidx_nofault_object(inode, sizeof(*inode)))
		goto gone;
	bidx_nofault_get(size, &inode->i_size, gone);
	bidx_nofault_get(mtime, &inode->BIDX_MTIME_SEC, gone);
	bidx_nofault_get(mtime_ns, &inode->BIDX_MTIME_NSEC, gone);
	bidx_nofault_get(ctime, &inode->BIDX_CTIME_SEC, gone);
	bidx_nofault_get(ctime_ns, &inode->BIDX_CTIME_NSEC, gone);
	bidx_nofault_end();
	t->size = size;
	t->mtime = bidx_ns(mtime, mtime_ns);
	t->ctime = bidx_ns(ctime, ctime_ns & BIDX_NSEC_MASK);
	return 0;

gone:
	bidx_nofault_end();
	return -EFAULT;
}

#endif /* BIDX_COMPAT_INODE_H */
