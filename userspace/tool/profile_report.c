// SPDX-License-Identifier: GPL-2.0
/*
 * profile_report - what a profile is worth
 */
#include <inttypes.h>

#include "profile_report.h"
#include "tool.h"

uint64_t profile_lost(const struct profile_counts *c, uint64_t missed)
{
	return c->lost_full + c->lost_busy + missed;
}

uint64_t profile_late(const struct profile_report *r)
{
	const struct profile_counts *c = &r->counts;
	uint64_t taken = c->kept + c->idle + c->other + profile_lost(c, r->missed);

	return r->expected > taken ? r->expected - taken : 0;
}

static bool has_id(unsigned int status)
{
	return status == BUILDIDX_STATUS_OK || status == BUILDIDX_STATUS_NO_NOTE ||
	       status == BUILDIDX_STATUS_TOO_LONG;
}

uint64_t profile_kernel_ids(const struct profile_counts *c)
{
	return c->kernel_status[BUILDIDX_STATUS_OK];
}

static bool has_file(unsigned int status)
{
	switch (status) {
	case BUILDIDX_STATUS_NO_MM:
	case BUILDIDX_STATUS_NO_MAPPING:
	case BUILDIDX_STATUS_ANON:
	case BUILDIDX_STATUS_SPECIAL:
	case BUILDIDX_STATUS_KERNEL:
	case BUILDIDX_STATUS_GENERATED:
		return false;
	default:
		return true;
	}
}

static uint64_t sum(const struct profile_counts *c, bool (*which)(unsigned int status))
{
	unsigned int i;
	uint64_t n = 0;

	for (i = 0; i < PROFILE_STATUSES; i++)
		if (which(i))
			n += c->status[i];
	return n;
}

uint64_t profile_file_frames(const struct profile_counts *c)
{
	return sum(c, has_file);
}

static void line(FILE *out, const char *name, uint64_t n, const char *text)
{
	fprintf(out, "  %-14s %10" PRIu64 "  %s\n", name, n, text);
}

static void optional(FILE *out, const char *name, uint64_t n, const char *text)
{
	if (n)
		line(out, name, n, text);
}

static void share(FILE *out, const char *name, uint64_t n, uint64_t all)
{
	fprintf(out, "  %-14s %10" PRIu64 " %6.2f%%\n", name, n,
		all ? 100.0 * (double)n / (double)all : 0.0);
}

static void print_samples(const struct profile_report *r, FILE *out)
{
	const struct profile_counts *c = &r->counts;
	static const char missed[] = "another BPF program was running on that CPU";
	uint64_t lost = profile_lost(c, r->missed);

	fprintf(out, "samples: %.1f s, %s, %u a second on each of %u CPUs\n", r->seconds, r->clock,
		r->hz, r->cpus);
	optional(out, "expected", r->expected, "by the clock, in that time");
	optional(out, "late", profile_late(r), "of these: skipped by the kernel, its interrupt came too late");
	line(out, "kept", c->kept, "in the result");
	optional(out, "  no-user", c->no_user, "of these: kernel threads, no user code");
	optional(out, "  no-stack", c->no_stack, "of these: the stack could not be had");
	optional(out, "  truncated", c->truncated, "of these: the stack may be deeper than what is shown");
	optional(out, "  no-kernel", c->no_kernel, "of these: the kernel's stack could not be had, only where it was");
	line(out, "idle", c->idle, "CPUs that did nothing");
	if (r->targets)
		line(out, "other", c->other, "processes that were not asked for");
	line(out, "lost", lost, lost ? "of these:" : r->missed_known ? "none" : "none that is known of");
	optional(out, "  table-full", c->lost_full, "too many different stacks at a time");
	optional(out, "  table-busy", c->lost_busy, "the table was in use on that CPU");
	optional(out, "  missed", r->missed, missed);
	if (!r->missed_known && !r->missed)
		fprintf(out, "  %-14s %10s  %s\n", "  missed", "not known", missed);
	optional(out, "caught", c->caught, "met another BPF program and were taken all the same");
	optional(out, "untracked", c->untracked, "processes that were too many to be followed");
	fprintf(out, "stacks: %" PRIu64 " different\n", r->stacks);
}

static void print_frames(const struct profile_report *r, FILE *out)
{
	const struct profile_counts *c = &r->counts;
	unsigned int i;

	fprintf(out, "frames: %" PRIu64 " of user code, resolved by %s\n", (uint64_t)c->frames,
		r->kfunc ? "buildidx" : "the stock helper");
	if (r->kfunc) {
		for (i = 0; i < PROFILE_STATUSES; i++)
			optional(out, buildidx_status_name(i), c->status[i], buildidx_status_text(i));
	} else {
		line(out, "ok", c->stock, "build ID found; perhaps of the next mapping, where nothing is mapped");
		optional(out, "no-file", c->stock_no_file, "an ID was given though nothing is mapped there: not used");
		line(out, "unresolved", c->frames - c->stock - c->stock_no_file,
		     "no answer, and no reason given");
	}
	optional(out, "unrecorded", c->unrecorded, "of these: too many different files");
	if (r->kfunc)
		fprintf(out, "in files: %" PRIu64 ", of these without an ID: %" PRIu64 "\n",
			profile_file_frames(c), profile_file_frames(c) - sum(c, has_id));
}

static void print_kernel_frames(const struct profile_report *r, FILE *out)
{
	const struct profile_counts *c = &r->counts;
	unsigned int i;

	if (!r->kfunc) {
		fprintf(out, "kernel frames: %" PRIu64 ", of which the stock helper has the addresses\n",
			(uint64_t)c->kernel_frames);
		return;
	}
	fprintf(out, "kernel frames: %" PRIu64 ", resolved by buildidx\n", (uint64_t)c->kernel_frames);
	for (i = 0; i < PROFILE_STATUSES; i++)
		optional(out, buildidx_status_name(i), c->kernel_status[i], buildidx_status_text(i));
}

static void print_comparison(const struct profile_report *r, FILE *out)
{
	const struct profile_counts *c = &r->counts;
	uint64_t files = profile_file_frames(c);

	fprintf(out, "compared: %" PRIu64 " frames in files, each resolved by both in the same interrupt\n",
		files);
	share(out, "stock helper", c->stock, files);
	share(out, "buildidx", sum(c, has_id), files);
	fprintf(out, "  answered by both: %" PRIu64 ", differently: %" PRIu64 "\n",
		(uint64_t)c->both, (uint64_t)c->differ);
	if (c->stock_no_file)
		fprintf(out, "  besides, the stock helper gave an ID to %" PRIu64
			" frames where no file is mapped\n", (uint64_t)c->stock_no_file);
	if (!r->kernel)
		return;
	fprintf(out, "compared: %" PRIu64 " kernel frames; the stock helper has addresses, which tell nothing\n"
		"elsewhere or later, and no ID for any of them\n", (uint64_t)c->kernel_frames);
	share(out, "stock helper", 0, c->kernel_frames);
	share(out, "buildidx", profile_kernel_ids(c), c->kernel_frames);
}

void profile_report_print(const struct profile_report *r, FILE *out)
{
	print_samples(r, out);
	if (r->user)
		print_frames(r, out);
	if (r->kernel)
		print_kernel_frames(r, out);
	if (r->kfunc && r->stock)
		print_comparison(r, out);
}
