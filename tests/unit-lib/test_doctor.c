// SPDX-License-Identifier: GPL-2.0
/*
 * test_doctor - each finding of `buildidx doctor`, on machines made of a few files
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "doctor.h"
#include "mockdev.h"

#define REL	"6.12.1-test"
#define KO	"/lib/modules/" REL "/updates/dkms/buildidx.ko.xz"
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define SHIM_STATE "/sys/firmware/efi/efivars/MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23"

#define KPROBES_ARMED "/sys/kernel/debug/kprobes/enabled"
#define ARM_FIRST "echo 1 > " KPROBES_ARMED ", then echo 1 > /sys/module/buildidx/parameters/enable"

static char root[64];
static struct doctor d;

/* A file of the machine, with the directories that lead to it. */
static void put_bytes(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char full[512], *slash;
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*slash = '/';
	}
	unlink(full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0644);
}

static void put_script(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0755);
}

static void take(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "rm -r '%s%s'", root, path);
	assert_int_equal(system(full), 0);
}

/* Stands for modinfo(8): the "module" holds what it would print, as FIELD=VALUE lines. */
static const char modinfo[] = "#!/bin/sh\nexec /bin/sed -n \"s/^$2=//p\" \"$3\"\n";

/* Stands for apt-cache(8), which knows the packages of kernel REL. */
static const char apt_cache[] = "#!/bin/sh\n"
	"[ \"$1\" = policy ] || exit 1\n"
	"case $2 in *-" REL ") echo \"$2:\"; echo '  Candidate: 1' ;; esac\n";

#define CONFIG	"CONFIG_MODULES=y\nCONFIG_PERF_EVENTS=y\nCONFIG_KPROBES=y\nCONFIG_BPF_SYSCALL=y\n"

/* A machine on which nothing is wrong. */
static int healthy(void **state)
{
	struct mockdev dev;

	(void)state;
	strcpy(root, "/tmp/test_doctor.XXXXXX");
	assert_non_null(mkdtemp(root));
	put("/lib/modules/" REL "/build/Makefile", "");
	put("/boot/vmlinuz-" REL, "");
	put_script("/usr/sbin/dkms", "");
	put_script("/usr/bin/pahole", "");
	put_script("/usr/bin/openssl", "");
	put_script("/sbin/modinfo", modinfo);
	put("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n");
	put_script("/usr/bin/apt-get", "");
	put_script("/usr/bin/apt-cache", apt_cache);
	put("/proc/version", "");
	put("/proc/modules", "");
	put("/boot/config-" REL, CONFIG);
	put("/sys/kernel/btf/vmlinux", "");
	put("/sys/kernel/btf/buildidx", "");
	put("/usr/src/buildidx-0.1.0/dkms.conf", "");
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\nsigner=DKMS key\n");
	put("/sys/module/buildidx/version", "0.1.0\n");
	put("/sys/module/buildidx/parameters/enable", "Y\n");
	put("/usr/lib/modules-load.d/buildidx.conf", "buildidx\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/usr/lib/x86_64-linux-gnu/libbuildidx.so.0.1.0", "");
	{
		char link[128];

		snprintf(link, sizeof(link), "%s/usr/lib/x86_64-linux-gnu/libbuildidx.so.0", root);
		assert_int_equal(symlink("libbuildidx.so.0.1.0", link), 0);
	}
	mockdev_init(&dev);
	memset(&d, 0, sizeof(d));
	d.root = root;
	d.release = REL;
	d.version = "0.1.0";
	d.library = "0.1.0";
	d.info = dev.info;
	d.info.kfunc_state = BUILDIDX_KFUNC_TRACING | BUILDIDX_KFUNC_PERF | BUILDIDX_KFUNC_KPROBE;
	for (unsigned int i = 0; i < d.info.nr_hooks; i++)
		d.info.hooks[i].missed = 0;
	return 0;
}

static int clean(void **state)
{
	(void)state;
	doctor_free(&d);
	take("");
	return 0;
}

static int examine(void)
{
	doctor_free(&d);
	doctor_kernel(&d);
	doctor_module(&d);
	doctor_security(&d);
	doctor_device(&d);
	doctor_versions(&d);
	return doctor_exit_code(&d);
}

static const struct finding *find(const char *check, enum level level)
{
	for (size_t i = 0; i < d.nr_found; i++)
		if (!strcmp(d.found[i].check, check) && d.found[i].level == level)
			return &d.found[i];
	return NULL;
}

/* One finding of that level: its text and its remedy hold these words; NULL: it has no remedy. */
static void expect(const char *check, enum level level, const char *text, const char *what_to_do)
{
	const struct finding *f = find(check, level);
	const char *missing = NULL;

	if (!f)
		missing = "the finding";
	else if (!strstr(f->text, text))
		missing = text;
	else if (what_to_do && (!f->remedy || !strstr(f->remedy, what_to_do)))
		missing = what_to_do;
	else if (!what_to_do && f->remedy)
		missing = "no remedy";
	if (!missing)
		return;
	for (size_t i = 0; i < d.nr_found; i++)
		fprintf(stderr, "# %s %s: %s -> %s\n", level_name(d.found[i].level),
			d.found[i].check, d.found[i].text,
			d.found[i].remedy ? d.found[i].remedy : "");
	fail_msg("%s %s: lacks %s", level_name(level), check, missing);
}

/* Only these checks may be worse than a note. */
static void only(const char *checks)
{
	for (size_t i = 0; i < d.nr_found; i++)
		if (d.found[i].level > LEVEL_NOTE && !strstr(checks, d.found[i].check))
			fail_msg("%s: %s: %s", level_name(d.found[i].level), d.found[i].check,
				 d.found[i].text);
}

static void unload(void)
{
	take("/sys/module/buildidx");
	take("/sys/kernel/btf/buildidx");
	d.device_error = -ENODEV;
}

static void test_healthy(void **state)
{
	static const char *const checks[] = {
		"kernel", "config", "headers", "image", "dkms", "pahole", "openssl", "kernel-btf",
		"module-file", "module", "at-boot", "module-btf", "signature", "lockdown",
		"secure-boot", "device", "enable", "hook", "kfunc-tracing", "kfunc-perf-event",
		"kfunc-kprobe", "capture", "limits", "kernel-frames", "library", "version",
	};

	(void)state;
	assert_int_equal(examine(), EXIT_OK);
	only("");
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		expect(checks[i], LEVEL_OK, "", NULL);
	expect("kfunc-raw-tp", LEVEL_NOTE, "7.3", "fentry");
}

static void test_kernel(void **state)
{
	static const char *const bad[] = { "6.0.9", "5.10.0-1", "7.4.0", "8.0", "x", "6", "" };
	static const char *const untested[] = { "6.2.0", "6.18.44-fc", "7.0", "7.2.1-rc1" };
	static const char *const good[] = { "6.1.0-57-amd64", "6.12.117+deb12-rt-amd64", "7.3.4", "7.3" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* somebody has built it all the same, or nobody has */
		d.release = bad[i];
		assert_int_equal(examine(), EXIT_PARTLY);
		expect("kernel", LEVEL_WARN, "not tested", "boot a kernel from 6.1 to 7.3");
	}
	for (size_t i = 0; i < sizeof(untested) / sizeof(untested[0]); i++) {
		d.release = untested[i];
		examine();
		expect("kernel", LEVEL_NOTE, "not tested (tested are 6.1 6.12 7.3)", NULL);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		d.release = good[i];
		examine();
		expect("kernel", LEVEL_OK, good[i], NULL);
	}
	take("/sys/kernel/btf/vmlinux");
	d.release = REL;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("kernel-btf", LEVEL_WARN, "no BTF", "CONFIG_DEBUG_INFO_BTF");
	only("kernel-btf");
}

static void test_unknown_kernel_not_loaded(void **state)
{
	(void)state;
	unload();
	d.release = "9.9.9";
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("kernel", LEVEL_FAIL, "9.9.9: not tested, and the module is not built for it", "6.1 to 7.3");
}

/* No word of packages, headers or builds where no module can be. */
static void test_without_modules(void **state)
{
	(void)state;
	unload();
	take("/proc/modules");
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("module", LEVEL_FAIL, "built without loadable modules", "CONFIG_MODULES=y");
	only("module");
	for (size_t i = 0; i < d.nr_found; i++)
		if (d.found[i].remedy && strstr(d.found[i].remedy, "apt-get"))
			fail_msg("%s: %s", d.found[i].check, d.found[i].remedy);
	/* without /proc it is not known */
	take("/proc");
	examine();
	expect("module", LEVEL_FAIL, "not loaded", "modprobe buildidx");
}

static void test_config(void **state)
{
	(void)state;
	put("/boot/config-" REL, "# CONFIG_KPROBES is not set\nXCONFIG_KPROBES=y\nCONFIG_PERF_EVENTS=y\n"
	    "CONFIG_BPF_SYSCALL=yes\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("config", LEVEL_FAIL, "without CONFIG_KPROBES CONFIG_BPF_SYSCALL", "boot a kernel");
	only("config");
	take("/boot/config-" REL);
	assert_int_equal(examine(), EXIT_OK);
	expect("config", LEVEL_NOTE, "unknown", NULL);
	put("/lib/modules/" REL "/build/.config", CONFIG);
	examine();
	expect("config", LEVEL_OK, "", NULL);
}

static void no_remedy_says(const char *word)
{
	for (size_t i = 0; i < d.nr_found; i++)
		if (d.found[i].remedy && strstr(d.found[i].remedy, word))
			fail_msg("%s: %s", d.found[i].check, d.found[i].remedy);
}

static void take_build_needs(void)
{
	unload();
	take("/lib/modules/" REL "/build");
	take("/boot/vmlinuz-" REL);
	take("/usr/sbin/dkms");
	take("/usr/bin/pahole");
	take("/usr/bin/openssl");
	take("/sbin/modinfo");
	put("/sys/firmware/efi/runtime", "");
	put_bytes(SECURE_BOOT, "\6\0\0\0\1", 5, 0644);
}

/* A kernel that apt has no packages of: Debian's names would lead nowhere. */
static void test_own_kernel(void **state)
{
	(void)state;
	take_build_needs();
	put_script("/usr/bin/apt-cache", "#!/bin/sh\necho \"$2:\"; echo '  Candidate: (none)'\n");
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("headers", LEVEL_WARN, "", "no package linux-headers-" REL);
	expect("headers", LEVEL_WARN, "", "bindeb-pkg");
	expect("image", LEVEL_WARN, "", "/boot/vmlinuz-" REL);
	expect("dkms", LEVEL_WARN, "", "apt-get install dkms");
	no_remedy_says("apt-get install linux-");
	/* apt knows nothing at all, or is not to be run */
	put_script("/usr/bin/apt-cache", "#!/bin/sh\n");
	examine();
	no_remedy_says("apt-get install linux-");
	take("/usr/bin/apt-cache");
	examine();
	no_remedy_says("apt-get install linux-");
}

static void test_other_distribution(void **state)
{
	(void)state;
	take_build_needs();
	put("/etc/os-release", "PRETTY_NAME='Fedora Linux 41'\nID=fedora\nID_LIKE=\"notdebian\"\n");
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("headers", LEVEL_WARN, "", "if Fedora Linux 41 has packages of kernel " REL);
	expect("dkms", LEVEL_WARN, "", "install the program dkms, by the package manager of Fedora Linux 41");
	expect("mok", LEVEL_WARN, "", "mokutil");
	no_remedy_says("apt");
	/* nobody says what it is */
	take("/etc/os-release");
	examine();
	expect("dkms", LEVEL_WARN, "", "package manager of this system");
	no_remedy_says("apt");
	/* like Debian, without apt */
	put("/usr/lib/os-release", "ID=x\nID_LIKE=\"ubuntu debian\"\n");
	examine();
	expect("headers", LEVEL_WARN, "", "apt-get install linux-headers-" REL);
	take("/usr/bin/apt-get");
	examine();
	no_remedy_says("apt");
}

/* What a build lacks is a note while the module that is loaded has all it needs. */
static void test_build(void **state)
{
	static const struct {
		const char *file, *check, *cure;
	} needs[] = {
		{ "/lib/modules/" REL "/build", "headers", "linux-headers-" REL },
		{ "/boot/vmlinuz-" REL, "image", "linux-image-" REL },
		{ "/usr/sbin/dkms", "dkms", "install dkms" },
		{ "/usr/bin/pahole", "pahole", "install pahole" },
		{ "/usr/bin/openssl", "openssl", "install openssl" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		take(needs[i].file);
		assert_int_equal(examine(), EXIT_OK);
		expect(needs[i].check, LEVEL_NOTE, "", needs[i].cure);
	}
	take("/sys/kernel/btf/buildidx");
	assert_int_equal(examine(), EXIT_PARTLY);
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		expect(needs[i].check, LEVEL_WARN, "", needs[i].cure);
	put("/lib/modules/" REL "/vmlinuz", "");
	examine();
	expect("image", LEVEL_OK, "/lib/modules/" REL "/vmlinuz", NULL);
}

static void test_module_file(void **state)
{
	(void)state;
	put(KO, "version=0.2.0\nvermagic=" REL " SMP\nsigner=k\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_WARN, "version 0.2.0", "same version");
	expect("module", LEVEL_WARN, "installed file is version 0.2.0", "modprobe -r");

	put(KO, "version=0.1.0\nvermagic=" REL "x SMP\nsigner=k\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_FAIL, "another kernel: " REL "x", "dkms install");

	put_script("/sbin/modinfo", "#!/bin/sh\nexit 1\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_WARN, "modinfo cannot read", "dkms unbuild");
	take("/sbin/modinfo");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_WARN, "modinfo cannot read", "kmod");
	expect("signature", LEVEL_WARN, "unknown", "kmod");

	take(KO);
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_WARN, "gone after the next boot", "dkms autoinstall");
	unload();
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("module-file", LEVEL_FAIL, "none for", "dkms autoinstall");
	expect("module", LEVEL_FAIL, "not loaded", "see module-file");
	take("/lib/modules/" REL "/build");
	examine();
	expect("module-file", LEVEL_FAIL, "none for", "linux-headers-" REL);
	take("/usr/src/buildidx-0.1.0");
	examine();
	expect("module-file", LEVEL_FAIL, "none for", "buildidx-dkms");
}

/* A program that never ends, and prints without end, does not hold the doctor up. */
static void test_endless_program(void **state)
{
	(void)state;
	put_script("/sbin/modinfo", "#!/bin/sh\nwhile echo 0123456789; do :; done\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-file", LEVEL_WARN, "modinfo cannot read", "dkms");
}

static void test_not_loaded(void **state)
{
	(void)state;
	unload();
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("module", LEVEL_FAIL, "not loaded", "modprobe buildidx");
	only("module");
	put("/proc/sys/kernel/modules_disabled", "1\n");
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("module", LEVEL_FAIL, "not loaded", "modules_disabled");
}

static void test_at_boot(void **state)
{
	(void)state;
	take(KO);
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("at-boot", LEVEL_WARN, "systemd-modules-load.service fail", "see module-file");
	only("at-boot module-file");
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\nsigner=DKMS key\n");
	put("/etc/modules-load.d/buildidx.conf", "");
	assert_int_equal(examine(), EXIT_OK);
	expect("at-boot", LEVEL_NOTE, "not loaded at boot", "modules-load.d");
	take("/etc/modules-load.d/buildidx.conf");
	take("/usr/lib/modules-load.d/buildidx.conf");
	examine();
	expect("at-boot", LEVEL_NOTE, "not loaded at boot", "modules-load.d");
}

static void test_module_btf(void **state)
{
	(void)state;
	take("/sys/kernel/btf/buildidx");
	d.info.kfunc_state = BUILDIDX_KFUNC_NO_BTF;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("module-btf", LEVEL_WARN, "no BTF of the module", "rebuild.sh " REL);
	expect("kfunc-tracing", LEVEL_WARN, "no BTF", "see module-btf");
	expect("kfunc-raw-tp", LEVEL_WARN, "no BTF (with it: from 7.3 on)", "see module-btf");
	only("module-btf kfunc-tracing kfunc-perf-event kfunc-kprobe kfunc-raw-tp");
	take("/usr/bin/pahole");
	examine();
	expect("module-btf", LEVEL_WARN, "no BTF", "apt-get install pahole, then /usr/src/buildidx-0.1.0/module/dkms/rebuild.sh " REL);
	put_script("/usr/bin/pahole", "");
	take("/boot/vmlinuz-" REL);
	examine();
	expect("module-btf", LEVEL_WARN, "no BTF", "apt-get install linux-image-" REL ", then /usr/src");
	put("/var/lib/dkms/buildidx/0.1.0/" REL "/x86_64/log/make.log",
	    "gcc\nbuildidx: BTF: none: the moon is full; wait a week\n\033[31m\n");
	examine();
	expect("module-btf", LEVEL_WARN, "no BTF", "the moon is full; wait a week; then modprobe -r");
}

static void test_signature(void **state)
{
	(void)state;
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\n");
	assert_int_equal(examine(), EXIT_OK);
	expect("signature", LEVEL_NOTE, "not signed", NULL);

	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("signature", LEVEL_FAIL, "module.sig_enforce refuses", "openssl");
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\nsigner=DKMS key\n");
	assert_int_equal(examine(), EXIT_OK);
	expect("signature", LEVEL_NOTE, "/proc/keys does not show", NULL);
	put("/proc/keys", "1 I------ 1 perm 1f0 0 0 keyring DKMS key: empty\n");
	examine();
	expect("signature", LEVEL_NOTE, "/proc/keys does not show", NULL);
	put("/proc/keys", "1 I------ 1 perm 1f0 0 0 asymmetri Debian: not DKMS key 2: X509.rsa 11 []\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("signature", LEVEL_FAIL, "DKMS key, a key that the kernel does not know: module.sig_enforce refuses",
	       "boot without");
	put("/sys/firmware/efi/runtime", "");
	examine();
	expect("signature", LEVEL_FAIL, "does not know", "mokutil --import");
	take("/sys/firmware");
	put("/proc/keys", "2 I------ 1 perm 1f0 0 0 asymmetri x: ab: X509.rsa 22 []\n"
	    "1 I------ 1 perm 1f0 0 0 asymmetri DKMS key: 1122: X509.rsa 11 []\n");
	assert_int_equal(examine(), EXIT_OK);
	expect("signature", LEVEL_OK, "signed by DKMS key", NULL);
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\n");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	assert_int_equal(examine(), EXIT_OK);

	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("signature", LEVEL_FAIL, "lockdown refuses", "openssl");
	expect("lockdown", LEVEL_NOTE, "integrity", NULL);
	put("/sys/kernel/security/lockdown", "[none]\n");
	put_bytes(SECURE_BOOT, "\6\0\0\0\1", 5, 0644);
	examine();
	expect("signature", LEVEL_FAIL, "Secure Boot refuses", "openssl");
	put(KO, "version=0.1.0\nvermagic=" REL " SMP\nsigner=\033[31mred\n");
	examine();
	expect("signature", LEVEL_FAIL, "signed by ?[31mred, a key", "mokutil");
}

static void test_lockdown(void **state)
{
	(void)state;
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("lockdown", LEVEL_WARN, "may not read kernel memory", "lockdown=confidentiality");
	only("lockdown");
	put("/sys/kernel/security/lockdown", "]no brackets[");
	assert_int_equal(examine(), EXIT_OK);
	expect("lockdown", LEVEL_NOTE, "cannot be read", NULL);
	take("/sys/kernel/security/lockdown");
	assert_int_equal(examine(), EXIT_OK);
	expect("lockdown", LEVEL_NOTE, "has none", NULL);
}

static void mokutil(const char *says)
{
	char script[256];

	snprintf(script, sizeof(script), "#!/bin/sh\n[ \"$1\" = --test-key ] && echo \"$2 %s\"\nexit 1\n",
		 says);
	put_script("/usr/bin/mokutil", script);
}

static void test_secure_boot(void **state)
{
	(void)state;
	put("/sys/firmware/efi/runtime", "");
	assert_int_equal(examine(), EXIT_OK);
	expect("secure-boot", LEVEL_NOTE, "efivarfs", "mount");
	put_bytes(SECURE_BOOT, "\6\0\0\0\0", 5, 0644);
	examine();
	expect("secure-boot", LEVEL_OK, "off", NULL);
	put_bytes(SECURE_BOOT, "\6\0", 2, 0644);
	examine();
	expect("secure-boot", LEVEL_NOTE, "unknown", "mount");
	put_bytes(SECURE_BOOT, "\6\0\0\0\1", 5, 0644);
	put_bytes(SHIM_STATE, "\6\0\0\0\1", 5, 0644);
	examine();
	expect("secure-boot", LEVEL_OK, "shim does not validate", NULL);
	put_bytes(SHIM_STATE, "\6\0\0\0\0", 5, 0644);

	assert_int_equal(examine(), EXIT_PARTLY);
	expect("secure-boot", LEVEL_NOTE, "on", NULL);
	expect("mok", LEVEL_WARN, "/var/lib/dkms/mok.pub", "install mokutil");
	mokutil("is already enrolled");
	assert_int_equal(examine(), EXIT_OK);
	expect("mok", LEVEL_OK, "is enrolled", NULL);
	mokutil("is not enrolled");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("mok", LEVEL_FAIL, "is not enrolled", "mokutil --import");
	mokutil("is already in the enrollment request");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("mok", LEVEL_FAIL, "waits", "reboot");
	mokutil("hums");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("mok", LEVEL_WARN, "no key yet", "openssl");
	put("/var/lib/dkms/mok.pub", "");
	assert_int_equal(examine(), EXIT_DENIED);
	expect("mok", LEVEL_DENIED, "no answer", "as root");
	put("/etc/dkms/framework.conf", "# x\nmok_certificate=\"/etc/keys/mine.der\"\n");
	mokutil("is already enrolled");
	examine();
	expect("mok", LEVEL_OK, "/etc/keys/mine.der is enrolled", NULL);
	put("/etc/dkms/framework.conf.d/50.conf", "#mok_certificate=/no\nmok_certificate=/etc/later\n");
	examine();
	expect("mok", LEVEL_OK, "/etc/later is enrolled", NULL);
	only("");
}

static void test_device(void **state)
{
	(void)state;
	d.device_error = -EACCES;
	assert_int_equal(examine(), EXIT_DENIED);
	expect("device", LEVEL_DENIED, "permission denied", "as root");
	expect("enable", LEVEL_OK, "on", NULL);
	expect("version", LEVEL_OK, "0.1.0", NULL);
	only("device");
	put("/sys/module/buildidx/parameters/enable", "N\n");
	assert_int_equal(examine(), EXIT_DENIED);
	expect("enable", LEVEL_WARN, "switched off", "echo 1");
	d.device_error = -ENODEV;
	strcpy(d.device_text.text, "no such device");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("device", LEVEL_FAIL, "no such device", "devtmpfs");
}

static void test_switched_off(void **state)
{
	(void)state;
	put("/sys/module/buildidx/parameters/enable", "N\n");
	d.info.hooks_on = 0;
	for (unsigned int i = 0; i < d.info.nr_hooks; i++)
		d.info.hooks[i].state = BUILDIDX_HOOK_OFF;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("enable", LEVEL_WARN, "switched off", "echo 1");
	only("enable");
	/* where enable=1 would be refused */
	put("/sys/module/buildidx/parameters/hook", "kprobe\n");
	put(KPROBES_ARMED, "0\n");
	examine();
	expect("enable", LEVEL_WARN, "switched off by its parameter: ", ARM_FIRST);
	put("/sys/module/buildidx/parameters/hook", "ftrace\n");
	examine();
	assert_int_equal(strncmp(find("enable", LEVEL_WARN)->remedy, "echo 1 > /sys/module", 20), 0);
}

/* What the module shows once kprobes were disarmed: hooks are placed, and off. */
static void test_silenced(void **state)
{
	const struct finding *f;

	(void)state;
	put("/sys/module/buildidx/parameters/enable", "N\n");
	put("/sys/module/buildidx/parameters/hook", "kprobe\n");
	put(KPROBES_ARMED, "0\n");
	d.info.hooks_on = 0;
	for (unsigned int i = 0; i < d.info.nr_hooks; i++)
		d.info.hooks[i].state = BUILDIDX_HOOK_KPROBE;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("enable", LEVEL_FAIL, "silenced: kprobes were disarmed; every lookup answers off",
	       ARM_FIRST);
	only("enable");
	put(KPROBES_ARMED, "1\n");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("enable", LEVEL_FAIL, "silenced", "echo 1 > /sys/module");
	f = find("enable", LEVEL_FAIL);
	assert_null(strstr(f->remedy, "debug/kprobes"));
	d.device_error = -EACCES;
	assert_int_equal(examine(), EXIT_DENIED);
	expect("enable", LEVEL_WARN, "or silenced", "echo 1 > /sys/module");
}

static void test_hooks(void **state)
{
	struct buildidx_hook *h = &d.info.hooks[1];

	(void)state;
	h->missed = 7;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("hook", LEVEL_WARN, "7 missed", "echo 0");
	h->missed = 0;
	h->state = BUILDIDX_HOOK_KPROBE;
	assert_int_equal(examine(), EXIT_OK);
	expect("hook", LEVEL_NOTE, "a kprobe on __destroy_inode", "hook=kprobe");
	h->state = BUILDIDX_HOOK_OFF;
	h->error = ENOENT;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("hook", LEVEL_FAIL, "inode is not placed: No such file", "dmesg");
	only("hook");
}

static void test_kfuncs(void **state)
{
	(void)state;
	d.info.kfunc_state = BUILDIDX_KFUNC_TRACING;
	assert_int_equal(examine(), EXIT_OK);
	expect("kfunc-tracing", LEVEL_OK, "fentry", NULL);
	expect("kfunc-perf-event", LEVEL_NOTE, "cannot call modules on this kernel", "fentry");
	expect("kfunc-kprobe", LEVEL_NOTE, "cannot call modules on this kernel", "fentry");
	d.info.kfunc_error = EINVAL;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("kfunc-kprobe", LEVEL_WARN, "Invalid argument", "dmesg");
}

static void test_capture(void **state)
{
	(void)state;
	d.info.capture_mode = BUILDIDX_CAPTURE_WORKER;
	assert_int_equal(examine(), EXIT_OK);
	expect("capture", LEVEL_NOTE, "task_work_add", "Debian");
}

static void test_records(void **state)
{
	(void)state;
	assert_int_equal(examine(), EXIT_OK);
	expect("kernel-frames", LEVEL_OK, "50 records of what is there", NULL);
	d.info.kernel_state &= ~BUILDIDX_KERNEL_BPF;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("kernel-frames", LEVEL_WARN, "not recorded: BPF-programs", "dmesg");
	only("kernel-frames");
	/* of the first release */
	d.info.history_max = d.info.stream_max = 0;
	assert_int_equal(examine(), EXIT_OK);
	expect("kernel-frames", LEVEL_NOTE, "earlier version", "install");
	/* one that cannot be placed takes nothing from user frames */
	strcpy(d.info.hooks[1].name, "bpf");
	d.info.hooks[1].state = BUILDIDX_HOOK_OFF;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("hook", LEVEL_WARN, "bpf is not placed", "dmesg");
}

static void test_limits(void **state)
{
	(void)state;
	d.info.max_entries = 1000;
	d.info.entries = 899;
	assert_int_equal(examine(), EXIT_OK);
	d.info.entries = 900;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("limits", LEVEL_WARN, "900 of 1000", "max_entries=2000");
	d.info.entries = 1;
	d.stats.counter[BUILDIDX_CNT_REFUSED] = 3;
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("limits", LEVEL_WARN, "3 refused", "max_entries=2000");
	d.stats.counter[BUILDIDX_CNT_POOL_EMPTY] = 5;
	examine();
	expect("pool", LEVEL_NOTE, "5 mappings", NULL);
	d.stats_error = -EPERM;
	assert_int_equal(examine(), EXIT_DENIED);
	expect("counters", LEVEL_DENIED, "not permitted", "CAP_PERFMON");
	expect("limits", LEVEL_OK, "1 of 1000", NULL);
}

static void test_versions(void **state)
{
	char link[128];

	(void)state;
	strcpy(d.info.version, "0.2.0");
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("version", LEVEL_WARN, "module 0.2.0, tool 0.1.0", "same version");
	d.info.abi_version = 2;
	assert_int_equal(examine(), EXIT_NO_MODULE);
	/* nothing is believed but that number, not even the module's version */
	d.info.hooks_on = 0;
	d.info.hooks[0].state = BUILDIDX_HOOK_OFF;
	d.info.entries = d.info.max_entries;
	assert_int_equal(examine(), EXIT_NO_MODULE);
	expect("version", LEVEL_FAIL, "module 0.1.0 has ABI 2", "same version");
	expect("enable", LEVEL_OK, "switched on", NULL);
	only("version");
	d.info.entries = 1;
	d.info.hooks[0].state = BUILDIDX_HOOK_FTRACE;
	d.info.hooks_on = 1;
	d.info.abi_version = BUILDIDX_ABI_VERSION;
	strcpy(d.info.version, "0.1.0");

	d.library = "0.3.0";
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("library", LEVEL_WARN, "runs with library 0.3.0", "same version");
	d.library = "0.1.0";
	put("/usr/local/lib/x", "");
	snprintf(link, sizeof(link), "%s/usr/local/lib/libbuildidx.so.0", root);
	assert_int_equal(symlink("libbuildidx.so.0.0.9", link), 0);
	assert_int_equal(examine(), EXIT_PARTLY);
	expect("library", LEVEL_WARN, "/usr/local/lib/libbuildidx.so.0 is libbuildidx.so.0.0.9",
	       "same version");
	expect("library", LEVEL_OK, "version 0.1.0", NULL);
}

#define CASE(f)	cmocka_unit_test_setup_teardown(f, healthy, clean)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(test_healthy), CASE(test_kernel), CASE(test_unknown_kernel_not_loaded),
		CASE(test_without_modules), CASE(test_config), CASE(test_own_kernel),
		CASE(test_other_distribution), CASE(test_build), CASE(test_module_file),
		CASE(test_endless_program), CASE(test_not_loaded), CASE(test_at_boot), CASE(test_module_btf),
		CASE(test_signature), CASE(test_lockdown), CASE(test_secure_boot),
		CASE(test_device), CASE(test_switched_off), CASE(test_silenced), CASE(test_hooks),
		CASE(test_kfuncs), CASE(test_capture), CASE(test_limits), CASE(test_records), CASE(test_versions),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
