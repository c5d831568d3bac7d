/* SPDX-License-Identifier: MIT */
/* What a family consists of, and the parts that families are built from. */
#ifndef BT_MODEL_FAMILY_INT_H
#define BT_MODEL_FAMILY_INT_H

#include <stddef.h>
#include <stdint.h>

#include "model/family.h"
#include "op/ops.h"

/* A member of struct bt_config and the key of config.json that gives it. */
enum bt_key_type { BT_KEY_INT, BT_KEY_REAL, BT_KEY_ACT };

struct bt_key {
	const char *name;
	enum bt_key_type type;
	size_t at;     /* of the member */
	double lo, hi; /* bounds on what a file may claim */
};

static inline void *bt_key_member(const struct bt_config *c,
                                  const struct bt_key *k)
{
	return (char *)(uintptr_t)c + k->at;
}

#define BT_KEY_OF(type, name, member, lo, hi)                                  \
	{                                                                      \
		name, type, offsetof(struct bt_config, member), lo, hi         \
	}
#define BT_KEY_SIZE(name, member, max)                                         \
	BT_KEY_OF(BT_KEY_INT, name, member, 1, max)
#define BT_KEY_RATE(name, member) BT_KEY_OF(BT_KEY_REAL, name, member, 0, 0.999)
#define BT_KEY_ACTIVATION(name, member)                                        \
	BT_KEY_OF(BT_KEY_ACT, name, member, 0, 0)
/* The keys that most families have. */
#define BT_KEYS_SIZES                                                          \
	BT_KEY_SIZE("hidden_size", hidden_size, BT_MAX_WIDTH),                 \
	    BT_KEY_SIZE("num_hidden_layers", layers, BT_MAX_LAYERS),           \
	    BT_KEY_SIZE("num_attention_heads", heads, BT_MAX_WIDTH),           \
	    BT_KEY_SIZE("intermediate_size", intermediate_size, BT_MAX_WIDTH)
#define BT_KEYS_END                                                            \
	{                                                                      \
		NULL, BT_KEY_INT, 0, 0, 0                                      \
	}

/* The key of config.json under which bertutils keeps what Hugging Face has no
 * key for: an object with "pool" or "head", and "texts". */
#define BT_CONFIG_OWN "bertutils"

/* In place of a first position: the one behind that of the padding. */
#define BT_AFTER_PAD (-1)

#define BT_MAX_WIDTH (1 << 20)
#define BT_MAX_LAYERS 4096

/* Of a head that tells the words behind masked tokens: dense, activation, norm,
 * and a product with the words' own table, to which a bias is added. */
struct bt_masked_head {
	const char *dense, *norm; /* the beginnings of their names; NULL: it is
	                           * the head of classifiers up to the norm */
	const char *bias;         /* NULL: none is added */
	bool gelu;                /* whatever the activation of the layers is */
	/* the beginning of the names of a matrix and bias in place of these,
	 * where the file says tie_word_embeddings false */
	const char *decoder;
	bool untied;       /* or does not say true, */
	const char *words; /* the table's name then; NULL: or says that, too */
	const char *class; /* NULL: the family's ...ForMaskedLM */
	/* the layer that tells next sentences, from what classifiers take;
	 * NULL: the family has none */
	const char *next;
};

struct bt_family {
	const char *model_type;   /* as config.json names it */
	const char *architecture; /* the class of its classifiers */
	const char *encoders;     /* that of encoders; NULL: ...Model */
	const char *prefix;       /* of the encoder's parameters */
	const char *classes;      /* the linear layer of a row for each class */

	/* Keys that not all families have, in one or two lists; what a missing
	 * one means; what is not read by keys (or NULL); and what else a file
	 * may not say (or NULL). */
	const struct bt_key *keys, *more_keys;
	void (*defaults)(struct bt_config *c);
	int (*read)(const json_t *o, struct bt_config *c, struct bt_error *err);
	int (*check)(const json_t *o, const struct bt_config *c,
	             struct bt_error *err);

	/* -> (T,H), or (B,H) with only_first: of the first tokens alone, which
	 * leaves most of the last layer out. */
	int (*encoder)(struct bt_graph *g, const struct bt_config *c,
	               bool only_first);
	/* From the first tokens (B,H) to what the classifier's dropout and last
	 * layer take. */
	int (*head)(struct bt_graph *g, const struct bt_config *c, int x);
	/* The same, and the name of the last layer, of a model that chooses
	 * one of several texts; NULL: as in a classifier. */
	int (*choice_head)(struct bt_graph *g, const struct bt_config *c,
	                   int x);
	const char *choice_classes;
	struct bt_masked_head masked;
};

extern const struct bt_family bt_family_albert, bt_family_bert,
    bt_family_camembert, bt_family_deberta_v2, bt_family_distilbert,
    bt_family_electra, bt_family_eurobert, bt_family_gte, bt_family_modernbert,
    bt_family_mpnet, bt_family_neobert, bt_family_nomic_bert, bt_family_roberta,
    bt_family_xlm_roberta;

/* The family's encoder, which gives the graph its settings too. */
int bt_family_encoder(struct bt_graph *g, const struct bt_config *c,
                      bool only_first);

/* It, and a row of its output for each text. */
int bt_family_pooled(struct bt_graph *g, const struct bt_config *c,
                     enum bt_pooling how);

/* Of config.json, as bt_config_load reads and bt_config_json writes it: what is
 * under BT_CONFIG_OWN; and the class of Hugging Face that the model is, of its
 * classifiers or, with a head that these lack, of its encoders. */
int bt_config_read_own(const json_t *o, struct bt_config *c,
                       struct bt_error *err) BT_MUST_USE;
void bt_config_write_own(json_t *o, const struct bt_config *c);
/* Says whether numbers are the sigmoids of outputs, where the file said that
 * they are or now does. */
void bt_config_write_sigmoids(json_t *o, bool takes);
json_t *bt_config_class(const struct bt_config *c);

/* BT_PROBLEM_TOKENS or _SPANS, as the class of a configuration says; NULL: its
 * outputs are texts'. */
const char *bt_config_token_problem(const json_t *o);

/* Whether a file is of Hugging Face's class of models that choose a text. */
bool bt_config_is_choice(const json_t *o);

/* As bt_json_real, for a float. */
int bt_config_real(const json_t *o, const char *key, double lo, double hi,
                   float *v, struct bt_error *err) BT_MUST_USE;

/*
 * Reads what an object says of a rotation: rope_theta and, by rope_type, what
 * makes it reach farther: "linear", or "yarn" as transformers computes it.
 * "dynamic" is as if it was not there: texts are never longer than
 * max_position_embeddings.
 */
int bt_config_rope(json_t *o, const struct bt_config *c, struct bt_rope *rope,
                   struct bt_error *err) BT_MUST_USE;

/* The same for all layers, with rope_theta and rope_scaling where transformers
 * 4 had them. */
int bt_config_rope_of_all(const json_t *o, struct bt_config *c,
                          struct bt_error *err) BT_MUST_USE;

/* Refuses heads that cannot be rotated. */
int bt_config_rotates(const struct bt_config *c,
                      struct bt_error *err) BT_MUST_USE;

/* Refuses another value of a key that needs not be there. */
int bt_config_only(const json_t *o, const char *key, const char *built,
                   struct bt_error *err) BT_MUST_USE;
int bt_config_only_int(const json_t *o, const char *key, int built,
                       struct bt_error *err) BT_MUST_USE;
int bt_config_only_false(const json_t *o, const char *key,
                         struct bt_error *err) BT_MUST_USE;

/* Parameters "prefix" "name" ".weight" or ".bias": of a product, and the gamma
 * of a norm. joined: directly behind the parameter that was added before. */
int bt_block_weight(struct bt_graph *g, int rows, int cols, bool joined,
                    const char *prefix, const char *name);
int bt_block_bias(struct bt_graph *g, int cols, bool joined, const char *prefix,
                  const char *name);
int bt_block_gamma(struct bt_graph *g, int cols, const char *prefix,
                   const char *name);

/* Y = act(X W'), and Y = act(X W' + b), with these. */
int bt_block_unbiased(struct bt_graph *g, int x, int rows, const char *prefix,
                      const char *name, enum bt_activation act);
int bt_block_linear(struct bt_graph *g, int x, int rows, const char *prefix,
                    const char *name, enum bt_activation act);

/* Self-attention with rotated queries and keys, of a node whose columns are
 * queries, keys and values, or by_head these of one head after the other, with
 * neighbours rotated; see bt_op_attention. */
int bt_block_rotated_attention(struct bt_graph *g, const struct bt_config *c,
                               int qkv, bool by_head,
                               const struct bt_rope *rope, int window);

/* Y = drop(X), or X itself where nothing is dropped. */
int bt_block_dropout(struct bt_graph *g, int x, float dropout);

/* "prefix" "embeddings.": words, positions and, where the family has them,
 * segments, and their norm; cols wide. */
int bt_block_embeddings(struct bt_graph *g, const struct bt_config *c,
                        int cols);

/*
 * A layer of Vaswani et al. 2017 ("Attention Is All You Need") with norms
 * behind the sums:  A = norm(X + drop(attention(X) Wo'));
 *                   Y = norm(A + drop(act(A W1') W2'))
 */
struct bt_layer_form {
	const char *stem; /* layer i's names begin "prefix" "stem" "i." */
	const char *query, *key, *value, *out, *out_norm;
	const char *up, *down, *down_norm;
	bool keeps_out, keeps_down; /* this sum's dropout is not there */
};

/* The numbers of a layer's parameters; several layers may share them. */
struct bt_layer {
	const struct bt_layer_form *form;
	int q, k, q_bias, k_bias; /* v's follow k's */
	int relative_bias;        /* of attention, or -1 */
	int relative_positions;   /* node of bt_op_relative_positions, or -1 */
	int rel_proj, rel_proj_bias; /* what projects them, */
	int rel_proj_parts;          /* one or two, to these columns, or -1 */
	int rel_k_col, rel_q_col;
	int out, out_bias, out_gamma, out_beta;
	int up, up_bias, down, down_bias, down_gamma, down_beta;
};

/* Adds the parameters of a layer. */
struct bt_layer bt_block_layer_params(struct bt_graph *g,
                                      const struct bt_config *c,
                                      const struct bt_layer_form *form,
                                      const char *prefix);

/* Adds the nodes of a layer. With only_first, just the first token of each text
 * is computed from the attention on. */
int bt_block_layer(struct bt_graph *g, const struct bt_config *c, int x,
                   const struct bt_layer *l, bool only_first);

/* All layers of an encoder, each with parameters of its own. */
int bt_block_layers(struct bt_graph *g, const struct bt_config *c, int x,
                    const struct bt_layer_form *form, bool only_first);

/*
 * A layer with norms before its parts, rotated queries and keys, and gates in
 * place of the first linear layer's activation; no biases.
 *   A = X + attention(norm(X)) Wo';  Y = A + (act(N Wg') * (N Wu')) Wd'
 *   with N = norm(A)
 */
struct bt_prenorm_form {
	const char *stem; /* layer i's names begin "prefix" "stem" "i." */
	const char *attention_norm;
	const char *query, *key, *value; /* key NULL: query is all three */
	const char *out, *gates_norm;
	const char *gate, *up; /* up NULL: gate is both, the gate first */
	const char *down;
	const char *last_norm; /* behind the layers: "prefix" "last_norm" */
	bool by_head;          /* see bt_block_rotated_attention */
	bool rms;              /* norms are without mean */
	bool bare_first;       /* the first layer's attention has no norm */
	bool windows; /* all layers but each global_every-th have one */
	bool drops;   /* X + drop(...), drop(act(...) * ...) */
	/* the rows of Wg, where they are not intermediate_size */
	int (*inner)(const struct bt_config *c);
};

/* A norm of that form; all layers and the norm behind them. */
int bt_block_prenorm(struct bt_graph *g, const struct bt_config *c,
                     const struct bt_prenorm_form *f, int x, const char *prefix,
                     const char *name);
int bt_block_prenorm_layers(struct bt_graph *g, const struct bt_config *c,
                            const struct bt_prenorm_form *f, int x,
                            bool only_first);

/* Rows of the table of words "prefix" "name", and nothing else. */
int bt_block_words(struct bt_graph *g, const struct bt_config *c,
                   const char *name);

/* Reads classifier_pooling: "mean", the word for the first token or, with late
 * and then by default, "late". */
int bt_config_pooling(const json_t *o, struct bt_config *c, const char *first,
                      bool late, struct bt_error *err) BT_MUST_USE;

/* Refuses a padding token that is not in the vocabulary. */
int bt_config_pads(const struct bt_config *c, struct bt_error *err) BT_MUST_USE;

/* BERT's keys, what their absence means, its layers, its encoder and its
 * pooler, for its nearest relatives. */
extern const struct bt_key bt_bert_keys[];
extern const struct bt_layer_form bt_bert_layer;
void bt_bert_defaults(struct bt_config *c);
int bt_bert_encoder(struct bt_graph *g, const struct bt_config *c,
                    bool only_first);
int bt_bert_pooler(struct bt_graph *g, const struct bt_config *c, int x);

/* Dropout and a linear layer "classifier.dense", the head that several families
 * have before "classifier.out_proj". */
int bt_block_dense_head(struct bt_graph *g, const struct bt_config *c, int x,
                        enum bt_activation act);

#endif
