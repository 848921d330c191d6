// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

/* No kernel image or vmlinux with debug information is larger. */
#define FILE_SIZE_MAX	(4ULL << 30)

void complain(const char *format, ...)
{
	va_list args;

	fputs("bidx-btf: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int file_read(const char *path, struct blob *out)
{
	struct stat st;
	FILE *file;

	file = fopen(path, "rb");
	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fileno(file), &st)) {
		complain("%s: %s", path, strerror(errno));
		goto close;
	}
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size > FILE_SIZE_MAX) {
		complain("%s: not a regular file of a sensible size", path);
		goto close;
	}
	out->size = st.st_size;
	out->data = malloc(out->size);
	if (!out->data) {
		complain("%s: not enough memory for %zu bytes", path, out->size);
		goto close;
	}
	if (fread(out->data, 1, out->size, file) != out->size) {
		complain("%s: cannot read all of it", path);
		goto free;
	}
	fclose(file);
	return 0;

free:
	free(out->data);
	out->data = NULL;
close:
	fclose(file);
	return -1;
}

int file_write(const char *path, const struct blob *in)
{
	FILE *file;
	int failed;

	file = fopen(path, "wb");
	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	failed = fwrite(in->data, 1, in->size, file) != in->size;
	failed |= fclose(file) != 0;
	if (failed) {
		complain("%s: cannot write all of it: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}
