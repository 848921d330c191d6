/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * buildidx - records: what the kernel ran, told in full
 *
 * A record is one block of bytes that needs nothing else to be understood. The
 * device gives the same bytes on read(), for a lookup and in a dump; a file of
 * records is records one after another, in the byte order of the machine that
 * wrote it, after a struct buildidx_file; what follows the last whole record is
 * to be ignored (the writer was killed).
 *
 * Rules of the format
 *
 * A record starts with struct buildidx_rec and is rec.size bytes long, a
 * multiple of 8. A reader skips a type that it does not know. A type's fixed
 * part has its own size in @fixed, so it can grow at its end: a reader takes
 * min(@fixed, what it knows) and reads what is missing as zero. Behind the
 * fixed part are sections, arrays and texts that the fixed part points to by
 * struct buildidx_sect: offsets count from the start of the record and are
 * multiples of 8. An array's element has its size in @each, for the same
 * reason. Texts are in one section of strings, each ended by a NUL; a text is
 * named by its offset in it, and offset 0 is the empty text.
 *
 * Times are nanoseconds of CLOCK_BOOTTIME, as in a BPF program's load_time.
 */
#ifndef _UAPI_BUILDIDX_RECORD_H
#define _UAPI_BUILDIDX_RECORD_H

#include <linux/types.h>

#include "buildidx.h"

/* Length of a BPF build ID, see struct buildidx_rec_bpf.build_id */
#define BUILDIDX_BPF_ID_LEN	20
/* Longest record; what does not fit is left out, and a flag says so */
#define BUILDIDX_REC_MAX	(16U << 20)
/* Longest text, NUL included; what is longer is cut, and a flag says so */
#define BUILDIDX_REC_TEXT_MAX	1024
/* Bytes of a thread's name, NUL included */
#define BUILDIDX_COMM_LEN	16

/**
 * enum buildidx_rec_type - what a record tells
 * @BUILDIDX_REC_LOST: struct buildidx_rec_lost
 * @BUILDIDX_REC_OBJECT: struct buildidx_rec_object; a file got an identity
 * @BUILDIDX_REC_MAP: struct buildidx_rec_map; a file was mapped executable
 * @BUILDIDX_REC_BPF_LOAD: struct buildidx_rec_bpf; a BPF program was loaded. From a
 *	lookup or a dump it may have the unload time in it too
 * @BUILDIDX_REC_BPF_UNLOAD: struct buildidx_rec_bpf_unload
 * @BUILDIDX_REC_KSYM: struct buildidx_rec_ksym; generated kernel text came or went
 * @BUILDIDX_REC_MODULE: struct buildidx_rec_module; vmlinux or a kernel module came
 *	or went
 */
enum buildidx_rec_type {
	BUILDIDX_REC_LOST	= 1,
	BUILDIDX_REC_OBJECT	= 2,
	BUILDIDX_REC_MAP	= 3,
	BUILDIDX_REC_BPF_LOAD	= 4,
	BUILDIDX_REC_BPF_UNLOAD	= 5,
	BUILDIDX_REC_KSYM	= 6,
	BUILDIDX_REC_MODULE	= 7,
};
#define BUILDIDX_REC_TYPES	8	/* one more than the last */

/**
 * struct buildidx_rec - the start of each record
 * @size: bytes of the whole record, this included
 * @type: enum buildidx_rec_type
 * @fixed: bytes of the fixed part, this included
 * @seq: number in the stream, from 1; 0 for a record from a lookup or a dump. They
 *	only grow; what is missing between two is of types that were not asked
 *	for, or a LOST record told of it
 * @time: when it happened
 */
struct buildidx_rec {
	__u32 size;
	__u16 type;
	__u16 fixed;
	__u64 seq;
	__u64 time;
};

/**
 * struct buildidx_sect - a section of a record
 * @off: bytes from the start of the record; 0 when there is none
 * @len: bytes
 */
struct buildidx_sect {
	__u32 off;
	__u32 len;
};

/**
 * struct buildidx_file - the start of a file of records
 * @magic: BUILDIDX_FILE_MAGIC
 * @order: BUILDIDX_FILE_ORDER as a number of the writing machine
 * @version: BUILDIDX_FILE_VERSION
 * @size: bytes of this struct: where the first record starts; a multiple of 8
 * @realtime: CLOCK_REALTIME minus CLOCK_BOOTTIME of the machine, in nanoseconds
 * @release: its kernel (uname -r), NUL-terminated
 * @machine: its architecture (uname -m), NUL-terminated
 */
struct buildidx_file {
	__u8  magic[8];
	__u32 order;
	__u16 version;
	__u16 size;
	__s64 realtime;
	__u8  release[72];
	__u8  machine[32];
};
#define BUILDIDX_FILE_MAGIC	"bidxrec"	/* with its NUL */
#define BUILDIDX_FILE_ORDER	0x01020304U
#define BUILDIDX_FILE_VERSION	1

/**
 * struct buildidx_rec_lost - records that this reader does not get
 * @rec: seq is that of the first one
 * @lost: how many, exactly: it was too slow for them, or they could not be made for
 *	want of memory. Records of types that it does not want are not counted
 */
struct buildidx_rec_lost {
	struct buildidx_rec rec;
	__u64 lost;
};

/**
 * struct buildidx_rec_object - a file got an identity
 * @rec: time is when it was read
 * @obj: the object
 * @pid: process that mapped it, in the initial namespace; 0: none did (scan, query)
 * @tid: thread
 * @uid: user
 * @path: text; path as that process sees it, empty when not known
 * @comm: name of the thread
 * @strings: texts
 */
struct buildidx_rec_object {
	struct buildidx_rec rec;
	struct buildidx_object obj;
	__u32 pid;
	__u32 tid;
	__u32 uid;
	__u32 path;
	__u8  comm[BUILDIDX_COMM_LEN];
	struct buildidx_sect strings;
};

/**
 * struct buildidx_rec_map - a file was mapped executable
 * @rec: time is when it was mapped
 * @obj: the object that was mapped; obj.status tells, as in a frame
 * @addr: first address
 * @len: bytes
 * @offset: file offset of @addr
 * @pid: process, in the initial namespace
 * @tid: thread
 * @uid: user
 * @path: text; path as that process sees it, empty when not known
 * @comm: name of the thread
 * @strings: texts
 */
struct buildidx_rec_map {
	struct buildidx_rec rec;
	struct buildidx_object obj;
	__u64 addr;
	__u64 len;
	__u64 offset;
	__u32 pid;
	__u32 tid;
	__u32 uid;
	__u32 path;
	__u8  comm[BUILDIDX_COMM_LEN];
	struct buildidx_sect strings;
};

/* buildidx_rec_bpf.flags, and where it says so those of other records */
#define BUILDIDX_REC_GONE	(1U << 0) /* unloaded; unload_time is valid (all) */
#define BUILDIDX_REC_ADOPTED	(1U << 1) /* older than the module: loader and exact time may be unknown (all) */
#define BUILDIDX_REC_NO_ADDRESS	(1U << 2) /* addresses are zero: the caller may not see them (all) */
#define BUILDIDX_REC_CUT	(1U << 3) /* something was left out for want of memory, or was too long */
#define BUILDIDX_BPF_NO_JIT	(1U << 8) /* interpreted: no function has text of its own */
#define BUILDIDX_BPF_NO_BTF	(1U << 9) /* loaded without BTF, so without lines */
#define BUILDIDX_BPF_NO_STRINGS	(1U << 10) /* its BTF could not be read: lines have numbers only */
#define BUILDIDX_BPF_NO_IMAGE	(1U << 11) /* no copy of the text: the caller may not see it, or no memory */
#define BUILDIDX_BPF_GPL	(1U << 12) /* its license is compatible with the GPL */

/**
 * struct buildidx_rec_bpf - a BPF program
 * @rec: time is @load_time
 * @object: number of the record; frames name it; never used again while the module
 *	is loaded
 * @flags: BUILDIDX_REC_*, BUILDIDX_BPF_*
 * @id: the kernel's number of the program; such numbers are used again
 * @prog_type: enum bpf_prog_type
 * @attach_type: enum bpf_attach_type that it was loaded for
 * @attach_btf_id: BTF type that it was loaded to attach to, 0 for none
 * @attach_name: text; name of that function or type
 * @attach_prog: program that it extends or traces, 0 for none
 * @verified_insns: instructions that the verifier went through
 * @pid: process of the loader, in the initial namespace
 * @tid: thread of the loader
 * @uid: user of the loader, in the initial namespace
 * @unload_pid: process that dropped the last reference, 0 when not known
 * @unload_tid: its thread
 * @name: text; full name, or what the kernel keeps of it (15 bytes)
 * @load_time: as the kernel keeps it
 * @unload_time: 0 while it is loaded
 * @tag: the kernel's hash of its instructions
 * @build_id: SHA-256, its first 20 bytes, of what symbolization needs. These
 *	bytes go in, numbers as 4 bytes little endian: the 8 bytes "bidxbpf" and
 *	NUL; the number of functions; for each function its name with its NUL, its
 *	length, the number of its lines, and for each line its offset from the
 *	start of the function, line number, column number, a number whose bit 0 says
 *	that the file and whose bit 1 says that the text is equal to that of the line
 *	before in the same function, and, each unless its bit says so, the file with
 *	its NUL and the text with its NUL.
 * @func_each: bytes of one struct buildidx_bpf_func in @funcs
 * @line_each: bytes of one struct buildidx_bpf_line in @lines
 * @comm: name of the loading thread
 * @unload_comm: name of @unload_tid
 * @funcs: the main program, then its subprograms
 * @lines: in the order of the functions
 * @image: the text of all functions, one after another, each at a multiple of 16
 * @maps: __u32 map numbers
 * @strings: texts
 *
 * Frames give offsets in @image, whether the record has a copy of it or not.
 */
struct buildidx_rec_bpf {
	struct buildidx_rec rec;
	__u64 object;
	__u32 flags;
	__u32 id;
	__u32 prog_type;
	__u32 attach_type;
	__u32 attach_btf_id;
	__u32 attach_name;
	__u32 attach_prog;
	__u32 verified_insns;
	__u32 pid;
	__u32 tid;
	__u32 uid;
	__u32 unload_pid;
	__u32 unload_tid;
	__u32 name;
	__u64 load_time;
	__u64 unload_time;
	__u8  tag[8];
	__u8  build_id[BUILDIDX_BPF_ID_LEN];
	__u16 func_each;
	__u16 line_each;
	__u8  comm[BUILDIDX_COMM_LEN];
	__u8  unload_comm[BUILDIDX_COMM_LEN];
	struct buildidx_sect funcs;
	struct buildidx_sect lines;
	struct buildidx_sect image;
	struct buildidx_sect maps;
	struct buildidx_sect strings;
};

/**
 * struct buildidx_bpf_func - one function of a BPF program
 * @addr: where its text was
 * @len: bytes of text
 * @name: text; as in the kernel's symbol, without "bpf_prog_" and the tag; of a function
 *	without a name "bpf_prog_" and the tag of that function
 * @image: offset of its text in the section image
 * @line: index of its first line
 * @lines: how many
 * @pad: zero
 */
struct buildidx_bpf_func {
	__u64 addr;
	__u32 len;
	__u32 name;
	__u32 image;
	__u32 line;
	__u32 lines;
	__u32 pad;
};

/**
 * struct buildidx_bpf_line - where an instruction comes from
 * @off: offset of the first such instruction from the function's start
 * @file: text
 * @text: text; the source line itself
 * @line: number from 1
 * @col: number from 1; 0 when not known
 */
struct buildidx_bpf_line {
	__u32 off;
	__u32 file;
	__u32 text;
	__u32 line;
	__u32 col;
};

/**
 * struct buildidx_rec_bpf_unload - a BPF program was unloaded
 * @rec: time is when
 * @object: number of the record that BPF_LOAD gave
 * @flags: BUILDIDX_REC_GONE
 * @id: the kernel's number of the program
 * @unload_pid: process that dropped the last reference, 0 when not known
 * @unload_tid: its thread
 * @load_time: as the kernel keeps it
 * @tag: the kernel's hash of its instructions
 * @build_id: see struct buildidx_rec_bpf
 * @pad: zero
 * @unload_comm: name of @unload_tid
 */
struct buildidx_rec_bpf_unload {
	struct buildidx_rec rec;
	__u64 object;
	__u32 flags;
	__u32 id;
	__u32 unload_pid;
	__u32 unload_tid;
	__u64 load_time;
	__u8  tag[8];
	__u8  build_id[BUILDIDX_BPF_ID_LEN];
	__u32 pad;
	__u8  unload_comm[BUILDIDX_COMM_LEN];
};

/* buildidx_rec_ksym.kind */
#define BUILDIDX_KSYM_BPF	1 /* trampoline or dispatcher of BPF */
#define BUILDIDX_KSYM_OOL	2 /* instructions out of line: ftrace trampolines, kprobe slots */

#define BUILDIDX_KSYM_NAME_LEN	128

/**
 * struct buildidx_rec_ksym - kernel text that the kernel generated
 * @rec: time is when it came or, with BUILDIDX_REC_GONE, went
 * @object: number of the record
 * @flags: BUILDIDX_REC_*
 * @kind: BUILDIDX_KSYM_*
 * @addr: first address
 * @len: bytes; the kernel tells a whole page of some that are shorter, so the
 *	next symbol ends it too
 * @load_time: when it came; 0 when it was there before the module
 * @unload_time: 0 while it is there
 * @name: as the kernel names it, NUL-terminated
 */
struct buildidx_rec_ksym {
	struct buildidx_rec rec;
	__u64 object;
	__u32 flags;
	__u32 kind;
	__u64 addr;
	__u64 len;
	__u64 load_time;
	__u64 unload_time;
	__u8  name[BUILDIDX_KSYM_NAME_LEN];
};

#define BUILDIDX_MODULE_NAME_LEN	64

/**
 * struct buildidx_rec_module - vmlinux or a kernel module
 * @rec: time is when it came or, with BUILDIDX_REC_GONE, went
 * @object: number of the record
 * @flags: BUILDIDX_REC_*
 * @id_len: bytes of @id; 0 when its build ID is not known
 * @addr: first address of its text; that of its init function, which is freed once
 *	it has run, is not told
 * @len: bytes of text
 * @vaddr: what frames count from: the virtual address that @addr has in the file,
 *	for vmlinux; 0 for a module, whose sections of text follow each other from
 *	there in the order of the file
 * @load_time: when it came; 0 when it was there before the module
 * @unload_time: 0 while it is there
 * @id: GNU build ID
 * @name: "vmlinux", or the module's name, NUL-terminated
 */
struct buildidx_rec_module {
	struct buildidx_rec rec;
	__u64 object;
	__u32 flags;
	__u32 id_len;
	__u64 addr;
	__u64 len;
	__u64 vaddr;
	__u64 load_time;
	__u64 unload_time;
	__u8  id[BUILDIDX_ID_MAX];
	__u8  name[BUILDIDX_MODULE_NAME_LEN];
};

#endif /* _UAPI_BUILDIDX_RECORD_H */
