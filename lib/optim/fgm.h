/* SPDX-License-Identifier: MIT */
/*
 * Adversarial training by the Fast Gradient Method: the gradient g of an update
 * moves the table of words W to where the loss is larger,
 *   W + epsilon g / |g|, with |g| the norm over the table,
 * the gradients there are added to those of the update, and W is moved back.
 *
 * [Miyato, Dai, Goodfellow 2017, "Adversarial Training Methods for
 *  Semi-Supervised Text Classification", 3: there the words of each text are
 *  moved by themselves; the table is what is moved where BERT is fine-tuned so]
 *
 * Of several ranks each has its part of the gradients, as bt_optim says.
 */
#ifndef BT_OPTIM_FGM_H
#define BT_OPTIM_FGM_H

#include "base/mem.h"
#include "op/graph.h"
#include "optim/optim.h"

struct bt_fgm {
	double epsilon;
	struct bt_optim *a;    /* borrowed: how the parameters are cut and
	                        * divided */
	int word;              /* the parameter that is moved, */
	size_t offset;         /* where it begins, */
	struct bt_arena table; /* and what it was */
	struct bt_arena grads; /* those of the update, laid out as parameters */
};

/* The parameter that is moved. */
int bt_fgm_words(const struct bt_graph *g);

/* BT_EARG where the table is frozen: it has no gradient. An epsilon of 0 is no
 * adversarial training, here and below. */
int bt_fgm_check(const struct bt_graph *g, double epsilon,
                 struct bt_error *err) BT_MUST_USE;

/* Bytes that it takes, of several ranks of each. */
size_t bt_fgm_bytes(const struct bt_graph *g, double epsilon, int ranks);

/* With an epsilon of 0 only bt_fgm_clear may be called. */
int bt_fgm_init(struct bt_fgm *f, const struct bt_graph *g, double epsilon,
                struct bt_optim *a, struct bt_error *err) BT_MUST_USE;
void bt_fgm_clear(struct bt_fgm *f);

/* Moves the table by its gradient, and keeps what both were. False, and
 * nothing moved, where a gradient is not finite. Collective. */
bool bt_fgm_move(struct bt_fgm *f, float *params,
                 const float *grads) BT_MUST_USE;

/* Moves the table back. grads, those of the place it was moved to; NULL: they
 * were not computed. Returns the gradients of the update, valid until the next
 * move. */
const float *bt_fgm_end(struct bt_fgm *f, float *params, const float *grads);

#endif
