// SPDX-License-Identifier: GPL-2.0
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "minielf.h"
#include "tap.h"

#define NOTES		0x200 /* covered by PT_NOTE */
#define HIDDEN_NOTE	0x400 /* only in the section headers */
#define NAMES		0x5c0
#define SECTIONS	0x600
#define PAGE		0x1000

static size_t text_off(const struct minielf *m)
{
	return m->text_off ? m->text_off : MINIELF_TEXT;
}

size_t minielf_size(const struct minielf *m)
{
	return text_off(m) + PAGE + (m->fill ? PAGE : 0);
}

/* Names are counted with their padding, as both GNU and Go do. */
static size_t add_note(uint8_t *at, const char *name, uint32_t type, const void *desc, size_t len)
{
	Elf64_Nhdr n = { .n_namesz = 4, .n_descsz = len, .n_type = type };

	memcpy(at, &n, sizeof(n));
	strcpy((char *)at + sizeof(n), name);
	memcpy(at + sizeof(n) + 4, desc, len);
	return sizeof(n) + 4 + ((len + 3) & ~3UL);
}

/* First page: all headers and notes. */
static void headers(const struct minielf *m, uint8_t *page)
{
	static const char names[] = "\0.note.gnu.build-id\0.shstrtab";
	static const uint32_t abi_tag[4] = { 0, 3, 2, 0 };
	Elf64_Ehdr *e = (Elf64_Ehdr *)page;
	Elf64_Phdr *p = (Elf64_Phdr *)(page + sizeof(*e));
	Elf64_Shdr *s = (Elf64_Shdr *)(page + SECTIONS);
	size_t notes = 0, hidden = 0;

	if (m->other_note)
		notes += add_note(page + NOTES, "GNU", NT_GNU_ABI_TAG, abi_tag, sizeof(abi_tag));
	if (m->gnu && m->shdr_only)
		hidden = add_note(page + HIDDEN_NOTE, "GNU", NT_GNU_BUILD_ID, m->gnu, m->gnu_len);
	else if (m->gnu)
		notes += add_note(page + NOTES + notes, "GNU", NT_GNU_BUILD_ID, m->gnu, m->gnu_len);
	if (m->go)
		notes += add_note(page + NOTES + notes, "Go", 4, m->go, strlen(m->go));

	memcpy(e->e_ident, ELFMAG, SELFMAG);
	e->e_ident[EI_CLASS] = ELFCLASS64;
	e->e_ident[EI_DATA] = ELFDATA2LSB;
	e->e_ident[EI_VERSION] = EV_CURRENT;
	e->e_type = ET_EXEC;
	e->e_machine = EM_X86_64;
	e->e_version = EV_CURRENT;
	e->e_entry = MINIELF_VADDR + text_off(m);
	e->e_phoff = sizeof(*e);
	e->e_ehsize = sizeof(*e);
	e->e_phentsize = sizeof(*p);
	e->e_phnum = 1;
	e->e_shentsize = sizeof(*s);
	p[0] = (Elf64_Phdr) {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = PAGE,
		.p_offset = text_off(m), .p_vaddr = MINIELF_VADDR + text_off(m),
		.p_filesz = PAGE, .p_memsz = PAGE,
	};
	if (notes) {
		e->e_phnum = 2;
		p[1] = (Elf64_Phdr) {
			.p_type = PT_NOTE, .p_flags = PF_R, .p_align = 4,
			.p_offset = NOTES, .p_vaddr = MINIELF_VADDR + NOTES,
			.p_filesz = notes, .p_memsz = notes,
		};
	}
	if (hidden) {
		memcpy(page + NAMES, names, sizeof(names));
		e->e_shoff = SECTIONS;
		e->e_shnum = 3;
		e->e_shstrndx = 2;
		s[1] = (Elf64_Shdr) {
			.sh_name = 1, .sh_type = SHT_NOTE, .sh_addralign = 4,
			.sh_offset = HIDDEN_NOTE, .sh_size = hidden,
		};
		s[2] = (Elf64_Shdr) {
			.sh_name = 20, .sh_type = SHT_STRTAB, .sh_addralign = 1,
			.sh_offset = NAMES, .sh_size = sizeof(names),
		};
	}
}

static void put(int fd, const void *data, size_t len, off_t off)
{
	ssize_t n = pwrite(fd, data, len, off);

	if (n != (ssize_t)len)
		bail("writing a test file: %s", n < 0 ? strerror(errno) : "short write");
}

void minielf_write(int fd, const struct minielf *m)
{
	/* 1: pause; jmp 1b */
	static const uint8_t code[MINIELF_CODE_SIZE] = { 0xf3, 0x90, 0xeb, 0xfc };
	uint8_t page[PAGE] __attribute__((aligned(8))) = { 0 };

	if (ftruncate(fd, minielf_size(m)))
		bail("ftruncate of a test file: %s", strerror(errno));
	headers(m, page);
	put(fd, page, PAGE, 0);
	memset(page, 0xcc, PAGE);
	memcpy(page, code, sizeof(code));
	put(fd, page, PAGE, text_off(m));
	if (m->fill) {
		memset(page, m->fill, PAGE);
		put(fd, page, PAGE, text_off(m) + PAGE);
	}
}

void minielf_create(const char *path, const struct minielf *m)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	minielf_write(fd, m);
	close(fd);
}

void minielf_simple(const char *path, const uint8_t id[20])
{
	struct minielf m = { .gnu = id, .gnu_len = 20 };

	minielf_create(path, &m);
}

size_t minielf_bytes(uint8_t *to, size_t max, const uint8_t id[20])
{
	struct minielf m = { .gnu = id, .gnu_len = 20 };
	int fd = memfd_create("minielf", MFD_CLOEXEC);
	ssize_t n;

	minielf_write(fd, &m);
	n = pread(fd, to, max, 0);
	close(fd);
	if (n <= 0)
		bail("making a file's content: %s", strerror(errno));
	return n;
}

void unique_id(uint8_t id[20])
{
	static uint32_t serial;
	uint32_t words[5] = { 0x6269b1d5, getpid(), ++serial };

	words[3] = words[2] * 2654435761u;
	words[4] = words[3] ^ words[1] * 40503u;
	memcpy(id, words, sizeof(words));
}
