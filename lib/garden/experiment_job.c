/* SPDX-License-Identifier: MIT */
#include "garden/experiment_job_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T "trainer."
#define ENCODER "task.model.encoder.bert."

/* Adds the files of a pattern, or of a list of them, which a comma divides
 * either way. */
static int find(const struct bt_garden *c, const char *path,
                struct bt_file_patterns *p, struct bt_error *err)
{
	const struct bt_yaml *v = bt_garden_get(c, path);
	struct bt_buf all = BT_BUF_INIT;
	size_t i;
	int r = BT_OK;

	if (v->kind == BT_YAML_STR)
		bt_buf_puts(&all, v->text);
	for (i = 0; r == BT_OK && i < v->n; i++) {
		if (v->item[i]->kind != BT_YAML_STR)
			r = bt_garden_fault(
			    c, path, BT_EARG, err,
			    "a list of paths is due, not of %s",
			    bt_yaml_kind_name(v->item[i]->kind));
		else
			bt_buf_printf(&all, "%s%s", i > 0 ? "," : "",
			              v->item[i]->text);
	}
	if (r == BT_OK && all.len == 0)
		r = bt_garden_fault(c, path, BT_EARG, err,
		                    "it must be given: records that "
		                    "bert-tokenize or Model Garden made");
	if (r == BT_OK && bt_buf_str(&all) == NULL)
		r = bt_error_nomem(err, "looking for records");
	if (r == BT_OK)
		r = bt_file_patterns_find(path, bt_buf_str(&all), p, err);
	bt_buf_clear(&all);
	return r;
}

/* A whole number in [lo, hi]. */
static int whole(const struct bt_garden *c, const char *path, int64_t lo,
                 int64_t hi, int64_t *v, struct bt_error *err)
{
	*v = bt_garden_int(c, path, 0);
	if (*v >= lo && *v <= hi)
		return BT_OK;
	return bt_garden_fault(c, path, BT_EARG, err,
	                       *v < lo ? "it must be given, and at least %lld"
	                               : "it may be %lld at least and no more "
	                                 "than 10^12",
	                       (long long)lo);
}

#define MOST ((int64_t)1000000000000)

static int read_loop(const struct bt_garden *c, bool trains, bool evaluates,
                     struct bt_experiment_job *p, struct bt_error *err)
{
	int64_t summaries;
	int r = whole(c, T "steps_per_loop", 1, MOST, &p->steps_per_loop, err);

	if (r == BT_OK)
		r = whole(c, T "summary_interval", 1, MOST, &summaries, err);
	if (r == BT_OK && summaries % p->steps_per_loop != 0)
		r = bt_garden_fault(c, T "summary_interval", BT_EARG, err,
		                    "%lld is no multiple of steps_per_loop, "
		                    "%lld",
		                    (long long)summaries,
		                    (long long)p->steps_per_loop);
	if (r == BT_OK && trains)
		r = whole(c, T "train_steps", 1, MOST, &p->train_steps, err);
	if (r == BT_OK && evaluates)
		r = whole(c, T "validation_interval", 1, MOST,
		          &p->eval_interval, err);
	p->eval_steps = bt_garden_int(c, T "validation_steps", -1);
	if (r == BT_OK &&
	    (p->eval_steps < -1 || p->eval_steps == 0 || p->eval_steps > MOST))
		r = bt_garden_fault(c, T "validation_steps", BT_EARG, err,
		                    "batches, or -1 for all of them");
	p->loss_bound = bt_garden_real(c, T "loss_upper_bound", HUGE_VAL);
	p->recoveries = bt_garden_int(c, T "recovery_max_trials", 0);
	if (p->recoveries < 0) /* the bound is not looked at */
		p->loss_bound = HUGE_VAL;
	p->bound_from = bt_garden_int(c, T "recovery_begin_steps", 0);
	return r;
}

static int read_best(const struct bt_garden *c, struct bt_experiment_job *p,
                     struct bt_error *err)
{
	const char *comp = bt_garden_str(c, T "best_checkpoint_metric_comp");

	p->best_in = bt_garden_str(c, T "best_checkpoint_export_subdir");
	p->best_by = bt_garden_str(c, T "best_checkpoint_eval_metric");
	p->best_falls = strcmp(comp, "lower") == 0;
	if (*p->best_in == '\0' || *p->best_by == '\0') {
		p->best_in = ""; /* only the two of them ask for it */
		return BT_OK;
	}
	if (!p->best_falls && strcmp(comp, "higher") != 0)
		return bt_garden_fault(c, T "best_checkpoint_metric_comp",
		                       BT_EARG, err, "higher or lower is due");
	if (p->best_in[0] == '/' || p->best_in[0] == '.' ||
	    strstr(p->best_in, "..") != NULL)
		return bt_garden_fault(c, T "best_checkpoint_export_subdir",
		                       BT_EARG, err,
		                       "a directory below --model_dir is due");
	return BT_OK;
}

/* The names under which measures are told. */
static bool is_told(const struct bt_experiment_job *p, const char *name)
{
	return (p->task == &bt_task_classification &&
	        strcmp(name, "cls_accuracy") == 0) ||
	       strcmp(name, "validation_loss") == 0 ||
	       (p->classes == 2 && strcmp(name, "auc") == 0) ||
	       (p->metric == BT_EXPERIMENT_JOB_CORRELATION &&
	        strcmp(name, "pearson_spearman_corr") == 0) ||
	       (p->metric == BT_EXPERIMENT_JOB_F1 && strcmp(name, "f1") == 0) ||
	       (p->metric == BT_EXPERIMENT_JOB_MCC &&
	        strcmp(name, "matthews_corrcoef") == 0);
}

static int read_metric(const struct bt_garden *c, struct bt_experiment_job *p,
                       struct bt_error *err)
{
	const char *s = bt_garden_str(c, "task.metric_type");
	bool numbers;

	if (strcmp(s, "accuracy") == 0)
		p->metric = BT_EXPERIMENT_JOB_ACCURACY;
	else if (strcmp(s, "f1") == 0)
		p->metric = BT_EXPERIMENT_JOB_F1;
	else if (strcmp(s, "matthews_corrcoef") == 0)
		p->metric = BT_EXPERIMENT_JOB_MCC;
	else if (strcmp(s, "pearson_spearman_corr") == 0)
		p->metric = BT_EXPERIMENT_JOB_CORRELATION;
	else
		return bt_garden_fault(c, "task.metric_type", BT_EARG, err,
		                       "'%.60s': accuracy, f1, "
		                       "matthews_corrcoef and "
		                       "pearson_spearman_corr are built",
		                       s);
	p->classes = (int)bt_garden_int(c, "task.model.num_classes", 0);
	numbers = p->classes == 1;
	p->task = numbers ? &bt_task_regression : &bt_task_classification;
	if (numbers ? p->metric == BT_EXPERIMENT_JOB_F1 ||
	                  p->metric == BT_EXPERIMENT_JOB_MCC
	            : p->metric == BT_EXPERIMENT_JOB_CORRELATION)
		return bt_garden_fault(c, "task.metric_type", BT_EARG, err,
		                       "%s is of %s", s,
		                       numbers ? "classes" : "numbers");
	if (p->metric == BT_EXPERIMENT_JOB_F1 && p->classes != 2)
		return bt_garden_fault(c, "task.metric_type", BT_EARG, err,
		                       "f1 is of two classes");
	if (*p->best_in != '\0' && !is_told(p, p->best_by))
		return bt_garden_fault(
		    c, T "best_checkpoint_eval_metric", BT_EARG, err,
		    "'%.60s' is not measured: validation_loss is, "
		    "cls_accuracy of classes, auc of two, and what "
		    "task.metric_type names",
		    p->best_by);
	return BT_OK;
}

int bt_experiment_job_make(const struct bt_garden *c, bool trains,
                           bool evaluates, struct bt_experiment_job *p,
                           struct bt_error *err)
{
	int r = BT_OK;

	memset(p, 0, sizeof(*p));
	p->eval_batch =
	    bt_garden_int(c, "task.validation_data.global_batch_size", 0);
	if (trains)
		r = bt_lr_schedule_read(c, &p->rate, err);
	if (r == BT_OK && trains)
		r = bt_experiment_job_optim(c, &p->optim, err);
	if (r == BT_OK)
		r = read_loop(c, trains, evaluates, p, err);
	if (r == BT_OK)
		r = read_best(c, p, err);
	if (r == BT_OK)
		r = read_metric(c, p, err);
	if (r == BT_OK && trains)
		r = find(c, "task.train_data.input_path", &p->train, err);
	if (r == BT_OK && evaluates)
		r = find(c, "task.validation_data.input_path", &p->eval, err);
	return r;
}

void bt_experiment_job_clear(struct bt_experiment_job *p)
{
	bt_file_patterns_clear(&p->train);
	bt_file_patterns_clear(&p->eval);
}

/* The dropout before the classes: the head's own .1 and, where it stands on the
 * encoder's pooler, the model's before it. What both leave is scaled alike. */
static double head_dropout(const struct bt_garden *c)
{
	double d = bt_garden_real(c, ENCODER "dropout_rate", 0);

	if (!bt_garden_bool(c, "task.model.use_encoder_pooler"))
		return 0.1;
	return 1 - (1 - d) * (1 - 0.1);
}

json_t *bt_experiment_job_encoder(const struct bt_garden *c)
{
	static const char *const whole_keys[][2] = {
	    {"vocab_size", "vocab_size"},
	    {"hidden_size", "hidden_size"},
	    {"num_layers", "num_hidden_layers"},
	    {"num_attention_heads", "num_attention_heads"},
	    {"intermediate_size", "intermediate_size"},
	    {"max_position_embeddings", "max_position_embeddings"},
	    {"type_vocab_size", "type_vocab_size"}};
	static const char *const real_keys[][2] = {
	    {"dropout_rate", "hidden_dropout_prob"},
	    {"attention_dropout_rate", "attention_probs_dropout_prob"},
	    {"initializer_range", "initializer_range"}};
	const char *act = bt_garden_str(c, ENCODER "hidden_activation");
	json_t *o = json_object();
	char path[80];
	size_t i;

	for (i = 0; i < sizeof(whole_keys) / sizeof(whole_keys[0]); i++) {
		snprintf(path, sizeof(path), ENCODER "%s", whole_keys[i][0]);
		json_object_set_new(o, whole_keys[i][1],
		                    json_integer(bt_garden_int(c, path, 0)));
	}
	for (i = 0; i < sizeof(real_keys) / sizeof(real_keys[0]); i++) {
		snprintf(path, sizeof(path), ENCODER "%s", real_keys[i][0]);
		json_object_set_new(o, real_keys[i][1],
		                    json_real(bt_garden_real(c, path, 0)));
	}
	/* Model Garden's gelu is the approximation by tanh */
	if (strcmp(act, "gelu") == 0)
		act = "gelu_new";
	json_object_set_new(o, "hidden_act", json_string(act));
	json_object_set_new(o, "classifier_dropout",
	                    json_real(head_dropout(c)));
	json_object_set_new(o, "model_type", json_string("bert"));
	return o;
}
