/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_opener - a process that opens files, because doing so may never end
 *
 * Reading /proc/PID/maps waits for the process; opening and reading a file waits for
 * who serves the file system. Either can be in the hands of who is profiled.
 */
#ifndef BUILDIDX_PROFILE_OPENER_H
#define BUILDIDX_PROFILE_OPENER_H

#include <stdbool.h>
#include <stdint.h>

#include "profile_record.h"

struct opener;

/**
 * struct opened - one answer
 * @object: number that was asked for
 * @gone: nothing could be opened there: another place of the object may do
 * @fd: the file, the caller's from now on; -1 when it is of no use
 * @id: allocated text of its identity, NULL without @fd
 * @path: allocated name that it was mapped by, NULL when it is not known
 */
struct opened {
	uint64_t object;
	bool gone;
	int fd;
	char *id;
	char *path;
};

/** opener_new() - start it. Return: 0 or -errno. */
int opener_new(struct opener **o);

/** opener_ask() - open the file that is mapped there. Return: false when it cannot be asked now. */
bool opener_ask(struct opener *o, const struct profile_place *place);

/** opener_take() - take an answer. Return: false when there is none now. */
bool opener_take(struct opener *o, struct opened *answer);

/** opener_fd() - readable when there is an answer; -1 for none ever */
int opener_fd(const struct opener *o);

/** opener_pending() - number of files that were asked for and not answered */
unsigned int opener_pending(const struct opener *o);

/** opener_free() - end it, without waiting for what it does; NULL is allowed */
void opener_free(struct opener *o);

#endif /* BUILDIDX_PROFILE_OPENER_H */
