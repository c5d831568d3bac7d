/* SPDX-License-Identifier: MIT */
#include "ckpt/onnx.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "io/out.h"
#include "io/pbwire.h"

/* Numbers of fields; the message is before the bar. */
enum {
	MODEL_IR_VERSION = 1,
	MODEL_PRODUCER = 2,
	MODEL_GRAPH = 7,
	MODEL_OPSET = 8,
	GRAPH_NODE = 1,
	GRAPH_NAME = 2,
	GRAPH_INITIALIZER = 5,
	GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	NODE_INPUT = 1,
	NODE_OUTPUT = 2,
	NODE_NAME = 3,
	NODE_OP = 4,
	NODE_ATTRIBUTE = 5,
	ATTRIBUTE_NAME = 1,
	ATTRIBUTE_FLOAT = 2,
	ATTRIBUTE_INT = 3,
	ATTRIBUTE_INTS = 8,
	ATTRIBUTE_TYPE = 20,
	TENSOR_DIMS = 1,
	TENSOR_TYPE = 2,
	TENSOR_NAME = 8,
	TENSOR_RAW = 9
};

#define IR_VERSION 8
#define BLOCK 64 /* rows of a transposed matrix that are made at once */

struct array {
	int value;
	enum bt_onnx_type type;
	int rank;
	int64_t dims[2]; /* as in the file */
	bool transposed;
	const void *data; /* borrowed; NULL: own */
	int64_t *own;
	size_t bytes;
};

struct bt_onnx {
	struct bt_buf name, nodes, ends; /* ends: inputs and outputs */
	struct bt_buf attributes;
	char *next;
	char **values; /* names */
	size_t n_values, cap_values;
	struct array *arrays;
	size_t n_arrays, cap_arrays;
	bool oom;
};

struct bt_onnx *bt_onnx_new(const char *name)
{
	struct bt_onnx *o = bt_array0(1, sizeof(*o));

	if (o != NULL)
		bt_buf_puts(&o->name, name);
	return o;
}

void bt_onnx_free(struct bt_onnx *o)
{
	size_t i;

	if (o == NULL)
		return;
	for (i = 0; i < o->n_values; i++)
		free(o->values[i]);
	for (i = 0; i < o->n_arrays; i++)
		free(o->arrays[i].own);
	free(o->values);
	free(o->arrays);
	free(o->next);
	bt_buf_clear(&o->name);
	bt_buf_clear(&o->nodes);
	bt_buf_clear(&o->ends);
	bt_buf_clear(&o->attributes);
	free(o);
}

static void put_bytes(struct bt_buf *b, uint32_t field, const void *p, size_t n)
{
	bt_pb_put_tag(b, field, BT_PB_LEN);
	bt_pb_put_varint(b, n);
	bt_buf_put(b, p, n);
}

static void put_str(struct bt_buf *b, uint32_t field, const char *s)
{
	put_bytes(b, field, s, strlen(s));
}

static void put_int(struct bt_buf *b, uint32_t field, int64_t v)
{
	bt_pb_put_tag(b, field, BT_PB_VARINT);
	bt_pb_put_varint(b, (uint64_t)v);
}

/* Appends what is in part as a message, and lets go of it. */
static void put_message(struct bt_buf *b, uint32_t field, struct bt_buf *part)
{
	put_bytes(b, field, part->data, part->len);
	b->oom |= part->oom;
	bt_buf_clear(part);
}

static int add_value(struct bt_onnx *o, char *name)
{
	if (name == NULL || bt_grow(&o->values, &o->cap_values, o->n_values + 1,
	                            sizeof(*o->values)) != BT_OK) {
		free(name);
		o->oom = true;
		return BT_ONNX_NONE;
	}
	o->values[o->n_values] = name;
	return (int)o->n_values++;
}

/* A value with the name that was set, or a number for one. */
static int next_value(struct bt_onnx *o)
{
	struct bt_buf b = BT_BUF_INIT;
	char *name = o->next;

	o->next = NULL;
	if (name == NULL) {
		bt_buf_printf(&b, "v%zu", o->n_values);
		name = bt_buf_detach(&b);
	}
	return add_value(o, name);
}

static const char *name_of(const struct bt_onnx *o, int value)
{
	return value < 0 ? "" : o->values[value];
}

/* Appends the description of an input or output. */
static void put_end(struct bt_onnx *o, uint32_t field, const char *name,
                    enum bt_onnx_type type, const char *const *dims, int rank)
{
	struct bt_buf shape = BT_BUF_INIT, dim = BT_BUF_INIT;
	struct bt_buf tensor = BT_BUF_INIT, t = BT_BUF_INIT, end = BT_BUF_INIT;
	int i;

	for (i = 0; i < rank; i++) {
		if (isdigit((unsigned char)dims[i][0]))
			put_int(&dim, 1, strtoll(dims[i], NULL, 10));
		else
			put_str(&dim, 2, dims[i]);
		put_message(&shape, 1, &dim);
	}
	put_int(&tensor, 1, type);
	put_message(&tensor, 2, &shape);
	put_message(&t, 1, &tensor);
	put_str(&end, 1, name);
	put_message(&end, 2, &t);
	put_message(&o->ends, field, &end);
}

int bt_onnx_input(struct bt_onnx *o, const char *name, enum bt_onnx_type type,
                  const char *const *dims, int rank)
{
	put_end(o, GRAPH_INPUT, name, type, dims, rank);
	return add_value(o, bt_strndup(name, strlen(name)));
}

void bt_onnx_output(struct bt_onnx *o, int value, enum bt_onnx_type type,
                    const char *const *dims, int rank)
{
	put_end(o, GRAPH_OUTPUT, name_of(o, value), type, dims, rank);
}

static struct array *add_array(struct bt_onnx *o, char *name)
{
	struct array *a;
	int v = add_value(o, name);

	if (v < 0 || bt_grow(&o->arrays, &o->cap_arrays, o->n_arrays + 1,
	                     sizeof(*o->arrays)) != BT_OK) {
		o->oom = true;
		return NULL;
	}
	a = &o->arrays[o->n_arrays++];
	memset(a, 0, sizeof(*a));
	a->value = v;
	return a;
}

int bt_onnx_floats(struct bt_onnx *o, const char *name, const float *data,
                   int rows, int cols, bool transposed)
{
	struct array *a;
	size_t i;

	for (i = 0; i < o->n_arrays; i++)
		if (o->arrays[i].data == data &&
		    strcmp(name_of(o, o->arrays[i].value), name) == 0)
			return o->arrays[i].value;
	a = add_array(o, bt_strndup(name, strlen(name)));
	if (a == NULL)
		return BT_ONNX_NONE;
	a->type = BT_ONNX_FLOAT;
	a->data = data;
	a->rank = rows == 0 ? 1 : 2;
	a->transposed = transposed && rows != 0;
	a->dims[0] = rows == 0 || transposed ? cols : rows;
	a->dims[1] = transposed ? rows : cols;
	a->bytes =
	    (rows == 0 ? 1 : (size_t)rows) * (size_t)cols * sizeof(float);
	return a->value;
}

/* An array of a few bytes of its own. */
static int own_array(struct bt_onnx *o, enum bt_onnx_type type, int rank,
                     const void *data, size_t bytes, size_t n)
{
	struct bt_buf b = BT_BUF_INIT;
	struct array *a;

	bt_buf_printf(&b, "c%zu", o->n_values);
	a = add_array(o, bt_buf_detach(&b));
	if (a == NULL)
		return BT_ONNX_NONE;
	a->own = bt_array0(bytes / 8 + 1, 8);
	if (a->own == NULL) {
		o->oom = true;
		return BT_ONNX_NONE;
	}
	memcpy(a->own, data, bytes);
	a->type = type;
	a->rank = rank;
	a->dims[0] = (int64_t)n;
	a->bytes = bytes;
	return a->value;
}

int bt_onnx_ints(struct bt_onnx *o, const int64_t *v, int n)
{
	return own_array(o, BT_ONNX_INT64, 1, v, (size_t)n * sizeof(*v),
	                 (size_t)n);
}

int bt_onnx_int(struct bt_onnx *o, int64_t v)
{
	return own_array(o, BT_ONNX_INT64, 0, &v, sizeof(v), 1);
}

int bt_onnx_float(struct bt_onnx *o, float v)
{
	return own_array(o, BT_ONNX_FLOAT, 0, &v, sizeof(v), 1);
}

/* Attributes have the number of their type's field in the enumeration. */
static void put_attribute(struct bt_onnx *o, const char *name, int type,
                          struct bt_buf *value)
{
	struct bt_buf a = BT_BUF_INIT;

	put_str(&a, ATTRIBUTE_NAME, name);
	bt_buf_put(&a, value->data, value->len);
	a.oom |= value->oom;
	put_int(&a, ATTRIBUTE_TYPE, type);
	put_message(&o->attributes, NODE_ATTRIBUTE, &a);
	bt_buf_clear(value);
}

void bt_onnx_set_int(struct bt_onnx *o, const char *name, int64_t v)
{
	struct bt_buf b = BT_BUF_INIT;

	put_int(&b, ATTRIBUTE_INT, v);
	put_attribute(o, name, 2, &b);
}

void bt_onnx_set_ints(struct bt_onnx *o, const char *name, const int64_t *v,
                      int n)
{
	struct bt_buf b = BT_BUF_INIT;
	int i;

	for (i = 0; i < n; i++)
		put_int(&b, ATTRIBUTE_INTS, v[i]);
	put_attribute(o, name, 7, &b);
}

void bt_onnx_set_float(struct bt_onnx *o, const char *name, float v)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_pb_put_tag(&b, ATTRIBUTE_FLOAT, BT_PB_I32);
	bt_buf_put(&b, &v, sizeof(v));
	put_attribute(o, name, 1, &b);
}

void bt_onnx_set_name(struct bt_onnx *o, const char *name)
{
	free(o->next);
	o->next = bt_strndup(name, strlen(name));
	o->oom |= o->next == NULL;
}

int bt_onnx_op_of(struct bt_onnx *o, const char *op, const int *in, int n)
{
	struct bt_buf b = BT_BUF_INIT;
	int i, out = next_value(o);

	while (n > 0 && in[n - 1] == BT_ONNX_NONE)
		n--;
	for (i = 0; i < n; i++)
		put_str(&b, NODE_INPUT, name_of(o, in[i]));
	put_str(&b, NODE_OUTPUT, name_of(o, out));
	put_str(&b, NODE_NAME, name_of(o, out));
	put_str(&b, NODE_OP, op);
	if (o->attributes.len > 0)
		bt_buf_put(&b, o->attributes.data, o->attributes.len);
	o->oom |= o->attributes.oom;
	bt_buf_reset(&o->attributes);
	put_message(&o->nodes, GRAPH_NODE, &b);
	return out;
}

int bt_onnx_op(struct bt_onnx *o, const char *op, int a, int b, int c)
{
	const int in[] = {a, b, c};

	return bt_onnx_op_of(o, op, in, 3);
}

/* All of an array's message but its values, which come last. */
static void array_head(const struct bt_onnx *o, const struct array *a,
                       struct bt_buf *b)
{
	int i;

	for (i = 0; i < a->rank; i++)
		put_int(b, TENSOR_DIMS, a->dims[i]);
	put_int(b, TENSOR_TYPE, a->type);
	put_str(b, TENSOR_NAME, name_of(o, a->value));
	bt_pb_put_tag(b, TENSOR_RAW, BT_PB_LEN);
	bt_pb_put_varint(b, a->bytes);
}

static int write_transposed(struct bt_out *out, const struct array *a,
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

static int write_array(const struct bt_onnx *o, struct bt_out *out,
                       const struct array *a, struct bt_error *err)
{
	struct bt_buf head = BT_BUF_INIT, b = BT_BUF_INIT;
	int r;

	array_head(o, a, &head);
	bt_pb_put_tag(&b, GRAPH_INITIALIZER, BT_PB_LEN);
	bt_pb_put_varint(&b, head.len + a->bytes);
	bt_buf_put(&b, head.data, head.len);
	if (head.oom || b.oom)
		r = bt_error_nomem(err, "writing weights");
	else
		r = bt_out_write(out, b.data, b.len, err);
	if (r == BT_OK && a->transposed)
		r = write_transposed(out, a, err);
	else if (r == BT_OK)
		r = bt_out_write(out, a->own != NULL ? a->own : a->data,
		                 a->bytes, err);
	bt_buf_clear(&head);
	bt_buf_clear(&b);
	return r;
}

/* The bytes of the graph's message: front, then arrays, which are many. */
static uint64_t graph_size(const struct bt_onnx *o, const struct bt_buf *front)
{
	struct bt_buf b = BT_BUF_INIT;
	uint64_t n = front->len, m;
	size_t i;

	for (i = 0; i < o->n_arrays; i++) {
		bt_buf_reset(&b);
		array_head(o, &o->arrays[i], &b);
		m = b.len + o->arrays[i].bytes;
		n += 1 + bt_pb_varint_size(m) + m;
	}
	bt_buf_clear(&b);
	return n;
}

static void put_model(struct bt_buf *b, uint64_t graph)
{
	struct bt_buf opset = BT_BUF_INIT;

	put_int(b, MODEL_IR_VERSION, IR_VERSION);
	put_str(b, MODEL_PRODUCER, "bertutils");
	put_int(&opset, 2, BT_ONNX_OPSET);
	put_message(b, MODEL_OPSET, &opset);
	bt_pb_put_tag(b, MODEL_GRAPH, BT_PB_LEN);
	bt_pb_put_varint(b, graph);
}

int bt_onnx_save(struct bt_onnx *o, const char *path, struct bt_error *err)
{
	struct bt_buf front = BT_BUF_INIT, model = BT_BUF_INIT;
	struct bt_out *out;
	uint64_t size;
	size_t i;
	int r = BT_OK;

	bt_buf_put(&front, o->nodes.data, o->nodes.len);
	put_bytes(&front, GRAPH_NAME, o->name.data, o->name.len);
	bt_buf_put(&front, o->ends.data, o->ends.len);
	size = graph_size(o, &front);
	put_model(&model, size);
	if (o->oom || o->name.oom || o->nodes.oom || o->ends.oom || front.oom ||
	    model.oom)
		r = bt_error_nomem(err, "writing a model");
	else if (size > INT_MAX - model.len)
		r = bt_error_set(err, BT_ELIMIT,
		                 "the model has %llu bytes, more than a file "
		                 "of ONNX can hold (%d)",
		                 (unsigned long long)size, INT_MAX);
	if (r == BT_OK)
		r = bt_out_open(path, BT_OUT_BINARY, &out, err);
	if (r == BT_OK) {
		r = bt_out_write(out, model.data, model.len, err);
		if (r == BT_OK)
			r = bt_out_write(out, front.data, front.len, err);
		for (i = 0; i < o->n_arrays && r == BT_OK; i++)
			r = write_array(o, out, &o->arrays[i], err);
		if (r == BT_OK)
			r = bt_out_commit(out, err);
		else
			bt_out_abandon(out);
	}
	bt_buf_clear(&front);
	bt_buf_clear(&model);
	return r;
}
