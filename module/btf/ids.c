// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "ids.h"

#define PREFIX		"__BTF_ID__"
#define NAME_MAX_LEN	512

struct elf {
	const char *path;
	struct blob file;
	struct blob symbols;
	struct blob names;	/* of the symbols */
	struct blob ids;	/* .BTF_ids */
	struct blob btf;	/* .BTF */
	unsigned int ids_index;
};

static int section_header(const struct blob *file, const Elf64_Ehdr *ehdr, unsigned int index,
			  Elf64_Shdr *out)
{
	uint64_t offset = ehdr->e_shoff + (uint64_t)index * sizeof(*out);

	if (index >= ehdr->e_shnum || offset < ehdr->e_shoff ||
	    !blob_holds(file, offset, sizeof(*out)))
		return -1;
	memcpy(out, file->data + offset, sizeof(*out));
	return 0;
}

static int section_data(const struct blob *file, const Elf64_Shdr *shdr, struct blob *out)
{
	if (shdr->sh_type == SHT_NOBITS || !blob_holds(file, shdr->sh_offset, shdr->sh_size))
		return -1;
	*out = (struct blob){ file->data + shdr->sh_offset, shdr->sh_size };
	return 0;
}

/* The string at @offset, or NULL if it does not end inside of @strings */
static const char *string_in(const struct blob *strings, uint64_t offset)
{
	if (offset >= strings->size ||
	    !memchr(strings->data + offset, '\0', strings->size - offset))
		return NULL;
	return (const char *)strings->data + offset;
}

static int elf_open(struct elf *elf)
{
	const struct blob *file = &elf->file;
	struct blob section_names, data;
	Elf64_Shdr shdr, strings;
	const char *name;
	Elf64_Ehdr ehdr;
	unsigned int i;

	if (file->size < sizeof(ehdr))
		return -1;
	memcpy(&ehdr, file->data, sizeof(ehdr));
	if (memcmp(ehdr.e_ident, ELFMAG, SELFMAG) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB || ehdr.e_type != ET_REL ||
	    ehdr.e_shentsize != sizeof(shdr))
		return -1;
	if (section_header(file, &ehdr, ehdr.e_shstrndx, &strings) ||
	    section_data(file, &strings, &section_names))
		return -1;

	for (i = 1; i < ehdr.e_shnum; i++) {
		if (section_header(file, &ehdr, i, &shdr))
			return -1;
		name = string_in(&section_names, shdr.sh_name);
		if (!name)
			return -1;
		if (shdr.sh_type == SHT_NOBITS)
			continue;
		if (section_data(file, &shdr, &data))
			return -1;
		if (!strcmp(name, ".BTF_ids")) {
			elf->ids = data;
			elf->ids_index = i;
		} else if (!strcmp(name, ".BTF")) {
			elf->btf = data;
		} else if (shdr.sh_type == SHT_SYMTAB) {
			elf->symbols = data;
			if (section_header(file, &ehdr, shdr.sh_link, &strings) ||
			    section_data(file, &strings, &elf->names))
				return -1;
		}
	}
	return 0;
}

static int kind_by_word(const char *word, size_t len)
{
	static const struct {
		const char *word;
		int kind;
	} kinds[] = {
		{ "func", BTF_KIND_FUNC },
		{ "struct", BTF_KIND_STRUCT },
		{ "union", BTF_KIND_UNION },
		{ "typedef", BTF_KIND_TYPEDEF },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strlen(kinds[i].word) == len && !memcmp(kinds[i].word, word, len))
			return kinds[i].kind;
	}
	return -1;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = get32(a), right = get32(b);

	return left < right ? -1 : left > right;
}

/*
 * A list: its length, then for set8 a word of flags, then the entries. The symbol covers all of it;
 * that first words are as long as one entry in both forms gives the number of entries.
 */
static int finish_list(const struct elf *elf, const Elf64_Sym *sym, size_t entry)
{
	unsigned char *list = elf->ids.data + sym->st_value;
	uint64_t entries;

	if (sym->st_size < entry || sym->st_size % entry ||
	    !blob_holds(&elf->ids, sym->st_value, sym->st_size))
		return -1;
	entries = sym->st_size / entry - 1;
	put32(list, entries);
	qsort(list + entry, entries, entry, compare_ids);
	return 0;
}

/* "func__NAME__123": looks NAME up and writes its id */
static int fill_id(const struct elf *elf, const Elf64_Sym *sym, const char *what,
		   const struct btf *module, const struct btf *base)
{
	const char *name = strstr(what, "__"), *end = NULL, *next;
	char copy[NAME_MAX_LEN];
	uint32_t id;
	int kind;

	if (!name)
		return -1;
	kind = kind_by_word(what, name - what);
	name += 2;
	for (next = strstr(name, "__"); next; next = strstr(next + 1, "__"))
		end = next;
	if (kind < 0 || !end || end == name || (size_t)(end - name) >= sizeof(copy) ||
	    !blob_holds(&elf->ids, sym->st_value, 4))
		return -1;
	memcpy(copy, name, end - name);
	copy[end - name] = '\0';

	id = btf_find_type(module, base, kind, copy);
	if (!id) {
		complain("%s: %s is neither in the module's BTF nor in the kernel's", elf->path, copy);
		return -1;
	}
	put32(elf->ids.data + sym->st_value, id);
	return 0;
}

/* One walk over the symbols: the single ids, or (@lists) the lists that are made of them. */
static int walk_symbols(const struct elf *elf, int lists, const struct btf *module,
			const struct btf *base, unsigned int *filled)
{
	size_t pos;

	for (pos = 0; pos + sizeof(Elf64_Sym) <= elf->symbols.size; pos += sizeof(Elf64_Sym)) {
		const char *name;
		size_t entry = 0;
		Elf64_Sym sym;
		int ret;

		memcpy(&sym, elf->symbols.data + pos, sizeof(sym));
		if (sym.st_shndx != elf->ids_index)
			continue;
		name = string_in(&elf->names, sym.st_name);
		if (!name || strncmp(name, PREFIX, strlen(PREFIX)))
			continue;
		if (!strncmp(name, PREFIX "set8__", strlen(PREFIX "set8__")))
			entry = 8;
		else if (!strncmp(name, PREFIX "set__", strlen(PREFIX "set__")))
			entry = 4;
		if (!!entry != lists)
			continue;

		if (entry)
			ret = finish_list(elf, &sym, entry);
		else
			ret = fill_id(elf, &sym, name + strlen(PREFIX), module, base);
		if (ret) {
			complain("%s: cannot fill %s", elf->path, name);
			return -1;
		}
		if (!entry)
			(*filled)++;
	}
	return 0;
}

int ids_fill(const char *path, struct blob *file, const struct btf *base, unsigned int *filled)
{
	struct elf elf = { .path = path, .file = *file };
	struct btf module;

	*filled = 0;
	if (elf_open(&elf)) {
		complain("%s: not a 64-bit little-endian kernel module, or damaged", path);
		return -1;
	}
	if (!elf.btf.size || btf_parse(&elf.btf, base, &module)) {
		complain("%s: its .BTF is missing, damaged, or does not continue this kernel's BTF", path);
		return -1;
	}
	if (!elf.ids.size)
		return 0;
	if (walk_symbols(&elf, 0, &module, base, filled))
		return -1;
	return walk_symbols(&elf, 1, &module, base, filled);
}
