/* SPDX-License-Identifier: MIT */
#include "evaluate/agreement.h"

#include <stdlib.h>
#include <string.h>

#include "format/escape.h"

/* Whether label k is predicted. */
static bool holds(const struct bt_metrics *m, size_t k, float logit)
{
	return (double)logit > (m->bound != NULL ? m->bound[k] : 0);
}

/* Whether two rows of outputs predict the same. */
static bool is_equal(const struct bt_metrics *m, const float *a, const float *b,
                     size_t width)
{
	size_t k;

	if (m->kind != &bt_metrics_multilabel)
		return bt_metrics_predicted(a, (int)width, m->bound) ==
		       bt_metrics_predicted(b, (int)width, m->bound);
	for (k = 0; k < width; k++)
		if (holds(m, k, a[k]) != holds(m, k, b[k]))
			return false;
	return true;
}

static int compare(const struct bt_evaluation *v,
                   const struct bt_evaluation *other, struct bt_agreement *a,
                   struct bt_error *err)
{
	const struct bt_outputs *x = &v->outputs, *y = &other->outputs;
	size_t i;

	if (x->rows != y->rows)
		return bt_error_set(err, BT_EFORMAT,
		                    "the records changed between two readings: "
		                    "%zu predictions, then %zu",
		                    x->rows, y->rows);
	a->weights =
	    bt_calibration_weights(&v->s.model.graph, v->s.model.engine);
	a->n = x->rows;
	a->equal = 0;
	for (i = 0; i < x->rows; i++)
		a->equal +=
		    is_equal(&v->m, x->z + i * x->k, y->z + i * x->k, x->k);
	return BT_OK;
}

/* The metric that chooses the best model, of both. */
static int measure(const struct bt_evaluation *v, double *value,
                   struct bt_error *err)
{
	struct bt_metrics_summary s;

	bt_metrics_summary(&v->m, &s);
	return bt_metrics_find(&s, v->task->metric, value, err);
}

static void put_text(const struct bt_evaluation *v, const char *type,
                     const struct bt_agreement *a, const double value[2],
                     struct bt_buf *b)
{
	double drop = value[1] - value[0];

	bt_buf_printf(b,
	              "%llu of %llu predictions in int8 and %s are equal: "
	              "%.6f\n%s: %.6f in int8, %.6f in %s: a drop of %.6f\n",
	              (unsigned long long)a->equal, (unsigned long long)a->n,
	              type, bt_agreement_share(a), v->task->metric, value[0],
	              value[1], type,
	              bt_metrics_falls(v->task->metric) ? -drop : drop);
}

static int put_json(const json_t *o, struct bt_buf *b, struct bt_error *err)
{
	char *s = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(9));

	if (s == NULL)
		return bt_error_nomem(err, "writing JSON");
	bt_escape_document(b, s);
	free(s);
	return BT_OK;
}

static int tell(const struct bt_evaluation *v,
                const struct bt_evaluation *other, struct bt_agreement *a,
                bool json, struct bt_buf *report, struct bt_error *err)
{
	const char *type =
	    bt_model_low(other->o.stream.dtype, NULL) ? "bf16" : "f32";
	double value[2];
	json_t *o = NULL, *more;
	int r;

	if ((r = compare(v, other, a, err)) ||
	    (r = measure(v, &value[0], err)) ||
	    (r = measure(other, &value[1], err)))
		return r;
	more = json_pack("{s:s, s:s, s:f, s:f}", "dtype", type, "metric",
	                 v->task->metric, "int8", value[0], "other", value[1]);
	o = bt_agreement_json(a);
	if (o == NULL || more == NULL || json_object_update(o, more) != 0)
		r = bt_error_nomem(err, "writing JSON");
	if (r == BT_OK && bt_dist_is_first(v->o.stream.dist))
		r = bt_agreement_write(v->o.stream.model, o, err);
	if (r == BT_OK && json)
		r = put_json(o, report, err);
	else if (r == BT_OK)
		put_text(v, type, a, value, report);
	json_decref(more);
	json_decref(o);
	return r;
}

int bt_agreement_measure(const struct bt_evaluation *v, struct bt_agreement *a,
                         bool json, struct bt_buf *report, struct bt_error *err)
{
	struct bt_evaluation_opts o = v->o;
	struct bt_evaluation other = {0};
	int r;

	o.stream.dtype = BT_PRECISION_AUTO;
	o.stream.profile = NULL;
	o.stream.log = NULL; /* it was told before */
	r = bt_evaluation_open(&other, &o, err);
	r = bt_dist_agree(o.stream.dist, r, err);
	if (r == BT_OK)
		r = bt_evaluation_run(&other, err);
	if (r == BT_OK)
		r = tell(v, &other, a, json, report, err);
	bt_evaluation_close(&other);
	return r;
}
