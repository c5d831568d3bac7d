/* SPDX-License-Identifier: MIT */
/*
 * A model's configuration as Hugging Face's config.json and Google's
 * bert_config.json give it.
 */
#ifndef BT_MODEL_CONFIG_H
#define BT_MODEL_CONFIG_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "model/head.h"
#include "op/graph.h"

struct bt_family; /* see model/family.h */

/* In place of Hugging Face's problem_type, which has no name for it: tokens are
 * classified, as the class of the architecture says. */
#define BT_PROBLEM_TOKENS "token_classification"
/* And the first and last token of an answer are found. */
#define BT_PROBLEM_SPANS "question_answering"
/* And the words behind masked tokens are predicted. */
#define BT_PROBLEM_MASKED "masked_lm"
/* And a text becomes a row of numbers, by `pool`: an encoder without a head. */
#define BT_PROBLEM_EMBEDDING "embedding"
/* And one of several texts is chosen by their scores. */
#define BT_PROBLEM_CHOICE "multiple_choice"
/* And numbers from 0 to 1 are predicted, "regression" in the file, which says
 * that the outputs' sigmoids are taken, as sentence-transformers has it. */
#define BT_PROBLEM_RANKING "ranking"

/* What texts a classifier was trained on: each by itself or two together. */
enum bt_texts {
	BT_TEXTS_UNKNOWN,
	BT_TEXTS_SINGLE,
	BT_TEXTS_PAIRS,
	BT_TEXTS_BOTH
};

struct bt_config {
	const struct bt_family *family;
	int vocab_size;
	int embedding_size; /* where it need not be hidden_size */
	int hidden_size;
	int layers;
	int groups; /* of layers with the same parameters (ALBERT) */
	int heads;
	int kv_heads; /* of keys and values, where they are fewer; or 0 */
	int intermediate_size;
	enum bt_activation act;
	float hidden_dropout;
	float embedding_dropout; /* where it is not hidden_dropout */
	float attention_dropout;
	float classifier_dropout;
	float head_dropout;  /* before the head, where a family says it */
	int max_positions;   /* tokens of the longest text */
	int position0;       /* row of the first one's position: 0, or where
	                      * padding takes a row, the one behind that */
	int pad_id;          /* token that trains no row of words, or -1 */
	int type_vocab_size; /* 0: segments are not looked at */
	float norm_eps;
	enum bt_activation head_act; /* where a family says it */
	bool pools_mean; /* the head takes the mean over a text's tokens, */
	bool pools_late; /* or the mean is taken of what it gives for each */

	bool no_positions; /* no table of positions beside the words' */

	/* of attention (DeBERTa): see bt_op_relative_positions; span 0: no
	 * distances */
	int att_span, position_buckets, max_relative_positions;
	bool c2p, p2c;      /* content to position, position to content */
	bool share_att_key; /* these are projected as the tokens are */
	bool norm_rel_embeddings;

	/* of attention (ModernBERT) */
	int window;       /* tokens that a local layer sees around one */
	int global_every; /* that many layers' first sees all tokens */
	struct bt_rope global_rope, local_rope; /* of queries and keys */

	float init_std;
	const char *problem_type; /* as Hugging Face names what is predicted, or
	                           * NULL: classes. json's, or static */
	bool per_token;           /* its outputs are tokens', not texts' */
	bool next_sentence;       /* beside masked tokens, it tells whether a
	                           * text's second segment follows the first */
	enum bt_pooled pool;      /* of a classifier without */
	struct bt_head head;      /* a head of its own */
	enum bt_texts texts;
	json_t *json; /* the file's object with what was not understood; kept so
	               * that a trained model's file says what it said */
};

/* Whether what the configuration is of tells masked tokens; whether it embeds
 * texts. */
bool bt_config_masked(const struct bt_config *c);

/* Whether it is of a model that chooses one of several texts. */
bool bt_config_chooses(const struct bt_config *c);

/* Whether it is of a model that predicts numbers from 0 to 1. */
bool bt_config_ranks(const struct bt_config *c);

/* Whether a file of a CrossEncoder of sentence-transformers, config.json or
 * since its version 5.3 the file beside it, says that numbers are the sigmoids
 * of the outputs. */
bool bt_config_takes_sigmoids(const json_t *o);

/* Whether its file says that it did, whatever it is to do now. */
bool bt_config_was_masked(const struct bt_config *c);

/* Whether the file is of Hugging Face's class of classifiers of texts or
 * tokens. */
bool bt_config_classifies(const struct bt_config *c);

/* Whether the family has a head that tells next sentences; whether the file
 * says that the model has it. */
bool bt_config_can_next(const struct bt_config *c);
bool bt_config_had_next(const struct bt_config *c);
bool bt_config_embeds(const struct bt_config *c);

/* Takes a file (config.json or bert_config.json form). Families, activations
 * and position embeddings that are not built are refused by name. */
int bt_config_load(const char *path, struct bt_config *c,
                   struct bt_error *err) BT_MUST_USE;

/* The same of an object, which name stands for in messages. */
int bt_config_parse(const char *name, const json_t *object, struct bt_config *c,
                    struct bt_error *err) BT_MUST_USE;

/* A named architecture: "tiny" (2 layers, hidden 128, 2 heads). BT_EARG if
 * there is none of that name. */
int bt_config_preset(const char *name, struct bt_config *c,
                     struct bt_error *err) BT_MUST_USE;

/* Gives a classifier another pool or head (model/head.h), of which one may be
 * NULL, or both: then it stays as it is, as it does where it has these. */
int bt_config_set_head(struct bt_config *c, const char *pool, const char *head,
                       bool *changed, struct bt_error *err) BT_MUST_USE;

/* Has the classifier's dropout applied two times, as Model Garden does, unless
 * the file has a key for it: by one that leaves as much. */
void bt_config_drop_twice(struct bt_config *c);

void bt_config_clear(struct bt_config *c);

/* "bert": as config.json names the family. */
const char *bt_config_type(const struct bt_config *c);

/* Makes the object to be written as config.json; the caller json_decref()s it.
 * NULL when out of memory. labels[n_labels] become id2label and label2id. */
json_t *bt_config_json(const struct bt_config *c, char *const *labels,
                       int n_labels);

#endif
