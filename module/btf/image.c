// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "image.h"
#include "unpack.h"

/* A larger kernel does not exist; a damaged size field does. */
#define KERNEL_SIZE_MAX	(1U << 30)

/* x86 boot protocol: places in the first sectors of a bzImage */
#define SETUP_SECTS		0x1f1
#define SETUP_MAGIC		0x202
#define SETUP_VERSION		0x206
#define SETUP_PAYLOAD_OFFSET	0x248
#define SETUP_PAYLOAD_LENGTH	0x24c
#define SECTOR			512

/* EFI zboot: a PE file that tells where its compressed kernel is */
#define ZBOOT_MAGIC		4
#define ZBOOT_PAYLOAD_OFFSET	8
#define ZBOOT_PAYLOAD_LENGTH	12

static int is_elf(const struct blob *b)
{
	return b->size >= 4 && !memcmp(b->data, "\x7f" "ELF", 4);
}

static int is_bzimage(const struct blob *b)
{
	return b->size >= SETUP_PAYLOAD_LENGTH + 4 &&
	       !memcmp(b->data + SETUP_MAGIC, "HdrS", 4) &&
	       get16(b->data + SETUP_VERSION) >= 0x208;
}

static int is_zboot(const struct blob *b)
{
	return b->size >= ZBOOT_PAYLOAD_LENGTH + 4 && !memcmp(b->data, "MZ", 2) &&
	       !memcmp(b->data + ZBOOT_MAGIC, "zimg", 4);
}

static int is_arm64_image(const struct blob *b)
{
	return b->size >= 64 && !memcmp(b->data + 56, "ARM\x64", 4);
}

/*
 * kbuild appends the uncompressed size, 4 bytes, to what the compressor wrote; gzip's own trailer is
 * just that.
 */
static int unpack_sized(const char *path, struct blob stream, struct blob *out)
{
	const char *method = unpack_method(&stream);
	uint32_t size;

	if (!method || stream.size < 8) {
		complain("%s: its payload is compressed in a way that is not supported (gzip, xz, lz4, zstd are)",
			 path);
		return -1;
	}
	size = get32(stream.data + stream.size - 4);
	if (!size || size > KERNEL_SIZE_MAX) {
		complain("%s: damaged: its kernel claims to have %u bytes", path, size);
		return -1;
	}
	if (strcmp(method, "gzip"))
		stream.size -= 4;
	if (unpack(&stream, size, out)) {
		complain("%s: damaged, or needs a library that is named above", path);
		return -1;
	}
	return 0;
}

int image_load(const char *path, struct blob *out)
{
	struct blob file, payload;
	uint64_t offset;
	int ret = -1;

	if (file_read(path, &file))
		return -1;

	if (is_bzimage(&file)) {
		offset = file.data[SETUP_SECTS] ? file.data[SETUP_SECTS] : 4;
		offset = (offset + 1) * SECTOR + get32(file.data + SETUP_PAYLOAD_OFFSET);
		payload.size = get32(file.data + SETUP_PAYLOAD_LENGTH);
	} else if (is_zboot(&file)) {
		offset = get32(file.data + ZBOOT_PAYLOAD_OFFSET);
		payload.size = get32(file.data + ZBOOT_PAYLOAD_LENGTH);
	} else if (unpack_method(&file)) {
		offset = 0;
		payload.size = file.size;
	} else if (is_elf(&file) || is_arm64_image(&file)) {
		*out = file;
		return 0;
	} else {
		complain("%s: not a kernel image that is known (bzImage, arm64 Image, EFI zboot, vmlinux)", path);
		goto free;
	}

	if (!blob_holds(&file, offset, payload.size)) {
		complain("%s: damaged: its payload lies outside of the file", path);
		goto free;
	}
	payload.data = file.data + offset;
	ret = unpack_sized(path, payload, out);
free:
	free(file.data);
	return ret;
}

int image_is_release(const struct blob *image, const char *release)
{
	char banner[256];
	int len;

	len = snprintf(banner, sizeof(banner), "Linux version %s ", release);
	if (len < 0 || (size_t)len >= sizeof(banner))
		return 0;
	return memmem(image->data, image->size, banner, len) != NULL;
}
