// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the content of test files.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "testfile.h"

#define NOTE_AT		0x200
#define SYMTAB_AT	0x300	/* one null symbol */
#define STRTAB_AT	0x340
#define STRTAB_SIZE	1
#define HASH_AT		0x360
#define ID_HEAD		16	/* magic, file, generation, check */
#define EXEC_ROUNDS	40
#define EXEC_SPINS	4000

static const __u8 id_magic[4] = { 0xb1, 0xdc, 0x0d, 0xe5 };

__u32 churn_make_id(enum churn_file file, __u32 gen, __u8 *id)
{
	__u32 len = churn_files[file].id_len, file32 = file, i;
	__u64 check = churn_mix(file, gen, ~0ULL);

	memset(id, 0, BUILDIDX_ID_MAX);
	memcpy(id, id_magic, 4);
	memcpy(id + 4, &file32, 4);
	memcpy(id + 8, &gen, 4);
	memcpy(id + 12, &check, 4);
	for (i = ID_HEAD; i < len; i++)
		id[i] = check >> (8 * (i & 7));
	return len;
}

bool churn_read_id(const __u8 *id, __u32 len, enum churn_file *file, __u32 *gen)
{
	__u8 want[BUILDIDX_ID_MAX];
	__u32 file32;

	if (len < ID_HEAD || len > BUILDIDX_ID_MAX || memcmp(id, id_magic, 4))
		return false;
	memcpy(&file32, id + 4, 4);
	memcpy(gen, id + 8, 4);
	if (file32 >= CHURN_FILES)
		return false;
	*file = file32;
	return churn_make_id(*file, *gen, want) == len && !memcmp(id, want, len);
}

static __u8 *put(__u8 *p, const void *bytes, size_t n)
{
	memcpy(p, bytes, n);
	return p + n;
}

static __u8 *put_u32(__u8 *p, __u32 v)
{
	return put(p, &v, 4);
}

/* movabs $magic,%r10; mov $token,%eax; mov $offset,%edx; 1: dec %ecx; jnz 1b; xor %r10d,%r10d; ret */
static void put_code(__u8 *p, enum churn_file file, __u32 gen, __u32 offset)
{
	__u64 magic = churn_run_magic(file, gen, offset);

	p = put(p, "\x49\xba", 2);
	p = put(p, &magic, 8);
	p = put(p, "\xb8", 1);
	p = put_u32(p, (__u32)file << 24 | (gen & 0xffffff));
	p = put(p, "\xba", 1);
	p = put_u32(p, offset);
	put(p, "\xff\xc9\x75\xfc\x45\x31\xd2\xc3", 8);
}

/* mov $rounds,%ebx; 1: mov $spins,%ecx; call page start; dec %ebx; jnz 1b; exit_group(0) */
static void put_entry(__u8 *page)
{
	__u8 *start = page + CHURN_ENTRY % CHURN_PAGE, *p = start, *loop;

	p = put(p, "\xbb", 1);
	p = put_u32(p, EXEC_ROUNDS);
	loop = p;
	p = put(p, "\xb9", 1);
	p = put_u32(p, EXEC_SPINS);
	p = put(p, "\xe8", 1);
	p = put_u32(p, page + CHURN_CODE - (p + 4));
	p = put(p, "\xff\xcb\x75", 3);
	*p = loop - (p + 1);
	p++;
	p = put(p, "\x31\xff\xb8", 3);
	p = put_u32(p, SYS_exit_group);
	put(p, "\x0f\x05", 2);
}

static void put_note(__u8 *p, enum churn_file file, __u32 gen)
{
	__u8 id[BUILDIDX_ID_MAX];
	__u32 len = churn_make_id(file, gen, id);
	Elf64_Nhdr n = { .n_namesz = 4, .n_descsz = len, .n_type = NT_GNU_BUILD_ID };

	p = put(p, &n, sizeof(n));
	p = put(p, "GNU", 4);
	put(p, id, len);
}

/* What ld.so asks of a library that defines nothing. */
static void put_dynamic(__u8 *page)
{
	const Elf64_Dyn dyn[] = {
		{ DT_HASH, { HASH_AT } },
		{ DT_SYMTAB, { SYMTAB_AT } },
		{ DT_STRTAB, { STRTAB_AT } },
		{ DT_STRSZ, { STRTAB_SIZE } },
		{ DT_SYMENT, { sizeof(Elf64_Sym) } },
		{ DT_NULL, { 0 } },
	};

	memcpy(page, dyn, sizeof(dyn));
}

static void put_elf(__u8 *image, enum churn_file file, size_t size)
{
	size_t text = size - CHURN_PAGE;
	__u32 id_len = churn_files[file].id_len;
	const __u32 hash[] = { 1, 1, 0, 0 }; /* one bucket, one symbol, both empty */
	const Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = CHURN_ENTRY,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 5,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	const Elf64_Phdr ph[] = {
		{ PT_LOAD, PF_R | PF_X, 0, 0, 0, text, text, CHURN_PAGE },
		{ PT_LOAD, PF_R | PF_W, text, text, text, CHURN_PAGE, CHURN_PAGE, CHURN_PAGE },
		{ PT_NOTE, PF_R, NOTE_AT, NOTE_AT, NOTE_AT, 16 + id_len, 16 + id_len, 4 },
		{ PT_DYNAMIC, PF_R | PF_W, text, text, text, 6 * sizeof(Elf64_Dyn),
		  6 * sizeof(Elf64_Dyn), 8 },
		{ PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16 },
	};

	memcpy(image, &eh, sizeof(eh));
	memcpy(image + eh.e_phoff, ph, sizeof(ph));
	memcpy(image + HASH_AT, hash, sizeof(hash));
}

void *churn_image(enum churn_file file, __u32 gen, size_t *size)
{
	__u32 pages = churn_files[file].pages, i;
	__u8 *image;

	*size = pages * CHURN_PAGE;
	image = calloc(pages, CHURN_PAGE);
	if (!image) {
		perror("test file");
		exit(2);
	}
	put_elf(image, file, *size);
	put_note(image + NOTE_AT, file, gen);
	put_dynamic(image + (pages - 1) * CHURN_PAGE);
	for (i = 0; i < pages; i++) {
		__u64 offset = i * CHURN_PAGE;
		const struct churn_header h = {
			.magic = CHURN_MAGIC,
			.file = file,
			.gen = gen,
			.offset = offset,
			.check = churn_mix(file, gen, offset),
		};

		memcpy(image + offset + CHURN_HEADER, &h, sizeof(h));
		if (i && i < pages - 1)
			put_code(image + offset + CHURN_CODE, file, gen, offset);
	}
	put_entry(image + CHURN_PAGE);
	return image;
}
