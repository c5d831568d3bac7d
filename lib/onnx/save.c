/* SPDX-License-Identifier: MIT */
/*
 * A graph as a file: its message with the arrays in it, or with the arrays in
 * a file beside it, of which it tells where each begins.
 * https://onnx.ai/onnx/repo-docs/ExternalData.html
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/out_set.h"
#include "onnx/graph_writer_int.h"

#define IR_VERSION 8
#define BLOCK 64 /* rows of a transposed matrix that are made at once */

/* Arrays beside are aligned so that they can be mapped: to a page, large ones
 * to what Windows asks for. */
#define PAGE 4096
#define LARGE ((size_t)1 << 20)
#define LARGE_PAGE 65536

struct writing {
	const struct bt_onnx *o;
	const char *beside;        /* the name of the file of arrays, or NULL */
	uint64_t end;              /* of the arrays that stand in it so far */
	struct bt_out *out, *data; /* the same without a file beside */
};

/* Weights do; shapes are worked out of the numbers of our own. */
static bool stands_beside(const struct writing *w,
                          const struct bt_onnx_array *a)
{
	return w->beside != NULL && a->own == NULL;
}

static uint64_t aligned(uint64_t at, const struct bt_onnx_array *a)
{
	uint64_t to = a->bytes >= LARGE ? LARGE_PAGE : PAGE;

	return (at + to - 1) / to * to;
}

static void put_pair(struct bt_buf *b, const char *key, const char *value)
{
	size_t pair = bt_pb_begin(b, TENSOR_EXTERNAL);

	bt_pb_put_str(b, 1, key);
	bt_pb_put_str(b, 2, value);
	bt_pb_end(b, pair);
}

static void put_number(struct bt_buf *b, const char *key, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	put_pair(b, key, text);
}

/* All of an array's message but its values, which come last or stand beside. */
static void array_head(struct writing *w, const struct bt_onnx_array *a,
                       struct bt_buf *b)
{
	int i;

	for (i = 0; i < a->rank; i++)
		bt_pb_put_uint(b, TENSOR_DIMS, (uint64_t)a->dims[i]);
	bt_pb_put_uint(b, TENSOR_TYPE, a->type);
	bt_pb_put_str(b, TENSOR_NAME, name_of(w->o, a->value));
	if (stands_beside(w, a)) {
		w->end = aligned(w->end, a);
		put_pair(b, "location", w->beside);
		put_number(b, "offset", w->end);
		put_number(b, "length", a->bytes);
		bt_pb_put_uint(b, TENSOR_LOCATION, 1);
		w->end += a->bytes;
		return;
	}
	bt_pb_put_tag(b, TENSOR_RAW, BT_PB_LEN);
	bt_pb_put_varint(b, a->bytes);
}

static int write_transposed(struct bt_out *out, const struct bt_onnx_array *a,
                            struct bt_error *err)
{
	size_t rows = (size_t)a->dims[0], cols = (size_t)a->dims[1], i, j, k, n;
	float *block = bt_array(BLOCK * cols, sizeof(*block));
	const float *in = a->data;
	int r = BT_OK;

	if (block == NULL)
		return bt_error_nomem(err, "writing weights");
	for (i = 0; i < rows && r == BT_OK; i += n) {
		n = rows - i < BLOCK ? rows - i : BLOCK;
		for (j = 0; j < cols; j++)
			for (k = 0; k < n; k++)
				block[k * cols + j] = in[j * rows + i + k];
		r = bt_out_write(out, block, n * cols * sizeof(*block), err);
	}
	free(block);
	return r;
}

static int write_values(struct bt_out *out, const struct bt_onnx_array *a,
                        struct bt_error *err)
{
	if (a->transposed)
		return write_transposed(out, a, err);
	return bt_out_write(out, a->own != NULL ? a->own : a->data, a->bytes,
	                    err);
}

static int write_beside(struct bt_out *out, const struct bt_onnx_array *a,
                        struct bt_error *err)
{
	static const uint8_t zeros[LARGE_PAGE];
	uint64_t at = bt_out_offset(out);
	int r = bt_out_write(out, zeros, (size_t)(aligned(at, a) - at), err);

	return r == BT_OK ? write_values(out, a, err) : r;
}

static int write_array(struct writing *w, const struct bt_onnx_array *a,
                       struct bt_error *err)
{
	struct bt_buf head = BT_BUF_INIT, b = BT_BUF_INIT;
	bool beside = stands_beside(w, a);
	int r;

	array_head(w, a, &head);
	bt_pb_put_tag(&b, GRAPH_INITIALIZER, BT_PB_LEN);
	bt_pb_put_varint(&b, head.len + (beside ? 0 : a->bytes));
	bt_buf_put(&b, head.data, head.len);
	r = bt_out_write(w->out, b.data, b.len, err);
	if (r == BT_OK)
		r = beside ? write_beside(w->data, a, err)
		           : write_values(w->out, a, err);
	bt_buf_clear(&head);
	bt_buf_clear(&b);
	return r;
}

/* The bytes of the graph's message: front, then arrays, which are many. */
static uint64_t graph_size(struct writing *w, const struct bt_buf *front)
{
	struct bt_buf b = BT_BUF_INIT;
	const struct bt_onnx_array *a;
	uint64_t n = front->len, m;
	size_t i;

	w->end = 0;
	for (i = 0; i < w->o->n_arrays; i++) {
		a = &w->o->arrays[i];
		bt_buf_reset(&b);
		array_head(w, a, &b);
		m = b.len + (stands_beside(w, a) ? 0 : a->bytes);
		n += 1 + bt_pb_varint_size(m) + m;
	}
	bt_buf_clear(&b);
	w->end = 0;
	return n;
}

static void put_model(struct bt_buf *b, uint64_t graph)
{
	size_t opset;

	bt_buf_reset(b);
	bt_pb_put_uint(b, MODEL_IR_VERSION, IR_VERSION);
	bt_pb_put_str(b, MODEL_PRODUCER, "bertutils");
	opset = bt_pb_begin(b, MODEL_OPSET);
	bt_pb_put_uint(b, 2, BT_ONNX_OPSET);
	bt_pb_end(b, opset);
	bt_pb_put_tag(b, MODEL_GRAPH, BT_PB_LEN);
	bt_pb_put_varint(b, graph);
}

/* The model comes last: where it is, its arrays are. */
static int write_files(struct writing *w, const char *path, const char *arrays,
                       const struct bt_buf *model, const struct bt_buf *front,
                       struct bt_error *err)
{
	struct bt_out_set outs = {.n = 0};
	size_t i;
	int r = BT_OK;

	if (w->beside != NULL)
		r = bt_out_set_add(&outs, arrays, BT_OUT_BINARY, err);
	if (r == BT_OK)
		r = bt_out_set_add(&outs, path, BT_OUT_BINARY, err);
	if (r == BT_OK) {
		w->data = outs.out[0];
		w->out = outs.out[outs.n - 1];
		r = bt_out_write(w->out, model->data, model->len, err);
	}
	if (r == BT_OK)
		r = bt_out_write(w->out, front->data, front->len, err);
	for (i = 0; i < w->o->n_arrays && r == BT_OK; i++)
		r = write_array(w, &w->o->arrays[i], err);
	if (r == BT_OK)
		r = bt_out_set_commit(&outs, err);
	bt_out_set_clear(&outs);
	return r;
}

static void put_front(const struct bt_onnx *o, struct bt_buf *front)
{
	bt_buf_put(front, o->nodes.data, o->nodes.len);
	bt_pb_put_bytes(front, GRAPH_NAME, o->name.data, o->name.len);
	bt_buf_put(front, o->ends.data, o->ends.len);
	front->oom |= o->oom || o->nodes.oom || o->ends.oom;
}

int bt_onnx_save(struct bt_onnx *o, const char *path, size_t most, bool *beside,
                 struct bt_error *err)
{
	struct bt_buf front = BT_BUF_INIT, model = BT_BUF_INIT;
	struct bt_buf arrays = BT_BUF_INIT;
	struct writing w = {.o = o};
	uint64_t size;
	int r = BT_OK;

	put_front(o, &front);
	bt_buf_printf(&arrays, "%s.data", path);
	size = graph_size(&w, &front);
	put_model(&model, size);
	*beside = size + model.len > most;
	if (*beside) {
		w.beside = strrchr(bt_buf_str(&arrays), '/');
		w.beside =
		    w.beside != NULL ? w.beside + 1 : bt_buf_str(&arrays);
		size = graph_size(&w, &front);
		put_model(&model, size);
	}
	if (front.oom)
		r = bt_error_nomem(err, "writing a model");
	else if (*beside && strcmp(path, "-") == 0)
		r = bt_error_set(err, BT_EARG,
		                 "the weights stand in a file beside the "
		                 "model, which standard output does not have");
	else if (size + model.len > BT_ONNX_MOST)
		r = bt_error_set(err, BT_ELIMIT,
		                 "the model has %llu bytes without its "
		                 "weights, more than a file of ONNX can hold",
		                 (unsigned long long)size);
	if (r == BT_OK)
		r = write_files(&w, path, bt_buf_str(&arrays), &model, &front,
		                err);
	bt_buf_clear(&front);
	bt_buf_clear(&model);
	bt_buf_clear(&arrays);
	return r;
}
