/* SPDX-License-Identifier: MIT */
/*
 * EuroBERT (Boizard et al. 2025, "EuroBERT: Scaling Multilingual Encoders for
 * European Languages"): the layers of Llama, with attention to both sides.
 * Queries and keys are rotated, several heads may share keys and values; no
 * biases, no segments, no norm behind the embeddings.
 *
 *   A = X + attention(rms(X)) Wo';  Y = A + (act(N Wg') * (N Wu')) Wd'
 *   with N = rms(A)
 */
#include <stdio.h>
#include <string.h>

#include "format/json.h"
#include "model/family_int.h"

static const struct bt_key keys[] = {
    BT_KEY_SIZE("hidden_size", hidden_size, BT_MAX_WIDTH),
    BT_KEY_SIZE("num_hidden_layers", layers, BT_MAX_LAYERS),
    BT_KEY_SIZE("num_attention_heads", heads, BT_MAX_WIDTH),
    BT_KEY_SIZE("intermediate_size", intermediate_size, BT_MAX_WIDTH),
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_RATE("attention_dropout", attention_dropout),
    BT_KEY_OF(BT_KEY_REAL, "rms_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	c->vocab_size = 128256;
	c->hidden_size = 768;
	c->layers = c->heads = 12;
	c->intermediate_size = 3072;
	c->act = BT_ACT_SILU;
	c->max_positions = 8192;
	c->pad_id = 128001;
	c->norm_eps = 1e-5f;
	c->global_rope = bt_rope_of(10000);
	c->pools_late = true;
}

/* "bos", "mean" or "late" */
static int read_pooling(const json_t *o, struct bt_config *c,
                        struct bt_error *err)
{
	const char *pooling = "late";
	int r = bt_json_str(o, "classifier_pooling", &pooling, err);

	if (r != BT_OK)
		return r;
	c->pools_mean = strcmp(pooling, "mean") == 0;
	c->pools_late = strcmp(pooling, "late") == 0;
	if (c->pools_mean || c->pools_late || strcmp(pooling, "bos") == 0)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "classifier_pooling '%s' is not supported (only "
	                    "'bos', 'mean' and 'late' are)",
	                    pooling);
}

static int read_more(const json_t *o, struct bt_config *c, struct bt_error *err)
{
	int64_t n = c->heads;
	int r = bt_json_int(o, "num_key_value_heads", 1, c->heads, &n, err);

	if (r != BT_OK || (r = bt_config_rope_of_all(o, c, err)))
		return r;
	c->kv_heads = (int)n;
	return read_pooling(o, c, err);
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	int r = bt_config_rotates(c, err);

	if (r != BT_OK ||
	    (r = bt_config_only_int(o, "head_dim", c->hidden_size / c->heads,
	                            err)) ||
	    (r = bt_config_only_false(o, "attention_bias", err)) ||
	    (r = bt_config_only_false(o, "mlp_bias", err)))
		return r;
	if (c->heads % c->kv_heads != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "num_attention_heads %d is not a multiple "
		                    "of num_key_value_heads %d",
		                    c->heads, c->kv_heads);
	if (c->pad_id >= c->vocab_size)
		return bt_error_set(err, BT_EFORMAT,
		                    "pad_token_id %d is not in a vocabulary "
		                    "of %d",
		                    c->pad_id, c->vocab_size);
	return BT_OK;
}

static int norm(struct bt_graph *g, const struct bt_config *c, int x,
                const char *prefix, const char *name)
{
	return bt_op_rms_norm(
	    g, x, bt_block_gamma(g, c->hidden_size, prefix, name), c->norm_eps);
}

static int embeddings(struct bt_graph *g, const struct bt_config *c)
{
	struct bt_embed_args a = {.position = -1,
	                          .type = -1,
	                          .gamma = -1,
	                          .beta = -1,
	                          .pad = c->pad_id};

	a.word = bt_block_weight(g, c->vocab_size, c->hidden_size, false,
	                         c->family->prefix, "embed_tokens");
	return bt_op_embed(g, &a);
}

/* Self-attention of x, the projection behind it included. */
static int attention(struct bt_graph *g, const struct bt_config *c, int x,
                     const char *prefix)
{
	int h = c->hidden_size, kv = h / c->heads * c->kv_heads;
	int w = bt_block_weight(g, h, h, false, prefix, "self_attn.q_proj");

	bt_block_weight(g, kv, h, true, prefix, "self_attn.k_proj");
	bt_block_weight(g, kv, h, true, prefix, "self_attn.v_proj");
	x = bt_op_linear(g, x, w, -1, 3, BT_ACT_NONE);
	x = bt_block_rotated_attention(g, c, x, &c->global_rope, 0);
	return bt_block_unbiased(g, x, h, prefix, "self_attn.o_proj",
	                         BT_ACT_NONE);
}

static int gated(struct bt_graph *g, const struct bt_config *c, int x,
                 const char *prefix)
{
	int h = c->hidden_size, wide = c->intermediate_size;
	int w = bt_block_weight(g, wide, h, false, prefix, "mlp.gate_proj");

	bt_block_weight(g, wide, h, true, prefix, "mlp.up_proj");
	x = bt_op_linear(g, x, w, -1, 2, BT_ACT_NONE);
	x = bt_op_glu(g, x, c->act, false);
	return bt_block_unbiased(g, x, h, prefix, "mlp.down_proj", BT_ACT_NONE);
}

/* With only_first all but the first tokens is left out behind the attention. */
static int layer(struct bt_graph *g, const struct bt_config *c, int x, int i,
                 bool only_first)
{
	char prefix[64];
	int y;

	snprintf(prefix, sizeof(prefix), "%slayers.%d.", c->family->prefix, i);
	y = norm(g, c, x, prefix, "input_layernorm");
	y = attention(g, c, y, prefix);
	if (only_first) {
		y = bt_op_first(g, y);
		x = bt_op_first(g, x);
	}
	x = bt_op_add(g, x, y, 0);
	y = norm(g, c, x, prefix, "post_attention_layernorm");
	return bt_op_add(g, x, gated(g, c, y, prefix), 0);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int x = embeddings(g, c), i;

	for (i = 0; i < c->layers; i++)
		x = layer(g, c, x, i, only_first && i == c->layers - 1);
	return norm(g, c, x, c->family->prefix, "norm");
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	return bt_block_linear(g, x, c->hidden_size, "", "dense", BT_ACT_GELU);
}

const struct bt_family bt_family_eurobert = {
    .model_type = "eurobert",
    .architecture = "EuroBertForSequenceClassification",
    .prefix = "model.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .read = read_more,
    .check = check,
    .encoder = encoder,
    .head = head,
    .masked = {.product = "lm_head.weight",
               .words = "model.embed_tokens.weight"},
};
