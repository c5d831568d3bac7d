/* SPDX-License-Identifier: MIT */
/* What loading weights and what may be left out of it share. */
#ifndef BT_FINETUNE_WEIGHTS_INT_H
#define BT_FINETUNE_WEIGHTS_INT_H

#include "ckpt/names.h"
#include "finetune/weights.h"

/* Whether a parameter of that name may be missing. */
bool bt_weights_gaps_missing(const struct bt_weights_gaps *gaps,
                             const char *name);

/* Whether a tensor of that name may be there for nothing. */
bool bt_weights_gaps_may(const struct bt_weights_gaps *gaps, const char *name);

/*
 * BT_EFORMAT where nothing wants a tensor that is of the model all the same: it
 * is called as a parameter of the encoder is, but for the numbers in the name,
 * so that the configuration has fewer layers. name is the one with the graph's
 * prefix, file the one that stands in the checkpoint.
 */
int bt_weights_gaps_unused(const struct bt_weights_gaps *gaps,
                           const struct bt_graph *g, const struct bt_ckpt *c,
                           const char *name, const char *file,
                           struct bt_error *err) BT_MUST_USE;

/*
 * BT_EFORMAT where the tensor v, which nothing wants, is called and shaped as
 * the head for masked tokens, whose product g makes with the table of words or
 * whose bias it has, and differs from what is taken in its place: transformers
 * computes with both then. of_param: for each parameter what holds it, or NULL.
 */
int bt_weights_tied(const struct bt_weights_gaps *gaps,
                    const struct bt_graph *g, const struct bt_ckpt *c,
                    const struct bt_named *const *of_param,
                    const struct bt_named *v, struct bt_error *err) BT_MUST_USE;

/*
 * The parameter, or -1, that is the bias of a head for masked tokens with a
 * matrix of its own, and stands in v as that of a head that shares the table of
 * words: so transformers 4 wrote it.
 */
int bt_weights_bias(const struct bt_graph *g, const struct bt_named_list *l,
                    const struct bt_named *v);

/* The parameter that a tensor is under another family's prefix, or -1. */
int bt_weights_by_stem(const struct bt_graph *g, const struct bt_named_list *l,
                       const struct bt_named *v);

#endif
