// SPDX-License-Identifier: GPL-2.0
/*
 * work ROUNDS [delete]: a short-lived program whose functions the test looks for, by name, in
 * what is symbolized from build IDs alone. With "delete", it deletes its own file first.
 */
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long sink;

static inline __attribute__((always_inline)) void work_inlined(void)
{
	unsigned long i;

	for (i = 0; i < 100000; i++)
		sink += i;
}

static __attribute__((noinline)) void work_middle(void)
{
	work_inlined();
	/* without a use of it, this function has no frame, and its caller is not seen */
	sink += (unsigned long)__builtin_frame_address(0);
}

static __attribute__((noinline)) void work_outer(void)
{
	work_middle();
	sink++;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;

	if (argc > 2 && unlink(argv[0]))
		return 1;
	while (rounds--)
		work_outer();
	return 0;
}
