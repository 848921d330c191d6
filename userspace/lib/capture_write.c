// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * capture_write - write a file of records
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

int64_t buildidx_realtime_offset(void)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return ((int64_t)real.tv_sec - boot.tv_sec) * 1000000000 + (real.tv_nsec - boot.tv_nsec);
}

/* In one piece where that can be: then a reader at the same time sees whole records. */
static int write_all(int fd, const void *bytes, size_t len, struct buildidx_error *err)
{
	const char *from = bytes;
	ssize_t n;

	while (len) {
		n = write(fd, from, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bidx_fail_errno(err, -errno, "cannot write");
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

int buildidx_capture_start(int fd, const struct buildidx_file *header, struct buildidx_error *err)
{
	struct buildidx_file h = { .order = BUILDIDX_FILE_ORDER };
	struct utsname name;

	if (header) {
		h = *header;
	} else {
		h.realtime = buildidx_realtime_offset();
		if (!uname(&name)) {
			snprintf((char *)h.release, sizeof(h.release), "%s", name.release);
			snprintf((char *)h.machine, sizeof(h.machine), "%.31s", name.machine);
		}
	}
	memcpy(h.magic, BUILDIDX_FILE_MAGIC, sizeof(h.magic));
	h.order = BUILDIDX_FILE_ORDER;
	h.version = BUILDIDX_FILE_VERSION;
	h.size = sizeof(h);
	return write_all(fd, &h, sizeof(h), err);
}

int buildidx_capture_write(int fd, const struct buildidx_rec *rec, struct buildidx_error *err)
{
	return write_all(fd, rec, rec->size, err);
}
