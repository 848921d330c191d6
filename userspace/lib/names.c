// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * names - names and texts of the ABI's numbers
 */
#include "internal.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

static const char *const kinds[] = {
	[BUILDIDX_KIND_NONE]		= "none",
	[BUILDIDX_KIND_GNU]		= "gnu",
	[BUILDIDX_KIND_GO]		= "go",
	[BUILDIDX_KIND_HASH]		= "hash",
};

static const char *const sources[] = {
	[BUILDIDX_SOURCE_NONE]		= "none",
	[BUILDIDX_SOURCE_PHDR]		= "phdr",
	[BUILDIDX_SOURCE_SHDR]		= "shdr",
	[BUILDIDX_SOURCE_CONTENT]	= "content",
};

static const struct {
	const char *name;
	const char *text;
} statuses[] = {
	[BUILDIDX_STATUS_OK]		= { "ok", "build ID found" },
	[BUILDIDX_STATUS_NO_MM]		= { "no-mm", "the process has no user address space (kernel thread, or exiting)" },
	[BUILDIDX_STATUS_NO_MAPPING]	= { "no-mapping", "nothing is mapped at this address" },
	[BUILDIDX_STATUS_ANON]		= { "anon", "anonymous memory, not a file" },
	[BUILDIDX_STATUS_SPECIAL]	= { "special", "a mapping made by the kernel, not a file" },
	[BUILDIDX_STATUS_NOT_INDEXED]	= { "not-indexed", "the index does not hold this file" },
	[BUILDIDX_STATUS_PENDING]	= { "pending", "the file is being read for the first time: ask again" },
	[BUILDIDX_STATUS_NOT_RESIDENT]	= { "not-resident", "the needed pages of the file are not in memory, a re-read is queued: ask again" },
	[BUILDIDX_STATUS_MODIFIED]	= { "modified", "the file changed after it was read, a re-read is queued: ask again" },
	[BUILDIDX_STATUS_TOO_LONG]	= { "too-long", "the build ID is longer than 32 bytes: a hash of the content stands in" },
	[BUILDIDX_STATUS_NO_NOTE]	= { "no-note", "the file has no build ID: a hash of the content stands in" },
	[BUILDIDX_STATUS_RACED]		= { "raced", "the mapping was being changed at that instant: ask again" },
	[BUILDIDX_STATUS_KERNEL]	= { "kernel", "a kernel address" },
	[BUILDIDX_STATUS_READ_ERROR]	= { "read-error", "reading the file failed" },
	[BUILDIDX_STATUS_OFF]		= { "off", "the module's hooks are switched off" },
};
_Static_assert(COUNT(statuses) == BUILDIDX_STATUS_COUNT, "a status has no name");

static const char *const counters[] = {
	[BUILDIDX_CNT_CAPTURED]		= "captured",
	[BUILDIDX_CNT_INDEXED]		= "indexed",
	[BUILDIDX_CNT_REFUSED]		= "refused",
	[BUILDIDX_CNT_FAILED]		= "failed",
	[BUILDIDX_CNT_DROPPED]		= "dropped",
	[BUILDIDX_CNT_EVICTED]		= "evicted",
	[BUILDIDX_CNT_DEAD]		= "dead",
	[BUILDIDX_CNT_STALE]		= "stale",
	[BUILDIDX_CNT_REREAD]		= "reread",
	[BUILDIDX_CNT_POOL_EMPTY]	= "pool-empty",
	[BUILDIDX_CNT_WORKER]		= "worker",
	[BUILDIDX_CNT_SCAN_TASKS]	= "scan-tasks",
	[BUILDIDX_CNT_SCAN_FILES]	= "scan-files",
	[BUILDIDX_CNT_RETRY]		= "retry",
	[BUILDIDX_CNT_KFUNC_CALLS]	= "kfunc-calls",
	[BUILDIDX_CNT_SCAN_SKIPPED]	= "scan-skipped",
};
_Static_assert(COUNT(counters) == BUILDIDX_CNT_COUNT, "a counter has no name");

static const char *const hook_states[] = {
	[BUILDIDX_HOOK_OFF]		= "off",
	[BUILDIDX_HOOK_FTRACE]		= "ftrace",
	[BUILDIDX_HOOK_KPROBE]		= "kprobe",
};

static const char *const captures[] = {
	[BUILDIDX_CAPTURE_TASK_WORK]	= "task-work",
	[BUILDIDX_CAPTURE_WORKER]	= "worker",
};

static const char *lookup(const char *const *names, size_t count, unsigned int i)
{
	return i < count && names[i] ? names[i] : "unknown";
}

const char *buildidx_kind_name(unsigned int kind)
{
	return lookup(kinds, COUNT(kinds), kind);
}

const char *buildidx_source_name(unsigned int source)
{
	return lookup(sources, COUNT(sources), source);
}

const char *buildidx_counter_name(unsigned int counter)
{
	return lookup(counters, COUNT(counters), counter);
}

const char *buildidx_hook_state_name(unsigned int state)
{
	return lookup(hook_states, COUNT(hook_states), state);
}

const char *buildidx_capture_name(unsigned int mode)
{
	return lookup(captures, COUNT(captures), mode);
}

const char *buildidx_status_name(unsigned int status)
{
	return status < COUNT(statuses) ? statuses[status].name : "unknown";
}

const char *buildidx_status_text(unsigned int status)
{
	return status < COUNT(statuses) ? statuses[status].text :
		"a status that this version does not know";
}

const char *buildidx_version(void)
{
	return BUILDIDX_VERSION;
}
