// SPDX-License-Identifier: GPL-2.0
/*
 * symbols_bpf - functions and lines of BPF programs, from their records
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_fold.h"
#include "symbols_bpf.h"
#include "tool.h"

static void find(void *ctx, uint64_t offset, struct functions *f)
{
	const struct buildidx_rec_bpf *rec = ctx;
	struct buildidx_bpf_where w;

	if (buildidx_bpf_find(rec, offset, &w) && *w.name)
		functions_add(f, w.name, w.file, w.line);
}

void symbols_add_bpf(struct symbols *s, const struct buildidx_rec_bpf *rec)
{
	char *id = fold_id(BUILDIDX_KIND_BPF, rec->build_id, sizeof(rec->build_id),
			   sizeof(rec->build_id));
	void *copy = must(malloc(rec->rec.size));

	memcpy(copy, rec, rec->rec.size);
	symbols_add_source(s, id, find, copy, free);
	free(id);
}

/* With another's build ID, it would give that one's frames its names. */
static int add_record(struct symbols *s, const struct buildidx_rec_bpf *rec, const char *shown)
{
	if (buildidx_bpf_build_id_matches(rec)) {
		symbols_add_bpf(s, rec);
		return EXIT_OK;
	}
	complain("%s: program %u, object %" PRIu64 ": its build ID is not that of its content: left aside",
		 shown, rec->id, (uint64_t)rec->object);
	return EXIT_PARTLY;
}

static int read_records(struct symbols *s, struct buildidx_capture *c, const char *shown)
{
	const struct buildidx_rec *rec;
	struct buildidx_error err;
	int ret, code = EXIT_OK;

	while ((ret = buildidx_capture_next(c, &rec, &err))) {
		if (ret > 0) {
			if (rec->type == BUILDIDX_REC_BPF_LOAD)
				code = worse_of(code, add_record(s, (const void *)rec, shown));
			continue;
		}
		complain("%s: %s", shown, err.text);
		code = EXIT_PARTLY;
		if (ret != -EBADMSG)
			break;
	}
	return code;
}

int symbols_add_records(struct symbols *s, const char *path)
{
	struct buildidx_capture *c;
	struct buildidx_error err;
	char *shown = escaped(path);
	int fd, ret, code;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain("%s: %s", shown, strerror(errno));
		code = exit_code_of(-errno);
		goto out;
	}
	ret = buildidx_capture_open(fd, &c, &err);
	if (ret) {
		complain("%s: %s", shown, err.text);
		code = exit_code_of(ret);
		goto close_fd;
	}
	code = read_records(s, c, shown);
	buildidx_capture_close(c);
close_fd:
	close(fd);
out:
	free(shown);
	return code;
}
