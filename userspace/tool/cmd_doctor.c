// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_doctor - what is wrong on this machine, and what to do about it
 */
#include <stdio.h>
#include <sys/utsname.h>

#include "doctor.h"

static void ask_device(struct doctor *d)
{
	struct buildidx *bx;

	d->device_error = buildidx_open(&bx, BUILDIDX_OPEN_ANY_ABI, &d->device_text);
	if (d->device_error)
		return;
	d->device_error = buildidx_get_info(bx, &d->info, &d->device_text);
	/* the counters of another ABI would be misread */
	if (!d->device_error && d->info.abi_version == BUILDIDX_ABI_VERSION)
		d->stats_error = buildidx_get_stats(bx, -1, &d->stats, NULL);
	buildidx_close(bx);
}

static void print_text(const struct doctor *d)
{
	size_t i;

	for (i = 0; i < d->nr_found; i++) {
		const struct finding *f = &d->found[i];

		printf("%-6s %-16s %s\n", level_name(f->level), f->check, f->text);
		if (f->remedy)
			printf("%24s-> %s\n", "", f->remedy);
	}
}

static void print_json(const struct doctor *d)
{
	struct json_object *o = json_new(), *part;
	size_t i;

	json_add_text(o, "tool_version", d->version);
	json_add_name(o, "kernel", d->release);
	json_add_u64(o, "exit_code", (uint64_t)doctor_exit_code(d));
	json_array_add(o, "findings", NULL);
	for (i = 0; i < d->nr_found; i++) {
		part = json_new();
		json_add_text(part, "check", d->found[i].check);
		json_add_text(part, "level", level_name(d->found[i].level));
		json_add_text(part, "text", d->found[i].text);
		json_add_text(part, "remedy", d->found[i].remedy);
		json_array_add(o, "findings", part);
	}
	json_print(o);
}

static int run(const struct options *opt, int argc, char **argv)
{
	struct doctor d = { .root = "", .version = BUILDIDX_VERSION };
	struct utsname uts;
	int code;

	(void)argc;
	(void)argv;
	if (uname(&uts)) {
		complain("uname: this cannot be");
		return EXIT_PARTLY;
	}
	d.release = uts.release;
	d.library = buildidx_version();
	ask_device(&d);
	doctor_kernel(&d);
	doctor_module(&d);
	doctor_security(&d);
	doctor_device(&d);
	doctor_versions(&d);
	if (opt->json)
		print_json(&d);
	else
		print_text(&d);
	code = doctor_exit_code(&d);
	doctor_free(&d);
	return code;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "What is wrong on this machine, and what to do about it",
	.help =
	"Looks at the kernel and what a build needs, the module's file, its BTF and\n"
	"signature, lockdown and Secure Boot, the loaded module, and versions. Each line\n"
	"is a finding: how bad, the name of the check, what was found; below it, after\n"
	"\"->\", what to do. Levels:\n"
	"\n"
	"  ok      as it should be\n"
	"  note    worth knowing; nothing to mend\n"
	"  warn    works, but less than it could, or not for long    exit code 1\n"
	"  fail    does not work; exit code 1, or 3 where there is no module to use\n"
	"  denied  could not be looked at: not permitted             exit code 4\n"
	"\n"
	"Run it as root to have everything looked at. Nothing is changed.\n",
	.accepts = OPT_JSON,
	.run = run,
};
