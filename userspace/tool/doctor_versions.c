// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_versions - do tool, library and module belong together?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"

/* The real name of a shared library ends in its version. */
static void check_shared(struct doctor *d, const char *dir)
{
	static const char prefix[] = "libbuildidx.so.";
	char *link = probe_path(d, "%s/libbuildidx.so.0", dir);
	char target[256];
	const char *name, *version;
	ssize_t n;

	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		goto out;
	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	version = strncmp(name, prefix, sizeof(prefix) - 1) ? "" : name + sizeof(prefix) - 1;
	if (!strcmp(version, d->version)) {
		found(d, "library", LEVEL_OK, "%s, version %s", link, version);
	} else {
		found(d, "library", LEVEL_WARN, "%s is %s, this tool is version %s", link, target,
		      d->version);
		remedy(d, "install the same version of library and tool, or remove the other one");
	}
out:
	free(link);
}

static void check_module(struct doctor *d)
{
	char version[128];

	if (!doctor_loaded(d))
		return;
	probe_read(d, version, sizeof(version), "/sys/module/buildidx/version");
	if (!d->device_error && d->info.abi_version != BUILDIDX_ABI_VERSION) {
		found(d, "version", LEVEL_FAIL,
		      "module %s has ABI %u, tool %s has ABI %u: they do not understand each other",
		      version, d->info.abi_version, d->version, BUILDIDX_ABI_VERSION);
		found_code(d, EXIT_NO_MODULE);
		remedy(d, "install the same version of both, then modprobe -r buildidx and modprobe buildidx");
		return;
	}
	if (!d->device_error)
		snprintf(version, sizeof(version), "%s", d->info.version);
	if (!strcmp(version, d->version)) {
		found(d, "version", LEVEL_OK, "module and tool are both %s", version);
		return;
	}
	found(d, "version", LEVEL_WARN, "module %s, tool %s", version, d->version);
	remedy(d, "install the same version of both, then modprobe -r buildidx and modprobe buildidx");
}

void doctor_versions(struct doctor *d)
{
	static const char *const dirs[] = {
		"/usr/local/lib", "/usr/local/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
		"/usr/local/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
		"/usr/lib",
	};
	size_t i;

	if (strcmp(d->library, d->version)) {
		found(d, "library", LEVEL_WARN, "this tool is version %s and runs with library %s",
		      d->version, d->library);
		remedy(d, "install the same version of library and tool");
	}
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		check_shared(d, dirs[i]);
	check_module(d);
}
