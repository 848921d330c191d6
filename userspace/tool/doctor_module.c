// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_module - the module's file, whether it is loaded, and its BTF
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

bool doctor_loaded(const struct doctor *d)
{
	return probe_exists(d, "/sys/module/buildidx");
}

bool doctor_has_btf(const struct doctor *d)
{
	return probe_exists(d, "/sys/kernel/btf/buildidx");
}

/* The first file that matches, below the root; allocated, or NULL. */
static char *first_match(const struct doctor *d, const char *pattern)
{
	char *path = NULL, *full = probe_path(d, "%s", pattern);
	glob_t g = { 0 };

	if (!glob(full, 0, NULL, &g) && g.gl_pathc)
		path = must(strdup(g.gl_pathv[0]));
	globfree(&g);
	free(full);
	return path;
}

char *doctor_module_file(const struct doctor *d)
{
	/* depmod's order: updates before the rest */
	static const char *const places[] = { "updates/dkms", "updates", "extra" };
	char pattern[512];
	char *file = NULL;
	size_t i;

	for (i = 0; !file && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(pattern, sizeof(pattern), "/lib/modules/%s/%s/buildidx.ko*", d->release,
			 places[i]);
		file = first_match(d, pattern);
	}
	return file;
}

bool doctor_modinfo(const struct doctor *d, const char *file, const char *field, char *buf,
		    size_t size)
{
	static char option[] = "-F";
	char *program = probe_program(d, "modinfo");
	char *argv[] = { program, option, (char *)field, (char *)file, NULL };
	int status;

	buf[0] = '\0';
	if (!program)
		return false;
	status = probe_run(argv, buf, size);
	free(program);
	buf[strcspn(buf, "\n")] = '\0';
	return status == 0;
}

static void check_no_file(struct doctor *d)
{
	char *source = first_match(d, "/usr/src/buildidx-[0-9]*");

	if (doctor_loaded(d)) {
		found(d, "module-file", LEVEL_WARN,
		      "none for %s: the loaded module is gone after the next boot", d->release);
	} else {
		found(d, "module-file", LEVEL_FAIL, "none for %s", d->release);
		found_code(d, EXIT_NO_MODULE);
	}
	if (!source)
		remedy(d, "install the package buildidx-dkms, or run make install in buildidx's sources");
	else if (!doctor_headers(d))
		remedy_free(d, doctor_get_kernel_part(d, KERNEL_HEADERS),
			    "; dkms then builds the module");
	else
		remedy(d, "dkms autoinstall -k %s; if that fails, it names a log", d->release);
	free(source);
}

static void unreadable(struct doctor *d)
{
	char *modinfo = probe_program(d, "modinfo");

	if (modinfo)
		remedy(d, "dkms unbuild buildidx/%s -k %s, and dkms install buildidx/%s -k %s", d->version,
		       d->release, d->version, d->release);
	else
		remedy_free(d, doctor_get_program(d, "kmod"), "");
	free(modinfo);
}

static void check_file(struct doctor *d, const char *file)
{
	char version[128], magic[256];
	size_t len = strlen(d->release);

	if (!doctor_modinfo(d, file, "version", version, sizeof(version)) ||
	    !doctor_modinfo(d, file, "vermagic", magic, sizeof(magic))) {
		found(d, "module-file", LEVEL_WARN, "%s: modinfo cannot read it", file);
		unreadable(d);
	} else if (strncmp(magic, d->release, len) || magic[len] != ' ') {
		found(d, "module-file", LEVEL_FAIL, "%s is for another kernel: %s", file, magic);
		remedy(d, "delete it, and run dkms install buildidx/%s -k %s", d->version,
		       d->release);
	} else if (strcmp(version, d->version)) {
		found(d, "module-file", LEVEL_WARN, "%s is version %s, this tool %s", file, version,
		      d->version);
		remedy(d, "install the same version of module and tool");
	} else {
		found(d, "module-file", LEVEL_OK, "%s, version %s", file, version);
	}
}

static void check_loaded(struct doctor *d, const char *file)
{
	char version[128], installed[128], disabled[8];

	if (!doctor_loaded(d)) {
		found(d, "module", LEVEL_FAIL, "not loaded");
		found_code(d, EXIT_NO_MODULE);
		probe_read(d, disabled, sizeof(disabled), "/proc/sys/kernel/modules_disabled");
		if (!strcmp(disabled, "1"))
			remedy(d, "kernel.modules_disabled is 1, so no module can be loaded: boot again without that setting");
		else if (file)
			remedy(d, "modprobe buildidx, as root; if that fails, dmesg says why");
		else
			remedy(d, "see module-file");
		return;
	}
	probe_read(d, version, sizeof(version), "/sys/module/buildidx/version");
	if (file && doctor_modinfo(d, file, "version", installed, sizeof(installed)) &&
	    strcmp(version, installed)) {
		found(d, "module", LEVEL_WARN, "loaded, version %s; the installed file is version %s",
		      version, installed);
		remedy(d, "modprobe -r buildidx, then modprobe buildidx");
		return;
	}
	found(d, "module", LEVEL_OK, "loaded, version %s", version);
}

static void check_at_boot(struct doctor *d, const char *file)
{
	static const char *const dirs[] = {
		"/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib",
	};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (!probe_exists(d, "%s/modules-load.d/buildidx.conf", dirs[i]))
			continue;
		/* an empty file or a link to /dev/null, earlier in the list, switches it off */
		if (probe_read(d, text, sizeof(text), "%s/modules-load.d/buildidx.conf", dirs[i]) > 0 &&
		    strstr(text, "buildidx")) {
			if (file) {
				found(d, "at-boot", LEVEL_OK, "%s/modules-load.d/buildidx.conf",
				      dirs[i]);
				return;
			}
			found(d, "at-boot", LEVEL_WARN,
			      "%s/modules-load.d/buildidx.conf makes systemd-modules-load.service fail at each boot of %s, which has no module",
			      dirs[i], d->release);
			remedy(d, "see module-file; or load it under no kernel at boot: ln -s /dev/null /etc/modules-load.d/buildidx.conf");
			return;
		}
		break;
	}
	found(d, "at-boot", LEVEL_NOTE, "the module is not loaded at boot");
	remedy(d, "if it should be: echo buildidx > /etc/modules-load.d/buildidx.conf");
}

/* Why the build made no BTF, in its own words, which say what to do as well. */
static bool build_said(const struct doctor *d, char *why, size_t size)
{
	static const char mark[] = "buildidx: BTF: none: ";
	char pattern[512], line[1024];
	bool any = false;
	char *log;
	FILE *f;

	snprintf(pattern, sizeof(pattern), "/var/lib/dkms/buildidx/*/%s/*/log/make.log", d->release);
	log = first_match(d, pattern);
	f = log ? fopen(log, "re") : NULL;
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, mark, sizeof(mark) - 1))
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(why, size, "%s", line + sizeof(mark) - 1);
		any = true;
	}
	if (f)
		fclose(f);
	free(log);
	return any;
}

static void check_btf(struct doctor *d)
{
	char why[1024], then[512];
	char *pahole;

	if (!doctor_loaded(d))
		return;
	if (doctor_has_btf(d)) {
		found(d, "module-btf", LEVEL_OK, "/sys/kernel/btf/buildidx");
		return;
	}
	found(d, "module-btf", LEVEL_WARN,
	      "the kernel has no BTF of the module: BPF programs cannot call it; the device works");
	snprintf(then, sizeof(then), ", then /usr/src/buildidx-%s/module/dkms/rebuild.sh %s, modprobe -r buildidx, modprobe buildidx",
		 d->version, d->release);
	pahole = probe_program(d, "pahole");
	if (build_said(d, why, sizeof(why)))
		remedy(d, "%s; then modprobe -r buildidx and modprobe buildidx", why);
	else if (!pahole)
		remedy_free(d, doctor_get_program(d, "pahole"), then);
	else if (!doctor_image(d))
		remedy_free(d, doctor_get_kernel_part(d, KERNEL_IMAGE), then);
	else
		remedy(d, "/usr/src/buildidx-%s/module/dkms/rebuild.sh %s, modprobe -r buildidx, modprobe buildidx; dmesg says what the kernel refused",
		       d->version, d->release);
	free(pahole);
}

void doctor_module(struct doctor *d)
{
	char *file;

	/* a kernel without modules: all there is to say has been said */
	if (!doctor_takes_modules(d))
		return;
	file = doctor_module_file(d);
	if (file)
		check_file(d, file);
	else
		check_no_file(d);
	check_loaded(d, file);
	check_at_boot(d, file);
	check_btf(d);
	free(file);
}
