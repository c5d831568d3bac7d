/* SPDX-License-Identifier: MIT */
/* The experiment whose task is to answer questions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "garden/experiment_int.h"
#include "io/path.h"
#include "tokenize/squad_windows.h"

#define EVAL "task.validation_data."
#define VERSION_2 EVAL "version_2_with_negative"
#define MOST_ANSWERS 1000

bool bt_experiment_squad(const struct bt_garden *c)
{
	return strcmp(bt_garden_name(c), "bert/squad") == 0;
}

/* A whole number from 1 to `most`. */
static void check_whole(const struct bt_garden *c, const char *path,
                        int64_t most, struct bt_error *err)
{
	int64_t v = bt_garden_int(c, path, 0);

	if (v < 1 || v > most)
		bt_garden_fault(c, path, err, "it may be 1 to %lld",
		                (long long)most);
}

void bt_experiment_squad_check(const struct bt_garden *c, struct bt_error *err)
{
	check_whole(c, "task.n_best_size", MOST_ANSWERS, err);
	check_whole(c, "task.max_answer_length", 1 << 20, err);
}

void bt_experiment_squad_check_data(const struct bt_garden *c, const char *at,
                                    struct bt_error *err)
{
	bool evaluates = strncmp(at, EVAL, strlen(at)) == 0;
	char path[80];

	snprintf(path, sizeof(path), "%s.tokenization", at);
	if (strcmp(bt_garden_str(c, path), "WordPiece") != 0)
		bt_garden_fault(c, path, err, "only WordPiece is built");
	snprintf(path, sizeof(path), "%s.xlnet_format", at);
	if (bt_garden_bool(c, path))
		bt_garden_fault(c, path, err,
		                "only false is built: the question stands "
		                "before the context");
	if (!evaluates)
		return;
	check_whole(c, EVAL "doc_stride", 1 << 20, err);
	check_whole(c, EVAL "query_length", 1 << 20, err);
	if (*bt_garden_str(c, EVAL "vocab_file") == '\0')
		bt_garden_fault(c, EVAL "vocab_file", err,
		                "it must be given: the vocabulary by which "
		                "the questions are tokenized");
}

bool bt_experiment_squad_measures(const struct bt_garden *c, const char *name)
{
	return bt_str_in_list("exact_match|final_f1", name) ||
	       (bt_garden_bool(c, VERSION_2) &&
	        bt_str_in_list("exact_match_threshold|f1_threshold|"
	                       "has_answer_exact_match|has_answer_f1",
	                       name));
}

/* As many batches as are evaluated must have all windows. */
static int check_steps(const struct bt_trial *t, uint64_t records,
                       struct bt_error *err)
{
	const struct bt_experiment_job *p = &t->plan;

	if (p->eval_steps <= 0 ||
	    (uint64_t)p->eval_steps >= (records + (uint64_t)p->eval_batch - 1) /
	                                   (uint64_t)p->eval_batch)
		return BT_OK;
	return bt_garden_fault(t->e->config, "trainer.validation_steps", err,
	                       "%lld batches of %lld are fewer than the %llu "
	                       "windows of the questions, all of which an "
	                       "answer is found in",
	                       (long long)p->eval_steps,
	                       (long long)p->eval_batch,
	                       (unsigned long long)records);
}

/* The records of the questions in a file, which are then evaluated on. */
static int make_records(struct bt_trial *t, const char *path,
                        struct bt_error *err)
{
	const struct bt_garden *c = t->e->config;
	const struct bt_squad_windows_opts o = {
	    .tok = t->tok,
	    .max_length = bt_garden_int(c, EVAL "seq_length", 0),
	    .max_question = bt_garden_int(c, EVAL "query_length", 0),
	    .stride = bt_garden_int(c, EVAL "doc_stride", 0),
	    .negatives = bt_garden_bool(c, VERSION_2),
	    .predicts = true,
	    .scores = true,
	    .limits = "seq_length, query_length"};
	uint64_t records;
	int r = bt_squad_windows_file(t->json.path, t->json.n, &o, path,
	                              t->e->log, &records, err);

	return r == BT_OK ? check_steps(t, records, err) : r;
}

int bt_trial_ask(struct bt_trial *t, struct bt_error *err)
{
	const struct bt_garden *c = t->e->config;
	const char *dir = bt_garden_str(c, EVAL "input_preprocessed_data_path");
	struct bt_file_patterns *eval = &t->plan.eval;
	bool v2 = bt_garden_bool(c, VERSION_2);
	char *path;
	int r;

	t->json = *eval;
	*eval = (struct bt_file_patterns){0};
	t->tok_opts = (struct bt_tok_opts){
	    .dialect = BT_TOK_GARDEN,
	    .lower = bt_garden_bool(c, EVAL "do_lower_case"),
	    .log = t->e->log};
	r = bt_tok_open(bt_garden_str(c, EVAL "vocab_file"), &t->tok_opts,
	                &t->tok, err);
	if (r == BT_OK)
		r = bt_file_patterns_make(*dir != '\0' ? dir : t->e->dir, err);
	if (r != BT_OK)
		return r;
	path = bt_path_join(*dir != '\0' ? dir : t->e->dir, "eval.tf_record");
	eval->path = bt_array(1, sizeof(*eval->path));
	eval->path[0] = path;
	eval->n = 1;
	t->answers = (struct bt_answers_opts){
	    .version = v2 ? BT_ANSWERS_MAY_LACK : BT_ANSWERS_ALWAYS,
	    .spans = {.best = (size_t)bt_garden_int(c, "task.n_best_size", 0),
	              .longest =
	                  (size_t)bt_garden_int(c, "task.max_answer_length", 0),
	              .threshold = bt_garden_real(
	                  c, "task.null_score_diff_threshold", 0),
	              .google = t->tok},
	    .null_threshold = NAN};
	return make_records(t, path, err);
}

void bt_trial_unask(struct bt_trial *t)
{
	bt_tok_free(t->tok);
	bt_file_patterns_clear(&t->json);
}

void bt_trial_vocabulary(struct bt_trial *t, struct bt_job_opts *o)
{
	const char *path = bt_garden_str(t->e->config, EVAL "vocab_file");

	if (*path == '\0')
		return;
	t->tok_opts.dialect = BT_TOK_GARDEN;
	t->tok_opts.lower = bt_garden_bool(t->e->config, EVAL "do_lower_case");
	o->tokenizer = path;
	o->tokenizer_opts = &t->tok_opts;
}
