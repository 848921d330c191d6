// SPDX-License-Identifier: GPL-2.0
/* m7 LIBRARY: dlopen it. Built a second time as that library. */
#include <dlfcn.h>
#include <stdio.h>

int m7_function(int n);

int m7_function(int n)
{
	return n * 3;
}

int main(int argc, char **argv)
{
	void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!lib)
		fprintf(stderr, "m7: %s\n", argc == 2 ? dlerror() : "no library");
	return !lib;
}
