// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "modctl.h"
#include "tap.h"

#define MAX_ARGS	16

/* Exit status of a program, 255 when it did not exit. Its output becomes comments. */
static int run(char *const argv[])
{
	char line[400];
	int out[2], status;
	FILE *from;
	pid_t pid;

	if (pipe(out))
		bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		close(out[0]);
		close(out[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	from = fdopen(out[0], "r");
	while (from && fgets(line, sizeof(line), from)) {
		line[strcspn(line, "\n")] = '\0';
		diag("%s: %s", argv[0], line);
	}
	fclose(from);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

int mod_load(const char *params)
{
	char *argv[MAX_ARGS] = { "modprobe", "buildidx" };
	char text[256], *word, *save = NULL;
	int n = 2;

	snprintf(text, sizeof(text), "%s", params);
	for (word = strtok_r(text, " ", &save); word && n < MAX_ARGS - 1;
	     word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	return run(argv);
}

bool mod_loaded(void)
{
	return !access("/sys/module/buildidx", F_OK);
}

bool mod_unload(void)
{
	char *argv[] = { "rmmod", "buildidx", NULL };
	int tries;

	for (tries = 0; mod_loaded() && tries < 40; tries++) {
		if (!run(argv))
			break;
		sleep_ms(500);
	}
	return !mod_loaded();
}

int write_switch(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

int mod_enable(const char *text)
{
	return write_switch("/sys/module/buildidx/parameters/enable", text);
}

int mod_load_and_open(const char *params)
{
	int status;

	if (!mod_unload())
		bail("buildidx cannot be unloaded");
	status = mod_load(params);
	if (status)
		bail("modprobe buildidx %s: exit status %d", params, status);
	return dev_open();
}

static int kmsg = -1;

void log_mark(void)
{
	if (kmsg >= 0)
		close(kmsg);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg < 0 || lseek(kmsg, 0, SEEK_END) < 0)
		bail("/dev/kmsg: %s", strerror(errno));
}

/* The text of the next record; false when there is none. */
static bool next_record(char *buf, size_t size)
{
	char *text;
	ssize_t n;

	do {
		n = read(kmsg, buf, size - 1);
		if (n < 0 && errno == EPIPE) {
			snprintf(buf, size, "(the kernel log lost records)");
			return true;
		}
		if (n < 0)
			return false;
		buf[n] = '\0';
		text = strchr(buf, ';');
	} while (!text);
	memmove(buf, text + 1, strlen(text));
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool log_has(const char *text, const char *also)
{
	char record[8192];
	bool found = false;

	while (next_record(record, sizeof(record)))
		if (strstr(record, text) && (!also || strstr(record, also)))
			found = true;
	lseek(kmsg, 0, SEEK_END);
	return found;
}

bool log_complains(void)
{
	static const char * const complaints[] = {
		"WARNING:", "BUG:", "BUG ", "Oops", "general protection fault", "KASAN", "UBSAN",
		"unable to handle", "possible circular locking", "suspicious RCU usage",
		"sleeping function called", "scheduling while atomic", "stack guard page",
		"hung task", "blocked for more than", "lockup", "detected stalls", "Kernel panic",
		"kernel BUG", "refcount_t", "list_add corruption", "list_del corruption",
		"Bad page", "use-after-free", "the kernel log lost records",
	};
	char record[8192];
	bool bad = false;
	size_t i;

	while (next_record(record, sizeof(record))) {
		for (i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++) {
			if (!strstr(record, complaints[i]))
				continue;
			diag("kernel log: %s", record);
			bad = true;
			break;
		}
	}
	return bad;
}
