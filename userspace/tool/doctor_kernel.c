// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_kernel - the kernel, and what the module is built from
 */
#include <stdio.h>
#include <stdlib.h>

#include "doctor.h"

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

static void check_release(struct doctor *d)
{
	int this = series(d->release);

	if (this >= series(BIDX_KERNEL_MIN) && this <= series(BIDX_KERNEL_MAX)) {
		found(d, "kernel", LEVEL_OK, "%s; %s to %s are supported", d->release,
		      BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
		return;
	}
	found(d, "kernel", LEVEL_FAIL, "%s is not supported: %s to %s are", d->release,
	      BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
	remedy(d, "boot a kernel from %s to %s", BIDX_KERNEL_MIN, BIDX_KERNEL_MAX);
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
	remedy(d, "apt-get install linux-headers-%s", d->release);
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
		remedy(d, "apt-get install linux-image-%s; the module is then rebuilt by itself",
		       d->release);
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
		remedy(d, "apt-get install %s", name);
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
	check_headers(d);
	check_image(d);
	check_program(d, "dkms", "the module is not built for the next kernel");
	check_program(d, "pahole", "the module may get no BTF when it is built");
	check_program(d, "openssl", "the module is not signed when it is built");
	check_btf(d);
}
