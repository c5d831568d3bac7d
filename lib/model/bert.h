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

/* How a text becomes one row of numbers. */
enum bt_pooling {
	BT_POOLING_CLS,  /* the last layer's output for its first token */
	BT_POOLING_MEAN, /* the mean over its tokens */
	BT_POOLING_MAX   /* the largest over its tokens */
};

/* Builds the encoder alone, without pooler and loss; the answer is (B,H). */
int bt_bert_embedding(struct bt_graph *g, const struct bt_config *c,
                      enum bt_pooling how) BT_MUST_USE;

#endif
