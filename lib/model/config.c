/* SPDX-License-Identifier: MIT */
#include "model/config.h"

#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "model/family_int.h"

#define MAX_VOCAB (1 << 26) /* bounds on what a file may claim */

/* Of all families. */
static void set_defaults(struct bt_config *c, const struct bt_family *f)
{
	memset(c, 0, sizeof(*c));
	c->family = f;
	c->init_std = 0.02f;
	f->defaults(c);
}

static int read_int(const json_t *o, const char *key, int64_t lo, int64_t hi,
                    int *v, struct bt_error *err)
{
	int64_t x = *v;
	int r = bt_json_int(o, key, lo, hi, &x, err);

	*v = (int)x;
	return r;
}

static int read_activation(const json_t *o, const char *key,
                           enum bt_activation *act, struct bt_error *err)
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
	    {"gelu_python_tanh", BT_ACT_GELU_TANH},
	    {"gelu_accurate", BT_ACT_GELU_TANH},
	    {"relu", BT_ACT_RELU},
	    {"tanh", BT_ACT_TANH},
	    {"silu", BT_ACT_SILU},
	    {"swish", BT_ACT_SILU},
	};
	const char *name = NULL;
	int i, r = bt_json_str(o, key, &name, err);

	if (r != BT_OK || name == NULL)
		return r;
	i = BT_STR_ROW_BY(name, known, name);
	if (i < 0)
		return bt_error_set(err, BT_EFORMAT, "%s '%s' is not supported",
		                    key, name);
	*act = known[i].act;
	return BT_OK;
}

static int read_keys(const json_t *o, const struct bt_key *k,
                     struct bt_config *c, struct bt_error *err)
{
	int r = BT_OK;

	for (; r == BT_OK && k != NULL && k->name != NULL; k++) {
		if (k->type == BT_KEY_INT)
			r = read_int(o, k->name, (int64_t)k->lo, (int64_t)k->hi,
			             bt_key_member(c, k), err);
		else if (k->type == BT_KEY_REAL)
			r = bt_config_real(o, k->name, k->lo, k->hi,
			                   bt_key_member(c, k), err);
		else
			r = read_activation(o, k->name, bt_key_member(c, k),
			                    err);
	}
	return r;
}

/* The padding's id, and the position rows that remain beside the padding's. */
static int read_positions(const json_t *o, struct bt_config *c,
                          struct bt_error *err)
{
	int rows = c->max_positions;
	int r =
	    read_int(o, "max_position_embeddings", 1, MAX_VOCAB, &rows, err);

	if (r == BT_OK && c->position0 <= 0) {
		r = read_int(o, "pad_token_id", 0, c->vocab_size - 1,
		             &c->pad_id, err);
		if (json_is_null(json_object_get(o, "pad_token_id")))
			c->pad_id = -1;
	}
	if (r != BT_OK)
		return r;
	if (c->position0 == BT_AFTER_PAD && c->pad_id < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "pad_token_id null is not supported: "
		                    "positions are counted from it");
	if (c->position0 == BT_AFTER_PAD)
		c->position0 = c->pad_id + 1;
	c->max_positions = rows - c->position0;
	if (c->max_positions < 1)
		return bt_error_set(err, BT_EFORMAT,
		                    "max_position_embeddings %d leaves no "
		                    "position behind the padding's, %d",
		                    rows, c->pad_id);
	return BT_OK;
}

/* Models with rotations alone say "sans_pos", if anything. */
static int check_positions(const json_t *o, const struct bt_config *c,
                           struct bt_error *err)
{
	const char *type =
	    json_string_value(json_object_get(o, "position_embedding_type"));

	if (c->global_rope.theta > 0 && bt_str_is(type, "sans_pos"))
		return BT_OK;
	return bt_config_only(o, "position_embedding_type", "absolute", err);
}

static int read_config(const json_t *o, const struct bt_family *f,
                       struct bt_config *c, struct bt_error *err)
{
	const json_t *names = json_object_get(o, "id2label");
	const char *type = NULL;
	int r;

	set_defaults(c, f);
	if ((r = read_int(o, "vocab_size", 1, MAX_VOCAB, &c->vocab_size,
	                  err)) ||
	    (r = read_keys(o, f->keys, c, err)) ||
	    (r = read_keys(o, f->more_keys, c, err)) ||
	    (r = read_positions(o, c, err)) ||
	    (r = bt_config_real(o, "initializer_range", 0, 10, &c->init_std,
	                        err)) ||
	    (f->read != NULL && (r = f->read(o, c, err))) ||
	    /* what no family may be but in this way */
	    (r = check_positions(o, c, err)) ||
	    (r = bt_config_only_false(o, "is_decoder", err)) ||
	    (r = bt_config_only_false(o, "is_causal", err)))
		return r;
	if (c->hidden_size % c->heads != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "hidden_size %d is not a multiple of "
		                    "num_attention_heads %d",
		                    c->hidden_size, c->heads);
	if ((f->check != NULL && (r = f->check(o, c, err))) ||
	    (r = bt_config_read_own(o, c, err)) ||
	    (r = bt_json_str(o, "problem_type", &type, err)))
		return r;
	/* as Hugging Face's classes: by name, else by the number of labels */
	c->problem_type =
	    type == NULL && json_object_size(names) == 1 ? "regression" : type;
	if (bt_str_is(c->problem_type, "regression") &&
	    bt_config_takes_sigmoids(o))
		c->problem_type = BT_PROBLEM_RANKING;
	c->per_token = bt_config_token_problem(o) != NULL;
	if (c->per_token)
		c->problem_type = bt_config_token_problem(o);
	if (bt_config_is_choice(o))
		c->problem_type = BT_PROBLEM_CHOICE;
	if (c->classifier_dropout < 0)
		c->classifier_dropout = c->hidden_dropout;
	return BT_OK;
}

static int unknown_family(const char *type, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	bt_family_list(&b);
	bt_error_set(err, BT_EFORMAT,
	             "model_type '%s' is not supported (these are: %s)", type,
	             bt_buf_str(&b));
	bt_buf_clear(&b);
	return BT_EFORMAT;
}

/* Takes ownership of the object: it is c's, or released on failure. Google's
 * bert_config.json names no model_type: its class is BERT, and its "gelu" is
 * the tanh form. */
static int take(const char *name, json_t *o, struct bt_config *c,
                struct bt_error *err)
{
	const struct bt_family *f = &bt_family_bert;
	const char *type = NULL;
	struct bt_config new;
	int r = bt_json_str(o, "model_type", &type, err);

	if (type != NULL)
		f = bt_family_find(type);
	if (r == BT_OK && f == NULL)
		r = unknown_family(type, err);
	else if (r == BT_OK && type == NULL &&
	         json_object_get(o, "hidden_size") == NULL)
		r = bt_error_set(err, BT_EFORMAT,
		                 "has neither 'model_type' nor 'hidden_size'");
	else if (r == BT_OK)
		r = read_config(o, f, &new, err);
	if (r != BT_OK) {
		json_decref(o);
		return bt_error_prefix(err, "%s", name);
	}
	if (type == NULL && new.act == BT_ACT_GELU &&
	    json_object_get(o, "architectures") == NULL)
		new.act = BT_ACT_GELU_TANH;
	new.json = o;
	*c = new;
	return BT_OK;
}

int bt_config_parse(const char *name, const json_t *object, struct bt_config *c,
                    struct bt_error *err)
{
	return take(name, json_deep_copy(object), c, err);
}

int bt_config_load(const char *path, struct bt_config *c, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	json_t *o;
	int r = bt_hf_config_load(path, &o, err);

	if (r != BT_OK)
		return r;
	bt_buf_printf(&b, "'%s'", path);
	r = take(bt_buf_str(&b), o, c, err);
	bt_buf_clear(&b);
	return r;
}

int bt_config_preset(const char *name, struct bt_config *c,
                     struct bt_error *err)
{
	if (strcmp(name, "tiny") != 0)
		return bt_error_set(err, BT_EARG,
		                    "no architecture is named '%s' (there is "
		                    "'tiny')",
		                    name);
	set_defaults(c, &bt_family_bert);
	c->hidden_size = 128;
	c->layers = 2;
	c->heads = 2;
	c->intermediate_size = 512;
	c->classifier_dropout = c->hidden_dropout;
	c->json = json_object();
	return BT_OK;
}

void bt_config_drop_twice(struct bt_config *c)
{
	if (json_object_get(c->json, "classifier_dropout") == NULL)
		c->classifier_dropout *= 2 - c->classifier_dropout;
}

void bt_config_clear(struct bt_config *c)
{
	json_decref(c->json);
	c->json = NULL;
}

const char *bt_config_type(const struct bt_config *c)
{
	return c->family->model_type;
}
