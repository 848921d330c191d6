// SPDX-License-Identifier: GPL-2.0
/*
 * mkseeds DIR - write the seed corpus into DIR, made from the odd and hostile files
 *
 * For each file that is small enough: as it is, long and sparse, with a failing
 * read, and turning into the next one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../hostile/cases.h"
#include "input.h"

#define SEED_MAX	16000U	/* several pages; two of them fit -max_len */

struct seed {
	uint8_t change_at;
	uint8_t fail_at;
	uint8_t error;
	uint8_t zeros;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "mkseeds: %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static void write_seed(const char *dir, const char *name, const char *suffix,
		       const struct seed *s, const struct run *first, const struct run *second)
{
	const uint8_t header[FUZZ_HEADER] = {
		s->change_at, s->fail_at, s->error, s->zeros,
		first->len & 0xff, first->len >> 8,
	};
	char path[4096];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s-%s", dir, name, suffix) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		die("cannot create a file in", dir);
	}
	f = fopen(path, "w");
	if (!f)
		die("cannot create", path);
	fwrite(header, sizeof(header), 1, f);
	if (first->len)
		fwrite(first->data, first->len, 1, f);
	if (second && second->len)
		fwrite(second->data, second->len, 1, f);
	if (ferror(f) || fclose(f))
		die("cannot write", path);
}

static void build(struct image *img, size_t number)
{
	image_init(img, true, false);
	hostile_cases[number % hostile_case_count].make(img);
}

static void write_seeds(const char *dir, size_t number)
{
	const struct seed plain = { 0 };
	const struct seed sparse = { .zeros = 34 };
	const struct seed failing = { .fail_at = 1, .error = 1 };
	const struct seed changing = { .change_at = 1 };
	const char *name = hostile_cases[number].name;
	struct image img, next;

	build(&img, number);
	build(&next, number + 1);
	if (img.head.len <= SEED_MAX) {
		write_seed(dir, name, "plain", &plain, &img.head, NULL);
		write_seed(dir, name, "sparse", &sparse, &img.head, NULL);
		write_seed(dir, name, "failing", &failing, &img.head, NULL);
		if (next.head.len <= SEED_MAX)
			write_seed(dir, name, "changing", &changing, &img.head, &next.head);
	}
	image_free(&next);
	image_free(&img);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: mkseeds DIR\n");
		return 2;
	}
	if (mkdir(argv[1], 0755) && errno != EEXIST)
		die("cannot create", argv[1]);
	for (i = 0; i < hostile_case_count; i++)
		write_seeds(argv[1], i);
	return 0;
}
