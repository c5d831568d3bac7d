/* SPDX-License-Identifier: MIT */
/*
 * RoBERTa (Liu et al. 2019, "RoBERTa: A Robustly Optimized BERT Pretraining
 * Approach"), and what was made like it for other languages: XLM-R (Conneau et
 * al. 2019, "Unsupervised Cross-lingual Representation Learning at Scale") and
 * CamemBERT (Martin et al. 2019, "CamemBERT: a Tasty French Language Model").
 *
 * BERT's encoder, but positions are counted from behind the padding's row, so
 * a table of 514 rows is for 512 tokens; no pooler, but a head of two layers.
 */
#include "model/family_int.h"

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->pad_id = 1;
	c->position0 = BT_AFTER_PAD;
}

static void roberta_defaults(struct bt_config *c)
{
	defaults(c);
	c->vocab_size = 50265;
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_dense_head(g, c, x, BT_ACT_TANH);
}

#define FAMILY(type, class, their_defaults)                                    \
	{                                                                      \
		.model_type = type,                                            \
		.architecture = class "ForSequenceClassification",             \
		.prefix = "roberta.", .classes = "classifier.out_proj.weight", \
		.keys = bt_bert_keys, .defaults = their_defaults,              \
		.encoder = bt_bert_encoder, .head = head,                      \
		.choice_head = bt_bert_pooler,                                 \
		.choice_classes = "classifier.weight",                         \
		.masked = {.dense = "lm_head.dense",                           \
		           .norm = "lm_head.layer_norm",                       \
		           .bias = "lm_head.bias",                             \
		           .decoder = "lm_head.decoder",                       \
		           .gelu = true},                                      \
	}

const struct bt_family bt_family_roberta =
    FAMILY("roberta", "Roberta", roberta_defaults);
const struct bt_family bt_family_xlm_roberta =
    FAMILY("xlm-roberta", "XLMRoberta", defaults);
const struct bt_family bt_family_camembert =
    FAMILY("camembert", "Camembert", defaults);
