/* SPDX-License-Identifier: MIT */
/*
 * DeBERTa in its second and third version (He et al. 2021, "DeBERTa:
 * Decoding-enhanced BERT with Disentangled Attention" and "DeBERTaV3: Improving
 * DeBERTa using ELECTRA-Style Pre-Training with Gradient-Disentangled Embedding
 * Sharing"): BERT's layers, but in attention queries and keys also meet an
 * embedding of the distance between them, which all layers share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "format/json.h"
#include "model/family_int.h"

#define MAX_SPAN (1 << 20)

static const struct bt_key keys[] = {
    BT_KEYS_SIZES,
    BT_KEY_ACTIVATION("hidden_act", act),
    BT_KEY_ACTIVATION("pooler_hidden_act", head_act),
    BT_KEY_RATE("hidden_dropout_prob", hidden_dropout),
    BT_KEY_RATE("attention_probs_dropout_prob", attention_dropout),
    BT_KEY_RATE("pooler_dropout", head_dropout),
    BT_KEY_RATE("cls_dropout", classifier_dropout),
    BT_KEY_OF(BT_KEY_INT, "type_vocab_size", type_vocab_size, 0, 256),
    BT_KEY_OF(BT_KEY_INT, "position_buckets", position_buckets, -1, MAX_SPAN),
    BT_KEY_OF(BT_KEY_INT, "max_relative_positions", max_relative_positions, -1,
              MAX_SPAN),
    BT_KEY_OF(BT_KEY_REAL, "layer_norm_eps", norm_eps, 0, 1),
    BT_KEYS_END,
};

static void defaults(struct bt_config *c)
{
	bt_bert_defaults(c);
	c->vocab_size = 128100;
	c->hidden_size = 1536;
	c->layers = 24;
	c->heads = 24;
	c->intermediate_size = 6144;
	c->head_act = BT_ACT_GELU;
	c->type_vocab_size = 0;
	c->norm_eps = 1e-7f;
	c->position_buckets = c->max_relative_positions = -1;
}

/* Takes a word of a list with bars between, without the spaces around it. */
static size_t next_word(const char **list, const char **word)
{
	size_t n;

	*list += strspn(*list, " |");
	*word = *list;
	n = strcspn(*list, "|");
	*list += n;
	while (n > 0 && (*word)[n - 1] == ' ')
		n--;
	return n;
}

static bool is(const char *word, size_t n, const char *what)
{
	return strlen(what) == n && strncasecmp(word, what, n) == 0;
}

static int unknown(const char *key, const char *word, size_t n,
                   struct bt_error *err)
{
	return bt_error_set(err, BT_EFORMAT, "%s '%.*s' is not supported", key,
	                    n > 40 ? 40 : (int)n, word);
}

static int read_kind(struct bt_config *c, const char *word, size_t n,
                     struct bt_error *err)
{
	if (is(word, n, "c2p"))
		c->c2p = true;
	else if (is(word, n, "p2c"))
		c->p2c = true;
	else
		return unknown("pos_att_type", word, n, err);
	return BT_OK;
}

/* pos_att_type: "p2c|c2p" or ["p2c", "c2p"]. */
static int read_kinds(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	const json_t *v = json_object_get(o, "pos_att_type");
	const char *list = json_string_value(v), *word;
	int r = BT_OK;
	size_t i, n;

	if (v != NULL && !json_is_null(v) && list == NULL && !json_is_array(v))
		return bt_error_set(err, BT_EFORMAT,
		                    "'pos_att_type' is neither a string nor a "
		                    "list");
	while (r == BT_OK && list != NULL && (n = next_word(&list, &word)) > 0)
		r = read_kind(c, word, n, err);
	for (i = 0; r == BT_OK && i < json_array_size(v); i++) {
		word = json_string_value(json_array_get(v, i));
		r = read_kind(c, word != NULL ? word : "",
		              word != NULL ? strlen(word) : 0, err);
	}
	return r;
}

static int read_norms(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	const char *list = "none", *word;
	int r = bt_json_str(o, "norm_rel_ebd", &list, err);
	size_t n;

	while (r == BT_OK && (n = next_word(&list, &word)) > 0) {
		if (is(word, n, "layer_norm"))
			c->norm_rel_embeddings = true;
		else if (!is(word, n, "none"))
			r = unknown("norm_rel_ebd", word, n, err);
	}
	return r;
}

/* What relative_attention asks for; without it this is BERT's attention. */
static int read_distances(const json_t *o, struct bt_config *c,
                          struct bt_error *err)
{
	bool relative = false;
	int r = bt_json_bool(o, "relative_attention", &relative, err);

	if (r == BT_OK)
		r = read_kinds(o, c, err);
	if (r == BT_OK && relative != (c->c2p || c->p2c))
		return bt_error_set(err, BT_EFORMAT,
		                    "relative_attention %s pos_att_type is not "
		                    "supported",
		                    relative ? "true without" : "false with a");
	if (r != BT_OK || !relative)
		return r;
	if (c->max_relative_positions < 1)
		c->max_relative_positions = c->max_positions;
	c->att_span = c->position_buckets > 0 ? c->position_buckets
	                                      : c->max_relative_positions;
	if (c->position_buckets > 0 &&
	    (c->position_buckets < 2 ||
	     c->max_relative_positions - 1 <= c->position_buckets / 2))
		return bt_error_set(err, BT_EFORMAT,
		                    "position_buckets %d do not go with "
		                    "max_relative_positions %d",
		                    c->position_buckets,
		                    c->max_relative_positions);
	r = read_norms(o, c, err);
	return r == BT_OK
	           ? bt_json_bool(o, "share_att_key", &c->share_att_key, err)
	           : r;
}

static int read_more(const json_t *o, struct bt_config *c, struct bt_error *err)
{
	bool positions = true;
	int r = bt_json_bool(o, "position_biased_input", &positions, err);

	c->no_positions = !positions;
	return r == BT_OK ? read_distances(o, c, err) : r;
}

static int check(const json_t *o, const struct bt_config *c,
                 struct bt_error *err)
{
	int64_t kernel = 0;
	int r = bt_json_int(o, "conv_kernel_size", INT32_MIN, INT32_MAX,
	                    &kernel, err);

	if (r == BT_OK && kernel > 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "conv_kernel_size %d, a convolution beside "
		                    "the first layer, is not supported",
		                    (int)kernel);
	if (r ||
	    (r = bt_config_only_int(o, "embedding_size", c->hidden_size,
	                            err)) ||
	    (r = bt_config_only_int(o, "pooler_hidden_size", c->hidden_size,
	                            err)))
		return r;
	return bt_config_only_int(o, "attention_head_size",
	                          c->hidden_size / c->heads, err);
}

/* Embeddings of relative positions, normed if norm_rel_ebd says so. */
static int relative_positions(struct bt_graph *g, const struct bt_config *c)
{
	struct bt_relative_args args = {.span = c->att_span,
	                                .buckets = c->position_buckets,
	                                .max = c->max_relative_positions};
	struct bt_param_spec s = {2 * c->att_span, c->hidden_size,
	                          BT_INIT_NORMAL,  true,
	                          false,           false};
	int x, gamma, beta;

	args.table =
	    bt_graph_param(g, &s, "deberta.encoder.rel_embeddings.weight");
	x = bt_op_relative_positions(g, &args);
	if (!c->norm_rel_embeddings)
		return x;
	s.rows = 0;
	s.init = BT_INIT_ONE;
	s.decay = false;
	gamma = bt_graph_param(g, &s, "deberta.encoder.LayerNorm.weight");
	s.init = BT_INIT_ZERO;
	beta = bt_graph_param(g, &s, "deberta.encoder.LayerNorm.bias");
	return bt_op_norm(g, x, gamma, beta, c->norm_eps);
}

/* Parameters of the relative positions' keys and queries of a layer, one pair
 * directly behind the other. */
static void own_projections(struct bt_graph *g, const struct bt_config *c,
                            const char *prefix, struct bt_layer *l)
{
	static const char *const names[] = {"key", "query"};
	const bool wanted[] = {c->c2p, c->p2c};
	struct bt_param_spec s = {
	    c->hidden_size, c->hidden_size, BT_INIT_NORMAL, true, false, false};
	int part, *first[] = {&l->rel_proj, &l->rel_proj_bias}, i, p;

	for (part = 0; part < 2; part++) {
		s.joined = false;
		for (i = 0; i < 2; i++) {
			if (!wanted[i])
				continue;
			p = bt_graph_param(
			    g, &s, "%sattention.self.pos_%s_proj.%s", prefix,
			    names[i], part == 0 ? "weight" : "bias");
			if (!s.joined)
				*first[part] = p;
			s.joined = true;
		}
		s.rows = 0;
		s.init = BT_INIT_ZERO;
		s.decay = false;
	}
	l->rel_k_col = c->c2p ? 0 : -1;
	l->rel_q_col = !c->p2c ? -1 : c->c2p ? c->hidden_size : 0;
}

static int encoder(struct bt_graph *g, const struct bt_config *c,
                   bool only_first)
{
	static const struct bt_layer_form form = {
	    .query = "attention.self.query_proj",
	    .key = "attention.self.key_proj",
	    .value = "attention.self.value_proj",
	    .out = "attention.output.dense",
	    .out_norm = "attention.output.LayerNorm",
	    .up = "intermediate.dense",
	    .down = "output.dense",
	    .down_norm = "output.LayerNorm",
	};
	int x = bt_block_embeddings(g, c, c->hidden_size), i, table;
	struct bt_layer l;
	char prefix[64];

	table = c->att_span > 0 ? relative_positions(g, c) : -1;
	for (i = 0; i < c->layers; i++) {
		snprintf(prefix, sizeof(prefix), "deberta.encoder.layer.%d.",
		         i);
		l = bt_block_layer_params(g, c, &form, prefix);
		l.relative_positions = table;
		l.rel_proj_parts = c->c2p + c->p2c;
		if (table >= 0 && c->share_att_key) {
			/* the tokens' own: queries stand before keys */
			l.rel_proj = c->p2c ? l.q : l.k;
			l.rel_proj_bias = c->p2c ? l.q_bias : l.k_bias;
			l.rel_q_col = c->p2c ? 0 : -1;
			l.rel_k_col = !c->c2p  ? -1
			              : c->p2c ? c->hidden_size
			                       : 0;
		} else if (table >= 0)
			own_projections(g, c, prefix, &l);
		x = bt_block_layer(g, c, x, &l,
		                   only_first && i == c->layers - 1);
	}
	return x;
}

static int head(struct bt_graph *g, const struct bt_config *c, int x)
{
	x = bt_block_dropout(g, x, c->head_dropout);
	return bt_block_linear(g, x, c->hidden_size, "", "pooler.dense",
	                       c->head_act);
}

const struct bt_family bt_family_deberta_v2 = {
    .model_type = "deberta-v2",
    .architecture = "DebertaV2ForSequenceClassification",
    .prefix = "deberta.",
    .classes = "classifier.weight",
    .keys = keys,
    .defaults = defaults,
    .read = read_more,
    .check = check,
    .encoder = encoder,
    .head = head,
    .masked = {.dense = "cls.predictions.transform.dense",
               .norm = "cls.predictions.transform.LayerNorm",
               .bias = "cls.predictions.bias",
               .decoder = "cls.predictions.decoder"},
};
