/* SPDX-License-Identifier: MIT */
/* Which layer of the encoder a parameter belongs to, by its name. */
#ifndef BT_MODEL_LAYERS_H
#define BT_MODEL_LAYERS_H

#include "op/graph.h"

/*
 * Sets layer[g->n_params] and returns n, the number of layers: -1 for what
 * comes before the first layer (embeddings), the number of a layer from 0 on, n
 * for what comes after the last (a final norm, the pooler, the head). Layers
 * that share their parameters, as ALBERT's, are one.
 */
int bt_layers(const struct bt_graph *g, int *layer);

#endif
