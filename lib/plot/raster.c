/* SPDX-License-Identifier: MIT */
#include "plot/raster.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "rsvg-convert"

extern char **environ;

/* A file without a name that holds the picture, at its beginning; or NULL. */
static FILE *hold(const struct bt_buf *svg)
{
	FILE *f = tmpfile();

	if (f == NULL)
		return NULL;
	if (fwrite(svg->data, 1, svg->len, f) == svg->len && fflush(f) == 0 &&
	    lseek(fileno(f), 0, SEEK_SET) == 0)
		return f;
	fclose(f);
	return NULL;
}

/* Starts the program between two descriptors. */
static int start(const char *format, int in, int out, pid_t *pid)
{
	char program[] = PROGRAM, option[] = "-f", value[8];
	char *argv[] = {program, option, value, NULL};
	posix_spawn_file_actions_t a;
	int e;

	snprintf(value, sizeof(value), "%s", format);
	e = posix_spawn_file_actions_init(&a);
	if (e != 0)
		return e;
	e = posix_spawn_file_actions_adddup2(&a, in, STDIN_FILENO);
	if (e == 0)
		e = posix_spawn_file_actions_adddup2(&a, out, STDOUT_FILENO);
	if (e == 0)
		e = posix_spawnp(pid, PROGRAM, &a, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&a);
	return e;
}

/* All that comes from a descriptor. */
static int collect(int from, struct bt_buf *out)
{
	ssize_t n;
	void *room;

	for (;;) {
		room = bt_buf_reserve(out, 1 << 16);
		n = room != NULL ? read(from, room, 1 << 16) : 0;
		if (n > 0)
			out->len += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return n == 0 ? 0 : errno;
	}
}

static int convert(const char *format, int in, struct bt_buf *out,
                   struct bt_error *err)
{
	int ends[2], e, status = 0;
	pid_t pid;

	if (pipe(ends) != 0)
		return bt_error_sys(err, errno, "cannot make a pipe");
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	e = start(format, in, ends[1], &pid);
	close(ends[1]);
	if (e == 0) {
		e = collect(ends[0], out);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	} else if (e == ENOENT) {
		close(ends[0]);
		return bt_error_set(err, BT_EARG,
		                    "%s needs the program " PROGRAM
		                    " (of librsvg), which is not installed",
		                    format);
	}
	close(ends[0]);
	if (e != 0)
		return bt_error_sys(err, e, "cannot run " PROGRAM);
	if (status != 0)
		return bt_error_set(err, BT_EIO, PROGRAM " failed (status %d)",
		                    WIFEXITED(status) ? WEXITSTATUS(status)
		                                      : WTERMSIG(status));
	return BT_OK;
}

int bt_raster(const struct bt_buf *svg, const char *format, struct bt_buf *out,
              struct bt_error *err)
{
	FILE *f = hold(svg);
	int e;

	if (f == NULL)
		return bt_error_sys(err, errno, "cannot keep a picture");
	e = convert(format, fileno(f), out, err);
	fclose(f);
	return e;
}
