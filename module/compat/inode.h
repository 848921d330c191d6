/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inode times and numbers
 *
 * i_mtime became i_mtime_sec and i_mtime_nsec in 6.11 (3aa63a569c64, "fs:
 * switch timespec64 fields in inode to discrete integers"); the accessors
 * came in 6.7 (077c212f0344). i_ino became u64 in 7.x.
 */
#ifndef BIDX_COMPAT_INODE_H
#define BIDX_COMPAT_INODE_H

#include <linux/fs.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include "compat_config.h"

/* Wraps for hostile times; the result is only ever compared for equality. */
static inline u64 bidx_ns(u64 sec, u32 nsec)
{
	return sec * NSEC_PER_SEC + nsec;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define BIDX_MTIME_END	offsetofend(struct inode, i_mtime_nsec)
#define BIDX_RAW_MTIME(i)	bidx_ns((i)->i_mtime_sec, (i)->i_mtime_nsec)
#else
#define BIDX_MTIME_END	offsetofend(struct inode, i_mtime)
#define BIDX_RAW_MTIME(i)	bidx_ns((i)->i_mtime.tv_sec, (i)->i_mtime.tv_nsec)
#endif

static inline u64 bidx_inode_mtime(const struct inode *inode)
{
	return BIDX_RAW_MTIME(inode);
}

static inline u64 bidx_inode_ctime(const struct inode *inode)
{
#ifdef HAVE_INODE_MTIME_ACCESSORS
	struct timespec64 ts = inode_get_ctime(inode);
#else
	struct timespec64 ts = inode->i_ctime;
#endif
	return bidx_ns(ts.tv_sec, ts.tv_nsec);
}

/**
 * bidx_inode_peek() - size and mtime of an inode that may be gone
 *
 * Context: any, NMI included. The caller decides afterwards whether the memory
 * was still that inode.
 * Return: 0 or -EFAULT.
 */
static inline int bidx_inode_peek(const struct inode *inode, u64 *size, u64 *mtime)
{
	const size_t from = offsetof(struct inode, i_size);
	union {
		/* only the bytes between i_size and the mtime are filled */
		u64 raw[(BIDX_MTIME_END - offsetof(struct inode, i_size) + 7) / 8];
	} u;
	const struct inode *view;

	BUILD_BUG_ON(BIDX_MTIME_END < offsetof(struct inode, i_size));
	BUILD_BUG_ON(sizeof(u) > 128);
	if (copy_from_kernel_nofault(u.raw, (const char *)inode + from,
				     BIDX_MTIME_END - from))
		return -EFAULT;
	view = (const struct inode *)((const char *)u.raw - from);
	*size = view->i_size;
	*mtime = BIDX_RAW_MTIME(view);
	return 0;
}

#endif /* BIDX_COMPAT_INODE_H */
