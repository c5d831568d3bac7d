/* SPDX-License-Identifier: MIT */
/*
 * BERT (Devlin et al. 2018, "BERT: Pre-training of Deep Bidirectional
 * Transformers for Language Understanding"), with post-norm layers and learnt
 * absolute positions, and its classification head.
 */
#ifndef BT_MODEL_BERT_H
#define BT_MODEL_BERT_H

#include "model/config.h"
#include "op/graph.h"

/*
 * Builds the encoder, the pooler and a classifier of n_labels classes with its
 * loss. Parameters are named as in BertForSequenceClassification's state dict.
 * The graph is initialised by the caller, who clears it also after a failure.
 */
int bt_bert_classifier(struct bt_graph *g, const struct bt_config *c,
                       int n_labels) BT_MUST_USE;

#endif
