/* SPDX-License-Identifier: MIT */
/*
 * BERT (Devlin et al. 2018, "BERT: Pre-training of Deep Bidirectional
 * Transformers for Language Understanding"): learnt absolute positions,
 * post-norm layers, and for classification the pooler, a tanh layer.
 */
#include "model/family_int.h"

const struct bt_key bt_bert_keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_RATE("hidden_dropout_prob", hidden_dropout),
    BT_KEY_RATE("attention_probs_dropout_prob", attention_dropout),
    BT_KEY_RATE("classifier_dropout", classifier_dropout),
    BT_KEY_SIZE("type_vocab_size", type_vocab_size, 256),
    BT_KEY_OF(BT_KEY_REAL, "layer_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

void bt_bert_defaults(struct bt_config *c)
{
	c->vocab_size = 30522;
	c->hidden_size = 768;
	c->layers = 12;
	c->heads = 12;
	c->intermediate_size = 3072;
	c->act = BT_ACT_GELU;
	c->hidden_dropout = 0.1f;
	c->attention_dropout = 0.1f;
	c->classifier_dropout = -1; /* as hidden_dropout */
	c->max_positions = 512;
	c->type_vocab_size = 2;
	c->norm_eps = 1e-12f;
}

const struct bt_layer_form bt_bert_layer = {
    .stem = "encoder.layer.",
    .query = "attention.self.query",
    .key = "attention.self.key",
    .value = "attention.self.value",
    .out = "attention.output.dense",
    .out_norm = "attention.output.LayerNorm",
    .up = "intermediate.dense",
    .down = "output.dense",
    .down_norm = "output.LayerNorm",
};

int bt_bert_encoder(struct bt_graph *g, const struct bt_config *c,
                    bool only_first)
{
	int x = bt_block_embeddings(g, c, c->hidden_size);

	return bt_block_layers(g, c, x, &bt_bert_layer, only_first);
}

int bt_bert_pooler(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, c->family->prefix,
	                       "pooler.dense", BT_ACT_TANH);
}

const struct bt_family bt_family_bert = {
    .model_type = "bert",
    .architecture = "BertForSequenceClassification",
    .prefix = "bert.",
    .classes = "classifier.weight",
    .keys = bt_bert_keys,
    .defaults = bt_bert_defaults,
    .encoder = bt_bert_encoder,
    .head = bt_bert_pooler,
    .masked = {.dense = "cls.predictions.transform.dense",
               .norm = "cls.predictions.transform.LayerNorm",
               .bias = "cls.predictions.bias",
               .decoder = "cls.predictions.decoder",
               .next = "cls.seq_relationship.weight"},
};
