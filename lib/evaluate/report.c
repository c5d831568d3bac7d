/* SPDX-License-Identifier: MIT */
#include "evaluate/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/feature.h"

/* Notes what --errors may need of a record that is read. */
static int note(struct bt_report *d, size_t k, uint64_t number,
                const void *data, size_t len, struct bt_error *err)
{
	static const char *const names[] = {"text_a", "text_b"};
	struct bt_report_record *x;
	struct bt_span text;
	int i, r = 1;

	if (bt_grow(&d->record, &d->record_cap, k + 1, sizeof(*d->record)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading records");
	if (k == 0)
		bt_buf_reset(&d->texts);
	x = &d->record[k];
	*x = (struct bt_report_record){.number = number};
	for (i = 0; i < 2 && r == 1; i++) {
		r = bt_record_feature_text(data, len, names[i], &text, err);
		if (r != 1)
			break;
		x->has[i] = true;
		x->at[i] = d->texts.len;
		x->len[i] = text.n;
		bt_buf_put(&d->texts, text.p, text.n);
	}
	if (d->texts.oom)
		return bt_error_nomem(err, "reading records");
	return r < 0 ? r : BT_OK;
}

/* As each record is read. */
static int look(void *ctx, size_t k, uint64_t number, const void *data,
                size_t len, struct bt_error *err)
{
	struct bt_report *d = ctx;
	int r = BT_OK;
	size_t i;

	if (d->o.errors > 0)
		r = note(d, k, number, data, len, err);
	for (i = 0; i < d->o.n_by && r == BT_OK; i++)
		r = bt_by_feature_look(d->group[i], k, data, len, err);
	if (r == BT_OK && d->ranking != NULL)
		r = bt_ranking_look(d->ranking, k, data, len, err);
	if (r == BT_OK && d->o.groups != NULL)
		r = bt_groups_look(d->o.groups, k, data, len, err);
	if (r == BT_OK && d->o.issues != NULL)
		r = bt_label_issues_look(d->o.issues, k, number, data, len,
		                         err);
	if (r == BT_OK && d->leaks != NULL)
		r = bt_leaks_look(d->leaks, number, data, len, err);
	return r;
}

/* An example whose record was noted. */
static int add_worst(struct bt_report *d, const struct bt_dataset *block,
                     size_t k, const float *answer, struct bt_error *err)
{
	const struct bt_report_record *x = &d->record[k];
	struct bt_top_losses_record rec = {.number = x->number};
	int i;

	for (i = 0; i < 2; i++)
		if (x->has[i])
			rec.text[i] = (struct bt_span){
			    bt_buf_at(&d->texts, x->at[i]), x->len[i]};
	return bt_top_losses_add(d->worst, &rec, block, k, answer, err);
}

void bt_report_ask(struct bt_report *d, const struct bt_report_opts *o,
                   struct bt_predict_stream_opts *s)
{
	memset(d, 0, sizeof(*d));
	d->o = *o;
	if (o->errors > 0 || o->n_by > 0 || o->issues != NULL ||
	    o->rank_by != NULL || o->groups != NULL || o->leak != NULL) {
		s->look = look;
		s->look_ctx = d;
	}
	/* the largest losses are of labels that have one */
	s->graded = o->rank_by != NULL && o->errors == 0 && o->compare == NULL;
	if (o->compare != NULL) {
		s->more = &d->o.compare;
		s->n_more = 1;
		s->apart = true;
	}
}

int bt_report_init(struct bt_report *d, const struct bt_metrics *like,
                   const struct bt_answer_form *form,
                   const struct bt_labels *labels, const struct bt_tok *tok,
                   struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	d->group = bt_array0(d->o.n_by, sizeof(struct bt_by_feature *));
	if (d->o.errors > 0)
		d->worst = bt_top_losses_new(d->o.errors, like, form, labels);
	for (i = 0; i < d->o.n_by; i++)
		d->group[i] = bt_by_feature_new(d->o.by[i], like);
	if (d->o.rank_by != NULL)
		d->ranking = bt_ranking_new(d->o.rank_by, d->o.rank_top);
	if (d->o.leak != NULL)
		r = tok != NULL
		        ? bt_leaks_open(d->o.leak, tok, &d->leaks, err)
		        : bt_error_set(err, BT_EARG,
		                       "the model directory has no tokenizer, "
		                       "which texts are compared by");
	if (r == BT_OK && d->o.compare != NULL)
		r = bt_comparison_init(&d->paired, like, err);
	return r;
}

void bt_report_clear(struct bt_report *d)
{
	size_t i;

	bt_top_losses_free(d->worst);
	for (i = 0; d->group != NULL && i < d->o.n_by; i++)
		bt_by_feature_free(d->group[i]);
	free(d->group);
	bt_ranking_free(d->ranking);
	bt_comparison_clear(&d->paired);
	bt_leaks_close(d->leaks);
	free(d->record);
	bt_buf_clear(&d->texts);
	memset(d, 0, sizeof(*d));
}

int bt_report_add(struct bt_report *d, const struct bt_dataset *block, size_t k,
                  const float *answers, struct bt_error *err)
{
	int r = BT_OK;
	size_t i;

	if (d->worst != NULL)
		r = add_worst(d, block, k, answers, err);
	for (i = 0; i < d->o.n_by && r == BT_OK; i++)
		r = bt_by_feature_add(d->group[i], block, k, answers, err);
	if (r == BT_OK && d->ranking != NULL)
		r = bt_ranking_add(d->ranking, block, k, answers, err);
	if (r == BT_OK && d->o.compare != NULL)
		r = bt_comparison_add(
		    &d->paired, block->label[k],
		    block->width > 0 ? bt_dataset_target(block, k) : NULL,
		    answers, answers + bt_metrics_outputs(&d->paired.b), err);
	return r;
}

void bt_report_print(struct bt_report *d, const struct bt_predict_stream *s,
                     const struct bt_metrics *m, struct bt_buf *out)
{
	const char *names[] = {s->o.model, d->o.compare};
	size_t i;

	for (i = 0; i < d->o.n_by; i++)
		bt_by_feature_report(d->group[i], out);
	if (d->ranking != NULL)
		bt_ranking_report(d->ranking, out);
	if (d->o.compare != NULL)
		bt_comparison_report(&d->paired, m, names, out);
	if (d->worst != NULL)
		bt_top_losses_report(d->worst, s->tok, out);
	if (d->leaks != NULL)
		bt_leaks_report(d->leaks, out);
}

int bt_report_json(struct bt_report *d, const struct bt_predict_stream *s,
                   const struct bt_metrics *m, json_t *o)
{
	const char *names[] = {s->o.model, d->o.compare};
	json_t *by = json_array();
	int bad = 0;
	size_t i;

	for (i = 0; i < d->o.n_by; i++)
		json_array_append_new(by, bt_by_feature_json(d->group[i]));
	if (d->o.n_by > 0)
		json_object_set(o, "by", by);
	json_decref(by);
	if (d->ranking != NULL)
		json_object_set_new(o, "ranking", bt_ranking_json(d->ranking));
	if (d->o.compare != NULL)
		json_object_set_new(o, "compare",
		                    bt_comparison_json(&d->paired, m, names));
	if (d->leaks != NULL)
		bad |= json_object_set_new(o, "leaks", bt_leaks_json(d->leaks));
	if (d->worst != NULL)
		bad |= json_object_set_new(
		    o, "errors", bt_top_losses_json(d->worst, s->tok));
	return bad;
}
