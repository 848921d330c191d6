/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Single members of objects whose memory may be gone
 *
 * copy_from_kernel_nofault() costs a call, a check of the address and a loop for each
 * object. Where the architecture's own __get_kernel_nofault() needs nothing that is not
 * exported, a member costs its load:
 *
 *	bidx_nofault_begin();
 *	if (!bidx_nofault_object(file, sizeof(*file)))
 *		goto gone;
 *	bidx_nofault_get(inode, &file->f_inode, gone);
 *	bidx_nofault_end();
 */
#ifndef BIDX_COMPAT_NOFAULT_H
#define BIDX_COMPAT_NOFAULT_H

#include <linux/mm.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_64
#include <asm/page.h>
#include <asm/pgtable.h>
#include <asm/vsyscall.h>

#define bidx_nofault_begin()	pagefault_disable()
#define bidx_nofault_end()	pagefault_enable()

/*
 * May an object of @size bytes be here? What copy_from_kernel_nofault_allowed() refuses is
 * refused: user addresses, what is not canonical (there a load is no page fault but a
 * protection fault), the vsyscall page; and all above that, where only error codes lie.
 */
static inline bool bidx_nofault_object(const void *p, size_t size)
{
	const unsigned long first = -1UL << __VIRTUAL_MASK_SHIFT;

	return (unsigned long)p - first < VSYSCALL_ADDR - size - first;
}

/* Through an integer: the macro of some kernels cannot take a pointer. */
#define bidx_nofault_get_as(type, var, from, label) do {		\
	type bidx_value;						\
									\
	__get_kernel_nofault(&bidx_value, from, type, label);		\
	(var) = (typeof(var))(unsigned long)bidx_value;			\
} while (0)

#define bidx_nofault_get(var, from, label) do {				\
	BUILD_BUG_ON(sizeof(*(from)) != 8 && sizeof(*(from)) != 4);	\
	if (sizeof(*(from)) == 8)					\
		bidx_nofault_get_as(u64, var, from, label);		\
	else								\
		bidx_nofault_get_as(u32, var, from, label);		\
} while (0)
#else
#define bidx_nofault_begin()	do { } while (0)
#define bidx_nofault_end()	do { } while (0)

static inline bool bidx_nofault_object(const void *p, size_t size)
{
	return true;
}

#define bidx_nofault_get(var, from, label) do {	\
	if (get_kernel_nofault(var, from))	\
		goto label;			\
} while (0)
#endif

#endif /* BIDX_COMPAT_NOFAULT_H */
