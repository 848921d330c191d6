// SPDX-License-Identifier: GPL-2.0
/*
 * elfid_fuzz - libFuzzer target for bidx_identify()
 *
 * The file may be long and sparse, may become another one between two reads,
 * and a read may fail (input.h). Whatever happens, the parser keeps what
 * elfid.h promises; a broken promise is a crash.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../module/elfid.h"
#include "input.h"

#define LOG2_MAX	62U

struct file {
	const u8 *data;
	size_t len;
};

struct fuzz_reader {
	struct file first;
	struct file second;
	u64 size;
	u32 change_at;
	u32 fail_at;	/* 0: none */
	int error;
	u32 reads;
	u64 bytes;
	bool failed;
};

static void require(bool promise)
{
	if (!promise)
		abort();
}

static int fuzz_read(void *ctx, u64 off, void *buf, size_t len)
{
	struct fuzz_reader *f = ctx;
	const struct file *file = &f->first;
	u32 number = f->reads++;

	require(len && off <= f->size && len <= f->size - off);
	f->bytes += len;
	require(f->bytes <= BIDX_READ_MAX);
	require(!f->failed || f->error == -ENODATA);

	if (f->fail_at && number == f->fail_at - 1) {
		f->failed = true;
		return f->error;
	}
	if (f->second.len && number >= f->change_at)
		file = &f->second;

	memset(buf, 0, len);
	if (off < file->len)
		memcpy(buf, file->data + off, len < file->len - off ? len : file->len - off);
	return 0;
}

static void check_ident(const struct bidx_ident *id)
{
	size_t i;

	require(id->id_len && id->id_len <= sizeof(id->id));
	for (i = id->id_len; i < sizeof(id->id); i++)
		require(!id->id[i]);

	if (id->status == BUILDIDX_STATUS_OK) {
		require(id->source == BUILDIDX_SOURCE_PHDR ||
			id->source == BUILDIDX_SOURCE_SHDR);
		if (id->kind == BUILDIDX_KIND_GNU)
			require(id->id_len <= BUILDIDX_ID_MAX);
		else
			require(id->kind == BUILDIDX_KIND_GO && id->id[id->id_len - 1]);
	} else {
		require(id->status == BUILDIDX_STATUS_NO_NOTE ||
			id->status == BUILDIDX_STATUS_TOO_LONG);
		require(id->kind == BUILDIDX_KIND_HASH && id->id_len == 16);
		require(id->source == BUILDIDX_SOURCE_CONTENT);
	}
}

/* A build ID of a file that holds still stands in it byte for byte. */
static void check_origin(const struct fuzz_reader *f, const struct bidx_ident *id)
{
	size_t i;

	if (id->status != BUILDIDX_STATUS_OK)
		return;
	for (i = 0; i < f->first.len; i++) {
		size_t rest = f->first.len - i;
		size_t in_file = rest < id->id_len ? rest : id->id_len;
		size_t k;

		if (memcmp(f->first.data + i, id->id, in_file))
			continue;
		/* The end of the ID may lie in the zeros behind the bytes. */
		for (k = in_file; k < id->id_len; k++)
			if (id->id[k])
				break;
		if (k == id->id_len)
			return;
	}
	/* Or all of it. */
	for (i = 0; i < id->id_len; i++)
		require(!id->id[i]);
}

static int identify(struct fuzz_reader *f, struct bidx_ident *id)
{
	const struct bidx_reader r = { .read = fuzz_read, .ctx = f, .size = f->size };
	void *scratch = malloc(BIDX_SCRATCH_SIZE);
	int ret;

	require(scratch);
	memset(scratch, 0xa5, BIDX_SCRATCH_SIZE);
	memset(id, 0xa5, sizeof(*id));
	f->reads = 0;
	f->bytes = 0;
	f->failed = false;
	ret = bidx_identify(&r, id, scratch);
	free(scratch);
	return ret;
}

/* Return false for an input without a file. */
static bool decode(const u8 *data, size_t len, struct fuzz_reader *f)
{
	size_t first;

	if (len < FUZZ_HEADER)
		return false;
	memset(f, 0, sizeof(*f));
	f->change_at = data[0];
	f->fail_at = data[1];
	f->error = fuzz_errors[data[2] % FUZZ_ERROR_COUNT];
	first = data[4] | (size_t)data[5] << 8;
	if (first > len - FUZZ_HEADER)
		first = len - FUZZ_HEADER;
	f->first.data = data + FUZZ_HEADER;
	f->first.len = first;
	f->second.data = f->first.data + first;
	f->second.len = len - FUZZ_HEADER - first;
	f->size = first;
	if (data[3])
		f->size += 1ULL << (data[3] % (LOG2_MAX + 1));
	return true;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct fuzz_reader f;
	struct bidx_ident id, again;
	int ret;

	if (!decode(data, len, &f))
		return 0;
	ret = identify(&f, &id);
	if (f.failed && f.error != -ENODATA)
		require(ret == f.error);
	else if (f.failed)
		require(ret == 0 || ret == -ENODATA);
	else
		require(ret == 0);
	if (ret)
		return 0;
	check_ident(&id);

	if (f.second.len)
		return 0;
	check_origin(&f, &id);
	require(identify(&f, &again) == 0);
	require(!memcmp(&id, &again, sizeof(id)));
	return 0;
}
