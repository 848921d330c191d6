// SPDX-License-Identifier: GPL-2.0
/*
 * mkfiles DIR - write the odd and hostile files into DIR, and DIR/manifest
 *
 * A line of the manifest: FILE STATUS KIND ID SOURCE, separated by one space.
 * Names are those of libbuildidx; the ID of kind gnu and hash is lower-case hex,
 * that of kind go is its text (without spaces here). The files named sparse-*
 * are up to 10 GiB long and take a few blocks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"

static const char *const status_names[] = {
	[BUILDIDX_STATUS_OK] = "ok",
	[BUILDIDX_STATUS_TOO_LONG] = "too-long",
	[BUILDIDX_STATUS_NO_NOTE] = "no-note",
};

static const char *const kind_names[] = {
	[BUILDIDX_KIND_GNU] = "gnu",
	[BUILDIDX_KIND_GO] = "go",
	[BUILDIDX_KIND_HASH] = "hash",
};

static const char *const source_names[] = {
	[BUILDIDX_SOURCE_PHDR] = "phdr",
	[BUILDIDX_SOURCE_SHDR] = "shdr",
	[BUILDIDX_SOURCE_CONTENT] = "content",
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "mkfiles: %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static void write_run(int fd, const struct run *run, const char *name)
{
	size_t done = 0;

	while (done < run->len) {
		ssize_t n = pwrite(fd, run->data + done, run->len - done, run->off + done);

		if (n <= 0)
			die("cannot write", name);
		done += n;
	}
}

static void write_file(int dir, const char *name, const struct image *img)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0)
		die("cannot create", name);
	write_run(fd, &img->head, name);
	write_run(fd, &img->tail, name);
	if (ftruncate(fd, img->size))
		die("cannot set the length of", name);
	if (close(fd))
		die("cannot write", name);
}

static void print_id(FILE *out, const struct hostile_case *c, const struct image *img)
{
	uint8_t hash[16];
	const uint8_t *id = (const uint8_t *)c->id;
	size_t i;

	if (c->kind == BUILDIDX_KIND_GO) {
		fprintf(out, "%.*s", (int)c->id_len, c->id);
		return;
	}
	if (c->kind == BUILDIDX_KIND_HASH) {
		image_hash(img, hash);
		id = hash;
	}
	for (i = 0; i < c->id_len; i++)
		fprintf(out, "%02x", id[i]);
}

static void make(int dir, FILE *manifest, const struct hostile_case *c)
{
	struct image img;

	image_init(&img, true, false);
	c->make(&img);
	write_file(dir, c->name, &img);
	fprintf(manifest, "%s %s %s ", c->name, status_names[c->status], kind_names[c->kind]);
	print_id(manifest, c, &img);
	fprintf(manifest, " %s\n", source_names[c->source]);
	image_free(&img);
}

static FILE *create_manifest(int dir)
{
	int fd = openat(dir, "manifest", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		die("cannot create", "manifest");
	return f;
}

int main(int argc, char **argv)
{
	FILE *manifest;
	size_t i;
	int dir;

	if (argc != 2) {
		fprintf(stderr, "usage: mkfiles DIR\n");
		return 2;
	}
	if (mkdir(argv[1], 0755) && errno != EEXIST)
		die("cannot create", argv[1]);
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		die("cannot open", argv[1]);

	manifest = create_manifest(dir);
	for (i = 0; i < hostile_case_count; i++)
		make(dir, manifest, &hostile_cases[i]);
	if (fclose(manifest))
		die("cannot write", "manifest");
	close(dir);
	return 0;
}
