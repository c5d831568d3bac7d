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

/* Phi(x) + x phi(x) */
static int gelu_slope(struct bt_hlo *b, int x)
{
	int y = bt_hlo_with(b, "multiply", x, sqrt(0.5)), z;

	y = bt_hlo_unary(b, "chlo.erf", y);
	y = bt_hlo_with(b, "add", y, 1);
	y = bt_hlo_with(b, "multiply", y, 0.5);
	z = bt_hlo_binary(b, "multiply", x, x);
	z = bt_hlo_with(b, "multiply", z, -0.5);
	z = bt_hlo_unary(b, "exponential", z);
	z = bt_hlo_binary(b, "multiply", x, z);
	z = bt_hlo_with(b, "multiply", z, 0.3989422804014327);
	return bt_hlo_binary(b, "add", y, z);
}

/* With t the hyperbolic tangent above: (1 + t + x (1 - t^2) sqrt(2/pi) (1 + 3 *
 * 0.044715 x^2)) / 2 */
static int gelu_tanh_slope(struct bt_hlo *b, int x)
{
	int squared = bt_hlo_binary(b, "multiply", x, x);
	int t = bt_hlo_with(b, "multiply", squared, 0.044715), y, z;

	t = bt_hlo_with(b, "add", t, 1);
	t = bt_hlo_binary(b, "multiply", x, t);
	t = bt_hlo_with(b, "multiply", t, 0.7978845608028654);
	t = bt_hlo_unary(b, "tanh", t);
	y = bt_hlo_binary(b, "multiply", t, t);
	y = bt_hlo_unary(b, "negate", y);
	y = bt_hlo_with(b, "add", y, 1);
	y = bt_hlo_binary(b, "multiply", x, y);
	z = bt_hlo_with(b, "multiply", squared, 3 * 0.044715);
	z = bt_hlo_with(b, "add", z, 1);
	z = bt_hlo_with(b, "multiply", z, 0.7978845608028654);
	y = bt_hlo_binary(b, "multiply", y, z);
	y = bt_hlo_binary(b, "add", y, t);
	y = bt_hlo_with(b, "add", y, 1);
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

/* 1 - tanh(x)^2 */
static int tanh_slope(struct bt_hlo *b, int x)
{
	int y = bt_hlo_unary(b, "tanh", x);

	y = bt_hlo_binary(b, "multiply", y, y);
	y = bt_hlo_unary(b, "negate", y);
	return bt_hlo_with(b, "add", y, 1);
}

/* With s = 1 / (1 + e^-x): s (1 + x (1 - s)) */
static int silu_slope(struct bt_hlo *b, int x)
{
	int s = bt_hlo_unary(b, "logistic", x);
	int y = bt_hlo_unary(b, "negate", s);

	y = bt_hlo_with(b, "add", y, 1);
	y = bt_hlo_binary(b, "multiply", x, y);
	y = bt_hlo_with(b, "add", y, 1);
	return bt_hlo_binary(b, "multiply", s, y);
}

static int relu_slope(struct bt_hlo *b, int x)
{
	return bt_hlo_convert(b, bt_hlo_compare_with(b, "GT", x, 0),
	                      BT_HLO_F32);
}

static int softplus_slope(struct bt_hlo *b, int x)
{
	return bt_hlo_unary(b, "logistic", x);
}

int bt_hlo_activate_back(struct bt_hlo_emit *e, enum bt_activation act, int x,
                         int dy)
{
	static int (*const slope[BT_ACTIVATIONS])(struct bt_hlo * b, int x) = {
	    [BT_ACT_GELU] = gelu_slope,
	    [BT_ACT_GELU_TANH] = gelu_tanh_slope,
	    [BT_ACT_RELU] = relu_slope,
	    [BT_ACT_TANH] = tanh_slope,
	    [BT_ACT_SOFTPLUS] = softplus_slope,
	    [BT_ACT_SILU] = silu_slope,
	};

	return slope[act] == NULL
	           ? dy
	           : bt_hlo_binary(&e->b, "multiply", dy, slope[act](&e->b, x));
}
