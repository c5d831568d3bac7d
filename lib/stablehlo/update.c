/* SPDX-License-Identifier: MIT */
/* The optimizer's update, parameter by parameter. */
#include "stablehlo/emit_int.h"

/* Number i of a vector, everywhere in what `like` is. */
static int number(struct bt_hlo *b, int vector, int i, int like)
{
	int x = bt_hlo_slice(b, vector, 0, i, i + 1);

	x = bt_hlo_reshape(b, x, 0, NULL);
	return bt_hlo_broadcast(b, x, bt_hlo_shape_of(b, like), NULL);
}

static int constant(struct bt_hlo_emit *e, enum bt_hlo_constant c, int like)
{
	int all = bt_hlo_input(e, BT_HLO_ARG_CONSTANTS);

	return number(&e->b, all, (int)c, like);
}

/* A product, and a quotient. */
static int times(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_binary(b, "multiply", x, y);
}

static int over(struct bt_hlo *b, int x, int y)
{
	return bt_hlo_binary(b, "divide", x, y);
}

/* The sum of the squares of x, [1]. The squares of a row are a product, so that
 * large parameters are no one long sum of rounded terms. */
static int squares(struct bt_hlo *b, int x)
{
	static const struct bt_hlo_product rows = {1, 1, {0}, {0}, {1}, {1}};
	static const struct bt_hlo_product all = {0, 1, {0}, {0}, {0}, {0}};
	const int64_t one = 1;

	if (bt_hlo_shape_of(b, x).rank == 2)
		x = bt_hlo_reduce(b, "add", bt_hlo_dot(b, x, x, rows), 0);
	else
		x = bt_hlo_dot(b, x, x, all);
	return bt_hlo_reshape(b, x, 1, &one);
}

/* What gradients of that norm are multiplied by, [1]. */
static int scale_of(struct bt_hlo_emit *e, int norm)
{
	struct bt_hlo *b = &e->b;
	int clip = constant(e, BT_HLO_CLIP, norm);
	int x = constant(e, BT_HLO_CLIP_MORE, norm), above;

	x = over(b, clip, bt_hlo_binary(b, "add", norm, x));
	above = bt_hlo_compare(b, "GT", norm, clip);
	return bt_hlo_select(b, above, x,
	                     bt_hlo_splat(b, bt_hlo_shape_of(b, norm), 1));
}

/* The gradient as the moments take it. */
static int held(struct bt_hlo_emit *e, int g, int scale)
{
	struct bt_hlo *b = &e->b;
	int limit = constant(e, BT_HLO_LIMIT, g);

	g = times(b, g, number(b, scale, 0, g));
	g = bt_hlo_binary(b, "minimum", g, limit);
	return bt_hlo_binary(b, "maximum", g, bt_hlo_unary(b, "negate", limit));
}

/* Adam's moments, with the gradient x, and its step: rate m / (sqrt(v) correct2
 * + eps). */
static int step(struct bt_hlo_emit *e, int param, int x, int rate,
                struct bt_hlo_results *results)
{
	struct bt_hlo *b = &e->b;
	int m = bt_hlo_of_param(e, BT_HLO_ARG_MOMENT1, param);
	int v = bt_hlo_of_param(e, BT_HLO_ARG_MOMENT2, param);
	int y;

	y = times(b, constant(e, BT_HLO_FRESH1, x), x);
	m = times(b, constant(e, BT_HLO_BETA1, x), m);
	m = bt_hlo_binary(b, "add", m, y);
	y = times(b, times(b, constant(e, BT_HLO_FRESH2, x), x), x);
	v = times(b, constant(e, BT_HLO_BETA2, x), v);
	v = bt_hlo_binary(b, "add", v, y);
	bt_hlo_add_result(results, BT_HLO_MOMENT1, param, m);
	bt_hlo_add_result(results, BT_HLO_MOMENT2, param, v);
	y = bt_hlo_unary(b, "sqrt", v);
	y = times(b, y, constant(e, BT_HLO_CORRECT2, x));
	y = bt_hlo_binary(b, "add", y, constant(e, BT_HLO_EPS, x));
	return over(b, times(b, rate, m), y);
}

/* |p| / |u|, or 1 where one of them is 0, everywhere in p. */
static int quotient(struct bt_hlo *b, int p, int u)
{
	int x = squares(b, p), y = squares(b, u), z, none, one;

	none = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 0);
	one = bt_hlo_splat(b, bt_hlo_shape_of(b, x), 1);
	z = bt_hlo_unary(b, "sqrt", over(b, x, y));
	z = bt_hlo_select(b, bt_hlo_compare(b, "GT", x, none), z, one);
	z = bt_hlo_select(b, bt_hlo_compare(b, "GT", y, none), z, one);
	return number(b, z, 0, p);
}

/* p - rate u, of the step u by LAMB's rule with x. */
static int lamb(struct bt_hlo_emit *e, int param, int x, int rate, int decay,
                struct bt_hlo_results *results)
{
	struct bt_hlo *b = &e->b;
	int p = bt_hlo_param(e, param), u;

	u = step(e, param, x, constant(e, BT_HLO_CORRECT1, p), results);
	if (e->g->params[param].decay) {
		u = bt_hlo_binary(b, "add", u, times(b, decay, p));
		u = times(b, quotient(b, p, u), u);
	}
	return bt_hlo_binary(b, "subtract", p, times(b, rate, u));
}

static int sgd(struct bt_hlo_emit *e, int param, int x, int rate, int decay,
               struct bt_hlo_results *results)
{
	struct bt_hlo *b = &e->b;
	int p = bt_hlo_param(e, param);
	int m = bt_hlo_of_param(e, BT_HLO_ARG_MOMENT1, param);

	x = bt_hlo_binary(b, "add", x, times(b, decay, p));
	m = times(b, constant(e, BT_HLO_BETA1, p), m);
	m = bt_hlo_binary(b, "add", m, x);
	bt_hlo_add_result(results, BT_HLO_MOMENT1, param, m);
	return bt_hlo_binary(b, "subtract", p, times(b, rate, m));
}

static void update(struct bt_hlo_emit *e, int param, int g, int scale,
                   struct bt_hlo_results *results)
{
	struct bt_hlo *b = &e->b;
	int p = bt_hlo_param(e, param), x = held(e, g, scale);
	int rate = bt_hlo_input(e, BT_HLO_ARG_RATES);
	int keep = bt_hlo_input(e, BT_HLO_ARG_KEEPS);

	rate = number(b, rate, param, p);
	keep = number(b, keep, param, p);
	if (e->o->rule == BT_HLO_LAMB) {
		p = lamb(e, param, x, rate, keep, results);
	} else if (e->o->rule == BT_HLO_SGD) {
		p = sgd(e, param, x, rate, keep, results);
	} else {
		x = step(e, param, x, rate, results);
		p = bt_hlo_binary(b, "subtract", times(b, p, keep), x);
	}
	bt_hlo_add_result(results, BT_HLO_PARAM, param, p);
}

/* The squares of a parameter's gradient that the norm has, [1]. */
static int squares_of(struct bt_hlo_emit *e, int param, int grad)
{
	const struct bt_node *n = &e->g->nodes[0];
	const int64_t one = 1;
	int x;

	if (!e->o->row_norm || n->op != BT_OP_EMBED || n->u.embed.word != param)
		return squares(&e->b, grad);
	x = bt_hlo_input(e, BT_HLO_ARG_CONSTANTS);
	x = bt_hlo_slice(&e->b, x, 0, BT_HLO_SQUARES, BT_HLO_SQUARES + 1);
	return bt_hlo_reshape(&e->b, x, 1, &one);
}

static int update_all(struct bt_hlo_emit *e, struct bt_hlo_results *x)
{
	const struct bt_graph *g = e->g;
	struct bt_hlo *b = &e->b;
	int *grad = e->param_grad, i, norm = BT_HLO_NONE, scale;

	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].frozen) {
			grad[i] = bt_hlo_of_param(e, BT_HLO_ARG_GRADIENT, i);
			norm = bt_hlo_sum(b, norm, squares_of(e, i, grad[i]));
		}
	if (norm == BT_HLO_NONE)
		return bt_hlo_fail(b, BT_EARG, "nothing is trained");
	norm = bt_hlo_unary(b, "sqrt", norm);
	scale = scale_of(e, norm);
	bt_hlo_add_result(x, BT_HLO_NORM, -1, norm);
	for (i = 0; i < g->n_params; i++)
		if (!g->params[i].frozen)
			update(e, i, grad[i], scale, x);
	return BT_OK;
}

/* What is left of the step for each element of the gradient. */
static int step_over(struct bt_hlo_emit *e, int norm)
{
	struct bt_hlo *b = &e->b;
	int none = bt_hlo_splat(b, bt_hlo_shape_of(b, norm), 0), x;

	x = over(b, constant(e, BT_HLO_STEP, norm), norm);
	return bt_hlo_select(b, bt_hlo_compare(b, "EQ", norm, none), none, x);
}

int bt_hlo_move(const struct bt_graph *g, int param, int replicas,
                struct bt_hlo_program *p, struct bt_error *err)
{
	const struct bt_hlo_opts o = {.replicas = replicas};
	struct bt_hlo_emit e;
	struct bt_hlo_results x;
	struct bt_hlo *b = &e.b;
	int r = bt_hlo_begin_program(&e, g, &o, 1, &x, err), grad, y;

	if (r == BT_OK) {
		grad = bt_hlo_of_param(&e, BT_HLO_ARG_GRADIENT, param);
		y = bt_hlo_unary(b, "sqrt", squares(b, grad));
		y = times(b, number(b, step_over(&e, y), 0, grad), grad);
		y = bt_hlo_binary(b, "add", bt_hlo_param(&e, param), y);
		bt_hlo_add_result(&x, BT_HLO_MOVED, param, y);
	}
	return bt_hlo_end_program(&e, r, &x, p, err);
}

int bt_hlo_update(const struct bt_graph *g, enum bt_hlo_rule rule, int replicas,
                  bool row_norm, struct bt_hlo_program *p, struct bt_error *err)
{
	const struct bt_hlo_opts o = {
	    .row_norm = row_norm, .rule = rule, .replicas = replicas};
	struct bt_hlo_emit e;
	struct bt_hlo_results x;
	int r = bt_hlo_begin_program(&e, g, &o, 3 * g->n_params + 1, &x, err);

	if (r == BT_OK)
		(void)update_all(&e, &x);
	return bt_hlo_end_program(&e, r, &x, p, err);
}
