// SPDX-License-Identifier: GPL-2.0
/*
 * firstinsn PAYLOAD: is a file known before its first instruction runs?
 *
 * Makes programs and libraries that the machine has never seen, half of them
 * pushed out of the page cache, executes or dlopens each once, and asks both
 * kfuncs at every instruction-fetch fault of those processes. Each fault in a
 * file mapping must be answered, and rightly. Prints TAP.
 *
 * PAYLOAD holds the templates, dlopener with its C library, this program's own
 * copy for its ID, and `ids`. FIRSTINSN_DIR must be on a disk.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sampler/files.h"
#include "../sampler/vdso.h"
#include "fetch.h"
#include "roster.h"
#include "template.h"

#define BATCHES	6 /* of each kind: 4 kinds x 6 x 50 = 1,200 fresh files */

/**
 * struct kind - one way to meet fresh files
 * @title: for people
 * @library: dlopen instead of execve
 * @cold: drop the page cache first
 * @files: fresh files met
 * @was_cold: of those, seen without note page and first page in the page cache
 * @met: files with at least one fetch fault in their code
 * @answered: of those, every such fault answered rightly by both kfuncs
 * @stock: of those, the first fault answered by the stock helper
 */
struct kind {
	const char *title;
	bool library;
	bool cold;
	unsigned long files;
	unsigned long was_cold;
	unsigned long met;
	unsigned long answered;
	unsigned long stock;
};

/* One fresh file of the batch at hand */
struct fresh {
	struct ident ident;
	pid_t pid; /* execve only */
	unsigned long faults;
	unsigned long bad;
	bool stock;
};

struct test {
	struct watcher *watcher;
	struct ident *idents;
	size_t nr_idents;
	struct template program;
	struct template library;
	struct truth self;
	struct ident vdso;
	struct roster *roster;
	int roster_fd;
	pid_t dlopener;
	const struct kind *kind;
	struct fresh fresh[BATCH];
	__u32 serial;
	unsigned long faults;	/* in file mappings (and the vDSO) */
	unsigned long answered;	/* of those, rightly by both */
	unsigned long wrong;	/* answers of either that are wrong */
	unsigned long nowhere;	/* faults outside of file mappings */
	int shown;
};

static void path_of(const struct kind *kind, int i, char *path, size_t size)
{
	snprintf(path, size, "%s/fresh%d%s", FIRSTINSN_DIR, i, kind->library ? ".so" : "");
}

static void show(struct test *t, const struct fetch *f, const struct truth_range *range, __u64 ip)
{
	if (t->shown++ >= 10)
		return;
	printf("# pid %u address 0x%llx in %s: drop-in status %d, rich status %u, offset 0x%llx instead of 0x%llx\n",
	       f->tgid, f->address, range ? range->name : "no file", f->dropin.status,
	       f->rich.status, f->rich.offset, range ? ip - range->start + range->offset : 0);
}

/*
 * @ip is the fault's address in terms of @range: for a fresh library, that in
 * the file. Returns true when both kfuncs answered rightly.
 */
static bool judge(struct test *t, const struct fetch *f, const struct truth_range *range,
		  const struct ident *ident, __u64 ip)
{
	struct bpf_stack_build_id dropin = f->dropin;
	struct buildidx_frame rich = f->rich;
	enum verdict a = VERDICT_NONE, b = VERDICT_NONE;
	bool right;

	if (f->dropin_ret == 1) {
		if (dropin.status == BPF_STACK_BUILD_ID_IP)
			dropin.ip += ip - f->address;
		a = judge_stack_id(&dropin, range, ident, ip);
	}
	if (f->rich_ret == 1) {
		rich.ip += ip - f->address;
		b = judge_frame(&rich, range, ident, ip);
	}
	t->wrong += a == VERDICT_WRONG || b == VERDICT_WRONG;
	right = a == VERDICT_RIGHT && b == VERDICT_RIGHT;
	if (!range) {
		t->nowhere++;
	} else {
		t->faults++;
		t->answered += right;
	}
	if (!right)
		show(t, f, range, ip);
	return right;
}

static void judge_fresh(struct test *t, const struct fetch *f, struct fresh *fresh,
			const struct truth_range *range, __u64 ip)
{
	if (!fresh->faults)
		fresh->stock = f->stock_ret > 0 && f->stock.status == BPF_STACK_BUILD_ID_VALID;
	fresh->faults++;
	fresh->bad += !judge(t, f, range, &fresh->ident, ip);
}

/* Anything that is not fresh: this program's own code before execve, dlopener's */
static void judge_known(struct test *t, const struct fetch *f, const struct truth *truth,
			const struct ident *vdso)
{
	const struct truth_range *range = truth_find(truth, f->address);
	const struct ident *ident = NULL;

	if (range && !strcmp(range->name, TRUTH_VDSO))
		ident = vdso;
	else if (range)
		ident = ident_find(t->idents, t->nr_idents, range->name);
	if (!ident)
		range = NULL;
	judge(t, f, range, ident, f->address);
}

static int one_exec(void *ctx, const struct fetch *f)
{
	const struct truth_range *range;
	struct test *t = ctx;
	int i;

	for (i = 0; i < BATCH; i++)
		if (t->fresh[i].pid == (pid_t)f->tgid)
			break;
	if (i == BATCH)
		return -ESRCH;
	range = truth_find(&t->program.layout, f->address);
	if (range)
		judge_fresh(t, f, &t->fresh[i], range, f->address);
	else
		judge_known(t, f, &t->self, &t->vdso);
	return 0;
}

static int one_dlopen(void *ctx, const struct fetch *f)
{
	const struct truth_range *range;
	struct test *t = ctx;
	const struct stay *stay;
	__u32 i;

	for (i = 0; i < t->roster->count; i++) {
		stay = &t->roster->stays[i];
		if (f->time_ns < stay->from_ns || f->time_ns > stay->until_ns)
			continue;
		range = truth_find(&t->library.layout, f->address - stay->base);
		if (range) {
			judge_fresh(t, f, &t->fresh[i], range, f->address - stay->base);
			return 0;
		}
	}
	/* before its execve it was a copy of this program */
	if (truth_find(&t->roster->truth, f->address))
		judge_known(t, f, &t->roster->truth, &t->roster->vdso);
	else
		judge_known(t, f, &t->self, &t->vdso);
	return 0;
}

/* Forks a child that waits to be watched and then runs @path. */
static pid_t start(struct test *t, const char *path, char *const argv[])
{
	int status, pipe_fds[2];
	char byte;
	pid_t pid;

	if (pipe(pipe_fds))
		return -errno;
	pid = fork();
	if (!pid) {
		close(pipe_fds[1]);
		if (read(pipe_fds[0], &byte, 1) == 1) {
			close(pipe_fds[0]);
			execv(path, argv);
		}
		_exit(127);
	}
	close(pipe_fds[0]);
	if (pid < 0 || watcher_add(t->watcher, pid) || write(pipe_fds[1], "g", 1) != 1)
		pid = -EIO;
	close(pipe_fds[1]);
	if (pid < 0)
		return pid;
	waitpid(pid, &status, 0);
	watcher_del(t->watcher, pid);
	if (status) {
		fprintf(stderr, "# %s: wait status 0x%x\n", path, status);
		return -ECHILD;
	}
	return pid;
}

static int count_cold(const struct kind *kind, const struct template *template)
{
	char path[128];
	int i, n = 0;

	for (i = 0; i < BATCH; i++) {
		path_of(kind, i, path, sizeof(path));
		n += files_page_cached(path, 0) == 0 &&
		     files_page_cached(path, template->note_at) == 0;
	}
	return n;
}

/* Pages that are just being looked at elsewhere stay; they go the next time. */
static int make_cold(struct kind *kind, const struct template *template)
{
	int cold = 0, tries, err;

	for (tries = 0; tries < 10 && cold < BATCH; tries++) {
		err = files_drop_caches();
		if (err)
			return err;
		cold = count_cold(kind, template);
	}
	kind->was_cold += cold;
	return 0;
}

static int make_batch(struct test *t, struct kind *kind)
{
	const struct template *template = kind->library ? &t->library : &t->program;
	char path[128];
	int i, err;

	memset(t->fresh, 0, sizeof(t->fresh));
	for (i = 0; i < BATCH; i++) {
		path_of(kind, i, path, sizeof(path));
		unlink(path);
		err = template_copy(template, path, ++t->serial, &t->fresh[i].ident);
		if (err)
			return err;
	}
	sync();
	return kind->cold ? make_cold(kind, template) : 0;
}

static int meet_programs(struct test *t, const struct kind *kind)
{
	char path[128];
	pid_t pid;
	int i;

	for (i = 0; i < BATCH; i++) {
		path_of(kind, i, path, sizeof(path));
		pid = start(t, path, (char *const []){ path, NULL });
		if (pid < 0)
			return pid;
		t->fresh[i].pid = pid;
	}
	return watcher_drain(t->watcher, one_exec, t);
}

static int meet_libraries(struct test *t)
{
	char fd[16], count[16];
	char *const argv[] = { "dlopener", fd, count, NULL };

	snprintf(fd, sizeof(fd), "%d", t->roster_fd);
	snprintf(count, sizeof(count), "%d", BATCH);
	memset(t->roster, 0, sizeof(*t->roster));
	t->dlopener = start(t, FIRSTINSN_DIR "/dlopener", argv);
	if (t->dlopener < 0)
		return t->dlopener;
	return watcher_drain(t->watcher, one_dlopen, t);
}

static int run_batch(struct test *t, struct kind *kind)
{
	int i, err;

	err = make_batch(t, kind);
	if (err)
		return err;
	err = kind->library ? meet_libraries(t) : meet_programs(t, kind);
	if (err < 0)
		return err;
	for (i = 0; i < BATCH; i++) {
		kind->files++;
		kind->met += t->fresh[i].faults != 0;
		kind->answered += t->fresh[i].faults && !t->fresh[i].bad;
		kind->stock += t->fresh[i].stock;
	}
	return 0;
}

static int set_up(struct test *t, const char *payload)
{
	char ids[512];
	int err;

	snprintf(ids, sizeof(ids), "%s/ids", payload);
	t->idents = ident_load(ids, &t->nr_idents);
	if (!t->idents)
		return -EINVAL;
	err = files_copy(payload, FIRSTINSN_DIR);
	if (!err)
		err = template_load(&t->program, payload,
				    ident_find(t->idents, t->nr_idents, "fresh"));
	if (!err)
		err = template_load(&t->library, payload,
				    ident_find(t->idents, t->nr_idents, "libfresh.so"));
	vdso_ident(&t->vdso);
	if (!err)
		err = truth_take(&t->self);
	if (err)
		return err;
	t->roster_fd = memfd_create("roster", 0);
	if (t->roster_fd < 0 || ftruncate(t->roster_fd, sizeof(*t->roster)))
		return -errno;
	t->roster = mmap(NULL, sizeof(*t->roster), PROT_READ | PROT_WRITE, MAP_SHARED,
			 t->roster_fd, 0);
	if (t->roster == MAP_FAILED)
		return -errno;
	t->watcher = watcher_open();
	return t->watcher ? 0 : -ENOEXEC;
}

static int nr_tests, nr_failed;

static void result(bool good, const char *text)
{
	nr_failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++nr_tests, text);
}

static void report(const struct test *t, const struct kind *kinds, size_t nr)
{
	unsigned long files = 0, answered = 0, cold = 0, was_cold = 0;
	char text[256];
	size_t i;

	printf("1..%zu\n", nr + 5);
	for (i = 0; i < nr; i++) {
		const struct kind *k = &kinds[i];

		snprintf(text, sizeof(text),
			 "%s: %lu of %lu answered from the first instruction on (stock: %lu)",
			 k->title, k->answered, k->files, k->stock);
		result(k->files && k->met == k->files && k->answered == k->files, text);
		files += k->files;
		answered += k->answered;
		cold += k->cold ? k->files : 0;
		was_cold += k->was_cold;
	}
	snprintf(text, sizeof(text), "at least 1000 fresh files, 500 of them seen to be cold: %lu and %lu",
		 files, was_cold);
	result(files >= 1000 && 2 * cold >= files && was_cold >= 500, text);
	snprintf(text, sizeof(text), "%lu of %lu fetch faults in file mappings answered",
		 t->answered, t->faults);
	result(t->faults && t->answered == t->faults, text);
	snprintf(text, sizeof(text), "wrong answers: %lu", t->wrong);
	result(!t->wrong, text);
	snprintf(text, sizeof(text), "fetch faults anywhere else: %lu", t->nowhere);
	result(!t->nowhere, text);
	snprintf(text, sizeof(text), "fetch faults lost: %lu", watcher_lost(t->watcher));
	result(!watcher_lost(t->watcher), text);
	printf("# firstinsn: fresh=%lu answered=%lu faults=%lu answered=%lu wrong=%lu\n", files,
	       answered, t->faults, t->answered, t->wrong);
}

int main(int argc, char **argv)
{
	static struct test t;
	static struct kind kinds[] = {
		{ .title = "execve, warm" },
		{ .title = "execve, cold", .cold = true },
		{ .title = "dlopen, warm", .library = true },
		{ .title = "dlopen, cold", .library = true, .cold = true },
	};
	const size_t nr = sizeof(kinds) / sizeof(kinds[0]);
	size_t i;
	int b, err;

	if (argc != 2) {
		fprintf(stderr, "usage: firstinsn PAYLOAD\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	err = set_up(&t, argv[1]);
	for (b = 0; b < BATCHES; b++)
		for (i = 0; i < nr && !err; i++)
			err = run_batch(&t, &kinds[i]);
	if (err) {
		printf("Bail out! %s\n", strerror(-err));
		return 1;
	}
	report(&t, kinds, nr);
	watcher_close(t.watcher);
	return nr_failed ? 1 : 0;
}
