// SPDX-License-Identifier: GPL-2.0
/*
 * export_elf - a BPF program's record as an ELF file with debug information
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "export_dwarf.h"

#define PAGE		4096U
#define NOTE_OFFSET	512U	/* behind the program headers */
#define TEXT_OFFSET	PAGE	/* as text is at address 0 */
_Static_assert(sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) <= NOTE_OFFSET, "headers overlap");

#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif

/* Architectures with a BPF JIT and 64 bits */
static const struct {
	const char *name;
	struct export_machine machine;
} machines[] = {
	{ "x86_64", { EM_X86_64, false } },
	{ "aarch64", { EM_AARCH64, false } },
	{ "riscv64", { EM_RISCV, false } },
	{ "ppc64le", { EM_PPC64, false } },
	{ "ppc64", { EM_PPC64, true } },
	{ "s390x", { EM_S390, true } },
	{ "loongarch64", { EM_LOONGARCH, false } },
	{ "mips64", { EM_MIPS, true } },
};

bool export_machine(const char *name, struct export_machine *m)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (strcmp(name, machines[i].name))
			continue;
		*m = machines[i].machine;
		return true;
	}
	return false;
}

/* The sections, in the order of the file; the number of each is one more. */
enum {
	SECTION_NOTE,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_ABBREV,
	SECTION_INFO,
	SECTION_LINE,
	SECTION_ARANGES,
	SECTION_SHSTRTAB,
	SECTIONS,
};

/**
 * struct section - what becomes a section
 * @name: its name
 * @type: SHT_*
 * @flags: SHF_*
 * @data: how libelf is to turn the bytes into the file's byte order
 * @align: alignment in the file and in memory
 * @bytes: contents; NULL for NOBITS
 * @size: their number
 * @address: in memory
 * @offset: in the file
 * @link: sh_link
 * @info: sh_info
 * @each: size of an entry
 */
struct section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	Elf_Type data;
	uint64_t align;
	const void *bytes;
	uint64_t size;
	uint64_t address;
	uint64_t offset;
	uint32_t link;
	uint32_t info;
	uint64_t each;
};

/**
 * struct parts - what the file is put together from
 * @note: the note with the build ID
 * @dwarf: debug information
 * @symbols: one for each function, and the empty one
 * @nr_symbols: how many
 * @names: their names
 * @section_names: names of the sections
 * @section: the sections
 */
struct parts {
	struct {
		Elf64_Nhdr head;
		char name[4];
		unsigned char id[BUILDIDX_BPF_ID_LEN];
	} note;
	struct dwarf dwarf;
	Elf64_Sym *symbols;
	size_t nr_symbols;
	struct bytes names;
	struct bytes section_names;
	struct section section[SECTIONS];
};

static void parts_free(struct parts *p)
{
	dwarf_free(&p->dwarf);
	free(p->symbols);
	free(p->names.at);
	free(p->section_names.at);
}

/* What the kernel calls a function that has no name */
static void name_without_name(const struct buildidx_rec_bpf *r, char *buf, size_t size)
{
	char tag[2 * sizeof(r->tag) + 1];

	buildidx_hex(r->tag, sizeof(r->tag), tag, sizeof(tag));
	snprintf(buf, size, "bpf_prog_%s", tag);
}

static int make_symbols(struct parts *p, const struct buildidx_rec_bpf *r, const char *unnamed)
{
	const struct buildidx_bpf_func *f;
	const char *name;
	uint32_t i;

	p->symbols = calloc(buildidx_bpf_count(r) + 1, sizeof(*p->symbols));
	if (!p->symbols)
		return -ENOMEM;
	p->nr_symbols = 1;
	bytes_text(&p->names, "");
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		if (!f->len)
			continue;
		name = buildidx_record_text(&r->rec, f->name);
		p->symbols[p->nr_symbols++] = (Elf64_Sym){
			.st_name = (Elf64_Word)bytes_text(&p->names, *name ? name : unnamed),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = SECTION_TEXT + 1,
			.st_value = f->image,
			.st_size = f->len,
		};
	}
	return p->names.failed ? -EFBIG : 0;
}

static void make_note(struct parts *p, const struct buildidx_rec_bpf *r)
{
	p->note.head.n_namesz = sizeof(p->note.name);
	p->note.head.n_descsz = sizeof(p->note.id);
	p->note.head.n_type = NT_GNU_BUILD_ID;
	memcpy(p->note.name, "GNU", sizeof(p->note.name));
	memcpy(p->note.id, r->build_id, sizeof(p->note.id));
}

static struct section debug_section(const char *name, const struct bytes *b)
{
	return (struct section){
		.name = name, .type = SHT_PROGBITS, .data = ELF_T_BYTE, .align = 1,
		.bytes = b->at, .size = b->len,
	};
}

static void make_sections(struct parts *p, const struct buildidx_rec_bpf *r)
{
	struct section *s = p->section;
	uint64_t size = buildidx_bpf_size(r);
	size_t len;
	const void *image = buildidx_bpf_image(r, &len);

	s[SECTION_NOTE] = (struct section){
		.name = ".note.gnu.build-id", .type = SHT_NOTE, .flags = SHF_ALLOC,
		.data = ELF_T_NHDR, .align = 4, .bytes = &p->note, .size = sizeof(p->note),
		.address = (size + PAGE - 1) / PAGE * PAGE + NOTE_OFFSET, .offset = NOTE_OFFSET,
	};
	s[SECTION_TEXT] = (struct section){
		.name = ".text", .type = image ? SHT_PROGBITS : SHT_NOBITS,
		.flags = SHF_ALLOC | SHF_EXECINSTR, .data = ELF_T_BYTE, .align = 16,
		.bytes = image, .size = size, .offset = TEXT_OFFSET,
	};
	s[SECTION_SYMTAB] = (struct section){
		.name = ".symtab", .type = SHT_SYMTAB, .data = ELF_T_SYM, .align = 8,
		.bytes = p->symbols, .size = p->nr_symbols * sizeof(*p->symbols),
		.link = SECTION_STRTAB + 1, .info = 1, .each = sizeof(*p->symbols),
	};
	s[SECTION_STRTAB] = (struct section){
		.name = ".strtab", .type = SHT_STRTAB, .data = ELF_T_BYTE, .align = 1,
		.bytes = p->names.at, .size = p->names.len,
	};
	s[SECTION_ABBREV] = debug_section(".debug_abbrev", &p->dwarf.abbrev);
	s[SECTION_INFO] = debug_section(".debug_info", &p->dwarf.info);
	s[SECTION_LINE] = debug_section(".debug_line", &p->dwarf.line);
	s[SECTION_ARANGES] = debug_section(".debug_aranges", &p->dwarf.aranges);
	s[SECTION_SHSTRTAB] = (struct section){
		.name = ".shstrtab", .type = SHT_STRTAB, .data = ELF_T_BYTE, .align = 1,
	};
}

/* Offsets of what has none yet, one section after the other */
static uint64_t place_sections(struct parts *p)
{
	uint64_t at = TEXT_OFFSET;
	unsigned int i;

	for (i = 0; i < SECTIONS; i++) {
		struct section *s = &p->section[i];

		if (!s->offset)
			s->offset = (at + s->align - 1) / s->align * s->align;
		if (i != SECTION_NOTE)
			at = s->offset + (s->type == SHT_NOBITS ? 0 : s->size);
	}
	return (at + 7) / 8 * 8;
}

static bool add_section(Elf *elf, const struct section *s, size_t name)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf64_Shdr *h = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *data = h ? elf_newdata(scn) : NULL;

	if (!data)
		return false;
	data->d_buf = (void *)(uintptr_t)s->bytes;
	data->d_size = s->size;
	data->d_type = s->data;
	data->d_align = s->align;
	data->d_version = EV_CURRENT;
	h->sh_name = (Elf64_Word)name;
	h->sh_type = s->type;
	h->sh_flags = s->flags;
	h->sh_addr = s->address;
	h->sh_offset = s->offset;
	h->sh_size = s->size;
	h->sh_addralign = s->align;
	h->sh_link = s->link;
	h->sh_info = s->info;
	h->sh_entsize = s->each;
	return true;
}

static Elf64_Phdr segment(uint32_t type, uint32_t flags, const struct section *s, uint64_t align)
{
	return (Elf64_Phdr){
		.p_type = type, .p_flags = flags, .p_offset = s->offset, .p_vaddr = s->address,
		.p_paddr = s->address, .p_filesz = s->type == SHT_NOBITS ? 0 : s->size,
		.p_memsz = s->size, .p_align = align,
	};
}

static bool write_elf(Elf *elf, struct parts *p, const struct export_machine *m)
{
	Elf64_Ehdr *e = elf64_newehdr(elf);
	Elf64_Phdr *ph;
	size_t name[SECTIONS];
	unsigned int i;

	if (!e)
		return false;
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	bytes_text(&p->section_names, "");
	for (i = 0; i < SECTIONS; i++)
		name[i] = bytes_text(&p->section_names, p->section[i].name);
	if (p->section_names.failed)
		return false;
	p->section[SECTION_SHSTRTAB].bytes = p->section_names.at;
	p->section[SECTION_SHSTRTAB].size = p->section_names.len;

	e->e_ident[EI_DATA] = m->big ? ELFDATA2MSB : ELFDATA2LSB;
	e->e_type = ET_DYN;
	e->e_machine = m->e_machine;
	e->e_version = EV_CURRENT;
	e->e_shoff = place_sections(p);
	e->e_shstrndx = SECTION_SHSTRTAB + 1;
	ph = elf64_newphdr(elf, 3);
	if (!ph)
		return false;
	e->e_phoff = sizeof(*e);
	ph[0] = segment(PT_LOAD, PF_R | PF_X, &p->section[SECTION_TEXT], PAGE);
	ph[1] = segment(PT_LOAD, PF_R, &p->section[SECTION_NOTE], PAGE);
	ph[2] = segment(PT_NOTE, PF_R, &p->section[SECTION_NOTE], 4);
	for (i = 0; i < SECTIONS; i++)
		if (!add_section(elf, &p->section[i], name[i]))
			return false;
	return elf_update(elf, ELF_C_WRITE) >= 0;
}

static int failed(int code, struct buildidx_error *err)
{
	snprintf(err->text, sizeof(err->text), "cannot make the ELF file: %s", strerror(-code));
	return code;
}

int export_elf(int fd, const struct buildidx_rec_bpf *r, const struct export_machine *m,
	       struct buildidx_error *err)
{
	struct parts p = { 0 };
	char unnamed[48];
	Elf *elf;
	int ret;

	name_without_name(r, unnamed, sizeof(unnamed));
	make_note(&p, r);
	ret = make_symbols(&p, r, unnamed);
	if (!ret)
		ret = dwarf_make(&p.dwarf, r, unnamed, m->big);
	if (ret) {
		parts_free(&p);
		return failed(ret, err);
	}
	make_sections(&p, r);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!elf || !write_elf(elf, &p, m)) {
		ret = -EIO;
		snprintf(err->text, sizeof(err->text), "cannot write the ELF file: %s",
			 elf_errmsg(-1));
	}
	elf_end(elf);
	parts_free(&p);
	return ret;
}
