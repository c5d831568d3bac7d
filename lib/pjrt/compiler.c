/* SPDX-License-Identifier: MIT */
#include "pjrt/compiler_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* What is asked: to compile so many programs, each with this and its text and
 * options behind it; 0: to end what is being compiled. All of it is read before
 * anything is answered, so that neither side waits for the other to read. */
struct request {
	uint64_t n, width;
};
struct part {
	uint64_t text, options;
};

/* What comes back for each, followed by the program, and after the last one. */
#define LAST UINT64_MAX
struct reply {
	uint64_t task;
	int code, begun;
	char text[sizeof(((struct bt_error *)0)->text)];
	uint64_t bytes;
};

/* Programs that are being compiled: the process of each, and its number. */
struct batch {
	struct bt_pjrt_job *jobs; /* [n], each with its own text */
	size_t n, next;
	struct bt_pjrt_child *child; /* [width] */
	size_t *task;
	struct pollfd *wait; /* [1 + width], the first for what is asked */
	size_t width, running;
};

static bool read_job(int fd, struct bt_pjrt_job *j)
{
	struct part part;
	size_t size;
	char *data;

	if (!bt_pjrt_read_all(fd, &part, sizeof(part)) ||
	    !bt_size_add(part.text, part.options, &size))
		return false;
	j->text = data = bt_array(size, 1);
	if (data == NULL || !bt_pjrt_read_all(fd, data, size))
		return false;
	j->len = part.text;
	j->options = (struct bt_buf)BT_BUF_INIT;
	j->options.data = data + part.text;
	j->options.len = part.options;
	return true;
}

static bool read_batch(int fd, const struct request *ask,
                       const struct bt_pjrt_job *like, struct batch *b)
{
	memset(b, 0, sizeof(*b));
	b->jobs = bt_array0(ask->n, sizeof(*b->jobs));
	b->child = bt_array0(ask->width, sizeof(*b->child));
	b->task = bt_array0(ask->width, sizeof(*b->task));
	b->wait = bt_array0(ask->width + 1, sizeof(*b->wait));
	if (b->jobs == NULL || b->child == NULL || b->task == NULL ||
	    b->wait == NULL)
		return false;
	b->width = ask->width;
	for (; b->n < ask->n; b->n++) {
		b->jobs[b->n] = *like;
		if (!read_job(fd, &b->jobs[b->n]))
			return false;
	}
	return true;
}

static void clear_batch(struct batch *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		free((char *)b->jobs[i].text);
	free(b->jobs);
	free(b->child);
	free(b->task);
	free(b->wait);
}

static bool answer(int fd, size_t task, int code, bool begun,
                   const struct bt_error *err, const struct bt_buf *out)
{
	struct reply reply;

	memset(&reply, 0, sizeof(reply));
	reply.task = task;
	reply.code = code;
	reply.begun = begun;
	memcpy(reply.text, err->text, sizeof(reply.text));
	reply.bytes = code == BT_OK ? out->len : 0;
	return bt_pjrt_write_all(fd, &reply, sizeof(reply)) &&
	       bt_pjrt_write_all(fd, bt_buf_at(out, 0), reply.bytes);
}

static bool start_next(int fd, bt_pjrt_work *work, struct batch *b)
{
	struct bt_buf none = BT_BUF_INIT;
	struct bt_error err = {0};
	size_t i = b->next++;
	int r =
	    bt_pjrt_child_start(&b->child[b->running], work, &b->jobs[i], &err);

	if (r != BT_OK)
		return answer(fd, i, r, false, &err, &none);
	b->task[b->running++] = i;
	return true;
}

/* Takes the end of a process that compiled, and answers. */
static bool end_one(int fd, struct batch *b, size_t k)
{
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};
	bool begun, sent;
	int r = bt_pjrt_child_end(&b->child[k], &out, &begun, &err);

	sent = answer(fd, b->task[k], r, begun, &err, &out);
	bt_buf_clear(&out);
	b->running--;
	b->child[k] = b->child[b->running];
	b->task[k] = b->task[b->running];
	return sent;
}

static void end_all(struct batch *b)
{
	struct bt_buf out = BT_BUF_INIT;
	struct bt_error err = {0};
	bool begun;
	size_t k;

	for (k = 0; k < b->running; k++)
		bt_pjrt_child_kill(&b->child[k]);
	for (k = 0; k < b->running; k++) {
		if (bt_pjrt_child_end(&b->child[k], &out, &begun, &err) !=
		    BT_OK)
			bt_error_clear(&err);
		bt_buf_reset(&out);
	}
	bt_buf_clear(&out);
	b->running = 0;
}

/* Waits for one of the processes, or for a word to end them; false: it came,
 * or nobody is there who will hear an answer. */
static bool attend(int fd, struct batch *b)
{
	size_t k;

	b->wait[0].fd = fd;
	b->wait[0].events = POLLIN;
	for (k = 0; k < b->running; k++) {
		b->wait[k + 1].fd = b->child[k].fd;
		b->wait[k + 1].events = POLLIN;
	}
	if (poll(b->wait, (nfds_t)b->running + 1, -1) < 0)
		return errno == EINTR;
	if (b->wait[0].revents != 0)
		return false;
	for (k = b->running; k-- > 0;)
		if (b->wait[k + 1].revents != 0 &&
		    !bt_pjrt_child_read(&b->child[k]) && !end_one(fd, b, k))
			return false;
	return true;
}

/* Answers one request; false at the end. */
static bool serve(int fd, bt_pjrt_work *work, const struct bt_pjrt_job *like)
{
	struct bt_buf none = BT_BUF_INIT;
	struct bt_error fine = {0};
	struct request ask;
	struct batch b;
	bool good;

	if (!bt_pjrt_read_all(fd, &ask, sizeof(ask)))
		return false;
	if (ask.n == 0) /* it came too late */
		return true;
	good = read_batch(fd, &ask, like, &b);
	while (good && (b.next < b.n || b.running > 0)) {
		while (good && b.next < b.n && b.running < b.width)
			good = start_next(fd, work, &b);
		if (good && b.running > 0 && !attend(fd, &b))
			break;
	}
	/* whoever is gone does not hear it */
	end_all(&b);
	clear_batch(&b);
	return good && answer(fd, LAST, BT_OK, false, &fine, &none);
}

/* What is sent to all processes of a job is the other's to answer. Standard
 * input and output are given up, so that who reads them sees their end. */
static void settle_down(pid_t parent)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1,
	                              SIGPIPE};
	int null = open("/dev/null", O_RDWR);
	size_t i;

	bt_pjrt_die_with_parent(parent);
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
	pid_t pid, parent = getpid();
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		settle_down(parent);
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

static bool send_batch(int fd, const struct bt_pjrt_task *t, size_t n,
                       size_t width)
{
	struct request ask = {n, width};
	bool good = send_all(fd, &ask, sizeof(ask));
	struct part part;
	size_t i;

	for (i = 0; good && i < n; i++) {
		part = (struct part){t[i].len, t[i].options->len};
		good = send_all(fd, &part, sizeof(part)) &&
		       send_all(fd, t[i].text, t[i].len) &&
		       send_all(fd, t[i].options->data, t[i].options->len);
	}
	return good;
}

/* An answer, unless it is the last: *more. What it holds is valid until the
 * next. */
static bool receive(int fd, struct reply *reply, struct bt_buf *bytes,
                    bool *more)
{
	void *room;

	bt_buf_reset(bytes);
	if (!bt_pjrt_read_all(fd, reply, sizeof(*reply)))
		return false;
	reply->text[sizeof(reply->text) - 1] = '\0';
	*more = reply->task != LAST;
	room = bt_buf_reserve(bytes, reply->bytes + 1);
	if (room == NULL || !bt_pjrt_read_all(fd, room, reply->bytes))
		return false;
	bytes->len = reply->bytes;
	return true;
}

/* Whether there is something to read; asks again a few times a second. */
static bool is_there(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 200) > 0;
}

int bt_pjrt_compiler_run(struct bt_pjrt_compiler *c,
                         const struct bt_pjrt_task *tasks, size_t n,
                         size_t width, bt_pjrt_hear *hear, void *ctx,
                         struct bt_error *err)
{
	static const struct request stop = {0, 0};
	bool good = send_batch(c->fd, tasks, n, width), more = true;
	bool wanted = true, still;
	struct bt_buf bytes = BT_BUF_INIT;
	struct bt_pjrt_answer a;
	struct reply reply;

	while (good && more) {
		if (is_there(c->fd)) {
			good = receive(c->fd, &reply, &bytes, &more) &&
			       (!more || reply.task < n);
			a = (struct bt_pjrt_answer){(size_t)reply.task,
			                            reply.code, reply.text,
			                            reply.begun != 0, &bytes};
			still = !good || !more || !wanted || hear(ctx, &a);
		} else {
			still = !wanted || hear(ctx, NULL);
		}
		if (!still) {
			wanted = false;
			good = send_all(c->fd, &stop, sizeof(stop));
		}
	}
	bt_buf_clear(&bytes);
	return good ? BT_OK
	            : bt_error_set(err, BT_EIO,
	                           "the process that compiles is gone");
}
