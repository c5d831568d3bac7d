/* SPDX-License-Identifier: MIT */
/* add and gated in plain C: what layers with norms before their parts have. */
#include "cpu/ref_int.h"

void bt_ref_add(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;
	float y;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			y = a->residual[at] + m[i] * get(a->x, at, a->x_low);
			if (a->y != NULL)
				a->y[at] = y;
			if (a->y_low != NULL)
				a->y_low[at] = bt_bf16(y);
		}
	}
}

void bt_ref_add_back(const struct bt_sum *a, size_t row0, size_t row1, float *m)
{
	size_t r, i, at;

	for (r = row0; r < row1; r++) {
		bt_ref_dropout(&a->drop, (uint32_t)r, a->cols, m);
		for (i = 0; i < a->cols; i++) {
			at = r * a->cols + i;
			put(a->dx, at, a->dx_low, m[i] * a->dy[at]);
			if (a->add_residual)
				a->dresidual[at] += a->dy[at];
			else
				a->dresidual[at] = a->dy[at];
		}
	}
}

void bt_ref_gated(const struct bt_gated *a, size_t row0, size_t row1, float *y)
{
	size_t r, i, at;

	for (r = row0; r < row1; r++)
		for (i = 0; i < a->cols; i++) {
			at = 2 * r * a->cols + i;
			y[0] = get(a->x, at, a->x_low);
			bt_ref_act(a->act, false, y, y, 1, 1, 1);
			y[0] *= get(a->x, at + a->cols, a->x_low);
			at = r * a->cols + i;
			if (a->y != NULL)
				a->y[at] = y[0];
			if (a->y_low != NULL)
				a->y_low[at] = bt_bf16(y[0]);
		}
}

void bt_ref_gated_back(const struct bt_gated *a, size_t row0, size_t row1,
                       float *scratch)
{
	float x, dy, gate;
	size_t r, i, at;

	for (r = row0; r < row1; r++)
		for (i = 0; i < a->cols; i++) {
			at = 2 * r * a->cols + i;
			x = get(a->x, at, a->x_low);
			gate = get(a->x, at + a->cols, a->x_low);
			dy = get(a->dy, r * a->cols + i, a->dy_low);
			gate *= dy;
			bt_ref_act_back(a->act, false, &x, &gate, &scratch[0],
			                1, 1, 1);
			bt_ref_act(a->act, false, &x, &scratch[1], 1, 1, 1);
			put(a->dx, at, a->dx_low, scratch[0]);
			put(a->dx, at + a->cols, a->dx_low, scratch[1] * dy);
		}
}
