/* SPDX-License-Identifier: MIT */
/* Gradients against finite differences of the loss. */
#ifndef TEST_SLOPES_H
#define TEST_SLOPES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tiny.h"

static inline double loss_at(struct tiny *t, float h, const float *direction,
                             const float *p0)
{
	float *p = bt_engine_params(t->e);
	struct bt_error err = {0};
	size_t i;

	for (i = 0; i < t->g.n_floats; i++)
		p[i] = p0[i] + h * direction[i];
	assert_ok(bt_engine_pack(t->e, &err));
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	return bt_engine_loss(t->e);
}

/* For each parameter: the slope along a random direction in it, from the
 * gradient and from differences of the loss, h apart, within that share; of
 * every third one, where the processor is emulated. */
static inline void check_slopes_at(struct tiny *t, float h, double share)
{
	size_t n = t->g.n_floats, k, size;
	float *d = calloc(n, sizeof(*d)), *p0 = malloc(n * sizeof(*p0));
	float *g = malloc(n * sizeof(*g));
	const struct bt_param *q;
	struct bt_error err = {0};
	double slope, wanted, v[2];
	int i, step = emulated() ? 3 : 1;

	memcpy(p0, bt_engine_params(t->e), n * sizeof(*p0));
	assert_ok(bt_engine_forward(t->e, &t->b, &err));
	assert_ok(bt_engine_backward(t->e, false, &err));
	memcpy(g, bt_engine_grads(t->e), n * sizeof(*g));
	for (i = 0; i < t->g.n_params; i += step) {
		q = &t->g.params[i];
		size = bt_param_size(q);
		memset(d, 0, n * sizeof(*d));
		wanted = 0;
		for (k = 0; k < size; k++) {
			bt_random_normal(3, 40, (uint32_t)i, k, 0, v);
			d[q->offset + k] = (float)(v[0] / sqrt((double)size));
			wanted +=
			    (double)d[q->offset + k] * (double)g[q->offset + k];
		}
		/* five points: an error of order h^4 */
		slope = 8 * (loss_at(t, h, d, p0) - loss_at(t, -h, d, p0));
		slope -= loss_at(t, 2 * h, d, p0) - loss_at(t, -2 * h, d, p0);
		slope /= 12 * (double)h;
		if (!(fabs(slope - wanted) < 2e-4 + share * fabs(wanted)))
			fail_msg("%s: slope %.6g, gradient says %.6g", q->name,
			         slope, wanted);
	}
	free(d);
	free(p0);
	free(g);
}

static inline void check_slopes(struct tiny *t)
{
	check_slopes_at(t, 0.01f, 1e-2);
}

#endif
