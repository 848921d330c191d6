// SPDX-License-Identifier: GPL-2.0
/*
 * identify [-e] < NAMES - run the parser on files, whose names come one a line
 *
 * Prints FILE STATUS KIND ID SOURCE for each, as the manifest of mkfiles does.
 * With -e, only files with the ELF magic. A file that cannot be read is an error.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../module/elfid.h"

static const char *const status_names[] = {
	[BUILDIDX_STATUS_OK] = "ok",
	[BUILDIDX_STATUS_TOO_LONG] = "too-long",
	[BUILDIDX_STATUS_NO_NOTE] = "no-note",
};

static const char *const kind_names[] = { "none", "gnu", "go", "hash" };
static const char *const source_names[] = { "none", "phdr", "shdr", "content" };

static int read_fd(void *ctx, u64 off, void *buf, size_t len)
{
	ssize_t n = pread(*(int *)ctx, buf, len, (off_t)off);

	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -ENODATA;
}

static bool is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

static void print_ident(const char *name, const struct bidx_ident *id)
{
	size_t i;

	printf("%s %s %s ", name, status_names[id->status], kind_names[id->kind]);
	for (i = 0; i < id->id_len; i++) {
		if (id->kind == BUILDIDX_KIND_GO)
			putchar(isgraph(id->id[i]) ? id->id[i] : '?');
		else
			printf("%02x", id->id[i]);
	}
	printf(" %s\n", source_names[id->source]);
}

static int identify(const char *name, bool elf_only)
{
	static _Alignas(8) u8 scratch[BIDX_SCRATCH_SIZE];
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct bidx_reader r = { .read = read_fd, .ctx = &fd };
	struct bidx_ident id;
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st)) {
		err = -errno;
		goto out;
	}
	err = 0;
	if (elf_only && !is_elf(fd))
		goto out;
	r.size = (u64)st.st_size;
	err = bidx_identify(&r, &id, scratch);
	if (!err)
		print_ident(name, &id);
out:
	if (err)
		fprintf(stderr, "identify: %s: %s\n", name, strerror(-err));
	if (fd >= 0)
		close(fd);
	return err;
}

int main(int argc, char **argv)
{
	bool elf_only = argc == 2 && !strcmp(argv[1], "-e");
	char *name = NULL;
	size_t room = 0;
	ssize_t len;
	int failed = 0;

	if (argc > 1 && !elf_only) {
		fprintf(stderr, "usage: identify [-e] < NAMES\n");
		return 2;
	}
	while ((len = getline(&name, &room, stdin)) > 0) {
		if (name[len - 1] == '\n')
			name[len - 1] = '\0';
		if (identify(name, elf_only))
			failed = 1;
	}
	free(name);
	return failed;
}
