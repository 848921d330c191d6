// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test whenever the hooks were placed: parser, hooks, and one lookup from
 * end to end
 *
 * Where one of them does not hold the module would answer wrongly or not at all,
 * so it refuses to load, or to be switched on, and says which.
 */
#include "internal.h"

#include <linux/elf.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat/shmem.h"

#define BIDX_PROBE_SIZE		(2 * PAGE_SIZE)
#define BIDX_PROBE_OFFSET	(PAGE_SIZE + 40)

/**
 * struct bidx_probe_elf - the smallest ELF file with a build ID
 */
struct bidx_probe_elf {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr nhdr;
	char name[4];
	u8 id[20];
};

static const u8 bidx_probe_id[20] = {
	0xb1, 0x1d, 0x1d, 0x00, 0x5e, 0x1f, 0x7e, 0x57, 0x01, 0x02,
	0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x00,
};

static void bidx_probe_fill(struct bidx_probe_elf *elf)
{
	memset(elf, 0, sizeof(*elf));
	memcpy(elf->ehdr.e_ident, ELFMAG, SELFMAG);
	elf->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
#ifdef __LITTLE_ENDIAN
	elf->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
#else
	elf->ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
#endif
	elf->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	elf->ehdr.e_type = ET_DYN;
	elf->ehdr.e_version = EV_CURRENT;
	elf->ehdr.e_phoff = offsetof(struct bidx_probe_elf, phdr);
	elf->ehdr.e_ehsize = sizeof(elf->ehdr);
	elf->ehdr.e_phentsize = sizeof(elf->phdr);
	elf->ehdr.e_phnum = 1;
	elf->phdr.p_type = PT_NOTE;
	elf->phdr.p_offset = offsetof(struct bidx_probe_elf, nhdr);
	elf->phdr.p_filesz = sizeof(*elf) - offsetof(struct bidx_probe_elf, nhdr);
	elf->phdr.p_align = 4;
	elf->nhdr.n_namesz = 4;
	elf->nhdr.n_descsz = sizeof(elf->id);
	elf->nhdr.n_type = 3;		/* NT_GNU_BUILD_ID */
	memcpy(elf->name, "GNU", 4);
	memcpy(elf->id, bidx_probe_id, sizeof(elf->id));
}

static struct file *bidx_probe_open(void)
{
	struct bidx_probe_elf elf;
	struct file *file;
	loff_t pos = 0;
	ssize_t n;

	file = bidx_shmem_file("buildidx-selftest", BIDX_PROBE_SIZE);
	if (IS_ERR(file))
		return file;
	bidx_probe_fill(&elf);
	n = kernel_write(file, &elf, sizeof(elf), &pos);
	if (n != sizeof(elf)) {
		fput(file);
		return ERR_PTR(n < 0 ? n : -EIO);
	}
	return file;
}

/* One lookup in the loading task, as a BPF program makes it. */
static int bidx_probe_lookup(unsigned long addr)
{
	struct bidx_range r;
	u64 offset;

	rcu_read_lock();
	bidx_resolve(current->mm, addr + BIDX_PROBE_OFFSET, &r);
	rcu_read_unlock();
	offset = r.base + (addr + BIDX_PROBE_OFFSET - r.start);
	if (r.status != BUILDIDX_STATUS_OK || r.kind != BUILDIDX_KIND_GNU ||
	    r.id_len != sizeof(bidx_probe_id) || offset != BIDX_PROBE_OFFSET ||
	    memcmp(r.id, bidx_probe_id, sizeof(bidx_probe_id))) {
		pr_err("self-test: the lookup of a known address gave status %u, kind %u, %u bytes, offset %llu: this kernel's mappings are not laid out as expected\n",
		       r.status, r.kind, r.id_len, offset);
		return -EOPNOTSUPP;
	}
	rcu_read_lock();
	bidx_resolve(current->mm, addr - 1, &r);
	rcu_read_unlock();
	if (r.status == BUILDIDX_STATUS_OK && r.kind == BUILDIDX_KIND_GNU &&
	    !memcmp(r.id, bidx_probe_id, sizeof(bidx_probe_id))) {
		pr_err("self-test: the byte before a mapping was taken for a part of it\n");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int bidx_probe_hooks(void)
{
	static const char * const name[] = {
		[BIDX_HOOK_MMAP] = "mmap",
		[BIDX_HOOK_FPUT] = "fput",
		[BIDX_HOOK_INODE] = "inode",
	};
	int i, err = 0;

	for (i = 0; i < BIDX_HOOK_NEEDED; i++) {
		if (test_bit(i, &bidx_probe.seen))
			continue;
		pr_err("self-test: hook %s was placed but did not fire\n", name[i]);
		err = -EOPNOTSUPP;
	}
	return err;
}

struct bidx_close_work {
	struct work_struct work;
	struct file *file;
};

static void bidx_close_now(struct work_struct *work)
{
	__fput_sync(container_of(work, struct bidx_close_work, work)->file);
}

/*
 * Now, so that the hooks are seen before init returns; in a kernel thread, as
 * __fput_sync() of 6.1 demands.
 */
static void bidx_probe_close(struct file *file)
{
	struct bidx_close_work close = { .file = file };

	INIT_WORK_ONSTACK(&close.work, bidx_close_now);
	schedule_work(&close.work);
	flush_work(&close.work);
	destroy_work_on_stack(&close.work);
}

static int bidx_probe_run(void)
{
	struct file *file;
	unsigned long addr;
	u64 object;
	int err;

	file = bidx_probe_open();
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		pr_err("self-test: no shmem file (%d)\n", err);
		return err;
	}
	bidx_probe.seen = 0;
	WRITE_ONCE(bidx_probe.inode, file_inode(file));
	WRITE_ONCE(bidx_probe.task, current);
	addr = vm_mmap(file, 0, BIDX_PROBE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0);
	if (IS_ERR_VALUE(addr)) {
		err = (long)addr;
		pr_err("self-test: mapping a shmem file executable failed (%d)%s\n", err,
		       err == -EACCES || err == -EPERM ?
		       "; a security policy forbids it to the loading process" : "");
		goto put;
	}
	err = bidx_capture(file, file_inode(file), NULL);
	if (err)
		pr_err("self-test: reading a shmem file failed (%d)\n", err);
	else
		err = bidx_probe_lookup(addr);
	vm_munmap(addr, BIDX_PROBE_SIZE);
	/* What the close hook does with a writer's release, which is noted but not acted on. */
	if (!err && !bidx_index_written(file_inode(file), false, &object)) {
		pr_err("self-test: the release of a writer left the identity as it was\n");
		err = -EOPNOTSUPP;
	}
put:
	bidx_probe_close(file);
	if (!err)
		err = bidx_probe_hooks();
	WRITE_ONCE(bidx_probe.task, NULL);
	WRITE_ONCE(bidx_probe.inode, NULL);
	return err;
}

/**
 * bidx_self_test() - refuse to work on a kernel that is not what we think
 *
 * Context: hooks placed, bidx_active still false, under bidx_switch; may sleep.
 * Return: 0, or an errno whose reason is in dmesg.
 */
int bidx_self_test(void)
{
	void *scratch;
	int err;

	if (!current->mm) {
		pr_err("self-test: the loading task has no address space to map a file into\n");
		return -EOPNOTSUPP;
	}
	scratch = kmalloc(BIDX_SCRATCH_SIZE, GFP_KERNEL);
	if (!scratch)
		return -ENOMEM;
	err = bidx_self_test_ident(scratch);
	kfree(scratch);
	if (err) {
		pr_err("self-test: the note parser got a known note wrong\n");
		return err;
	}
	return bidx_probe_run();
}
