// SPDX-License-Identifier: GPL-2.0
/*
 * What the processes that make the churn have in common.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "testfile.h"
#include "work.h"

const char *work_path(const struct work *w, enum churn_file file, char *path)
{
	const struct churn_file_info *f = &churn_files[file];

	snprintf(path, 256, "%s/%s", f->tmpfs ? w->tmpfs : w->disk, f->name);
	return path;
}

void work_name(char class, unsigned int slot)
{
	const char name[] = { 'b', 'x', 'c', '-', class, '0' + slot, '\0' };

	prctl(PR_SET_NAME, name);
}

void work_failed(const struct work *w, const char *what)
{
	if (__atomic_fetch_add(&w->counts->failed, 1, __ATOMIC_RELAXED) < 10)
		fprintf(stderr, "# churn: %s: %s\n", what, strerror(errno));
}

void work_map(const struct work *w, enum churn_window win, unsigned int which,
	      unsigned int first, unsigned int pages)
{
	const struct churn_window_info *info = &churn_windows[win];
	char path[256];
	int fd = open(work_path(w, info->file[which], path), O_RDONLY | O_CLOEXEC);
	void *at = (void *)(churn_window_start(win) + first * CHURN_PAGE);

	if (fd < 0) {
		/* between unlink and the new file */
		if (errno != ENOENT || churn_files[info->file[which]].life != CHURN_REPLACED)
			work_failed(w, path);
		return;
	}
	if (mmap(at, pages * CHURN_PAGE, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd,
		 (info->page[which] + first) * CHURN_PAGE) != at)
		work_failed(w, "mmap");
	close(fd);
	work_add(&w->counts->maps);
}

void work_run(__u64 address, __u32 spins)
{
	/* built with -mno-red-zone: the call writes below the stack pointer */
	asm volatile("call *%[code]" : "+c"(spins) : [code] "b"(address)
		     : "rax", "rdx", "r10", "cc", "memory");
}

void work_protect(const struct work *w, enum churn_window win, __u32 *rnd)
{
	const int other = win == CHURN_W_SPLIT ? PROT_READ : PROT_READ | PROT_WRITE | PROT_EXEC;
	__u32 x = work_random(rnd), first = x % CHURN_WINDOW_PAGES;
	__u32 pages = 1 + (x >> 8) % (CHURN_WINDOW_PAGES - first);

	if ((x >> 16) % 32 == 0) {
		first = 0;
		pages = CHURN_WINDOW_PAGES;
	} else if (x >> 31) {
		/* a boundary between two halves that moves by a page or two */
		first = CHURN_WINDOW_PAGES / 2 - 4 + (x >> 16) % 8;
		pages = 1 + (x >> 24) % 2;
	}
	if (mprotect((void *)(churn_window_start(win) + first * CHURN_PAGE), pages * CHURN_PAGE,
		     x & 0x1000000 ? other : PROT_READ | PROT_EXEC))
		work_failed(w, "mprotect");
	work_add(&w->counts->protects);
}

int work_write_file(const char *path, int flags, enum churn_file file, __u32 gen)
{
	size_t size;
	char *image = churn_image(file, gen, &size);
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0755);
	ssize_t n;

	if (fd < 0) {
		free(image);
		return -1;
	}
	/* from the front: the note is always there before the code */
	n = pwrite(fd, image, size, 0);
	free(image);
	return close(fd) || n != (ssize_t)size ? -1 : 0;
}

void work_create_files(const struct work *w)
{
	char path[256];
	int file;

	for (file = 0; file < CHURN_FILES; file++) {
		if (work_write_file(work_path(w, file, path), O_CREAT | O_TRUNC, file, 1)) {
			perror(path);
			exit(2);
		}
		w->state->gen_begun[file] = 1;
		w->state->gen_done[file] = 1;
	}
}
