/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FUSE file system with one file, served by a child process that can be told not
 * to answer reads: what a hung network or user space file system looks like.
 */
#ifndef CASES_FUSESERVER_H
#define CASES_FUSESERVER_H

#include <stddef.h>
#include <sys/types.h>

#define FUSE_FILE	"file"

/* Shared between the test and the server. */
struct fuse_control {
	volatile int hang;	/* leave READ and WRITE requests without an answer */
	volatile int direct;	/* who opens the file from now on bypasses the page cache */
	volatile int reads;	/* READ requests seen */
	volatile int writes;	/* WRITE requests seen */
};

/*
 * Mount it at @dir, its file having @len bytes of @content. The program ends on
 * failure.
 */
struct fuse_control *fuse_start(const char *dir, const void *content, size_t len);

/* Kill the server: who waits for it gets an error. */
void fuse_kill(void);

/* Kill the server and unmount. */
void fuse_stop(const char *dir);

#endif /* CASES_FUSESERVER_H */
