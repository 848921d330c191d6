// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_status - is the module there, and does all of it work?
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static const struct {
	uint32_t bit;
	const char *key;
	const char *text;
} kfunc_types[] = {
	{ BUILDIDX_KFUNC_TRACING, "tracing", "tracing (fentry, fexit, tp_btf, iterators)" },
	{ BUILDIDX_KFUNC_PERF, "perf_event", "perf_event and tracepoint" },
	{ BUILDIDX_KFUNC_KPROBE, "kprobe", "kprobe and uprobe" },
	{ BUILDIDX_KFUNC_RAW_TP, "raw_tp", "raw tracepoint" },
};
#define NR_KFUNC_TYPES	(sizeof(kfunc_types) / sizeof(kfunc_types[0]))

static const struct {
	uint32_t bit;
	const char *key;
	const char *text;
} kernel_parts[] = {
	{ BUILDIDX_KERNEL_VMLINUX, "vmlinux", "vmlinux" },
	{ BUILDIDX_KERNEL_MODULES, "modules", "modules" },
	{ BUILDIDX_KERNEL_BPF, "bpf", "BPF programs" },
	{ BUILDIDX_KERNEL_KSYM, "ksym", "generated text" },
};
#define NR_KERNEL_PARTS	(sizeof(kernel_parts) / sizeof(kernel_parts[0]))

/*
 * What does not work, one line each on stderr, with what to do next.
 * Returns EXIT_OK or EXIT_PARTLY.
 */
static int report_faults(const struct buildidx_info *info)
{
	int code = EXIT_OK;
	uint32_t i;

	if (info->abi_version != BUILDIDX_ABI_VERSION) {
		complain("module ABI %u, tool ABI %u: install the same version of both",
			 info->abi_version, BUILDIDX_ABI_VERSION);
		code = EXIT_NO_MODULE;
	}
	if (hooks_silenced(info)) {
		complain("hooks were silenced, as kprobes were disarmed: every lookup answers off; `buildidx doctor` says what to do");
		code = worse_of(code, EXIT_PARTLY);
	} else if (!info->hooks_on) {
		complain("hooks are switched off by a module parameter: every lookup answers off");
		code = worse_of(code, EXIT_PARTLY);
	}
	for (i = 0; info->hooks_on && i < info->nr_hooks; i++) {
		const struct buildidx_hook *h = &info->hooks[i];

		if (h->state != BUILDIDX_HOOK_OFF)
			continue;
		complain("hook %s is not placed: %s; see dmesg", h->name,
			 h->error ? strerror((int)h->error) : "no reason given");
		code = worse_of(code, EXIT_PARTLY);
	}
	for (i = 0; info->hooks_on && keeps_records(info) && i < NR_KERNEL_PARTS; i++) {
		if (info->kernel_state & kernel_parts[i].bit)
			continue;
		complain("%s: not recorded, so kernel frames there stay unresolved; `buildidx doctor` says more",
			 kernel_parts[i].text);
		code = worse_of(code, EXIT_PARTLY);
	}
	if (info->kfunc_state & BUILDIDX_KFUNC_NO_BTF) {
		complain("the module has no BTF, so BPF programs cannot call it: install pahole and the image package of this kernel, and rebuild the module with dkms");
		code = worse_of(code, EXIT_PARTLY);
	} else if (info->kfunc_error) {
		complain("the kfuncs are not registered: %s; see dmesg",
			 strerror((int)info->kfunc_error));
		code = worse_of(code, EXIT_PARTLY);
	}
	return code;
}

static struct json_object *kernel_json(const struct buildidx_info *info)
{
	struct json_object *o = json_new();
	size_t i;

	for (i = 0; i < NR_KERNEL_PARTS; i++)
		json_add_bool(o, kernel_parts[i].key, info->kernel_state & kernel_parts[i].bit);
	json_add_u64(o, "records_live", info->records_live);
	json_add_u64(o, "records_gone", info->records_gone);
	json_add_u64(o, "history_bytes", info->history_bytes);
	json_add_u64(o, "history_max", info->history_max);
	json_add_u64(o, "stream_bytes", info->stream_bytes);
	json_add_u64(o, "stream_max", info->stream_max);
	json_add_u64(o, "stream_first", info->stream_first);
	json_add_u64(o, "stream_next", info->stream_next);
	return o;
}

static void print_json(const struct buildidx_info *info)
{
	struct json_object *o = json_new(), *part;
	uint32_t i;

	json_add_bool(o, "loaded", true);
	json_add_text(o, "tool_version", buildidx_version());
	json_add_bytes(o, "module_version", info->version, strlen(info->version));
	json_add_u64(o, "tool_abi", BUILDIDX_ABI_VERSION);
	json_add_u64(o, "module_abi", info->abi_version);
	json_add_text(o, "capture", buildidx_capture_name(info->capture_mode));
	json_add_bool(o, "hooks_on", info->hooks_on);

	json_array_add(o, "hooks", NULL);
	for (i = 0; i < info->nr_hooks; i++) {
		const struct buildidx_hook *h = &info->hooks[i];

		part = json_new();
		json_add_bytes(part, "name", h->name, strlen(h->name));
		json_add_bytes(part, "symbol", h->symbol, strlen(h->symbol));
		json_add_text(part, "state", buildidx_hook_state_name(h->state));
		json_add_u64(part, "errno", h->error);
		json_add_u64(part, "hits", h->hits);
		json_add_u64(part, "missed", h->missed);
		json_array_add(o, "hooks", part);
	}

	part = json_new();
	json_add_bool(part, "btf", !(info->kfunc_state & BUILDIDX_KFUNC_NO_BTF));
	for (i = 0; i < NR_KFUNC_TYPES; i++)
		json_add_bool(part, kfunc_types[i].key, info->kfunc_state & kfunc_types[i].bit);
	json_add_u64(part, "errno", info->kfunc_error);
	json_add_object(o, "kfuncs", part);

	part = json_new();
	json_add_u64(part, "entries", info->entries);
	json_add_u64(part, "max_entries", info->max_entries);
	json_add_u64(part, "heads", info->heads);
	json_add_object(o, "index", part);
	if (keeps_records(info))
		json_add_object(o, "kernel", kernel_json(info));
	json_print(o);
}

static void print_hook(const struct buildidx_hook *h)
{
	char name[4 * BUILDIDX_NAME_MAX], symbol[4 * BUILDIDX_NAME_MAX];

	buildidx_escape(h->name, strlen(h->name), name, sizeof(name));
	buildidx_escape(h->symbol, strlen(h->symbol), symbol, sizeof(symbol));
	printf("hook %-7s %-6s %s: %" PRIu64 " hits, %" PRIu64 " missed\n", name,
	       buildidx_hook_state_name(h->state), *symbol ? symbol : "-",
	       (uint64_t)h->hits, (uint64_t)h->missed);
}

static void print_text(const struct buildidx_info *info)
{
	char version[4 * BUILDIDX_NAME_MAX];
	uint32_t i;

	buildidx_escape(info->version, strlen(info->version), version, sizeof(version));
	printf("module       loaded, version %s, ABI %u\n", version, info->abi_version);
	printf("tool         version %s, ABI %u\n", buildidx_version(), BUILDIDX_ABI_VERSION);
	printf("hooks        %s\n", info->hooks_on ? "on" : "off");
	for (i = 0; i < info->nr_hooks; i++)
		print_hook(&info->hooks[i]);
	printf("capture      %s\n",
	       info->capture_mode == BUILDIDX_CAPTURE_TASK_WORK ?
	       "task-work: before the mapping task runs its first instruction" :
	       info->capture_mode == BUILDIDX_CAPTURE_WORKER ?
	       "worker: a mapping may be used for a short time before it is indexed" :
	       buildidx_capture_name(info->capture_mode));
	for (i = 0; i < NR_KFUNC_TYPES; i++)
		printf("kfunc        %-3s %s\n",
		       info->kfunc_state & kfunc_types[i].bit ? "yes" : "no",
		       kfunc_types[i].text);
	for (i = 0; keeps_records(info) && i < NR_KERNEL_PARTS; i++)
		printf("kernel       %-3s %s\n",
		       info->kernel_state & kernel_parts[i].bit ? "yes" : "no",
		       kernel_parts[i].text);
	if (keeps_records(info))
		printf("records      %" PRIu64 " of what is there, %" PRIu64 " of what is gone in %" PRIu64 " of %" PRIu64 " KiB\n"
		       "stream       from %" PRIu64 " to %" PRIu64 ", %" PRIu64 " of %" PRIu64 " KiB\n",
		       (uint64_t)info->records_live, (uint64_t)info->records_gone,
		       (uint64_t)info->history_bytes / 1024, (uint64_t)info->history_max / 1024,
		       (uint64_t)info->stream_first, (uint64_t)info->stream_next,
		       (uint64_t)info->stream_bytes / 1024, (uint64_t)info->stream_max / 1024);
	printf("index        %" PRIu64 " of %" PRIu64 " files, %" PRIu64 " heads\n",
	       (uint64_t)info->entries, (uint64_t)info->max_entries, (uint64_t)info->heads);
}

static void print_absent(const struct options *opt, int error, const struct buildidx_error *err)
{
	struct json_object *o;

	if (!opt->json)
		return;
	o = json_new();
	json_add_bool(o, "loaded", !access("/sys/module/buildidx", F_OK));
	json_add_text(o, "tool_version", buildidx_version());
	json_add_u64(o, "tool_abi", BUILDIDX_ABI_VERSION);
	json_add_text(o, "error", err->text);
	json_add_u64(o, "errno", (uint64_t)-error);
	json_print(o);
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct buildidx_info info;
	struct buildidx_error err;
	struct buildidx *bx;
	int ret;

	(void)argc;
	(void)argv;
	ret = buildidx_open(&bx, BUILDIDX_OPEN_ANY_ABI, &err);
	if (!ret) {
		ret = buildidx_get_info(bx, &info, &err);
		buildidx_close(bx);
	}
	if (ret) {
		print_absent(opt, ret, &err);
		return device_refused(ret, &err, "");
	}
	if (opt->json)
		print_json(&info);
	else
		print_text(&info);
	return report_faults(&info);
}

const struct command cmd_status = {
	.name = "status",
	.args = "",
	.summary = "Whether the module is there and all of it works",
	.help =
	"Versions, hooks, how files are captured, which BPF program types may call the\n"
	"kfuncs, what of the kernel is recorded, and how full the index is. What does not\n"
	"work is named on stderr with what to do next, and makes the exit code 1.\n",
	.accepts = OPT_JSON,
	.run = run,
};
