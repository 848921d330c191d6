// SPDX-License-Identifier: GPL-2.0
/*
 * Read a file once and store what it is (design D2, D4)
 */
#include "internal.h"

#include <linux/dcache.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "compat/file.h"
#include "compat/inode.h"

/* How often one capture starts again because the file changed under it. */
#define BIDX_CAPTURE_TRIES 3

static bool bidx_sb_in_memory(const struct super_block *sb)
{
	return sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC ||
	       sb->s_magic == HUGETLBFS_MAGIC;
}

/* Reading may wait for a local device, never for a server that may be gone. */
static bool bidx_sb_may_wait(const struct super_block *sb)
{
	if (bidx_sb_in_memory(sb))
		return true;
	/* fuseblk needs a device and is served by a process all the same */
	return (sb->s_type->fs_flags & FS_REQUIRES_DEV) && sb->s_magic != FUSE_SUPER_MAGIC;
}

/**
 * bidx_inode_wanted() - may this inode have an identity?
 * @inode: referenced by the caller
 *
 * Files that no program can run from are left out (proc, sysfs, debugfs: their
 * content is made on read), and kernel-internal file systems but shmem, whose
 * pages may not even be mapped (secretmem, guest_memfd).
 *
 * Context: any.
 */
bool bidx_inode_wanted(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	if (!S_ISREG(inode->i_mode))
		return false;
	if ((sb->s_flags & SB_NOUSER) && sb->s_magic != TMPFS_MAGIC)
		return sb->s_magic == HUGETLBFS_MAGIC;
	switch (sb->s_magic) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECRETMEM_MAGIC:
		return false;
	}
	return true;
}

/**
 * bidx_file_wanted() - may what this file maps have an identity?
 * @file: of an executable mapping
 *
 * Context: any.
 */
bool bidx_file_wanted(const struct file *file)
{
	const fmode_t need = FMODE_READ | FMODE_CAN_READ;

	return (file->f_mode & need) == need && bidx_inode_wanted(file_inode(file));
}

/**
 * bidx_inode_times() - what tells whether an inode's content changed
 * @inode: referenced by the caller
 * @t: result
 */
void bidx_inode_times(const struct inode *inode, struct bidx_times *t)
{
	t->size = i_size_read(inode);
	t->mtime = bidx_inode_mtime(inode);
	t->ctime = bidx_inode_ctime(inode);
}

/*
 * Times that do not tell of a write that is under way, or of the next one:
 * - the last one is so young that another may leave the same times (FAT stores
 *   even seconds, whatever its s_time_gran says); a time ahead of the coarse
 *   clock is as young: multigrain times (6.13) run ahead;
 * - a write stamps the file first and copies then, under the inode's lock, or
 *   without it while direct I/O is in flight;
 * - the file system stamps nothing itself (FUSE, NFS).
 * Such a file is distrusted while a writer has it open and read again when one
 * closes it. @t was taken before the content is read.
 */
static bool bidx_is_fresh(struct inode *inode, const struct bidx_times *t, u64 now)
{
	u64 tick = max_t(u64, 2 * TICK_NSEC, inode->i_sb->s_time_gran);

	if (inode->i_sb->s_magic == MSDOS_SUPER_MAGIC)
		tick = 2 * NSEC_PER_SEC + 2 * TICK_NSEC;
	smp_rmb();
	return (s64)(now - t->mtime) <= (s64)tick || (s64)(now - t->ctime) <= (s64)tick ||
	       inode_is_locked(inode) || atomic_read(&inode->i_dio_count) ||
	       IS_NOCMTIME(inode);
}

/* Writes through shared mappings move the times only where they fault. */
static bool bidx_is_unstamped(struct inode *inode)
{
	return bidx_sb_in_memory(inode->i_sb) || mapping_writably_mapped(inode->i_mapping);
}

static void bidx_entry_set(struct bidx_entry *e, struct inode *inode, const struct bidx_times *t,
			   u8 traits)
{
	e->size = t->size;
	e->mtime = t->mtime;
	e->ctime = t->ctime;
	e->ino = inode->i_ino;
	e->dev = inode->i_sb->s_dev;
	e->generation = inode->i_generation;
	e->traits = traits;
}

static int bidx_entry_set_ident(struct bidx_entry *e, const struct bidx_ident *id)
{
	if (id->id_len > BUILDIDX_ID_MAX) {
		u8 *text = kmemdup(id->id, id->id_len, GFP_KERNEL);

		if (!text)
			return -ENOMEM;
		e->text = text;
	} else {
		memcpy(e->id, id->id, sizeof(e->id));
	}
	e->status = id->status;
	e->kind = id->kind;
	e->source = id->source;
	e->id_len = id->id_len;
	return 0;
}

/* Errors after which the file is tried again as if it had never been seen. */
static bool bidx_error_is_ours(int err)
{
	return err == -EINTR || err == -ENOMEM || err == -ESRCH;
}

static int bidx_read_nothing(void *ctx, u64 off, void *buf, size_t len)
{
	return -EAGAIN;
}

/*
 * A file that changes all the time gets an entry all the same, so that a lookup
 * or the writer's close has it read again. Return: as bidx_capture_once().
 */
static int bidx_capture_restless(struct inode *inode)
{
	struct bidx_ticket ticket;
	struct bidx_times t;
	int err = bidx_index_begin(&ticket, inode);

	if (err)
		return err;
	if (!ticket.hashed) {
		bidx_index_abort(&ticket);
		return -EBUSY;
	}
	bidx_inode_times(inode, &t);
	bidx_entry_set(ticket.e, inode, &t, BIDX_FRESH);
	ticket.e->status = BUILDIDX_STATUS_MODIFIED;
	return bidx_index_publish(&ticket, BIDX_FAILED) ?: 1;
}

/*
 * One attempt. Return: 0 identity stored; 1 failure stored, for a file that was
 * unknown; negative: nothing stored, a known file keeps the entry it has.
 */
static int bidx_capture_once(struct file *file, struct inode *inode, void *scratch,
			     struct bidx_ident *id, const struct bidx_mapper *by)
{
	struct bidx_reader reader = {};
	struct bidx_times before, after;
	struct buildidx_object obj;
	struct bidx_ticket ticket;
	bool failed = false;
	u8 traits = 0;
	u64 now;
	int err;

	err = bidx_index_begin(&ticket, inode);
	if (err)
		return err;

	now = ktime_get_coarse_real_ns();
	bidx_inode_times(inode, &before);
	if (bidx_is_fresh(inode, &before, now))
		traits |= BIDX_FRESH;
	if (bidx_is_unstamped(inode))
		traits |= BIDX_UNSTAMPED;
	if (inode->i_sb->s_flags & SB_NOUSER)
		traits |= BIDX_UNCOUNTED;
	if (file && file->f_op->read_iter && bidx_sb_may_wait(inode->i_sb)) {
		reader.read = bidx_read_file;
		reader.ctx = file;
	} else if (inode->i_sb->s_magic == HUGETLBFS_MAGIC) {
		/* Before 6.7 its page cache counts in huge pages. */
		reader.read = bidx_read_nothing;
	} else {
		reader.read = bidx_read_resident;
		reader.ctx = inode->i_mapping;
	}
	reader.size = before.size;
	err = bidx_identify(&reader, id, scratch);
	bidx_inode_times(inode, &after);
	if (bidx_is_unstamped(inode))
		traits |= BIDX_UNSTAMPED;
	/* Copied up while it was read: the bytes may be the upper file's. */
	if (file && inode != file_inode(file) && d_real_inode(file->f_path.dentry) != inode) {
		err = -ESTALE;
		goto abort;
	}
	if (before.size != after.size || before.mtime != after.mtime) {
		err = -EBUSY;
		goto abort;
	}

	if (err) {
		if (!ticket.hashed || bidx_error_is_ours(err))
			goto abort;
		ticket.e->status = err == -EAGAIN ? BUILDIDX_STATUS_NOT_RESIDENT :
						    BUILDIDX_STATUS_READ_ERROR;
		failed = true;
	} else {
		err = bidx_entry_set_ident(ticket.e, id);
		if (err)
			goto abort;
	}
	bidx_entry_set(ticket.e, inode, &after, traits);
	if (!failed)
		bidx_entry_describe(ticket.e, &obj);
	err = bidx_index_publish(&ticket, failed ? BIDX_FAILED : BIDX_VALID);
	if (!err && !failed && !ticket.known && inode != READ_ONCE(bidx_probe.inode)) {
		obj.object = ticket.object;
		bidx_tell_object(file, &obj, by);
	}
	return err ?: failed;

abort:
	bidx_index_abort(&ticket);
	return err;
}

/**
 * bidx_capture() - read a file and store its identity
 * @file: to read through; NULL: resident pages only
 * @inode: the key; kept alive by the caller. Not file_inode(@file) where
 *	@file is an overlayfs file and @inode what it really maps.
 * @by: who mapped it, for the stream; NULL when nobody did, or that is not known
 *
 * Counted as CAPTURED and then as exactly one of INDEXED, REFUSED, FAILED and
 * DROPPED.
 *
 * Context: may sleep and read from a local device; never under mmap_lock.
 * Return: 0 when the index now tells about the file, be it only how reading it
 * failed; -ENOSPC refused at the bound; -ESTALE the inode is dying; -EBUSY it
 * changes all the time; -EAGAIN, -EINTR, -EIO, -ENOMEM, ... reading failed and
 * the index is as before.
 */
int bidx_capture(struct file *file, struct inode *inode, const struct bidx_mapper *by)
{
	struct bidx_ident *id;
	void *scratch;
	int err = -ENOMEM;
	int i;

	bidx_count(BUILDIDX_CNT_CAPTURED);
	scratch = kmalloc(BIDX_SCRATCH_SIZE, GFP_KERNEL | __GFP_NOWARN);
	id = kmalloc(sizeof(*id), GFP_KERNEL | __GFP_NOWARN);
	if (scratch && id) {
		for (i = 0; i < BIDX_CAPTURE_TRIES; i++) {
			err = bidx_capture_once(file, inode, scratch, id, by);
			if (err != -EBUSY)
				break;
		}
		if (err == -EBUSY)
			err = bidx_capture_restless(inode);
	}
	kfree(id);
	kfree(scratch);

	switch (err) {
	case 0:
		bidx_count(BUILDIDX_CNT_INDEXED);
		return 0;
	case -EEXIST:		/* another capture of the same content was first */
		bidx_count(BUILDIDX_CNT_DROPPED);
		return 0;
	case -ENOSPC:
		bidx_count(BUILDIDX_CNT_REFUSED);
		return err;
	case -ESTALE:
	case -EBUSY:
		bidx_count(BUILDIDX_CNT_DROPPED);
		return err;
	default:
		bidx_count(BUILDIDX_CNT_FAILED);
		return err < 0 ? err : 0;
	}
}

/**
 * bidx_reread() - read a file again that no file pointer leads to
 * @inode: key of an entry, maybe gone
 * @object: that entry's number
 *
 * Resident pages only. The inode is held for the copy, under s_umount, so that
 * an unmount waits for it instead of finding a busy inode.
 *
 * Context: may sleep.
 */
void bidx_reread(struct inode *inode, u64 object)
{
	inode = bidx_index_grab(inode, object);
	if (!inode)
		return;
	bidx_count(BUILDIDX_CNT_REREAD);
	bidx_capture(NULL, inode, NULL);
	bidx_index_ungrab(inode);
}
