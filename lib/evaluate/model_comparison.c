/* SPDX-License-Identifier: MIT */
#include "evaluate/model_comparison.h"

#include <math.h>
#include <string.h>

#include "base/span.h"
#include "format/escape.h"
#include "format/json.h"

int bt_comparison_init(struct bt_comparison *p, const struct bt_metrics *like,
                       struct bt_error *err)
{
	int r;

	memset(p, 0, sizeof(*p));
	r = bt_metrics_init_like(&p->b, like, err);
	p->b.keep = like->keep;
	return r;
}

void bt_comparison_clear(struct bt_comparison *p)
{
	bt_metrics_clear(&p->b);
}

int bt_comparison_add(struct bt_comparison *p, int truth, const float *targets,
                      const float *a, const float *b, struct bt_error *err)
{
	const struct bt_metrics_kind *kind = p->b.kind;
	bool right_a, right_b;
	double d, before;

	if (kind->is_right == NULL) {
		d = kind->loss(&p->b, truth, targets, b) -
		    kind->loss(&p->b, truth, targets, a);
		/* mean and spread so far (Welford's recurrence) */
		before = d - p->mean;
		p->n++;
		p->mean += before / p->n;
		p->spread += before * (d - p->mean);
	} else {
		right_a = kind->is_right(&p->b, truth, targets, a);
		right_b = kind->is_right(&p->b, truth, targets, b);
		p->both += right_a && right_b;
		p->a_alone += right_a && !right_b;
		p->b_alone += !right_a && right_b;
		p->neither += !right_a && !right_b;
	}
	return bt_metrics_add(&p->b, truth, targets, b, err);
}

/* The terms fall from the largest, i = min(b, c), by i / (n - i + 1) each. */
double bt_comparison_mcnemar(uint64_t b, uint64_t c)
{
	double n = (double)b + (double)c, i = (double)(b < c ? b : c);
	double term =
	    exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * log(2));
	double sum = 0;

	if (b == c)
		return 1;
	for (; i >= 0 && sum + term != sum; i--) {
		sum += term;
		term *= i / (n - i + 1);
	}
	return fmin(1, 2 * sum);
}

void bt_comparison_z(const struct bt_comparison *p, double *error, double *z,
                     double *p_value)
{
	*error = p->n > 1 ? sqrt(p->spread / (p->n - 1) / p->n) : NAN;
	*z = *error > 0 ? p->mean / *error : NAN;
	*p_value = erfc(fabs(*z) / sqrt(2));
}

static void put_value(struct bt_buf *out, double v)
{
	if (isnan(v))
		bt_buf_printf(out, "  %10s", "-");
	else
		bt_buf_printf(out, "  %10.4f", v);
}

static void put_measures(const struct bt_metrics *a, const struct bt_metrics *b,
                         struct bt_buf *out)
{
	struct bt_metrics_summary sa, sb;
	const char *name;
	double va, vb;
	size_t i;

	bt_metrics_summary(a, &sa);
	bt_metrics_summary(b, &sb);
	bt_buf_puts(out,
	            "measure                            A           B       "
	            "B - A\n");
	for (i = 0; (name = bt_metrics_name(i, &sa, &va)) != NULL; i++) {
		if (bt_metrics_name(i, &sb, &vb) == NULL)
			break;
		bt_buf_printf(out, "%-24s", name);
		put_value(out, va);
		put_value(out, vb);
		put_value(out, vb - va);
		bt_buf_putc(out, '\n');
	}
}

void bt_comparison_report(const struct bt_comparison *p,
                          const struct bt_metrics *a,
                          const char *const names[2], struct bt_buf *out)
{
	double error, z, p_value;

	bt_buf_puts(out, "\ncompared: A is ");
	bt_escape_line(out, bt_span(names[0]), 0);
	bt_buf_puts(out, ", B is ");
	bt_escape_line(out, bt_span(names[1]), 0);
	bt_buf_putc(out, '\n');
	put_measures(a, &p->b, out);
	if (p->b.kind->is_right != NULL) {
		bt_buf_printf(out,
		              "right: both %llu, A alone %llu, B alone %llu, "
		              "neither %llu\nexact McNemar test: p = %.4g\n",
		              (unsigned long long)p->both,
		              (unsigned long long)p->a_alone,
		              (unsigned long long)p->b_alone,
		              (unsigned long long)p->neither,
		              bt_comparison_mcnemar(p->a_alone, p->b_alone));
		return;
	}
	bt_comparison_z(p, &error, &z, &p_value);
	bt_buf_printf(out, "squared error, B - A: mean %.6g", p->mean);
	if (!isnan(error))
		bt_buf_printf(out, ", standard error %.6g", error);
	if (!isnan(z))
		bt_buf_printf(out, ", z %.4f, p = %.4g", z, p_value);
	bt_buf_putc(out, '\n');
}

json_t *bt_comparison_json(const struct bt_comparison *p,
                           const struct bt_metrics *a,
                           const char *const names[2])
{
	json_t *o = json_object(), *all = json_object();
	struct bt_metrics_summary sa, sb;
	double va, vb, error, z, p_value;
	const char *name;
	size_t i;

	bt_metrics_summary(a, &sa);
	bt_metrics_summary(&p->b, &sb);
	for (i = 0; (name = bt_metrics_name(i, &sa, &va)) != NULL; i++)
		if (bt_metrics_name(i, &sb, &vb) != NULL)
			json_object_set_new(all, name,
			                    json_pack("{s:o, s:o, s:o}", "a",
			                              bt_json_finite(va), "b",
			                              bt_json_finite(vb),
			                              "difference",
			                              bt_json_finite(vb - va)));
	json_object_set_new(o, "a", bt_escape_json(bt_span(names[0])));
	json_object_set_new(o, "b", bt_escape_json(bt_span(names[1])));
	json_object_set_new(o, "measures", all);
	if (p->b.kind->is_right != NULL) {
		json_object_set_new(o, "right",
		                    json_pack("{s:I, s:I, s:I, s:I}", "both",
		                              (json_int_t)p->both, "a_alone",
		                              (json_int_t)p->a_alone, "b_alone",
		                              (json_int_t)p->b_alone, "neither",
		                              (json_int_t)p->neither));
		json_object_set_new(o, "mcnemar_p",
		                    bt_json_finite(bt_comparison_mcnemar(
		                        p->a_alone, p->b_alone)));
		return o;
	}
	bt_comparison_z(p, &error, &z, &p_value);
	json_object_set_new(o, "squared_error",
	                    json_pack("{s:o, s:o, s:o, s:o}", "difference",
	                              bt_json_finite(p->mean), "standard_error",
	                              bt_json_finite(error), "z",
	                              bt_json_finite(z), "p",
	                              bt_json_finite(p_value)));
	return o;
}
