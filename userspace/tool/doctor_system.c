// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_system - whose system and whose kernel is it? A remedy must exist there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

/* The value of a line NAME=VALUE of os-release(5), without its quotes; "" when there is none. */
static void os_release(const struct doctor *d, const char *name, char *value, size_t size)
{
	char text[8192], *line, *end;
	size_t len = strlen(name);

	value[0] = '\0';
	if (probe_read(d, text, sizeof(text), "/etc/os-release") <= 0)
		probe_read(d, text, sizeof(text), "/usr/lib/os-release");
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (strncmp(line, name, len) || line[len] != '=')
			continue;
		line += len + 1;
		line += strspn(line, "\"'");
		snprintf(value, size, "%.*s", (int)(end - line), line);
		value[strcspn(value, "\"'\n")] = '\0';
		return;
	}
}

static void system_name(const struct doctor *d, char *name, size_t size)
{
	os_release(d, "PRETTY_NAME", name, size);
	if (!*name)
		snprintf(name, size, "this system");
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word), n;

	for (; *words; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		if (n == len && !strncmp(words, word, n))
			return true;
	}
	return false;
}

/* Debian, or what is made from it, and apt is there. */
static bool uses_apt(const struct doctor *d)
{
	char *apt = probe_program(d, "apt-get");
	char id[64], like[128];
	bool uses;

	os_release(d, "ID", id, sizeof(id));
	os_release(d, "ID_LIKE", like, sizeof(like));
	uses = apt && (!strcmp(id, "debian") || has_word(like, "debian"));
	free(apt);
	return uses;
}

/* Can apt install it? */
static bool apt_has(const struct doctor *d, char *package)
{
	static char policy[] = "policy";
	char *apt = probe_program(d, "apt-cache");
	char *argv[] = { apt, policy, package, NULL };
	char text[2048];
	bool has;

	has = apt && !probe_run(argv, text, sizeof(text)) && strstr(text, "Candidate: ") &&
	      !strstr(text, "Candidate: (none)");
	free(apt);
	return has;
}

char *doctor_get_program(const struct doctor *d, const char *name)
{
	char system[128], *text;
	int n;

	system_name(d, system, sizeof(system));
	if (uses_apt(d))
		n = asprintf(&text, "apt-get install %s", name);
	else
		n = asprintf(&text, "install the program %s, by the package manager of %s", name, system);
	if (n < 0)
		must(NULL);
	return text;
}

char *doctor_get_kernel_part(const struct doctor *d, enum kernel_part part)
{
	static const struct {
		const char *package;
		const char *other;	/* for a kernel that is no package of the system */
	} parts[] = {
		[KERNEL_HEADERS] = { "linux-headers",
			"build it with `make bindeb-pkg` and install its headers too, or let /lib/modules/%s/build lead to the tree that it was built in" },
		[KERNEL_IMAGE] = { "linux-image", "copy its vmlinuz or vmlinux to /boot/vmlinuz-%s" },
	};
	char system[128], *package, *what, *text;
	int n;

	system_name(d, system, sizeof(system));
	if (asprintf(&package, "%s-%s", parts[part].package, d->release) < 0 ||
	    asprintf(&what, parts[part].other, d->release) < 0)
		must(NULL);
	if (!uses_apt(d))
		n = asprintf(&text, "if %s has packages of kernel %s, install that with its %s; else: %s", system,
			     d->release, part == KERNEL_HEADERS ? "headers (kernel development)" : "image",
			     what);
	else if (apt_has(d, package))
		n = asprintf(&text, "apt-get install %s", package);
	else
		n = asprintf(&text, "apt knows no package %s (apt-get update renews what it knows); if this kernel was built by hand: %s",
			     package, what);
	if (n < 0)
		must(NULL);
	free(package);
	free(what);
	return text;
}

bool doctor_takes_modules(const struct doctor *d)
{
	/* where /proc is not mounted, that file says nothing by not being there */
	return probe_exists(d, "/proc/modules") || !probe_exists(d, "/proc/version");
}

long doctor_config(const struct doctor *d, char *text, size_t size)
{
	static const char *const places[] = {
		"/boot/config-%s", "/lib/modules/%s/config", "/lib/modules/%s/build/.config",
	};
	char place[512];
	long n = -1;
	size_t i;

	for (i = 0; n <= 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(place, sizeof(place), places[i], d->release);
		n = probe_read(d, text, size, "%s", place);
	}
	return n;
}
