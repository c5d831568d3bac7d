/* SPDX-License-Identifier: MIT */
/*
 * MPNet (Song et al. 2020, "MPNet: Masked and Permuted Pre-training for
 * Language Understanding"): RoBERTa's positions and head, no segments, and in
 * all layers' attention the same relative biases.
 */
#include <stdio.h>

#include "model/family_int.h"

#define PAD 1 /* whatever the configuration says */

static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_RATE("hidden_dropout_prob", hidden_dropout),
    BT_KEY_RATE("attention_probs_dropout_prob", attention_dropout),
    BT_KEY_OF(BT_KEY_REAL, "layer_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->vocab_size = 30527;
	c->type_vocab_size = 0;
	c->pad_id = PAD;
	c->position0 = PAD + 1;
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	if (c->vocab_size <= PAD)
		return bt_error_set(err, BT_EFORMAT,
		                    "vocab_size %d has no padding",
		                    c->vocab_size);
	return bt_config_only_int(o, "relative_attention_num_buckets",
	                          BT_RELATIVE_BUCKETS, err);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	static const struct bt_layer_form form = {
	    .query = "attention.attn.q",
	    .key = "attention.attn.k",
	    .value = "attention.attn.v",
	    .out = "attention.attn.o",
	    .out_norm = "attention.LayerNorm",
	    .up = "intermediate.dense",
	    .down = "output.dense",
	    .down_norm = "output.LayerNorm",
	};
	struct bt_param_spec s = {
	    BT_RELATIVE_BUCKETS, c->heads, BT_INIT_NORMAL, true, false, false};
	int x = bt_block_embeddings(g, c, c->hidden_size), i, relative_bias;
	struct bt_layer l;
	char prefix[64];

	relative_bias = bt_graph_param(
	    g, &s, "mpnet.encoder.relative_attention_bias.weight");
	for (i = 0; i < c->layers; i++) {
		snprintf(prefix, sizeof(prefix), "mpnet.encoder.layer.%d.", i);
		l = bt_block_layer_params(g, c, &form, prefix);
		l.relative_bias = relative_bias;
		x = bt_block_layer(g, c, x, &l,
		                   only_first && i == c->layers - 1);
	}
	return x;
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_dense_head(g, c, x, BT_ACT_TANH);
}

const struct bt_family bt_family_mpnet = {
    .model_type = "mpnet",
    .architecture = "MPNetForSequenceClassification",
    .prefix = "mpnet.",
    .classes = "classifier.out_proj.weight",
    .keys = keys,
    .defaults = defaults,
    .check = check,
    .encoder = encoder,
    .head = head,
    .choice_head = bt_bert_pooler,
    .choice_classes = "classifier.weight",
    .masked = {.dense = "lm_head.dense",
               .norm = "lm_head.layer_norm",
               .bias = "lm_head.bias",
               .decoder = "lm_head.decoder",
               .gelu = true},
};
