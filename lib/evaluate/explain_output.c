/* SPDX-License-Identifier: MIT */
#include "evaluate/explain_output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "evaluate/text_words.h"
#include "finetune/contributions.h"
#include "format/csv.h"
#include "format/escape.h"
#include "format/tf_example.h"
#include "predict/answer.h"
#include "predict/thresholds.h"
#include "task/task.h"

/* What was noted of a record: its texts in the buffer of all. */
struct noted {
	bool has[2];
	size_t at[2], len[2];
	int64_t window;
};

/* An output that is to be explained, beside the ask about it. */
struct explained {
	uint64_t number;           /* of the example, from 0 on */
	double logit, probability; /* or the number */
};

struct bt_explain_output {
	struct bt_explain_opts o;
	struct bt_predict_stream *s;
	struct bt_out *out;
	struct bt_contributions *contributions;
	struct bt_text_words words;
	int output;   /* that is asked for; -1: what is predicted */
	double *over; /* [outputs] thresholds */
	double *p;    /* [outputs] of a record */

	/* of the block */
	const struct bt_dataset *d;
	struct noted *noted;
	struct bt_buf texts;
	struct bt_contributions_ask *asks;
	struct explained *explained;
	size_t n, noted_cap, asks_cap, explained_cap;
	size_t divided; /* the example + 1 whose words those in `words` are */

	double *sum; /* of each word */
	size_t sum_cap;
	struct bt_buf row;
	bool begun;
	uint64_t all, apart, without_text, without_label, records;
	double widest; /* share of the difference that was not explained */
};

static int refuse(const struct bt_model *m, struct bt_error *err)
{
	if (m->task == &bt_task_classification ||
	    m->task == &bt_task_multi_label || bt_task_has_numbers(m->task))
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model learnt to %s, and what is explained is "
	                    "why a text has a class, a label or a number",
	                    m->task->learns);
}

/* Thresholds of what is predicted; the output that is asked for. */
static int choose_outputs(struct bt_explain_output *x, struct bt_error *err)
{
	const struct bt_model *m = &x->s->model;
	const struct bt_labels *l = &m->labels;
	struct bt_span label = bt_span(x->o.label);

	x->output = -1;
	x->over = bt_array0((size_t)l->n, sizeof(*x->over));
	x->p = bt_array0((size_t)l->n, sizeof(*x->p));
	if (x->over == NULL || x->p == NULL)
		return bt_error_nomem(err, "explaining predictions");
	if (x->o.label == NULL)
		return m->task->answer->thresholds(x->o.threshold, l, x->over,
		                                   x->o.log, err);
	x->output = bt_labels_find(l, label);
	return x->output >= 0
	           ? BT_OK
	           : bt_label_unknown("the class to explain", label, l, err);
}

/* The token that stands for others: the mask, where there is one. */
static int32_t stand_in(const struct bt_explain_output *x)
{
	int32_t mask = bt_tok_role(x->s->tok, BT_TOK_MASK);

	return x->o.baseline == BT_EXPLAIN_MASK && mask >= 0
	           ? mask
	           : bt_tok_role(x->s->tok, BT_TOK_PAD);
}

static int open_contributions(struct bt_explain_output *x, struct bt_error *err)
{
	const struct bt_tok *tok = x->s->tok;
	struct bt_contributions_opts o;

	if (tok == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' has no tokenizer, by which words are "
		                    "told from special tokens",
		                    x->s->o.model);
	o.steps = x->o.steps > 0 ? x->o.steps : BT_EXPLAIN_STEPS;
	o.baseline = stand_in(x);
	o.special[0] = bt_tok_role(tok, BT_TOK_CLS);
	o.special[1] = bt_tok_role(tok, BT_TOK_SEP);
	o.special[2] = bt_tok_role(tok, BT_TOK_PAD);
	return bt_contributions_new(&o, &x->s->model.graph, x->s->model.engine,
	                            &x->contributions, err);
}

int bt_explain_output_new(const struct bt_explain_opts *o,
                          struct bt_predict_stream *s, struct bt_out *out,
                          struct bt_explain_output **res, struct bt_error *err)
{
	struct bt_explain_output *x;
	int r = refuse(&s->model, err);

	if (r != BT_OK)
		return r;
	x = bt_array0(1, sizeof(*x));
	*res = x;
	x->o = *o;
	x->s = s;
	x->out = out;
	r = choose_outputs(x, err);
	if (r == BT_OK)
		r = open_contributions(x, err);
	return r == BT_OK ? bt_text_words_init(&x->words, s->tok, err) : r;
}

void bt_explain_output_free(struct bt_explain_output *x)
{
	if (x == NULL)
		return;
	bt_contributions_free(x->contributions);
	bt_text_words_clear(&x->words);
	free(x->over);
	free(x->p);
	free(x->noted);
	free(x->asks);
	free(x->explained);
	free(x->sum);
	bt_buf_clear(&x->texts);
	bt_buf_clear(&x->row);
	free(x);
}

static void note_text(struct bt_explain_output *x, struct noted *n, int which,
                      const struct bt_feature *f)
{
	const char *s;
	size_t len;

	if (bt_feature_text(f, &s, &len, NULL) != BT_OK)
		return;
	n->has[which] = true;
	n->at[which] = x->texts.len;
	n->len[which] = len;
	bt_buf_put(&x->texts, s, len);
}

int bt_explain_output_look(struct bt_explain_output *x, size_t k,
                           const void *data, size_t len, struct bt_error *err)
{
	struct noted *n;
	struct bt_example e;
	struct bt_feature f;
	size_t count;
	int r;

	if (k == 0)
		bt_buf_reset(&x->texts);
	if (bt_grow(&x->noted, &x->noted_cap, k + 1, sizeof(*n)) != BT_OK)
		return bt_error_nomem(err, "reading a record");
	n = &x->noted[k];
	memset(n, 0, sizeof(*n));
	bt_example_open(&e, data, len);
	while ((r = bt_example_next(&e, &f, err)) == 1)
		if (bt_feature_is(&f, "text_a"))
			note_text(x, n, 0, &f);
		else if (bt_feature_is(&f, "text_b"))
			note_text(x, n, 1, &f);
		else if (bt_feature_is(&f, "window") &&
		         bt_feature_int64s(&f, &n->window, 1, &count, NULL) !=
		             BT_OK)
			n->window = 0;
	return r == 0 && x->texts.oom ? bt_error_nomem(err, "reading a record")
	                              : r;
}

static int ask(struct bt_explain_output *x, uint64_t i, size_t k, int output,
               const float *logits, struct bt_error *err)
{
	if (bt_grow(&x->asks, &x->asks_cap, x->n + 1, sizeof(*x->asks)) ||
	    bt_grow(&x->explained, &x->explained_cap, x->n + 1,
	            sizeof(*x->explained)))
		return bt_error_nomem(err, "explaining predictions");
	x->asks[x->n] = (struct bt_contributions_ask){k, output};
	x->explained[x->n].number = i;
	x->explained[x->n].logit = (double)logits[output];
	x->explained[x->n++].probability = x->p[output];
	return BT_OK;
}

int bt_explain_output_add(struct bt_explain_output *x, uint64_t i,
                          const struct bt_dataset *d, size_t k,
                          const float *logits, struct bt_error *err)
{
	const struct bt_answer_form *form = x->s->model.task->answer;
	int n = x->s->model.labels.n, j, r = BT_OK;
	bool any = false;

	x->d = d;
	x->records++;
	for (j = 0; j < n; j++)
		x->p[j] = 0;
	form->add(logits, NULL, n, x->p);
	if (x->output >= 0)
		return ask(x, i, k, x->output, logits, err);
	if (!form->is_set && !form->is_number)
		return ask(x, i, k,
		           bt_metrics_predicted(logits, n,
		                                x->o.threshold != NULL ? x->over
		                                                       : NULL),
		           logits, err);
	for (j = 0; j < n && r == BT_OK; j++) {
		if (form->is_set && x->p[j] <= x->over[j])
			continue;
		r = ask(x, i, k, j, logits, err);
		any = true;
	}
	x->without_label += !any;
	return r;
}

static struct bt_span noted_text(const struct bt_explain_output *x, size_t k,
                                 int which)
{
	const struct noted *n = &x->noted[k];
	struct bt_span s = {NULL, 0};

	if (n->has[which])
		s = (struct bt_span){
		    n->len[which] > 0 ? bt_buf_at(&x->texts, n->at[which]) : "",
		    n->len[which]};
	return s;
}

/* The words of example k, unless they are there from its last label. */
static int find_words(struct bt_explain_output *x, size_t k,
                      struct bt_error *err)
{
	struct bt_text_tokens t = {
	    .text = {noted_text(x, k, 0), noted_text(x, k, 1)},
	    .ids = x->d->ids + x->d->start[k],
	    .n = bt_dataset_length(x->d, k),
	    .window = x->noted[k].window};
	int r;

	if (x->divided == k + 1)
		return BT_OK;
	x->divided = k + 1;
	r = bt_text_words_find(&x->words, &t, err);
	x->without_text += r == 0;
	return r < 0 ? r : BT_OK;
}

/* Counts what the contributions leave of the difference. */
static double gap_of(struct bt_explain_output *x, double difference)
{
	double sum = 0, gap, share;
	size_t i;

	for (i = 0; i < x->words.n; i++)
		sum += x->sum[i];
	gap = sum - difference;
	share = fabs(gap) / fabs(difference);
	x->all++;
	x->apart += share > BT_EXPLAIN_TOLERANCE;
	x->widest = fmax(x->widest, share);
	return gap;
}

static void put_number(struct bt_buf *b, const char *name, double v)
{
	bt_buf_printf(b, ", \"%s\": ", name);
	bt_answer_put_number(b, v);
}

static void put_word_json(struct bt_buf *b, const struct bt_text_word *w,
                          double contribution)
{
	bt_buf_puts(b, "{\"word\": ");
	bt_escape_json_text(b, w->word);
	if (w->text >= 0)
		bt_buf_printf(b,
		              ", \"text\": \"%s\", \"start\": %zu, \"end\": "
		              "%zu",
		              w->text == 0 ? "a" : "b", w->start, w->end);
	else
		bt_buf_puts(b,
		            ", \"text\": null, \"start\": null, \"end\": null");
	put_number(b, "contribution", contribution);
	bt_buf_putc(b, '}');
}

static void put_json(struct bt_explain_output *x, struct bt_span id,
                     const char *label, const struct explained *a,
                     double baseline)
{
	const struct bt_text_word *w = x->words.word;
	const struct bt_answer_form *form = x->s->model.task->answer;
	bool any = false;
	double gap = gap_of(x, a->logit - baseline);
	struct bt_buf *b = &x->row;
	size_t i;

	bt_buf_puts(b, "{\"id\": ");
	bt_escape_json_text(b, id);
	bt_buf_puts(b, ", \"label\": ");
	bt_escape_json_text(b, bt_span(label));
	put_number(b, form->is_number ? "value" : "probability",
	           a->probability);
	if (form != &bt_answer_numbers) /* which are the outputs */
		put_number(b, "logit", a->logit);
	put_number(b, "baseline", baseline);
	put_number(b, "gap", gap);
	bt_buf_puts(b, ", \"words\": [");
	for (i = 0; i < x->words.n; i++) {
		if (w[i].special && !x->o.special)
			continue;
		bt_buf_puts(b, any ? ", " : "");
		put_word_json(b, &w[i], x->sum[i]);
		any = true;
	}
	bt_buf_puts(b, "]}\n");
}

static void put_rows(struct bt_explain_output *x, struct bt_span id,
                     const char *label, const struct explained *a,
                     double baseline)
{
	const struct bt_text_word *w = x->words.word;
	char c = x->o.delimiter;
	struct bt_buf *b = &x->row;
	size_t i, position = 0;

	(void)gap_of(x, a->logit - baseline);
	for (i = 0; i < x->words.n; i++) {
		if (w[i].special && !x->o.special)
			continue;
		bt_csv_put(b, id, c);
		bt_buf_putc(b, c);
		bt_csv_put(b, bt_span(label), c);
		bt_buf_printf(b, "%c%zu%c%c%c", c, position++, c,
		              w[i].text >= 0 ? "ab"[w[i].text] : '-', c);
		bt_csv_put(b, w[i].word, c);
		if (w[i].text >= 0)
			bt_buf_printf(b, "%c%zu%c%zu%c", c, w[i].start, c,
			              w[i].end, c);
		else
			bt_buf_printf(b, "%c%c%c", c, c, c);
		bt_answer_put_number(b, x->sum[i]);
		bt_buf_putc(b, '\n');
	}
}

static void put_header(struct bt_explain_output *x)
{
	static const char *const names[] = {"id",   "label",       "position",
	                                    "text", "word",        "start",
	                                    "end",  "contribution"};
	size_t i;

	for (i = 0; i < 8; i++)
		bt_buf_printf(&x->row, "%s%c", names[i],
		              i < 7 ? x->o.delimiter : '\n');
	x->begun = true;
}

static int explain(void *ctx, size_t ask, double baseline, const double *tokens,
                   struct bt_error *err)
{
	struct bt_explain_output *x = ctx;
	const struct bt_calibration *c = &x->s->model.calibration;
	int output = x->asks[ask].output;
	size_t k = x->asks[ask].example, i;
	const struct explained *a = &x->explained[ask];
	const char *label = x->s->model.labels.name[output];
	struct bt_span id = bt_dataset_id(x->d, k);
	double scale = 1;
	char number[24];
	int r = find_words(x, k, err);

	if (r != BT_OK)
		return r;
	if (c->n > 0) { /* as the logit of the text is */
		scale = c->scale[output];
		baseline = scale * baseline + c->bias[output];
	}
	if (bt_grow(&x->sum, &x->sum_cap, x->words.n, sizeof(*x->sum)) != BT_OK)
		return bt_error_nomem(err, "explaining predictions");
	memset(x->sum, 0, x->words.n * sizeof(*x->sum));
	for (i = 0; i < bt_dataset_length(x->d, k); i++)
		x->sum[x->words.of[i]] += scale * tokens[i];
	snprintf(number, sizeof(number), "%llu", (unsigned long long)a->number);
	if (id.p == NULL)
		id = bt_span(number);
	bt_buf_reset(&x->row);
	if (!x->o.json && !x->begun)
		put_header(x);
	(x->o.json ? put_json : put_rows)(x, id, label, a, baseline);
	return x->row.oom ? bt_error_nomem(err, "explaining predictions")
	                  : bt_out_write(x->out, x->row.data, x->row.len, err);
}

int bt_explain_output_flush(struct bt_explain_output *x, struct bt_error *err)
{
	size_t n = x->n;

	x->n = 0;
	x->divided = 0;
	return n == 0 ? BT_OK
	              : bt_contributions_run(x->contributions, x->d, x->asks, n,
	                                     explain, x, &x->s->flop, err);
}

void bt_explain_output_tell(const struct bt_explain_output *x,
                            const struct bt_log *log)
{
	if (x->apart > 0)
		bt_log_warn(log, "contributions-inexact", BT_HINT_EXPLAIN_STEPS,
		            "of %llu of %llu explanations the contributions do "
		            "not add up to what the text changes, by more than "
		            "%g %% of it",
		            (unsigned long long)x->apart,
		            (unsigned long long)x->all,
		            100 * BT_EXPLAIN_TOLERANCE);
	else if (x->all > 0)
		bt_log(log, BT_LOG_NOTE,
		       "the contributions of each text add up to what it "
		       "changes, within %.2g %%",
		       100 * x->widest);
	if (x->without_text > 0)
		bt_log_warn(log, "no-text", BT_HINT_KEEP_TEXT,
		            "%llu of %llu records do not hold the text that "
		            "their tokens were made of: tokens are shown in "
		            "place of words",
		            (unsigned long long)x->without_text,
		            (unsigned long long)x->records);
	if (x->without_label > 0)
		bt_log_warn(
		    log, "nothing-to-explain", BT_HINT_EXPLAIN_CLASS,
		    "%llu of %llu records have no label that holds, and "
		    "nothing to explain",
		    (unsigned long long)x->without_label,
		    (unsigned long long)x->records);
}
