/* SPDX-License-Identifier: MIT */
#ifndef BT_ONNX_EXPORT_INT_H
#define BT_ONNX_EXPORT_INT_H

#include "onnx/export.h"
#include "op/graph.h"

/* What is to be said in ONNX. */
struct bt_export_graph {
	const char *name;
	const struct bt_graph *graph;
	const float **at; /* of each parameter */
	int last;         /* the node of the answer */
	bool classifier;
	size_t most; /* bytes of a file */
};

/* Translates the nodes that the answer needs, and writes them. */
int bt_export_translate(const struct bt_export_graph *e, const char *path,
                        bool *beside, struct bt_error *err) BT_MUST_USE;

#endif
