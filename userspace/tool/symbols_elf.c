// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_elf - functions of one ELF file, through libdwfl
 *
 * Each file has a Dwfl of its own: all are mapped at one made-up address, which is
 * only there because libdwfl thinks in address spaces.
 */
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"
#include "symbols_elf.h"
#include "tool.h"

#define BASE	0x10000000UL
#define ROOM	(1UL << 40)

#define INLINES_MAX	64

struct symbols_elf {
	const struct symbols_files *files;
	const char *id;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Addr bias;
	size_t nr_phdrs;
};

static volatile sig_atomic_t stopped;

void symbols_stop(void)
{
	stopped = 1;
}

void symbols_server(const char *url)
{
	static const char name[] = "DEBUGINFOD_URLS";
	const char *old = getenv(name);
	char *urls;

	if (asprintf(&urls, "%s%s%s", old ? old : "", old ? " " : "", url) < 0)
		must(NULL);
	if (setenv(name, urls, 1))
		must(NULL);
	free(urls);
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	const struct symbols_elf *e = *userdata;
	int fd = symbols_files_open(e->files, e->id, false, file_name);

	if (fd >= 0 || stopped)
		return fd;
	return dwfl_build_id_find_elf(mod, userdata, modname, base, file_name, elf);
}

static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
			  const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
			  char **debuginfo_file_name)
{
	const struct symbols_elf *e = *userdata;
	int fd = symbols_files_open(e->files, e->id, true, debuginfo_file_name);

	if (fd >= 0 || stopped)
		return fd;
	return dwfl_standard_find_debuginfo(mod, userdata, modname, base, file_name,
					    debuglink_file, debuglink_crc, debuginfo_file_name);
}

static char *debuginfo_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
	.debuginfo_path = &debuginfo_path,
};

static int give_up_when_stopped(debuginfod_client *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return stopped;
}

/*
 * Let Ctrl-C end a download. libdw loads the client library itself, when it is
 * there: so it is looked up, not linked.
 */
static void watch_downloads(Dwfl *dwfl)
{
	void (*set)(debuginfod_client *client, int (*fn)(debuginfod_client *, long, long));
	debuginfod_client *client = dwfl_get_debuginfod_client(dwfl);
	void *lib = client ? dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;

	if (!lib)
		return;
	*(void **)&set = dlsym(lib, "debuginfod_set_progressfn");
	if (set)
		set(client, give_up_when_stopped);
	dlclose(lib);
}

/* A GNU build ID is plain hex; nothing else can be asked for at a server. */
static size_t gnu_id_of(const char *text, unsigned char *id)
{
	size_t i, n = strlen(text);

	if (n % 2 || n > 2 * BUILDIDX_ID_MAX || text[strspn(text, "0123456789abcdef")])
		return 0;
	for (i = 0; i < n; i += 2) {
		const char pair[3] = { text[i], text[i + 1], '\0' };

		id[i / 2] = (unsigned char)strtoul(pair, NULL, 16);
	}
	return n / 2;
}

/* Never names from another file: a server can be wrong. */
static bool is_the_one(Elf *elf, const unsigned char *id, size_t len)
{
	const void *found;

	return !len || (dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)len &&
			!memcmp(found, id, len));
}

struct symbols_elf *symbols_elf_open(const struct symbols_files *files, const char *id,
				     const char **why)
{
	struct symbols_elf *e = must(calloc(1, sizeof(*e)));
	unsigned char bytes[BUILDIDX_ID_MAX];
	size_t len = gnu_id_of(id, bytes);
	void **userdata;

	e->files = files;
	e->id = id;
	e->dwfl = must(dwfl_begin(&callbacks));
	watch_downloads(e->dwfl);
	dwfl_report_begin(e->dwfl);
	e->mod = must(dwfl_report_module(e->dwfl, id, BASE, BASE + ROOM));
	dwfl_module_info(e->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = e;
	if (len)
		dwfl_module_report_build_id(e->mod, bytes, len, 0);
	dwfl_report_end(e->dwfl, NULL, NULL);

	e->elf = dwfl_module_getelf(e->mod, &e->bias);
	if (!e->elf) {
		*why = stopped ? "interrupted before it was looked for" :
			"no file with this ID was found";
		goto failed;
	}
	if (!is_the_one(e->elf, bytes, len)) {
		*why = "the file that was found has another ID";
		goto failed;
	}
	if (elf_getphdrnum(e->elf, &e->nr_phdrs) || !e->nr_phdrs) {
		*why = "the file that was found has no program headers";
		goto failed;
	}
	return e;
failed:
	symbols_elf_close(e);
	return NULL;
}

void symbols_elf_close(struct symbols_elf *e)
{
	if (!e)
		return;
	dwfl_end(e->dwfl);
	free(e);
}

/* Where the file's code at @offset is loaded. */
static bool address_of(const struct symbols_elf *e, uint64_t offset, GElf_Addr *addr)
{
	GElf_Phdr p;
	size_t i;

	for (i = 0; i < e->nr_phdrs; i++) {
		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X))
			continue;
		if (offset >= p.p_offset && offset - p.p_offset < p.p_filesz) {
			*addr = p.p_vaddr + (offset - p.p_offset) + e->bias;
			return true;
		}
	}
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	return name;
}

/* Of the C++ runtime, whose headers are of no use to C. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* A name as readable text that separates nothing. */
static void put_name(FILE *out, const char *name)
{
	char *plain = NULL;
	const char *p;

	if (!strncmp(name, "_Z", 2))
		plain = __cxa_demangle(name, NULL, NULL, NULL);
	for (p = plain ? plain : name; *p; p++) {
		if (*p == ';' || *p == '\\' || (unsigned char)*p < ' ' || *p == 0x7f)
			fprintf(out, "\\%03o", (unsigned char)*p);
		else
			putc(*p, out);
	}
	free(plain);
}

/* Producers may leave the table of address ranges out: look at each unit then. */
static Dwarf_Die *unit_of(Dwfl_Module *mod, GElf_Addr addr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(mod, addr, bias);

	if (cu)
		return cu;
	while ((cu = dwfl_module_nextcu(mod, cu, bias)))
		if (dwarf_haspc(cu, addr - *bias) == 1)
			return cu;
	return NULL;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/*
 * Names from debug information, the outermost last. The scopes of an inlined
 * function go on where it was written; those of its DIE where it was inlined.
 */
static int names_of(struct symbols_elf *e, GElf_Addr addr, const char **names)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	int i, n, nr = 0;
	Dwarf_Addr bias;
	Dwarf_Die *cu = unit_of(e->mod, addr, &bias);

	if (!cu)
		return 0;
	n = dwarf_getscopes(cu, addr - bias, &scopes);
	if (n <= 0)
		return 0;
	n = dwarf_getscopes_die(&scopes[0], &chain);
	for (i = 0; i < n && nr < INLINES_MAX; i++) {
		if (!is_function(&chain[i]))
			continue;
		names[nr] = linkage_name(&chain[i]);
		if (!names[nr])
			break;
		nr++;
		if (dwarf_tag(&chain[i]) == DW_TAG_subprogram)
			goto out;
	}
	nr = 0; /* without the outermost, the rest would stand in the wrong place */
out:
	free(scopes);
	free(chain);
	return nr;
}

static const char *symbol_of(struct symbols_elf *e, GElf_Addr addr)
{
	const char *name;
	GElf_Off off;
	GElf_Sym sym;

	name = dwfl_module_addrinfo(e->mod, addr, &off, &sym, NULL, NULL, NULL);
	if (!name || !*name || (sym.st_size && off >= sym.st_size))
		return NULL;
	return name;
}

bool symbols_elf_put(struct symbols_elf *e, FILE *out, uint64_t offset, bool is_return)
{
	const char *names[INLINES_MAX], *name;
	GElf_Addr addr;
	int n;

	if (!address_of(e, offset, &addr))
		return false;
	if (is_return)
		addr--;
	n = names_of(e, addr, names);
	if (!n) {
		name = symbol_of(e, addr);
		if (!name)
			return false;
		put_name(out, name);
		return true;
	}
	put_name(out, names[--n]);
	while (n--) {
		putc(';', out);
		put_name(out, names[n]);
		fputs("_[i]", out);
	}
	return true;
}
