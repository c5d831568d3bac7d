/* SPDX-License-Identifier: MIT */
/*
 * The unfinished file has no name at all where the system allows that
 * (O_TMPFILE), so that nothing is left behind even by a crash; elsewhere it is
 * a temporary file beside the target. What makes it impossible to finish shows
 * when it is opened, not when all the work is done.
 */
#define _GNU_SOURCE /* O_TMPFILE, fallocate, sync_file_range */
#include "io/atomic_file_int.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/num.h"
#include "io/fd_int.h"

#define MAX_LINKS 40                /* as Linux */
#define PIECE ((size_t)1 << 18)     /* stays in the cache while it is copied */
#define BEHIND ((uint64_t)16 << 20) /* is sent to the disk at once */

/* The path of a name beside the target, one of its own in this process and no
 * longer than names may be: "dir/.base.PID.N<suffix>". */
static char *beside(const char *target, const char *suffix)
{
	static atomic_uint number;
	char *dir = bt_strndup(target, strlen(target));
	char *base = bt_strndup(target, strlen(target));
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s/.%.200s.%ld.%u%s", dirname(dir), basename(base),
	              (long)getpid(), atomic_fetch_add(&number, 1), suffix);
	free(dir);
	free(base);
	return bt_buf_detach(&b);
}

static int open_temp(struct bt_atomic_file *p)
{
	mode_t mask;

	p->temp = beside(p->target, ".XXXXXX");
	p->fd = mkstemp(p->temp);
	if (p->fd < 0) {
		free(p->temp);
		p->temp = NULL;
		return -1;
	}
	bt_cleanup_note(p->temp);
	mask = umask(0);
	umask(mask);
	(void)fcntl(p->fd, F_SETFD, FD_CLOEXEC);
	(void)fchmod(p->fd, 0666 & ~mask);
	return 0;
}

/* Opens the unfinished file; sets p->temp if it has a name. */
static int open_unfinished(struct bt_atomic_file *p)
{
	char *copy;

	/* a nameless file is named through this */
	if (access("/proc/self/fd", X_OK) != 0)
		return open_temp(p);
	copy = bt_strndup(p->target, strlen(p->target));
	p->fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(copy);
	if (p->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
	    errno != ENOENT)
		return -1;
	return open_temp(p);
}

/* As the earlier file had them. A group that cannot be kept gets no more than
 * everybody has. */
static void take_rights(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) != 0 &&
	    st.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
		mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
	(void)fchmod(fd, mode);
}

/* Where a link that leads to no file leads to. */
static char *follow(const char *path)
{
	char *at = bt_strndup(path, strlen(path)), *dir, to[4096];
	struct bt_buf b = BT_BUF_INIT;
	ssize_t n;
	int i;

	for (i = 0; i < MAX_LINKS; i++) {
		n = readlink(at, to, sizeof(to) - 1);
		if (n < 0)
			return at;
		to[n] = '\0';
		dir = dirname(at);
		if (to[0] == '/')
			bt_buf_puts(&b, to);
		else
			bt_buf_printf(&b, "%s/%s", dir, to);
		free(at);
		at = bt_buf_detach(&b);
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

/* The number of "/dev/stdout", "/dev/fd/N" and "/proc/self/fd/N", which are
 * what is open already; -1 for other paths. */
static int descriptor(const char *path)
{
	static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};
	int64_t fd = -1;
	size_t i;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (i = 0; i < 2; i++)
		if (strncmp(path, dirs[i], strlen(dirs[i])) == 0 &&
		    bt_parse_i64(path + strlen(dirs[i]), 0, 1 << 20, &fd) ==
		        BT_OK)
			return (int)fd;
	return -1;
}

static int open_file(struct bt_atomic_file *p, const char *path)
{
	struct stat st;
	bool old = stat(path, &st) == 0;

	if (old && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (old && !S_ISREG(st.st_mode)) {
		p->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		return p->fd < 0 ? -1 : 0;
	}
	if (old && access(path, W_OK) != 0)
		return -1;
	/* symbolic links are kept */
	p->target = old ? realpath(path, NULL) : follow(path);
	if (p->target == NULL || open_unfinished(p) != 0)
		return -1;
	if (old)
		take_rights(p->fd, &st);
	return 0;
}

int bt_atomic_file_open(struct bt_atomic_file *p, const char *path)
{
	bool std = path == NULL || strcmp(path, "-") == 0;
	int fd = std ? STDOUT_FILENO : descriptor(path);
	size_t n = std ? 0 : strlen(path);

	if (fd == STDOUT_FILENO) {
		p->fd = fd;
		p->shared = true;
		return 0;
	}
	if (fd >= 0) {
		p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return p->fd < 0 ? -1 : 0;
	}
	/* names no file */
	if (n == 0 || path[n - 1] == '/') {
		errno = n == 0 ? ENOENT : EISDIR;
		return -1;
	}
	return open_file(p, path);
}

/* What fsync would begin with all at once, at the end. Only it tells whether
 * that goes well. */
static void to_disk(struct bt_atomic_file *p)
{
#ifdef SYNC_FILE_RANGE_WRITE
	if (p->written - p->begun < BEHIND)
		return;
	(void)sync_file_range(p->fd, (off_t)p->begun,
	                      (off_t)(p->written - p->begun),
	                      SYNC_FILE_RANGE_WRITE);
	p->begun = p->written;
#endif
}

/* Where it can be had, blocks need not be looked for one by one. Where not,
 * writing tells why. */
void bt_atomic_file_expect(struct bt_atomic_file *p, uint64_t n)
{
#ifdef FALLOC_FL_KEEP_SIZE
	if (p->target != NULL && n <= INT64_MAX)
		(void)fallocate(p->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)n);
#else
	(void)p;
	(void)n;
#endif
}

int bt_atomic_file_write(struct bt_atomic_file *p, const uint8_t *data,
                         size_t n)
{
	ssize_t w;

	while (n > 0) {
		w = bt_fd_write(p->fd, data, n < PIECE ? n : PIECE);
		if (w < 0)
			return errno;
		data += w;
		n -= (size_t)w;
		p->written += (size_t)w;
		if (p->target != NULL)
			to_disk(p);
	}
	return 0;
}

/* Gives the nameless file its name for a moment, since only rename replaces. */
static int name_it(struct bt_atomic_file *p)
{
	char fd[64], *temp = beside(p->target, ".new");

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", p->fd);
	(void)unlink(temp);
	if (linkat(AT_FDCWD, fd, AT_FDCWD, temp, AT_SYMLINK_FOLLOW) != 0) {
		free(temp);
		return -1;
	}
	p->temp = temp;
	bt_cleanup_note(temp);
	return 0;
}

int bt_atomic_file_settle(struct bt_atomic_file *p, const char **what)
{
	int fd = p->fd;

	*what = "write";
	if (p->shared || fd < 0)
		return 0;
	if (p->target != NULL && fsync(fd) != 0 && errno != EINVAL)
		return -1;
	if (p->target != NULL && p->temp == NULL && name_it(p) != 0) {
		*what = "create";
		return -1;
	}
	p->fd = -1;
	return close(fd);
}

int bt_atomic_file_appear(struct bt_atomic_file *p)
{
	if (p->target == NULL)
		return 0;
	if (rename(p->temp, p->target) != 0)
		return -1;
	bt_cleanup_forget(p->temp);
	free(p->temp);
	p->temp = NULL;
	return 0;
}

void bt_atomic_file_clear(struct bt_atomic_file *p)
{
	if (p->fd >= 0 && !p->shared)
		close(p->fd);
	if (p->temp != NULL) {
		unlink(p->temp);
		bt_cleanup_forget(p->temp);
	}
	free(p->target);
	free(p->temp);
	p->fd = -1;
	p->target = p->temp = NULL;
}
