// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_find - ELF files of this machine by their identity
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <gelf.h>
#include <libelf.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile_fold.h"
#include "symbols_find.h"
#include "tool.h"

/**
 * struct file - a place where a file is
 * @id: text of its identity
 * @debug: it has debug information only
 * @path: its name, NULL when it is held open
 * @fd: the file, -1 when it has a name
 */
struct file {
	char *id;
	bool debug;
	char *path;
	int fd;
};

struct symbols_files {
	void *tree;
};

static int by_id(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	int d = strcmp(x->id, y->id);

	return d ? d : (int)x->debug - (int)y->debug;
}

static void free_file(void *p)
{
	struct file *file = p;

	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file->id);
	free(file);
}

struct symbols_files *symbols_files_new(void)
{
	elf_version(EV_CURRENT);
	return must(calloc(1, sizeof(struct symbols_files)));
}

void symbols_files_free(struct symbols_files *f)
{
	tdestroy(f->tree, free_file);
	free(f);
}

/* Debug files keep the headers of the code's sections, and not the code. */
static bool without_code(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool sections = false, code = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (!elf)
		return false;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &shdr)) {
		sections = true;
		if ((shdr.sh_flags & SHF_EXECINSTR) && shdr.sh_type != SHT_NOBITS)
			code = true;
	}
	elf_end(elf);
	return sections && !code;
}

static bool is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, "\177ELF", sizeof(magic));
}

/* Takes over @path and @fd, one of them -1 or NULL. @from is the open file. */
static const struct file *add(struct symbols_files *f, int from, char *path, int fd)
{
	struct buildidx_object obj;
	struct file *file, **found;

	file = must(calloc(1, sizeof(*file)));
	file->path = path;
	file->fd = fd;
	if (!is_elf(from) || buildidx_parse_fd(from, &obj, NULL)) {
		free_file(file);
		return NULL;
	}
	file->debug = without_code(from);
	file->id = fold_id(obj.kind, obj.id, obj.id_len, obj.id_len);
	found = must(tsearch(file, &f->tree, by_id));
	if (*found != file)
		free_file(file);
	return *found;
}

int symbols_files_add_dir(struct symbols_files *f, const char *dir)
{
	char *roots[] = { (char *)dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	int fd, code = EXIT_OK;
	char *shown;
	FTSENT *e;

	if (!fts)
		must(NULL);
	while ((e = fts_read(fts))) {
		switch (e->fts_info) {
		case FTS_F:
			/* What may not be read cannot be looked into: it is then not found. */
			fd = buildidx_open_path(e->fts_accpath, NULL);
			if (fd < 0)
				break;
			add(f, fd, must(strdup(e->fts_path)), -1);
			close(fd);
			break;
		case FTS_DNR:
		case FTS_ERR:
		case FTS_NS:
			shown = escaped(e->fts_path);
			complain("%s: %s", shown, strerror(e->fts_errno));
			free(shown);
			code = worse_of(code, exit_code_of(-e->fts_errno));
			break;
		}
	}
	fts_close(fts);
	return code;
}

const char *symbols_files_add_fd(struct symbols_files *f, int fd)
{
	const struct file *file = add(f, fd, NULL, fd);

	return file ? file->id : NULL;
}

void symbols_files_add_vdso(struct symbols_files *f)
{
	const Elf64_Ehdr *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int fd;

	if (!ehdr)
		return;
	/* its section headers are what comes last */
	size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, ehdr, size) != (ssize_t)size) {
		close(fd);
		return;
	}
	add(f, fd, NULL, fd);
}

int symbols_files_open(const struct symbols_files *f, const char *id, bool debug, char **name)
{
	struct file key = { .id = (char *)id, .debug = debug };
	struct file **found = tfind(&key, &f->tree, by_id);
	const struct file *file;
	int fd;

	if (!found)
		return -1;
	file = *found;
	if (file->path)
		fd = buildidx_open_path(file->path, NULL);
	else
		fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	*name = must(strdup(file->path ? file->path : id));
	return fd;
}
