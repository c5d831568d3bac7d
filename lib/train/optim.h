/* SPDX-License-Identifier: MIT */
/*
 * AdamW (Loshchilov & Hutter 2019, "Decoupled Weight Decay Regularization"), as
 * PyTorch computes it: with gradient g, t updates counted from 1,
 *   m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2
 *   p = p (1 - lr wd) - lr m/(1-b1^t) / (sqrt(v/(1-b2^t)) + eps)
 * Weight decay applies to parameters that the graph marks for it (weights and
 * embeddings; not biases and norms).
 */
#ifndef BT_TRAIN_OPTIM_H
#define BT_TRAIN_OPTIM_H

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels.h"
#include "op/graph.h"

struct bt_optim_opts {
	double beta1, beta2, eps, weight_decay;
	double clip; /* largest norm of all gradients together; 0: any */
};

#define BT_OPTIM_INIT                                                          \
	{                                                                      \
		.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8,                     \
		.weight_decay = 0.01, .clip = 1                                \
	}

struct bt_optim {
	struct bt_optim_opts o;
	const struct bt_kernels *k;
	struct bt_pool *pool; /* borrowed */
	struct bt_arena m, v; /* moments, laid out as the parameters */
	struct bt_optim_piece *pieces;
	int n_pieces;
	double *sums;
};

int bt_optim_init(struct bt_optim *a, const struct bt_graph *g,
                  const struct bt_optim_opts *o, struct bt_pool *pool,
                  struct bt_error *err) BT_MUST_USE;
void bt_optim_clear(struct bt_optim *a);

/* The Euclidean norm of all gradients, not finite if one of them is not. */
double bt_optim_norm(struct bt_optim *a, const float *grads);

/* Update number t >= 1 of the parameters with gradients of that norm. */
void bt_optim_update(struct bt_optim *a, float *params, const float *grads,
                     double norm, double lr, int64_t t);

#endif
