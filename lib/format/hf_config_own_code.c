/* SPDX-License-Identifier: MIT */
/* Configurations of models that were published with code of their own, which
 * transformers took over later under other keys. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "format/hf_config_int.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The first of these keys whose value is neither false nor null, or NULL. */
static const char *asks_for(const json_t *o, const char *const *keys, size_t n)
{
	const json_t *v;
	size_t i;

	for (i = 0; i < n; i++) {
		v = json_object_get(o, keys[i]);
		if (v != NULL && !json_is_false(v) && !json_is_null(v))
			return keys[i];
	}
	return NULL;
}

/* The configuration that Nomic's own code reads has GPT-2's keys. */
static int of_nomic(json_t *o, struct bt_error *err)
{
	static const char *const keys[][2] = {
	    {"n_embd", "hidden_size"},
	    {"n_layer", "num_hidden_layers"},
	    {"n_head", "num_attention_heads"},
	    {"n_inner", "intermediate_size"},
	    {"n_positions", "max_position_embeddings"},
	    {"layer_norm_epsilon", "layer_norm_eps"},
	    {"resid_pdrop", "hidden_dropout_prob"},
	    {"attn_pdrop", "attention_probs_dropout_prob"},
	    {"rotary_emb_base", "rope_theta"}};
	static const char *const not_so[] = {
	    "prenorm",        "qkv_proj_bias", "mlp_fc1_bias",
	    "mlp_fc2_bias",   "use_rms_norm",  "rotary_emb_interleaved",
	    "parallel_block", "causal",        "rotary_scaling_factor"};
	const json_t *share = json_object_get(o, "rotary_emb_fraction");
	const char *act =
	    json_string_value(json_object_get(o, "activation_function"));
	json_t *v;
	size_t i;

	if (asks_for(o, not_so, COUNT(not_so)) != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s is not supported for nomic_bert",
		                    asks_for(o, not_so, COUNT(not_so)));
	if (act == NULL || strcmp(act, "swiglu") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "activation_function '%.100s' is not "
		                    "supported for nomic_bert (only swiglu is)",
		                    act != NULL ? act : "");
	if (json_is_number(share) && json_number_value(share) != 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "rotary_emb_fraction %g is not supported "
		                    "(only 1 is)",
		                    json_number_value(share));
	for (i = 0; i < COUNT(keys); i++) {
		v = json_object_get(o, keys[i][0]);
		if (v != NULL)
			json_object_set(o, keys[i][1], v);
		json_object_del(o, keys[i][0]);
	}
	json_object_set_new(o, "hidden_act", json_string("silu"));
	json_object_del(o, "activation_function");
	json_object_del(o, "auto_map");
	return BT_OK;
}

/*
 * GTE's rotation that reaches farther, "ntk": its base times a factor, and all
 * rates by the factor's 2/d-th power less [Su 2023, kexue.fm/archives/9706]; it
 * is another base and the factor of "linear".
 */
static int of_ntk(json_t *o, struct bt_error *err)
{
	json_t *rope = json_object_get(o, "rope_scaling");
	const char *type = json_string_value(json_object_get(rope, "type"));
	double factor = json_number_value(json_object_get(rope, "factor"));
	const json_t *theta = json_object_get(o, "rope_theta");
	double base = theta != NULL ? json_number_value(theta) : 10000;
	double h = json_number_value(json_object_get(o, "hidden_size"));
	double heads =
	    json_number_value(json_object_get(o, "num_attention_heads"));
	static const char *const not_so[] = {"mixed_b"};

	if (type == NULL || strcmp(type, "ntk") != 0)
		return BT_OK; /* read as it is */
	if (asks_for(rope, not_so, 1) != NULL || !(factor > 0) ||
	    !(heads > 0) || !(h >= heads))
		return bt_error_set(err, BT_EFORMAT,
		                    "rope_scaling of the type 'ntk' is not "
		                    "supported with mixed_b or without a "
		                    "factor, hidden_size and "
		                    "num_attention_heads");
	json_object_set_new(o, "rope_parameters",
	                    json_pack("{s:s, s:f, s:f}", "rope_type", "linear",
	                              "rope_theta", base * factor, "factor",
	                              pow(factor, 2 * heads / h)));
	json_object_del(o, "rope_scaling");
	json_object_del(o, "rope_theta");
	return BT_OK;
}

/* What GTE's own code reads, whose model_type is "new" or, in copies of it,
 * "gte". */
static int of_new(json_t *o, const char *type, struct bt_error *err)
{
	bool copy = strcmp(type, "new") != 0;
	static const char *const needs[][2] = {
	    {"layer_norm_type", "layer_norm"},
	    {"position_embedding_type", "rope"}};
	static const char *const not_so[] = {"logn_attention_scale",
	                                     "logn_attention_clip1"};
	const char *v;
	size_t i;

	for (i = 0; i < COUNT(needs); i++) {
		v = json_string_value(json_object_get(o, needs[i][0]));
		if (v != NULL && strcmp(v, needs[i][1]) != 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "%s '%.100s' is not supported for "
			                    "model_type '%s' (only '%s' is)",
			                    needs[i][0], v, type, needs[i][1]);
	}
	if (asks_for(o, not_so, COUNT(not_so)) != NULL ||
	    json_is_false(json_object_get(o, "pack_qkv")))
		return bt_error_set(err, BT_EFORMAT,
		                    "model_type '%s' with %s is not supported",
		                    type,
		                    asks_for(o, not_so, COUNT(not_so)) != NULL
		                        ? asks_for(o, not_so, COUNT(not_so))
		                        : "pack_qkv false");
	json_object_del(o, "position_embedding_type");
	json_object_del(o, "auto_map");
	if (!copy)
		json_object_set_new(o, "model_type", json_string("gte"));
	if (!copy && json_object_get(o, "rope_theta") == NULL)
		json_object_set_new(o, "rope_theta", json_real(10000));
	return of_ntk(o, err);
}

/* The code of NeoBERT, which transformers did not take over, looks at
 * max_length alone, and that stays. */
static void of_neobert(json_t *o)
{
	json_t *n = json_object_get(o, "max_length");

	if (n != NULL)
		json_object_set(o, "max_position_embeddings", n);
}

int bt_hf_config_of_own_code(json_t *o, struct bt_error *err)
{
	const char *type = json_string_value(json_object_get(o, "model_type"));
	const char *positions =
	    json_string_value(json_object_get(o, "position_embedding_type"));

	if (type == NULL)
		return BT_OK;
	if (strcmp(type, "nomic_bert") == 0 &&
	    json_object_get(o, "n_embd") != NULL)
		return of_nomic(o, err);
	if (strcmp(type, "neobert") == 0)
		of_neobert(o);
	if (strcmp(type, "new") == 0)
		return of_new(o, "new", err);
	return strcmp(type, "gte") == 0 && bt_str_is(positions, "rope")
	           ? of_new(o, "gte", err)
	           : BT_OK;
}
