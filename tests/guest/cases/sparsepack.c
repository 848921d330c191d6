// SPDX-License-Identifier: GPL-2.0
/* sparsepack IMAGE PACKED: runs on the building host; see sparse.h. */
#include <stdio.h>
#include <string.h>

#include "sparse.h"

int main(int argc, char **argv)
{
	static const char zero[SPARSE_BLOCK];
	struct sparse_header h = { .magic = SPARSE_MAGIC };
	char block[SPARSE_BLOCK];
	uint64_t off = 0;
	FILE *in, *out;

	if (argc != 3) {
		fprintf(stderr, "usage: sparsepack IMAGE PACKED\n");
		return 2;
	}
	in = fopen(argv[1], "rb");
	if (!in) {
		perror(argv[1]);
		return 1;
	}
	out = fopen(argv[2], "wb");
	if (!out) {
		perror(argv[2]);
		return 1;
	}
	fseek(in, 0, SEEK_END);
	h.size = ftell(in);
	rewind(in);
	if (h.size % SPARSE_BLOCK) {
		fprintf(stderr, "%s: size is not a multiple of %d\n", argv[1], SPARSE_BLOCK);
		return 1;
	}
	fwrite(&h, sizeof(h), 1, out);
	for (; fread(block, sizeof(block), 1, in) == 1; off += sizeof(block)) {
		if (!memcmp(block, zero, sizeof(block)))
			continue;
		fwrite(&off, sizeof(off), 1, out);
		fwrite(block, sizeof(block), 1, out);
	}
	if (off != h.size || ferror(in) || fclose(out)) {
		fprintf(stderr, "%s: could not copy all of %s\n", argv[2], argv[1]);
		return 1;
	}
	return 0;
}
