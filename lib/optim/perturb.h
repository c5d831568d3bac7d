/* SPDX-License-Identifier: MIT */
/*
 * Adversarial training: the gradient g of an update moves parameters to where
 * the loss is larger, the gradients there are computed, and the parameters are
 * moved back.
 *
 *   words e  the table of words W stands at W + e g / |g|, with |g| the norm
 *            over the table, and the gradients of both places are added
 * [Miyato, Dai, Goodfellow 2017, "Adversarial Training Methods for
 *            Semi-Supervised Text Classification", 3: there the words of each
 *            text are moved by themselves; the table is what is moved where
 *            BERT is fine-tuned so, as the "Fast Gradient Method"]
 *
 *   weights e  each matrix W that is trained, tables of embeddings included,
 *              stands at W + e |W| g / |g|, with the norms over the matrix, and
 *              the gradients there are the update's [Wu, Xia, Wang 2020,
 *              "Adversarial Weight Perturbation Helps Robust Generalization":
 *              there of several steps, here one that is as long as the limit]
 *
 * Of several ranks each has its part of the gradients, as bt_optim says.
 */
#ifndef BT_OPTIM_PERTURB_H
#define BT_OPTIM_PERTURB_H

#include "base/mem.h"
#include "op/graph.h"
#include "optim/optim.h"

struct bt_perturb_opts {
	/* e of one of both; 0: they are not moved */
	double words, weights;
	double from; /* weights: after so many passes over the data */
};

static inline bool bt_perturbs(const struct bt_perturb_opts *o)
{
	return o->words > 0 || o->weights > 0;
}

struct bt_perturb {
	struct bt_perturb_opts o;
	struct bt_optim *a; /* borrowed: how the parameters are cut and divided
	                     */
	bool *moves;        /* [n_params] whether it is moved */
	double *sums;       /* of squares, by piece */
	float *scale;       /* [n_params] of the gradient that is added; 0: it
	                     * stays */
	struct bt_arena params, grads; /* those before that are wanted, laid
	                                * out as the parameters */
};

/* BT_EARG where what is to be moved is frozen: it has no gradient. */
int bt_perturb_check(const struct bt_graph *g, const struct bt_perturb_opts *o,
                     struct bt_error *err) BT_MUST_USE;

/* Bytes that it takes, of several ranks of each. */
size_t bt_perturb_bytes(const struct bt_graph *g,
                        const struct bt_perturb_opts *o, int ranks);

/* Without options there is none, and only bt_perturb_clear may be called. */
int bt_perturb_init(struct bt_perturb *p, const struct bt_graph *g,
                    const struct bt_perturb_opts *o, struct bt_optim *a,
                    struct bt_error *err) BT_MUST_USE;
void bt_perturb_clear(struct bt_perturb *p);

/* Moves the parameters by their gradients, and keeps what they were. False, and
 * nothing moved, where a gradient is not finite. Collective. */
bool bt_perturb_move(struct bt_perturb *p, float *params,
                     const float *grads) BT_MUST_USE;

/* Moves the parameters back. grads, those of the place they were moved to;
 * NULL: they were not computed. Returns the gradients of the update, valid
 * until the next move. */
const float *bt_perturb_end(struct bt_perturb *p, float *params,
                            const float *grads);

#endif
