// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sampler/files.h"
#include "template.h"

#define PAGE 4096UL

static int read_all(struct template *t, const char *path)
{
	struct stat st;
	size_t at = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	t->size = st.st_size;
	t->data = malloc(t->size);
	if (!t->data)
		return -ENOMEM;
	while (at < t->size) {
		n = read(fd, t->data + at, t->size - at);
		if (n <= 0) {
			close(fd);
			return n ? -errno : -EIO;
		}
		at += n;
	}
	close(fd);
	return 0;
}

static void read_layout(struct template *t)
{
	const Elf64_Ehdr *ehdr = (const void *)t->data;
	const Elf64_Phdr *phdr = (const void *)(t->data + ehdr->e_phoff);
	struct truth_range *r;
	int i;

	t->entry = ehdr->e_entry;
	for (i = 0; i < ehdr->e_phnum; i++) {
		if (phdr[i].p_type != PT_LOAD)
			continue;
		r = &t->layout.range[t->layout.count++];
		r->start = phdr[i].p_vaddr & ~(PAGE - 1);
		r->end = (phdr[i].p_vaddr + phdr[i].p_filesz + PAGE - 1) & ~(PAGE - 1);
		r->offset = phdr[i].p_offset & ~(PAGE - 1);
		memcpy(r->name, t->ident->name, sizeof(r->name));
	}
}

int template_load(struct template *t, const char *dir, const struct ident *ident)
{
	char path[512];
	char *note;
	int err;

	memset(t, 0, sizeof(*t));
	t->ident = ident;
	snprintf(path, sizeof(path), "%s/%s", dir, ident->name);
	err = read_all(t, path);
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		return err;
	}
	note = memmem(t->data, t->size, ident->id, ident->len);
	if (!note) {
		fprintf(stderr, "%s: the build ID of `ids` is not in it\n", path);
		return -EINVAL;
	}
	t->note_at = note - t->data;
	read_layout(t);
	return 0;
}

/* No two serials give the same ID, and no byte pattern is special. */
static void make_id(struct ident *ident, __u32 serial)
{
	__u64 x = serial;
	__u32 i;

	memcpy(ident->id, &serial, sizeof(serial));
	for (i = sizeof(serial); i < ident->len; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		ident->id[i] = x >> 56;
	}
}

int template_copy(const struct template *t, const char *path, __u32 serial, struct ident *ident)
{
	size_t at, n;
	int fd, err = 0;

	*ident = *t->ident;
	make_id(ident, serial);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return -errno;
	for (at = 0; at < t->size && !err; at += n) {
		n = t->size - at < PAGE ? t->size - at : PAGE;
		if (!files_all_zero(t->data + at, n) &&
		    pwrite(fd, t->data + at, n, at) != (ssize_t)n)
			err = -EIO;
	}
	if (!err && pwrite(fd, ident->id, ident->len, t->note_at) != (ssize_t)ident->len)
		err = -EIO;
	if (!err && ftruncate(fd, t->size))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}
