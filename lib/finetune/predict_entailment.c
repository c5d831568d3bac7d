/* SPDX-License-Identifier: MIT */
#include "finetune/predict_entailment.h"

#include "base/sys.h"

int bt_predict_records_open(struct bt_predict_stream *s, char *const *paths,
                            int n, struct bt_error *err)
{
	int r = bt_tfrecord_open(paths, n, &s->in, err);

	if (r != BT_OK)
		return r;
	s->first = NULL;
	bt_tfrecord_expect(s->in, s->o.expect);
	bt_tfrecord_add_to(s->in, &s->sum);
	if (bt_threads(s->o.threads) > 1)
		bt_tfrecord_ahead(s->in);
	return BT_OK;
}

static int look(struct bt_predict_stream *s, struct bt_error *err)
{
	struct bt_token_rec rec = {0};
	int r =
	    bt_dist_check_inputs(s->o.dist, s->o.records, s->o.n_records, err);

	if (r == BT_OK)
		r = bt_predict_records_open(s, s->o.records, s->o.n_records,
		                            err);
	if (r == BT_OK)
		r = bt_tfrecord_next(s->in, &s->first, &s->first_len, err);
	if (r != 1) /* none is an error of the run */
		return r;
	r = bt_token_rec_read(s->first, s->first_len, &rec, err);
	if (r != BT_OK)
		bt_tfrecord_blame(s->in, err);
	s->entails = r == BT_OK && bt_token_rec_is_choice(&rec);
	bt_token_rec_clear(&rec);
	return r;
}

int bt_predict_entailment_look(struct bt_predict_stream *s,
                               const struct bt_config *c,
                               const struct bt_labels *classes,
                               struct bt_error *err)
{
	int class = bt_model_entailment(classes), r;

	if (!s->o.entails || s->o.embed != NULL || s->o.fills || class < 0 ||
	    bt_task_of(c->problem_type) != &bt_task_classification)
		return BT_OK;
	r = look(s, err);
	if (s->entails && s->o.singly)
		bt_log(s->o.log, BT_LOG_NOTE,
		       "'%s' tells which labels a text has by its logits of "
		       "the classes '%s' and '%s'",
		       s->o.model, classes->name[class],
		       classes->name[bt_model_contradiction(classes, class)]);
	else if (s->entails)
		bt_log(s->o.log, BT_LOG_NOTE,
		       "'%s' chooses by its logit of the class '%s'",
		       s->o.model, classes->name[class]);
	return r;
}
