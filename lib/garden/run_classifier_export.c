/* SPDX-License-Identifier: MIT */
/* What is done with a trained classifier: predictions, and its export. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ckpt/convert.h"
#include "finetune/predict_stream.h"
#include "format/json.h"
#include "format/model_files.h"
#include "garden/file_patterns.h"
#include "garden/run_classifier.h"
#include "io/path.h"
#include "predict/predict.h"

/* The checkpoint to take. */
static const char *source_of(const struct bt_run_classifier *c)
{
	return c->predict_from != NULL ? c->predict_from : c->dir;
}

static int add(void *ctx, uint64_t i, const struct bt_dataset *d, size_t k,
               const float *logits, struct bt_error *err)
{
	return bt_predict_add(ctx, i, bt_dataset_id(d, k), logits, err);
}

static int predict_into(struct bt_predict_stream *s,
                        const struct bt_file_patterns *in, const char *path,
                        struct bt_error *err)
{
	struct bt_predict_opts o = {.format = BT_PREDICT_TSV,
	                            .form = s->model.task->answer,
	                            .log = s->o.log};
	struct bt_predict *p = NULL;
	struct bt_out *out = NULL;
	int r = bt_out_open(path, BT_OUT_TEXT, &out, err);

	if (r == BT_OK)
		r = bt_predict_new(&o, &s->model.labels, out, &p, err);
	if (r == BT_OK)
		r = bt_predict_stream_run(s, in->path, in->n, add, NULL, p,
		                          err);
	if (r == BT_OK)
		r = bt_predict_finish(p, err);
	bt_predict_free(p);
	if (r != BT_OK) {
		bt_out_abandon(out);
		return r;
	}
	r = bt_out_commit(out, err);
	if (r == BT_OK)
		r = bt_predict_stream_summary(s, "prediction", s->o.log, err);
	if (r == BT_OK && s->model.task != &bt_task_regression)
		bt_log(s->o.log, BT_LOG_NOTE,
		       "'%s' has %d columns, the classes' probabilities in the "
		       "order of their numbers",
		       path, s->model.labels.n);
	return r;
}

int bt_run_classifier_predict(const struct bt_run_classifier *c,
                              struct bt_error *err)
{
	struct bt_predict_stream_opts o = {.config = c->config,
	                                   .weights = source_of(c),
	                                   .dtype = c->dtype,
	                                   .threads = c->threads,
	                                   .device = c->devices.plugin,
	                                   .replicas = c->devices.replicas,
	                                   .labels = BT_LABELS_OPTIONAL,
	                                   .log = c->log};
	struct bt_file_patterns in = {0};
	struct bt_predict_stream s;
	struct bt_meta meta;
	char *path = bt_path_join(c->dir, "test_results.tsv");
	int r = bt_meta_read(c->meta_data, &meta, err);

	if (r == BT_OK)
		r = bt_file_patterns_find("eval_data_path", c->eval, &in, err);
	o.classes = meta.labels;
	if (r == BT_OK)
		r = bt_predict_stream_open(&o, &s, err);
	if (r == BT_OK) {
		r = predict_into(&s, &in, path, err);
		bt_predict_stream_close(&s);
	}
	bt_file_patterns_clear(&in);
	free(path);
	return r;
}

/* The labels that training left in the directory, if it has as many; else
 * numbers. */
static int labels_of(const struct bt_run_classifier *c, int n,
                     struct bt_labels *l, struct bt_error *err)
{
	int r = bt_labels_load(c->dir, l, err);

	if (r != BT_OK || (l->n == n && n > 1))
		return r;
	bt_labels_clear(l);
	return bt_labels_numbered(l, n == 1 ? "LABEL_" : "", n, err);
}

/* What the texts were that the weights were trained on. */
static enum bt_texts texts_of(const struct bt_run_classifier *c)
{
	char *dir = bt_path_of(source_of(c));
	char *path = bt_path_join(dir, BT_FILE_CONFIG);
	enum bt_texts texts = BT_TEXTS_UNKNOWN;
	struct bt_config config;

	if (bt_config_load(path, &config, NULL) == BT_OK) {
		texts = config.texts;
		bt_config_clear(&config);
	}
	free(path);
	free(dir);
	return texts;
}

static int export_config(const struct bt_run_classifier *c, int n,
                         struct bt_error *err)
{
	struct bt_labels labels = {0};
	struct bt_config config;
	char *path = bt_path_join(c->export, BT_FILE_CONFIG);
	json_t *o = NULL;
	int r = bt_config_load(c->config, &config, err);

	if (r != BT_OK) {
		free(path);
		return r;
	}
	config.problem_type =
	    n == 1 ? bt_task_regression.problem_type
	           : bt_task_of(config.problem_type)->problem_type;
	config.texts = texts_of(c);
	bt_config_drop_twice(&config);
	r = labels_of(c, n, &labels, err);
	if (r == BT_OK) {
		o = bt_config_json(&config, labels.name, labels.n);
		r = bt_json_save(path, o, err);
	}
	json_decref(o);
	bt_labels_clear(&labels);
	bt_config_clear(&config);
	free(path);
	return r;
}

static int export_weights(const struct bt_run_classifier *c,
                          struct bt_error *err)
{
	static const char *const drop[] = {"^optimizer/", "OPTIMIZER_SLOT",
	                                   "^save_counter/", "^global_step",
	                                   "adam_[mv]$"};
	struct bt_convert job = {.from = source_of(c),
	                         .format = BT_CONVERT_SAFETENSORS,
	                         .names = BT_NAMES_HF,
	                         .dtype = BT_DTYPES,
	                         .drop = drop,
	                         .n_drop = sizeof(drop) / sizeof(drop[0])};
	char *path = bt_path_join(c->export, BT_FILE_WEIGHTS);
	int r;

	job.to = path;
	r = bt_convert_run(&job, err);
	bt_convert_clear(&job);
	free(path);
	return r;
}

int bt_run_classifier_export(const struct bt_run_classifier *c,
                             struct bt_error *err)
{
	struct bt_meta meta;
	int r = bt_meta_read(c->meta_data, &meta, err);

	if (r == BT_OK)
		r = bt_file_patterns_make(c->export, err);
	if (r == BT_OK)
		r = export_config(c, meta.labels, err);
	if (r == BT_OK)
		r = export_weights(c, err);
	if (r == BT_OK)
		bt_log(c->log, BT_LOG_NOTE,
		       "'%s' is a model directory (config.json, "
		       "model.safetensors), for bert-predict -m and for "
		       "transformers: not a SavedModel, which cannot be "
		       "written here",
		       c->export);
	return r;
}
