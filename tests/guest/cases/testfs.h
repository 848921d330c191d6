/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file systems that the cases name: tmpfs, loop-mounted ext4, xfs and btrfs,
 * overlayfs. Everything is made under /run/cases; images come from img/ next to
 * the test program.
 */
#ifndef CASES_TESTFS_H
#define CASES_TESTFS_H

#include <stdbool.h>
#include <stddef.h>

#define TESTFS_ROOT	"/run/cases"
#define TESTFS_LOWER	TESTFS_ROOT "/ext4/.lower" /* lower layer of the overlay */

/**
 * struct testfs - a mounted file system
 * @name: for messages
 * @dir: where to put files
 * @memory: its pages are never dropped (tmpfs)
 * @unstamped: a write through a shared mapping does not change mtime (tmpfs)
 */
struct testfs {
	const char *name;
	const char *dir;
	bool memory;
	bool unstamped;
};

extern const struct testfs testfs_all[];
extern const size_t testfs_count;

/*
 * Mount one, or all of them; each result is printed as a test, because a file
 * system that cannot be mounted is a hole in what was tested.
 * Return: true when it is there.
 */
bool testfs_mount(const struct testfs *fs);
void testfs_mount_all(void);

/* Unmount again; a busy file system is a failed test. */
void testfs_umount(const struct testfs *fs);
void testfs_umount_all(void);

const struct testfs *testfs_named(const char *name);

/*
 * Attach @image to a loop device that goes away with its last user and mount it.
 * Return: 0 or a negative errno.
 */
int loop_mount(const char *image, const char *dir, const char *type, bool read_only);

/* sync, then echo @what > /proc/sys/vm/drop_caches */
void drop_caches(int what);

/* Directory of the running program, and a file in it (static buffer). */
const char *program_dir(void);
const char *program_file(const char *name);

/* mkdir -p */
void make_dirs(const char *dir);

/* Copy a file, keeping its holes and mode; the program ends on failure. */
void copy_file(const char *from, const char *to);

#endif /* CASES_TESTFS_H */
