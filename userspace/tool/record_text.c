// SPDX-License-Identifier: GPL-2.0
/*
 * record_text - records for people and for scripts
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf_names.h"
#include "records.h"

#define NS	1000000000

const char *time_text(int64_t realtime, uint64_t time, char *buf)
{
	int64_t ns = (int64_t)((uint64_t)realtime + time);
	time_t sec = ns / NS;
	struct tm tm;
	char date[32];

	if (!time || ns < 0 || !localtime_r(&sec, &tm) ||
	    !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		return strcpy(buf, "-");
	snprintf(buf, TIME_TEXT_MAX, "%s.%03d", date, (int)(ns % NS / 1000000));
	return buf;
}

/* Digits behind a decimal point, as nanoseconds */
static bool parse_fraction(const char *text, uint64_t *ns)
{
	size_t i, len = strlen(text);

	if (!len || len > 9 || text[strspn(text, "0123456789")])
		return false;
	*ns = strtoull(text, NULL, 10);
	for (i = len; i < 9; i++)
		*ns *= 10;
	return true;
}

static bool parse_boottime(const char *text, uint64_t *time)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t fraction = 0;

	if (!digits)
		return false;
	errno = 0;
	*time = strtoull(text, NULL, 10);
	if (errno || (text[digits] && text[digits] != '.'))
		return false;
	if (!text[digits])
		return *time != 0;
	if (!parse_fraction(text + digits + 1, &fraction) || *time > UINT64_MAX / NS - 1)
		return false;
	*time = *time * NS + fraction;
	return *time != 0;
}

static bool parse_date(int64_t realtime, const char *text, uint64_t *time)
{
	struct tm tm = { .tm_isdst = -1 };
	const char *rest = strptime(text, "%Y-%m-%d %H:%M:%S", &tm);
	uint64_t fraction = 0;
	time_t sec;

	if (!rest || (*rest == '.' ? !parse_fraction(rest + 1, &fraction) : *rest != '\0'))
		return false;
	sec = mktime(&tm);
	if (sec < 0 || sec > INT64_MAX / NS - 1 ||
	    (int64_t)(sec * NS + (int64_t)fraction) <= realtime)
		return false;
	*time = (uint64_t)(sec * NS + (int64_t)fraction) - (uint64_t)realtime;
	return true;
}

bool time_parse(int64_t realtime, const char *text, uint64_t *time)
{
	char *shown;

	if (parse_boottime(text, time) || parse_date(realtime, text, time))
		return true;
	shown = escaped(text);
	complain("not a time since boot: '%s': give nanoseconds or seconds with a decimal point since boot, or 'YYYY-MM-DD HH:MM:SS[.fraction]'",
		 shown);
	free(shown);
	return false;
}

void json_add_time(struct json_object *o, const char *key, int64_t realtime, uint64_t time)
{
	uint64_t ns = (uint64_t)realtime + time;
	char text[48], date[32], name[40];
	time_t sec = (time_t)(ns / NS);
	struct tm tm;

	snprintf(name, sizeof(name), "%s_utc", key);
	if (!time || !gmtime_r(&sec, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm)) {
		json_add_text(o, key, NULL);
		json_add_text(o, name, NULL);
		return;
	}
	/* as a number it would exceed 2^53 */
	snprintf(text, sizeof(text), "%" PRIu64 ".%09" PRIu64, time / NS, time % NS);
	json_add_text(o, key, text);
	snprintf(text, sizeof(text), "%s.%09" PRIu64 "Z", date, ns % NS);
	json_add_text(o, name, text);
}

char *source_text(const char *text)
{
	size_t len, size;
	char *shown;

	text += strspn(text, " \t");
	len = strlen(text);
	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	/* Blanks between words are what one wants to read; all else is escaped. */
	size = buildidx_escape(text, len, NULL, 0) + 1;
	shown = must(calloc(1, size));
	for (size = 0; len; text++, len--) {
		size_t word = strcspn(text, " \t");

		if (word > len)
			word = len;
		if (!word) {
			shown[size++] = ' ';
			continue;
		}
		size += buildidx_escape(text, word, shown + size,
					buildidx_escape(text, word, NULL, 0) + 1);
		text += word - 1;
		len -= word - 1;
	}
	return shown;
}

const char *bpf_name(const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f = buildidx_bpf_func(r, 0);
	const char *name = f ? buildidx_record_text(&r->rec, f->name) : "";

	/* the symbol has the whole name, where BTF gave it */
	if (!*name)
		name = buildidx_record_text(&r->rec, r->name);
	return *name ? name : "-";
}

static void add_hex(struct json_object *o, const char *key, const void *bytes, size_t len)
{
	char hex[2 * BUILDIDX_TEXT_MAX + 1];

	buildidx_hex(bytes, len, hex, sizeof(hex));
	json_add_text(o, key, len ? hex : NULL);
}

static void add_who(struct json_object *o, const char *key, uint32_t pid, uint32_t tid,
		    const uint32_t *uid, const void *comm)
{
	struct json_object *who;

	if (!pid) {
		json_add_text(o, key, NULL);
		return;
	}
	who = json_new();
	json_add_u64(who, "pid", pid);
	json_add_u64(who, "tid", tid);
	if (uid)
		json_add_u64(who, "uid", *uid);
	json_add_name(who, "comm", comm);
	json_add_object(o, key, who);
}

static void add_head(struct json_object *o, const struct buildidx_rec *rec, int64_t realtime)
{
	json_add_text(o, "type", buildidx_record_name(rec->type));
	if (rec->seq)
		json_add_u64(o, "seq", rec->seq);
	json_add_time(o, "time", realtime, rec->time);
}

static void add_funcs(struct json_object *o, const struct buildidx_rec_bpf *r)
{
	const struct buildidx_bpf_func *f;
	struct json_object *part;
	uint32_t i;

	json_array_add(o, "functions", NULL);
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		part = json_new();
		json_add_name(part, "name", buildidx_record_text(&r->rec, f->name));
		if (!(r->flags & BUILDIDX_REC_NO_ADDRESS))
			json_add_address(part, "address", f->addr);
		json_add_u64(part, "offset", f->image);
		json_add_u64(part, "bytes", f->len);
		json_add_u64(part, "lines", f->lines);
		json_array_add(o, "functions", part);
	}
}

static void add_maps(struct json_object *o, const struct buildidx_rec_bpf *r)
{
	const uint32_t *maps;
	uint32_t i, count;

	json_array_add(o, "maps", NULL);
	maps = buildidx_bpf_maps(r, &count);
	for (i = 0; i < count; i++) {
		struct json_object *part = json_new();

		json_add_u64(part, "id", maps[i]);
		json_array_add(o, "maps", part);
	}
}

struct json_object *bpf_json(const struct buildidx_rec_bpf *r, int64_t realtime)
{
	struct json_object *o = json_new();
	size_t len;

	add_head(o, &r->rec, realtime);
	json_add_u64(o, "id", r->id);
	json_add_u64(o, "object", r->object);
	json_add_name(o, "name", bpf_name(r));
	json_add_text(o, "state", r->flags & BUILDIDX_REC_GONE ? "gone" : "live");
	json_add_text(o, "prog_type", bpf_type_name(r->prog_type));
	json_add_u64(o, "prog_type_number", r->prog_type);
	json_add_text(o, "attach_type", bpf_attach_name(r->prog_type, r->attach_type));
	json_add_u64(o, "attach_type_number", r->attach_type);
	json_add_name(o, "attach_to", r->attach_name ?
		      buildidx_record_text(&r->rec, r->attach_name) : NULL);
	json_add_u64(o, "attach_btf_id", r->attach_btf_id);
	json_add_u64(o, "attach_prog", r->attach_prog);
	add_hex(o, "tag", r->tag, sizeof(r->tag));
	add_hex(o, "build_id", r->build_id, sizeof(r->build_id));
	json_add_bool(o, "build_id_matches", buildidx_bpf_build_id_matches(r));
	json_add_u64(o, "verified_insns", r->verified_insns);
	json_add_bool(o, "gpl", r->flags & BUILDIDX_BPF_GPL);
	json_add_bool(o, "jited", !(r->flags & BUILDIDX_BPF_NO_JIT));
	json_add_bool(o, "btf", !(r->flags & BUILDIDX_BPF_NO_BTF));
	json_add_bool(o, "adopted", r->flags & BUILDIDX_REC_ADOPTED);
	json_add_bool(o, "addresses_hidden", r->flags & BUILDIDX_REC_NO_ADDRESS);
	json_add_bool(o, "cut", r->flags & BUILDIDX_REC_CUT);
	json_add_bool(o, "image", buildidx_bpf_image(r, &len) != NULL);
	json_add_u64(o, "image_bytes", buildidx_bpf_size(r));
	json_add_time(o, "loaded", realtime, r->load_time);
	add_who(o, "loaded_by", r->pid, r->tid, &r->uid, r->comm);
	json_add_time(o, "unloaded", realtime, r->unload_time);
	add_who(o, "unloaded_by", r->unload_pid, r->unload_tid, NULL, r->unload_comm);
	add_maps(o, r);
	add_funcs(o, r);
	return o;
}

static void add_file(struct json_object *o, const struct buildidx_object *obj)
{
	struct answer a;

	json_add_u64(o, "object", obj->object);
	json_add_u64(o, "dev_major", obj->dev_major);
	json_add_u64(o, "dev_minor", obj->dev_minor);
	json_add_u64(o, "ino", obj->ino);
	json_add_u64(o, "file_size", obj->file_size);
	answer_object(&a, obj, FROM_INDEX);
	json_add_answer(o, &a);
}

static void add_life(struct json_object *o, const struct buildidx_rec *rec, int64_t realtime)
{
	const struct record_life life = record_life(rec);

	json_add_u64(o, "object", life.object);
	json_add_text(o, "state", life.flags & BUILDIDX_REC_GONE ? "gone" : "live");
	json_add_bool(o, "adopted", life.flags & BUILDIDX_REC_ADOPTED);
	json_add_time(o, "loaded", realtime, life.load_time);
	json_add_time(o, "unloaded", realtime, life.unload_time);
}

static void add_range(struct json_object *o, uint32_t flags, uint64_t addr, uint64_t len)
{
	if (!(flags & BUILDIDX_REC_NO_ADDRESS))
		json_add_address(o, "address", addr);
	json_add_u64(o, "bytes", len);
}

static const char *ksym_kind(uint32_t kind)
{
	return kind == BUILDIDX_KSYM_BPF ? "bpf" : kind == BUILDIDX_KSYM_OOL ? "ool" : "unknown";
}

struct json_object *record_json(const struct buildidx_rec *rec, int64_t realtime)
{
	const struct buildidx_rec_object *object = (const void *)rec;
	const struct buildidx_rec_map *map = (const void *)rec;
	const struct buildidx_rec_bpf_unload *unload = (const void *)rec;
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;
	struct json_object *o;

	if (rec->type == BUILDIDX_REC_BPF_LOAD)
		return bpf_json((const void *)rec, realtime);
	o = json_new();
	add_head(o, rec, realtime);
	switch (rec->type) {
	case BUILDIDX_REC_LOST:
		json_add_u64(o, "lost", ((const struct buildidx_rec_lost *)rec)->lost);
		break;
	case BUILDIDX_REC_OBJECT:
		add_file(o, &object->obj);
		json_add_name(o, "path", object->path ?
			      buildidx_record_text(rec, object->path) : NULL);
		add_who(o, "process", object->pid, object->tid, &object->uid, object->comm);
		break;
	case BUILDIDX_REC_MAP:
		add_file(o, &map->obj);
		json_add_name(o, "path", map->path ? buildidx_record_text(rec, map->path) : NULL);
		json_add_address(o, "address", map->addr);
		json_add_u64(o, "bytes", map->len);
		json_add_u64(o, "offset", map->offset);
		add_who(o, "process", map->pid, map->tid, &map->uid, map->comm);
		break;
	case BUILDIDX_REC_BPF_UNLOAD:
		json_add_u64(o, "id", unload->id);
		add_life(o, rec, realtime);
		add_hex(o, "tag", unload->tag, sizeof(unload->tag));
		add_hex(o, "build_id", unload->build_id, sizeof(unload->build_id));
		add_who(o, "unloaded_by", unload->unload_pid, unload->unload_tid, NULL,
			unload->unload_comm);
		break;
	case BUILDIDX_REC_KSYM:
		json_add_name(o, "name", (const char *)ksym->name);
		json_add_text(o, "kind", ksym_kind(ksym->kind));
		add_life(o, rec, realtime);
		add_range(o, ksym->flags, ksym->addr, ksym->len);
		break;
	case BUILDIDX_REC_MODULE:
		json_add_name(o, "name", (const char *)module->name);
		add_hex(o, "build_id", module->id, module->id_len);
		add_life(o, rec, realtime);
		add_range(o, module->flags, module->addr, module->len);
		json_add_address(o, "vaddr", module->vaddr);
		break;
	default:
		json_add_u64(o, "type_number", rec->type);
		json_add_u64(o, "bytes", rec->size);
		break;
	}
	return o;
}

static void print_file(const struct buildidx_rec *rec, const struct buildidx_object *obj,
		       uint32_t path, uint32_t pid, const void *comm)
{
	char *name = escaped(buildidx_record_text(rec, path)), *who = escaped(comm);
	char id[ANSWER_TEXT_MAX];
	struct answer a;

	answer_object(&a, obj, FROM_INDEX);
	printf("%s %s, object %" PRIu64, answer_id_text(&a, id), *name ? name : "-",
	       (uint64_t)obj->object);
	if (obj->status != BUILDIDX_STATUS_OK)
		printf(", %s", buildidx_status_name(obj->status));
	if (pid)
		printf(", pid %u %s", pid, who);
	free(name);
	free(who);
}

static void print_load(const struct buildidx_rec_bpf *r)
{
	char *name = escaped(bpf_name(r)), *who = escaped((const char *)r->comm);
	char id[2 * BUILDIDX_BPF_ID_LEN + 1];

	buildidx_hex(r->build_id, sizeof(r->build_id), id, sizeof(id));
	printf("%s %s %s, program %u, object %" PRIu64 ", %u functions, %" PRIu64 " bytes", id, name,
	       bpf_type_name(r->prog_type), r->id, (uint64_t)r->object, buildidx_bpf_count(r),
	       buildidx_bpf_size(r));
	if (r->pid)
		printf(", pid %u %s", r->pid, who);
	if (r->flags & BUILDIDX_REC_GONE)
		printf(", gone since");
	free(name);
	free(who);
}

static void print_unload(const struct buildidx_rec_bpf_unload *r)
{
	char *who = escaped((const char *)r->unload_comm);
	char id[2 * BUILDIDX_BPF_ID_LEN + 1];

	buildidx_hex(r->build_id, sizeof(r->build_id), id, sizeof(id));
	printf("%s program %u, object %" PRIu64, id, r->id, (uint64_t)r->object);
	if (r->unload_pid)
		printf(", pid %u %s", r->unload_pid, who);
	free(who);
}

static void print_text(const void *text, const char *what, uint64_t object, uint32_t flags,
		       uint64_t addr, uint64_t len)
{
	char *name = escaped(text);

	printf("%s%s%s, object %" PRIu64, name, what ? " " : "", what ? what : "", object);
	if (!(flags & BUILDIDX_REC_NO_ADDRESS))
		printf(", 0x%" PRIx64, addr);
	printf(", %" PRIu64 " bytes", len);
	free(name);
}

void record_print(const struct buildidx_rec *rec, int64_t realtime)
{
	const struct buildidx_rec_object *object = (const void *)rec;
	const struct buildidx_rec_map *map = (const void *)rec;
	const struct buildidx_rec_ksym *ksym = (const void *)rec;
	const struct buildidx_rec_module *module = (const void *)rec;
	const struct record_life life = record_life(rec);
	char when[TIME_TEXT_MAX], id[2 * BUILDIDX_ID_MAX + 1];
	bool went = life.flags & BUILDIDX_REC_GONE && rec->type != BUILDIDX_REC_BPF_LOAD;
	bool came = life.object || rec->type == BUILDIDX_REC_OBJECT ||
		    rec->type == BUILDIDX_REC_MAP;

	printf("%-23s %-10s %s ", time_text(realtime, rec->time, when),
	       buildidx_record_name(rec->type), went ? "-" : came ? "+" : " ");
	switch (rec->type) {
	case BUILDIDX_REC_LOST:
		printf("%" PRIu64 " records lost",
		       (uint64_t)((const struct buildidx_rec_lost *)rec)->lost);
		break;
	case BUILDIDX_REC_OBJECT:
		print_file(rec, &object->obj, object->path, object->pid, object->comm);
		break;
	case BUILDIDX_REC_MAP:
		print_file(rec, &map->obj, map->path, map->pid, map->comm);
		printf(", 0x%" PRIx64 ", %" PRIu64 " bytes from %" PRIu64, (uint64_t)map->addr,
		       (uint64_t)map->len, (uint64_t)map->offset);
		break;
	case BUILDIDX_REC_BPF_LOAD:
		print_load((const void *)rec);
		break;
	case BUILDIDX_REC_BPF_UNLOAD:
		print_unload((const void *)rec);
		break;
	case BUILDIDX_REC_KSYM:
		print_text(ksym->name, ksym_kind(ksym->kind), ksym->object, ksym->flags, ksym->addr,
			   ksym->len);
		break;
	case BUILDIDX_REC_MODULE:
		buildidx_hex(module->id, module->id_len, id, sizeof(id));
		printf("%s ", *id ? id : "-");
		print_text(module->name, NULL, module->object, module->flags, module->addr,
			   module->len);
		break;
	default:
		printf("type %u, %u bytes", rec->type, rec->size);
		break;
	}
	putchar('\n');
}
