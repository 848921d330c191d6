// SPDX-License-Identifier: GPL-2.0
/*
 * What a caller may see of the kernel (design D11)
 *
 * The kernel exports none of its own tests, so each is asked where it shows: kptr_restrict
 * in what "%pK" prints, bpf_jit_harden in a private mount of proc, read by a kernel thread
 * so that it is that of the machine, whatever the caller's namespaces and root are.
 */
#include "internal.h"
#include "krec.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/mutex.h>
#include <linux/security.h>

/* An answer about bpf_jit_harden is good for so long. */
#define BIDX_HARDEN_KEEP	(HZ / 10)

static void bidx_see_worker(struct work_struct *work);

static struct {
	struct mutex lock;
	struct work_struct work;
	struct vfsmount *proc;
	unsigned long asked_at;
	bool asked;
	bool hardened;
} see = {
	.lock = __MUTEX_INITIALIZER(see.lock),
	.work = __WORK_INITIALIZER(see.work, bidx_see_worker),
};

static struct vfsmount *bidx_see_mount(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *mnt;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = kern_mount(type);
	module_put(type->owner);
	return mnt;
}

/* In a kernel thread. Return: whether it is on; yes, when that cannot be told. */
static bool bidx_see_hardened(void)
{
	struct file *file;
	loff_t pos = 0;
	ssize_t n;
	char first;

	if (IS_ERR_OR_NULL(see.proc))
		see.proc = bidx_see_mount();
	if (IS_ERR(see.proc))
		return true;
	file = file_open_root_mnt(see.proc, "sys/net/core/bpf_jit_harden", O_RDONLY, 0);
	if (IS_ERR(file))
		return file != ERR_PTR(-ENOENT);	/* absent: there is no JIT */
	n = kernel_read(file, &first, sizeof(first), &pos);
	fput(file);
	return n != sizeof(first) || first != '0';
}

static void bidx_see_worker(struct work_struct *work)
{
	see.hardened = bidx_see_hardened();
}

static bool bidx_jit_hardened(void)
{
	bool hardened;

	mutex_lock(&see.lock);
	if (!see.asked || time_after(jiffies, see.asked_at + BIDX_HARDEN_KEEP)) {
		bidx_krec_in_background(&see.work);
		flush_work(&see.work);
		see.asked = true;
		see.asked_at = jiffies;
	}
	hardened = see.hardened;
	mutex_unlock(&see.lock);
	return hardened;
}

/*
 * kptr_restrict: 0 prints a hash, 1 the pointer to who has CAP_SYSLOG and zeros to others, 2
 * zeros to all.
 */
static bool bidx_pointers_shown(void)
{
	char shown[2 * sizeof(void *) + 2];

	snprintf(shown, sizeof(shown), "%pK", &see);
	return strspn(shown, "0") != strlen(shown);
}

/* May the caller see events, statistics, and records without addresses? Context: task. */
bool bidx_may_see_all(void)
{
	return perfmon_capable() || capable(CAP_SYS_ADMIN);
}

/**
 * bidx_may_see() - what of the kernel may the caller see in records?
 *
 * With bpf_jit_harden the kernel does not show where BPF programs are, nor may we.
 *
 * Context: task; may sleep.
 * Return: BIDX_SEE_ADDRESS, BIDX_SEE_JIT, BIDX_SEE_IMAGE, as far as it may.
 */
unsigned int bidx_may_see(void)
{
	if (!bpf_capable() || !perfmon_capable() || !bidx_pointers_shown())
		return 0;
	if (bidx_jit_hardened())
		return BIDX_SEE_ADDRESS;
	if (security_locked_down(LOCKDOWN_BPF_READ_KERNEL))
		return BIDX_SEE_ADDRESS | BIDX_SEE_JIT;
	return BIDX_SEE_ADDRESS | BIDX_SEE_JIT | BIDX_SEE_IMAGE;
}

/* Nobody asks any more. Context: may sleep. */
void bidx_see_exit(void)
{
	if (!IS_ERR_OR_NULL(see.proc))
		kern_unmount(see.proc);
}
