/* SPDX-License-Identifier: MIT */
#include "tensorstream/row_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "ckpt_format/tensor_stream_write.h"
#include "dedup/record_store.h"
#include "format/escape.h"
#include "tensorstream/text_out.h"

struct bt_row_writer {
	struct bt_row_writer_opts o;
	struct bt_out *out;
	struct bt_ts_writer *stream; /* of BT_ROWS_TENSOR */
	struct bt_frame_csv *csv;
	struct bt_frame_npy *npy;
	char *labels;         /* as a JSON list, or NULL */
	bool named, numbered; /* records had ids, or none */

	/* what was added */
	size_t n;
	struct bt_buf values, ids, offsets, positions, line;
};

static void add_offset(struct bt_row_writer *r)
{
	int64_t v = (int64_t)r->ids.len;

	bt_buf_put(&r->offsets, &v, sizeof(v));
}

int bt_row_writer_new(const struct bt_row_writer_opts *o, struct bt_out *out,
                      struct bt_row_writer **res, struct bt_error *err)
{
	struct bt_frame_csv_opts csv = {.values = true};
	struct bt_row_writer *r = bt_array0(1, sizeof(*r));
	int e = BT_OK, i, n = o->labels != NULL ? o->labels->n : 0;
	json_t *list = json_array();

	r->o = *o;
	r->out = out;
	add_offset(r);
	for (i = 0; i < n; i++)
		json_array_append_new(list, json_string(o->labels->name[i]));
	if (o->labels != NULL && (int)json_array_size(list) == n)
		r->labels = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	if (o->labels != NULL && r->labels == NULL)
		e = bt_error_nomem(err, "writing labels");
	else if (o->form == BT_ROWS_TENSOR)
		e = bt_ts_writer_new(out, BT_TS_LEVEL, &r->stream, err);
	else if (o->form == BT_ROWS_CSV)
		e = bt_frame_csv_new(&csv, &r->csv, err);
	else if (o->form == BT_ROWS_NPY)
		r->npy = bt_frame_npy_new(BT_RECORD_STORE_DEFAULT);
	if (e == BT_OK)
		*res = r;
	else
		bt_row_writer_free(r);
	return e;
}

void bt_row_writer_free(struct bt_row_writer *r)
{
	if (r == NULL)
		return;
	bt_ts_writer_abandon(r->stream);
	bt_frame_csv_free(r->csv);
	bt_frame_npy_free(r->npy);
	bt_buf_clear(&r->values);
	bt_buf_clear(&r->ids);
	bt_buf_clear(&r->offsets);
	bt_buf_clear(&r->positions);
	bt_buf_clear(&r->line);
	free(r->labels);
	free(r);
}

bool bt_row_writer_numbered(const struct bt_row_writer *r, bool *named)
{
	*named = r->named;
	return r->numbered && r->npy == NULL;
}

int bt_row_writer_add(struct bt_row_writer *r, uint64_t i, struct bt_span id,
                      const float *row, struct bt_error *err)
{
	double sum = 0;
	float scale = 1, v;
	size_t k;

	for (k = 0; r->o.normalize && k < r->o.cols; k++)
		sum += (double)row[k] * (double)row[k];
	if (r->o.normalize) /* as PyTorch's normalize */
		scale = (float)(1 / fmax(sqrt(sum), 1e-12));
	if (id.p == NULL) {
		r->numbered = true;
		bt_buf_printf(&r->ids, "%llu", (unsigned long long)i);
	} else {
		r->named = true;
		bt_buf_put(&r->ids, id.p, id.n);
	}
	add_offset(r);
	for (k = 0; k < r->o.cols; k++) {
		v = row[k] * scale;
		bt_buf_put(&r->values, &v, sizeof(v));
	}
	if (r->ids.oom || r->offsets.oom || r->values.oom)
		return bt_error_nomem(err, "writing rows");
	r->n++;
	return BT_OK;
}

int bt_row_writer_add_word(struct bt_row_writer *r, uint64_t i,
                           struct bt_span id, size_t word, const float *row,
                           struct bt_error *err)
{
	int64_t v = (int64_t)word;

	bt_buf_put(&r->positions, &v, sizeof(v));
	if (r->positions.oom)
		return bt_error_nomem(err, "writing rows");
	return bt_row_writer_add(r, i, id, row, err);
}

static int write_json(struct bt_row_writer *r, const struct bt_frame *f,
                      struct bt_error *err)
{
	const float *v = (const float *)(void *)r->values.data;
	struct bt_buf *b = &r->line;
	char s[32];
	size_t i, k;
	int e = BT_OK;

	for (i = 0; i < r->n && e == BT_OK; i++) {
		bt_buf_reset(b);
		bt_buf_puts(b, "{\"id\": ");
		bt_escape_json_text(b, bt_frame_id(f, i));
		bt_buf_printf(b, ", \"%s\": [", r->o.name);
		for (k = 0; k < r->o.cols; k++) {
			bt_format_f32(s, sizeof(s), v[i * r->o.cols + k]);
			bt_buf_printf(b, "%s%s", k > 0 ? ", " : "", s);
		}
		bt_buf_puts(b, "]}\n");
		e = b->oom ? bt_error_nomem(err, "printing")
		           : bt_out_write(r->out, b->data, b->len, err);
	}
	return e;
}

/* A tensor of one dimension. */
static struct bt_tensor list_of(const char *name, enum bt_dtype dtype,
                                const int64_t *n, const struct bt_buf *b)
{
	return (struct bt_tensor){.name = name,
	                          .dtype = dtype,
	                          .rank = 1,
	                          .shape = n,
	                          .count = (size_t)*n,
	                          .bytes = b->len,
	                          .data = b->data};
}

static size_t list_notes(const struct bt_row_writer *r,
                         struct bt_ckpt_note *note)
{
	size_t n = 0;

	if (r->labels != NULL)
		note[n++] = (struct bt_ckpt_note){BT_FRAME_LABELS, r->labels};
	if (r->labels != NULL && r->o.problem != NULL)
		note[n++] = (struct bt_ckpt_note){BT_FRAME_PROBLEM,
		                                  (char *)r->o.problem};
	if (r->o.model != NULL)
		note[n++] =
		    (struct bt_ckpt_note){BT_FRAME_MODEL, (char *)r->o.model};
	return n;
}

int bt_row_writer_flush(struct bt_row_writer *r, struct bt_error *err)
{
	int64_t n = (int64_t)r->n, n1 = n + 1, bytes = (int64_t)r->ids.len;
	int64_t shape[2] = {n, (int64_t)r->o.cols};
	struct bt_tensor t[4] = {
	    {.name = r->o.name,
	     .dtype = BT_DTYPE_F32,
	     .rank = 2,
	     .shape = shape,
	     .count = r->n * r->o.cols,
	     .bytes = r->values.len,
	     .data = r->values.data},
	    list_of(BT_FRAME_ID, BT_DTYPE_U8, &bytes, &r->ids),
	    list_of(BT_FRAME_OFFSETS, BT_DTYPE_I64, &n1, &r->offsets),
	    list_of(BT_FRAME_POSITION, BT_DTYPE_I64, &n, &r->positions)};
	struct bt_ckpt_note note[3];
	struct bt_frame f = {.s = {.tensors = t,
	                           .count = r->o.words ? 4 : 3,
	                           .notes = note,
	                           .n_notes = list_notes(r, note)}};
	int e;

	if (r->n == 0)
		return BT_OK;
	e = bt_frame_init(&f, err);
	if (e == BT_OK && r->stream != NULL)
		e = bt_ts_writer_frame(r->stream, &f.s, err);
	else if (e == BT_OK && r->csv != NULL)
		e = bt_frame_csv_put(r->csv, &f, r->out, err);
	else if (e == BT_OK && r->npy != NULL)
		e = bt_frame_npy_put(r->npy, &f, err);
	else if (e == BT_OK)
		e = write_json(r, &f, err);
	r->n = 0;
	bt_buf_reset(&r->values);
	bt_buf_reset(&r->ids);
	bt_buf_reset(&r->offsets);
	bt_buf_reset(&r->positions);
	add_offset(r);
	return e;
}

int bt_row_writer_finish(struct bt_row_writer *r, struct bt_error *err)
{
	int e = bt_row_writer_flush(r, err);
	struct bt_ts_writer *stream = r->stream;

	if (e == BT_OK && r->npy != NULL)
		return bt_frame_npy_write(r->npy, r->out, err);
	if (stream == NULL || e != BT_OK)
		return e;
	r->stream = NULL;
	return bt_ts_writer_finish(stream, err);
}
