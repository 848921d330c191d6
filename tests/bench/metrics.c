// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "metrics.h"

#define INSTRUCTIONS "instructions"

const struct metric metrics[] = {
	{ "frame_runs", "per frame, 36 frames, 6 files in runs",
	  INSTRUCTIONS, GOAL_RATIO, 0.5, 0.7 },
	{ "frame_alternating", "per frame, 36 frames, file by file",
	  INSTRUCTIONS, GOAL_RATIO, 0.5, 0.7 },
	{ "frame_runs_rich", "  the same by bpf_buildidx_frames, runs",
	  INSTRUCTIONS, GOAL_NONE, 0, 0 },
	{ "frame_alternating_rich", "  the same, file by file",
	  INSTRUCTIONS, GOAL_NONE, 0, 0 },
	{ "lookup_1m", "lookup, 1,000 | 1,000,000 files indexed",
	  INSTRUCTIONS, GOAL_RATIO, 1.3, 0 },
	{ "reader_worst", "slow lookup (p99.9), other CPU spins | writes",
	  "ns", GOAL_RATIO, 2.0, 0 },
	{ "mmap_munmap_exec", "mmap+munmap of an indexed executable file",
	  INSTRUCTIONS, GOAL_RATIO, 1.05, 0 },
	{ "fork_exec_exit", "fork+exec+exit",
	  INSTRUCTIONS, GOAL_RATIO, 1.03, 0 },
	{ "open_close_read", "open+close, read-only",
	  INSTRUCTIONS, GOAL_RATIO, 1.02, 0 },
	{ "pipe_close", "pipe+close",
	  INSTRUCTIONS, GOAL_RATIO, 1.02, 0 },
	{ "socket_close", "socket+close",
	  INSTRUCTIONS, GOAL_RATIO, 1.02, 0 },
	{ "open_close_write", "open+close, for writing",
	  INSTRUCTIONS, GOAL_RATIO, 1.03, 0 },
	{ "create_unlink", "create+unlink",
	  INSTRUCTIONS, GOAL_RATIO, 1.03, 0 },
	{ "mmap_munmap_anon", "anonymous mmap+munmap",
	  INSTRUCTIONS, GOAL_RATIO, 1.02, 0 },
	{ "entry_bytes", "memory per indexed file, heads included",
	  "bytes", GOAL_VALUE, 160, 0 },
	{ "file_bytes_added", "added to struct file",
	  "bytes", GOAL_VALUE, 0, 0 },
	{ "inode_bytes_added", "added to struct inode",
	  "bytes", GOAL_VALUE, 0, 0 },
	{ "vma_bytes_added", "added to struct vm_area_struct",
	  "bytes", GOAL_VALUE, 0, 0 },
	{ "text_bytes", "code of the module",
	  "bytes", GOAL_NONE, 0, 0 },
	{ "scan_1000", "load-time scan of 1,000 processes",
	  INSTRUCTIONS, GOAL_NONE, 0, 0 },
	{ "capture_cold", "capture of a file, from disk",
	  "us", GOAL_NONE, 0, 0 },
	{ "capture_warm", "capture of a file, from the page cache",
	  "us", GOAL_NONE, 0, 0 },
	{ "prog_load", "bpf(PROG_LOAD), 1,000 instructions with lines",
	  INSTRUCTIONS, GOAL_RATIO, 1.05, 0 },
	{ "kernel_frame", "kernel frame, bpf_get_stackid | resolved",
	  INSTRUCTIONS, GOAL_NONE, 0, 0 },
	{ "record_bytes", "memory per recorded BPF program, 1-8 functions",
	  "bytes", GOAL_NONE, 0, 0 },
	{ "stream_rate", "records that one reader takes",
	  "per second", GOAL_NONE, 0, 0 },
};
const size_t nr_metrics = sizeof(metrics) / sizeof(metrics[0]);

const struct metric *metric_find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, name))
			return &metrics[i];
	return NULL;
}

double metric_goal(const struct metric *m, const char *kernel)
{
	return m->goal_7_3 && !strcmp(kernel, "7.3") ? m->goal_7_3 : m->goal;
}
