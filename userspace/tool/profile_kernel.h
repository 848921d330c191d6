/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_kernel - what the kernel frames of a profile are of: vmlinux, modules, BPF
 * programs and generated text, from the module's records
 */
#ifndef BUILDIDX_PROFILE_KERNEL_H
#define BUILDIDX_PROFILE_KERNEL_H

#include "libbuildidx.h"
#include "profile_pprof.h"
#include "profile_samples.h"
#include "symbols.h"

/** struct kernel_objects - those that were met */
struct kernel_objects;

/** kernel_objects_new() - none yet; @bx must stay open, NULL when there is no module */
struct kernel_objects *kernel_objects_new(const struct buildidx *bx);
void kernel_objects_free(struct kernel_objects *k);

/**
 * kernel_meet() - keep the record of an object, which may be gone soon
 * @k: objects
 * @number: object number, of which PROFILE_KERNEL_OBJECT is set
 * @o: what the programs noted
 *
 * Return: its text for folded lines, which @k owns.
 */
const char *kernel_meet(struct kernel_objects *k, uint64_t number, const struct profile_object *o);

/** kernel_refresh() - at the end: what is still there, and what is gone? */
void kernel_refresh(struct kernel_objects *k);

/**
 * kernel_symbols() - names for all that was met
 * @k: objects; must stay as long as the symbols
 * @s: symbols
 *
 * Records tell those of BPF programs. Those of vmlinux and modules are from /proc/kallsyms,
 * if what was met was still there when kernel_refresh() looked. Failures are reported.
 */
void kernel_symbols(struct kernel_objects *k, struct symbols *s);

/**
 * kernel_describe() - what pprof is told of an object
 * @k: objects
 * @number: object number, or PROFILE_ADDRESS
 * @o: result; its texts are owned by @k
 */
void kernel_describe(const struct kernel_objects *k, uint64_t number, struct pprof_object *o);

/**
 * kernel_report() - where in BPF programs the samples were, a few lines for people
 * @k: objects
 * @samples: all samples
 * @out: where to
 *
 * Nothing when there were none.
 */
void kernel_report(const struct kernel_objects *k, const struct samples *samples, FILE *out);

#endif /* BUILDIDX_PROFILE_KERNEL_H */
