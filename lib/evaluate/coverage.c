/* SPDX-License-Identifier: MIT */
#include "evaluate/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "finetune/calibration.h"

int bt_coverage_check(const struct bt_task *task, struct bt_error *err)
{
	if (task == &bt_task_classification)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model learnt to %s: sets of labels are for "
	                    "models that choose one class",
	                    task->learns);
}

struct room {
	double *p;                   /* [k] */
	struct bt_label_score *room; /* [k] */
	float *score;                /* [k] */
	bool *on;                    /* [k] */
	float *truth;                /* [n] scores of the true classes */
};

static int find(const struct bt_outputs *o, struct bt_label_sets *s,
                struct room *x, struct bt_error *err)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		bt_label_sets_softmax(o->z + i * o->k, (int)o->k, x->p);
		bt_label_sets_score(x->p, (int)o->k, s->cumulative, x->room,
		                    x->score);
		x->truth[i] = x->score[o->truth[i]];
	}
	return bt_label_sets_limit(s, x->truth, o->n, err);
}

/* What the sets of these examples are. */
static void put_report(const struct bt_outputs *o,
                       const struct bt_label_sets *s, struct room *x,
                       struct bt_buf *b)
{
	size_t i, holds = 0, labels = 0, single = 0;
	int n;

	for (i = 0; i < o->n; i++) {
		bt_label_sets_softmax(o->z + i * o->k, (int)o->k, x->p);
		n = bt_label_sets_choose(s, x->p, (int)o->k, x->room, x->score,
		                         x->on);
		labels += (size_t)n;
		single += n == 1;
		holds += x->on[o->truth[i]];
	}
	bt_buf_printf(b,
	              "%s, limit %.9g\n"
	              "sets of these %zu examples: %.4f have the true label, "
	              "%.2f labels each, %.4f have one label\n",
	              s->cumulative ? "aps" : "lac", s->limit, o->n,
	              (double)holds / (double)o->n,
	              (double)labels / (double)o->n,
	              (double)single / (double)o->n);
}

/* Keeps it beside the calibration, or what changes nothing. */
static int keep(const struct bt_label_sets *s, const char *dir,
                const struct bt_model *m, struct bt_error *err)
{
	struct bt_calibration none = {0}, c = m->calibration;
	int r = BT_OK;

	if (c.n == 0) {
		r = bt_calibration_init(&none, (size_t)m->labels.n, err);
		c = none;
		c.method = "none";
		c.weights = bt_calibration_weights(&m->graph, m->engine);
	}
	c.sets = *s;
	if (r == BT_OK)
		r = bt_calibration_write(dir, &c, &m->labels, NULL, err);
	bt_calibration_clear(&none);
	return r;
}

int bt_coverage(const struct bt_outputs *o, struct bt_label_sets *s,
                const char *dir, const struct bt_model *m,
                struct bt_buf *report, struct bt_error *err)
{
	struct room x = {.p = bt_array(o->k, sizeof(double)),
	                 .room = bt_array(o->k, sizeof(struct bt_label_score)),
	                 .score = bt_array(o->k, sizeof(float)),
	                 .on = bt_array(o->k, sizeof(bool)),
	                 .truth = bt_array(o->n, sizeof(float))};
	int r = BT_OK;

	if (x.p == NULL || x.room == NULL || x.score == NULL || x.on == NULL ||
	    x.truth == NULL)
		r = bt_error_nomem(err, "finding sets");
	if (r == BT_OK)
		r = find(o, s, &x, err);
	if (r == BT_OK)
		r = keep(s, dir, m, err);
	if (r == BT_OK)
		put_report(o, s, &x, report);
	free(x.p);
	free(x.room);
	free(x.score);
	free(x.on);
	free(x.truth);
	return r;
}
