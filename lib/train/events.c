/* SPDX-License-Identifier: MIT */
#include "train/events_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "finetune/model.h"
#include "format/protobuf_wire.h"
#include "format/tfrecord.h"
#include "io/path.h"

static const char *const prefix[BT_EVENT_STREAMS] = {
    [BT_EVENTS_TRAIN] = "train/",
    [BT_EVENTS_VALIDATION] = "validation/",
    [BT_EVENTS_SPEED] = "",
};

#define NAME "events.out.tfevents."

static int make(const char *path, struct bt_error *err)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return BT_OK;
	if (errno != EEXIST || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return bt_error_sys(err, errno, "cannot create '%s'", path);
	if (access(path, W_OK | X_OK) != 0)
		return bt_error_sys(err, errno, "cannot write to '%s'", path);
	return BT_OK;
}

/* A name as TensorFlow makes it that no file in the directory has; a number
 * tells those of one second apart. */
static char *new_name(enum bt_event_stream s, const char *dir,
                      const char *below)
{
	char host[256] = "localhost", *path, *p;
	struct bt_buf b = BT_BUF_INIT;
	bool taken;
	int n;

	(void)gethostname(host, sizeof(host) - 1);
	host[sizeof(host) - 1] = '\0';
	for (p = host; *p != '\0'; p++)
		if (*p == '/')
			*p = '_';
	for (n = (int)s;; n += BT_EVENT_STREAMS) {
		bt_buf_reset(&b);
		bt_buf_printf(&b, "%s%s" NAME "%010lld.%s.%ld.%d.v2", below,
		              prefix[s], (long long)time(NULL), host,
		              (long)getpid(), n);
		path = bt_path_join(dir, bt_buf_str(&b));
		taken = access(path, F_OK) == 0;
		free(path);
		if (!taken)
			return bt_buf_detach(&b);
	}
}

int bt_events_open(struct bt_events *e, const char *dir, const char *below,
                   struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	const char *under, *path;
	int i, r = BT_OK;

	memset(e, 0, sizeof(*e));
	for (i = 0; r == BT_OK && dir != NULL && i < BT_EVENT_STREAMS; i++) {
		under = below == NULL || i == BT_EVENTS_SPEED ? "" : below;
		bt_buf_reset(&b);
		bt_buf_printf(&b, "%s/%s%s", dir, under, prefix[i]);
		path = bt_buf_str(&b);
		if ((r = bt_path_above(path, err)) == BT_OK)
			r = make(path, err);
		e->file[i].dir = dir;
		e->file[i].name = new_name((enum bt_event_stream)i, dir, under);
	}
	bt_buf_clear(&b);
	return r;
}

bool bt_events_names(enum bt_event_stream s, const char *name)
{
	const char *file = strrchr(name, '/');
	size_t n = strlen(prefix[s]), before;

	file = file != NULL ? file + 1 : name;
	before = (size_t)(file - name);
	return bt_str_starts(file, NAME) && before >= n &&
	       (n > 0 || before == 0) && memcmp(file - n, prefix[s], n) == 0;
}

/* Adds an event as a record: of Summary.Value's tag, a tensor of one float, and
 * whose plugin shows it. Without a tag it is that with which every file begins.
 */
static void put_event(struct bt_append_log *g, int64_t step, const char *tag,
                      float value)
{
	struct bt_buf b = BT_BUF_INIT;
	struct timespec now;
	struct bt_out *out = bt_out_memory(&g->pending);
	size_t summary, v, tensor;
	double t;

	clock_gettime(CLOCK_REALTIME, &now);
	t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
	bt_pb_put_fixed(&b, 1, BT_PB_I64, &t);
	if (step != 0)
		bt_pb_put_uint(&b, 2, (uint64_t)step);
	if (tag == NULL) {
		bt_pb_put_str(&b, 3, "brain.Event:2");
	} else {
		summary = bt_pb_begin(&b, 5);
		v = bt_pb_begin(&b, 1);
		bt_pb_put_str(&b, 1, tag);
		tensor = bt_pb_begin(&b, 8);
		bt_pb_put_uint(&b, 1, 1); /* its type */
		bt_pb_put_str(&b, 2, ""); /* its shape */
		bt_pb_put_bytes(&b, 4, &value, sizeof(value));
		bt_pb_end(&b, tensor);
		bt_pb_put_str(&b, 9, "\x0a\x09\x0a\x07scalars");
		bt_pb_end(&b, v);
		bt_pb_end(&b, summary);
	}
	if (bt_tfrecord_write(out, b.data, b.len, NULL) != BT_OK)
		g->pending.oom = true;
	if (bt_out_commit(out, NULL) != BT_OK)
		g->pending.oom = true;
	bt_buf_clear(&b);
}

void bt_events_scalar(struct bt_events *e, enum bt_event_stream s, int64_t step,
                      double value, const char *fmt, ...)
{
	struct bt_append_log *g = &e->file[s];
	char tag[100];
	va_list ap;

	if (g->dir == NULL)
		return;
	if (g->size == 0 && g->pending.len == 0)
		put_event(g, 0, NULL, 0);
	va_start(ap, fmt);
	vsnprintf(tag, sizeof(tag), fmt, ap);
	va_end(ap);
	put_event(g, step, tag, (float)value);
}

int bt_events_flush(struct bt_events *e, const struct bt_log *log,
                    struct bt_error *err)
{
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < BT_EVENT_STREAMS; i++)
		r = bt_append_log_flush(&e->file[i], log, err);
	return r;
}

int bt_events_sync(struct bt_events *e, struct bt_error *err)
{
	int i, r = BT_OK;

	for (i = 0; r == BT_OK && i < BT_EVENT_STREAMS; i++)
		r = bt_append_log_sync(&e->file[i], err);
	return r;
}

int bt_events_close(struct bt_events *e, struct bt_error *err)
{
	int i, r = BT_OK, one;

	for (i = 0; i < BT_EVENT_STREAMS; i++) {
		one = bt_append_log_close(&e->file[i], err);
		if (r == BT_OK)
			r = one;
	}
	return r;
}
