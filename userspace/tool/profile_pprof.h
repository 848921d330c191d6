/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_pprof - a profile as a file for pprof
 *
 * pprof knows one address space, a profile of many processes has many. So each file,
 * module and BPF program gets a mapping of its own at an address that is made up, and
 * for all of them
 *
 *	address - memory_start + file_offset = offset, as frames of buildidx have it
 *
 * which is the offset in the file; in a kernel module, that from the start of its text;
 * in a BPF program, that in its image. vmlinux is at its own addresses, those that its
 * file has: there memory_start equals file_offset, and the offset is the address.
 * Return addresses are one less, so that they are in the call.
 */
#ifndef BUILDIDX_PROFILE_PPROF_H
#define BUILDIDX_PROFILE_PPROF_H

#include <stdbool.h>
#include <stdint.h>

#include "profile_places.h"
#include "profile_samples.h"

/**
 * struct pprof_object - what is mapped
 * @id: text of its identity, as in folded lines; NULL: it is unknown
 * @build_id: what pprof is told, NULL when there is none
 * @filename: its name; NULL when not known. Without both it is no mapping, and @id is the
 *	name of all that is in it
 * @start: 0: at an address that is made up; else the first address, that is its offset too
 * @size: bytes; 0 when not known
 */
struct pprof_object {
	const char *id;
	const char *build_id;
	const char *filename;
	uint64_t start;
	uint64_t size;
};

/**
 * struct pprof_info - about the whole profile
 * @time_ns: when it started, since 1970
 * @duration_ns: how long it took
 * @hz: samples a second
 * @comment: text for people
 */
struct pprof_info {
	int64_t time_ns;
	int64_t duration_ns;
	unsigned int hz;
	const char *comment;
};

/**
 * pprof_write() - write it
 * @fd: to this file, which stays open
 * @samples: stacks
 * @places: names; NULL for none
 * @info: about the whole
 * @describe: tells of the object with a number; texts stay as long as the call
 * @ctx: for @describe
 *
 * Return: 0 or -errno.
 */
int pprof_write(int fd, const struct samples *samples, const struct places *places,
		const struct pprof_info *info,
		void (*describe)(void *ctx, uint64_t number, struct pprof_object *o), void *ctx);

#endif /* BUILDIDX_PROFILE_PPROF_H */
