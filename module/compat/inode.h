/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inode times and numbers
 *
 * i_mtime became i_mtime_sec and i_mtime_nsec in 6.11 (3aa63a569c64, "fs:
 * switch timespec64 fields in inode to discrete integers"). The accessors had
 * renamed the members before: i_ctime to __i_ctime in 6.6 (13bc24457850), i_mtime
 * to __i_mtime in 6.7 (12cd44023651). No accessor is used, because all of them
 * are read from a copy too.
 */
#ifndef BIDX_COMPAT_INODE_H
#define BIDX_COMPAT_INODE_H

#include <linux/fs.h>
#include <linux/time64.h>
#include <linux/uaccess.h>
#include <linux/version.h>

/* Wraps for hostile times; the result is only ever compared for equality. */
static inline u64 bidx_ns(u64 sec, u32 nsec)
{
	return sec * NSEC_PER_SEC + nsec;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define BIDX_TIMES_END	offsetofend(struct inode, i_ctime_nsec)
/* Bit 31 of i_ctime_nsec is I_CTIME_QUERIED since 6.13 (multigrain times). */
#define BIDX_RAW_CTIME(i)	bidx_ns((i)->i_ctime_sec, (i)->i_ctime_nsec & ~BIT(31))
#define BIDX_RAW_MTIME(i)	bidx_ns((i)->i_mtime_sec, (i)->i_mtime_nsec)
#else
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define BIDX_MTIME	__i_mtime
#else
#define BIDX_MTIME	i_mtime
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define BIDX_CTIME	__i_ctime
#else
#define BIDX_CTIME	i_ctime
#endif
#define BIDX_TIMES_END	offsetofend(struct inode, BIDX_CTIME)
#define BIDX_RAW_MTIME(i)	bidx_ns((i)->BIDX_MTIME.tv_sec, (i)->BIDX_MTIME.tv_nsec)
#define BIDX_RAW_CTIME(i)	bidx_ns((i)->BIDX_CTIME.tv_sec, (i)->BIDX_CTIME.tv_nsec)
#endif

static inline u64 bidx_inode_mtime(const struct inode *inode)
{
	return BIDX_RAW_MTIME(inode);
}

static inline u64 bidx_inode_ctime(const struct inode *inode)
{
	return BIDX_RAW_CTIME(inode);
}

/**
 * bidx_inode_peek() - size and times of an inode that may be gone
 *
 * Context: any, NMI included. The caller decides afterwards whether the memory
 * was still that inode.
 * Return: 0 or -EFAULT.
 */
static inline int bidx_inode_peek(const struct inode *inode, struct bidx_times *t)
{
	const size_t from = offsetof(struct inode, i_size);
	union {
		/* only the bytes between i_size and the ctime are filled */
		u64 raw[(BIDX_TIMES_END - offsetof(struct inode, i_size) + 7) / 8];
	} u;
	const struct inode *view;

	BUILD_BUG_ON(BIDX_TIMES_END < offsetof(struct inode, i_size));
	BUILD_BUG_ON(sizeof(u) > 128);
	if (copy_from_kernel_nofault(u.raw, (const char *)inode + from,
				     BIDX_TIMES_END - from))
		return -EFAULT;
	view = (const struct inode *)((const char *)u.raw - from);
	t->size = view->i_size;
	t->mtime = BIDX_RAW_MTIME(view);
	t->ctime = BIDX_RAW_CTIME(view);
	return 0;
}

#endif /* BIDX_COMPAT_INODE_H */
