/* SPDX-License-Identifier: MIT */
/*
 * ALBERT (Lan et al. 2019, "ALBERT: A Lite BERT for Self-supervised Learning of
 * Language Representations"): embeddings narrower than the layers, which a
 * linear layer widens, and one set of parameters for all layers, or for each
 * group of them. What the feed-forward part gives is not dropped from.
 */
#include <stdio.h>

#include "model/family_int.h"

static const struct bt_key keys[] = {
    BT_KEY_SIZE("embedding_size", embedding_size, BT_MAX_WIDTH),
    BT_KEY_SIZE("hidden_size", hidden_size, BT_MAX_WIDTH),
    BT_KEY_SIZE("num_hidden_layers", layers, BT_MAX_LAYERS),
    BT_KEY_SIZE("num_hidden_groups", groups, BT_MAX_LAYERS),
    BT_KEY_SIZE("num_attention_heads", heads, BT_MAX_WIDTH),
    BT_KEY_SIZE("intermediate_size", intermediate_size, BT_MAX_WIDTH),
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_RATE("hidden_dropout_prob", hidden_dropout),
    BT_KEY_RATE("attention_probs_dropout_prob", attention_dropout),
    BT_KEY_RATE("classifier_dropout_prob", classifier_dropout),
    BT_KEY_SIZE("type_vocab_size", type_vocab_size, 256),
    BT_KEY_OF(BT_KEY_REAL, "layer_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->vocab_size = 30000;
	c->embedding_size = 128;
	c->hidden_size = 4096;
	c->groups = 1;
	c->heads = 64;
	c->intermediate_size = 16384;
	c->act = BT_ACT_GELU_TANH;
	c->hidden_dropout = 0;
	c->attention_dropout = 0;
	c->classifier_dropout = 0.1f;
}

/* Groups of several layers were never published. */
static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	if (c->groups > c->layers)
		return bt_error_set(err, BT_EFORMAT,
		                    "num_hidden_groups %d is more than "
		                    "num_hidden_layers %d",
		                    c->groups, c->layers);
	return bt_config_only_int(o, "inner_group_num", 1, err);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	static const struct bt_layer_form form = {
	    .query = "attention.query",
	    .key = "attention.key",
	    .value = "attention.value",
	    .out = "attention.dense",
	    .out_norm = "attention.LayerNorm",
	    .up = "ffn",
	    .down = "ffn_output",
	    .keeps_down = true,
	    .down_norm = "full_layer_layer_norm",
	};
	struct bt_layer l = {0};
	int x = bt_block_embeddings(g, c, c->embedding_size);
	int i, group, before = -1;
	char prefix[96];

	x = bt_block_linear(g, x, c->hidden_size, "albert.encoder.",
	                    "embedding_hidden_mapping_in", BT_ACT_NONE);
	for (i = 0; i < c->layers; i++, before = group) {
		group = (int)(i / ((double)c->layers / c->groups));
		snprintf(prefix, sizeof(prefix),
		         "albert.encoder.albert_layer_groups.%d."
		         "albert_layers.0.",
		         group);
		if (group != before)
			l = bt_block_layer_params(g, c, &form, prefix);
		x = bt_block_layer(g, c, x, &l,
		                   only_first && i == c->layers - 1);
	}
	return x;
}

static int pooler(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, "albert.", "pooler",
	                       BT_ACT_TANH);
}

const struct bt_family bt_family_albert = {
    .model_type = "albert",
    .architecture = "AlbertForSequenceClassification",
    .prefix = "albert.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .check = check,
    .encoder = encoder,
    .head = pooler,
    .masked = {.dense = "predictions.dense",
               .norm = "predictions.LayerNorm",
               .bias = "predictions.bias",
               .decoder = "predictions.decoder"},
};
