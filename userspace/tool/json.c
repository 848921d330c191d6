// SPDX-License-Identifier: GPL-2.0
/*
 * json - output for scripts
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "../lib/utf8.h"

#define REPLACEMENT	"\xef\xbf\xbd"	/* U+FFFD */

static void add(struct json_object *o, const char *key, struct json_object *value)
{
	if (json_object_object_add(o, key, value) < 0)
		must(NULL);
}

struct json_object *json_new(void)
{
	return must(json_object_new_object());
}

void json_add_text(struct json_object *o, const char *key, const char *text)
{
	add(o, key, text ? must(json_object_new_string(text)) : NULL);
}

void json_add_bytes(struct json_object *o, const char *key, const void *bytes, size_t len)
{
	const unsigned char *s = bytes;
	char *text = must(malloc(len * strlen(REPLACEMENT) + 1));
	bool valid = true;
	size_t i, n, used = 0;
	uint32_t cp;

	for (i = 0; i < len; i += n) {
		n = bidx_utf8_next(s + i, len - i, &cp);
		if (n) {
			memcpy(text + used, s + i, n);
			used += n;
		} else {
			memcpy(text + used, REPLACEMENT, strlen(REPLACEMENT));
			used += strlen(REPLACEMENT);
			valid = false;
			n = 1;
		}
	}
	add(o, key, must(json_object_new_string_len(text, (int)used)));
	free(text);

	if (!valid) {
		char *hex = must(malloc(2 * len + 1));
		char name[64];

		buildidx_hex(bytes, len, hex, 2 * len + 1);
		snprintf(name, sizeof(name), "%s_hex", key);
		json_add_text(o, name, hex);
		free(hex);
	}
}

void json_add_name(struct json_object *o, const char *key, const char *name)
{
	if (name)
		json_add_bytes(o, key, name, strlen(name));
	else
		add(o, key, NULL);
}

void json_add_u64(struct json_object *o, const char *key, uint64_t value)
{
	add(o, key, must(json_object_new_uint64(value)));
}

void json_add_bool(struct json_object *o, const char *key, bool value)
{
	add(o, key, must(json_object_new_boolean(value)));
}

void json_add_address(struct json_object *o, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_add_text(o, key, text);
}

void json_add_object(struct json_object *o, const char *key, struct json_object *child)
{
	add(o, key, child);
}

/* Each kind has a member of its own, so that none is taken for another. */
static void add_identity(struct json_object *o, const struct answer *a)
{
	char hex[2 * BUILDIDX_TEXT_MAX + 1];

	buildidx_hex(a->id, a->id_have, hex, sizeof(hex));
	json_add_text(o, "build_id", a->kind == BUILDIDX_KIND_GNU ? hex : NULL);
	if (a->kind == BUILDIDX_KIND_GO)
		json_add_bytes(o, "go_build_id", a->id, a->id_have);
	if (a->kind == BUILDIDX_KIND_HASH)
		json_add_text(o, "hash", hex);
	if (a->kind == BUILDIDX_KIND_BPF)
		json_add_text(o, "bpf_build_id", hex);
	if (a->id_have < a->id_len)
		json_add_bool(o, "truncated", true);
}

void json_add_answer(struct json_object *o, const struct answer *a)
{
	json_add_text(o, "status", answer_status_name(a));
	json_add_text(o, "from", a->from);
	if (a->error) {
		json_add_text(o, "build_id", NULL);
		json_add_text(o, "error", a->err.text);
		json_add_u64(o, "errno", (uint64_t)-a->error);
		return;
	}
	json_add_text(o, "kind", buildidx_kind_name(a->kind));
	json_add_text(o, "source", buildidx_source_name(a->source));
	add_identity(o, a);
}

/*
 * json-c leaves DEL and U+0080 to U+009F as they are, which terminals obey. They stand in
 * strings alone, where JSON has another way to write them.
 */
static void put_escaped(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	for (; *p; p++) {
		if (*p == 0x7f)
			fputs("\\u007f", stdout);
		else if (*p == 0xc2 && p[1] <= 0x9f)
			printf("\\u%04x", *++p);
		else
			putchar(*p);
	}
}

static void print(struct json_object *o)
{
	put_escaped(must((void *)json_object_to_json_string_ext(o,
			 JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
	json_object_put(o);
}

void json_print(struct json_object *o)
{
	print(o);
	putchar('\n');
}

void json_list_start(struct json_list *l)
{
	l->count = 0;
	putchar('[');
}

void json_list_add(struct json_list *l, struct json_object *o)
{
	fputs(l->count++ ? ",\n" : "\n", stdout);
	print(o);
}

void json_list_end(struct json_list *l)
{
	puts(l->count ? "\n]" : "]");
}

void json_array_add(struct json_object *o, const char *key, struct json_object *element)
{
	struct json_object *array;

	if (!json_object_object_get_ex(o, key, &array)) {
		array = must(json_object_new_array());
		add(o, key, array);
	}
	if (element && json_object_array_add(array, element) < 0)
		must(NULL);
}
