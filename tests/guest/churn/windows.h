/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of windows and files: what may ever be mapped where.
 */
#ifndef CHURN_WINDOWS_H
#define CHURN_WINDOWS_H

#include <stdbool.h>

#include "truth.h"

/* How a file's content changes during the test. */
enum churn_life {
	CHURN_STATIC,	/* never */
	CHURN_REWRITTEN, /* same inode, other content */
	CHURN_TRUNCATED, /* the same, shrunk to nothing in between */
	CHURN_REPLACED,	/* same path, other inode; an inode's content never changes */
};

/**
 * struct churn_file_info - one test file
 * @name: file name
 * @life: how its content changes
 * @tmpfs: lives on the memory file system, else on the disk
 * @pages: length
 * @id_len: bytes of its build ID
 */
struct churn_file_info {
	const char *name;
	enum churn_life life;
	bool tmpfs;
	__u32 pages;
	__u32 id_len;
};

/**
 * struct churn_window_info - one window
 * @name: for reports
 * @nr: entries in @file and @page: what may be mapped here
 * @file: number of the file
 * @page: file page at the first page of the window
 * @pages: pages from the start of the window that may be mapped
 * @unmapped: parts may be unmapped at times
 * @anon: parts may be anonymous memory at times
 */
struct churn_window_info {
	const char *name;
	__u32 nr;
	enum churn_file file[2];
	__u32 page[2];
	__u32 pages;
	bool unmapped;
	bool anon;
};

extern const struct churn_file_info churn_files[CHURN_FILES];
extern const struct churn_window_info churn_windows[CHURN_WINDOWS];

static inline __u64 churn_window_start(enum churn_window w)
{
	return CHURN_WINDOW_BASE + (__u64)w * CHURN_WINDOW_STRIDE;
}

/* The window that holds @ip, or -1. */
int churn_window_of(__u64 ip);

#endif /* CHURN_WINDOWS_H */
