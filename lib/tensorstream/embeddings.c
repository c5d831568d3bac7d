/* SPDX-License-Identifier: MIT */
#include "tensorstream/embeddings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ckpt/open.h"
#include "ckpt_format/tensor_stream_read.h"
#include "format/csv.h"
#include "format/escape.h"
#include "format/tfrecord.h"
#include "io/path.h"

/* A tensor stream is zstd, and behind the length of a frame's header comes that
 * as JSON. */
int bt_embeddings_begin(struct bt_in *in, bool *is, struct bt_error *err)
{
	const uint8_t *p;
	size_t n;
	int r = bt_in_peek(in, 12, &p, &n, err);

	*is = false;
	if (r != BT_OK || n < 9)
		return r;
	if (bt_in_packing(in) == NULL)
		*is = memcmp(p, "\x93NUMPY", 6) == 0;
	else
		*is = strcmp(bt_in_packing(in), "zstd") == 0 && p[8] == '{' &&
		      !(n == 12 && bt_tfrecord_begins(p, n));
	return BT_OK;
}

static int read_array(const char *path, struct bt_vectors *v,
                      struct bt_error *err)
{
	struct bt_ckpt *c;
	struct bt_frame f;
	int r = bt_ckpt_open(path, &c, err);

	if (r != BT_OK)
		return r;
	r = bt_frame_of(c, &f, err);
	if (r == BT_OK)
		r = bt_vectors_add(v, &f, err);
	if (r != BT_OK)
		bt_error_prefix(err, "'%s'", path);
	bt_ckpt_close(c);
	return r;
}

static int read_stream(const char *path, struct bt_vectors *v,
                       struct bt_error *err)
{
	const struct bt_ckpt *c;
	struct bt_ts_reader *in;
	struct bt_frame f;
	int r = bt_ts_reader_open(path, 0, &in, err);

	if (r != BT_OK)
		return r;
	while ((r = bt_ts_reader_next(in, &c, err)) == 1) {
		r = bt_frame_of(c, &f, err);
		if (r == BT_OK)
			r = bt_vectors_add(v, &f, err);
		if (r != BT_OK) {
			bt_ts_reader_prefix(in, err);
			break;
		}
	}
	bt_ts_reader_close(in);
	return r;
}

int bt_embeddings_read(const char *path, struct bt_vectors *v,
                       struct bt_error *err)
{
	struct bt_in *in;
	bool packed;
	const uint8_t *p;
	size_t n;
	int r = bt_in_open(path, &in, err);

	if (r != BT_OK)
		return r;
	r = bt_in_peek(in, 1, &p, &n, err);
	packed = r == BT_OK && bt_in_packing(in) != NULL;
	bt_in_close(in);
	return r != BT_OK ? r
	       : packed   ? read_stream(path, v, err)
	                  : read_array(path, v, err);
}

/* The file of labels as it is read. */
struct table {
	struct bt_csv *csv;
	size_t id, label;          /* columns */
	bool by_id;                /* id is one */
	struct bt_string_set *ids; /* of the lines */
	size_t *of;                /* labels of the lines */
	size_t n, cap;
};

static bool find_column(const struct bt_csv *csv, const char *name, size_t *at)
{
	const struct bt_span *names = bt_csv_names(csv);

	for (*at = 0; *at < bt_csv_width(csv); (*at)++)
		if (bt_span_equal(names[*at], bt_span(name)))
			return true;
	return false;
}

static bool find_label(struct table *t, const char *column)
{
	if (column != NULL)
		return find_column(t->csv, column, &t->label);
	return find_column(t->csv, "label", &t->label) ||
	       find_column(t->csv, "cluster", &t->label);
}

static int no_column(const struct bt_csv *csv, const char *column,
                     struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	for (i = 0; i < bt_csv_width(csv) && b.len < 500; i++) {
		bt_buf_puts(&b, i > 0 ? ", '" : "'");
		bt_escape_line(&b, bt_csv_names(csv)[i], 0);
		bt_buf_puts(&b, "'");
	}
	bt_error_set(err, BT_EFORMAT, "no column '%s': it has %s%s", column,
	             b.oom ? "" : bt_buf_str(&b),
	             i < bt_csv_width(csv) ? " and more" : "");
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

static int add_line(struct table *t, const struct bt_span *f,
                    struct bt_row_labels *l, struct bt_error *err)
{
	size_t at = t->n, label;

	if (f[t->label].n == 0)
		return bt_error_set(err, BT_EFORMAT, "no label");
	if (bt_string_set_add(l->names, f[t->label], &label) != BT_OK ||
	    (t->by_id && bt_string_set_add(t->ids, f[t->id], &at) != BT_OK) ||
	    bt_grow(&t->of, &t->cap, t->n + 1, sizeof(*t->of)) != BT_OK)
		return bt_error_nomem(err, "reading labels");
	if (at < t->n && t->of[at] != label)
		return bt_error_set(
		    err, BT_EFORMAT, "id '%.*s' had another label before",
		    (int)(f[t->id].n < 80 ? f[t->id].n : 80), f[t->id].p);
	if (at == t->n)
		t->of[t->n++] = label;
	return BT_OK;
}

static int read_lines(struct table *t, const char *column, bool named,
                      struct bt_row_labels *l, struct bt_error *err)
{
	const struct bt_span *f;
	int r;

	if (!find_label(t, column))
		return no_column(t->csv, column != NULL ? column : "label",
		                 err);
	t->by_id = named && find_column(t->csv, "id", &t->id);
	while ((r = bt_csv_next(t->csv, &f, err)) == 1) {
		r = add_line(t, f, l, err);
		if (r != BT_OK) {
			bt_csv_blame(t->csv, err);
			break;
		}
	}
	return r;
}

static int assign(const struct table *t, const struct bt_vectors *v,
                  struct bt_row_labels *l, struct bt_error *err)
{
	struct bt_span id;
	size_t i, at;

	if (!t->by_id && t->n != v->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu label%s, expected %zu, one for each "
		                    "row",
		                    t->n, t->n == 1 ? "" : "s", v->n);
	l->of = bt_array(v->n, sizeof(*l->of));
	if (l->of == NULL)
		return bt_error_nomem(err, "reading labels");
	for (i = 0; i < v->n; i++) {
		id = bt_vectors_id(v, i);
		at = i;
		if (t->by_id && !bt_string_set_find(t->ids, id, &at))
			return bt_error_set(
			    err, BT_EFORMAT, "no label for row %zu (id '%.*s')",
			    i + 1, (int)(id.n < 80 ? id.n : 80), id.p);
		l->of[i] = t->of[at];
	}
	return BT_OK;
}

int bt_row_labels_read(const char *path, const char *column,
                       const struct bt_vectors *v, struct bt_row_labels *l,
                       struct bt_error *err)
{
	struct bt_csv_opts opts = BT_CSV_OPTS_INIT;
	struct table t = {0};
	int r;

	memset(l, 0, sizeof(*l));
	if (bt_path_is_tsv(path))
		opts.delimiter = '\t';
	r = bt_csv_open(path, &opts, &t.csv, err);
	if (r != BT_OK)
		return r;
	l->names = bt_string_set_new();
	t.ids = bt_string_set_new();
	r = read_lines(&t, column, v->named == v->n, l, err);
	if (r == BT_OK)
		r = assign(&t, v, l, err);
	if (r != BT_OK) {
		bt_error_prefix(err, "cannot read %s", bt_csv_name(t.csv));
		bt_row_labels_clear(l);
	}
	bt_csv_close(t.csv);
	bt_string_set_free(t.ids);
	free(t.of);
	return r;
}

void bt_row_labels_clear(struct bt_row_labels *l)
{
	bt_string_set_free(l->names);
	free(l->of);
	memset(l, 0, sizeof(*l));
}
