// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "perf.h"

#define PATIENCE_S	120

/* --- perf record --- */

static unsigned int threads_of(pid_t pid)
{
	char path[32];
	unsigned int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n < 2 ? 0 : n - 2;
}

/* It maps its buffers, then starts the thread that follows BPF events, then enables. */
static int await_start(pid_t pid, const char *file)
{
	time_t until = time(NULL) + PATIENCE_S;
	struct stat st;

	while (threads_of(pid) < 2 || stat(file, &st) || !st.st_size) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return -ECHILD;
		if (time(NULL) > until) {
			kill(pid, SIGKILL);
			return -ETIMEDOUT;
		}
		usleep(50000);
	}
	/* on a busy host it takes a while from there to its first sample */
	sleep(4);
	return 0;
}

pid_t perf_start(const char *perf, const char *file)
{
	pid_t pid;
	int err;

	unlink(file);
	pid = fork();
	if (!pid) {
		int log = open("/tmp/perf.log", O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dup2(log, 1);
		dup2(log, 2);
		execl(perf, perf, "record", "-e", "cpu-clock", "-a", "-F", "199", "-k",
		      "CLOCK_BOOTTIME", "--no-buildid-cache", "-o", file, NULL);
		_exit(127);
	}
	if (pid < 0)
		return -errno;
	err = await_start(pid, file);
	return err ? err : pid;
}

int perf_stop(pid_t pid)
{
	int status;

	kill(pid, SIGINT);
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	/* it ends itself by the signal that ended the recording */
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGINT ? 0 : 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* --- what is in its file --- */

/* perf.data-file-format.txt */
struct section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[4];
};

#define FEATURE_BPF_PROG_INFO	25
#define FEATURE_BPF_BTF		26

/* Before each struct bpf_prog_info. */
struct prog_head {
	uint32_t info_len;
	uint32_t data_len;
	uint64_t arrays;
};

struct btf_head {
	uint32_t id;
	uint32_t size;
};

static void *read_at(int fd, const struct section *s)
{
	char *buf = malloc(s->size + 1);

	if (buf && pread(fd, buf, s->size, s->offset) == (ssize_t)s->size)
		return buf;
	free(buf);
	return NULL;
}

/* The sections of features follow the data, one for each bit that is set. */
static void *feature(int fd, const struct file_header *h, unsigned int number, struct section *s)
{
	unsigned int i, before = 0;

	if (!(h->features[number / 64] >> number % 64 & 1))
		return NULL;
	for (i = 0; i < number; i++)
		before += h->features[i / 64] >> i % 64 & 1;
	if (pread(fd, s, sizeof(*s), h->data.offset + h->data.size + before * sizeof(*s)) !=
	    sizeof(*s))
		return NULL;
	return read_at(fd, s);
}

static bool has_btf(const char *btfs, size_t size, uint32_t id)
{
	struct btf_head head;
	size_t at;

	for (at = 4; btfs && at + sizeof(head) <= size; at += sizeof(head) + head.size) {
		memcpy(&head, btfs + at, sizeof(head));
		if (head.id == id)
			return true;
	}
	return false;
}

static long parse_progs(const char *infos, size_t size, const char *btfs, size_t btfs_size,
			struct perf_prog **progs)
{
	struct prog_head head;
	uint32_t count, i;
	size_t at = 4;

	memcpy(&count, infos, sizeof(count));
	*progs = calloc(count + 1, sizeof(**progs));
	if (!*progs)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct bpf_prog_info info = { 0 };

		if (size - at < sizeof(head))
			return -EBADMSG;
		memcpy(&head, infos + at, sizeof(head));
		at += sizeof(head);
		if (head.info_len > size - at || head.data_len > size - at - head.info_len)
			return -EBADMSG;
		memcpy(&info, infos + at,
		       head.info_len < sizeof(info) ? head.info_len : sizeof(info));
		at += head.info_len + head.data_len;
		(*progs)[i] = (struct perf_prog) {
			.id = info.id, .funcs = info.nr_jited_ksyms,
			.lines = info.nr_jited_line_info,
			.btf = has_btf(btfs, btfs_size, info.btf_id),
		};
	}
	return count;
}

long perf_progs(const char *file, struct perf_prog **progs)
{
	struct section infos_at, btfs_at = { 0 };
	char *infos = NULL, *btfs = NULL;
	struct file_header h;
	long n = -errno;
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	*progs = NULL;
	if (fd < 0)
		return -errno;
	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || memcmp(h.magic, "PERFILE2", 8)) {
		n = -EBADMSG;
		goto out;
	}
	infos = feature(fd, &h, FEATURE_BPF_PROG_INFO, &infos_at);
	btfs = feature(fd, &h, FEATURE_BPF_BTF, &btfs_at);
	n = infos ? parse_progs(infos, infos_at.size, btfs, btfs_at.size, progs) : 0;
out:
	close(fd);
	free(infos);
	free(btfs);
	return n;
}

/* --- what it prints --- */

static char *output_of(const char *command)
{
	size_t used = 0, room = 1 << 16;
	char *text = malloc(room), *bigger;
	FILE *f = popen(command, "r");
	size_t n;

	while (f && text && (n = fread(text + used, 1, room - used - 1, f)) > 0) {
		used += n;
		if (room - used > 4096)
			continue;
		room *= 2;
		bigger = realloc(text, room);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (!f || pclose(f) || !text) {
		free(text);
		return NULL;
	}
	text[used] = '\0';
	return text;
}

char *perf_header_text(const char *perf, const char *file)
{
	char command[512];

	snprintf(command, sizeof(command), "%s report --header-only -I -i %s 2>/tmp/perf.report",
		 perf, file);
	return output_of(command);
}

long perf_samples(const char *perf, const char *file, struct perf_sample **samples)
{
	char command[512], *text, *line, *next;
	long n = 0, room = 0;

	*samples = NULL;
	snprintf(command, sizeof(command),
		 "%s script -i %s --ns -F time,ip,sym 2>/tmp/perf.script", perf, file);
	text = output_of(command);
	if (!text)
		return -EIO;
	for (line = text; *line; line = next) {
		unsigned long long s, ns, ip;
		struct perf_sample *p;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (n == room) {
			room = 2 * room + 1024;
			*samples = realloc(*samples, room * sizeof(**samples));
			if (!*samples)
				return -ENOMEM;
		}
		p = &(*samples)[n];
		p->symbol[0] = '\0';
		if (sscanf(line, "%llu.%9llu: %llx %95s", &s, &ns, &ip, p->symbol) < 3 || !(ip >> 63))
			continue;
		p->time = s * 1000000000 + ns;
		p->ip = ip;
		n++;
	}
	free(text);
	return n;
}
