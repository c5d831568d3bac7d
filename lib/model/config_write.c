/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "model/family_int.h"

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
	case BT_ACT_SILU:
		return "silu";
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

static int set_keys(json_t *o, const struct bt_key *k,
                    const struct bt_config *c)
{
	const void *v;
	int bad = 0;

	for (; k != NULL && k->name != NULL; k++) {
		v = bt_key_member(c, k);
		bad |= json_object_set_new(
		    o, k->name,
		    k->type == BT_KEY_INT ? json_integer(*(const int *)v)
		    : k->type == BT_KEY_REAL
		        ? short_real(*(const float *)v)
		        : json_string(
		              activation_key(*(const enum bt_activation *)v)));
	}
	return bad;
}

json_t *bt_config_json(const struct bt_config *c, char *const *labels,
                       int n_labels)
{
	json_t *o = json_deep_copy(c->json);
	const struct bt_family *f = c->family;
	int bad = 0;

	if (o == NULL)
		return NULL;
	json_object_del(o, "_name_or_path");
	json_object_del(o, "torch_dtype");
	json_object_del(o, "num_labels");
#define SET(key, value) bad |= json_object_set_new(o, key, value)
	SET("model_type", json_string(f->model_type));
	SET("architectures", bt_config_class(c));
	bt_config_write_own(o, c);
	SET("vocab_size", json_integer(c->vocab_size));
	bad |= set_keys(o, f->keys, c) | set_keys(o, f->more_keys, c);
	SET("max_position_embeddings",
	    json_integer(c->position0 + c->max_positions));
	SET("initializer_range", short_real(c->init_std));
	if (c->per_token || bt_config_embeds(c) || bt_config_chooses(c))
		json_object_del(o, "problem_type");
	else
		SET("problem_type",
		    json_string(c->problem_type == NULL
		                    ? "single_label_classification"
		                : bt_config_ranks(c) ? "regression"
		                                     : c->problem_type));
	bt_config_write_sigmoids(o, bt_config_ranks(c));
	SET("dtype", json_string("float32"));
#undef SET
	if (bt_config_embeds(c) || bt_config_masked(c) ||
	    bt_config_chooses(c)) {
		json_object_del(o, "id2label");
		json_object_del(o, "label2id");
	} else {
		bad |= set_labels(o, labels, n_labels);
	}
	if (bad != 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}
