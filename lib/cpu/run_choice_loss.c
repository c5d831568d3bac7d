/* SPDX-License-Identifier: MIT */
/* The loss over the choices of a question. It is small and runs in the calling
 * thread. */
#include <math.h>
#include <string.h>

#include "cpu/engine_int.h"
#include "op/ops.h"

#define TARGETS 2 /* of a text: the right number, and how many there are */

/* SAVED is the gradient. */
static void plan(struct bt_engine *e, int node)
{
	const struct bt_node *n = &e->g->nodes[node];

	e->run[n->in[0]].need_f32 = true;
	e->run[node].plan[BT_SLOT_SAVED].size =
	    bt_max_rows(e, n) * sizeof(float);
}

/* The loss of the question whose n choices have the scores x, the right one
 * being number y, and its gradient. */
static double choose(const float *x, size_t n, size_t y, double weight,
                     float *dx)
{
	double max = -INFINITY, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		max = x[i] > max || isnan(x[i]) ? x[i] : max;
	for (i = 0; i < n; i++)
		sum += exp(x[i] - max);
	for (i = 0; i < n; i++)
		dx[i] = (float)(weight * (exp(x[i] - max) / sum - (i == y)));
	return weight * (max + log(sum) - x[y]);
}

static void forward(struct bt_engine *e, int node)
{
	const float *x = e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_F32];
	float *dx = e->run[node].buf[BT_SLOT_SAVED];
	const float *y = e->b.targets, *w = e->b.weights;
	size_t t, i, n;
	double weight;

	for (t = 0; y != NULL && t < e->b.sequences; t += n) {
		n = (size_t)y[t * TARGETS + 1];
		for (i = 0, weight = 0; i < n; i++)
			weight += w != NULL ? (double)w[t + i] : 1;
		e->loss += choose(x + t, n, (size_t)y[t * TARGETS],
		                  weight * (double)e->b.loss_scale, dx + t);
	}
}

static void backward(struct bt_engine *e, int node)
{
	memcpy(e->run[e->g->nodes[node].in[0]].buf[BT_SLOT_GRAD],
	       e->run[node].buf[BT_SLOT_SAVED], e->b.sequences * sizeof(float));
}

const struct bt_cpu_op bt_cpu_choice_loss = {plan, forward, backward};
