/* SPDX-License-Identifier: MIT */
#include "train/answers_int.h"

#include <math.h>
#include <string.h>

static int all_known(const struct bt_dataset *d, bool *known,
                     struct bt_error *err)
{
	struct bt_token_rec rec = {0};
	struct bt_span s;
	size_t i;
	int r = BT_OK;

	*known = d->records != NULL;
	for (i = 0; i < d->n && *known && r == BT_OK; i++) {
		s = bt_dataset_record(d, i);
		r = bt_token_rec_read(s.p, s.n, &rec, err);
		*known &= rec.question.answers.name != NULL;
	}
	bt_token_rec_clear(&rec);
	return r;
}

int bt_train_answers_begin(struct bt_train_answers *a,
                           const struct bt_dataset *d,
                           const struct bt_answers_opts *opts,
                           struct bt_error *err)
{
	static const struct bt_answers_opts common = {.null_threshold = NAN};
	int r;

	memset(a, 0, sizeof(*a));
	r = all_known(d, &a->known, err);
	if (r != BT_OK || !a->known)
		return r;
	return bt_answers_init(&a->found, opts != NULL ? opts : &common, &a->m,
	                       err);
}

void bt_train_answers_clear(struct bt_train_answers *a)
{
	if (a->found.m != NULL)
		bt_answers_clear(&a->found);
	bt_metrics_clear(&a->m);
}

int bt_train_answers_add(struct bt_train_answers *a, const struct bt_dataset *d,
                         size_t i, const float *logits, struct bt_error *err)
{
	struct bt_questions *q = &a->found.questions;
	struct bt_span s = bt_dataset_record(d, i);
	int r;

	if (!a->known)
		return BT_OK;
	r = bt_questions_look(q, 0, i + 1, s.p, s.n, err);
	if (r == BT_OK)
		r = bt_questions_add(q, 0, bt_dataset_length(d, i), logits,
		                     err);
	return r == BT_OK ? r : bt_error_prefix(err, "evaluation records");
}

int bt_train_answers_end(struct bt_train_answers *a,
                         struct bt_metrics_summary *s, struct bt_squad_sum *sum,
                         struct bt_error *err)
{
	struct bt_metrics_summary all;
	int r;

	if (!a->known)
		return BT_OK;
	r = bt_answers_finish(&a->found, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "evaluation records");
	bt_metrics_summary(&a->m, &all);
	s->exact_match = all.exact_match;
	s->f1 = all.f1;
	return bt_squad_sum_up(a->m.squad, sum) == BT_OK
	           ? BT_OK
	           : bt_error_nomem(err, "scoring answers");
}
