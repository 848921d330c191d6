// SPDX-License-Identifier: GPL-2.0
/*
 * Template of the programs (no C library) and libraries that are made fresh:
 * each copy gets a build ID of its own. Several code pages, and the note (see
 * the Makefile) on a page that neither execve nor the dynamic loader has read
 * by the time that code is mapped.
 */
#define PAGE_ALIGNED __attribute__((noinline, aligned(4096)))

static PAGE_ALIGNED long third(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 3;
}

static PAGE_ALIGNED long second(long x)
{
	__asm__ volatile("" : "+r"(x));
	return third(x) + 2;
}

#ifdef FRESH_LIBRARY

static long from_constructor;

static __attribute__((constructor)) void first(void)
{
	from_constructor = second(1);
}

long fresh_value(void);

long fresh_value(void)
{
	return from_constructor;
}

#else

void _start(void);

PAGE_ALIGNED void _start(void)
{
	long status = second(1) != 6;

	__asm__ volatile("syscall" : : "a"(231L /* exit_group */), "D"(status) : "rcx", "r11",
			 "memory");
	__builtin_unreachable();
}

#endif
