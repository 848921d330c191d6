/* SPDX-License-Identifier: GPL-2.0 */
/*
 * References to files
 *
 * get_file_rcu() takes a pointer to the pointer since 6.7 (0ede61d8589c, "file:
 * convert to SLAB_TYPESAFE_BY_RCU"), which also brought get_file_active().
 */
#ifndef BIDX_COMPAT_FILE_H
#define BIDX_COMPAT_FILE_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/pagemap.h>
#include <linux/version.h>

/**
 * bidx_mm_exe_file() - main executable of an address space
 *
 * Return: the file with a reference, or NULL. Mirrors get_mm_exe_file(), which
 * is not exported.
 */
static inline struct file *bidx_mm_exe_file(struct mm_struct *mm)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return get_file_active((struct file **)&mm->exe_file);
#else
	struct file *file;

	rcu_read_lock();
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
	rcu_read_unlock();
	return file;
#endif
}

/**
 * bidx_get_folio() - cached folio of a mapping, or NULL
 *
 * filemap_get_folio() returns an error pointer since 6.4 (66dabbb65d67).
 */
static inline struct folio *bidx_get_folio(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio = filemap_get_folio(mapping, index);

	return IS_ERR_OR_NULL(folio) ? NULL : folio;
}

#endif /* BIDX_COMPAT_FILE_H */
