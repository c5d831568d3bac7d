/* SPDX-License-Identifier: MIT */
/* What the translations of several operators read. */
#include "onnx/export_ops_int.h"

int bt_export_whole(struct bt_translation *t, int node)
{
	const struct bt_onnx_value *v = &t->values[node];

	if (v->n == 1)
		return v->part[0];
	bt_onnx_set_int(t->o, "axis", -1);
	return bt_onnx_op_of(t->o, "Concat", v->part, v->n);
}

int bt_export_columns(struct bt_translation *t, int node, int first, int n)
{
	const struct bt_onnx_value *v = &t->values[node];
	int i, at = 0;

	for (i = 0; i < v->n; at += v->cols[i++])
		if (at == first && v->cols[i] == n)
			return v->part[i];
	return slice(t, bt_export_whole(t, node), -1, first, first + n);
}

int bt_export_mask(struct bt_translation *t)
{
	int x = cast(t, t->mask, BT_ONNX_FLOAT);

	x = op2(t, "Sub", bt_onnx_float(t->o, 1), x);
	return op2(t, "Mul", x, bt_onnx_float(t->o, MASKED));
}
