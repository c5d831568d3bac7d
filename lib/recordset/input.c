/* SPDX-License-Identifier: MIT */
#include "recordset/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/tfrecord.h"
#include "io/duplicate_paths.h"
#include "io/in.h"
#include "record/recjson.h"

struct bt_input {
	struct bt_input_opts o;
	struct bt_tfrecord *records; /* or NULL: the rest counts */
	char *const *paths;
	int n_paths, next_path;
	struct bt_in_limit limit;
	struct bt_in *in; /* NULL between files */
	char *file;
	uint64_t line, total;
	size_t pending; /* bytes of the last line */
	struct bt_example_writer writer;
	struct bt_buf payload;
};

static int open_next(struct bt_input *s, struct bt_error *err)
{
	const char *path = s->n_paths == 0 ? NULL : s->paths[s->next_path];
	const char *name;
	int r = bt_in_open(path, &s->in, err);

	if (r != BT_OK)
		return r;
	if (s->o.limited)
		bt_in_limit(s->in, &s->limit);
	if (s->o.ahead)
		bt_in_ahead(s->in);
	bt_in_idle(s->in, s->o.idle, s->o.idle_ctx);
	s->next_path++;
	s->line = 0;
	s->pending = 0;
	free(s->file);
	name = bt_in_name(s->in);
	s->file = bt_strndup(name, strlen(name));
	return bt_in_skip_mark(s->in, err);
}

int bt_input_open(char *const *paths, int n, const struct bt_input_opts *opts,
                  struct bt_input **res, struct bt_error *err)
{
	struct bt_input *s = bt_array0(1, sizeof(*s));
	int r;

	s->paths = paths;
	s->n_paths = n;
	s->o = *opts;
	s->limit.max = s->limit.left = opts->max;
	r = bt_duplicate_paths(paths, n, opts->log, err);
	if (r == BT_OK)
		r = opts->kind == BT_INPUT_JSON
		        ? open_next(s, err)
		        : bt_tfrecord_open(paths, n, &s->records, err);
	if (r != BT_OK) {
		bt_input_close(s);
		return r;
	}
	if (s->records != NULL && opts->limited)
		bt_tfrecord_limit(s->records, &s->limit);
	if (s->records != NULL && opts->ahead)
		bt_tfrecord_ahead(s->records);
	if (s->records != NULL)
		bt_tfrecord_idle(s->records, opts->idle, opts->idle_ctx);
	if (opts->kind == BT_INPUT_RECOVER)
		bt_tfrecord_recover(s->records, opts->log);
	*res = s;
	return BT_OK;
}

void bt_input_close(struct bt_input *s)
{
	if (s == NULL)
		return;
	bt_tfrecord_close(s->records);
	bt_in_close(s->in);
	free(s->file);
	bt_example_clear(&s->writer);
	bt_buf_clear(&s->payload);
	free(s);
}

/* Looks at the next line, without its end. 1, 0 at the end of the file. */
static int next_line(struct bt_input *s, struct bt_span *line,
                     struct bt_error *err)
{
	int r;

	bt_in_skip(s->in, s->pending);
	s->pending = 0;
	r = bt_in_line(s->in, BT_TFRECORD_MAX, line, &s->pending, err);
	s->line += r == 1;
	return r;
}

static int next_json(struct bt_input *s, struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	int r;

	while ((r = next_line(s, &line, err)) == 1) {
		if (bt_span_trim(line, " \t\r").n == 0)
			continue;
		r = bt_recjson_read(line.p, line.n, &s->writer, &s->payload,
		                    err);
		if (r != BT_OK)
			return bt_input_blame(s, err);
		s->total++;
		return 1;
	}
	return r;
}

int bt_input_next(struct bt_input *s, const uint8_t **data, size_t *len,
                  struct bt_error *err)
{
	int r;

	if (s->records != NULL)
		return bt_tfrecord_next(s->records, data, len, err);
	for (;;) {
		r = next_json(s, err);
		if (r == 1) {
			*data = (const uint8_t *)s->payload.data;
			*len = s->payload.len;
		}
		if (r != 0 || s->next_path >= s->n_paths)
			return r;
		bt_in_close(s->in);
		s->in = NULL;
		r = open_next(s, err);
		if (r != BT_OK)
			return r;
	}
}

const char *bt_input_file(const struct bt_input *s)
{
	return s->records != NULL ? bt_tfrecord_file(s->records) : s->file;
}

uint64_t bt_input_record(const struct bt_input *s)
{
	return s->records != NULL ? bt_tfrecord_record(s->records) : s->line;
}

uint64_t bt_input_total(const struct bt_input *s)
{
	return s->records != NULL ? bt_tfrecord_total(s->records) : s->total;
}

int bt_input_blame(const struct bt_input *s, struct bt_error *err)
{
	if (err != NULL && (err->code == BT_EIO || err->code == BT_ENOMEM))
		return err->code;
	if (s->records != NULL)
		return bt_tfrecord_blame(s->records, err);
	return bt_error_prefix(err, "cannot read %s: line %llu", s->file,
	                       (unsigned long long)s->line);
}
