/* SPDX-License-Identifier: MIT */
/*
 * NeoBERT (Le Breton et al. 2025, "NeoBERT: A Next-Generation BERT"): the
 * layers of EuroBERT with other names. A matrix gives the queries, keys and
 * values of one head after the other, of which neighbours are rotated; the
 * gates are two thirds as wide as intermediate_size says.
 */
#include <strings.h>

#include "format/json.h"
#include "model/family_int.h"

#define BASE 10000 /* of rotations */

static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_SIZE("max_length", max_positions, 1 << 26),
    BT_KEY_RATE("classifier_dropout", classifier_dropout),
    BT_KEY_OF(BT_KEY_REAL, "classifier_init_range", init_std, 0, 10),
    BT_KEY_OF(BT_KEY_REAL, "norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	c->vocab_size = 32064;
	c->hidden_size = 768;
	c->layers = 28;
	c->heads = 12;
	c->intermediate_size = 3072;
	c->act = BT_ACT_SILU;
	c->classifier_dropout = 0.1f;
	c->max_positions = 1024;
	c->norm_eps = 1e-6f;
	c->global_rope = bt_rope_of(BASE);
}

/* Variants that its authors compare it with have these keys. */
static int check_variant(const json_t *o, struct bt_error *err)
{
	static const char *const needed[] = {"rms_norm", "rope"};
	const char *act = "swiglu";
	bool is;
	size_t i;
	int r;

	for (i = 0; i < 2; i++) {
		is = true;
		r = bt_json_bool(o, needed[i], &is, err);
		if (r != BT_OK)
			return r;
		if (!is)
			return bt_error_set(err, BT_EFORMAT,
			                    "%s false is not supported (only "
			                    "true is)",
			                    needed[i]);
	}
	if ((r = bt_config_only_false(o, "ngpt", err)) ||
	    (r = bt_json_str(o, "hidden_act", &act, err)))
		return r;
	if (strcasecmp(act, "swiglu") == 0)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "hidden_act '%s' is not supported (only 'swiglu' "
	                    "is)",
	                    act);
}

/* Its code rotates in one way, whatever a file says. */
static int check_rotation(const json_t *o, struct bt_error *err)
{
	static const char *const none[] = {"rope_scaling", "rope_parameters"};
	double theta = BASE;
	const json_t *v;
	size_t i;
	int r = bt_json_real(o, "rope_theta", 1, 1e30, &theta, err);

	if (r == BT_OK && (theta < BASE || theta > BASE))
		r = bt_error_set(err, BT_EFORMAT,
		                 "rope_theta %g is not supported (only %d is)",
		                 theta, BASE);
	for (i = 0; r == BT_OK && i < 2; i++) {
		v = json_object_get(o, none[i]);
		if (v != NULL && !json_is_null(v))
			r = bt_error_set(err, BT_EFORMAT,
			                 "%s is not supported (only null is)",
			                 none[i]);
	}
	return r;
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	int r;

	if ((r = check_rotation(o, err)) || (r = bt_config_rotates(c, err)) ||
	    (r = bt_config_only_int(o, "dim_head", c->hidden_size / c->heads,
	                            err)) ||
	    (r = check_variant(o, err)))
		return r;
	return bt_config_pads(c, err);
}

/* Two thirds, rounded up to a multiple of 8. */
static int inner(const struct bt_config *c)
{
	return (2 * c->intermediate_size / 3 + 7) / 8 * 8;
}

static const struct bt_prenorm_form form = {
    .stem = "transformer_encoder.",
    .attention_norm = "attention_norm",
    .query = "qkv",
    .out = "wo",
    .gates_norm = "ffn_norm",
    .gate = "ffn.w12",
    .down = "ffn.w3",
    .last_norm = "layer_norm",
    .by_head = true,
    .rms = true,
    .inner = inner,
};

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	int x = bt_block_words(g, c, "encoder");

	return bt_block_prenorm_layers(g, c, &form, x, only_first);
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	x = bt_block_dropout(g, x, c->classifier_dropout);
	return bt_block_linear(g, x, c->hidden_size, "", "dense", BT_ACT_TANH);
}

const struct bt_family bt_family_neobert = {
    .model_type = "neobert",
    .architecture = "NeoBERTForSequenceClassification",
    .encoders = "NeoBERT",
    .prefix = "model.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .check = check,
    .encoder = encoder,
    .head = head,
    .masked = {.class = "NeoBERTLMHead",
               .decoder = "decoder",
               .untied = true,
               .bias = "decoder.bias"},
};
