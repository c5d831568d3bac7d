/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* flock */
#include "train/dir_lock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ".model.safetensors.PID.N.new" and so on, for all that a model directory
 * holds; or with six letters at the end, as an unfinished output's name goes on
 * where it must have one. */
static bool is_unfinished(const char *name)
{
	static const char *const kinds[] = {".safetensors.", ".json.", ".txt.",
	                                    ".model.",       ".md.",   ".ts."};
	const char *p;
	char end[8];
	size_t i;
	int n = 0;

	for (i = 0; name[0] == '.' && i < sizeof(kinds) / sizeof(kinds[0]);
	     i++) {
		p = strstr(name + 1, kinds[i]);
		if (p == NULL)
			continue;
		p += strlen(kinds[i]);
		if (isdigit((unsigned char)*p) &&
		    sscanf(p, "%*d.%*u.%7s%n", end, &n) == 1 && p[n] == '\0' &&
		    (strcmp(end, "new") == 0 || strlen(end) == 6))
			return true;
	}
	return false;
}

static void sweep(int dir)
{
	int fd = dup(dir);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL && fd >= 0)
		close(fd);
	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL)
		if (is_unfinished(e->d_name))
			(void)unlinkat(dir, e->d_name, 0);
	closedir(d);
}

/* Whoever reads the model looks at the lock, and has it for a moment; so does
 * not count as a run what is gone after a few attempts. */
static bool lock(int fd)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int i;

	for (i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK || i == 10)
			return false;
		(void)nanosleep(&pause, NULL);
	}
	return true;
}

int bt_dir_lock_make(const char *path, int *claim, struct bt_error *err)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return bt_error_sys(err, errno, "cannot create '%s'", path);
	return bt_dir_lock(path, claim, err);
}

int bt_dir_lock(const char *path, int *claim, struct bt_error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return bt_error_sys(err, errno, "cannot open '%s'", path);
	if (lock(fd)) {
		sweep(fd);
	} else if (errno == EWOULDBLOCK) {
		close(fd);
		return bt_error_set(err, BT_EIO,
		                    "another run is writing to '%s'", path);
	}
	*claim = fd;
	return BT_OK;
}

void bt_dir_lock_release(int claim)
{
	if (claim >= 0)
		close(claim);
}
