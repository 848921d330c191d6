// SPDX-License-Identifier: GPL-2.0
/*
 * record_fuzz - libFuzzer target for the reader of files of records
 *
 * The input is such a file, from anybody. Whatever it holds, the reader gives records that
 * can be followed, does not read for ever, and reads the same again from what it wrote.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libbuildidx.h"
#include "../unit-lib/touch.h"

static void require(bool promise)
{
	if (!promise)
		abort();
}

static int file_of(const void *bytes, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	require(fd >= 0);
	require(write(fd, bytes, len) == (ssize_t)len);
	require(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

/* Return: a number of what was read; *to receives it, unless it is -1. */
static uint64_t read_all(int fd, int to, size_t len)
{
	const struct buildidx_rec *rec;
	struct buildidx_capture *c;
	uint64_t sum = 0;
	size_t n = 0;
	int ret;

	if (buildidx_capture_open(fd, &c, NULL))
		return 0;
	require(to < 0 || !buildidx_capture_start(to, buildidx_capture_header(c), NULL));
	while ((ret = buildidx_capture_next(c, &rec, NULL)) != 0) {
		require(ret == 1 || ret == -EBADMSG);
		require(++n <= len / sizeof(*rec) + 1);
		if (ret != 1)
			continue;
		require(buildidx_record_sound(rec, rec->size));
		sum = sum * 31 + touch_record(rec);
		require(to < 0 || !buildidx_capture_write(to, rec, NULL));
	}
	require(buildidx_capture_next(c, &rec, NULL) == 0);
	require(buildidx_capture_ignored(c) <= len);
	buildidx_capture_close(c);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = file_of(data, len), again = file_of("", 0);
	uint64_t sum = read_all(fd, again, len);

	require(lseek(again, 0, SEEK_SET) == 0);
	require(read_all(again, -1, len) == sum);
	close(fd);
	close(again);
	return 0;
}
