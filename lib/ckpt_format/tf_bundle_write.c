/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/str.h"
#include "ckpt_format/tf_bundle.h"
#include "ckpt_format/writer.h"
#include "io/out_set.h"

#define COUNTER "save_counter" BT_TF_VALUE
#define COUNT 1                      /* what it says: one save */
#define FIRST "layer_with_weights-0" /* of an encoder: its words */
#define NAME 12                      /* bytes that a layer's number takes */

/* What becomes a key of the table. */
struct row {
	const char *name;
	const struct bt_tensor *t; /* NULL: one of those made here */
	unsigned dtype;
};

struct writing {
	const struct bt_tensor_source *s;
	struct row *rows;
	size_t n;
	bool objects;        /* the names are of objects */
	struct bt_buf graph; /* a TrackableObjectGraph */
	struct bt_out *data, *index;
	struct bt_tf_table_writer table;
	struct bt_buf value;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name,
	              ((const struct row *)b)->name);
}

static int make_rows(struct writing *w, struct bt_error *err)
{
	const struct bt_tensor *t;
	bool counter = false;
	unsigned dtype;
	size_t i;

	for (i = 0; i < w->s->count; i++) {
		t = &w->s->tensors[i];
		if (bt_tf_number(t->dtype, &dtype) != BT_OK)
			return bt_error_set(err, BT_EFORMAT,
			                    "tensor '%.100s' is of type %s, "
			                    "which TensorFlow does not have",
			                    t->name, bt_dtype_name(t->dtype));
		if (t->name[0] == '\0')
			return bt_error_set(err, BT_EFORMAT,
			                    "a tensor has an empty name");
		w->rows[w->n++] = (struct row){t->name, t, dtype};
		w->objects =
		    w->objects || bt_str_ends(t->name + 1, BT_TF_VALUE);
		counter = counter || strcmp(t->name, COUNTER) == 0;
	}
	if (w->objects) {
		w->rows[w->n++] = (struct row){BT_TF_GRAPH, NULL, BT_TF_STRING};
		if (!counter && bt_tf_number(BT_DTYPE_I64, &dtype) == BT_OK)
			w->rows[w->n++] = (struct row){COUNTER, NULL, dtype};
	}
	qsort(w->rows, w->n, sizeof(*w->rows), by_name);
	for (i = 1; i < w->n; i++)
		if (strcmp(w->rows[i].name, w->rows[i - 1].name) == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "two tensors cannot be named "
			                    "'%.100s'",
			                    w->rows[i].name);
	return BT_OK;
}

/* The edges that the class of encoders without numbered layers has. */
static void add_attributes(struct bt_tf_graph *g, size_t encoder, char *names)
{
	static const char *const of[4] = {
	    "_embedding_layer", "_position_embedding_layer",
	    "_type_embedding_layer", "_embedding_norm_layer"};
	size_t list = SIZE_MAX, node, next;
	char path[64];
	int i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "layer_with_weights-%d", i);
		bt_tf_graph_link(g, encoder, of[i],
		                 bt_tf_graph_find(g, encoder, path));
	}
	for (i = 0;; i++) {
		snprintf(path, sizeof(path), "layer_with_weights-%d", i + 4);
		node = bt_tf_graph_find(g, encoder, path);
		if (node == SIZE_MAX)
			return;
		next = bt_tf_graph_find(g, node, "_attention_layer");
		if (next == SIZE_MAX) { /* behind the layers */
			bt_tf_graph_link(g, encoder, "_pooler_layer", node);
			return;
		}
		if (list == SIZE_MAX) {
			list = bt_tf_graph_node(g);
			bt_tf_graph_link(g, encoder, "_transformer_layers",
			                 list);
		}
		snprintf(names + (size_t)i * NAME, NAME, "%d", i);
		bt_tf_graph_link(g, list, names + (size_t)i * NAME, node);
	}
}

static int make_graph(struct writing *w, struct bt_error *err)
{
	struct bt_tf_graph g = {0};
	/* one name for each layer; each has a tensor at least */
	char *names = bt_array0(w->n + 1, NAME);
	size_t i, encoder, model;
	int r = names == NULL ? BT_ENOMEM : BT_OK;

	bt_tf_graph_node(&g);
	for (i = 0; i < w->n; i++)
		bt_tf_graph_add(&g, w->rows[i].name);
	encoder = bt_tf_graph_find(&g, 0, "encoder");
	if (bt_tf_graph_find(&g, 0, "model/" FIRST "/" FIRST) != SIZE_MAX)
		encoder = bt_tf_graph_find(&g, 0, "model/" FIRST);
	model = bt_tf_graph_find(&g, 0, "model");
	if (r == BT_OK && encoder != SIZE_MAX) {
		if (bt_tf_graph_find(&g, 0, "encoder") == SIZE_MAX)
			bt_tf_graph_link(&g, 0, "encoder", encoder);
		else if (model == SIZE_MAX)
			bt_tf_graph_link(&g, 0, "model", encoder);
		else
			bt_tf_graph_link(&g, model, "layer_with_weights-0",
			                 encoder);
		add_attributes(&g, encoder, names);
	}
	if (r == BT_OK)
		r = bt_tf_graph_write(&g, &w->graph);
	bt_tf_graph_clear(&g);
	free(names);
	return r == BT_OK ? r : bt_error_nomem(err, "writing a checkpoint");
}

static void put_entry(struct bt_buf *b, const struct row *row, uint64_t offset,
                      uint64_t size, uint32_t crc)
{
	size_t shape, dim;
	int i;

	bt_buf_reset(b);
	bt_pb_put_uint(b, 1, row->dtype);
	shape = bt_pb_begin(b, 2);
	for (i = 0; row->t != NULL && i < row->t->rank; i++) {
		dim = bt_pb_begin(b, 2);
		if (row->t->shape[i] != 0)
			bt_pb_put_uint(b, 1, (uint64_t)row->t->shape[i]);
		bt_pb_end(b, dim);
	}
	bt_pb_end(b, shape);
	if (offset != 0)
		bt_pb_put_uint(b, 4, offset);
	if (size != 0)
		bt_pb_put_uint(b, 5, size);
	bt_pb_put_fixed(b, 6, BT_PB_I32, &crc);
}

/* A text in the data: its length, the checksum of that, the bytes. */
static int put_graph(struct writing *w, uint32_t *crc, struct bt_error *err)
{
	uint32_t n = (uint32_t)w->graph.len, sum;
	struct bt_buf head = BT_BUF_INIT;
	int r;

	*crc = bt_crc32c(0, &n, sizeof(n));
	sum = bt_crc32c_mask(*crc);
	*crc = bt_crc32c(*crc, &sum, sizeof(sum));
	*crc = bt_crc32c(*crc, w->graph.data, w->graph.len);
	bt_pb_put_varint(&head, n);
	bt_buf_put(&head, &sum, sizeof(sum));
	r = bt_out_write(w->data, head.data, head.len, err);
	bt_buf_clear(&head);
	return r == BT_OK
	           ? bt_out_write(w->data, w->graph.data, w->graph.len, err)
	           : r;
}

static int put_row(struct writing *w, const struct row *row,
                   struct bt_error *err)
{
	static const int64_t count = COUNT;
	uint64_t at = bt_out_offset(w->data);
	uint32_t crc;
	int r;

	if (row->dtype == BT_TF_STRING) {
		r = put_graph(w, &crc, err);
	} else if (row->t != NULL) {
		r = bt_tensor_source_put(w->s, (size_t)(row->t - w->s->tensors),
		                         w->data, &crc, err);
	} else {
		r = bt_out_write(w->data, &count, sizeof(count), err);
		crc = bt_crc32c(0, &count, sizeof(count));
	}
	if (r != BT_OK)
		return r;
	put_entry(&w->value, row, at, bt_out_offset(w->data) - at,
	          bt_crc32c_mask(crc));
	bt_tf_table_writer_put(&w->table, row->name, strlen(row->name),
	                       &w->value);
	return BT_OK;
}

static int put_all(struct writing *w, struct bt_error *err)
{
	/* one shard, little endian, version 1 */
	static const char header[] = "\x08\x01\x1a\x02\x08\x01";
	int r = BT_OK;
	size_t i;

	bt_buf_put(&w->value, header, sizeof(header) - 1);
	bt_tf_table_writer_put(&w->table, "", 0, &w->value);
	for (i = 0; i < w->n && r == BT_OK; i++)
		r = put_row(w, &w->rows[i], err);
	if (r == BT_OK && bt_tf_table_writer_end(&w->table) != BT_OK)
		r = bt_error_nomem(err, "writing a checkpoint");
	if (r == BT_OK)
		r = bt_out_write(w->index, w->table.file.data,
		                 w->table.file.len, err);
	return r;
}

static int add_file(struct bt_out_set *outs, const char *prefix,
                    const char *tail, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	int r;

	bt_buf_printf(&b, "%s%s", prefix, tail);
	r = bt_out_set_add(outs, bt_buf_str(&b), BT_OUT_BINARY, err);
	bt_buf_clear(&b);
	return r;
}

/* The index comes last: where it is, the data are. */
static int write_files(struct writing *w, const char *prefix,
                       struct bt_error *err)
{
	struct bt_out_set outs = {.n = 0};
	int r = add_file(&outs, prefix, ".data-00000-of-00001", err);

	if (r == BT_OK)
		r = add_file(&outs, prefix, ".index", err);
	if (r == BT_OK) {
		w->data = outs.out[0];
		w->index = outs.out[1];
		bt_tensor_source_begin(w->s, w->data);
		r = put_all(w, err);
	}
	if (r == BT_OK)
		r = bt_out_set_commit(&outs, err);
	bt_out_set_clear(&outs);
	return r;
}

int bt_tf_bundle_write(const struct bt_tensor_source *s, const char *prefix,
                       struct bt_error *err)
{
	struct writing w = {.s = s};
	int r;

	w.rows = bt_array(s->count + 2, sizeof(*w.rows));
	r = w.rows == NULL ? bt_error_nomem(err, "writing a checkpoint")
	                   : make_rows(&w, err);
	if (r == BT_OK && w.objects)
		r = make_graph(&w, err);
	if (r == BT_OK)
		r = write_files(&w, prefix, err);
	bt_tf_table_writer_clear(&w.table);
	bt_buf_clear(&w.graph);
	bt_buf_clear(&w.value);
	free(w.rows);
	return r;
}
