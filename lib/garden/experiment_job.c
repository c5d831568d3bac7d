/* SPDX-License-Identifier: MIT */
#include "garden/experiment_job_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define T "trainer."
#define ENCODER "task.model.encoder.bert."
#define MOST ((int64_t)1000000000000)

/* Adds the files of a pattern, or of a list of them, which a comma divides
 * either way; what is in them is for messages. */
static void find(const struct bt_garden *c, const char *path, const char *what,
                 struct bt_file_patterns *p, struct bt_error *err)
{
	const struct bt_yaml *v = bt_garden_get(c, path), *item;
	struct bt_buf all = BT_BUF_INIT;
	size_t i;

	if (v->kind == BT_YAML_STR)
		bt_buf_puts(&all, v->text);
	for (i = 0; err->code == BT_OK && i < v->n; i++) {
		item = v->item[i];
		if (item->kind != BT_YAML_STR)
			bt_garden_fault(c, path, err,
			                "a list of paths is due, not of %s",
			                bt_yaml_kind_name(item->kind));
		else
			bt_buf_printf(&all, "%s%s", i > 0 ? "," : "",
			              item->text);
	}
	if (all.len == 0)
		bt_garden_fault(c, path, err, "it must be given: %s", what);
	if (bt_buf_str(&all) == NULL)
		(void)bt_error_nomem(err, "looking for records");
	if (err->code == BT_OK)
		(void)!bt_file_patterns_find(path, all.data, p, err);
	bt_buf_clear(&all);
}

/* A whole number in [1, 10^12]. */
static int64_t whole(const struct bt_garden *c, const char *path,
                     struct bt_error *err)
{
	int64_t v = bt_garden_int(c, path, 0);

	if (v < 1)
		bt_garden_fault(c, path, err,
		                "it must be given, and at least 1");
	if (v > MOST)
		bt_garden_fault(c, path, err,
		                "it may be 1 at least and no more than 10^12");
	return v;
}

static void read_loop(const struct bt_garden *c, bool trains, bool evaluates,
                      struct bt_experiment_job *p, struct bt_error *err)
{
	int64_t summaries;

	p->steps_per_loop = whole(c, T "steps_per_loop", err);
	summaries = whole(c, T "summary_interval", err);
	if (err->code == BT_OK && summaries % p->steps_per_loop != 0)
		bt_garden_fault(
		    c, T "summary_interval", err,
		    "%lld is not a multiple of steps_per_loop, %lld",
		    (long long)summaries, (long long)p->steps_per_loop);
	if (trains)
		p->train_steps = whole(c, T "train_steps", err);
	if (evaluates)
		p->eval_interval = whole(c, T "validation_interval", err);
	p->eval_steps = bt_garden_int(c, T "validation_steps", -1);
	if (p->eval_steps < -1 || p->eval_steps == 0 || p->eval_steps > MOST)
		bt_garden_fault(c, T "validation_steps", err,
		                "batches, or -1 for all of them");
	p->loss_bound = bt_garden_real(c, T "loss_upper_bound", HUGE_VAL);
	p->recoveries = bt_garden_int(c, T "recovery_max_trials", 0);
	if (p->recoveries < 0) /* the bound is not looked at */
		p->loss_bound = HUGE_VAL;
	p->bound_from = bt_garden_int(c, T "recovery_begin_steps", 0);
}

static void read_best(const struct bt_garden *c, struct bt_experiment_job *p,
                      struct bt_error *err)
{
	const char *comp = bt_garden_str(c, T "best_checkpoint_metric_comp");

	p->best_in = bt_garden_str(c, T "best_checkpoint_export_subdir");
	p->best_by = bt_garden_str(c, T "best_checkpoint_eval_metric");
	p->best_falls = strcmp(comp, "lower") == 0;
	if (*p->best_in == '\0' || *p->best_by == '\0') {
		p->best_in = ""; /* only the two of them ask for it */
		return;
	}
	if (!p->best_falls && strcmp(comp, "higher") != 0)
		bt_garden_fault(c, T "best_checkpoint_metric_comp", err,
		                "higher or lower is due");
	if (p->best_in[0] == '/' || p->best_in[0] == '.' ||
	    strstr(p->best_in, "..") != NULL)
		bt_garden_fault(c, T "best_checkpoint_export_subdir", err,
		                "a directory below --model_dir is due");
}

static void refuse_best(const struct bt_garden *c,
                        const struct bt_experiment_job *p, const char *which,
                        struct bt_error *err)
{
	bt_garden_fault(c, T "best_checkpoint_eval_metric", err,
	                "'%.60s' is not measured: %s", p->best_by, which);
}

bool bt_experiment_job_tags(const struct bt_garden *c)
{
	return strcmp(bt_garden_name(c), "bert/tagging") == 0;
}

/* The tags by their numbers. */
static void read_tags(const struct bt_garden *c, struct bt_experiment_job *p,
                      struct bt_error *err)
{
	const char *key = "task.class_names";
	const struct bt_yaml *v = bt_garden_get(c, key);
	struct bt_buf b = BT_BUF_INIT;
	size_t i;

	p->task = &bt_task_tagging;
	p->classes = (int)v->n;
	p->metric = BT_EXPERIMENT_JOB_TAGS;
	if (v->n < 2)
		bt_garden_fault(c, key, err,
		                "the names of the classes must be given, two "
		                "at least: label_list of the meta data");
	for (i = 0; err->code == BT_OK && i < v->n; i++) {
		if (v->item[i]->kind != BT_YAML_STR ||
		    strchr(v->item[i]->text, ',') != NULL)
			bt_garden_fault(c, key, err,
			                "name %zu is not a text without "
			                "commas",
			                i + 1);
		else
			bt_buf_printf(&b, "%s%s", i > 0 ? "," : "",
			              v->item[i]->text);
	}
	p->tags = bt_buf_detach(&b);
	if (*p->best_in != '\0' &&
	    !bt_str_in_list("validation_loss|f1|precision|recall|accuracy",
	                    p->best_by))
		refuse_best(c, p,
		            "validation_loss, f1, precision, recall and "
		            "accuracy are",
		            err);
}

static void read_squad(const struct bt_garden *c, struct bt_experiment_job *p,
                       struct bt_error *err)
{
	p->task = &bt_task_qa;
	if (*p->best_in != '\0' && !bt_experiment_squad_measures(c, p->best_by))
		refuse_best(c, p,
		            "final_f1 and exact_match are, and with "
		            "version_2_with_negative f1_threshold, "
		            "exact_match_threshold, has_answer_f1 and "
		            "has_answer_exact_match",
		            err);
}

static const char *const metrics[] = {
    [BT_EXPERIMENT_JOB_ACCURACY] = "accuracy",
    [BT_EXPERIMENT_JOB_F1] = "f1",
    [BT_EXPERIMENT_JOB_MCC] = "matthews_corrcoef",
    [BT_EXPERIMENT_JOB_CORRELATION] = "pearson_spearman_corr"};

static void read_metric(const struct bt_garden *c, struct bt_experiment_job *p,
                        struct bt_error *err)
{
	const char *key = "task.metric_type", *s = bt_garden_str(c, key);
	int k = BT_STR_ROW(s, metrics);
	bool numbers, suits;

	if (k < 0) {
		bt_garden_fault(c, key, err,
		                "'%.60s': accuracy, f1, matthews_corrcoef and "
		                "pearson_spearman_corr are built",
		                s);
		return;
	}
	p->metric = (enum bt_experiment_job_metric)k;
	p->classes = (int)bt_garden_int(c, "task.model.num_classes", 0);
	numbers = p->classes == 1;
	p->task = numbers ? &bt_task_regression : &bt_task_classification;
	suits = numbers
	            ? k != BT_EXPERIMENT_JOB_F1 && k != BT_EXPERIMENT_JOB_MCC
	            : k != BT_EXPERIMENT_JOB_CORRELATION;
	if (!suits)
		bt_garden_fault(c, key, err, "%s is of %s", s,
		                numbers ? "classes" : "numbers");
	if (k == BT_EXPERIMENT_JOB_F1 && p->classes != 2)
		bt_garden_fault(c, key, err, "f1 is of two classes");
	if (*p->best_in == '\0' || strcmp(p->best_by, "validation_loss") == 0 ||
	    (!numbers && strcmp(p->best_by, "cls_accuracy") == 0) ||
	    (p->classes == 2 && strcmp(p->best_by, "auc") == 0) ||
	    (k != BT_EXPERIMENT_JOB_ACCURACY && strcmp(p->best_by, s) == 0))
		return;
	refuse_best(c, p,
	            "validation_loss is, cls_accuracy of classes, auc of two, "
	            "and what task.metric_type names",
	            err);
}

int bt_experiment_job_make(const struct bt_garden *c, bool trains,
                           bool evaluates, struct bt_experiment_job *p,
                           struct bt_error *err)
{
	const char *records = "records that bert-tokenize or Model Garden made";
	bool asks = bt_experiment_squad(c);

	memset(p, 0, sizeof(*p));
	p->eval_batch =
	    bt_garden_int(c, "task.validation_data.global_batch_size", 0);
	if (trains && bt_lr_schedule_read(c, &p->rate, err) == BT_OK)
		(void)!bt_experiment_job_optim(c, &p->optim, err);
	read_loop(c, trains, evaluates, p, err);
	read_best(c, p, err);
	if (asks)
		read_squad(c, p, err);
	else if (bt_experiment_job_tags(c))
		read_tags(c, p, err);
	else
		read_metric(c, p, err);
	if (trains)
		find(c, "task.train_data.input_path", records, &p->train, err);
	if (evaluates)
		find(c, "task.validation_data.input_path",
		     asks ? "the JSON of the questions, as SQuAD has it"
		          : records,
		     &p->eval, err);
	return err->code;
}

void bt_experiment_job_clear(struct bt_experiment_job *p)
{
	bt_file_patterns_clear(&p->train);
	bt_file_patterns_clear(&p->eval);
	free(p->tags);
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
	double dropout = bt_garden_real(c, ENCODER "dropout_rate", 0);
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
	/* The dropout before the classes: of tags as it is given, else the
	 * head's own .1 and, where it
	 * stands on the encoder's pooler, the model's before it. What both
	 * leave is scaled alike. */
	if (bt_experiment_job_tags(c))
		dropout = bt_garden_real(c, "task.model.head_dropout", 0);
	else if (!bt_experiment_squad(c) &&
	         bt_garden_bool(c, "task.model.use_encoder_pooler"))
		dropout = 1 - (1 - dropout) * (1 - 0.1);
	else
		dropout = 0.1;
	json_object_set_new(o, "classifier_dropout", json_real(dropout));
	json_object_set_new(o, "model_type", json_string("bert"));
	return o;
}
