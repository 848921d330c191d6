// SPDX-License-Identifier: GPL-2.0
/*
 * export_files - where the files that are made of a program's record go
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

static int fail(int code, const char *what, const char *path, struct buildidx_error *err)
{
	char *shown = escaped(path);

	snprintf(err->text, sizeof(err->text), "%s: %s: %s", shown, what, strerror(-code));
	free(shown);
	return code;
}

/* Make each directory that leads to a file. */
static int make_dirs(const char *path, struct buildidx_error *err)
{
	char *dir = must(strdup(path)), *slash;
	int ret = 0;

	for (slash = strchr(dir + 1, '/'); slash && !ret; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(dir, 0777) && errno != EEXIST)
			ret = fail(-errno, "cannot make the directory", dir, err);
		*slash = '/';
	}
	free(dir);
	return ret;
}

int export_to_file(const char *path, const struct buildidx_rec_bpf *r,
		   const struct export_machine *m, struct buildidx_error *err)
{
	struct stat st;
	mode_t mask;
	char *temp;
	int fd, ret;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fail(-EINVAL, "not a regular file", path, err);
	if (asprintf(&temp, "%s.XXXXXX", path) < 0)
		must(NULL);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		ret = fail(-errno, "cannot create a file beside it", path, err);
		free(temp);
		return ret;
	}
	mask = umask(0);
	umask(mask);
	ret = export_elf(fd, r, m, err);
	if (!ret && (fchmod(fd, 0666 & ~mask) || fsync(fd)))
		ret = fail(-errno, "cannot write", path, err);
	close(fd);
	if (!ret && rename(temp, path))
		ret = fail(-errno, "cannot create", path, err);
	if (ret)
		unlink(temp);
	free(temp);
	return ret;
}

int export_debuginfod(const char *dir, const struct buildidx_rec_bpf *r,
		      const struct export_machine *m, struct buildidx_error *err)
{
	char hex[2 * BUILDIDX_BPF_ID_LEN + 1];
	char *debuginfo, *executable;
	size_t len;
	int ret;

	buildidx_hex(r->build_id, sizeof(r->build_id), hex, sizeof(hex));
	if (asprintf(&debuginfo, "%s/buildid/%s/debuginfo", dir, hex) < 0 ||
	    asprintf(&executable, "%s/buildid/%s/executable", dir, hex) < 0)
		must(NULL);
	ret = make_dirs(debuginfo, err);
	if (!ret)
		ret = export_to_file(debuginfo, r, m, err);
	if (!ret && buildidx_bpf_image(r, &len)) {
		/* one file, where the file system can give it two names */
		unlink(executable);
		if (link(debuginfo, executable))
			ret = export_to_file(executable, r, m, err);
	}
	free(debuginfo);
	free(executable);
	return ret;
}

/**
 * struct source - a line of a file
 * @path: below the directory
 * @line: number
 * @text: the line
 */
struct source {
	const char *path;
	uint32_t line;
	const char *text;
};

/* BPF's own format has 22 bits for a line. */
#define LINE_MAX_NUMBER	(1U << 22)
/* Of all files together: a few records that mean harm name thousands of long ones. */
#define SOURCES_MAX	(1U << 30)

static size_t sources_left = SOURCES_MAX;

static int by_place(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (order)
		return order;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* A name from a record, as one that stays below the directory; NULL when nothing is left. */
static char *tame(const char *dir, const char *name)
{
	char *path = must(malloc(strlen(dir) + strlen(name) + 2));
	size_t len = strlen(dir), part;

	memcpy(path, dir, len);
	for (; *name; name += part) {
		part = strcspn(name, "/");
		if (part && !(part == 1 && name[0] == '.') &&
		    !(part == 2 && name[0] == '.' && name[1] == '.')) {
			path[len++] = '/';
			memcpy(path + len, name, part);
			len += part;
		}
		part += strspn(name + part, "/");
	}
	path[len] = '\0';
	if (len > strlen(dir))
		return path;
	free(path);
	return NULL;
}

/* The text of a file. Return: NULL when all of them become too much. */
static char *compose(const struct source *s, size_t count, size_t *size)
{
	uint32_t line = 1;
	size_t i, len, left = sources_left;
	char *text;
	FILE *f = must(open_memstream(&text, size));

	for (i = 0; i < count; i++) {
		if (i && s[i].line == s[i - 1].line)
			continue;
		len = strcspn(s[i].text, "\n");
		if (left <= s[i].line - line + len)
			break;
		left -= s[i].line - line + len;
		for (; line < s[i].line; line++)
			putc('\n', f);
		fwrite(s[i].text, len, 1, f);
	}
	putc('\n', f);
	if (fclose(f))
		must(NULL);
	if (i == count) {
		sources_left = left;
		return text;
	}
	free(text);
	return NULL;
}

static bool is_there(const char *path, const char *text, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t i;

	if (!f)
		return false;
	for (i = 0; i < size && getc(f) == (unsigned char)text[i]; i++)
		;
	i += getc(f) == EOF;
	fclose(f);
	return i == size + 1;
}

static int write_new(const char *path, const char *text, size_t size, struct buildidx_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	int ret;

	if (!f && errno == EEXIST)
		return is_there(path, text, size) ? 0 :
			fail(-EEXIST, "another file is there, and stays: give another directory",
			     path, err);
	if (!f)
		return fail(-errno, "cannot create", path, err);
	ret = fwrite(text, size, 1, f) == 1 ? 0 : -errno;
	if (fclose(f) && !ret)
		ret = -errno;
	if (!ret)
		return 0;
	unlink(path);
	return fail(ret, "cannot write", path, err);
}

static int write_source(const struct source *s, size_t count, struct buildidx_error *err)
{
	size_t size;
	char *text;
	int ret = make_dirs(s->path, err);

	if (ret)
		return ret;
	text = compose(s, count, &size);
	if (!text)
		return fail(-EFBIG, "the source lines of the programs are more than 1 GiB",
			    s->path, err);
	ret = write_new(s->path, text, size, err);
	free(text);
	return ret;
}

/* Return: how many were found; @sources has room for all. */
static size_t collect(const char *dir, const struct buildidx_rec_bpf *r, struct source *sources,
		      char **paths)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	uint32_t i, k;
	size_t n = 0;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		for (k = 0; (l = buildidx_bpf_line(r, f, k)); k++) {
			if (!l->file || !l->text || !l->line || l->line > LINE_MAX_NUMBER)
				continue;
			if (!paths[l->file])
				paths[l->file] = tame(dir, buildidx_record_text(&r->rec, l->file));
			if (!paths[l->file])
				continue;
			sources[n].path = paths[l->file];
			sources[n].line = l->line;
			sources[n++].text = buildidx_record_text(&r->rec, l->text);
		}
	}
	return n;
}

int export_sources(const char *dir, const struct buildidx_rec_bpf *r, struct buildidx_error *err)
{
	size_t lines = r->line_each ? r->lines.len / r->line_each : 0;
	struct source *sources = must(calloc(lines + 1, sizeof(*sources)));
	char **paths = must(calloc(r->strings.len + 1, sizeof(*paths)));
	size_t i, k, n = collect(dir, r, sources, paths);
	int ret = 0;

	qsort(sources, n, sizeof(*sources), by_place);
	for (i = 0; i < n && !ret; i += k) {
		for (k = 1; i + k < n && !strcmp(sources[i].path, sources[i + k].path); k++)
			;
		ret = write_source(sources + i, k, err);
	}
	for (i = 0; i < r->strings.len; i++)
		free(paths[i]);
	free(paths);
	free(sources);
	return ret;
}
