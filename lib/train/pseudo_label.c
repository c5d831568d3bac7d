/* SPDX-License-Identifier: MIT */
#include "train/pseudo_label.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "evaluate/prediction_file.h"

#define SHOWN 20 /* classes whose numbers are logged */

struct labelling {
	const struct bt_pseudo_label *o;
	const struct bt_prediction_file *f;
	const struct bt_labels *l;
	struct bt_dataset *d;
	uint8_t *dropped; /* [d->n] */
	size_t *taken;    /* [l->n] texts */
	size_t texts, labelled;
	double highest; /* of the likeliest labels' probabilities */
};

/* The likeliest label of a row, and its probability. */
static int likeliest(const struct bt_prediction_file *f, size_t row, double *p)
{
	size_t n = (size_t)f->labels.n, k, best = 0;
	const float *x = f->value + row * n;
	double sum = 0;

	for (k = 1; k < n; k++)
		if (x[k] > x[best])
			best = k;
	for (k = 0; k < n; k++)
		sum += exp((double)x[k] - (double)x[best]);
	*p = 1 / sum;
	return (int)best;
}

/* Labels the windows [i, end) of a text, or drops them. */
static int label_text(struct labelling *a, size_t i, size_t end,
                      struct bt_error *err)
{
	struct bt_span id = bt_dataset_id(a->d, i);
	const char *name;
	size_t row;
	double p;
	int k;

	if (id.p == NULL)
		return bt_error_hint(
		    err, BT_HINT_NUMBER_ROWS,
		    bt_error_set(err, BT_EFORMAT,
		                 "training records without ids match no rows"));
	if (!bt_string_set_find(a->f->ids, id, &row))
		return bt_error_set(err, BT_EFORMAT,
		                    "no row has the id '%.*s' of a training "
		                    "record without a label",
		                    (int)(id.n < 60 ? id.n : 60), id.p);
	k = likeliest(a->f, row, &p);
	a->texts++;
	a->highest = p > a->highest ? p : a->highest;
	/* NaN is less, too */
	if (!(p >= a->o->least)) {
		for (; i < end; i++)
			a->dropped[i] = true;
		return BT_OK;
	}
	name = a->f->labels.name[k];
	k = bt_labels_find(a->l, bt_span(name));
	if (k < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "no training record has the label '%.100s'",
		                    name);
	a->labelled++;
	a->taken[k]++;
	for (; i < end; i++) {
		a->d->label[i] = k;
		a->d->weight[i] *= (float)a->o->weight;
	}
	return BT_OK;
}

static int label_all(struct labelling *a, struct bt_error *err)
{
	struct bt_dataset *d = a->d;
	size_t i, end;
	int r = BT_OK;

	if (a->f->labels.n == 0)
		return bt_error_hint(err, BT_HINT_PROBA,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "labels alone, without "
		                                  "probabilities"));
	if (a->f->ids == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "rows have no ids to match them by");
	for (i = 0; r == BT_OK && i < d->n; i = end) {
		for (end = i + 1;
		     end < d->n && d->continues[end] == BT_CONTINUES_TEXT;
		     end++)
			;
		if (d->label[i] < 0)
			r = label_text(a, i, end, err);
	}
	if (r == BT_OK && a->o->weight != 1)
		d->has_weights = true;
	return r;
}

static void report(const struct labelling *a, const struct bt_log *log)
{
	struct bt_summary *s = bt_log_summary(log);
	struct bt_buf b = BT_BUF_INIT;
	int k, n = a->l->n;

	for (k = 0; k < n && k < SHOWN; k++)
		bt_buf_printf(&b, "%s'%s' %zu", k > 0 ? ", " : "",
		              a->l->name[k], a->taken[k]);
	bt_log(log, BT_LOG_NOTE,
	       "%zu of %zu text%s without a label get%s one that has a "
	       "probability of %g or more, the others are left out: %s%s",
	       a->labelled, a->texts, bt_plural(a->texts),
	       a->texts == 1 ? "s" : "", a->o->least,
	       bt_buf_str(&b) != NULL ? bt_buf_str(&b) : "",
	       n > SHOWN ? ", ..." : "");
	if (a->labelled == 0)
		bt_log_warn(log, "no-pseudo-labels", BT_HINT_PSEUDO_THRESHOLD,
		            "no text gets a predicted label: the highest "
		            "probability is %.4g, wanted is at least %g",
		            a->highest, a->o->least);
	bt_summary_count(s, "pseudo_labelled", a->labelled);
	bt_summary_count(s, "pseudo_left_out", a->texts - a->labelled);
	bt_buf_clear(&b);
}

int bt_pseudo_label(const struct bt_pseudo_label *o, const struct bt_task *task,
                    const struct bt_labels *l, struct bt_dataset *d,
                    const struct bt_log *log, struct bt_error *err)
{
	struct bt_prediction_file f = {.logits = true};
	struct labelling a = {.o = o, .f = &f, .l = l, .d = d};
	int r;

	if (d->unlabelled == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "all training records have a label: none "
		                    "can get a predicted one");
	if (l->n == 0)
		return BT_OK; /* none has one, which is said later */
	r = bt_prediction_file_read(o->file, task, l, &f, err);
	if (r != BT_OK)
		return r;
	a.dropped = bt_array0(d->n, sizeof(*a.dropped));
	a.taken = bt_array0((size_t)l->n, sizeof(*a.taken));
	if (a.dropped == NULL || a.taken == NULL)
		r = bt_error_nomem(err, "labelling texts");
	else
		r = label_all(&a, err);
	if (r == BT_OK) {
		report(&a, log);
		r = bt_dataset_divide(d, a.dropped, NULL, err);
	} else {
		bt_error_prefix(err, "predictions %s", f.name);
	}
	free(a.dropped);
	free(a.taken);
	bt_prediction_file_clear(&f);
	return r;
}
