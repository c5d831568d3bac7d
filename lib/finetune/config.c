/* SPDX-License-Identifier: MIT */
/* The configuration of a model directory: apart from model.c, so that a program
 * that computes nothing needs no libraries that do. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ckpt/adapter.h"
#include "ckpt/identify.h"
#include "ckpt/open.h"
#include "finetune/model.h"
#include "finetune/unfinished.h"
#include "format/hub_cache.h"
#include "format/json.h"
#include "format/model_files.h"
#include "io/path.h"
#include "io/url.h"

/* Where weights stand without a configuration, as in Google's releases of
 * ELECTRA, they say most of what one has to. */
static int say_config(const char *path, const struct bt_ckpt_family *f,
                      const char *format, struct bt_error *err)
{
	char more[64] = "", heads[32] = "N", where[64] = "";

	if (!bt_path_is_dir(path))
		snprintf(where, sizeof(where), "in a directory, as %s, ",
		         strcmp(format, "pytorch") == 0 ? "pytorch_model.bin"
		                                        : BT_FILE_WEIGHTS);

	if (strcmp(f->family, "electra") == 0)
		snprintf(more, sizeof(more), "\"embedding_size\": %lld, ",
		         (long long)f->embedding_size);
	else if (strcmp(format, "tensorflow") == 0) /* BERT has tanh there */
		snprintf(more, sizeof(more), "\"hidden_act\": \"gelu_new\", ");
	if (f->heads > 0)
		snprintf(heads, sizeof(heads), "%lld", (long long)f->heads);
	return bt_error_set(
	    err, BT_EFORMAT,
	    "'%s' holds weights of the family %s and no configuration: %sa "
	    "config.json makes it a model, {\"model_type\": \"%s\", "
	    "\"vocab_size\": %lld, %s\"hidden_size\": %lld, "
	    "\"num_hidden_layers\": %lld, \"num_attention_heads\": %s, "
	    "\"intermediate_size\": %lld, \"max_position_embeddings\": %lld}%s",
	    path, f->family, where, f->family, (long long)f->vocabulary, more,
	    (long long)f->hidden_size, (long long)f->layers, heads,
	    (long long)f->intermediate_size, (long long)f->positions,
	    f->heads > 0 ? "" : ", where the weights do not tell N");
}

/* A file in place of the directory that it is in, which is a model's; or a
 * checkpoint of TensorFlow, whose name is no file's. */
static bool is_of_model(const char *path, struct bt_error *err)
{
	char *dir = bt_path_is_dir(path) ? NULL : bt_path_of(path);
	const char *name = strrchr(path, '/');
	char *config = NULL;
	json_t *o = NULL;
	bool is = dir != NULL && bt_ckpt_config(dir, &o, &config, NULL) == 0 &&
	          o != NULL;

	if (is)
		bt_error_hint(
		    err,
		    bt_str_starts(name != NULL ? name + 1 : path, "checkpoint")
		        ? BT_HINT_CHECKPOINT_MODEL
		        : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' is a file and not a model directory; "
		                 "'%s' is one",
		                 path, dir));
	free(config);
	free(dir);
	json_decref(o);
	return is;
}

/* The first directory below path, by its name, that has a configuration; to be
 * freed; or NULL. */
static char *find_below(const char *path)
{
	DIR *d = opendir(path);
	char *best = NULL, *dir, *config;
	const struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		dir = bt_path_join(path, e->d_name);
		config = bt_path_join(dir, BT_FILE_CONFIG);
		if (bt_path_is_file(config) &&
		    (best == NULL || strcmp(dir, best) < 0)) {
			free(best);
			best = dir;
			dir = NULL;
		}
		free(dir);
		free(config);
	}
	if (d != NULL)
		closedir(d);
	return best;
}

/* What is not a directory with a configuration. */
static int no_config(const char *path, struct bt_error *err)
{
	struct bt_ckpt_family f = {0};
	struct bt_ckpt *c = NULL;
	char *below;

	if (bt_ckpt_open(path, &c, NULL) != BT_OK && !bt_path_there(path))
		return bt_hub_cache_hint(
		    path,
		    bt_error_set(err, BT_EIO,
		                 "no model directory '%s': no such directory "
		                 "here",
		                 path),
		    err);
	if (is_of_model(path, err))
		; /* said so */
	else if (bt_unfinished(path))
		bt_error_set(err, BT_EFORMAT,
		             "'%s' has no model yet: its training was stopped "
		             "before it kept one, and can be resumed",
		             path);
	else if (c != NULL && bt_ckpt_family(c, path, &f, NULL) == BT_OK &&
	         f.family != NULL &&
	         (strcmp(f.family, "bert") == 0 ||
	          strcmp(f.family, "electra") == 0))
		say_config(path, &f, bt_ckpt_format(c), err);
	else if (!bt_path_is_dir(path))
		bt_error_set(err, BT_EFORMAT,
		             "'%s' is a file and not a model directory", path);
	else if ((below = find_below(path)) != NULL) {
		bt_error_set(err, BT_EFORMAT,
		             "'%s' is not a model directory; '%s' is one", path,
		             below);
		free(below);
	} else
		bt_error_set(err, BT_EFORMAT,
		             "'%s' is not a model directory: it holds neither "
		             "config.json nor bert_config.json nor "
		             "albert_config.json",
		             path);
	bt_ckpt_family_clear(&f);
	bt_ckpt_close(c);
	return BT_EFORMAT;
}

/* Outputs without names: transformers writes none of two classes, and
 * num_labels alone does where it was written by hand. */
static int number_labels(const struct bt_config *c, struct bt_labels *l,
                         struct bt_error *err)
{
	const struct bt_task *task = bt_task_of(c->problem_type);
	int64_t n = bt_config_classifies(c) ? 2 : task->least;
	int r = BT_OK;

	if (task->names_outputs && !bt_config_classifies(c))
		return BT_OK;
	if (bt_config_classifies(c))
		r = bt_json_int(c->json, "num_labels", 1, BT_LABELS_MAX, &n,
		                err);
	return r == BT_OK ? bt_labels_numbered(l, "LABEL_", n, err) : r;
}

/* What the outputs are called. As in transformers since version 5, where both
 * differ num_labels is right: older versions left the names of a model that
 * was given another number of outputs. */
static int name_outputs(const struct bt_config *c, struct bt_labels *l,
                        struct bt_error *err)
{
	int r = bt_labels_from_json(c->json, l, err);
	int64_t n = bt_config_chooses(c) ? 0 : l->n; /* a score has no name */

	if (r == BT_OK && n > 0 && bt_config_classifies(c))
		r = bt_json_int(c->json, "num_labels", 1, BT_LABELS_MAX, &n,
		                err);
	if (r != BT_OK || (n > 0 && n == l->n))
		return r;
	bt_labels_clear(l);
	return number_labels(c, l, err);
}

/* One output is a number, as transformers has it; a CrossEncoder's file beside
 * may say that it is from 0 to 1. */
static int number(const char *dir, struct bt_config *c, struct bt_error *err)
{
	json_t *o = NULL;
	int r = bt_json_load_in(dir, BT_FILE_PROMPTS, &o, err);

	c->problem_type =
	    (bt_config_takes_sigmoids(o) ? bt_task_ranking : bt_task_regression)
	        .problem_type;
	json_decref(o);
	return r;
}

int bt_model_config(const char *dir, struct bt_config *c, struct bt_labels *l,
                    struct bt_error *err)
{
	struct bt_buf name = BT_BUF_INIT;
	char *path = NULL;
	json_t *o = NULL;
	bool said;
	int r = bt_url_refuse(dir, BT_URL_DIR, err);

	if (r == BT_OK)
		r = bt_ckpt_config(dir, &o, &path, err);
	if (r == BT_OK && o == NULL)
		r = no_config(dir, err);
	if (r == BT_OK) {
		bt_buf_printf(&name, "'%s'", path);
		r = bt_config_parse(bt_buf_str(&name), o, c, err);
	}
	free(path);
	json_decref(o);
	if (r == BT_OK) {
		said = c->problem_type != NULL;
		c->problem_type = bt_task_of(c->problem_type)->problem_type;
		r = name_outputs(c, l, err);
		if (r == BT_OK && l->n == 1 && bt_config_classifies(c) &&
		    (!said ||
		     bt_task_of(c->problem_type) == &bt_task_regression))
			r = number(dir, c, err);
		if (r != BT_OK) {
			bt_error_prefix(err, "%s", bt_buf_str(&name));
			bt_config_clear(c);
		}
	}
	bt_buf_clear(&name);
	return r;
}
