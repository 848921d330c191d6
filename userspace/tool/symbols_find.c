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
 * @path: its name, NULL when it has none that can be used
 * @fd: the file held open, or -1
 */
struct file {
	char *id;
	bool debug;
	char *path;
	int fd;
};

struct symbols_files {
	void *tree;
	char **dirs;
	size_t nr_dirs;
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
	while (f->nr_dirs)
		free(f->dirs[--f->nr_dirs]);
	free(f->dirs);
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

char *symbols_file_id(int fd)
{
	struct buildidx_object obj;

	if (!is_elf(fd) || buildidx_parse_fd(fd, &obj, NULL))
		return NULL;
	return fold_id(obj.kind, obj.id, obj.id_len, obj.id_len);
}

/* Takes over @id, @path and @fd; the first file of an ID stays. */
static void add(struct symbols_files *f, char *id, bool debug, char *path, int fd)
{
	struct file *file = must(calloc(1, sizeof(*file)));
	struct file **found;

	file->id = id;
	file->debug = debug;
	file->path = path;
	file->fd = fd;
	found = must(tsearch(file, &f->tree, by_id));
	if (*found != file)
		free_file(file);
}

/* What may not be read cannot be looked into: it is then not found. */
static void add_path(struct symbols_files *f, const FTSENT *e)
{
	int fd = buildidx_open_path(e->fts_accpath, NULL);
	char *id;

	if (fd < 0)
		return;
	id = symbols_file_id(fd);
	if (id)
		add(f, id, without_code(fd), must(strdup(e->fts_path)), -1);
	close(fd);
}

static int unreadable(const char *path, int error)
{
	char *shown = escaped(path);

	complain("%s: %s", shown, strerror(error));
	free(shown);
	return exit_code_of(-error);
}

int symbols_files_add_dir(struct symbols_files *f, const char *dir)
{
	char *roots[] = { (char *)dir, NULL };
	/* Not into /proc and the like: reading there can have effects. */
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV, NULL);
	int code = EXIT_OK;
	FTSENT *e;

	if (!fts)
		must(NULL);
	f->dirs = must(reallocarray(f->dirs, f->nr_dirs + 1, sizeof(*f->dirs)));
	f->dirs[f->nr_dirs++] = must(strdup(dir));
	for (errno = 0; (e = fts_read(fts)); errno = 0) {
		switch (e->fts_info) {
		case FTS_F:
			add_path(f, e);
			break;
		case FTS_DNR:
		case FTS_ERR:
		case FTS_NS:
			code = worse_of(code, unreadable(e->fts_path, e->fts_errno));
			break;
		}
	}
	if (errno)
		code = worse_of(code, unreadable(dir, errno));
	fts_close(fts);
	return code;
}

void symbols_files_report(const struct symbols_files *f, FILE *out)
{
	char *shown;
	size_t i;

	for (i = 0; i < f->nr_dirs; i++) {
		shown = escaped(f->dirs[i]);
		fprintf(out, "  directory %s: was searched\n", shown);
		free(shown);
	}
	fputs("  directory /usr/lib/debug/.build-id: was searched\n", out);
}

void symbols_files_add_fd(struct symbols_files *f, int fd, const char *id)
{
	add(f, must(strdup(id)), false, NULL, fd);
}

void symbols_files_add_vdso(struct symbols_files *f)
{
	const Elf64_Ehdr *ehdr = (const void *)getauxval(AT_SYSINFO_EHDR);
	char *id = NULL;
	size_t size;
	int fd;

	if (!ehdr)
		return;
	/* its section headers are what comes last */
	size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, ehdr, size) == (ssize_t)size)
		id = symbols_file_id(fd);
	if (id)
		add(f, id, false, NULL, fd);
	else
		close(fd);
}

bool symbols_files_have(const struct symbols_files *f, const char *id)
{
	struct file program = { .id = (char *)id }, debug = { .id = (char *)id, .debug = true };

	return tfind(&program, &f->tree, by_id) || tfind(&debug, &f->tree, by_id);
}

static void hold(const void *node, VISIT when, void *closure)
{
	struct file *file = *(struct file *const *)node;

	(void)closure;
	if ((when == postorder || when == leaf) && file->fd < 0)
		file->fd = buildidx_open_path(file->path, NULL);
}

void symbols_files_hold(struct symbols_files *f)
{
	twalk_r(f->tree, hold, NULL);
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
	if (file->fd >= 0)
		fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	else
		fd = buildidx_open_path(file->path, NULL);
	if (fd < 0)
		return -1;
	*name = must(strdup(file->path ? file->path : id));
	return fd;
}
