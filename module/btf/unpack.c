// SPDX-License-Identifier: GPL-2.0
/*
 * Decompress a kernel image.
 *
 * A machine with dkms has no -dev package of a compression library, and zstd(1) and lz4(1) need not
 * be there either. But dpkg itself, which no Debian system lacks, depends on the shared objects
 * of zlib, liblzma and libzstd (Pre-Depends, bookworm and trixie). So the Makefile links against
 * those by file name, and the few functions used, whose interface has been frozen for years, are
 * declared here. LZ4 is in none of them and small enough to be written out (lz4.c). A library
 * that is absent at build time is left out, and an image that needs it is refused by name.
 */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "unpack.h"

#ifdef BIDX_HAVE_ZSTD
size_t ZSTD_decompress(void *dst, size_t dst_size, const void *src, size_t src_size);
unsigned int ZSTD_isError(size_t code);
#endif

#ifdef BIDX_HAVE_LZMA
int lzma_stream_buffer_decode(uint64_t *memlimit, uint32_t flags, const void *allocator,
			      const uint8_t *in, size_t *in_pos, size_t in_size,
			      uint8_t *out, size_t *out_pos, size_t out_size);
#endif

#ifdef BIDX_HAVE_ZLIB
/* zlib.h's z_stream; inflateInit2_() refuses a size that is not its own */
struct z_stream {
	const unsigned char *next_in;
	unsigned int avail_in;
	unsigned long total_in;
	unsigned char *next_out;
	unsigned int avail_out;
	unsigned long total_out;
	const char *msg;
	void *state;
	void *zalloc;
	void *zfree;
	void *opaque;
	int data_type;
	unsigned long adler;
	unsigned long reserved;
};

int inflateInit2_(struct z_stream *stream, int window_bits, const char *version, int size);
int inflate(struct z_stream *stream, int flush);
int inflateEnd(struct z_stream *stream);
#endif

const char *unpack_method(const struct blob *in)
{
	static const struct {
		const char *name;
		const char *magic;
		size_t len;
	} methods[] = {
		{ "gzip", "\x1f\x8b\x08", 3 },
		{ "xz", "\xfd" "7zXZ\0", 6 },
		{ "lz4", "\x02\x21\x4c\x18", 4 },
		{ "zstd", "\x28\xb5\x2f\xfd", 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (in->size >= methods[i].len && !memcmp(in->data, methods[i].magic, methods[i].len))
			return methods[i].name;
	}
	return NULL;
}

static int unpack_zstd(const struct blob *in, struct blob *out)
{
#ifdef BIDX_HAVE_ZSTD
	size_t n = ZSTD_decompress(out->data, out->size, in->data, in->size);

	return ZSTD_isError(n) || n != out->size ? -1 : 0;
#else
	complain("built without libzstd.so.1: install the package libzstd1");
	return -1;
#endif
}

static int unpack_xz(const struct blob *in, struct blob *out)
{
#ifdef BIDX_HAVE_LZMA
	uint64_t memlimit = 512 << 20;
	size_t in_pos = 0, out_pos = 0;

	if (lzma_stream_buffer_decode(&memlimit, 0, NULL, in->data, &in_pos, in->size,
				      out->data, &out_pos, out->size))
		return -1;
	return out_pos == out->size ? 0 : -1;
#else
	complain("built without liblzma.so.5: install the package liblzma5");
	return -1;
#endif
}

static int unpack_gzip(const struct blob *in, struct blob *out)
{
#ifdef BIDX_HAVE_ZLIB
	const int gzip_wrapper = 16 + 15, finish = 4, stream_end = 1;
	struct z_stream stream = { 0 };
	int ret;

	stream.next_in = in->data;
	stream.avail_in = in->size;
	stream.next_out = out->data;
	stream.avail_out = out->size;
	if (inflateInit2_(&stream, gzip_wrapper, "1.2.11", sizeof(stream)))
		return -1;
	ret = inflate(&stream, finish);
	inflateEnd(&stream);
	return ret == stream_end && stream.total_out == out->size ? 0 : -1;
#else
	complain("built without libz.so.1: install the package zlib1g");
	return -1;
#endif
}

int unpack(const struct blob *in, size_t size, struct blob *out)
{
	const char *method = unpack_method(in);
	int ret = -1;

	if (!method) {
		complain("neither gzip, xz, lz4 nor zstd: this compression is not supported");
		return -1;
	}
	out->size = size;
	out->data = malloc(size);
	if (!out->data) {
		complain("not enough memory for %zu bytes", size);
		return -1;
	}
	if (!strcmp(method, "zstd"))
		ret = unpack_zstd(in, out);
	else if (!strcmp(method, "xz"))
		ret = unpack_xz(in, out);
	else if (!strcmp(method, "gzip"))
		ret = unpack_gzip(in, out);
	else
		ret = lz4_legacy(in, out);
	if (ret) {
		complain("the %s data of the image cannot be decompressed", method);
		free(out->data);
		out->data = NULL;
	}
	return ret;
}
