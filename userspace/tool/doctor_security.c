// SPDX-License-Identifier: GPL-2.0
/*
 * doctor_security - will the kernel load the module, and let BPF programs work?
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

/* EFI variables: four bytes of attributes, then the value. */
#define SECURE_BOOT \
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define SHIM_STATE \
	"/sys/firmware/efi/efivars/MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23"
#define VALUE	4

/* A line for each key that the caller may see. */
#define KEYS_SIZE	(1U << 20)

enum secure_boot {
	SECURE_BOOT_NO_EFI,
	SECURE_BOOT_OFF,
	SECURE_BOOT_SHIM_OFF,	/* on, but the boot loader shim was told not to check */
	SECURE_BOOT_ON,
	SECURE_BOOT_UNKNOWN,
};

static enum secure_boot secure_boot_state(const struct doctor *d)
{
	char value[16];
	long n;

	if (!probe_exists(d, "/sys/firmware/efi"))
		return SECURE_BOOT_NO_EFI;
	n = probe_read(d, value, sizeof(value), SECURE_BOOT);
	if (n <= VALUE)
		return n == -ENOENT && probe_exists(d, "/sys/firmware/efi/efivars/.") ?
			SECURE_BOOT_OFF : SECURE_BOOT_UNKNOWN;
	if (value[VALUE] != 1)
		return SECURE_BOOT_OFF;
	n = probe_read(d, value, sizeof(value), SHIM_STATE);
	return n > VALUE && value[VALUE] == 1 ? SECURE_BOOT_SHIM_OFF : SECURE_BOOT_ON;
}

/* The word in brackets; "" when it cannot be read. */
static void lockdown_state(const struct doctor *d, char *state, size_t size)
{
	char text[128];
	char *start, *end;

	state[0] = '\0';
	probe_read(d, text, sizeof(text), "/sys/kernel/security/lockdown");
	start = strchr(text, '[');
	end = start ? strchr(start, ']') : NULL;
	if (end)
		snprintf(state, size, "%.*s", (int)(end - start - 1), start + 1);
}

/* Does this kernel refuse a module without a signature that it can check? */
static const char *enforced_by(const struct doctor *d, const char *lockdown)
{
	char value[8];

	probe_read(d, value, sizeof(value), "/sys/module/module/parameters/sig_enforce");
	if (!strcmp(value, "Y"))
		return "module.sig_enforce";
	if (*lockdown && strcmp(lockdown, "none"))
		return "lockdown";
	if (secure_boot_state(d) == SECURE_BOOT_ON)
		return "Secure Boot";
	return NULL;
}

/* Does one of the kernel's keys have the signer's name? -1: its keys are not shown. */
static int knows_signer(const struct doctor *d, const char *signer)
{
	/* "0c8a... I------ 1 perm 1f030000 0 0 asymmetri NAME: ID: X509.rsa ..." */
	static const char type[] = " asymmetri ";
	char *text = must(malloc(KEYS_SIZE)), *line, *save = NULL, *at;
	int known = -1;

	probe_read(d, text, KEYS_SIZE, "/proc/keys");
	for (line = strtok_r(text, "\n", &save); line && known < 1; line = strtok_r(NULL, "\n", &save)) {
		at = strstr(line, type);
		if (!at)
			continue;
		at = strstr(at + sizeof(type) - 1, signer);
		known = at && at[strlen(signer)] == ':';
	}
	free(text);
	return known;
}

static void check_signer(struct doctor *d, const char *signer, const char *enforced)
{
	int known = enforced ? knows_signer(d, signer) : 1;

	if (known > 0) {
		found(d, "signature", LEVEL_OK, "signed by %s", signer);
	} else if (known < 0) {
		found(d, "signature", LEVEL_NOTE,
		      "signed by %s; /proc/keys does not show whether the kernel knows that key", signer);
	} else {
		found(d, "signature", LEVEL_FAIL,
		      "signed by %s, a key that the kernel does not know: %s refuses such a module", signer,
		      enforced);
		if (secure_boot_state(d) == SECURE_BOOT_NO_EFI)
			remedy(d, "boot without what asks for signatures (%s): without UEFI no key can be enrolled",
			       enforced);
		else
			remedy(d, "enroll the key, and reboot: mokutil --import /var/lib/dkms/mok.pub");
	}
}

static void check_signature(struct doctor *d, const char *lockdown)
{
	const char *enforced = enforced_by(d, lockdown);
	char *file = doctor_module_file(d);
	char signer[256], then[512];

	if (!file)
		return;
	if (!doctor_modinfo(d, file, "signer", signer, sizeof(signer))) {
		found(d, "signature", LEVEL_WARN, "unknown: modinfo cannot read %s", file);
		remedy_free(d, doctor_get_program(d, "kmod"), "");
	} else if (*signer) {
		check_signer(d, signer, enforced);
	} else if (enforced) {
		found(d, "signature", LEVEL_FAIL, "%s is not signed, and %s refuses such a module",
		      file, enforced);
		snprintf(then, sizeof(then), ", then dkms unbuild buildidx/%s -k %s and dkms install buildidx/%s -k %s",
			 d->version, d->release, d->version, d->release);
		remedy_free(d, doctor_get_program(d, "openssl"), then);
	} else {
		found(d, "signature", LEVEL_NOTE, "not signed; this kernel does not ask for it");
	}
	free(file);
}

static void check_lockdown(struct doctor *d, const char *lockdown)
{
	if (!*lockdown) {
		if (probe_exists(d, "/sys/kernel/security/lockdown"))
			found(d, "lockdown", LEVEL_NOTE, "unknown: /sys/kernel/security/lockdown cannot be read");
		else
			found(d, "lockdown", LEVEL_NOTE, "the kernel has none, or securityfs is not mounted");
	} else if (!strcmp(lockdown, "none")) {
		found(d, "lockdown", LEVEL_OK, "none");
	} else if (!strcmp(lockdown, "integrity")) {
		found(d, "lockdown", LEVEL_NOTE, "integrity: only signed modules are loaded");
	} else {
		found(d, "lockdown", LEVEL_WARN,
		      "%s: only signed modules are loaded, and perf and BPF programs may not read kernel memory: most profilers do not work",
		      lockdown);
		remedy(d, "boot without lockdown=%s", lockdown);
	}
}

/* The last mok_certificate= of one of dkms's files, if there is one; replaces *@cert. */
static void find_certificate(const struct doctor *d, const char *file, char **cert)
{
	static const char key[] = "mok_certificate=";
	char line[1024], *value;
	FILE *f = fopen(file, "re");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		value = line + sizeof(key) - 1;
		value += strspn(value, "\"'");
		value[strcspn(value, "\"'\n")] = '\0';
		free(*cert);
		*cert = probe_path(d, "%s", value);
	}
	if (f)
		fclose(f);
}

/* The certificate whose key dkms signs with; allocated. */
static char *certificate(const struct doctor *d)
{
	char *main_file = probe_path(d, "/etc/dkms/framework.conf");
	char *more = probe_path(d, "/etc/dkms/framework.conf.d/*.conf");
	char *cert = probe_path(d, "/var/lib/dkms/mok.pub");
	glob_t g = { 0 };
	size_t i;

	find_certificate(d, main_file, &cert);
	if (!glob(more, 0, NULL, &g))
		for (i = 0; i < g.gl_pathc; i++)
			find_certificate(d, g.gl_pathv[i], &cert);
	globfree(&g);
	free(more);
	free(main_file);
	return cert;
}

/* Secure Boot is on: does the firmware know the key that dkms signs with? */
static void check_key(struct doctor *d)
{
	static char test_key[] = "--test-key";
	char *mokutil = probe_program(d, "mokutil");
	char *cert = certificate(d);
	char *argv[] = { mokutil, test_key, cert, NULL };
	char text[512];

	if (!mokutil) {
		found(d, "mok", LEVEL_WARN,
		      "whether the firmware knows the key of dkms (%s) is unknown: mokutil is not installed",
		      cert);
		remedy_free(d, doctor_get_program(d, "mokutil"), "");
		goto out;
	}
	/* its exit status means different things in different versions */
	if (probe_run(argv, text, sizeof(text)) < 0)
		text[0] = '\0';
	if (strstr(text, "already enrolled")) {
		found(d, "mok", LEVEL_OK, "%s is enrolled", cert);
	} else if (strstr(text, "already in the enrollment request")) {
		found(d, "mok", LEVEL_FAIL, "%s waits to be enrolled", cert);
		remedy(d, "reboot, and confirm the key in the blue screen of MokManager");
	} else if (strstr(text, "not enrolled")) {
		found(d, "mok", LEVEL_FAIL,
		      "%s is not enrolled: the kernel refuses what dkms signed", cert);
		remedy(d, "mokutil --import %s, reboot, and enroll the key in MokManager", cert);
	} else if (probe_exists(d, "%s", cert + strlen(d->root))) {
		found(d, "mok", LEVEL_DENIED, "mokutil --test-key %s gives no answer", cert);
		remedy(d, "run buildidx doctor as root");
	} else {
		found(d, "mok", LEVEL_WARN, "dkms has no key yet (%s)", cert);
		remedy_free(d, doctor_get_program(d, "openssl"),
			    "; dkms makes the key when it builds the module");
	}
out:
	free(cert);
	free(mokutil);
}

static void check_secure_boot(struct doctor *d)
{
	switch (secure_boot_state(d)) {
	case SECURE_BOOT_NO_EFI:
		found(d, "secure-boot", LEVEL_OK, "not started by UEFI");
		break;
	case SECURE_BOOT_OFF:
		found(d, "secure-boot", LEVEL_OK, "off");
		break;
	case SECURE_BOOT_SHIM_OFF:
		found(d, "secure-boot", LEVEL_OK, "on, but shim does not validate (mokutil --disable-validation)");
		break;
	case SECURE_BOOT_ON:
		found(d, "secure-boot", LEVEL_NOTE, "on: only modules signed by a known key are loaded");
		check_key(d);
		break;
	case SECURE_BOOT_UNKNOWN:
		found(d, "secure-boot", LEVEL_NOTE, "unknown: efivarfs is not mounted or cannot be read");
		remedy(d, "mount -t efivarfs efivarfs /sys/firmware/efi/efivars");
		break;
	}
}

void doctor_security(struct doctor *d)
{
	char lockdown[64];

	lockdown_state(d, lockdown, sizeof(lockdown));
	check_signature(d, lockdown);
	check_lockdown(d, lockdown);
	check_secure_boot(d);
}
