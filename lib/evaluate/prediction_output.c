/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "evaluate/answers.h"
#include "evaluate/prediction_output.h"
#include "predict/questions.h"
#include "task/task.h"

static bool is_format(const struct bt_prediction_output *p, const char *name)
{
	return bt_str_is(p->o.format, name);
}

/* The place of the format among `n` of them, of which the first is the task's
 * own; n: another. */
static int format_among(const struct bt_prediction_output *p,
                        const char *const *names, int n)
{
	int i = 0;

	while (p->o.format != NULL && i < n && !is_format(p, names[i]))
		i++;
	return i;
}

static int put_word(void *ctx, uint64_t i, struct bt_span id, size_t word,
                    const float *logits, struct bt_error *err)
{
	return bt_row_writer_add_word(ctx, i, id, word, logits, err);
}

/* The logits of words, as rows. */
static int open_words(struct bt_prediction_output *p, struct bt_tags_opts *t,
                      struct bt_error *err)
{
	struct bt_row_writer_opts o = {.form = BT_ROWS_TENSOR,
	                               .name = BT_FRAME_LOGITS,
	                               .cols = bt_model_width(p->model),
	                               .labels = &p->model->labels,
	                               .problem = p->model->task->problem_type,
	                               .words = true};
	int e;

	if (t->scheme != NULL)
		return bt_error_set(err, BT_EARG,
		                    "a tensor holds the logits of words, "
		                    "whatever the scheme of tags");
	e = bt_out_open(p->o.output, BT_OUT_BINARY, &p->out, err);
	if (e == BT_OK)
		e = bt_row_writer_new(&o, p->out, &p->rows, err);
	t->row = put_word;
	t->ctx = p->rows;
	return e == BT_OK
	           ? bt_tags_new(t, &p->model->labels, NULL, &p->tags, err)
	           : e;
}

static int open_tags(struct bt_prediction_output *p, struct bt_error *err)
{
	static const char *const formats[] = {"conll", "csv", "jsonl",
	                                      "tensor"};
	int i = format_among(p, formats, 4), e;
	struct bt_tags_opts o = {.format = (enum bt_tags_format)i,
	                         .proba = p->o.labels.proba,
	                         .scheme = p->o.scheme};

	if (i == 4)
		return bt_error_set(err, BT_EARG,
		                    "the model tags words, which can be "
		                    "written as conll, csv, jsonl or tensor, "
		                    "not as %s",
		                    p->o.format);
	if (o.format == BT_TAGS_ROWS)
		return open_words(p, &o, err);
	e = bt_out_open(p->o.output, BT_OUT_TEXT, &p->out, err);
	return e == BT_OK
	           ? bt_tags_new(&o, &p->model->labels, p->out, &p->tags, err)
	           : e;
}

static int open_masks(struct bt_prediction_output *p,
                      const struct bt_predict_stream *s, struct bt_error *err)
{
	static const char *const formats[] = {"csv", "jsonl"};
	int i = format_among(p, formats, 2), e;
	struct bt_mask_output_opts o = {
	    .json = i == 1,
	    .top = p->o.labels.top > 0 ? (size_t)p->o.labels.top : 1,
	    .width = bt_model_width(p->model),
	    .tok = s->tok};

	if (i == 2)
		return bt_error_set(err, BT_EARG,
		                    "tokens for masks are written as csv or "
		                    "jsonl, not as %s",
		                    p->o.format);
	e = bt_out_open(p->o.output, BT_OUT_TEXT, &p->out, err);
	return e == BT_OK ? bt_mask_output_new(&o, p->out, &p->masks, err) : e;
}

static int open_choices(struct bt_prediction_output *p, struct bt_error *err)
{
	static const char *const formats[] = {"csv", "jsonl"};
	int i = format_among(p, formats, 2), e;
	struct bt_choices_opts o = {.json = i == 1,
	                            .delimiter = p->o.labels.delimiter,
	                            .header = p->o.labels.header,
	                            .top = (size_t)p->o.labels.top,
	                            .separator = p->o.labels.separator,
	                            .proba = p->o.labels.proba,
	                            .fields = p->fields};

	if (i == 2)
		return bt_error_set(err, BT_EARG,
		                    "choices are written as csv or jsonl, not "
		                    "as %s",
		                    p->o.format);
	if (p->o.labels.threshold != NULL &&
	    bt_parse_f64(p->o.labels.threshold, 1e-9, 1, &o.threshold) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "threshold '%s' is not a number from 1e-9 "
		                    "to 1",
		                    p->o.labels.threshold);
	e = bt_out_open(p->o.output, BT_OUT_TEXT, &p->out, err);
	return e == BT_OK ? bt_choices_new(&o, p->out, &p->choices, err) : e;
}

static int open_explanations(struct bt_prediction_output *p,
                             struct bt_predict_stream *s, struct bt_error *err)
{
	static const char *const formats[] = {"tsv", "csv", "jsonl"};
	struct bt_explain_opts o = p->o.explain;
	int i = format_among(p, formats, 3), e;

	if (i == 3)
		return bt_error_set(err, BT_EARG,
		                    "explanations are written as tsv, csv or "
		                    "jsonl, not as %s",
		                    p->o.format);
	o.json = i == 2;
	o.delimiter = i == 1 ? ',' : '\t';
	o.log = p->o.log;
	e = bt_out_open(p->o.output, BT_OUT_TEXT, &p->out, err);
	return e == BT_OK
	           ? bt_explain_output_new(&o, s, p->out, &p->explained, err)
	           : e;
}

static int open_answers(struct bt_prediction_output *p,
                        const struct bt_predict_stream *s, struct bt_error *err)
{
	static const char *const formats[] = {"json", "jsonl", "csv"};
	struct bt_span_files_opts *o = &p->o.answers;
	int i = format_among(p, formats, 3), e;

	if (i == 3)
		return bt_error_set(err, BT_EARG,
		                    "answers are written as json, jsonl or "
		                    "csv, not as %s",
		                    p->o.format);
	o->format = (enum bt_span_format)i;
	o->output = p->o.output;
	e = p->o.google ? bt_answers_tokenizer(s, &o->google, err) : BT_OK;
	if (e == BT_OK)
		e = bt_out_open(p->o.output, BT_OUT_TEXT, &p->out, err);
	p->asks = true;
	return e == BT_OK ? bt_span_files_open(&p->answers, o, p->out, err) : e;
}

/* Probabilities in place of what the model puts out. */
static int open_probabilities(struct bt_prediction_output *p,
                              struct bt_error *err)
{
	size_t n = (size_t)p->model->labels.n;

	if (p->model->task->answer->is_number)
		return bt_error_hint(
		    err, BT_HINT_PREDICT_CLASSES_ONLY,
		    bt_error_set(err, BT_EARG, "the model predicts a number"));
	p->sum = bt_array(n, sizeof(*p->sum));
	p->proba = bt_array(n, sizeof(*p->proba));
	return p->sum != NULL && p->proba != NULL
	           ? BT_OK
	           : bt_error_nomem(err, "predicting");
}

static const float *probabilities(struct bt_prediction_output *p,
                                  const float *logits)
{
	int i, n = p->model->labels.n;

	for (i = 0; i < n; i++)
		p->sum[i] = 0;
	p->model->task->answer->add(logits, NULL, n, p->sum);
	for (i = 0; i < n; i++)
		p->proba[i] = (float)p->sum[i];
	return p->proba;
}

static int open_labels(struct bt_prediction_output *p, struct bt_error *err)
{
	struct bt_predict_opts o = p->o.labels;

	o.format = is_format(p, "jsonl")      ? BT_PREDICT_JSONL
	           : is_format(p, "tfrecord") ? BT_PREDICT_TFRECORD
	           : is_format(p, "tsv")      ? BT_PREDICT_TSV
	                                      : BT_PREDICT_CSV;
	o.form = p->model->task->answer;
	if (p->o.sets) {
		o.sets = &p->model->calibration.sets;
		if (o.form == &bt_answer_label && o.sets->coverage == 0)
			return bt_error_hint(
			    err, BT_HINT_FIND_SETS,
			    bt_error_set(err, BT_EARG,
			                 "the model has no sets of "
			                 "labels"));
	}
	o.fields = p->fields;
	o.log = p->o.log;
	return bt_predict_new(&o, &p->model->labels, p->out, &p->labels, err);
}

/* Of labels, numbers, embeddings. */
static int open_rows(struct bt_prediction_output *p, struct bt_error *err)
{
	const struct bt_task *task = p->model->task;
	bool embed = p->o.embed, tensor = is_format(p, "tensor");
	bool array = is_format(p, "npy");
	size_t width = bt_model_width(p->model);
	struct bt_row_writer_opts o = {
	    tensor                  ? BT_ROWS_TENSOR
	    : is_format(p, "jsonl") ? BT_ROWS_JSONL
	    : array                 ? BT_ROWS_NPY
	                            : BT_ROWS_CSV,
	    embed ? BT_FRAME_EMBEDDINGS : BT_FRAME_LOGITS,
	    p->o.truncate_dim > 0 ? p->o.truncate_dim : width,
	    embed ? NULL : &p->model->labels,
	    p->o.normalize,
	    task == &bt_task_classification ? NULL : task->problem_type,
	    false,
	    embed ? p->model->fingerprint : NULL};
	int e;

	if (o.cols > width)
		return bt_error_set(err, BT_EARG,
		                    "the model's embeddings have %zu values, "
		                    "so %zu of them cannot be kept",
		                    width, o.cols);
	e = bt_out_open(p->o.output,
	                is_format(p, "tfrecord") ? BT_OUT_RECORDS
	                : tensor || array        ? BT_OUT_BINARY
	                                         : BT_OUT_TEXT,
	                &p->out, err);

	if (e == BT_OK && array && p->o.labels.proba)
		e = open_probabilities(p, err);
	if (e != BT_OK)
		return e;
	return tensor || array || embed
	           ? bt_row_writer_new(&o, p->out, &p->rows, err)
	           : open_labels(p, err);
}

/* The fields stand between the columns of CSV, or are members of JSON. */
static int open_fields(struct bt_prediction_output *p, struct bt_error *err)
{
	char delimiter =
	    p->o.labels.delimiter != 0 ? p->o.labels.delimiter : ',';

	if (p->o.with == NULL)
		return BT_OK;
	return bt_fields_new(p->o.with, is_format(p, "jsonl") ? 0 : delimiter,
	                     &p->fields, err);
}

int bt_prediction_output_open(struct bt_prediction_output *p,
                              const struct bt_prediction_output_opts *o,
                              struct bt_predict_stream *s, struct bt_error *err)
{
	const struct bt_task *task = s->model.task;
	int e;

	p->o = *o;
	p->o.normalize |= s->own.normalize;
	p->model = &s->model;
	/* a sample checks its ids itself, and tsv and npy have none */
	p->looks = o->labels.sample == NULL && !is_format(p, "npy") &&
	           (o->explains || !is_format(p, "tsv"));
	e = open_fields(p, err);
	if (e != BT_OK)
		return e;
	if (o->explains)
		return open_explanations(p, s, err);
	if (o->embed)
		return open_rows(p, err);
	if (task == &bt_task_qa)
		return open_answers(p, s, err);
	if (task->masks)
		return open_masks(p, s, err);
	if (task == &bt_task_multiple_choice)
		return open_choices(p, err);
	return task->per_token ? open_tags(p, err) : open_rows(p, err);
}

void bt_prediction_output_clear(struct bt_prediction_output *p)
{
	bt_predict_free(p->labels);
	bt_fields_free(p->fields);
	bt_row_writer_free(p->rows);
	bt_tags_free(p->tags);
	bt_mask_output_free(p->masks);
	bt_choices_free(p->choices);
	bt_explain_output_free(p->explained);
	bt_span_files_clear(&p->answers);
	free(p->sum);
	free(p->proba);
	bt_duplicate_ids_clear(&p->ids);
	memset(p, 0, sizeof(*p));
}

int bt_prediction_output_look(void *ctx, size_t k, uint64_t number,
                              const void *data, size_t len,
                              struct bt_error *err)
{
	struct bt_prediction_output *p = ctx;

	if (p->asks)
		return bt_questions_look(&p->answers.questions, k, number, data,
		                         len, err);
	if (p->explained != NULL)
		return bt_explain_output_look(p->explained, k, data, len, err);
	if (p->tags != NULL)
		return bt_tags_look(p->tags, k, number, data, len, err);
	if (p->choices != NULL &&
	    bt_choices_look(p->choices, k, data, len, err) != BT_OK)
		return err->code;
	return p->fields != NULL ? bt_fields_look(p->fields, k, data, len, err)
	                         : BT_OK;
}

int bt_prediction_output_add(void *ctx, uint64_t i, const struct bt_dataset *d,
                             size_t k, const float *logits,
                             struct bt_error *err)
{
	struct bt_prediction_output *p = ctx;
	struct bt_span id = bt_dataset_id(d, k);
	bool words = p->tags != NULL;
	/* a window of a question, or a further text of an example */
	bool again = (p->asks && d->continues[k]) ||
	             d->continues[k] == BT_CONTINUES_GROUP;

	p->n++;
	if (p->looks && !words && !again && id.p != NULL)
		bt_duplicate_ids_add(&p->ids, id);
	if (p->asks)
		return bt_questions_add(&p->answers.questions, k,
		                        bt_dataset_length(d, k), logits, err);
	if (words)
		return bt_tags_add(p->tags, k, d->continues[k],
		                   d->token_label + d->start[k],
		                   bt_dataset_length(d, k), logits, err);
	if (p->explained != NULL)
		return bt_explain_output_add(p->explained, i, d, k, logits,
		                             err);
	if (p->masks != NULL)
		return bt_mask_output_add(p->masks, i, d, k, logits, err);
	if (p->choices != NULL)
		return bt_choices_add(
		    p->choices, k, id,
		    again ? 0 : (size_t)bt_dataset_target(d, k)[1], *logits,
		    err);
	if (p->rows != NULL)
		return bt_row_writer_add(
		    p->rows, i, id,
		    p->sum != NULL ? probabilities(p, logits) : logits, err);
	if (p->fields != NULL && bt_fields_choose(p->fields, k, err) != BT_OK)
		return err->code;
	return bt_predict_add(p->labels, i, id, logits, err);
}

bool bt_prediction_output_is_live(const struct bt_prediction_output *p)
{
	return bt_out_is_live(p->out);
}

int bt_prediction_output_flush(struct bt_prediction_output *p,
                               struct bt_error *err)
{
	if (p->rows != NULL && bt_row_writer_flush(p->rows, err) != BT_OK)
		return err->code;
	if (p->explained != NULL &&
	    bt_explain_output_flush(p->explained, err) != BT_OK)
		return err->code;
	return bt_out_flush(p->out, err);
}

static int finish(struct bt_prediction_output *p, struct bt_error *err)
{
	if (p->asks)
		return bt_span_files_finish(&p->answers, err);
	if (p->tags != NULL &&
	    (bt_tags_finish(p->tags, err) != BT_OK || p->rows == NULL))
		return err->code;
	if (p->masks != NULL || p->explained != NULL || p->choices != NULL)
		return BT_OK;
	if (p->rows != NULL)
		return bt_row_writer_finish(p->rows, err);
	return bt_predict_finish(p->labels, err);
}

int bt_prediction_output_close(struct bt_prediction_output *p, int r,
                               struct bt_error *err)
{
	struct bt_out *out = p->out;

	p->out = NULL;
	if (r == BT_OK)
		r = finish(p, err);
	r = bt_span_files_close(&p->answers, r, err);
	return bt_out_end(out, r, err);
}

void bt_prediction_output_tell(const struct bt_prediction_output *p,
                               const struct bt_log *log)
{
	bool named;

	if (p->asks)
		bt_span_files_tell(&p->answers, log);
	else if (p->explained != NULL)
		bt_explain_output_tell(p->explained, log);
	else if (p->tags != NULL)
		bt_tags_tell(p->tags, log);
	else if (p->choices != NULL)
		bt_choices_tell(p->choices, log);
	else if (p->rows == NULL && p->masks == NULL)
		bt_predict_tell(p->labels, log);
	else if (p->rows != NULL && bt_row_writer_numbered(p->rows, &named))
		bt_predict_tell_numbered(named, log);
	bt_duplicate_ids_tell(&p->ids, log);
}
