/* SPDX-License-Identifier: MIT */
/*
 * ModernBERT (Warner et al. 2024, "Smarter, Better, Faster, Longer: A Modern
 * Bidirectional Encoder for Fast, Memory Efficient, and Long Context Finetuning
 * and Inference"): layers with norms before their parts, gates in place of the
 * first linear layer's activation, rotated queries and keys, attention that
 * reaches over the whole text in every n-th layer only; no biases, no segments.
 *
 *   A = X + drop(attention(norm(X)) Wo');  Y = A + gated(norm(A) Wi') Wo2'
 */
#include <string.h>

#include "format/json.h"
#include "model/family_int.h"

static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_OF(BT_KEY_INT, "local_attention", window, 2, 1 << 28),
    BT_KEY_ACTIVATION("hidden_activation", act),
    BT_KEY_ACTIVATION("classifier_activation", head_act),
    BT_KEY_RATE("embedding_dropout", embedding_dropout),
    BT_KEY_RATE("mlp_dropout", hidden_dropout),
    BT_KEY_RATE("attention_dropout", attention_dropout),
    BT_KEY_RATE("classifier_dropout", classifier_dropout),
    BT_KEY_OF(BT_KEY_REAL, "norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	c->vocab_size = 50368;
	c->hidden_size = 768;
	c->layers = 22;
	c->heads = 12;
	c->intermediate_size = 1152;
	c->act = c->head_act = BT_ACT_GELU;
	c->max_positions = 8192;
	c->pad_id = 50283;
	c->norm_eps = 1e-5f;
	c->window = 128;
	c->global_every = 3;
	c->global_rope = bt_rope_of(160000);
	c->local_rope = bt_rope_of(10000);
}

/* rope_parameters: { "full_attention": { "rope_theta": ... }, ... } */
static int read_rope(const json_t *o, const struct bt_config *c,
                     const char *kind, struct bt_rope *rope,
                     struct bt_error *err)
{
	const json_t *all = json_object_get(o, "rope_parameters");
	json_t *of = json_object_get(all, kind);
	json_t *scaling = json_object_get(o, "rope_scaling"), *both;
	int r;

	if (of != NULL && !json_is_object(of) && !json_is_null(of))
		return bt_error_set(err, BT_EFORMAT,
		                    "'rope_parameters' is not an object with "
		                    "an object '%s'",
		                    kind);
	/* what rope_scaling says takes the place of what stands there, under
	 * the older name of the type, too */
	both = json_is_object(of) ? json_copy(of) : json_object();
	if (json_object_get(scaling, "type") != NULL)
		json_object_del(both, "rope_type");
	if (json_is_object(scaling))
		json_object_update(both, scaling);
	r = bt_config_rope(both, c, rope, err);
	json_decref(both);
	return r;
}

/* That they are objects, and that what stands in one of the kinds of layers
 * does not stand beside them. */
static int check_ropes(const json_t *o, struct bt_error *err)
{
	static const char *const names[] = {"rope_parameters", "rope_scaling"};
	const char *key;
	json_t *v;
	size_t i;

	for (i = 0; i < 2; i++) {
		v = json_object_get(o, names[i]);
		if (v != NULL && !json_is_object(v) && !json_is_null(v))
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s' is not an object", names[i]);
	}
	json_object_foreach(json_object_get(o, names[0]), key, v)
	{
		if (strcmp(key, "full_attention") != 0 &&
		    strcmp(key, "sliding_attention") != 0 && !json_is_null(v))
			return bt_error_set(err, BT_EFORMAT,
			                    "'rope_parameters' has '%.100s', "
			                    "not only full_attention and "
			                    "sliding_attention",
			                    key);
	}
	return BT_OK;
}

static int read_ropes(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	bool null = json_is_null(json_object_get(o, "local_rope_theta"));
	int r = bt_config_real(o, "global_rope_theta", 1, 1e30,
	                       &c->global_rope.theta, err);

	if (null)
		c->local_rope.theta = c->global_rope.theta;
	if (r || (r = check_ropes(o, err)) ||
	    (r = bt_config_real(o, "local_rope_theta", 1, 1e30,
	                        &c->local_rope.theta, err)) ||
	    (r = read_rope(o, c, "full_attention", &c->global_rope, err)))
		return r;
	return read_rope(o, c, "sliding_attention", &c->local_rope, err);
}

/* Whether layer i of a list of layer_types is what every n says. */
static bool repeats(const json_t *types, int n)
{
	const char *type, *wanted;
	size_t i;

	for (i = 0; i < json_array_size(types); i++) {
		wanted =
		    i % (size_t)n == 0 ? "full_attention" : "sliding_attention";
		type = json_string_value(json_array_get(types, i));
		if (type == NULL || strcmp(type, wanted) != 0)
			return false;
	}
	return true;
}

/* global_attn_every_n_layers, or in later files a list of layer_types; and in
 * place of local_attention perhaps its half. */
static int read_reach(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	const json_t *types = json_object_get(o, "layer_types");
	int64_t every = c->global_every, half = c->window / 2;
	int r = bt_json_int(o, "sliding_window", 1, 1 << 27, &half, err);

	if (json_is_integer(json_object_get(o, "sliding_window")))
		c->window = (int)(2 * half);
	if (r == BT_OK)
		r = bt_json_int(o, "global_attn_every_n_layers", 1,
		                BT_MAX_LAYERS, &every, err);

	if (r == BT_OK && types != NULL && !json_is_null(types)) {
		if (json_array_size(types) != (size_t)c->layers)
			return bt_error_set(err, BT_EFORMAT,
			                    "'layer_types' is not a list of "
			                    "%d layers",
			                    c->layers);
		for (every = 1; every <= c->layers; every++)
			if (repeats(types, (int)every))
				break;
		if (every > c->layers)
			r = bt_error_set(err, BT_EFORMAT,
			                 "layer_types that are not "
			                 "full_attention in every n-th layer "
			                 "and sliding_attention else are not "
			                 "supported");
	}
	c->global_every = (int)every;
	return r;
}

static int read_more(const json_t *o, struct bt_config *c, struct bt_error *err)
{
	int r;

	if ((r = read_reach(o, c, err)) || (r = read_ropes(o, c, err)))
		return r;
	return bt_config_pooling(o, c, "cls", false, err);
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	static const char *const biases[] = {"norm_bias", "attention_bias",
	                                     "mlp_bias", "classifier_bias"};
	int r = BT_OK;
	size_t i;

	for (i = 0; r == BT_OK && i < 4; i++)
		r = bt_config_only_false(o, biases[i], err);
	if (r == BT_OK)
		r = bt_config_rotates(c, err);
	return r == BT_OK ? bt_config_pads(c, err) : r;
}

static const struct bt_prenorm_form form = {
    .stem = "layers.",
    .attention_norm = "attn_norm",
    .query = "attn.Wqkv",
    .out = "attn.Wo",
    .gates_norm = "mlp_norm",
    .gate = "mlp.Wi",
    .down = "mlp.Wo",
    .last_norm = "final_norm",
    .bare_first = true, /* that of the embeddings is its norm */
    .windows = true,
    .drops = true,
};

static int embeddings(struct bt_graph *g, const struct bt_config *c)
{
	static const char prefix[] = "model.embeddings.";
	struct bt_embed_args a = {0};

	a.word = bt_block_weight(g, c->vocab_size, c->hidden_size, false,
	                         prefix, "tok_embeddings");
	a.position = a.type = a.beta = -1;
	a.gamma = bt_block_gamma(g, c->hidden_size, prefix, "norm");
	a.pad = c->pad_id;
	a.eps = c->norm_eps;
	a.dropout = c->embedding_dropout;
	return bt_op_embed(g, &a);
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	return bt_block_prenorm_layers(g, c, &form, embeddings(g, c),
	                               only_first);
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	x = bt_block_unbiased(g, x, c->hidden_size, "head.", "dense",
	                      c->head_act);
	return bt_block_prenorm(g, c, &form, x, "head.", "norm");
}

const struct bt_family bt_family_modernbert = {
    .model_type = "modernbert",
    .architecture = "ModernBertForSequenceClassification",
    .prefix = "model.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .read = read_more,
    .check = check,
    .encoder = encoder,
    .head = head,
    .masked = {.bias = "decoder.bias", .decoder = "decoder"},
};
