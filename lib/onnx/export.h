/* SPDX-License-Identifier: MIT */
/*
 * A model directory as a file of ONNX: its graph said in the operators of
 * opset 17, with free numbers of texts and of tokens. Inputs are input_ids,
 * attention_mask and, where the model looks at segments, token_type_ids, all
 * int64 of [batch, sequence]; the output is logits, [batch, classes], of a
 * classifier, [batch, sequence, classes] of one of tokens, else
 * last_hidden_state, [batch, sequence, columns].
 */
#ifndef BT_ONNX_EXPORT_H
#define BT_ONNX_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct bt_export_report {
	int nodes, arrays; /* operators of the graph, weights */
	bool classifier;
	bool beside; /* the weights are in a file of their own, "path.data" */
};

/* Models of more than so many bytes (BT_ONNX_MOST at most) have their weights
 * beside. BT_EFORMAT: an operator cannot be said there. */
int bt_export_onnx(const char *dir, const char *path, size_t most,
                   struct bt_export_report *report,
                   struct bt_error *err) BT_MUST_USE;

#endif
