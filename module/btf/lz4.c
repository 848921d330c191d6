// SPDX-License-Identifier: GPL-2.0
/*
 * LZ4, legacy container: magic, then blocks, each a little-endian size and that many bytes. A block
 * is a list of sequences: a token (high half: number of literals, low half: match length less 4, 15
 * means that bytes to add follow, the last one not 255), the literals, a 16-bit distance back.
 * A block ends with literals. Blocks do not refer to each other.
 */
#include <string.h>

#include "unpack.h"

#define LZ4_MIN_MATCH	4

/* Adds the length bytes that follow at *@pos to @len; -1 if the input ends first. */
static int long_length(const struct blob *in, size_t *pos, size_t *len)
{
	unsigned char byte;

	do {
		if (*pos >= in->size)
			return -1;
		byte = in->data[(*pos)++];
		*len += byte;
	} while (byte == 255);
	return 0;
}

/* Appends one block to @out at *@done. */
static int lz4_block(const struct blob *in, struct blob *out, size_t *done)
{
	const size_t start = *done;
	size_t pos = 0, len, distance;
	unsigned char token;

	while (pos < in->size) {
		token = in->data[pos++];

		len = token >> 4;
		if (len == 15 && long_length(in, &pos, &len))
			return -1;
		if (!blob_holds(in, pos, len) || !blob_holds(out, *done, len))
			return -1;
		memcpy(out->data + *done, in->data + pos, len);
		*done += len;
		pos += len;
		if (pos == in->size)
			return 0;

		if (!blob_holds(in, pos, 2))
			return -1;
		distance = get16(in->data + pos);
		pos += 2;
		len = token & 15;
		if (len == 15 && long_length(in, &pos, &len))
			return -1;
		len += LZ4_MIN_MATCH;
		if (!distance || distance > *done - start || !blob_holds(out, *done, len))
			return -1;
		/* source and target overlap when a short pattern repeats: byte by byte */
		for (; len; len--, (*done)++)
			out->data[*done] = out->data[*done - distance];
	}
	return -1;
}

int lz4_legacy(const struct blob *in, struct blob *out)
{
	size_t pos = 4, done = 0;

	while (done < out->size) {
		struct blob block;

		if (!blob_holds(in, pos, 4))
			return -1;
		block.size = get32(in->data + pos);
		pos += 4;
		if (!block.size || !blob_holds(in, pos, block.size))
			return -1;
		block.data = in->data + pos;
		if (lz4_block(&block, out, &done))
			return -1;
		pos += block.size;
	}
	return 0;
}
