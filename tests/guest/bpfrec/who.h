/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that load and close programs, each in its own way. */
#ifndef BPFREC_WHO_H
#define BPFREC_WHO_H

#include <stdint.h>
#include <sys/types.h>

/* Keep these capabilities (1ULL << CAP_*), in all sets, and become @uid. 0 or -errno. */
int become(uid_t uid, uint64_t caps);

/* Wait for a child that must exit with 0. The program ends when it does not. */
void reap(pid_t pid, const char *what);

#endif /* BPFREC_WHO_H */
