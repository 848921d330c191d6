// SPDX-License-Identifier: GPL-2.0
/*
 * churn-reload: load and unload the module many times while the churn goes on,
 * with BPF users, without, and against BPF users; then unmount the file system
 * whose programs just ran. Prints TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../cases/tap.h"
#include "collect.h"
#include "kmsg.h"
#include "ksym.h"
#include "selfcheck.h"
#include "settings.h"
#include "spawn.h"
#include "tally.h"

#define CLOCK_NS	2000000
#define STORM_US	40000
#define SAMPLE_MS	200
#define LAST_SAMPLE_MS	2000
#define UNLOAD_TRIES	300	/* of a tenth of a second; a mapper may hold a reference */
#define REFUSED_TRIES	5

/* What is done in between loading and unloading, in turn. */
enum flavour {
	DETACH_FIRST,	/* sample, detach, unload */
	UNLOAD_REFUSED,	/* sample, try to unload, sample, detach, unload */
	NO_BPF,		/* unload after a moment */
	FLAVOURS
};

/**
 * struct result - what was seen over all rounds
 * @loads: successful loads
 * @unloads: successful unloads
 * @busy: attempts that were answered with EAGAIN or EBUSY after the users were gone
 * @refused: attempts that were refused, as they had to, while BPF users were there
 * @not_refused: attempts that were not
 * @bad_errno: attempts that failed with another error
 */
struct result {
	unsigned int loads;
	unsigned int unloads;
	unsigned int busy;
	unsigned int refused;
	unsigned int not_refused;
	unsigned int bad_errno;
};

static struct collect collect;
static struct tally tally;
static struct work work;
static struct result result;
static const char *load_command = "modprobe buildidx";

static void pause_ms(unsigned int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static bool loaded(void)
{
	return access("/sys/module/buildidx", F_OK) == 0;
}

static bool load(void)
{
	int status = system(load_command);

	if (status || !loaded()) {
		diag("%s: exit status %d", load_command, WEXITSTATUS(status));
		return false;
	}
	result.loads++;
	return true;
}

static int try_unload(void)
{
	return syscall(SYS_delete_module, "buildidx", O_NONBLOCK) ? errno : 0;
}

static bool unload(void)
{
	int i, error;

	for (i = 0; i < UNLOAD_TRIES; i++) {
		error = try_unload();
		if (!error && !loaded()) {
			result.unloads++;
			return true;
		}
		if (error != EAGAIN && error != EBUSY) {
			diag("delete_module: %s", strerror(error));
			result.bad_errno++;
			return false;
		}
		result.busy++;
		pause_ms(100);
	}
	diag("delete_module: still %s after %d s", strerror(error), UNLOAD_TRIES / 10);
	return false;
}

static void must_be_refused(void)
{
	int i, error;

	for (i = 0; i < REFUSED_TRIES; i++) {
		error = try_unload();
		if (error == EAGAIN || error == EBUSY) {
			result.refused++;
		} else {
			diag("delete_module with BPF users: %s", error ? strerror(error) : "done");
			result.not_refused++;
		}
	}
}

static void sample(unsigned int ms)
{
	unsigned int i;

	for (i = 0; i < ms / 5; i++) {
		collect_drain(&collect, tally_record, &tally);
		pause_ms(5);
	}
}

static bool with_bpf(enum flavour flavour)
{
	if (collect_load(&collect, CLOCK_NS))
		return false;
	if (storm_start(collect.cpus, STORM_US))
		return false;
	sample(SAMPLE_MS);
	if (flavour == UNLOAD_REFUSED) {
		must_be_refused();
		sample(SAMPLE_MS);
	}
	storm_stop();
	sample(5);
	collect_unload(&collect);
	return true;
}

static bool one_round(unsigned int i)
{
	enum flavour flavour = i % FLAVOURS;

	if (!load())
		return false;
	if (flavour == NO_BPF)
		pause_ms(i % 7 * 10);
	else if (!with_bpf(flavour))
		return false;
	return unload();
}

/* With the module loaded and sampled: its work must hold nothing of the file system. */
static void check_umount(const char *mountpoint)
{
	int error;

	if (!ok(load() && !collect_load(&collect, CLOCK_NS), "loaded and sampled once more"))
		return;
	sample(LAST_SAMPLE_MS);
	ok(!spawn_end(), "no process of the churn ended by itself");
	error = umount2(mountpoint, 0) ? errno : 0;
	ok(!error, "umount of %s at once, module loaded, BPF users attached%s%s", mountpoint,
	   error ? ": " : "", error ? strerror(error) : "");
	sample(5);
	collect_unload(&collect);
	ok(unload(), "unloaded for the last time");
}

static void check_results(unsigned int rounds)
{
	struct kmsg_result k;
	unsigned int w;

	ok(result.loads == rounds + 1, "loads: %u", result.loads);
	ok(result.unloads == rounds + 1 && !result.bad_errno,
	   "unloads: %u, after being busy %u times", result.unloads, result.busy);
	ok(result.refused && !result.not_refused,
	   "unloads with BPF users refused: %u, not refused: %u", result.refused,
	   result.not_refused);
	tally_print(&tally);
	ok(tally.records[CHURN_NMI] && tally.records[CHURN_TIMER],
	   "samples: nmi %llu timer %llu", (unsigned long long)tally.records[CHURN_NMI],
	   (unsigned long long)tally.records[CHURN_TIMER]);
	ok(!tally_sum(&tally, CHURN_WRONG_ID), "wrong ID: %llu",
	   (unsigned long long)tally_sum(&tally, CHURN_WRONG_ID));
	ok(!tally_sum(&tally, CHURN_WRONG_OFFSET), "wrong offset: %llu",
	   (unsigned long long)tally_sum(&tally, CHURN_WRONG_OFFSET));
	ok(!tally_sum(&tally, CHURN_UNEXPLAINED), "neither right nor explained: %llu",
	   (unsigned long long)tally_sum(&tally, CHURN_UNEXPLAINED));
	for (w = 0; w < CHURN_W_HOLE; w++)
		if (!tally.window[w][BUILDIDX_STATUS_OK])
			break;
	ok(w == CHURN_W_HOLE, "every window was answered with an ID%s%s",
	   w == CHURN_W_HOLE ? "" : ", but not ",
	   w == CHURN_W_HOLE ? "" : churn_windows[w].name);
	ok(!work.counts->failed, "system calls of the churn that failed: %llu",
	   (unsigned long long)work.counts->failed);
	k = kmsg_stop();
	ok(!k.splats, "kernel log clean: %lu lines, %lu faults%s%s", k.lines, k.splats,
	   k.splats ? ", first: " : "", k.first);
	ok(!k.overruns, "kernel log read without a gap: %lu gaps", k.overruns);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: churn-reload [-n ROUNDS] [-m COMMAND] -M MOUNTPOINT -t TMPFS_DIR -l CHURN_DL\n"
		"Needs root; unloads the module first. MOUNTPOINT is a loop-mounted file system,\n"
		"filled with test files and unmounted at the end. COMMAND loads the module\n"
		"(default: modprobe buildidx). CHURN_DL is the program churn-dl. Default: 50 rounds.\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *mountpoint = NULL;
	unsigned int rounds = 50, i, cases, bad;
	struct utsname u;
	int opt;

	while ((opt = getopt(argc, argv, "n:m:M:t:l:")) != -1) {
		switch (opt) {
		case 'n':
			rounds = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			load_command = optarg;
			break;
		case 'M':
			mountpoint = optarg;
			break;
		case 't':
			snprintf(work.tmpfs, sizeof(work.tmpfs), "%s", optarg);
			break;
		case 'l':
			work.dl_program = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind != argc || rounds < FLAVOURS || !mountpoint || !work.tmpfs[0] ||
	    !work.dl_program)
		usage();

	bad = churn_selfcheck(&cases);
	ok(!bad, "the checkers judge %u of %u made-up cases rightly", cases - bad, cases);
	snprintf(work.disk, sizeof(work.disk), "%s/churn", mountpoint);
	if (settings_apply() || kmsg_start() || collect_prepare(&collect))
		bail("cannot prepare");
	if (!ksym_load())
		bail("no kernel symbols");
	if (mkdir(work.disk, 0755)) {
		perror(work.disk);
		bail("cannot write to the mounted file system");
	}
	if (loaded() && !unload())
		bail("the module is loaded and cannot be unloaded");
	memset(&result, 0, sizeof(result));
	work.state = collect.state;
	tally.begun = collect.state->gen_begun;
	tally.known.late_index = true;
	if (spawn_all(&work, &tally.known))
		bail("the churn does not start");
	/* ahead of the churn, or each round takes a minute */
	setpriority(PRIO_PROCESS, 0, -20);

	for (i = 0; i < rounds; i++) {
		if (!one_round(i)) {
			diag("round %u failed", i + 1);
			break;
		}
		if (i % 10 == 9)
			diag("round %u", i + 1);
	}
	ok(i == rounds, "rounds: %u of %u", i, rounds);
	check_umount(mountpoint);
	check_results(rounds);
	uname(&u);
	printf("# churn-reload: kernel=%s rounds=%u loads=%u unloads=%u busy=%u refused=%u nmi=%llu timer=%llu\n",
	       u.release, i, result.loads, result.unloads, result.busy, result.refused,
	       (unsigned long long)tally.records[CHURN_NMI],
	       (unsigned long long)tally.records[CHURN_TIMER]);
	return tap_end();
}
