/* SPDX-License-Identifier: MIT */
/* Parts of the forms of predictions. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "format/csv.h"
#include "format/escape.h"
#include "predict/answer.h"
#include "predict/fields.h"

void bt_answer_rank(struct bt_predict *p, int most)
{
	const double *by = p->merged ? p->p : p->logit;
	int n = p->labels.n, i, k, t;

	for (i = 0; i < n; i++)
		p->order[i] = i;
	for (k = 0; k < most; k++)
		for (i = k + 1; i < n; i++)
			if (by[p->order[i]] > by[p->order[k]] ||
			    (by[p->order[i]] == by[p->order[k]] &&
			     p->order[i] < p->order[k])) {
				t = p->order[k];
				p->order[k] = p->order[i];
				p->order[i] = t;
			}
}

void bt_answer_put_number(struct bt_buf *b, double v)
{
	char s[32];

	bt_format_f32(s, sizeof(s), (float)v);
	bt_buf_puts(b, s);
}

void bt_answer_id_header(struct bt_predict *p, struct bt_span id)
{
	const char *name;
	size_t i;

	bt_csv_put(&p->row, id, p->o.delimiter);
	for (i = 0; p->o.fields != NULL &&
	            (name = bt_fields_name(p->o.fields, i)) != NULL;
	     i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		bt_csv_put(&p->row, bt_span(name), p->o.delimiter);
	}
}

int bt_answer_label_header(struct bt_predict *p, struct bt_error *err)
{
	struct bt_span name[2], label;
	int i, r = bt_csv_two_names(
	           p->o.header != NULL ? p->o.header : "id,label", name, err);

	if (r != BT_OK)
		return r;
	label = name[1];
	bt_answer_id_header(p, name[0]);
	bt_buf_putc(&p->row, p->o.delimiter);
	bt_csv_put(&p->row, label, p->o.delimiter);
	for (i = 0; i < p->o.top; i++) {
		if (i > 0)
			bt_buf_printf(&p->row, "%c%.*s_%d", p->o.delimiter,
			              (int)label.n, label.p, i + 1);
		bt_buf_printf(&p->row, "%cprobability", p->o.delimiter);
		if (i > 0)
			bt_buf_printf(&p->row, "_%d", i + 1);
	}
	if (p->o.sets != NULL)
		bt_buf_printf(&p->row, "%cset", p->o.delimiter);
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		bt_csv_put(&p->row, bt_span(p->labels.name[i]), p->o.delimiter);
	}
	bt_buf_putc(&p->row, '\n');
	return BT_OK;
}

void bt_answer_label_row(struct bt_predict *p, struct bt_span label)
{
	struct bt_buf *b = &p->row;
	int i;

	for (i = 0; i < (p->o.top > 0 ? p->o.top : 1); i++) {
		bt_buf_putc(b, p->o.delimiter);
		if (p->o.top > 0)
			label = bt_span(p->labels.name[p->order[i]]);
		bt_csv_put(b, label, p->o.delimiter);
		if (p->o.top > 0) {
			bt_buf_putc(b, p->o.delimiter);
			bt_answer_put_number(b, p->p[p->order[i]]);
		}
	}
	if (p->o.sets != NULL) {
		bt_buf_putc(b, p->o.delimiter);
		bt_csv_put(b,
		           (struct bt_span){bt_buf_at(&p->set, 0), p->set.len},
		           p->o.delimiter);
	}
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_putc(b, p->o.delimiter);
		bt_answer_put_number(b, p->p[i]);
	}
}

int bt_answer_no_sets(struct bt_error *err)
{
	return bt_error_hint(
	    err, BT_HINT_PREDICT_SETS,
	    bt_error_set(err, BT_EARG, "the model does not choose one class"));
}

void bt_answer_join_set(struct bt_predict *p)
{
	bool any = false;
	int i;

	bt_buf_reset(&p->set);
	for (i = 0; i < p->labels.n; i++) {
		if (!p->on[i])
			continue;
		if (any)
			bt_buf_puts(&p->set, p->o.separator);
		bt_buf_puts(&p->set, p->labels.name[i]);
		any = true;
	}
}

void bt_answer_set_json(struct bt_predict *p, const char *name)
{
	const char *between = "";
	int i;

	bt_buf_printf(&p->row, ", \"%s\": [", name);
	for (i = 0; i < p->labels.n; i++) {
		if (!p->on[i])
			continue;
		bt_buf_puts(&p->row, between);
		bt_escape_json_text(&p->row, bt_span(p->labels.name[i]));
		between = ", ";
	}
	bt_buf_putc(&p->row, ']');
}

void bt_answer_set_record(struct bt_predict *p, const char *name)
{
	size_t n = 0;
	int i;

	for (i = 0; i < p->labels.n; i++)
		if (p->on[i])
			p->names[n++] = bt_span(p->labels.name[i]);
	bt_example_add_texts(&p->example, name, p->names, n);
}

void bt_answer_probabilities_json(struct bt_predict *p)
{
	struct bt_buf *b = &p->row;
	int i;

	for (i = 0; i < p->o.top; i++) {
		bt_buf_puts(b, i == 0 ? ", \"top\": [" : ", ");
		bt_buf_puts(b, "{\"label\": ");
		bt_escape_json_text(b, bt_span(p->labels.name[p->order[i]]));
		bt_buf_puts(b, ", \"probability\": ");
		bt_answer_put_number(b, p->p[p->order[i]]);
		bt_buf_puts(b, i == p->o.top - 1 ? "}]" : "}");
	}
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_puts(b, i == 0 ? ", \"probabilities\": {" : ", ");
		bt_escape_json_text(b, bt_span(p->labels.name[i]));
		bt_buf_puts(b, ": ");
		bt_answer_put_number(b, p->p[i]);
		if (i == p->labels.n - 1)
			bt_buf_putc(b, '}');
	}
}

void bt_answer_add_numbers(struct bt_predict *p, const char *name,
                           const int *order, int n)
{
	int i;

	for (i = 0; i < n; i++)
		p->numbers[i] = (float)p->p[order != NULL ? order[i] : i];
	bt_example_add_floats(&p->example, name, p->numbers, (size_t)n);
}

void bt_answer_probabilities_record(struct bt_predict *p)
{
	int i;

	if (p->o.proba)
		bt_answer_add_numbers(p, "probabilities", NULL, p->labels.n);
	if (p->o.top == 0)
		return;
	for (i = 0; i < p->o.top; i++)
		p->names[i] = bt_span(p->labels.name[p->order[i]]);
	bt_example_add_texts(&p->example, "top_labels", p->names,
	                     (size_t)p->o.top);
	bt_answer_add_numbers(p, "top_probabilities", p->order, p->o.top);
}

/* The label that was predicted next most often after `last`, the first of
 * equals; -1: none. */
static int next_frequent(const struct bt_predict *p, int last)
{
	const uint64_t *n = p->counts;
	int i, best = -1;

	for (i = 0; i < p->labels.n; i++)
		if (n[i] > 0 &&
		    (last < 0 || n[i] < n[last] ||
		     (i > last && n[i] == n[last])) &&
		    (best < 0 || n[i] > n[best]))
			best = i;
	return best;
}

void bt_answer_counts(const struct bt_predict *p, int most, struct bt_buf *b)
{
	int i, shown = 0, all = 0;

	for (i = 0; i < p->labels.n; i++)
		all += p->counts[i] > 0;
	for (i = -1; shown < all && shown < most; shown++) {
		if (all > most)
			i = next_frequent(p, i);
		else
			do
				i++;
			while (p->counts[i] == 0);
		bt_buf_printf(b, "%s%s %llu", b->len > 0 ? ", " : "",
		              p->labels.name[i],
		              (unsigned long long)p->counts[i]);
	}
	if (all > shown)
		bt_buf_printf(b, ", ... %d more", all - shown);
}

void bt_answer_facts(const struct bt_labels *l, const uint64_t *count,
                     struct bt_summary *s)
{
	int i;

	bt_summary_open(s, "predicted");
	for (i = 0; i < l->n; i++)
		bt_summary_count(s, l->name[i], count[i]);
	bt_summary_close(s);
}

double bt_answer_sigmoid(float logit)
{
	return 1 / (1 + exp(-(double)logit));
}

void bt_answer_add_sigmoids(const float *logits, const int *map, int labels,
                            double *sum)
{
	int k;

	for (k = 0; k < labels; k++)
		sum[k] += bt_answer_sigmoid(logits[map != NULL ? map[k] : k]);
}

float bt_answer_mean_logit(double sum, size_t models)
{
	double p = sum / (double)models;

	return (float)(log(fmax(p, DBL_MIN)) -
	               log(fmax(1 - p, DBL_EPSILON / 2)));
}
