// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#define PAGE	4096UL

bool files_all_zero(const char *p, size_t n)
{
	return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

/* Holes stay holes: most of a victim's file is the gap between its segments. */
static int copy_file(const char *from, const char *to)
{
	char page[PAGE];
	off_t at = 0;
	ssize_t n;
	int in, out, err = 0;

	in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return -errno;
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (out < 0) {
		err = -errno;
		goto close_in;
	}
	while ((n = read(in, page, sizeof(page))) > 0) {
		if (!files_all_zero(page, n) && pwrite(out, page, n, at) != n) {
			err = -EIO;
			goto close_out;
		}
		at += n;
	}
	if (n < 0 || ftruncate(out, at))
		err = -errno;
close_out:
	if (close(out) && !err)
		err = -errno;
close_in:
	close(in);
	return err;
}

int files_copy(const char *from, const char *to)
{
	char source[512], target[512];
	struct dirent *entry;
	struct stat st;
	int err = 0;
	DIR *dir;

	if (mkdir(to, 0755) && errno != EEXIST) {
		err = -errno;
		fprintf(stderr, "%s: %s\n", to, strerror(errno));
		return err;
	}
	dir = opendir(from);
	if (!dir) {
		err = -errno;
		fprintf(stderr, "%s: %s\n", from, strerror(errno));
		return err;
	}
	while (!err && (entry = readdir(dir))) {
		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
		if (lstat(source, &st) || !S_ISREG(st.st_mode))
			continue;
		err = copy_file(source, target);
		if (err)
			fprintf(stderr, "%s: cannot copy to %s: %s\n", source, to, strerror(-err));
	}
	closedir(dir);
	sync();
	return err;
}

void files_remove(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

int files_drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	sync();
	if (write(fd, "3", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

int files_page_cached(const char *path, size_t offset)
{
	unsigned char resident = 0;
	int fd, cached;
	void *p;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, offset & ~(PAGE - 1));
	close(fd);
	if (p == MAP_FAILED)
		return -errno;
	cached = mincore(p, PAGE, &resident) ? -errno : resident & 1;
	munmap(p, PAGE);
	return cached;
}
