/* SPDX-License-Identifier: MIT */
/*
 * The model families: BERT and its relatives. Each builds the graph of its
 * encoder and of its head for classification from operators, with parameters
 * named as in the state dict of its Hugging Face class.
 */
#ifndef BT_MODEL_FAMILY_H
#define BT_MODEL_FAMILY_H

#include "format/sentence.h"
#include "model/config.h"
#include "op/graph.h"

/* The family of a configuration's model_type, or NULL. */
const struct bt_family *bt_family_find(const char *model_type);

/* Appends the model types of all families: "albert, bert, ...". */
void bt_family_list(struct bt_buf *out);

/* The name of the weight with a row for each class in a classifier. */
#define BT_CLASSES_NAME 64
const char *bt_family_classes(const struct bt_config *c,
                              char name[BT_CLASSES_NAME]);

/*
 * Builds the encoder, its head (the family's, unless the configuration has
 * another, model/head.h) and the last layer of n_labels outputs, g->logits; and
 * g->next_logits, where the configuration asks for them. The
 * caller initialises the graph, adds a loss, ends it with bt_graph_done, which
 * tells of a failure here, and clears it in any case. Returns whether the last
 * layer has an activation: the outputs are no logits then.
 */
bool bt_family_classifier(struct bt_graph *g, const struct bt_config *c,
                          int n_labels);

/* How a text becomes one row of numbers. */
enum bt_pooling {
	BT_POOLING_CLS,  /* the last layer's output for its first token */
	BT_POOLING_MEAN, /* the mean over its tokens */
	BT_POOLING_MAX   /* the largest over its tokens */
};

/* Builds the encoder alone, without head and loss; the answer is (B,H). */
int bt_family_embedding(struct bt_graph *g, const struct bt_config *c,
                        enum bt_pooling how) BT_MUST_USE;

/* ... and behind it the dense layers, whose parameters are apart: named as in
 * their folders' files, behind the folder and a slash. */
int bt_family_sentence(struct bt_graph *g, const struct bt_config *c,
                       enum bt_pooling how,
                       const struct bt_sentence_dense *dense,
                       int n) BT_MUST_USE;

#endif
