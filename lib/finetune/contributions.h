/* SPDX-License-Identifier: MIT */
/*
 * How much each token of a text contributed to an output of a model, by
 * integrated gradients [Sundararajan, Taly, Yan 2017, "Axiomatic Attribution
 * for Deep Networks"]. Let x(t) be the row that token t has in the table of
 * words, and x0(t) that of a baseline: the same sequence in which one and the
 * same token stands for all that are not special. Positions and segments are
 * those of the text in both. Then, with F for the output,
 *
 *   c(t) = (x(t) - x0(t)) . integral over a from 0 to 1 of
 *          dF/dx(t) at x0 + a (x - x0)
 *
 * The integral is the mean over `steps` points, the midpoints of equal parts.
 * The c(t) add up to F(x) - F(x0), but for the error of that mean: more steps
 * make it smaller. (F rises steeply somewhere on the way and hardly at its
 * ends, where midpoints are better than as many points of Gauss and Legendre:
 * of 20 and a classifier of 77 classes the error is 1 % of the difference at
 * most, against 2.3 %; of 32 .1 %, against .6 %.)
 *
 * A text's points, and its baseline, are sequences of the batches that they
 * fill together with those of other texts: memory is that of a batch. Numbers
 * depend neither on threads nor on what else is in a batch.
 */
#ifndef BT_FINETUNE_CONTRIBUTIONS_H
#define BT_FINETUNE_CONTRIBUTIONS_H

#include "finetune/dataset.h"

/* A batch is closed before it would exceed this many tokens. */
#define BT_CONTRIBUTIONS_TOKENS ((size_t)1024)

#define BT_CONTRIBUTIONS_MOST_STEPS 1000
#define BT_CONTRIBUTIONS_SPECIAL 3

struct bt_contributions_opts {
	int steps;        /* 1 to BT_CONTRIBUTIONS_MOST_STEPS */
	int32_t baseline; /* the token that stands for others, but not for */
	int32_t special[BT_CONTRIBUTIONS_SPECIAL]; /* these; -1: none */
};

/* An output of the model that is to be explained. */
struct bt_contributions_ask {
	size_t example; /* of the data set */
	int output;
};

struct bt_contributions;

/* The engine, of that graph, must be `fixed`; both are borrowed. BT_EARG where
 * the baseline is not a token of the model. */
int bt_contributions_new(const struct bt_contributions_opts *o,
                         const struct bt_graph *g, struct bt_engine *e,
                         struct bt_contributions **c,
                         struct bt_error *err) BT_MUST_USE;
void bt_contributions_free(struct bt_contributions *c); /* takes NULL */

/* Called for each ask in order: the output of the baseline, and what each token
 * of the example contributed. Returns 0 to go on. */
typedef int bt_contributions_fn(void *ctx, size_t ask, double baseline,
                                const double *tokens, struct bt_error *err);

/* Answers n asks about examples of d; the engine grows for them. The operations
 * of the products are added to *flop. BT_ECORRUPT, naming the example, for what
 * is not a number. */
int bt_contributions_run(struct bt_contributions *c, const struct bt_dataset *d,
                         const struct bt_contributions_ask *asks, size_t n,
                         bt_contributions_fn *fn, void *ctx, double *flop,
                         struct bt_error *err) BT_MUST_USE;

#endif
