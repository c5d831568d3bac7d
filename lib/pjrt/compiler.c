/* SPDX-License-Identifier: MIT */
#include "pjrt/compiler_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

struct bt_pjrt_compiler {
	pid_t pid;
	int fd;
};

/* What is asked, followed by text and options, and what comes back, followed by
 * the program. */
struct request {
	uint64_t text, options;
};
struct reply {
	int code, begun;
	char text[sizeof(((struct bt_error *)0)->text)];
	uint64_t bytes;
};

/* Answers one request; false at the end. */
static bool serve(int fd, bt_pjrt_work *work, struct bt_pjrt_job *j)
{
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};
	struct request ask;
	struct reply reply;
	size_t size;
	bool begun = false, sent;
	char *data;

	if (!bt_pjrt_read_all(fd, &ask, sizeof(ask)) ||
	    !bt_size_add(ask.text, ask.options, &size))
		return false;
	data = bt_array(size, 1);
	if (data == NULL || !bt_pjrt_read_all(fd, data, size))
		return false;
	j->text = data;
	j->len = ask.text;
	j->options.data = data + ask.text;
	j->options.len = ask.options;
	memset(&reply, 0, sizeof(reply));
	reply.code = bt_pjrt_child(work, j, &out, &begun, &err);
	reply.begun = begun;
	memcpy(reply.text, err.text, sizeof(reply.text));
	reply.bytes = reply.code == BT_OK ? out.len : 0;
	sent = bt_pjrt_write_all(fd, &reply, sizeof(reply)) &&
	       bt_pjrt_write_all(fd, bt_buf_at(&out, 0), reply.bytes);
	bt_buf_clear(&out);
	free(data);
	return sent;
}

/* What is sent to all processes of a job is the other's to answer. Standard
 * input and output are given up, so that who reads them sees their end. */
static void settle_down(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	int null = open("/dev/null", O_RDWR);
	size_t i;

	bt_pjrt_die_with_parent();
	for (i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
}

struct bt_pjrt_compiler *bt_pjrt_compiler_start(bt_pjrt_work *work,
                                                const char *plugin,
                                                const struct bt_pjrt_options *o)
{
	struct bt_pjrt_job j = {plugin, o, NULL, 0, BT_BUF_INIT};
	struct bt_pjrt_compiler *c;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		settle_down();
		while (serve(fds[1], work, &j))
			;
		_exit(0);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return NULL;
	}
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	c = bt_array(1, sizeof(*c));
	c->pid = pid;
	c->fd = fds[0];
	return c;
}

void bt_pjrt_compiler_stop(struct bt_pjrt_compiler *c)
{
	if (c == NULL)
		return;
	/* also where a later process has inherited it */
	shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(c);
}

/* As write, without SIGPIPE. */
static bool send_all(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t k;

	for (; n > 0; p += k, n -= (size_t)k) {
		k = send(fd, p, n, MSG_NOSIGNAL);
		if (k < 0 && errno != EINTR)
			return false;
		k = k < 0 ? 0 : k;
	}
	return true;
}

int bt_pjrt_compiler_run(struct bt_pjrt_compiler *c, const char *text,
                         size_t len, const struct bt_buf *options,
                         struct bt_buf *bytes, bool *begun,
                         struct bt_error *err)
{
	struct request ask = {len, options->len};
	struct reply reply;
	void *room;

	*begun = false;
	if (!send_all(c->fd, &ask, sizeof(ask)) ||
	    !send_all(c->fd, text, len) ||
	    !send_all(c->fd, options->data, options->len) ||
	    !bt_pjrt_read_all(c->fd, &reply, sizeof(reply)))
		return bt_error_set(err, BT_EIO,
		                    "the process that compiles is gone");
	*begun = reply.begun != 0;
	if (reply.code != BT_OK) {
		reply.text[sizeof(reply.text) - 1] = '\0';
		return bt_error_set(err, reply.code, "%s", reply.text);
	}
	room = bt_buf_reserve(bytes, reply.bytes);
	if (room == NULL)
		return bt_error_nomem(err, "reading a compiled program");
	if (!bt_pjrt_read_all(c->fd, room, reply.bytes))
		return bt_error_set(err, BT_EIO,
		                    "the process that compiles is gone");
	bytes->len += reply.bytes;
	return BT_OK;
}
