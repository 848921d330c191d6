// SPDX-License-Identifier: GPL-2.0
/*
 * Compare answers with the truth.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

static int parse_ident(struct ident *ident, const char *line)
{
	char hex[2 * BUILDIDX_ID_MAX + 1];
	unsigned int byte;
	size_t i, len;

	memset(ident, 0, sizeof(*ident));
	if (sscanf(line, "%64s %63s", hex, ident->name) != 2)
		return -EINVAL;
	len = strlen(hex);
	if (len % 2)
		return -EINVAL;
	for (i = 0; i < len / 2; i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			return -EINVAL;
		ident->id[i] = byte;
	}
	ident->len = len / 2;
	return 0;
}

struct ident *ident_load(const char *path, size_t *count)
{
	struct ident *table = NULL;
	struct ident *longer;
	char line[256];
	size_t n = 0;
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return NULL;
	}
	while (fgets(line, sizeof(line), f)) {
		longer = realloc(table, (n + 1) * sizeof(*table));
		if (!longer) {
			fprintf(stderr, "%s: out of memory\n", path);
			goto fail;
		}
		table = longer;
		if (parse_ident(&table[n], line)) {
			fprintf(stderr, "%s:%zu: not \"HEXID NAME\": %s", path, n + 1, line);
			goto fail;
		}
		n++;
	}
	fclose(f);
	if (!n)
		fprintf(stderr, "%s: empty\n", path);
	*count = n;
	return table;
fail:
	fclose(f);
	free(table);
	return NULL;
}

const struct ident *ident_find(const struct ident *table, size_t count, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static __u64 true_offset(const struct truth_range *range, __u64 ip)
{
	return ip - range->start + range->offset;
}

enum verdict judge_stack_id(const struct bpf_stack_build_id *f, const struct truth_range *range,
			    const struct ident *ident, __u64 ip)
{
	__u8 padded[BPF_BUILD_ID_SIZE] = { 0 };

	if (f->status != BPF_STACK_BUILD_ID_VALID)
		return f->status == BPF_STACK_BUILD_ID_IP && f->ip != ip ? VERDICT_WRONG :
									   VERDICT_NONE;
	/* An ID that does not fit must not be answered in this format. */
	if (!range || !ident || ident->len > sizeof(padded))
		return VERDICT_WRONG;
	memcpy(padded, ident->id, ident->len);
	if (memcmp(f->build_id, padded, sizeof(padded)) || f->offset != true_offset(range, ip))
		return VERDICT_WRONG;
	return VERDICT_RIGHT;
}

enum verdict judge_frame(const struct buildidx_frame *f, const struct truth_range *range,
			 const struct ident *ident, __u64 ip)
{
	if (f->ip != ip)
		return VERDICT_WRONG;
	if (f->status != BUILDIDX_STATUS_OK)
		return VERDICT_NONE;
	if (!range || !ident || f->kind != BUILDIDX_KIND_GNU || f->id_len != ident->len)
		return VERDICT_WRONG;
	if (memcmp(f->id, ident->id, sizeof(f->id)) || f->offset != true_offset(range, ip))
		return VERDICT_WRONG;
	return VERDICT_RIGHT;
}
