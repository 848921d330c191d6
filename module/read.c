// SPDX-License-Identifier: GPL-2.0
/*
 * Ways to read the bytes of a file for the parser
 *
 * Not kernel_read(): it raises fanotify permission events and asks the LSMs,
 * so a listener could wait for itself and a policy could deny. The file system's
 * read method is what both the page cache and the mapper's own faults use.
 */
#include "internal.h"

#include <linux/highmem.h>
#include <linux/page-flags.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "compat/file.h"

/**
 * bidx_read_file() - read through the file system, with I/O where needed
 * @file: struct file with FMODE_READ and a read_iter method
 * @off: position in bytes
 * @buf: kernel memory
 * @len: bytes, not 0
 *
 * Context: may sleep; never under mmap_lock.
 * Return: 0, -ENODATA at the end of the file, or the file system's errno.
 */
int bidx_read_file(void *file, u64 off, void *buf, size_t len)
{
	struct file *f = file;
	size_t done = 0;

	while (done < len) {
		struct kvec vec = { .iov_base = buf + done, .iov_len = len - done };
		struct iov_iter iter;
		struct kiocb kiocb;
		ssize_t n;

		init_sync_kiocb(&kiocb, f);
		kiocb.ki_flags &= ~IOCB_DIRECT;	/* the buffer is not aligned */
		kiocb.ki_pos = off + done;
		iov_iter_kvec(&iter, ITER_DEST, &vec, 1, len - done);
		n = f->f_op->read_iter(&kiocb, &iter);
		if (n < 0)
			return n == -ERESTARTSYS || n == -EIOCBQUEUED ? -EINTR : n;
		if (!n)
			return -ENODATA;
		done += n;
	}
	return 0;
}

/**
 * bidx_read_resident() - copy what the page cache holds
 * @mapping: struct address_space of an inode that cannot go away
 * @off: position in bytes
 * @buf: kernel memory
 * @len: bytes, not 0
 *
 * Never waits for a device, a server or a page lock. A folio that is truncated
 * while it is copied gives zeros; the caller compares the file's times.
 *
 * Context: may sleep.
 * Return: 0, or -EAGAIN when a page is not there or not up to date.
 */
int bidx_read_resident(void *mapping, u64 off, void *buf, size_t len)
{
	while (len) {
		size_t n = min_t(size_t, len, PAGE_SIZE - offset_in_page(off));
		struct folio *folio = bidx_get_folio(mapping, off >> PAGE_SHIFT);
		void *from;

		if (!folio)
			return -EAGAIN;
		/* Touching a poisoned page is a machine check. */
		if (!folio_test_uptodate(folio) || folio_test_hwpoison(folio) ||
		    (folio_test_large(folio) && folio_test_has_hwpoisoned(folio))) {
			folio_put(folio);
			return -EAGAIN;
		}
		from = kmap_local_folio(folio, offset_in_folio(folio, off));
		memcpy(buf, from, n);
		kunmap_local(from);
		folio_put(folio);
		off += n;
		buf += n;
		len -= n;
	}
	return 0;
}

/**
 * bidx_read_kernel() - copy from kernel memory that may not be what we think
 * @base: first byte of the image
 * @off: position in bytes
 * @buf: kernel memory
 * @len: bytes, not 0
 *
 * Context: any.
 * Return: 0 or -EFAULT.
 */
int bidx_read_kernel(void *base, u64 off, void *buf, size_t len)
{
	return copy_from_kernel_nofault(buf, (const char *)base + off, len);
}
