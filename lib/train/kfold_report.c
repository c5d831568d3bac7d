/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/json.h"
#include "train/kfold_int.h"

void bt_kfold_clear(struct bt_kfold_result *r)
{
	size_t i;

	for (i = 0; r->metric != NULL && i < r->metrics; i++)
		free(r->metric[i].value);
	free(r->metric);
	memset(r, 0, sizeof(*r));
}

/* Mean and deviation of n values. */
static void average(struct bt_kfold_values *v, int n)
{
	double sum = 0, squares = 0, d;
	int k;

	for (k = 0; k < n; k++)
		sum += v->value[k];
	v->mean = sum / n;
	for (k = 0; k < n; k++) {
		d = v->value[k] - v->mean;
		squares += d * d;
	}
	v->deviation = sqrt(squares / (n - 1));
}

int bt_kfold_sum_up(struct bt_kfold_result *r,
                    const struct bt_metrics_summary *s, int folds,
                    const struct bt_metrics *all, struct bt_error *err)
{
	struct bt_metrics_summary whole;
	struct bt_kfold_values *v;
	size_t i;
	double x;
	int k;

	bt_metrics_summary(all, &whole);
	while (bt_metrics_name(r->metrics, &whole, &x) != NULL)
		r->metrics++;
	r->folds = folds;
	r->texts = (size_t)all->n;
	r->metric = bt_array0(r->metrics, sizeof(*r->metric));
	if (r->metric == NULL)
		return bt_error_nomem(err, "summing up folds");
	for (i = 0; i < r->metrics; i++) {
		v = &r->metric[i];
		v->name = bt_metrics_name(i, &whole, &v->all);
		v->value = bt_array((size_t)folds, sizeof(*v->value));
		if (v->value == NULL)
			return bt_error_nomem(err, "summing up folds");
		for (k = 0; k < folds; k++)
			if (bt_metrics_find(&s[k], v->name, &v->value[k],
			                    NULL) != BT_OK)
				v->value[k] = NAN;
		average(v, folds);
	}
	return BT_OK;
}

static void put(struct bt_buf *b, double x)
{
	if (isfinite(x))
		bt_buf_printf(b, "  %9.4f", x);
	else
		bt_buf_printf(b, "  %9s", "-");
}

void bt_kfold_report(const struct bt_kfold_result *r, struct bt_buf *b)
{
	const struct bt_kfold_values *v;
	size_t i;
	int k;

	bt_buf_printf(b, "%-24s       mean  deviation        all", "metric");
	for (k = 0; k < r->folds; k++)
		bt_buf_printf(b, "   fold %3d", k + 1);
	bt_buf_putc(b, '\n');
	for (i = 0; i < r->metrics; i++) {
		v = &r->metric[i];
		bt_buf_printf(b, "%-24s", v->name);
		put(b, v->mean);
		put(b, v->deviation);
		put(b, v->all);
		for (k = 0; k < r->folds; k++)
			put(b, v->value[k]);
		bt_buf_putc(b, '\n');
	}
}

json_t *bt_kfold_division(const struct bt_fold *f, json_t *sums)
{
	json_t *o = json_pack("{s:i, s:I, s:s?}", "folds", f->folds, "seed",
	                      (json_int_t)f->seed, "group_by", f->group);

	json_object_update(o, sums);
	return o;
}

json_t *bt_kfold_json(const struct bt_kfold_result *r, const struct bt_fold *f,
                      json_t *sums)
{
	json_t *metrics = json_object(), *list, *o = bt_kfold_division(f, sums);
	const struct bt_kfold_values *v;
	size_t i;
	int k;

	for (i = 0; i < r->metrics; i++) {
		v = &r->metric[i];
		list = json_array();
		for (k = 0; k < r->folds; k++)
			json_array_append_new(list,
			                      bt_json_finite(v->value[k]));
		json_object_set_new(
		    metrics, v->name,
		    json_pack("{s:o, s:o, s:o, s:o}", "mean",
		              bt_json_finite(v->mean), "deviation",
		              bt_json_finite(v->deviation), "all",
		              bt_json_finite(v->all), "folds", list));
	}
	json_object_set_new(o, "examples", json_integer((json_int_t)r->texts));
	json_object_set_new(o, "metrics", metrics);
	return o;
}

void bt_kfold_facts(const struct bt_kfold_result *res, struct bt_summary *s)
{
	size_t i;

	bt_summary_count(s, "folds", (uint64_t)res->folds);
	bt_summary_count(s, "texts", res->texts);
	bt_summary_open(s, "metrics");
	for (i = 0; i < res->metrics; i++) {
		bt_summary_open(s, res->metric[i].name);
		bt_summary_real(s, "mean", res->metric[i].mean);
		bt_summary_real(s, "deviation", res->metric[i].deviation);
		bt_summary_real(s, "all", res->metric[i].all);
		bt_summary_close(s);
	}
	bt_summary_close(s);
}
