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
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"
#include "symbols_elf.h"
#include "symbols_servers.h"
#include "tool.h"

#define BASE	0x10000000UL
#define ROOM	(1UL << 40)

/* Text sections that a kernel module can have. */
#define SECTIONS_MAX	64
/* Where those sections of a module are that have no code. */
#define ELSEWHERE	(BASE + ROOM / 2)

/**
 * struct text_section - one that is loaded as part of a module's text
 * @name: its name
 * @offset: where it is in the text
 */
struct text_section {
	const char *name;
	uint64_t offset;
};

/**
 * struct symbols_elf - one file
 * @files: where local files are looked for
 * @id: text of its identity
 * @origin: whose code it is, which tells what offsets are
 * @dwfl: holds @mod alone
 * @mod: the file
 * @elf: the program, or its debug information alone
 * @bias: what libdwfl adds to the file's own addresses
 * @nr_phdrs: number of its program headers
 * @debug_only: @elf is the debug information
 * @shift: address minus offset of all code; only if @shifted
 * @shifted: the program headers do not tell, see guess_shift()
 * @is_module: an object file, as kernel modules are
 * @sections: its text
 * @nr_sections: valid entries in @sections
 */
struct symbols_elf {
	const struct symbols_files *files;
	const char *id;
	enum fold_origin origin;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Addr bias;
	size_t nr_phdrs;
	bool debug_only;
	GElf_Addr shift;
	bool shifted;
	bool is_module;
	struct text_section sections[SECTIONS_MAX];
	unsigned int nr_sections;
};

static volatile sig_atomic_t stopped;

void symbols_stop(void)
{
	stopped = 1;
}

static int stop_check(void *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return stopped;
}

static int find_elf(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	struct symbols_elf *e = *userdata;
	int fd = symbols_files_open(e->files, e->id, false, file_name);

	if (fd >= 0 || stopped)
		return fd;
	servers_check(stop_check);
	fd = dwfl_build_id_find_elf(mod, userdata, modname, base, file_name, elf);
	if (fd >= 0 || *elf || stopped)
		return fd;
	/* Debian's server, for one, has no programs, only their debug information. */
	e->debug_only = true;
	fd = symbols_files_open(e->files, e->id, true, file_name);
	if (fd >= 0)
		return fd;
	return dwfl_standard_find_debuginfo(mod, userdata, modname, base, NULL, NULL, 0, file_name);
}

/* Never names from another file: a server can be wrong. */
static bool has_id(Elf *elf, const unsigned char *id, size_t len)
{
	const void *found;

	return dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)len && !memcmp(found, id, len);
}

static bool file_has_id(int fd, const unsigned char *id, size_t len)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool has = elf && has_id(elf, id, len);

	elf_end(elf);
	return has;
}

/*
 * Only by IDs: the names are those that stand in the file, and whoever made it would
 * choose what is opened here. Without a check sum the request is for the file that
 * several debug files share (dwz -m), which has an ID of its own: libdwfl knows it.
 */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
			  const char *file_name, const char *debuglink_file, GElf_Word debuglink_crc,
			  char **debuginfo_file_name)
{
	const struct symbols_elf *e = *userdata;
	bool shared = debuglink_file && !debuglink_crc;
	const unsigned char *id;
	GElf_Addr note;
	int fd, len;

	(void)file_name;
	fd = shared ? -1 : symbols_files_open(e->files, e->id, true, debuginfo_file_name);
	if (fd >= 0 || stopped)
		return fd;
	len = dwfl_module_build_id(mod, &id, &note);
	if (len <= 0)
		return -1;
	servers_check(stop_check);
	fd = dwfl_standard_find_debuginfo(mod, userdata, modname, base, NULL, NULL, 0,
					  debuginfo_file_name);
	if (fd < 0 || shared || file_has_id(fd, id, (size_t)len))
		return fd;
	close(fd);
	free(*debuginfo_file_name);
	*debuginfo_file_name = NULL;
	return -1;
}

static char *debuginfo_path;

/*
 * Kernel modules are object files, which the kernel lays out: first of all the
 * sections of text, except those that it frees after the module's start, one after
 * another in the order of the file (layout_sections() in kernel/module/main.c).
 */
static void lay_out(struct symbols_elf *e, Elf *elf)
{
	static const GElf_Xword code = SHF_EXECINSTR | SHF_ALLOC;
	Elf_Scn *scn = NULL;
	uint64_t end = 0;
	const char *name;
	GElf_Shdr shdr;
	size_t names;

	e->is_module = true;
	if (!elf || elf_getshdrstrndx(elf, &names))
		return;
	while (e->nr_sections < SECTIONS_MAX && (scn = elf_nextscn(elf, scn)) &&
	       gelf_getshdr(scn, &shdr)) {
		name = elf_strptr(elf, names, shdr.sh_name);
		if ((shdr.sh_flags & code) != code || !name || !strncmp(name, ".init", 5))
			continue;
		if (shdr.sh_addralign > 1)
			end = (end + shdr.sh_addralign - 1) & ~(shdr.sh_addralign - 1);
		e->sections[e->nr_sections].name = name;
		e->sections[e->nr_sections++].offset = end;
		end += shdr.sh_size;
	}
}

/*
 * Asked by libdwfl for each section of an object file, by name: debug files have others
 * too. The first time is before it hands out the file, which can be had all the same.
 */
static int section_address(Dwfl_Module *mod, void **userdata, const char *modname, Dwarf_Addr base,
			   const char *secname, GElf_Word shndx, const GElf_Shdr *shdr,
			   Dwarf_Addr *addr)
{
	struct symbols_elf *e = *userdata;
	GElf_Addr bias;
	unsigned int i;

	(void)modname;
	(void)base;
	(void)shndx;
	(void)shdr;
	if (!e->is_module)
		lay_out(e, dwfl_module_getelf(mod, &bias));
	*addr = ELSEWHERE;
	for (i = 0; i < e->nr_sections; i++)
		if (!strcmp(e->sections[i].name, secname))
			*addr = BASE + e->sections[i].offset;
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = section_address,
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

static bool is_code(const GElf_Phdr *p)
{
	return p->p_type == PT_LOAD && (p->p_flags & PF_X);
}

/* lld, mold and gold leave their mark; what GNU ld links has the compilers' marks alone. */
static bool made_by_gnu_ld(Elf *elf)
{
	Elf_Scn *scn = NULL;
	bool comment = false;
	const char *name;
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &shdr)) {
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && !strcmp(name, ".note.gnu.gold-version"))
			return false;
		if (!name || strcmp(name, ".comment"))
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf || memmem(data->d_buf, data->d_size, "LLD", 3) ||
		    memmem(data->d_buf, data->d_size, "mold", 4))
			return false;
		comment = true;
	}
	return comment;
}

/*
 * objcopy --only-keep-debug takes the offsets out of the program headers. GNU ld
 * maps the start of the file first and all code at the same distance from it; of
 * other linkers that is not so, and nothing is guessed. Return: known?
 */
static bool guess_shift(struct symbols_elf *e)
{
	bool first = true;
	GElf_Phdr p;
	size_t i;

	for (i = 0; i < e->nr_phdrs; i++) {
		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (first)
			e->shift = p.p_vaddr;
		first = false;
		if (is_code(&p) && p.p_filesz)
			return true; /* they are whole */
	}
	if (first || !made_by_gnu_ld(e->elf))
		return false;
	e->shifted = true;
	return true;
}

/* Files of user code have offsets in the file, which only program headers can tell. */
static const char *prepare_user(struct symbols_elf *e)
{
	if (elf_getphdrnum(e->elf, &e->nr_phdrs) || !e->nr_phdrs)
		return "the file that was found has no program headers";
	if (e->debug_only && !guess_shift(e))
		return "only its debug information was found, which does not tell offsets; the program is needed";
	return NULL;
}

static const char *prepare(struct symbols_elf *e)
{
	GElf_Ehdr ehdr;

	if (e->origin == FOLD_IN_USER)
		return prepare_user(e);
	if (!gelf_getehdr(e->elf, &ehdr))
		return "the file that was found is damaged";
	if (ehdr.e_type == ET_REL && !e->is_module)
		lay_out(e, e->elf);
	return NULL;
}

struct symbols_elf *symbols_elf_open(const struct symbols_files *files, const char *id,
				     enum fold_origin origin, const char **why)
{
	struct symbols_elf *e = must(calloc(1, sizeof(*e)));
	unsigned char bytes[BUILDIDX_ID_MAX];
	void **userdata;
	size_t len;

	/* as a file it has it for a GNU build ID */
	if (origin == FOLD_IN_BPF && !strncmp(id, "bpf:", 4))
		id += 4;
	len = gnu_id_of(id, bytes);
	e->origin = origin;

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
	if (len && !has_id(e->elf, bytes, len)) {
		*why = "the file that was found has another ID";
		goto failed;
	}
	*why = prepare(e);
	if (*why)
		goto failed;
	return e;
failed:
	symbols_elf_close(e);
	return NULL;
}

bool symbols_elf_guessed(const struct symbols_elf *e)
{
	return e->shifted;
}

void symbols_elf_close(struct symbols_elf *e)
{
	if (!e)
		return;
	dwfl_end(e->dwfl);
	free(e);
}

/* An exported BPF program has its image as .text. */
static bool address_in_text(const struct symbols_elf *e, uint64_t offset, GElf_Addr *addr)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(e->elf, &names))
		return false;
	while ((scn = elf_nextscn(e->elf, scn)) && gelf_getshdr(scn, &shdr)) {
		name = elf_strptr(e->elf, names, shdr.sh_name);
		if (!name || strcmp(name, ".text"))
			continue;
		*addr = shdr.sh_addr + offset + e->bias;
		return offset < shdr.sh_size;
	}
	return false;
}

/* Where the kernel's code at @offset is loaded. */
static bool kernel_address_of(const struct symbols_elf *e, uint64_t offset, GElf_Addr *addr)
{
	if (e->is_module)
		*addr = BASE + offset;
	else if (e->origin == FOLD_IN_BPF)
		return address_in_text(e, offset, addr);
	else
		*addr = offset + e->bias;
	return true;
}

/* Where the file's code at @offset is loaded. */
static bool address_of(const struct symbols_elf *e, uint64_t offset, GElf_Addr *addr)
{
	GElf_Phdr p;
	size_t i;

	if (e->origin != FOLD_IN_USER)
		return kernel_address_of(e, offset, addr);
	for (i = 0; i < e->nr_phdrs; i++) {
		if (!gelf_getphdr(e->elf, (int)i, &p) || !is_code(&p))
			continue;
		if (e->shifted) {
			*addr = offset + e->shift;
			if (*addr < p.p_vaddr || *addr - p.p_vaddr >= p.p_memsz)
				continue;
			*addr += e->bias;
			return true;
		}
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

/* Producers may leave the table of address ranges out: look at each unit then. */
static Dwarf_Die *unit_of(Dwfl_Module *mod, GElf_Addr addr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(mod, addr, bias);

	if (cu)
		return cu;
	while (!stopped && (cu = dwfl_module_nextcu(mod, cu, bias)))
		if (dwarf_haspc(cu, addr - *bias) == 1)
			return cu;
	return NULL;
}

/* What one search may look at, whatever a file says; entries that refer back are a loop. */
#define DIES_MAX	10000000
#define DEPTH_MAX	256

/**
 * struct search - the functions around an address
 * @pc: address, as the debug information has it
 * @cu: unit
 * @found: outermost first; @file and @line are where @pc is, seen from that function
 * @nr: valid entries in @found; -1 when one has no name
 * @dies: entries that may still be looked at
 */
struct search {
	Dwarf_Addr pc;
	Dwarf_Die *cu;
	struct {
		const char *name;
		const char *file;
		unsigned int line;
	} found[FUNCTIONS_MAX];
	int nr;
	unsigned int dies;
};

/* Things that have no address and may hold functions. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static unsigned int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attr), &value) || value > UINT_MAX)
		return 0;
	return (unsigned int)value;
}

/* Where the function before it has what is inlined here. */
static void call_site(struct search *s, Dwarf_Die *die)
{
	Dwarf_Files *files;
	size_t n;

	s->found[s->nr - 1].line = number_of(die, DW_AT_call_line);
	if (!dwarf_getsrcfiles(s->cu, &files, &n))
		s->found[s->nr - 1].file = dwarf_filesrc(files, number_of(die, DW_AT_call_file),
							 NULL, NULL);
}

static bool enter(struct search *s, Dwarf_Die *die, int tag)
{
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return true;
	if (s->nr == FUNCTIONS_MAX)
		return false;
	if (s->nr > 0)
		call_site(s, die);
	s->found[s->nr].name = linkage_name(die);
	if (!s->found[s->nr].name) {
		s->nr = -1;
		return false;
	}
	s->nr++;
	return true;
}

/*
 * dwarf_getscopes() does not look into namespaces, where clang and rustc put all
 * code. Return: found?
 */
static bool search_below(struct search *s, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		if (!s->dies || stopped)
			return false;
		s->dies--;
		tag = dwarf_tag(&die);
		if (holds_functions(tag)) {
			if (search_below(s, &die, depth + 1))
				return true;
			continue;
		}
		/* no address, no match */
		if (dwarf_haspc(&die, s->pc) != 1)
			continue;
		if (enter(s, &die, tag))
			search_below(s, &die, depth + 1);
		return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static void search_line(struct search *s, const char **file, unsigned int *line)
{
	Dwarf_Line *l = dwarf_getsrc_die(s->cu, s->pc);
	int n;

	if (!l || dwarf_lineno(l, &n) || n < 0)
		return;
	*line = (unsigned int)n;
	*file = dwarf_linesrc(l, NULL, NULL);
}

static void search_names(struct symbols_elf *e, GElf_Addr addr, struct search *s)
{
	Dwarf_Addr bias;

	s->nr = 0;
	s->dies = DIES_MAX;
	s->cu = unit_of(e->mod, addr, &bias);
	if (!s->cu)
		return;
	s->pc = addr - bias;
	search_below(s, s->cu, 0);
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

void symbols_elf_find(struct symbols_elf *e, uint64_t offset, bool is_return, struct functions *f)
{
	const char *name, *file = NULL;
	unsigned int line = 0;
	struct search s = { 0 };
	GElf_Addr addr;
	int i;

	if (stopped || !address_of(e, offset, &addr))
		return;
	if (is_return)
		addr--;
	search_names(e, addr, &s);
	if (s.cu)
		search_line(&s, &file, &line);
	if (s.nr <= 0) {
		name = symbol_of(e, addr);
		if (name)
			functions_add(f, name, file, line);
		return;
	}
	s.found[s.nr - 1].file = file;
	s.found[s.nr - 1].line = line;
	for (i = 0; i < s.nr; i++)
		functions_add(f, s.found[i].name, s.found[i].file, s.found[i].line);
}
