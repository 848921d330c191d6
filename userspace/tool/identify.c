// SPDX-License-Identifier: GPL-2.0
/*
 * identify - one form for the answers of the module and of the parser
 */
#include <stdio.h>
#include <string.h>

#include "tool.h"

void answer_object(struct answer *a, const struct buildidx_object *obj, const char *from)
{
	memset(a, 0, sizeof(*a));
	a->from = from;
	a->kind = obj->kind;
	a->source = obj->source;
	a->status = obj->status;
	a->id_len = obj->id_len;
	a->id_have = obj->id_len;
	memcpy(a->id, obj->id, obj->id_len);
}

bool frame_has_offset(const struct buildidx_frame *frame)
{
	switch (frame->status) {
	case BUILDIDX_STATUS_OK:
	case BUILDIDX_STATUS_NOT_INDEXED:
	case BUILDIDX_STATUS_PENDING:
	case BUILDIDX_STATUS_NOT_RESIDENT:
	case BUILDIDX_STATUS_MODIFIED:
	case BUILDIDX_STATUS_TOO_LONG:
	case BUILDIDX_STATUS_NO_NOTE:
	case BUILDIDX_STATUS_READ_ERROR:
	case BUILDIDX_STATUS_GENERATED:
		return true;
	default:
		return false;
	}
}

void answer_frame(struct answer *a, const struct buildidx *bx,
		  const struct buildidx_frame *frame)
{
	struct buildidx_object obj;

	memset(a, 0, sizeof(*a));
	a->from = FROM_INDEX;
	a->kind = frame->kind;
	a->source = frame->source;
	a->status = frame->status;
	a->id_len = frame->id_len;
	a->id_have = frame->id_len;
	if (a->id_have > sizeof(frame->id))
		a->id_have = sizeof(frame->id);
	memcpy(a->id, frame->id, a->id_have);

	/* The rest needs a privilege; without it the part is shown as one. */
	if (a->id_have < a->id_len && frame->object &&
	    buildidx_get_object(bx, frame->object, &obj, NULL) == 0 &&
	    obj.kind == frame->kind && obj.id_len == frame->id_len) {
		a->id_have = obj.id_len;
		memcpy(a->id, obj.id, obj.id_len);
	}
}

void answer_error(struct answer *a, int error, const struct buildidx_error *err,
		  const char *from)
{
	struct buildidx_error text = *err;

	memset(a, 0, sizeof(*a));
	a->error = error;
	a->err = text;
	a->from = from;
}

void answer_status(struct answer *a, unsigned int status, const char *from)
{
	memset(a, 0, sizeof(*a));
	a->status = status;
	a->from = from;
}

void answer_fd(struct answer *a, const struct buildidx *bx, int fd)
{
	struct buildidx_object obj;
	struct buildidx_error err;
	int ret;

	if (bx && buildidx_get_fd(bx, fd, &obj, &err) == 0 &&
	    obj.kind != BUILDIDX_KIND_NONE) {
		answer_object(a, &obj, FROM_INDEX);
		return;
	}
	ret = buildidx_parse_fd(fd, &obj, &err);
	if (ret)
		answer_error(a, ret, &err, FROM_FILE);
	else
		answer_object(a, &obj, FROM_FILE);
}

bool answer_has_id(const struct answer *a)
{
	return !a->error && a->kind != BUILDIDX_KIND_NONE;
}

int answer_exit_code(const struct answer *a)
{
	if (a->error)
		return exit_code_of(a->error);
	return answer_has_id(a) ? EXIT_OK : EXIT_PARTLY;
}

const char *answer_id_text(const struct answer *a, char *buf)
{
	buildidx_format_id(a->kind, a->id, a->id_have, buf, BUILDIDX_FORMAT_MAX);
	if (a->id_have < a->id_len)
		strcat(buf, "...");
	return buf;
}

const char *answer_status_name(const struct answer *a)
{
	return a->error ? "error" : buildidx_status_name(a->status);
}
