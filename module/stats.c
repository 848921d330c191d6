// SPDX-License-Identifier: GPL-2.0
/* Counters: one set per CPU, only ever incremented */
#include "internal.h"

#include <linux/cpumask.h>

DEFINE_PER_CPU(struct bidx_cpu_stats, bidx_cpu_stats);

/**
 * bidx_stats_sum() - read the counters
 * @cpu: a possible CPU, or -1 for all
 * @sum: result
 */
void bidx_stats_sum(int cpu, struct bidx_cpu_stats *sum)
{
	const size_t words = sizeof(*sum) / sizeof(u64);
	u64 *to = (u64 *)sum;
	size_t i;
	int c;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(c) {
		const u64 *from = (const u64 *)per_cpu_ptr(&bidx_cpu_stats, c);

		if (cpu >= 0 && c != cpu)
			continue;
		for (i = 0; i < words; i++)
			to[i] += READ_ONCE(from[i]);
	}
}
