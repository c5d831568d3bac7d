/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "onnx/graph_writer_int.h"

struct bt_onnx *bt_onnx_new(const char *name)
{
	struct bt_onnx *o = bt_array0(1, sizeof(*o));

	bt_buf_puts(&o->name, name);
	return o;
}

void bt_onnx_free(struct bt_onnx *o)
{
	size_t i;

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

static int add_value(struct bt_onnx *o, char *name)
{
	if (bt_grow(&o->values, &o->cap_values, o->n_values + 1,
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

/* Appends the description of an input or output. */
static void put_end(struct bt_onnx *o, uint32_t field, const char *name,
                    enum bt_onnx_type type, const char *const *dims, int rank)
{
	struct bt_buf *b = &o->ends;
	size_t end = bt_pb_begin(b, field), t, tensor, shape, dim;
	int i;

	bt_pb_put_str(b, 1, name);
	t = bt_pb_begin(b, 2);
	tensor = bt_pb_begin(b, 1);
	bt_pb_put_uint(b, 1, type);
	shape = bt_pb_begin(b, 2);
	for (i = 0; i < rank; i++) {
		dim = bt_pb_begin(b, 1);
		if (isdigit((unsigned char)dims[i][0]))
			bt_pb_put_uint(b, 1, strtoull(dims[i], NULL, 10));
		else
			bt_pb_put_str(b, 2, dims[i]);
		bt_pb_end(b, dim);
	}
	bt_pb_end(b, shape);
	bt_pb_end(b, tensor);
	bt_pb_end(b, t);
	bt_pb_end(b, end);
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

static int add_array(struct bt_onnx *o, char *name, struct bt_onnx_array a)
{
	a.value = add_value(o, name);
	if (a.value < 0 || bt_grow(&o->arrays, &o->cap_arrays, o->n_arrays + 1,
	                           sizeof(*o->arrays)) != BT_OK) {
		free(a.own);
		o->oom = true;
		return BT_ONNX_NONE;
	}
	o->arrays[o->n_arrays++] = a;
	return a.value;
}

int bt_onnx_floats(struct bt_onnx *o, const char *name, const float *data,
                   int rows, int cols, bool transposed)
{
	struct bt_onnx_array a = {.type = BT_ONNX_FLOAT,
	                          .rank = rows == 0 ? 1 : 2,
	                          .transposed = transposed && rows != 0,
	                          .data = data};
	size_t i;

	for (i = 0; i < o->n_arrays; i++)
		if (o->arrays[i].data == data &&
		    strcmp(name_of(o, o->arrays[i].value), name) == 0)
			return o->arrays[i].value;
	a.dims[0] = rows == 0 || transposed ? cols : rows;
	a.dims[1] = transposed ? rows : cols;
	a.bytes = (rows == 0 ? 1 : (size_t)rows) * (size_t)cols * sizeof(float);
	return add_array(o, bt_strndup(name, strlen(name)), a);
}

/* An array of a few bytes of its own. */
static int own_array(struct bt_onnx *o, enum bt_onnx_type type, int rank,
                     const void *data, size_t bytes, size_t n)
{
	struct bt_onnx_array a = {.type = type,
	                          .rank = rank,
	                          .dims = {(int64_t)n},
	                          .own = bt_array0(bytes / 8 + 1, 8),
	                          .bytes = bytes};
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "c%zu", o->n_values);
	memcpy(a.own, data, bytes);
	return add_array(o, bt_buf_detach(&b), a);
}

int bt_onnx_ints(struct bt_onnx *o, const int64_t *v, int n)
{
	return own_array(o, BT_ONNX_INT64, 1, v, (size_t)n * sizeof(*v),
	                 (size_t)n);
}

int bt_onnx_few_floats(struct bt_onnx *o, const float *v, int n)
{
	return own_array(o, BT_ONNX_FLOAT, 1, v, (size_t)n * sizeof(*v),
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

static size_t begin_attribute(struct bt_onnx *o, const char *name)
{
	size_t begin = bt_pb_begin(&o->attributes, NODE_ATTRIBUTE);

	bt_pb_put_str(&o->attributes, ATTRIBUTE_NAME, name);
	return begin;
}

static void end_attribute(struct bt_onnx *o, size_t begin, unsigned type)
{
	bt_pb_put_uint(&o->attributes, ATTRIBUTE_TYPE, type);
	bt_pb_end(&o->attributes, begin);
}

void bt_onnx_set_int(struct bt_onnx *o, const char *name, int64_t v)
{
	size_t begin = begin_attribute(o, name);

	bt_pb_put_uint(&o->attributes, ATTRIBUTE_INT, (uint64_t)v);
	end_attribute(o, begin, ATTRIBUTE_IS_INT);
}

void bt_onnx_set_ints(struct bt_onnx *o, const char *name, const int64_t *v,
                      int n)
{
	size_t begin = begin_attribute(o, name);
	int i;

	for (i = 0; i < n; i++)
		bt_pb_put_uint(&o->attributes, ATTRIBUTE_INTS, (uint64_t)v[i]);
	end_attribute(o, begin, ATTRIBUTE_IS_INTS);
}

void bt_onnx_set_float(struct bt_onnx *o, const char *name, float v)
{
	size_t begin = begin_attribute(o, name);

	bt_pb_put_fixed(&o->attributes, ATTRIBUTE_FLOAT, BT_PB_I32, &v);
	end_attribute(o, begin, ATTRIBUTE_IS_FLOAT);
}

void bt_onnx_set_name(struct bt_onnx *o, const char *name)
{
	free(o->next);
	o->next = bt_strndup(name, strlen(name));
}

int bt_onnx_op_of(struct bt_onnx *o, const char *op, const int *in, int n)
{
	int i, out = next_value(o);
	size_t node = bt_pb_begin(&o->nodes, GRAPH_NODE);

	while (n > 0 && in[n - 1] == BT_ONNX_NONE)
		n--;
	for (i = 0; i < n; i++)
		bt_pb_put_str(&o->nodes, NODE_INPUT, name_of(o, in[i]));
	bt_pb_put_str(&o->nodes, NODE_OUTPUT, name_of(o, out));
	bt_pb_put_str(&o->nodes, NODE_NAME, name_of(o, out));
	bt_pb_put_str(&o->nodes, NODE_OP, op);
	bt_buf_put(&o->nodes, o->attributes.data, o->attributes.len);
	bt_buf_reset(&o->attributes);
	bt_pb_end(&o->nodes, node);
	return out;
}

int bt_onnx_op(struct bt_onnx *o, const char *op, int a, int b, int c)
{
	const int in[] = {a, b, c};

	return bt_onnx_op_of(o, op, in, 3);
}
