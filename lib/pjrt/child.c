/* SPDX-License-Identifier: MIT */
#include "pjrt/child_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/temp_store.h"

/* What a child writes: a byte BEGUN, once and perhaps; then this, with code 0
 * or that of an error, and the output. */
struct outcome {
	int code;
	char text[sizeof(((struct bt_error *)0)->text)];
};
#define BEGUN 'b'
#define DONE 'd'

static int result_fd; /* of a child */

bool bt_pjrt_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t k;

	for (; n > 0; p += k, n -= (size_t)k) {
		k = write(fd, p, n);
		if (k < 0 && errno != EINTR)
			return false;
		k = k < 0 ? 0 : k;
	}
	return true;
}

bool bt_pjrt_read_all(int fd, void *data, size_t n)
{
	char *p = data;
	ssize_t k;

	for (; n > 0; p += k, n -= (size_t)k) {
		k = read(fd, p, n);
		if (k == 0 || (k < 0 && errno != EINTR))
			return false;
		k = k < 0 ? 0 : k;
	}
	return true;
}

void bt_pjrt_die_with_parent(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent) /* it ended before that */
		_exit(1);
}

void bt_pjrt_child_begun(void)
{
	static const char begun = BEGUN;

	if (!bt_pjrt_write_all(result_fd, &begun, 1))
		_exit(1);
}

/* A nameless file for what a plugin prints; -1: there is no room for one. */
static int unnamed(void)
{
	struct bt_buf path = BT_BUF_INIT;
	int fd;

	bt_buf_printf(&path, "%s/bt-pjrt-XXXXXX", bt_temp_dir());
	bt_buf_putc(&path, '\0');
	fd = mkstemp(path.data);
	if (fd >= 0)
		unlink(path.data);
	bt_buf_clear(&path);
	return fd;
}

static void be_child(bt_pjrt_work *work, void *ctx, int fd, int said,
                     pid_t parent)
{
	static const char done = DONE;
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};
	struct outcome end;

	bt_pjrt_die_with_parent(parent);
	result_fd = fd;
	if (said >= 0)
		dup2(said, STDERR_FILENO);
	memset(&end, 0, sizeof(end));
	end.code = work(ctx, &out, &err);
	if (end.code == BT_OK && out.oom)
		end.code = bt_error_nomem(&err, "compiling");
	memcpy(end.text, err.text, sizeof(end.text));
	if (end.code != BT_OK)
		out.len = 0;
	/* no destructors: those of a plugin may fail */
	_exit(!bt_pjrt_write_all(fd, &done, 1) ||
	      !bt_pjrt_write_all(fd, &end, sizeof(end)) ||
	      !bt_pjrt_write_all(fd, bt_buf_at(&out, 0), out.len));
}

/* The line of what a plugin printed that says why it ended: that of a failed
 * check, or else the first. */
static void why(int fd, char *line, size_t room)
{
	char text[8192];
	const char *p;
	ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : 0;

	text[n > 0 ? n : 0] = '\0';
	p = strstr(text, "Check failed");
	p = p != NULL ? p : strstr(text, "FATAL");
	p = p != NULL ? p : text;
	snprintf(line, room, "%.*s", (int)strcspn(p, "\n"), p);
	bt_printable(line);
}

static int died(int status, int said, struct bt_error *err)
{
	char line[300];

	why(said, line, sizeof(line));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return bt_error_set(err, BT_EIO,
		                    "its process was killed, as the system "
		                    "does where memory lacks");
	if (WIFSIGNALED(status))
		return bt_error_set(err, BT_EFORMAT,
		                    "the plugin ended its process by signal %d "
		                    "(%s)%s%s",
		                    WTERMSIG(status),
		                    strsignal(WTERMSIG(status)),
		                    line[0] != '\0' ? ": " : "", line);
	return bt_error_set(
	    err, BT_EFORMAT, "the plugin ended its process with status %d%s%s",
	    WEXITSTATUS(status), line[0] != '\0' ? ": " : "", line);
}

/* Takes what a child wrote apart. */
static int judge(const struct bt_buf *got, int status, int said,
                 struct bt_buf *out, bool *begun, struct bt_error *err)
{
	struct outcome end;
	size_t at = 0;

	*begun = got->len > 0 && got->data[0] == BEGUN;
	at += *begun;
	if (got->oom)
		return bt_error_nomem(err, "reading a compiled program");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 ||
	    got->len < at + 1 + sizeof(end) || got->data[at] != DONE)
		return died(status, said, err);
	memcpy(&end, got->data + at + 1, sizeof(end));
	at += 1 + sizeof(end);
	if (end.code != BT_OK)
		return bt_error_set(err, end.code, "%s", end.text);
	bt_buf_put(out, got->data + at, got->len - at);
	return out->oom ? bt_error_nomem(err, "reading a compiled program")
	                : BT_OK;
}

int bt_pjrt_child_start(struct bt_pjrt_child *c, bt_pjrt_work *work, void *ctx,
                        struct bt_error *err)
{
	pid_t parent = getpid();
	int fds[2], r;

	memset(c, 0, sizeof(*c));
	if (pipe(fds) != 0)
		return bt_error_sys(err, errno, "cannot make a pipe");
	c->fd = fds[0];
	c->said = unnamed();
	c->pid = fork();
	if (c->pid == 0) {
		close(fds[0]);
		be_child(work, ctx, fds[1], c->said, parent);
	}
	close(fds[1]);
	if (c->pid > 0)
		return BT_OK;
	r = bt_error_sys(err, errno, "cannot start a process");
	close(fds[0]);
	if (c->said >= 0)
		close(c->said);
	return r;
}

bool bt_pjrt_child_read(struct bt_pjrt_child *c)
{
	void *room = bt_buf_reserve(&c->got, 1 << 16);
	ssize_t k;

	if (room == NULL)
		return false;
	k = read(c->fd, room, 1 << 16);
	c->got.len += k > 0 ? (size_t)k : 0;
	return k > 0 || (k < 0 && errno == EINTR);
}

void bt_pjrt_child_kill(struct bt_pjrt_child *c)
{
	kill(c->pid, SIGKILL);
}

int bt_pjrt_child_end(struct bt_pjrt_child *c, struct bt_buf *out, bool *begun,
                      struct bt_error *err)
{
	int status = 0, r;

	close(c->fd); /* first: or it waits where not all was read */
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	r = judge(&c->got, status, c->said, out, begun, err);
	if (c->said >= 0)
		close(c->said);
	bt_buf_clear(&c->got);
	return r;
}

int bt_pjrt_child(bt_pjrt_work *work, void *ctx, struct bt_buf *out,
                  bool *begun, struct bt_error *err)
{
	struct bt_pjrt_child c;
	int r = bt_pjrt_child_start(&c, work, ctx, err);

	*begun = false;
	if (r != BT_OK)
		return r;
	while (bt_pjrt_child_read(&c))
		;
	return bt_pjrt_child_end(&c, out, begun, err);
}
