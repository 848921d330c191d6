// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel settings that the test needs.
 */
#include <stddef.h>
#include <stdio.h>

#include "settings.h"

static const struct {
	const char *path;
	const char *value;
} settings[] = {
	/* addresses of the functions that are probed */
	{ "/proc/sys/kernel/kptr_restrict", "0" },
	{ "/proc/sys/kernel/sysrq", "1" },
	/*
	 * Probes hit often, and an emulated CPU is slow: no throttling. The
	 * rate can be set only while the percentage is not 0, as an earlier
	 * run has left it.
	 */
	{ "/proc/sys/kernel/perf_cpu_time_max_percent", "50" },
	{ "/proc/sys/kernel/perf_event_max_sample_rate", "100000000" },
	{ "/proc/sys/kernel/perf_cpu_time_max_percent", "0" },
	/* backtraces of NMIs go to the log, not to the console */
	{ "/proc/sys/kernel/printk", "1" },
};

int settings_apply(void)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		FILE *f = fopen(settings[i].path, "we");

		if (!f || fputs(settings[i].value, f) < 0 || fclose(f)) {
			perror(settings[i].path);
			return -1;
		}
	}
	return 0;
}
