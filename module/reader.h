/* SPDX-License-Identifier: GPL-2.0 */
/* What the device's file operations are, as far as the stream is concerned */
#ifndef BIDX_READER_H
#define BIDX_READER_H

#include <linux/fs.h>
#include <linux/poll.h>

#include "../include/uapi/buildidx.h"

int bidx_reader_open(struct inode *inode, struct file *file);
int bidx_reader_release(struct inode *inode, struct file *file);
ssize_t bidx_reader_read(struct file *file, char __user *to, size_t room, loff_t *pos);
__poll_t bidx_reader_poll(struct file *file, poll_table *wait);
union bidx_arg;
long bidx_ioc_stream(struct file *file, union bidx_arg *arg);
bool bidx_stream_wants_map(void);

#endif /* BIDX_READER_H */
