/* SPDX-License-Identifier: MIT */
#include "evaluate/calibrate.h"

#include <math.h>

#include "evaluate/calibration_fit.h"
#include "finetune/calibration.h"

int bt_calibrate_check(const struct bt_task *task, struct bt_error *err)
{
	if (task == &bt_task_classification || task == &bt_task_multi_label)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model learnt to %s: only the probabilities of "
	                    "texts' labels can be calibrated",
	                    task->learns);
}

/* The metrics of probabilities, as they are and calibrated. */
struct change {
	struct bt_metrics_summary before, after;
};

static int measure(const struct bt_outputs *o, const struct bt_calibration *c,
                   const struct bt_task *task, struct bt_metrics_summary *s,
                   struct bt_error *err)
{
	struct bt_metrics m;
	int r = bt_metrics_init(&m, task->metrics, (int)o->k, err);

	if (r != BT_OK)
		return r;
	r = bt_outputs_measure(o, c, &m, err);
	if (r == BT_OK)
		bt_metrics_summary(&m, s);
	bt_metrics_clear(&m);
	return r;
}

static void put_numbers(const struct bt_calibration *c,
                        const struct bt_labels *l, bool one, struct bt_buf *b)
{
	int k, width = bt_labels_width(l);

	if (one) {
		bt_buf_printf(b, "temperature %.6f\n\n", 1 / c->scale[0]);
		return;
	}
	bt_buf_printf(b, "%-*s  temperature      bias\n", width, "label");
	for (k = 0; k < l->n; k++) {
		bt_labels_put(b, l, k, width);
		bt_buf_printf(b, "  %11.6f  %8.4f\n", 1 / c->scale[k],
		              c->bias[k]);
	}
	bt_buf_putc(b, '\n');
}

static void put_change(const struct change *x, struct bt_buf *b)
{
	const struct bt_metrics_summary *s = &x->before, *t = &x->after;

	bt_buf_printf(b, "%-17s  %8s  %8s\n", "", "before", "after");
	bt_buf_printf(b, "%-17s  %8.6f  %8.6f\n", "log loss", s->loss, t->loss);
	bt_buf_printf(b, "%-17s  %8.6f  %8.6f\n", "Brier score", s->brier_score,
	              t->brier_score);
	bt_buf_printf(b, "%-17s  %8.6f  %8.6f\n", "calibration error", s->ece,
	              t->ece);
	bt_buf_printf(b, "%-17s  %8.6f  %8.6f\n", "accuracy", s->accuracy,
	              t->accuracy);
}

static json_t *json_side(const struct bt_metrics_summary *s)
{
	return json_pack("{s:f, s:f, s:f, s:f}", "loss", s->loss, "brier_score",
	                 s->brier_score, "ece", s->ece, "accuracy",
	                 s->accuracy);
}

static int fit(const struct bt_outputs *o, bool vector,
               struct bt_calibration *c, size_t *kept, struct bt_error *err)
{
	struct bt_calibration_fit f = {.z = o->z,
	                               .truth =
	                                   o->has_targets ? NULL : o->truth,
	                               .targets = o->target,
	                               .n = o->n,
	                               .k = o->k,
	                               .vector = vector};
	size_t k;
	int r = bt_calibration_fit(&f, c->scale, c->bias, kept, err);

	c->examples = o->n;
	c->method = vector ? "vector" : "temperature";
	for (k = 0; k < c->n; k++) { /* as they are written */
		c->scale[k] = (double)(float)c->scale[k];
		c->bias[k] = (double)(float)c->bias[k];
	}
	return r;
}

int bt_calibrate(const struct bt_outputs *o, bool vector, const char *dir,
                 const struct bt_model *m, const struct bt_log *log,
                 struct bt_buf *report, struct bt_error *err)
{
	struct bt_calibration c = {0};
	struct change x;
	json_t *more = NULL;
	size_t kept;
	int r;

	if ((r = bt_calibration_init(&c, o->k, err)) ||
	    (r = measure(o, &c, m->task, &x.before, err)) ||
	    (r = fit(o, vector, &c, &kept, err)) ||
	    (r = measure(o, &c, m->task, &x.after, err)))
		goto out;
	c.weights = bt_calibration_weights(&m->graph, m->engine);
	more = json_pack("{s:o, s:o}", "before", json_side(&x.before), "after",
	                 json_side(&x.after));
	r = bt_calibration_write(dir, &c, &m->labels, more, err);
	if (r != BT_OK)
		goto out;
	put_numbers(&c, &m->labels, !o->has_targets && !vector, report);
	put_change(&x, report);
	if (kept > 0)
		bt_log_warn(
		    log, "labels-not-calibrated", BT_HINT_NONE,
		    "%zu of %d labels stay as they are: the records have "
		    "them always or never, or the logits divide them "
		    "without error, or not at all",
		    kept, m->labels.n);
out:
	json_decref(more);
	bt_calibration_clear(&c);
	return r;
}
