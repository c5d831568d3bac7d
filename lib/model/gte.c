/* SPDX-License-Identifier: MIT */
/*
 * GTE (Zhang et al. 2024, "mGTE: Generalized Long-Context Text Representation
 * and Reranking Models for Multilingual Text Retrieval") and Nomic BERT
 * (Nussbaum et al. 2024, "Nomic Embed: Training a Reproducible Long Context
 * Text Embedder"): BERT with rotated queries and keys in place of positions,
 * and gates in place of the first linear layer's activation.
 *
 *   A = norm(X + drop(attention(X) Wo'));
 *   Y = norm(A + drop((act(A Wg') * (A Wu')) Wd'))
 *
 * Parameters have the names of the published files: GTE's gate and up
 * projection are one matrix, the gate its second half.
 */
#include <stdio.h>
#include <string.h>

#include "model/family_int.h"

/* Names of a layer's parts; biases: of attention and of the last product. */
struct names {
	const char *stem, *qkv, *out, *out_norm, *gate, *up, *down, *down_norm;
	bool biases;
};

/* BERT's; GTE's English models have no segments. */
static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_RATE("hidden_dropout_prob", hidden_dropout),
    BT_KEY_RATE("attention_probs_dropout_prob", attention_dropout),
    BT_KEY_RATE("classifier_dropout", classifier_dropout),
    BT_KEY_OF(BT_KEY_INT, "type_vocab_size", type_vocab_size, 0, 256),
    BT_KEY_OF(BT_KEY_REAL, "layer_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void gte_defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->vocab_size = 250048;
	c->attention_dropout = 0;
	c->type_vocab_size = 1;
	c->max_positions = 8192;
	c->pad_id = 1;
	c->no_positions = true;
	c->global_rope = bt_rope_of(160000);
}

static void nomic_defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->vocab_size = 30528;
	c->act = BT_ACT_SILU;
	c->hidden_dropout = c->attention_dropout = 0;
	c->max_positions = 2048;
	c->no_positions = true;
	c->global_rope = bt_rope_of(1000);
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	int r = bt_config_rotates(c, err);

	return r == BT_OK ? bt_config_only_int(o, "head_dim",
	                                       c->hidden_size / c->heads, err)
	                  : r;
}

/* A product of a layer, which in one of the families has a bias. */
static int linear(struct bt_graph *g, int x, int rows, bool biased,
                  const char *prefix, const char *name)
{
	return (biased ? bt_block_linear : bt_block_unbiased)(
	    g, x, rows, prefix, name, BT_ACT_NONE);
}

/* norm(residual + drop(x)) */
static int sum_norm(struct bt_graph *g, const struct bt_config *c, int residual,
                    int x, const char *prefix, const char *name)
{
	int gamma = bt_block_gamma(g, c->hidden_size, prefix, name);
	int beta = bt_block_bias(g, c->hidden_size, false, prefix, name);

	return bt_op_residual_norm(g, residual, x, gamma, beta, c->norm_eps,
	                           c->hidden_dropout);
}

/* Self-attention of x, the projection behind it included. */
static int attention(struct bt_graph *g, const struct bt_config *c, int x,
                     const struct names *n, const char *prefix)
{
	int h = c->hidden_size, y;

	y = linear(g, x, 3 * h, n->biases, prefix, n->qkv);
	y = bt_block_rotated_attention(g, c, y, false, &c->global_rope, 0);
	return linear(g, y, h, n->biases, prefix, n->out);
}

/* act(x Wg') * (x Wu'); GTE drops of it, too. */
static int gated(struct bt_graph *g, const struct bt_config *c, int x,
                 const struct names *n, const char *prefix)
{
	int wide = c->intermediate_size, w, y;

	if (n->up == NULL) {
		y = linear(g, x, 2 * wide, false, prefix, n->gate);
		y = bt_op_glu(g, y, c->act, true);
		return bt_block_dropout(g, y, c->hidden_dropout);
	}
	w = bt_block_weight(g, wide, c->hidden_size, false, prefix, n->gate);
	bt_block_weight(g, wide, c->hidden_size, true, prefix, n->up);
	y = bt_op_linear(g, x, w, -1, 2, BT_ACT_NONE);
	return bt_op_glu(g, y, c->act, false);
}

/* With only_first all but the first tokens is left out behind the attention. */
static int layer(struct bt_graph *g, const struct bt_config *c, int x,
                 const struct names *n, const char *prefix, bool only_first)
{
	int y = attention(g, c, x, n, prefix);

	if (only_first) {
		y = bt_op_first(g, y);
		x = bt_op_first(g, x);
	}
	x = sum_norm(g, c, x, y, prefix, n->out_norm);
	y = gated(g, c, x, n, prefix);
	y = linear(g, y, c->hidden_size, n->biases, prefix, n->down);
	return sum_norm(g, c, x, y, prefix, n->down_norm);
}

static int layers(struct bt_graph *g, const struct bt_config *c, int x,
                  const struct names *n, bool only_first)
{
	char prefix[64];
	int i;

	for (i = 0; i < c->layers; i++) {
		snprintf(prefix, sizeof(prefix), "%s%s%d.", c->family->prefix,
		         n->stem, i);
		x = layer(g, c, x, n, prefix, only_first && i == c->layers - 1);
	}
	return x;
}

static int gte_encoder(struct bt_graph *g, const struct bt_config *c,
                       bool only_first)
{
	static const struct names n = {.stem = "encoder.layer.",
	                               .qkv = "attention.qkv_proj",
	                               .out = "attention.o_proj",
	                               .out_norm = "attn_ln",
	                               .gate = "mlp.up_gate_proj",
	                               .down = "mlp.down_proj",
	                               .down_norm = "mlp_ln",
	                               .biases = true};

	return layers(g, c, bt_block_embeddings(g, c, c->hidden_size), &n,
	              only_first);
}

static int nomic_embeddings(struct bt_graph *g, const struct bt_config *c)
{
	const char *prefix = c->family->prefix;
	struct bt_embed_args a = {.position = -1,
	                          .type = -1,
	                          .pad = c->pad_id,
	                          .eps = c->norm_eps,
	                          .dropout = c->hidden_dropout};

	a.word = bt_block_weight(g, c->vocab_size, c->hidden_size, false,
	                         prefix, "embeddings.word_embeddings");
	if (c->type_vocab_size > 0)
		a.type = bt_block_weight(g, c->type_vocab_size, c->hidden_size,
		                         false, prefix,
		                         "embeddings.token_type_embeddings");
	a.gamma = bt_block_gamma(g, c->hidden_size, prefix, "emb_ln");
	a.beta = bt_block_bias(g, c->hidden_size, false, prefix, "emb_ln");
	return bt_op_embed(g, &a);
}

static int nomic_encoder(struct bt_graph *g, const struct bt_config *c,
                         bool only_first)
{
	static const struct names n = {.stem = "encoder.layers.",
	                               .qkv = "attn.Wqkv",
	                               .out = "attn.out_proj",
	                               .out_norm = "norm1",
	                               .gate = "mlp.fc12",
	                               .up = "mlp.fc11",
	                               .down = "mlp.fc2",
	                               .down_norm = "norm2"};

	return layers(g, c, nomic_embeddings(g, c), &n, only_first);
}

static int pooler(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, c->family->prefix,
	                       "pooler.dense", BT_ACT_TANH);
}

const struct bt_family bt_family_gte = {
    .model_type = "gte",
    .architecture = "GteForSequenceClassification",
    .prefix = "gte.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = gte_defaults,
    .read = bt_config_rope_of_all,
    .check = check,
    .encoder = gte_encoder,
    .head = pooler,
    .masked = {.dense = "lm_head.dense",
               .norm = "lm_head.norm",
               .bias = "lm_head.decoder.bias",
               .decoder = "lm_head.decoder",
               .gelu = true},
};

const struct bt_family bt_family_nomic_bert = {
    .model_type = "nomic_bert",
    .architecture = "NomicBertForSequenceClassification",
    .prefix = "nomic_bert.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = nomic_defaults,
    .read = bt_config_rope_of_all,
    .check = check,
    .encoder = nomic_encoder,
    .head = pooler,
    .masked = {.dense = "cls.predictions.transform.dense",
               .norm = "cls.predictions.transform.layer_norm",
               .bias = "cls.predictions.bias",
               .decoder = "cls.predictions.decoder"},
};
