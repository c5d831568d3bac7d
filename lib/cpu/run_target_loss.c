/* SPDX-License-Identifier: MIT */
/* The losses of numbers: of a regression's, and of labels of which several may
 * hold. They are small and run in the calling thread. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"

/* A loss of each of a sequence's numbers: of the answer x where y is wanted,
 * and 1 weighs p. */
struct each {
	double (*loss)(double x, double y, double p);
	float (*slope)(float x, float y, float p);
	double (*least)(double y); /* for any x, at p = 1 */
};

static double each_loss(const struct bt_engine *e, const struct each *f,
                        size_t t, size_t i, size_t k, double x)
{
	const float *p = e->b.pos_weight;
	double loss = f->loss(x, (double)e->b.targets[t * k + i],
	                      p != NULL ? (double)p[i] : 1);
	double a = (double)e->b.teacher_weight, z;
	double heat = (double)e->b.temperature;

	if (e->b.teacher == NULL)
		return loss;
	z = (double)bt_loss_wanted(e, t, k)[i];
	return (1 - a) * loss +
	       a * heat * heat * (f->loss(x / heat, z, 1) - f->least(z));
}

static float each_slope(const struct bt_engine *e, const struct each *f,
                        size_t t, size_t i, size_t k, float x)
{
	const float *p = e->b.pos_weight;
	float slope =
	    f->slope(x, e->b.targets[t * k + i], p != NULL ? p[i] : 1);
	float a = e->b.teacher_weight, heat = e->b.temperature;

	if (e->b.teacher == NULL)
		return slope;
	return (1 - a) * slope +
	       a * heat * f->slope(x / heat, bt_loss_wanted(e, t, k)[i], 1);
}

/* SAVED holds the input. */
static void plan_each(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * (size_t)e->g->nodes[n->in[0]].cols *
	    sizeof(float);
}

/* Adds up the losses and keeps the answers. */
static void forward_each(struct bt_engine *e, int node, const struct each *f)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t, i;
	const float *x = e->run[n->in[0]].buf[BT_SLOT_F32];
	double sum;

	if (e->b.targets == NULL)
		return;
	memcpy(e->run[node].buf[BT_SLOT_SAVED], x,
	       e->b.sequences * k * sizeof(*x));
	for (t = 0; t < e->b.sequences; t++) {
		sum = 0;
		for (i = 0; i < k; i++)
			sum += each_loss(e, f, t, i, k, (double)x[t * k + i]);
		e->loss += (double)bt_loss_weight(e, t) * sum / (double)k;
	}
}

static void backward_each(struct bt_engine *e, int node, const struct each *f)
{
	const struct bt_node *n = &e->g->nodes[node];
	size_t k = (size_t)e->g->nodes[n->in[0]].cols, t, i, at;
	const float *x = e->run[node].buf[BT_SLOT_SAVED];
	float *dx = e->run[n->in[0]].buf[BT_SLOT_GRAD];
	float w;

	for (t = 0; t < e->b.sequences; t++) {
		w = bt_loss_weight(e, t) / (float)k;
		for (i = 0, at = t * k; i < k; i++, at++)
			dx[at] = w * each_slope(e, f, t, i, k, x[at]);
	}
}

static double square(double x, double y, double p)
{
	(void)p;
	return (x - y) * (x - y);
}

static float square_slope(float x, float y, float p)
{
	(void)p;
	return 2 * (x - y);
}

static double nothing(double y)
{
	(void)y;
	return 0;
}

static const struct each squares = {square, square_slope, nothing};

static void forward_square(struct bt_engine *e, int node)
{
	forward_each(e, node, &squares);
}

static void backward_square(struct bt_engine *e, int node)
{
	backward_each(e, node, &squares);
}

const struct bt_cpu_op bt_cpu_square_loss = {plan_each, forward_square,
                                             backward_square};

/* (1 - y + p y) log(1 + exp(x)) - p y x, without an exponential that overflows.
 */
static double entropy(double x, double y, double p)
{
	double each = 1 + (p - 1) * y;

	return each * (fmax(x, 0) + log1p(exp(-fabs(x)))) - p * y * x;
}

static float entropy_slope(float x, float y, float p)
{
	double each = 1 + ((double)p - 1) * (double)y;

	return (float)(each / (1 + exp(-(double)x)) - (double)p * (double)y);
}

/* -y log y - (1 - y) log(1 - y) */
static double own_entropy(double y)
{
	return (y > 0 ? -y * log(y) : 0) + (y < 1 ? (y - 1) * log1p(-y) : 0);
}

static const struct each entropies = {entropy, entropy_slope, own_entropy};

static void forward_sigmoid(struct bt_engine *e, int node)
{
	forward_each(e, node, &entropies);
}

static void backward_sigmoid(struct bt_engine *e, int node)
{
	backward_each(e, node, &entropies);
}

const struct bt_cpu_op bt_cpu_sigmoid_loss = {plan_each, forward_sigmoid,
                                              backward_sigmoid};
