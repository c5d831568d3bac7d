/* SPDX-License-Identifier: MIT */
/*
 * ELECTRA (Clark et al. 2020, "ELECTRA: Pre-training Text Encoders as
 * Discriminators Rather Than Generators"): BERT's encoder, but the embeddings
 * may be narrower than the layers, and a linear layer then widens them; a head
 * of two layers instead of the pooler.
 */
#include "model/family_int.h"

static const struct bt_key more_keys[] = {
    BT_KEY_SIZE("embedding_size", embedding_size, BT_MAX_WIDTH),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->embedding_size = 128;
	c->hidden_size = 256;
	c->heads = 4;
	c->intermediate_size = 1024;
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int x = bt_block_embeddings(g, c, c->embedding_size);

	if (c->embedding_size != c->hidden_size)
		x = bt_block_linear(g, x, c->hidden_size, "electra.",
		                    "embeddings_project", BT_ACT_NONE);
	return bt_block_layers(g, c, x, &bt_bert_layer, only_first);
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_dense_head(g, c, x, BT_ACT_GELU);
}

static int choice_head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, "",
	                       "sequence_summary.summary", BT_ACT_GELU);
}

const struct bt_family bt_family_electra = {
    .model_type = "electra",
    .architecture = "ElectraForSequenceClassification",
    .prefix = "electra.",
    .classes = "classifier.out_proj.weight",
    .keys = bt_bert_keys,
    .more_keys = more_keys,
    .defaults = defaults,
    .encoder = encoder,
    .head = head,
    .choice_head = choice_head,
    .choice_classes = "classifier.weight",
    .masked = {.dense = "generator_predictions.dense",
               .norm = "generator_predictions.LayerNorm",
               .bias = "generator_lm_head.bias",
               .decoder = "generator_lm_head",
               .gelu = true},
};
