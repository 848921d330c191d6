/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors, addresses and pids of every kind, for the fuzzer to hand over. */
#ifndef DEVFUZZ_VICTIMS_H
#define DEVFUZZ_VICTIMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "rng.h"

#define VICTIM_PAGE	4096

/* Open everything and map everything; the program ends when it cannot. */
void victims_prepare(int dev);

/* A descriptor: regular files, pipes, sockets, directories, O_PATH, ..., or none at all. */
int victim_fd(struct rng *r);

/* A pid: this process, its threads, others, kernel threads, or none at all. */
int32_t victim_pid(struct rng *r);

/* A user address that means something here, or any. */
uint64_t victim_address(struct rng *r);

/*
 * Where to put an argument of @len bytes (at most a page): mostly writable memory,
 * sometimes cut by the end of a mapping, read-only, without access, or in the kernel.
 * @usable says whether @len bytes can be written there by this process.
 */
void *victim_buffer(struct rng *r, size_t len, int *usable);

/* May the kernel write any length at @at? What it reaches there does the program no harm. */
bool victim_bears_writing(uint64_t at);

#endif /* DEVFUZZ_VICTIMS_H */
