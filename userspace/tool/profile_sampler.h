/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_sampler - the BPF programs of `buildidx profile`, and their maps
 */
#ifndef BUILDIDX_PROFILE_SAMPLER_H
#define BUILDIDX_PROFILE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile_record.h"

/**
 * struct sampler_config - what to sample and how
 * @hz: samples a second on each CPU
 * @kfunc: resolve by the module
 * @stock: resolve by the stock helper; with @kfunc: as well, and compare
 * @fentry: perf_event programs may not call the kfunc: use a tracing program
 * @targets: only processes that sampler_follow() names, and what they start
 * @places: tell where files are mapped
 * @pids: count the stacks of each process for itself
 * @kernel: take kernel stacks
 * @user: take user stacks
 */
struct sampler_config {
	unsigned int hz;
	bool kfunc;
	bool stock;
	bool fentry;
	bool targets;
	bool places;
	bool pids;
	bool kernel;
	bool user;
};

struct sampler;

/**
 * sampler_open() - load the programs; they do not run yet
 * @s: receives the sampler; to be closed with sampler_close()
 * @config: what to sample
 *
 * Return: exit code; a failure has been reported.
 */
int sampler_open(struct sampler **s, const struct sampler_config *config);

/** sampler_close() - stop and free; NULL is allowed */
void sampler_close(struct sampler *s);

/** sampler_clock() - name of what triggers the samples: "cycles" or "cpu-clock" */
const char *sampler_clock(const struct sampler *s);

/** sampler_cpus() - number of CPUs that are sampled */
unsigned int sampler_cpus(const struct sampler *s);

/** sampler_follow() - sample this process and what it starts. Return: 0 or -errno. */
int sampler_follow(struct sampler *s, pid_t pid);

/** sampler_start() - from now on. Return: exit code; a failure has been reported. */
int sampler_start(struct sampler *s);

/** sampler_stop() - no sample is taken after this returns */
void sampler_stop(struct sampler *s);

/**
 * sampler_drain() - hand over the stacks since the last call, each once
 * @s: sampler
 * @one: gets a stack and the number of times that it was seen
 * @ctx: for @one
 *
 * To be called often: the map has room for about two seconds of samples that all
 * differ. No sample is lost by draining.
 *
 * Return: 0 or -errno.
 */
int sampler_drain(struct sampler *s,
		  void (*one)(void *ctx, const struct profile_stack *stack, uint64_t count),
		  void *ctx);

/** sampler_object() - what an object number of a frame stands for. Return: known? */
bool sampler_object(const struct sampler *s, uint64_t number, struct profile_object *o);

/**
 * sampler_places() - hand over where files are mapped
 * @s: sampler
 * @one: gets a place
 * @ctx: for @one
 */
void sampler_places(struct sampler *s,
		    void (*one)(void *ctx, const struct profile_place *place), void *ctx);

/** sampler_tell_again() - tell another place of this object, when there is one */
void sampler_tell_again(struct sampler *s, uint64_t number);

/** sampler_places_fd() - becomes readable when there are places; -1 for none ever */
int sampler_places_fd(const struct sampler *s);

/**
 * sampler_counts() - counters, summed over all CPUs
 * @s: sampler
 * @sum: result
 * @missed: result: samples for which the kernel could not run the program, as far as it tells
 *
 * Return: 0 or -errno.
 */
int sampler_counts(const struct sampler *s, struct profile_counts *sum, uint64_t *missed);

/**
 * sampler_knows_missed() - are all samples counted for which the program could not run?
 *
 * A sample that meets another BPF program has no perf_event program run for it, and the kernel does
 * not count that. Where it has the means, a tracing program takes these samples.
 */
bool sampler_knows_missed(const struct sampler *s);

/**
 * sampler_expected() - samples that the CPU clock should have given until now
 *
 * The kernel skips those whose interrupt comes a whole period late. Return: 0 when not known.
 */
uint64_t sampler_expected(const struct sampler *s);

#endif /* BUILDIDX_PROFILE_SAMPLER_H */
