/* SPDX-License-Identifier: MIT */
/* Which parameters of a model are not trained. */
#ifndef BT_MODEL_FREEZE_H
#define BT_MODEL_FREEZE_H

#include "op/graph.h"

/*
 * what: a list with commas of "embeddings", a number of the lowest layers, with
 * the embeddings below them (model/layers.h), and extended regular expressions
 * that match a part of a parameter's name.
 *
 * BT_EARG for a pattern that is not valid.
 */
int bt_freeze_check(const char *what, struct bt_error *err) BT_MUST_USE;

/* Marks these as frozen. BT_EARG, too, where an item fits no parameter, or all
 * parameters are frozen in the end. */
int bt_freeze(struct bt_graph *g, const char *what,
              struct bt_error *err) BT_MUST_USE;

#endif
