/* SPDX-License-Identifier: MIT */
/* What building a graph of ONNX and writing it share. */
#ifndef BT_ONNX_GRAPH_WRITER_INT_H
#define BT_ONNX_GRAPH_WRITER_INT_H

#include "base/buf.h"
#include "format/protobuf_wire.h"
#include "onnx/graph_writer.h"

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
	ATTRIBUTE_TYPE = 20, /* one of the next three */
	ATTRIBUTE_IS_FLOAT = 1,
	ATTRIBUTE_IS_INT = 2,
	ATTRIBUTE_IS_INTS = 7,
	TENSOR_DIMS = 1,
	TENSOR_TYPE = 2,
	TENSOR_NAME = 8,
	TENSOR_RAW = 9,
	TENSOR_EXTERNAL = 13,
	TENSOR_LOCATION = 14
};

struct bt_onnx_array {
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
	struct bt_onnx_array *arrays;
	size_t n_arrays, cap_arrays;
	bool oom;
};

static inline const char *name_of(const struct bt_onnx *o, int value)
{
	return value < 0 ? "" : o->values[value];
}

#endif
