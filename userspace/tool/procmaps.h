/* SPDX-License-Identifier: GPL-2.0 */
/*
 * procmaps - mappings of a process and the files behind them, from /proc
 */
#ifndef BUILDIDX_PROCMAPS_H
#define BUILDIDX_PROCMAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libbuildidx.h"

/**
 * struct mapping - one line of /proc/PID/maps
 * @start: first address
 * @end: first address after it
 * @offset: of @start in the file, in bytes
 * @dev: device of the file system, as the kernel knows it
 * @ino: inode number; 0 when there is no file
 * @executable: may be executed
 * @name: the rest of the line; points into the line
 */
struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	dev_t dev;
	uint64_t ino;
	bool executable;
	const char *name;
};

/**
 * parse_mapping() - take a line apart
 * @line: one line of /proc/PID/maps; its newline is removed
 * @m: result
 *
 * Return: false when it is not such a line.
 */
bool parse_mapping(char *line, struct mapping *m);

/** enum mapping_state - what is mapped */
enum mapping_state {
	MAPPING_FILE,
	MAPPING_DELETED,	/* a file without the name that it was mapped by */
	MAPPING_ANON,
	MAPPING_SPECIAL,	/* made by the kernel */
	MAPPING_UNKNOWN,	/* not ours to see */
};

/** mapping_state_name() - lower-case name of a state */
const char *mapping_state_name(enum mapping_state state);

/** mapping_kind_of() - anonymous, special or file, without asking further */
enum mapping_state mapping_kind_of(const struct mapping *m);

/**
 * mapping_path() - the name of the mapped file
 * @pid: process
 * @m: one of its mappings, of a file
 * @state: receives MAPPING_FILE or MAPPING_DELETED
 *
 * In maps, a newline in a name and the four characters \012 look the same, and
 * so do a deleted file and one whose name ends in " (deleted)". The link in
 * map_files has the exact name; the inode tells whether that name is in use.
 *
 * Return: allocated name, exact wherever the kernel gives it.
 */
char *mapping_path(pid_t pid, const struct mapping *m, enum mapping_state *state);

/**
 * open_mapping() - open the mapped file for reading
 * @pid: process
 * @m: one of its mappings, of a file
 * @path: its name, from mapping_path()
 * @state: from mapping_path()
 * @err: text of the error
 *
 * Through map_files where permitted, else by name if the name still leads to
 * the same inode.
 *
 * Return: file descriptor or a negative errno.
 */
int open_mapping(pid_t pid, const struct mapping *m, const char *path,
		 enum mapping_state state, struct buildidx_error *err);

/**
 * exe_path() - the name of the main executable
 * @pid: process
 * @state: receives MAPPING_FILE, MAPPING_DELETED, or MAPPING_UNKNOWN with NULL
 *
 * Return: allocated name, or NULL with errno set.
 */
char *exe_path(pid_t pid, enum mapping_state *state);

#endif /* BUILDIDX_PROCMAPS_H */
