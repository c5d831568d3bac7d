/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "stablehlo/emit_int.h"

/* x (1 + erf(x / sqrt 2)) / 2 */
static int gelu(struct bt_hlo *b, int x)
{
	int y = bt_hlo_with(b, "multiply", x, sqrt(0.5));

	y = bt_hlo_unary(b, "chlo.erf", y);
	y = bt_hlo_with(b, "add", y, 1);
	y = bt_hlo_binary(b, "multiply", x, y);
	return bt_hlo_with(b, "multiply", y, 0.5);
}

/* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
static int gelu_tanh(struct bt_hlo *b, int x)
{
	int y = bt_hlo_binary(b, "multiply", x, x);

	y = bt_hlo_binary(b, "multiply", y, x);
	y = bt_hlo_with(b, "multiply", y, 0.044715);
	y = bt_hlo_binary(b, "add", x, y);
	y = bt_hlo_with(b, "multiply", y, 0.7978845608028654);
	y = bt_hlo_unary(b, "tanh", y);
	y = bt_hlo_with(b, "add", y, 1);
	y = bt_hlo_binary(b, "multiply", x, y);
	return bt_hlo_with(b, "multiply", y, 0.5);
}

/* max(x, 0) + log(1 + e^-|x|) */
static int softplus(struct bt_hlo *b, int x)
{
	int y = bt_hlo_unary(b, "abs", x);

	y = bt_hlo_unary(b, "negate", y);
	y = bt_hlo_unary(b, "exponential", y);
	y = bt_hlo_unary(b, "log_plus_one", y);
	return bt_hlo_binary(b, "add", y, bt_hlo_with(b, "maximum", x, 0));
}

int bt_hlo_activate(struct bt_hlo_emit *e, enum bt_activation act, int x)
{
	switch (act) {
	case BT_ACT_NONE:
		return x;
	case BT_ACT_GELU:
		return gelu(&e->b, x);
	case BT_ACT_GELU_TANH:
		return gelu_tanh(&e->b, x);
	case BT_ACT_RELU:
		return bt_hlo_with(&e->b, "maximum", x, 0);
	case BT_ACT_TANH:
		return bt_hlo_unary(&e->b, "tanh", x);
	case BT_ACT_SOFTPLUS:
		return softplus(&e->b, x);
	case BT_ACT_SILU:
		return bt_hlo_binary(&e->b, "multiply", x,
		                     bt_hlo_unary(&e->b, "logistic", x));
	default:
		return bt_hlo_fail(&e->b, BT_EARG,
		                   "the activation %s cannot run on a device",
		                   bt_activation_name(act));
	}
}
