/* SPDX-License-Identifier: MIT */
/*
 * DistilBERT (Sanh et al. 2019, "DistilBERT, a distilled version of BERT:
 * smaller, faster, cheaper and lighter"): BERT with half its layers, without
 * segments and pooler. Its configuration and its parameters have names of their
 * own; what attention gives is not dropped from.
 */
#include "model/family_int.h"

static const struct bt_key keys[] = {
    BT_KEY_SIZE("dim", hidden_size, BT_MAX_WIDTH),
    BT_KEY_SIZE("n_layers", layers, BT_MAX_LAYERS),
    BT_KEY_SIZE("n_heads", heads, BT_MAX_WIDTH),
    BT_KEY_SIZE("hidden_dim", intermediate_size, BT_MAX_WIDTH),
    BT_KEY_ACTIVATION("activation", act),
    BT_KEY_RATE("dropout", hidden_dropout),
    BT_KEY_RATE("attention_dropout", attention_dropout),
    BT_KEY_RATE("seq_classif_dropout", classifier_dropout),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->layers = 6;
	c->classifier_dropout = 0.2f;
	c->type_vocab_size = 0;
}

/* Sinusoids would be positions that training leaves alone. */
static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	(void)c;
	return bt_config_only_false(o, "sinusoidal_pos_embds", err);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	static const struct bt_layer_form form = {
	    .stem = "transformer.layer.",
	    .query = "attention.q_lin",
	    .key = "attention.k_lin",
	    .value = "attention.v_lin",
	    .out = "attention.out_lin",
	    .out_norm = "sa_layer_norm",
	    .keeps_out = true,
	    .up = "ffn.lin1",
	    .down = "ffn.lin2",
	    .down_norm = "output_layer_norm",
	};
	int x = bt_block_embeddings(g, c, c->hidden_size);

	return bt_block_layers(g, c, x, &form, only_first);
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, "", "pre_classifier",
	                       BT_ACT_RELU);
}

const struct bt_family bt_family_distilbert = {
    .model_type = "distilbert",
    .architecture = "DistilBertForSequenceClassification",
    .prefix = "distilbert.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .check = check,
    .encoder = encoder,
    .head = head,
    .masked = {.dense = "vocab_transform",
               .norm = "vocab_layer_norm",
               .bias = "vocab_projector.bias",
               .decoder = "vocab_projector"},
};
