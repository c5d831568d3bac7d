/* SPDX-License-Identifier: MIT */
#include "model/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"

#define MAX_WIDTH (1 << 20) /* bounds on what a file may claim */
#define MAX_VOCAB (1 << 26)
#define MAX_LAYERS 4096

/* Defaults of the published BERT code for keys that a file leaves out. */
static void set_defaults(struct bt_config *c)
{
	memset(c, 0, sizeof(*c));
	snprintf(c->model_type, sizeof(c->model_type), "bert");
	c->vocab_size = 30522;
	c->hidden_size = 768;
	c->layers = 12;
	c->heads = 12;
	c->intermediate_size = 3072;
	c->act = BT_ACT_GELU;
	c->hidden_dropout = 0.1f;
	c->attention_dropout = 0.1f;
	c->classifier_dropout = 0.1f;
	c->max_positions = 512;
	c->type_vocab_size = 2;
	c->norm_eps = 1e-12f;
	c->init_std = 0.02f;
}

static int read_int(const json_t *o, const char *key, int64_t lo, int64_t hi,
                    int *v, struct bt_error *err)
{
	int64_t x = *v;
	int r = bt_json_int(o, key, lo, hi, &x, err);

	*v = (int)x;
	return r;
}

static int read_real(const json_t *o, const char *key, double lo, double hi,
                     float *v, struct bt_error *err)
{
	double x = *v;
	int r = bt_json_real(o, key, lo, hi, &x, err);

	*v = (float)x;
	return r;
}

static int read_activation(const json_t *o, enum bt_activation *act,
                           struct bt_error *err)
{
	static const struct {
		const char *name;
		enum bt_activation act;
	} known[] = {
	    {"gelu", BT_ACT_GELU},
	    {"gelu_python", BT_ACT_GELU},
	    {"gelu_new", BT_ACT_GELU_TANH},
	    {"gelu_fast", BT_ACT_GELU_TANH},
	    {"gelu_pytorch_tanh", BT_ACT_GELU_TANH},
	    {"relu", BT_ACT_RELU},
	    {"tanh", BT_ACT_TANH},
	};
	const char *name = NULL;
	size_t i;
	int r = bt_json_str(o, "hidden_act", &name, err);

	if (r != BT_OK || name == NULL)
		return r;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0) {
			*act = known[i].act;
			return BT_OK;
		}
	return bt_error_set(err, BT_EFORMAT, "hidden_act '%s' is not supported",
	                    name);
}

/* A choice of which only one value is built. */
static int only(const json_t *o, const char *key, const char *built,
                struct bt_error *err)
{
	const char *v = built;
	int r = bt_json_str(o, key, &v, err);

	if (r == BT_OK && strcmp(v, built) != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "%s '%s' is not supported (only '%s' is)", key,
		                 v, built);
	return r;
}

static int read_sizes(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	int r = read_int(o, "vocab_size", 1, MAX_VOCAB, &c->vocab_size, err);

	if (r == BT_OK)
		r = read_int(o, "hidden_size", 1, MAX_WIDTH, &c->hidden_size,
		             err);
	if (r == BT_OK)
		r = read_int(o, "num_hidden_layers", 1, MAX_LAYERS, &c->layers,
		             err);
	if (r == BT_OK)
		r = read_int(o, "num_attention_heads", 1, MAX_WIDTH, &c->heads,
		             err);
	if (r == BT_OK)
		r = read_int(o, "intermediate_size", 1, MAX_WIDTH,
		             &c->intermediate_size, err);
	if (r == BT_OK)
		r = read_int(o, "max_position_embeddings", 1, MAX_VOCAB,
		             &c->max_positions, err);
	if (r == BT_OK)
		r = read_int(o, "type_vocab_size", 1, 256, &c->type_vocab_size,
		             err);
	if (r == BT_OK && c->hidden_size % c->heads != 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "hidden_size %d is no multiple of "
		                 "num_attention_heads %d",
		                 c->hidden_size, c->heads);
	return r;
}

static int read_rates(const json_t *o, struct bt_config *c,
                      struct bt_error *err)
{
	int r = read_real(o, "hidden_dropout_prob", 0, 0.999,
	                  &c->hidden_dropout, err);

	if (r == BT_OK)
		r = read_real(o, "attention_probs_dropout_prob", 0, 0.999,
		              &c->attention_dropout, err);
	c->classifier_dropout = c->hidden_dropout;
	if (r == BT_OK)
		r = read_real(o, "classifier_dropout", 0, 0.999,
		              &c->classifier_dropout, err);
	if (r == BT_OK)
		r = read_real(o, "layer_norm_eps", 0, 1, &c->norm_eps, err);
	if (r == BT_OK)
		r = read_real(o, "initializer_range", 0, 10, &c->init_std, err);
	return r;
}

/* Google's bert_config.json names no model_type: its class is BERT, and its
 * "gelu" is the tanh form. */
static int read_family(const json_t *o, struct bt_config *c,
                       struct bt_error *err)
{
	const char *type = NULL;
	int r = bt_json_str(o, "model_type", &type, err);

	if (r == BT_OK)
		r = read_activation(o, &c->act, err);
	if (r == BT_OK)
		r = only(o, "position_embedding_type", "absolute", err);
	if (r != BT_OK)
		return r;
	if (type == NULL) {
		if (json_object_get(o, "hidden_size") == NULL)
			return bt_error_set(err, BT_EFORMAT,
			                    "has neither 'model_type' nor "
			                    "'hidden_size'");
		if (c->act == BT_ACT_GELU &&
		    json_object_get(o, "architectures") == NULL)
			c->act = BT_ACT_GELU_TANH;
		return BT_OK;
	}
	if (strcmp(type, "bert") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "model_type '%s' is not supported (only "
		                    "'bert' is)",
		                    type);
	return BT_OK;
}

int bt_config_load(const char *path, struct bt_config *c, struct bt_error *err)
{
	struct bt_config new;
	json_t *o;
	int r = bt_json_load(path, &o, err);

	if (r != BT_OK)
		return r;
	set_defaults(&new);
	r = read_family(o, &new, err);
	if (r == BT_OK)
		r = read_sizes(o, &new, err);
	if (r == BT_OK)
		r = read_rates(o, &new, err);
	if (r != BT_OK) {
		json_decref(o);
		return bt_error_prefix(err, "'%s'", path);
	}
	new.json = o;
	*c = new;
	return BT_OK;
}

int bt_config_preset(const char *name, struct bt_config *c,
                     struct bt_error *err)
{
	if (strcmp(name, "tiny") != 0)
		return bt_error_set(err, BT_EARG,
		                    "no architecture is named '%s' (there is "
		                    "'tiny')",
		                    name);
	set_defaults(c);
	c->hidden_size = 128;
	c->layers = 2;
	c->heads = 2;
	c->intermediate_size = 512;
	c->json = json_object();
	return c->json != NULL ? BT_OK : bt_error_nomem(err, "configuring");
}

void bt_config_clear(struct bt_config *c)
{
	json_decref(c->json);
	c->json = NULL;
}

/* A number as people write it: .1 and not the float nearest to it. */
static json_t *short_real(float v)
{
	char s[32];

	snprintf(s, sizeof(s), "%.7g", (double)v);
	return json_real(strtod(s, NULL));
}

static const char *activation_key(enum bt_activation act)
{
	switch (act) {
	case BT_ACT_GELU_TANH:
		return "gelu_new";
	case BT_ACT_RELU:
		return "relu";
	case BT_ACT_TANH:
		return "tanh";
	default:
		return "gelu";
	}
}

static int set_labels(json_t *o, char *const *labels, int n)
{
	json_t *id2label = json_object(), *label2id = json_object();
	char key[16];
	int i, bad = 0;

	for (i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "%d", i);
		bad |=
		    json_object_set_new(id2label, key, json_string(labels[i]));
		bad |=
		    json_object_set_new(label2id, labels[i], json_integer(i));
	}
	bad |= json_object_set_new(o, "id2label", id2label);
	bad |= json_object_set_new(o, "label2id", label2id);
	return bad;
}

json_t *bt_config_json(const struct bt_config *c, char *const *labels,
                       int n_labels)
{
	json_t *o = json_deep_copy(c->json);
	int bad = 0;

	if (o == NULL)
		return NULL;
	json_object_del(o, "_name_or_path");
	json_object_del(o, "torch_dtype");
	json_object_del(o, "num_labels");
#define SET(key, value) bad |= json_object_set_new(o, key, value)
	SET("model_type", json_string(c->model_type));
	SET("architectures", json_pack("[s]", "BertForSequenceClassification"));
	SET("vocab_size", json_integer(c->vocab_size));
	SET("hidden_size", json_integer(c->hidden_size));
	SET("num_hidden_layers", json_integer(c->layers));
	SET("num_attention_heads", json_integer(c->heads));
	SET("intermediate_size", json_integer(c->intermediate_size));
	SET("hidden_act", json_string(activation_key(c->act)));
	SET("hidden_dropout_prob", short_real(c->hidden_dropout));
	SET("attention_probs_dropout_prob", short_real(c->attention_dropout));
	if (c->classifier_dropout != c->hidden_dropout)
		SET("classifier_dropout", short_real(c->classifier_dropout));
	SET("max_position_embeddings", json_integer(c->max_positions));
	SET("type_vocab_size", json_integer(c->type_vocab_size));
	SET("layer_norm_eps", short_real(c->norm_eps));
	SET("initializer_range", short_real(c->init_std));
	SET("problem_type", json_string("single_label_classification"));
	SET("dtype", json_string("float32"));
#undef SET
	if (bad != 0 || set_labels(o, labels, n_labels) != 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}
