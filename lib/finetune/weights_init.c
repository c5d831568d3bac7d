/* SPDX-License-Identifier: MIT */
/* Random weights. */
#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "finetune/weights.h"

static void zero_row(const struct bt_param *p, int row, float *out)
{
	size_t cols = (size_t)p->cols;

	memset(out + p->offset + (size_t)row * cols, 0, cols * sizeof(*out));
}

/* The rows of tables that training leaves alone. */
static void zero_padding(const struct bt_graph *g, float *out)
{
	const struct bt_node *n;
	int i;

	for (i = 0; i < g->n_nodes; i++) {
		n = &g->nodes[i];
		if (n->op == BT_OP_EMBED && n->u.embed.pad >= 0)
			zero_row(&g->params[n->u.embed.word], n->u.embed.pad,
			         out);
		if (n->op == BT_OP_EMBED && n->u.embed.position0 > 0)
			zero_row(&g->params[n->u.embed.position],
			         n->u.embed.position0 - 1, out);
	}
}

/* Element k of parameter i, uniform (Glorot and Bengio 2010, "Understanding the
 * Difficulty of Training Deep Feedforward Neural Networks"). */
static float glorot(const struct bt_param *p, uint64_t seed, int i, size_t k)
{
	double limit = sqrt(6.0 / ((double)p->rows + (double)p->cols));
	uint64_t bits = bt_random_u64(seed, BT_PURPOSE_INIT, (uint32_t)i, k);

	return (float)(((double)(bits >> 11) * 0x1p-52 - 1) * limit);
}

/* The same for the limit of He et al. 2015 ("Delving Deep into Rectifiers")
 * with the slope sqrt(5), as PyTorch's layers begin. */
static float kaiming(const struct bt_param *p, uint64_t seed, int i, size_t k)
{
	uint64_t bits = bt_random_u64(seed, BT_PURPOSE_INIT, (uint32_t)i, k);

	return (float)(((double)(bits >> 11) * 0x1p-52 - 1) /
	               sqrt((double)p->cols));
}

void bt_weights_init(const struct bt_graph *g, uint64_t seed, int only,
                     float *out)
{
	const struct bt_param *p;
	double v[2];
	size_t k, n;
	int i;

	for (i = 0; i < g->n_params; i++) {
		if (only >= 0 && only != i)
			continue;
		p = &g->params[i];
		n = bt_param_size(p);
		for (k = 0; k < n; k++) {
			if (p->init == BT_INIT_GLOROT) {
				out[p->offset + k] = glorot(p, seed, i, k);
				continue;
			}
			if (p->init == BT_INIT_KAIMING) {
				out[p->offset + k] = kaiming(p, seed, i, k);
				continue;
			}
			if (p->init != BT_INIT_NORMAL) {
				out[p->offset + k] = p->init == BT_INIT_ONE;
				continue;
			}
			if (k % 2 == 0)
				bt_random_normal(seed, BT_PURPOSE_INIT,
				                 (uint32_t)i, k / 2, 0, v);
			out[p->offset + k] = g->init_std * (float)v[k % 2];
		}
	}
	if (only < 0)
		zero_padding(g, out);
}
