// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_kernel - the kernel, and what the module is built from
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

/* A configuration has some 300 KiB. */
#define CONFIG_SIZE	(4U << 20)

/* "6.12.117+deb12-amd64" and "6.12" -> 6012; -1 for what does not start so */
static int series(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%4u.%3u", &major, &minor) != 2)
		return -1;
	return (int)(major * 1000 + minor);
}

/* What a build needs matters now when the module has to be built, else at the next one. */
static enum level level_if_missing(const struct doctor *d)
{
	return doctor_loaded(d) && doctor_has_btf(d) ? LEVEL_NOTE : LEVEL_WARN;
}

static bool was_tested(int this)
{
	char tested[] = BIDX_KERNEL_TESTED, *word, *save = NULL;

	for (word = strtok_r(tested, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (series(word) == this)
			return true;
	return false;
}

static void check_release(struct doctor *d)
{
	static const char tested[] = BIDX_KERNEL_TESTED;
	int this = series(d->release);

	if (was_tested(this)) {
		found(d, "kernel", LEVEL_OK, "%s; tested are %s", d->release, tested);
	} else if (this >= series(BIDX_KERNEL_MIN) && this <= series(BIDX_KERNEL_MAX)) {
		found(d, "kernel", LEVEL_NOTE,
		      "%s: not tested (tested are %s); the module is built for all from %s to %s, and tests itself when it is loaded",
		      d->release, tested, BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
	} else {
		/* somebody has built it all the same: whether it works is told by other checks */
		found(d, "kernel", doctor_loaded(d) ? LEVEL_WARN : LEVEL_FAIL,
		      "%s: not tested, and the module is not built for it, but for %s to %s",
		      d->release, BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
		remedy(d, "boot a kernel from %s to %s", BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
	}
}

/* Return: can the kernel load any module? */
static bool check_modules(struct doctor *d)
{
	if (doctor_takes_modules(d))
		return true;
	found(d, "module", LEVEL_FAIL,
	      "not loaded: this kernel was built without loadable modules (CONFIG_MODULES)");
	found_code(d, EXIT_NO_MODULE);
	remedy(d, "boot a kernel that has CONFIG_MODULES=y; `buildidx file`, `symbolize` and `profile --stock` work here too");
	return false;
}

/* Is a line "NAME=y" in it? */
static bool is_set(const char *config, const char *name)
{
	char line[64];
	const char *at;

	snprintf(line, sizeof(line), "%s=y", name);
	for (at = config; (at = strstr(at, line)); at++)
		if ((at == config || at[-1] == '\n') &&
		    (!at[strlen(line)] || at[strlen(line)] == '\n'))
			return true;
	return false;
}

/* What the module cannot be without; a distribution's kernel has all of it. */
static void check_config(struct doctor *d)
{
	static const char *const wanted[] = {
		"CONFIG_PERF_EVENTS", "CONFIG_KPROBES", "CONFIG_BPF_SYSCALL",
	};
	char *text = must(malloc(CONFIG_SIZE)), missing[128] = "";
	size_t i;

	if (doctor_config(d, text, CONFIG_SIZE) <= 0) {
		found(d, "config", LEVEL_NOTE, "unknown: there is no /boot/config-%s", d->release);
		goto out;
	}
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (is_set(text, wanted[i]))
			continue;
		strcat(missing, " ");
		strcat(missing, wanted[i]);
	}
	if (*missing) {
		found(d, "config", LEVEL_FAIL, "the kernel was built without%s", missing);
		remedy(d, "boot a kernel that has%s, as those of distributions have", missing);
	} else {
		found(d, "config", LEVEL_OK, "the kernel has what the module and its hooks need");
	}
out:
	free(text);
}

bool doctor_headers(const struct doctor *d)
{
	return probe_exists(d, "/lib/modules/%s/build/Makefile", d->release);
}

static void check_headers(struct doctor *d)
{
	if (doctor_headers(d)) {
		found(d, "headers", LEVEL_OK, "/lib/modules/%s/build", d->release);
		return;
	}
	found(d, "headers", level_if_missing(d), "no headers of %s: the module cannot be built",
	      d->release);
	remedy_free(d, doctor_get_kernel_part(d, KERNEL_HEADERS), "");
}

/* The places that module/btf/add-btf.sh looks at. */
static char *find_image(const struct doctor *d)
{
	static const char *const places[] = {
		"/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz", "/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s",
	};
	char place[512];
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(place, sizeof(place), places[i], d->release);
		if (probe_exists(d, "%s", place))
			return probe_path(d, "%s", place);
	}
	return NULL;
}

bool doctor_image(const struct doctor *d)
{
	char *image = find_image(d);
	bool there = image;

	free(image);
	return there;
}

static void check_image(struct doctor *d)
{
	char *image = find_image(d);

	if (image) {
		found(d, "image", LEVEL_OK, "%s", image);
	} else {
		found(d, "image", level_if_missing(d),
		      "no image of %s in /boot or /lib/modules: the module may get no BTF when it is built",
		      d->release);
		remedy_free(d, doctor_get_kernel_part(d, KERNEL_IMAGE),
			    doctor_loaded(d) ? "; then see module-btf" : "");
	}
	free(image);
}

static void check_program(struct doctor *d, const char *name, const char *without)
{
	char *path = probe_program(d, name);

	if (path) {
		found(d, name, LEVEL_OK, "%s", path);
	} else {
		found(d, name, level_if_missing(d), "%s is not installed: %s", name, without);
		remedy_free(d, doctor_get_program(d, name), "");
	}
	free(path);
}

static void check_btf(struct doctor *d)
{
	if (probe_exists(d, "/sys/kernel/btf/vmlinux")) {
		found(d, "kernel-btf", LEVEL_OK, "/sys/kernel/btf/vmlinux");
		return;
	}
	found(d, "kernel-btf", LEVEL_WARN,
	      "the kernel has no BTF: BPF programs cannot call any module");
	remedy(d, "boot a kernel with CONFIG_DEBUG_INFO_BTF=y, as Debian's are");
}

void doctor_kernel(struct doctor *d)
{
	check_release(d);
	if (!check_modules(d))
		return;
	check_config(d);
	check_headers(d);
	check_image(d);
	check_program(d, "dkms", "the module is not built for the next kernel");
	check_program(d, "pahole", "the module may get no BTF when it is built");
	check_program(d, "openssl", "the module is not signed when it is built");
	check_btf(d);
}
