// SPDX-License-Identifier: GPL-2.0
/*
 * Changes files: writes another build ID and other code into the same inode,
 * truncates and writes again, renames over a path, unlinks it.
 *
 * The generation that is about to be written is published before the file is
 * opened, the one that is complete after it was closed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "testfile.h"
#include "work.h"

static void begin(const struct work *w, enum churn_file file, __u32 gen)
{
	__atomic_store_n(&w->state->gen_begun[file], gen, __ATOMIC_SEQ_CST);
}

static void done(const struct work *w, enum churn_file file, __u32 gen)
{
	__atomic_store_n(&w->state->gen_done[file], gen, __ATOMIC_SEQ_CST);
}

/* In one go, or page by page with the file open for a while before and after. */
static void rewrite(const struct work *w, enum churn_file file, __u32 x)
{
	__u32 gen = w->state->gen_begun[file] + 1;
	bool slowly = x % 4 == 0;
	size_t size, at, step;
	char path[256], *image = churn_image(file, gen, &size);
	int fd;

	begin(w, file, gen);
	fd = open(work_path(w, file, path), O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		work_failed(w, path);
		free(image);
		return;
	}
	step = slowly ? CHURN_PAGE : size;
	for (at = 0; at < size; at += step) {
		if (pwrite(fd, image + at, step, at) != (ssize_t)step)
			work_failed(w, path);
		if (slowly)
			work_pause_us(x >> 8 & 0x3ff);
	}
	if (slowly)
		work_pause_us(x >> 16 & 0x3fff);
	close(fd);
	done(w, file, gen);
	free(image);
	work_add(&w->counts->rewrites);
}

static void truncate_and_write(const struct work *w)
{
	__u32 gen = w->state->gen_begun[CHURN_F_TRUNCATE] + 1;
	char path[256];

	begin(w, CHURN_F_TRUNCATE, gen);
	if (work_write_file(work_path(w, CHURN_F_TRUNCATE, path), O_TRUNC, CHURN_F_TRUNCATE, gen))
		work_failed(w, path);
	done(w, CHURN_F_TRUNCATE, gen);
	work_add(&w->counts->truncates);
}

static void replace(const struct work *w, enum churn_file file, __u32 x)
{
	__u32 gen = w->state->gen_begun[file] + 1;
	char path[256], temporary[264];

	work_path(w, file, path);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	begin(w, file, gen);
	/* unlinked first: the old inode may be reused for the new file */
	if (x & 0x100 && unlink(path))
		work_failed(w, path);
	if (work_write_file(temporary, O_CREAT | O_EXCL, file, gen) || rename(temporary, path))
		work_failed(w, temporary);
	done(w, file, gen);
	work_add(&w->counts->replaces);
}

static const enum churn_file replaced[] = {
	CHURN_F_REPLACE_DISK, CHURN_F_REPLACE_TMPFS, CHURN_F_DL_2, CHURN_F_DL_3, CHURN_F_EXEC_1,
};

void work_writer(const struct work *w)
{
	__u32 rnd = 0x165667b1;

	work_add(&w->counts->ready);
	for (;;) {
		__u32 x = work_random(&rnd), y = work_random(&rnd);

		switch (y % 4) {
		case 0:
			rewrite(w, CHURN_F_REWRITE_DISK, x);
			break;
		case 1:
			rewrite(w, CHURN_F_REWRITE_TMPFS, x);
			break;
		case 2:
			truncate_and_write(w);
			break;
		case 3:
			replace(w, replaced[(y >> 8) % 5], x);
			break;
		}
		/* often at once: the clock of mtime has not ticked then */
		if (x >> 31)
			work_pause_us(x >> 8 & 0x3fff);
	}
}
