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
#include "format/json.h"
#include "model/family_int.h"

static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
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

static int read_more(const json_t *o, struct bt_config *c, struct bt_error *err)
{
	int64_t n = c->heads;
	int r = bt_json_int(o, "num_key_value_heads", 1, c->heads, &n, err);

	if (r != BT_OK || (r = bt_config_rope_of_all(o, c, err)))
		return r;
	c->kv_heads = (int)n;
	return bt_config_pooling(o, c, "bos", true, err);
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
	return bt_config_pads(c, err);
}

static const struct bt_prenorm_form form = {
    .stem = "layers.",
    .attention_norm = "input_layernorm",
    .query = "self_attn.q_proj",
    .key = "self_attn.k_proj",
    .value = "self_attn.v_proj",
    .out = "self_attn.o_proj",
    .gates_norm = "post_attention_layernorm",
    .gate = "mlp.gate_proj",
    .up = "mlp.up_proj",
    .down = "mlp.down_proj",
    .last_norm = "norm",
    .rms = true,
};

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int x = bt_block_words(g, c, "embed_tokens");

	return bt_block_prenorm_layers(g, c, &form, x, only_first);
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
    .masked = {.decoder = "lm_head",
               .untied = true,
               .words = "model.embed_tokens.weight"},
};
