// SPDX-License-Identifier: GPL-2.0
/*
 * t_lookup: kernel addresses by kfunc in NMI context and by ioctl, against what the kernel
 * itself says of them: vmlinux, modules, BPF programs, trampolines, the dispatcher,
 * kprobe slots; and case B2: all of that when it came after the reader, and when it is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "ksyms.h"
#include "rec.h"
#include "sample.h"
#include "truth.h"

#define SAMPLES		30
#define STACK_ID_LEN	20 /* of struct bpf_stack_build_id */
/* Here and above is nothing, whatever symbol comes last. */
#define LAST_OF_ALL	0xffffffffff600000ULL

static int dev;
static uint64_t offset;		/* of vmlinux from where it was linked to run */
static uint64_t etext;		/* its end */
static uint8_t vmlinux_id[32];
static size_t vmlinux_id_len;

/* The program that the samples are in, and what is attached to what. */
static struct gen gen = {
	.name = "looked_up", .file = "/src/lookup.bpf.c", .line = 40, .funcs = 4, .loops = 300,
};
static struct truth truth;
static uint8_t bpf_id[BUILDIDX_BPF_ID_LEN];

/* --- what an address is, by the kernel's own word --- */

/**
 * struct want - the right answer
 * @status: enum buildidx_status
 * @kind: enum buildidx_kind
 * @id: identity
 * @id_len: its length
 * @offset: offset
 * @name: of the record's symbol, module or program
 */
struct want {
	unsigned int status;
	unsigned int kind;
	uint8_t id[32];
	size_t id_len;
	uint64_t offset;
	char name[BUILDIDX_KSYM_NAME_LEN];
};

static bool want_program(uint64_t addr, struct want *w)
{
	int i = truth_func(&truth, addr);
	uint64_t image = 0;
	int k;

	if (i < 0)
		return false;
	/* each function's text starts at a multiple of 16 */
	for (k = 0; k < i; k++)
		image += (truth.len[k] + 15) & ~15U;
	w->status = BUILDIDX_STATUS_OK;
	w->kind = BUILDIDX_KIND_BPF;
	memcpy(w->id, bpf_id, sizeof(bpf_id));
	w->id_len = sizeof(bpf_id);
	w->offset = image + addr - truth.addr[i];
	snprintf(w->name, sizeof(w->name), "%s", truth.info.name);
	return true;
}

/* False when nothing can be said: another program's text. */
static bool want_of(uint64_t addr, struct want *w)
{
	const struct ksym *s = ksyms_at(addr);

	memset(w, 0, sizeof(*w));
	if (want_program(addr, w))
		return true;
	if (!s || addr >= LAST_OF_ALL || (!s->module[0] && addr >= etext)) {
		w->status = BUILDIDX_STATUS_KERNEL;
		return true;
	}
	if (!s->module[0]) {
		w->kind = BUILDIDX_KIND_GNU;
		w->id_len = vmlinux_id_len;
		memcpy(w->id, vmlinux_id, sizeof(w->id));
		w->offset = addr - offset;
		snprintf(w->name, sizeof(w->name), "vmlinux");
		return true;
	}
	if (!strcmp(s->module, "bpf") && !strncmp(s->name, "bpf_prog_", 9))
		return false;
	if (!strcmp(s->module, "bpf") || !strncmp(s->module, "__builtin__", 11)) {
		w->status = BUILDIDX_STATUS_GENERATED;
		w->offset = addr - s->addr;
		snprintf(w->name, sizeof(w->name), "%s", s->name);
		return true;
	}
	w->id_len = kernel_build_id(s->module, w->id);
	w->kind = w->id_len ? BUILDIDX_KIND_GNU : BUILDIDX_KIND_NONE;
	w->status = w->id_len ? BUILDIDX_STATUS_OK : BUILDIDX_STATUS_GENERATED;
	w->offset = addr - module_base(s->module);
	snprintf(w->name, sizeof(w->name), "%s", s->module);
	return true;
}

static const char *frame_differs(const struct want *w, const struct buildidx_frame *f, uint64_t addr)
{
	if (f->ip != addr)
		return "ip";
	if (f->status != w->status)
		return "status";
	if (f->kind != w->kind || f->id_len != w->id_len || memcmp(f->id, w->id, w->id_len))
		return "identity";
	if (f->offset != w->offset)
		return "offset";
	if (!f->object != (w->status == BUILDIDX_STATUS_KERNEL))
		return "object";
	if (f->kind == BUILDIDX_KIND_GNU && f->source != BUILDIDX_SOURCE_KERNEL)
		return "source";
	return NULL;
}

/* What the record that a frame names says of itself. */
static const char *record_differs(const struct want *w, const struct buildidx_rec *r)
{
	const struct buildidx_rec_module *m = (const void *)r;
	const struct buildidx_rec_bpf *b = (const void *)r;
	const struct buildidx_rec_ksym *k = (const void *)r;

	switch (r->type) {
	case BUILDIDX_REC_BPF_LOAD:
		return strcmp(rec_text(b, b->name), w->name) ? "name of the program" : NULL;
	case BUILDIDX_REC_MODULE:
		return strcmp((const char *)m->name, w->name) ? "name of the module" :
		       m->id_len != w->id_len || memcmp(m->id, w->id, w->id_len) ? "ID in the record" :
		       NULL;
	case BUILDIDX_REC_KSYM:
		return strcmp((const char *)k->name, w->name) ? "name of the symbol" : NULL;
	}
	return "type of the record";
}

static const char *answer_differs(const struct want *w, const struct buildidx_frame *f, uint64_t addr)
{
	const char *what = frame_differs(w, f, addr);
	struct buildidx_rec *r;
	int err;

	if (what || !f->object)
		return what;
	err = rec_by_object(dev, f->object, &r);
	what = err ? "record by object: none" : record_differs(w, r);
	free(r);
	if (what)
		return what;
	err = rec_by_address(dev, addr, 0, &r);
	what = err ? "record by address: none" : record_differs(w, r);
	free(r);
	return what;
}

/* The drop-in kfunc: kernel addresses only where they were asked for. */
static const char *dropin_differs(const struct want *w, const struct kern_sample *s, int i)
{
	const struct bpf_stack_build_id *user = &s->user[i], *kernel = &s->kernel[i];

	if (user->status != BPF_STACK_BUILD_ID_IP || user->ip != s->ips[i])
		return "drop-in kfunc without BUILDIDX_F_KERNEL";
	if (w->status != BUILDIDX_STATUS_OK || w->id_len > STACK_ID_LEN)
		return kernel->status == BPF_STACK_BUILD_ID_IP && kernel->ip == s->ips[i] ? NULL :
			"drop-in kfunc: not an IP";
	return kernel->status == BPF_STACK_BUILD_ID_VALID && kernel->offset == w->offset &&
	       !memcmp(kernel->build_id, w->id, w->id_len) ? NULL : "drop-in kfunc: ID or offset";
}

/* --- something to sample --- */

static pid_t start_running(int fd, unsigned int times)
{
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		pin_to(CPU_TARGET);
		for (;;)
			if (gen_run(fd, times))
				_exit(1);
	}
	return pid;
}

static void end_running(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Every frame of real stacks. */
static void stacks(pid_t pid)
{
	unsigned int i, n = sample_take(pid, SAMPLES), frames = 0, programs = 0, unknown = 0, bad = 0;
	unsigned int vmlinux = 0;
	struct kern_sample s;
	struct want w;
	int k;

	for (i = 0; i < n; i++) {
		sample_get(i, &s);
		if (s.frames_ret != KERN_DEPTH || s.user_ret != KERN_DEPTH ||
		    s.kernel_ret != KERN_DEPTH || s.probes_ret != KERN_PROBES)
			bad++;
		for (k = 0; k < KERN_DEPTH && s.ips[k]; k++) {
			const char *what;

			frames++;
			if (!want_of(s.ips[k], &w)) {
				unknown++;
				if (s.frames[k].status == BUILDIDX_STATUS_OK &&
				    s.frames[k].kind == BUILDIDX_KIND_BPF)
					continue;
				if (bad++ < 3)
					diag("another program: %s", show_frame(0, &s.frames[k]));
				continue;
			}
			programs += w.kind == BUILDIDX_KIND_BPF;
			vmlinux += !strcmp(w.name, "vmlinux");
			what = answer_differs(&w, &s.frames[k], s.ips[k]);
			if (!what)
				what = dropin_differs(&w, &s, k);
			if (what && bad++ < 3)
				diag("%s: %s; %s+%#llx", what, show_frame(0, &s.frames[k]), w.name,
				     (unsigned long long)w.offset);
		}
	}
	ok(n && programs && vmlinux > n && !bad,
	   "NMI stacks: %u samples, %u frames, %u in the program, %u in vmlinux, %u in others, %u wrong",
	   n, frames, programs, vmlinux, unknown, bad);
}

/* --- single addresses, by kfunc in NMI and by QUERY_ADDR --- */

struct asked {
	uint64_t addr;
	const char *what;
};

static struct asked asked[KERN_PROBES];
static size_t nr_asked;

static void ask(uint64_t addr, const char *what)
{
	if (nr_asked == KERN_PROBES)
		bail("too many addresses");
	asked[nr_asked++] = (struct asked) { addr, what };
}

static void ask_symbol(const char *name, unsigned int into, const char *what)
{
	const struct ksym *s = ksyms_named(name, "");

	if (ok(s, "%s: %s is there", what, name))
		ask(s->addr + into, what);
}

static void addresses(pid_t pid, const char *when)
{
	uint64_t addr[KERN_PROBES];
	static struct kern_sample s;
	struct buildidx_frame f;
	unsigned int n;
	size_t i;

	for (i = 0; i < nr_asked; i++)
		addr[i] = asked[i].addr;
	sample_probe(addr, nr_asked);
	n = sample_take(pid, 3);
	sample_probe(NULL, 0);
	if (!ok(n, "%s: sampled", when))
		return;
	sample_get(n - 1, &s);
	for (i = 0; i < nr_asked; i++) {
		const char *in_nmi, *by_ioctl;
		struct want w;
		int err;

		if (!want_of(addr[i], &w))
			bail("%s: %#llx cannot be judged", asked[i].what, (unsigned long long)addr[i]);
		in_nmi = answer_differs(&w, &s.probes[i], addr[i]);
		err = dev_addr64(dev, 0, addr[i], &f);
		by_ioctl = err ? strerror(-err) : answer_differs(&w, &f, addr[i]);
		if (!ok(!in_nmi && !by_ioctl, "%s: %s: %s, in NMI and by QUERY_ADDR", when,
			asked[i].what, status_name(w.status)))
			diag("NMI: %s: %s; ioctl: %s: %s; wanted %s %s offset %#llx",
			     in_nmi ? in_nmi : "right", show_frame(0, &s.probes[i]),
			     by_ioctl ? by_ioctl : "right", show_frame(err, &f), w.name,
			     hex(w.id, w.id_len), (unsigned long long)w.offset);
	}
	nr_asked = 0;
}

static void in_vmlinux(void)
{
	ask_symbol("_stext", 0, "vmlinux, first byte of its text");
	ask_symbol("vfs_read", 9, "vmlinux, in a function");
	ask_symbol("schedule", 1, "vmlinux, in the scheduler");
	ask(etext - 1, "vmlinux, last byte of its text");
	ask(((etext + (2 << 20) - 1) & ~((2ULL << 20) - 1)) + 4096, "vmlinux, behind its text");
	ask(0xffff888000000000ULL + 0x5000, "memory that is no text");
	ask(0xffffffffffffff00ULL, "the last addresses of all");
}

static void in_modules(void)
{
	static const char * const modules[] = { "ext4", "jbd2", "buildidx" };
	size_t i;

	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		const struct ksym *s = ksyms_of_module(modules[i], 0);

		if (!s) /* built in, or not needed by this kernel */
			continue;
		ask(module_base(modules[i]), modules[i]);
		s = ksyms_of_module(modules[i], 20);
		if (s)
			ask(s->addr + 3, modules[i]);
		s = ksyms_of_module(modules[i], 25);
		if (s)
			ask(s->addr, modules[i]);
	}
	ok(nr_asked >= 2, "modules: %zu addresses in them", nr_asked);
}

static void in_program(void)
{
	unsigned int i;

	for (i = 0; i < truth.nr_funcs; i++) {
		ask(truth.addr[i], i ? "subprogram, first byte" : "program, first byte");
		ask(truth.addr[i] + truth.len[i] - 1, i ? "subprogram, last byte" : "program, last byte");
	}
}

/* --- generated text --- */

#define TRACING		"/sys/kernel/tracing/"
#define INSTANCE	TRACING "instances/bpfrec"
#define KPROBES		4
#define BEFORE_MAX	64
#define EVENTS_MAX	256

static int fentry_prog = -1, fentry_link = -1, xdp_prog = -1;

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

static bool make_trampoline(void)
{
	struct gen g = { .name = "on_fentry", .file = "/src/lookup.bpf.c", .line = 900, .funcs = 2 };
	struct btf *vmlinux = btf__load_vmlinux_btf();
	int id;

	id = vmlinux ? btf__find_by_name_kind(vmlinux, "bpf_fentry_test1", BTF_KIND_FUNC) : -1;
	if (id < 0)
		bail("bpf_fentry_test1 is not in the kernel's BTF");
	btf__free(vmlinux);
	g.type = BPF_PROG_TYPE_TRACING;
	g.expected = BPF_TRACE_FENTRY;
	g.attach_btf_id = id;
	fentry_prog = gen_load(&g, NULL);
	fentry_link = fentry_prog < 0 ? -1 : bpf_raw_tracepoint_open(NULL, fentry_prog);
	return fentry_link >= 0;
}

static bool unmake_trampoline(void)
{
	return !close(fentry_link) && !close(fentry_prog);
}

/* XDP programs that run more than once run through it; it stays from then on. */
static bool make_dispatcher(void)
{
	struct gen g = {
		.name = "dispatched", .file = "/src/lookup.bpf.c", .line = 1900, .funcs = 2,
		.type = BPF_PROG_TYPE_XDP,
	};

	xdp_prog = gen_load(&g, NULL);
	return xdp_prog >= 0 && !gen_run(xdp_prog, 5);
}

/* A tracer of its own for one function calls it through a trampoline of its own. */
static bool make_ftrace(void)
{
	return !mkdir(INSTANCE, 0700) && write_text(INSTANCE "/set_ftrace_filter", "vfs_statfs\n") &&
	       write_text(INSTANCE "/current_tracer", "function\n");
}

static bool unmake_ftrace(void)
{
	return write_text(INSTANCE "/current_tracer", "nop\n") && !rmdir(INSTANCE);
}

/* In the middle of a function; only where an instruction starts. */
static bool make_kprobes(void)
{
	unsigned int into, probes = 0;
	char text[96];

	for (into = 5; probes < KPROBES && into < 40; into++) {
		snprintf(text, sizeof(text), "p:bpfrec/slot%u vfs_statfs+%u\n", into, into);
		probes += write_text(TRACING "kprobe_events", text);
	}
	return probes == KPROBES;
}

static bool unmake_kprobes(void)
{
	unsigned int into, probes = 0;
	char text[96];

	for (into = 5; into < 40; into++) {
		snprintf(text, sizeof(text), "-:bpfrec/slot%u\n", into);
		probes += write_text(TRACING "kprobe_events", text);
	}
	return probes == KPROBES;
}

/**
 * struct text - one kind of generated text
 * @what: for people
 * @start: what its symbol's name starts with
 * @module: what /proc/kallsyms has in brackets
 * @make: have the kernel generate it
 * @unmake: have it gone, NULL when it stays
 * @stays: its page stays, or is freed at the kernel's leisure
 * @old: there may be none: it is in text that is older than the module
 * @before: where such text was before
 * @nr_before: how many
 * @name: its symbol
 * @addr: its first address
 * @object: its record
 */
struct text {
	const char *what;
	const char *start;
	const char *module;
	bool (*make)(void);
	bool (*unmake)(void);
	bool stays;
	bool old;
	uint64_t before[BEFORE_MAX];
	size_t nr_before;
	char name[BUILDIDX_KSYM_NAME_LEN];
	uint64_t addr;
	uint64_t object;
};

static struct text texts[] = {
	{ .what = "trampoline", .start = "bpf_trampoline_", .module = "bpf",
	  .make = make_trampoline, .unmake = unmake_trampoline },
	{ .what = "dispatcher", .start = "bpf_dispatcher_xdp", .module = "bpf",
	  .make = make_dispatcher, .stays = true },
	{ .what = "ftrace trampoline", .start = "ftrace_trampoline", .module = "__builtin__ftrace",
	  .make = make_ftrace, .unmake = unmake_ftrace },
	{ .what = "kprobe slot", .start = "kprobe_", .module = "__builtin__kprobes",
	  .make = make_kprobes, .unmake = unmake_kprobes, .stays = true, .old = true },
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static void remember(struct text *t)
{
	const struct ksym *s;
	uint64_t from = 0;

	while (t->nr_before < BEFORE_MAX && (s = ksyms_like(t->start, t->module, from))) {
		t->before[t->nr_before++] = s->addr;
		from = s->addr + 1;
	}
}

static bool find_new(struct text *t)
{
	const struct ksym *s;
	uint64_t from = 0;
	size_t i;

	while ((s = ksyms_like(t->start, t->module, from))) {
		for (i = 0; i < t->nr_before && t->before[i] != s->addr; i++)
			;
		if (i == t->nr_before) {
			t->addr = s->addr;
			snprintf(t->name, sizeof(t->name), "%s", s->name);
			return true;
		}
		from = s->addr + 1;
	}
	return false;
}

static struct {
	uint64_t object;
	uint64_t addr;
	bool gone;
} events[EVENTS_MAX];
static size_t nr_events;

/* The record in the stream of what came, or went, at an address; 0: none did. */
static uint64_t told(struct stream *s, uint64_t addr, bool gone)
{
	const struct buildidx_rec *r;
	size_t i = 0;

	for (;;) {
		for (; i < nr_events; i++)
			if (events[i].addr == addr && events[i].gone == gone)
				return events[i].object;
		/* trampolines go when all tasks have been seen elsewhere */
		r = stream_next(s, gone ? 30000 : 2000);
		if (!r || nr_events == EVENTS_MAX)
			return 0;
		if (r->type == BUILDIDX_REC_KSYM) {
			const struct buildidx_rec_ksym *k = (const void *)r;

			events[nr_events].object = k->object;
			events[nr_events].addr = k->addr;
			events[nr_events++].gone = k->flags & BUILDIDX_REC_GONE;
		}
	}
}

/* After it went: by its number, and by its address at the time when it was there. */
static void still_known(const struct text *t, uint64_t time)
{
	const struct buildidx_rec_ksym *k;
	struct buildidx_rec *r;
	int err;

	err = rec_by_object(dev, t->object, &r);
	k = (const void *)r;
	ok(!err && r->type == BUILDIDX_REC_KSYM && k->flags & BUILDIDX_REC_GONE && k->unload_time > time,
	   "B2: %s that is gone: known by its number", t->what);
	free(r);
	err = rec_by_address(dev, t->addr + 5, time, &r);
	k = (const void *)r;
	if (!ok(!err && r->type == BUILDIDX_REC_KSYM && k->object == t->object &&
		!strcmp((const char *)k->name, t->name),
		"B2: %s that is gone: known by address and time", t->what))
		diag("error %d, wanted %s", -err, t->name);
	free(r);
}

/* All at once: reading /proc/kallsyms takes an emulated CPU seconds. */
static void generated(pid_t pid, struct stream *stream)
{
	uint64_t time;
	size_t i;

	for (i = 0; i < TEXTS; i++)
		remember(&texts[i]);
	for (i = 0; i < TEXTS; i++)
		ok(texts[i].make(), "%s: made", texts[i].what);
	ksyms_read();
	time = boottime();
	for (i = 0; i < TEXTS; i++) {
		struct text *t = &texts[i];

		if (!find_new(t) && t->old) {
			skip(t->what, "it is in text that is older than the module");
			continue;
		}
		if (!ok(t->addr, "%s: it is in /proc/kallsyms", t->what))
			continue;
		ask(t->addr, t->what);
		ask(t->addr + 5, t->what);
		t->object = told(stream, t->addr, false);
		ok(t->object, "B2: %s, %s, came in the stream", t->what, t->name);
	}
	addresses(pid, "generated");
	for (i = 0; i < TEXTS; i++) {
		struct text *t = &texts[i];

		if (!t->unmake)
			continue;
		ok(t->unmake(), "%s: taken away", t->what);
		if (!t->addr || t->stays)
			continue;
		ok(told(stream, t->addr, true) == t->object, "B2: that the %s went, too", t->what);
		still_known(t, time);
	}
	close(xdp_prog);
}

int main(void)
{
	const struct ksym *end;
	struct stream stream;
	int fd, err;
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	offset = kernel_offset();
	vmlinux_id_len = kernel_build_id("vmlinux", vmlinux_id);
	if (!vmlinux_id_len)
		bail("/sys/kernel/notes has no build ID");
	sample_start();
	stream_open(&stream, TYPE(KSYM) | TYPE(BPF_LOAD) | TYPE(BPF_UNLOAD) | TYPE(MODULE), false);
	fd = gen_load(&gen, NULL);
	err = fd < 0 ? fd : truth_ask(&truth, fd, -1);
	if (err)
		bail("loading %s: %s", gen.name, strerror(-err));
	truth_build_id(&truth, bpf_id);
	pid = start_running(fd, 2000);
	ksyms_read();
	end = ksyms_named("_etext", "");
	if (!end)
		bail("/proc/kallsyms does not tell where vmlinux ends");
	etext = end->addr;
	stacks(pid);
	in_vmlinux();
	addresses(pid, "vmlinux");
	in_modules();
	addresses(pid, "modules");
	in_program();
	addresses(pid, "BPF program");
	generated(pid, &stream);
	end_running(pid);
	close(fd);
	if (!ok(!stream.bad, "the stream's records are as the format says"))
		diag("%s", stream.first_bad);
	stream_close(&stream);
	sample_stop();
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
