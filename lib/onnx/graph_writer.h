/* SPDX-License-Identifier: MIT */
/*
 * Writing ONNX: a graph of operators over named values, with the arrays that
 * it computes with. Values have numbers here. Memory that runs out is noticed
 * at the end, by bt_onnx_save. https://onnx.ai/onnx/repo-docs/IR.html
 */
#ifndef BT_ONNX_GRAPH_WRITER_H
#define BT_ONNX_GRAPH_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define BT_ONNX_OPSET 17
#define BT_ONNX_MOST INT32_MAX /* bytes that protobuf takes */

enum bt_onnx_type { BT_ONNX_FLOAT = 1, BT_ONNX_INT64 = 7 };

/* In place of a value: none. */
#define BT_ONNX_NONE (-1)

struct bt_onnx;

struct bt_onnx *bt_onnx_new(const char *name);
void bt_onnx_free(struct bt_onnx *o);

/* An input or output; dimensions are numbers, or names of what varies. */
int bt_onnx_input(struct bt_onnx *o, const char *name, enum bt_onnx_type type,
                  const char *const *dims, int rank);
void bt_onnx_output(struct bt_onnx *o, int value, enum bt_onnx_type type,
                    const char *const *dims, int rank);

/* Arrays. That of floats, rows x cols (rows 0: of cols), is borrowed until it
 * is saved, and stands in the file transposed if so; one of the same name is
 * made once. Small ones are copied. */
int bt_onnx_floats(struct bt_onnx *o, const char *name, const float *data,
                   int rows, int cols, bool transposed);
int bt_onnx_ints(struct bt_onnx *o, const int64_t *v, int n);
int bt_onnx_few_floats(struct bt_onnx *o, const float *v, int n);
int bt_onnx_int(struct bt_onnx *o, int64_t v); /* of no dimension */
int bt_onnx_float(struct bt_onnx *o, float v);

/* Attributes of the operator that comes next. */
void bt_onnx_set_int(struct bt_onnx *o, const char *name, int64_t v);
void bt_onnx_set_ints(struct bt_onnx *o, const char *name, const int64_t *v,
                      int n);
void bt_onnx_set_float(struct bt_onnx *o, const char *name, float v);

/* The name of the value that comes next, instead of one made up. */
void bt_onnx_set_name(struct bt_onnx *o, const char *name);

/* Adds an operator; its value. Inputs that are BT_ONNX_NONE are not there. */
int bt_onnx_op(struct bt_onnx *o, const char *op, int a, int b, int c);
int bt_onnx_op_of(struct bt_onnx *o, const char *op, const int *in, int n);

/*
 * Writes a model. One of more than so many bytes has its arrays in a file
 * "path.data", of which it holds the name; *beside is whether. The two appear
 * together, or neither does. BT_ELIMIT: the rest is more than fits.
 */
int bt_onnx_save(struct bt_onnx *o, const char *path, size_t most, bool *beside,
                 struct bt_error *err) BT_MUST_USE;

#endif
