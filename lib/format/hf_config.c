/* SPDX-License-Identifier: MIT */
#include "format/hf_config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "format/adapter_config.h"
#include "format/hf_config_int.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"

#define MAX_CLASSES 100000
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *bt_hf_config_keras_class(const json_t *o)
{
	const char *class = json_string_value(json_object_get(o, "class_name"));

	return json_is_object(json_object_get(o, "config")) &&
	               json_object_get(o, "model_type") == NULL
	           ? class
	           : NULL;
}

/* --- configurations */

/* KerasHub's BertBackbone: there is one rate of dropout, gelu is the tanh form.
 */
static int of_backbone(const json_t *from, json_t *to, struct bt_error *err)
{
	static const char *const keys[][2] = {
	    {"vocabulary_size", "vocab_size"},
	    {"num_layers", "num_hidden_layers"},
	    {"num_heads", "num_attention_heads"},
	    {"hidden_dim", "hidden_size"},
	    {"intermediate_dim", "intermediate_size"},
	    {"max_sequence_length", "max_position_embeddings"},
	    {"num_segments", "type_vocab_size"},
	    {"dropout", "hidden_dropout_prob"},
	    {"dropout", "attention_probs_dropout_prob"}};
	json_t *v;
	size_t i;

	for (i = 0; i < COUNT(keys); i++) {
		v = json_object_get(from, keys[i][0]);
		if (!json_is_number(v))
			return bt_error_set(err, BT_EFORMAT,
			                    "'config' gives no number for "
			                    "'%s'",
			                    keys[i][0]);
		json_object_set(to, keys[i][1], v);
	}
	json_object_set_new(to, "model_type", json_string("bert"));
	json_object_set_new(to, "hidden_act", json_string("gelu_new"));
	return BT_OK;
}

static int of_keras(json_t **o, const char *class, struct bt_error *err)
{
	json_t *to;
	int r;

	if (strcmp(class, "BertBackbone") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it is a configuration of KerasHub, of the "
		                    "class '%.100s', and of these only "
		                    "BertBackbone is supported: take the model "
		                    "in Hugging Face's files",
		                    class);
	to = json_object();
	r = of_backbone(json_object_get(*o, "config"), to, err);
	json_decref(r == BT_OK ? *o : to);
	if (r == BT_OK)
		*o = to;
	return r;
}

/* Google's files name no type, and their "gelu" is the tanh form. */
static void of_google(json_t *o)
{
	const char *act = json_string_value(json_object_get(o, "hidden_act"));
	bool albert = json_object_get(o, "num_hidden_groups") != NULL;

	json_object_set_new(o, "model_type",
	                    json_string(albert ? "albert" : "bert"));
	if (json_object_get(o, "hidden_act") == NULL || bt_str_is(act, "gelu"))
		json_object_set_new(o, "hidden_act", json_string("gelu_new"));
}

static int load_as(const char *path, json_t **o, bool *keras,
                   struct bt_error *err)
{
	json_t *v = NULL;
	const char *class;
	int r = bt_json_load(path, &v, err);

	if (r != BT_OK)
		return r;
	class = bt_hf_config_keras_class(v);
	*keras = class != NULL;
	if (class != NULL)
		r = of_keras(&v, class, err);
	else if (json_object_get(v, "model_type") == NULL &&
	         json_object_get(v, "architectures") == NULL &&
	         json_object_get(v, "hidden_size") != NULL)
		of_google(v);
	else
		r = bt_hf_config_of_own_code(v, err);
	if (r == BT_OK) {
		*o = v;
		return r;
	}
	json_decref(v);
	return bt_error_prefix(err, "'%s'", path);
}

int bt_hf_config_load(const char *path, json_t **o, struct bt_error *err)
{
	bool keras;

	return load_as(path, o, &keras, err);
}

static bool has(const char *dir, const char *name)
{
	char *path = bt_path_join(dir, name);
	bool there = bt_path_is_file(path);

	free(path);
	return there;
}

int bt_hf_config_keras_task(const char *dir, json_t **o, struct bt_error *err)
{
	json_t *task = NULL;
	const char *class;
	int r = BT_OK;

	*o = NULL;
	if ((has(dir, BT_FILE_KERAS_WEIGHTS) ||
	     has(dir, BT_FILE_KERAS_SHARDS)) &&
	    has(dir, BT_FILE_KERAS_HEAD))
		r = bt_json_load_in(dir, BT_FILE_KERAS_TASK, &task, err);
	if (r != BT_OK)
		return r;
	class = bt_hf_config_keras_class(task);
	if (class != NULL && (strcmp(class, "BertTextClassifier") == 0 ||
	                      strcmp(class, "BertClassifier") == 0))
		*o = json_incref(json_object_get(task, "config"));
	json_decref(task);
	return r;
}

/* The classes of a classifier have no names there. */
static int add_task(const char *dir, json_t *o, struct bt_error *err)
{
	json_t *task, *names;
	int64_t n = 0, i;
	double dropout = 0.1;
	char name[24];
	int r = bt_hf_config_keras_task(dir, &task, err);

	if (r != BT_OK || task == NULL)
		return r;
	r = bt_json_int(task, "num_classes", 1, MAX_CLASSES, &n, err);
	if (r == BT_OK)
		r = bt_json_real(task, "dropout", 0, 1, &dropout, err);
	json_decref(task);
	if (r != BT_OK)
		return bt_error_prefix(err, "'%s/%s'", dir, BT_FILE_KERAS_TASK);
	names = json_object();
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%lld", (long long)i);
		json_object_set_new(names, name, json_string(name));
	}
	json_object_set_new(o, "id2label", names);
	json_object_set_new(o, "classifier_dropout", json_real(dropout));
	return BT_OK;
}

int bt_hf_config_find(const char *dir, json_t **o, char **path,
                      struct bt_error *err)
{
	const struct bt_model_file *f;
	bool keras = false;
	char *p, *base;
	int r = bt_model_files_find(dir, BT_USE_CONFIG, &f, &p, err);

	*o = NULL;
	if (r == BT_OK && f == NULL && bt_adapter_is(dir) &&
	    !(r = bt_adapter_base(dir, &base, err))) {
		r = bt_model_files_find(base, BT_USE_CONFIG, &f, &p, err);
		free(base);
	}
	if (r != BT_OK || f == NULL)
		return r;
	r = load_as(p, o, &keras, err);
	if (r == BT_OK && keras)
		r = add_task(dir, *o, err);
	if (r != BT_OK) {
		json_decref(*o);
		*o = NULL;
	}
	if (r == BT_OK && path != NULL)
		*path = p;
	else
		free(p);
	return r;
}

/* --- tokenizers */

int bt_hf_config_tokenizer(const char *dir, json_t **o, struct bt_error *err)
{
	return bt_json_load_in(dir, BT_FILE_TOKENIZER_CONFIG, o, err);
}

/* What is not WordPiece as BERT has it. */
static int check_wordpiece(const json_t *c, const char *class,
                           struct bt_error *err)
{
	const char *suffix = "##";
	bool split = true;
	int r = bt_json_bool(c, "split", &split, err);

	if (r == BT_OK)
		r = bt_json_str(c, "suffix_indicator", &suffix, err);
	if (r != BT_OK)
		return r;
	if (strcmp(class, "BertTokenizer") != 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it holds settings of KerasHub, of the "
		                    "class '%.100s', and of these only "
		                    "BertTokenizer is supported",
		                    class);
	if (!split || strcmp(suffix, "##") != 0)
		return bt_error_set(
		    err, BT_EFORMAT, "%s is not supported (only %s is)",
		    split ? "another suffix_indicator" : "split false",
		    split ? "'##'" : "true");
	return BT_OK;
}

/* In KerasHub accents are stripped where that is said, whatever the case. */
static int of_wordpiece(const json_t *c, json_t *to, struct bt_error *err)
{
	bool lower = false, strip = false, cjk = true;
	const char *unknown = "[UNK]";
	int64_t length = 0;
	int r;

	if ((r = bt_json_bool(c, "lowercase", &lower, err)) ||
	    (r = bt_json_bool(c, "strip_accents", &strip, err)) ||
	    (r = bt_json_bool(c, "split_on_cjk", &cjk, err)) ||
	    (r = bt_json_str(c, "oov_token", &unknown, err)) ||
	    (r = bt_json_int(c, "sequence_length", 1, INT32_MAX, &length, err)))
		return r;
	json_object_set_new(to, "tokenizer_class",
	                    json_string("BertTokenizer"));
	json_object_set_new(to, "do_lower_case", json_boolean(lower));
	json_object_set_new(to, "strip_accents", json_boolean(strip));
	json_object_set_new(to, "tokenize_chinese_chars", json_boolean(cjk));
	json_object_set_new(to, "unk_token", json_string(unknown));
	if (length > 0)
		json_object_set_new(to, "model_max_length",
		                    json_integer((json_int_t)length));
	return BT_OK;
}

int bt_hf_config_keras_tokenizer(const char *dir, json_t **o,
                                 struct bt_error *err)
{
	const char *class = NULL;
	json_t *v = NULL, *to = NULL, *c;
	int r = BT_OK;

	*o = NULL;
	if (has(dir, BT_FILE_KERAS_VOCAB))
		r = bt_json_load_in(dir, BT_FILE_TOKENIZER, &v, err);
	if (r == BT_OK)
		class = bt_hf_config_keras_class(v);
	if (class != NULL) {
		c = json_object_get(v, "config");
		r = check_wordpiece(c, class, err);
		to = json_object();
		if (r == BT_OK)
			r = of_wordpiece(c, to, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s/%s'", dir, BT_FILE_TOKENIZER);
	}
	json_decref(v);
	if (r == BT_OK)
		*o = to;
	else
		json_decref(to);
	return r;
}
