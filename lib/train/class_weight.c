/* SPDX-License-Identifier: MIT */
#include "train/class_weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define LARGEST 1e6
#define TOLD 10 /* classes whose weights are said */

static void balance(const struct bt_dataset *d, int classes, double *w)
{
	double n = (double)bt_dataset_texts(d);
	int present = 0, k;
	size_t i;

	for (k = 0; k < classes; k++)
		w[k] = 0;
	for (i = 0; i < d->n; i++) /* a text in windows counts once */
		w[d->label[i]] += !d->continues[i];
	for (k = 0; k < classes; k++)
		present += w[k] > 0;
	for (k = 0; k < classes; k++)
		w[k] = w[k] > 0 ? n / (present * w[k]) : 1;
}

/* One of the list: the i-th, from 0. what: "class weight", as it is called. */
static int item(struct bt_span s, int i, const struct bt_labels *l,
                const char *what, double *w, struct bt_error *err)
{
	struct bt_span name = s;
	char text[40];

	while (name.n > 0 && name.p[name.n - 1] != '=')
		name.n--;
	if (name.n > 0) {
		s.p += name.n;
		s.n -= name.n--;
		i = bt_labels_find(l, name);
		if (i < 0)
			return bt_error_set(
			    err, BT_EARG, "%ss: '%.*s' is not a label", what,
			    (int)(name.n < 100 ? name.n : 100), name.p);
		if (!isnan(w[i]))
			return bt_error_set(
			    err, BT_EARG, "two %ss for '%.*s'", what,
			    (int)(name.n < 100 ? name.n : 100), name.p);
	} else if (i >= l->n) {
		return bt_error_set(err, BT_EARG, "more %ss than labels (%d)",
		                    what, l->n);
	}
	if (bt_span_str(s, text, sizeof(text)) &&
	    bt_parse_f64(text, 0, LARGEST, &w[i]) == BT_OK &&
	    (w[i] == 0 || w[i] >= 1 / LARGEST))
		return BT_OK;
	return bt_error_set(
	    err, BT_EARG, "%s '%.*s' is not 0 or a number from %g to %g", what,
	    (int)(s.n < 100 ? s.n : 100), s.p, 1 / LARGEST, LARGEST);
}

static int from_list(const char *list, const struct bt_labels *l,
                     const char *what, double *w, struct bt_error *err)
{
	bool named = strchr(list, '=') != NULL;
	struct bt_span s;
	int i, r;

	for (i = 0; i < l->n; i++)
		w[i] = NAN;
	for (i = 0;; i++, list += s.n + 1) {
		s = (struct bt_span){list, strcspn(list, ",")};
		if (named && memchr(list, '=', s.n) == NULL)
			return bt_error_set(err, BT_EARG,
			                    "%s '%.*s' is not LABEL=NUMBER "
			                    "(with commas in labels, give "
			                    "one number per label)",
			                    what, (int)s.n, list);
		r = item(s, i, l, what, w, err);
		if (r != BT_OK)
			return r;
		if (list[s.n] == '\0')
			break;
	}
	if (!named && i + 1 != l->n)
		return bt_error_set(err, BT_EARG, "%d %ss for %d labels", i + 1,
		                    what, l->n);
	for (i = 0; i < l->n; i++)
		w[i] = isnan(w[i]) ? 1 : w[i]; /* not named */
	return BT_OK;
}

static void say(const struct bt_labels *l, const double *w, struct bt_buf *said)
{
	int k;

	for (k = 0; k < l->n && k < TOLD; k++)
		bt_buf_printf(said, "%s'%s' %.4g", k > 0 ? ", " : "",
		              l->name[k], w[k]);
	if (l->n > TOLD)
		bt_buf_puts(said, ", ...");
}

/* res: NULL, or where the weights go as they are. */
static void weigh(struct bt_dataset *d, const double *w, int classes,
                  float *res, double *sum)
{
	float x;
	size_t i;
	int k;

	for (i = 0, *sum = 0; i < d->n; i++) {
		x = (float)((double)d->weight[i] * w[d->label[i]]);
		*sum += (double)x;
		if (res == NULL)
			d->weight[i] = x;
	}
	for (k = 0; res != NULL && k < classes; k++)
		res[k] = (float)w[k];
}

int bt_class_weight(struct bt_dataset *d, const struct bt_labels *l,
                    const char *how, float **res, struct bt_buf *said,
                    struct bt_error *err)
{
	double *w = bt_array((size_t)l->n, sizeof(*w)), sum = 0;
	int r = BT_OK;

	if (res != NULL)
		*res = bt_array((size_t)l->n, sizeof(**res));
	if (w == NULL || (res != NULL && *res == NULL))
		r = bt_error_nomem(err, "weighting classes");
	else if (strcmp(how, "balanced") == 0)
		balance(d, l->n, w);
	else
		r = from_list(how, l, "class weight", w, err);
	if (r == BT_OK)
		weigh(d, w, l->n, res != NULL ? *res : NULL, &sum);
	if (r == BT_OK && sum <= 0)
		r = bt_error_set(err, BT_EARG,
		                 "the class weights leave every training "
		                 "example without weight");
	if (r == BT_OK)
		d->has_weights = true;
	if (r == BT_OK)
		say(l, w, said);
	free(w);
	return r;
}

static void balance_positives(const struct bt_task *task,
                              const struct bt_dataset *d, int labels, double *w)
{
	struct bt_task_data data = bt_dataset_targets(d);
	double n = (double)bt_dataset_texts(d);
	size_t i;
	int k;

	for (k = 0; k < labels; k++)
		w[k] = 0;
	for (i = 0; i < d->n; i++)
		for (k = 0; k < labels; k++)
			w[k] += !d->continues[i] && task->has(&data, i, k);
	for (k = 0; k < labels; k++)
		w[k] = w[k] > 0 && w[k] < n ? (n - w[k]) / w[k] : 1;
}

int bt_pos_weight(const struct bt_task *task, const struct bt_dataset *d,
                  const struct bt_labels *l, const char *how, float **res,
                  struct bt_buf *said, struct bt_error *err)
{
	size_t n = (size_t)l->n, k;
	double *w = bt_array(n, sizeof(*w));
	int r = BT_OK;

	*res = bt_array(n, sizeof(**res));
	if (w == NULL || *res == NULL)
		r = bt_error_nomem(err, "weighting labels");
	else if (strcmp(how, "balanced") == 0)
		balance_positives(task, d, l->n, w);
	else
		r = from_list(how, l, "positive weight", w, err);
	for (k = 0; r == BT_OK && k < n; k++)
		(*res)[k] = (float)w[k];
	if (r == BT_OK)
		say(l, w, said);
	free(w);
	return r;
}
