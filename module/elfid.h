/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * elfid - find the identity of a file's content
 *
 * Pure C: the same source is compiled into the module, the library, the unit
 * tests and the fuzzer. It never allocates, never recurses and touches the
 * file only through the caller's read callback.
 */
#ifndef BIDX_ELFID_H
#define BIDX_ELFID_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
#endif

#include "../include/uapi/buildidx.h"

/**
 * struct bidx_reader - random access to the bytes of one file
 * @read: copy exactly @len bytes at @off into @buf; 0 on success, else a
 *	negative errno, which the parser hands through. -ENODATA means "these
 *	bytes lie past the end" (the file shrank); -EAGAIN means "not resident".
 *	@len is never 0 and @off + @len never exceeds @size.
 * @ctx: for @read
 * @size: length of the file in bytes
 */
struct bidx_reader {
	int (*read)(void *ctx, u64 off, void *buf, size_t len);
	void *ctx;
	u64 size;
};

/**
 * struct bidx_ident - identity of a file's content
 * @status: BUILDIDX_STATUS_OK, _NO_NOTE or _TOO_LONG
 * @kind: enum buildidx_kind; HASH with NO_NOTE and TOO_LONG
 * @source: enum buildidx_source
 * @id_len: bytes valid in @id
 * @id: identity, zero past @id_len
 */
struct bidx_ident {
	u16 status;
	u8 kind;
	u8 source;
	u16 id_len;
	u8 id[BUILDIDX_TEXT_MAX];
};

/* Work area of the parser, too large for a kernel stack. */
#define BIDX_SCRATCH_SIZE	8192
/* Most bytes that one call reads from a file, whatever it claims. */
#define BIDX_READ_MAX		(1U << 20)

/**
 * bidx_sha256() - SHA-256 over @head, @tail and @size as 8 bytes big-endian
 *
 * Supplied by whoever compiles the parser: the kernel's library in the module
 * (compat/sha256.h), nettle in user space.
 */
void bidx_sha256(const void *head, size_t head_len, const void *tail,
		 size_t tail_len, u64 size, u8 digest[32]);

/**
 * bidx_identify() - find the identity of a file
 * @r: the file; hostile, and it may change between reads
 * @out: result, fully written on success
 * @scratch: BIDX_SCRATCH_SIZE bytes, 8-byte aligned, owned by the caller
 *
 * Order (design D5): GNU note through PT_NOTE, GNU note through section
 * headers, Go note through either, else the content hash. A file that is not
 * ELF, is malformed or whose notes are malformed has status NO_NOTE and the
 * hash; a GNU note of more than BUILDIDX_ID_MAX bytes has TOO_LONG and the
 * hash. Zero-length descriptors do not count as an identity.
 *
 * Context: any that @r->read may run in. Takes no lock.
 * Return: 0, or the negative errno of a failed read.
 */
int bidx_identify(const struct bidx_reader *r, struct bidx_ident *out, void *scratch);

/**
 * bidx_identify_notes() - find the GNU build ID in notes alone
 * @r: the notes, one after another, of the byte order and size of this machine's
 * @out: result: status OK, or NO_NOTE or TOO_LONG without an identity
 * @scratch: as for bidx_identify()
 *
 * Context: any that @r->read may run in. Takes no lock.
 * Return: 0, or the negative errno of a failed read.
 */
int bidx_identify_notes(const struct bidx_reader *r, struct bidx_ident *out, void *scratch);

/**
 * bidx_self_test_ident() - run the parser on built-in notes
 * @scratch: as for bidx_identify()
 *
 * Return: 0, or -EINVAL when one known answer is wrong.
 */
int bidx_self_test_ident(void *scratch);

#endif /* BIDX_ELFID_H */
