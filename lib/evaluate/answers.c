/* SPDX-License-Identifier: MIT */
#include "evaluate/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/forward.h"

int bt_answers_references(const struct bt_feature *f, struct bt_span **out,
                          size_t *cap, size_t *n, struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span text;
	int r;

	*n = 0;
	while ((r = bt_feature_next_text(f, &at, &text.p, &text.n, err)) == 1) {
		if (bt_grow(out, cap, *n + 1, sizeof(**out)) != BT_OK)
			return bt_error_nomem(err, "reading answers");
		(*out)[(*n)++] = text;
	}
	return r;
}

static int score(void *ctx, uint64_t i, const struct bt_token_rec *rec,
                 struct bt_spans *spans, struct bt_error *err)
{
	struct bt_answers *a = ctx;
	struct bt_squad_answer answer = {.has_odds = true, .order = i};
	struct bt_span context = rec->question.context;
	size_t n;
	int r;

	if (rec->question.answers.name == NULL) {
		a->unlabelled++;
		return BT_OK;
	}
	r = bt_answers_references(&rec->question.answers, &a->reference,
	                          &a->cap, &n, err);
	if (r == BT_OK)
		r = bt_spans_finish(spans, true, context, err);
	if (r != BT_OK)
		return r;
	answer.text = spans->predicted->text;
	answer.odds = (double)spans->null_odds;
	r = bt_metrics_add_answer(a->m, a->reference, n, &answer, err);
	if (r == BT_OK)
		r = bt_spans_finish(spans, false, context, err);
	answer.text = spans->predicted->text;
	answer.has_odds = false;
	return r == BT_OK
	           ? bt_squad_add(a->always, a->reference, n, &answer, err)
	           : r;
}

int bt_answers_tokenizer(const struct bt_predict_stream *s,
                         const struct bt_tok **tok, struct bt_error *err)
{
	*tok = s->tok;
	if (s->tok != NULL)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "'%s' has no tokenizer, whose tokens answers are "
	                    "found by",
	                    s->o.model);
}

int bt_answers_metrics(const struct bt_answers_opts *o,
                       enum bt_metrics_output output, struct bt_metrics *m,
                       struct bt_error *err)
{
	const struct bt_labels none = {0};
	const struct bt_metrics_summary s = {
	    .kind = &bt_metrics_questions,
	    .lacks =
	        output == BT_METRICS_ANSWERS ? BT_METRICS_OF_PROBABILITIES : 0};
	unsigned needs;
	int r = bt_minimum_check(o->minimum, o->n_minimum, &s, &needs, err);

	if (r == BT_OK)
		r = bt_metrics_init(m, &bt_metrics_questions, 0, err);
	if (r != BT_OK)
		return r;
	m->output = output;
	m->rules = bt_squad_rules_named(o->language);
	r = bt_metrics_name_outputs(m, &none, err);
	if (r == BT_OK && !isnan(o->null_threshold))
		bt_squad_threshold(m->squad, o->null_threshold);
	return r;
}

int bt_answers_init(struct bt_answers *a, const struct bt_answers_opts *o,
                    struct bt_metrics *m, struct bt_error *err)
{
	struct bt_spans_opts s = o->spans;
	int r = bt_answers_metrics(o, BT_METRICS_LOGITS, m, err);

	memset(a, 0, sizeof(*a));
	a->m = m;
	a->version = o->version;
	if (!isnan(o->null_threshold))
		s.threshold = o->null_threshold;
	if (r != BT_OK)
		return r;
	a->always = bt_squad_new(m->rules);
	r = bt_questions_init(&a->questions, &s, score, a, err);
	return r == BT_OK
	           ? bt_metrics_init(&a->windows, &bt_metrics_spans, 2, err)
	           : r;
}

void bt_answers_clear(struct bt_answers *a)
{
	bt_questions_clear(&a->questions);
	bt_metrics_clear(&a->windows);
	bt_squad_free(a->always);
	free(a->reference);
	memset(a, 0, sizeof(*a));
}

int bt_answers_add(struct bt_answers *a, const struct bt_dataset *d, size_t k,
                   const float *logits, struct bt_error *err)
{
	int r = BT_OK;

	if (d->label[k] >= 0)
		r = bt_forward_count(&a->windows, d, k, logits, err);
	return r == BT_OK
	           ? bt_questions_add(&a->questions, k, bt_dataset_length(d, k),
	                              logits, err)
	           : r;
}

int bt_answers_finish(struct bt_answers *a, struct bt_error *err)
{
	struct bt_metrics_summary windows;
	struct bt_squad_sum sum;
	struct bt_squad *squad;
	int r = bt_questions_finish(&a->questions, err);

	if (r != BT_OK)
		return r;
	if (bt_squad_sum_up(a->always, &sum) != BT_OK)
		return bt_error_nomem(err, "scoring answers");
	if (a->version == BT_ANSWERS_ALWAYS ||
	    (a->version == BT_ANSWERS_AS_GIVEN && sum.no_answer.n == 0)) {
		squad = a->m->squad;
		a->m->squad = a->always;
		a->always = squad;
	}
	bt_metrics_summary(&a->windows, &windows);
	a->m->loss_sum = windows.loss * (double)a->m->n;
	return BT_OK;
}
