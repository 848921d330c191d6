/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_files - files that run right now, opened while they can be
 */
#ifndef BUILDIDX_PROFILE_FILES_H
#define BUILDIDX_PROFILE_FILES_H

#include <stdint.h>
#include <sys/types.h>

/**
 * open_file_at() - open the file that a process has mapped at an address
 * @pid: process
 * @ip: address
 * @path: receives its allocated name, also where it cannot be opened; left alone where
 *	there is none
 *
 * Works for deleted files and those of another mount namespace too.
 *
 * Return: file descriptor, or a negative errno; -ESRCH when the process is gone.
 */
int open_file_at(pid_t pid, uint64_t ip, char **path);

#endif /* BUILDIDX_PROFILE_FILES_H */
