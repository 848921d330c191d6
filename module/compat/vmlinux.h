/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the text of vmlinux starts, and its address in the file
 *
 * With KASLR it runs elsewhere. x86 links _text at __START_KERNEL. arm64 links _text at
 * KIMAGE_VADDR, which the kernel's symbols do not cover, and _stext one segment later.
 */
#ifndef BIDX_COMPAT_VMLINUX_H
#define BIDX_COMPAT_VMLINUX_H

#if defined(CONFIG_X86_64)
#include <asm/page_types.h>
#include <asm/boot.h>
#define BIDX_VMLINUX_START	"_text"
#define BIDX_VMLINUX_VADDR	((u64)__START_KERNEL)
#elif defined(CONFIG_ARM64)
#include <asm/memory.h>
#define BIDX_VMLINUX_START	"_stext"
#define BIDX_VMLINUX_VADDR	((u64)KIMAGE_VADDR + SEGMENT_ALIGN)
#else
#error "buildidx does not know where this architecture links vmlinux"
#endif

#endif /* BIDX_COMPAT_VMLINUX_H */
