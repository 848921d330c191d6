// SPDX-License-Identifier: GPL-2.0
/* Is there inode_get_mtime()? Later kernels hide i_mtime behind it. */
#include <linux/fs.h>

struct timespec64 probe(const struct inode *inode);

struct timespec64 probe(const struct inode *inode)
{
#ifdef PROBE_CONTROL
	return (struct timespec64){ 0 };
#else
	return inode_get_mtime(inode);
#endif
}
