// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_servers - the debuginfod servers of DEBUGINFOD_URLS and of the command line
 *
 * libdw asks them, all at once, and does not tell what became of it. libdw loads the client
 * library itself, when it is there: so it is looked up here too, not linked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"
#include "symbols_servers.h"
#include "tool.h"

#define URLS	"DEBUGINFOD_URLS"
#define CACHE	"DEBUGINFOD_CACHE_PATH"
/* Of a GNU build ID; no linker makes one of zeros. */
#define ID_SIZE	20

struct server {
	char *url;
	int error;		/* 0, or the errno for which it is not asked any more */
};

static struct {
	bool checked;
	bool no_library;
	int unknown;		/* errno for which they could not be asked; libdw may have */
	struct server *list;
	size_t nr;
} servers;

/* What the library has for us; see debuginfod_find_debuginfo(3). */
struct client_library {
	void *handle;
	void *(*begin)(void);
	void (*end)(void *client);
	void (*set_progress)(void *client, int (*fn)(void *client, long a, long b));
	int (*find)(void *client, const unsigned char *id, int len, char **path);
};

void symbols_server(const char *url)
{
	const char *old = getenv(URLS);
	char *urls;

	if (asprintf(&urls, "%s%s%s", old ? old : "", old ? " " : "", url) < 0)
		must(NULL);
	if (setenv(URLS, urls, 1))
		must(NULL);
	free(urls);
}

static bool open_library(struct client_library *lib)
{
	lib->handle = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	if (!lib->handle)
		return false;
	*(void **)&lib->begin = dlsym(lib->handle, "debuginfod_begin");
	*(void **)&lib->end = dlsym(lib->handle, "debuginfod_end");
	*(void **)&lib->set_progress = dlsym(lib->handle, "debuginfod_set_progressfn");
	*(void **)&lib->find = dlsym(lib->handle, "debuginfod_find_debuginfo");
	if (lib->begin && lib->end && lib->set_progress && lib->find)
		return true;
	dlclose(lib->handle);
	return false;
}

static void make_list(void)
{
	const char *urls = getenv(URLS);
	size_t len;

	for (; urls && *(urls += strspn(urls, " ")); urls += len) {
		len = strcspn(urls, " ");
		servers.list = must(reallocarray(servers.list, servers.nr + 1,
						 sizeof(*servers.list)));
		servers.list[servers.nr++] = (struct server){ .url = must(strndup(urls, len)) };
	}
}

/* Return: 0 when it says that it has no such thing, as it must; else an errno. */
static int ask(const struct client_library *lib, const char *url,
	       int (*progress)(void *client, long a, long b))
{
	static const unsigned char none[ID_SIZE];
	void *client;
	int fd;

	if (setenv(URLS, url, 1))
		must(NULL);
	client = lib->begin();
	if (!client)
		return ENOMEM;
	lib->set_progress(client, progress);
	fd = lib->find(client, none, sizeof(none), NULL);
	lib->end(client);
	if (fd >= 0)
		close(fd);
	/* stopped by the user: not the server's fault */
	if (progress(NULL, 0, 0))
		return 0;
	return fd >= 0 || fd == -ENOENT ? 0 : -fd;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* In a cache of their own: what the real one knows is not what a server says now. */
static void ask_all(const struct client_library *lib, int (*progress)(void *client, long a, long b))
{
	const char *tmp = getenv("TMPDIR"), *old = getenv(CACHE);
	char *cache = NULL, *saved = old ? must(strdup(old)) : NULL;
	size_t i;

	if (asprintf(&cache, "%s/buildidx.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		must(NULL);
	if (!mkdtemp(cache)) {
		servers.unknown = errno;
		goto out;
	}
	if (setenv(CACHE, cache, 1))
		must(NULL);
	for (i = 0; i < servers.nr; i++)
		servers.list[i].error = ask(lib, servers.list[i].url, progress);
	nftw(cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (saved ? setenv(CACHE, saved, 1) : unsetenv(CACHE))
		must(NULL);
out:
	free(saved);
	free(cache);
}

void servers_check(int (*progress)(void *client, long a, long b))
{
	struct client_library lib;
	size_t i;

	if (servers.checked)
		return;
	servers.checked = true;
	make_list();
	if (!servers.nr)
		return;
	servers.no_library = !open_library(&lib);
	if (servers.no_library)
		return;
	ask_all(&lib, progress);
	dlclose(lib.handle);
	if (setenv(URLS, "", 1))
		must(NULL);
	for (i = 0; i < servers.nr; i++)
		if (!servers.list[i].error)
			symbols_server(servers.list[i].url);
}

void servers_report(FILE *out)
{
	size_t i;
	char *url;

	for (i = 0; i < servers.nr; i++) {
		url = escaped(servers.list[i].url);
		if (servers.no_library)
			fprintf(out, "  server %s: not asked: the library libdebuginfod.so.1 is not installed\n",
				url);
		else if (servers.unknown)
			fprintf(out, "  server %s: whether it answers is not known: no temporary directory: %s\n",
				url, strerror(servers.unknown));
		else if (servers.list[i].error)
			fprintf(out, "  server %s: gave no answer: %s\n", url,
				strerror(servers.list[i].error));
		else
			fprintf(out, "  server %s: was asked\n", url);
		free(url);
	}
}

void servers_free(void)
{
	while (servers.nr)
		free(servers.list[--servers.nr].url);
	free(servers.list);
	servers.list = NULL;
	servers.checked = false;
}
