// SPDX-License-Identifier: GPL-2.0
/*
 * The vDSO is no file: its build ID is read from its image in memory.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "vdso.h"

static size_t align4(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static void read_notes(struct ident *ident, const char *p, size_t size)
{
	const Elf64_Nhdr *note;
	const char *name, *desc;
	size_t whole;

	while (size >= sizeof(*note)) {
		note = (const void *)p;
		whole = sizeof(*note) + align4(note->n_namesz) + align4(note->n_descsz);
		if (whole > size)
			return;
		name = p + sizeof(*note);
		desc = name + align4(note->n_namesz);
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(name, "GNU", 4) && note->n_descsz <= sizeof(ident->id)) {
			memcpy(ident->id, desc, note->n_descsz);
			ident->len = note->n_descsz;
			return;
		}
		p += whole;
		size -= whole;
	}
}

void vdso_ident(struct ident *ident)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const void *)base;
	const Elf64_Phdr *phdr;
	int i;

	memset(ident, 0, sizeof(*ident));
	snprintf(ident->name, sizeof(ident->name), "%s", TRUTH_VDSO);
	if (!base)
		return;
	phdr = (const void *)(base + ehdr->e_phoff);
	for (i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_NOTE && !ident->len)
			read_notes(ident, base + phdr[i].p_offset, phdr[i].p_filesz);
}
