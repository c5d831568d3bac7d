/* SPDX-License-Identifier: MIT */
#include "task/predict.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "task/labelmap.h"
#include "task/sample.h"

struct bt_predict {
	struct bt_predict_opts o;
	int classes;             /* of the model */
	struct bt_labels labels; /* as they are written */
	int *shown;              /* [classes] which of them each is */
	bool merged;             /* there are fewer than classes */
	struct bt_out *out;
	struct bt_sample *sample; /* NULL: rows go out as they come */
	double *logit;            /* [classes] of one record */
	double *p;                /* [labels] its probabilities */
	int *order;               /* [labels] likeliest first */
	uint64_t *counts;
	bool numbered;
	uint64_t n; /* of numbers: how many, and */
	double least, most, sum;
	struct bt_buf row;
};

static int put_row(struct bt_predict *p, struct bt_error *err)
{
	int r;

	if (p->row.oom)
		return bt_error_nomem(err, "printing");
	r = bt_out_write(p->out, p->row.data, p->row.len, err);
	bt_buf_reset(&p->row);
	return r;
}

static void put_number(struct bt_buf *b, double v)
{
	char s[32];

	bt_format_f32(s, sizeof(s), (float)v);
	bt_buf_puts(b, s);
}

static void put_field(struct bt_buf *b, const char *s, char delimiter)
{
	bt_csv_put(b, bt_span(s), delimiter);
}

/* "id,label", then label_2 ... and probabilities as asked for. */
static int put_header(struct bt_predict *p, struct bt_error *err)
{
	const char *h = p->o.header != NULL ? p->o.header : "id,label";
	const char *comma = strchr(h, ',');
	struct bt_span id, label;
	int i;

	if (comma == NULL || strchr(comma + 1, ',') != NULL)
		return bt_error_set(err, BT_EARG,
		                    "the header '%s' does not name two columns "
		                    "(as in id,label)",
		                    h);
	id.p = h;
	id.n = (size_t)(comma - h);
	label = bt_span(comma + 1);
	bt_csv_put(&p->row, id, p->o.delimiter);
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
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		put_field(&p->row, p->labels.name[i], p->o.delimiter);
	}
	bt_buf_putc(&p->row, '\n');
	return put_row(p, err);
}

static int check(const struct bt_predict_opts *o, int classes,
                 struct bt_error *err)
{
	if (o->format != BT_PREDICT_CSV &&
	    (o->header != NULL || o->delimiter != 0))
		return bt_error_set(err, BT_EARG,
		                    "--header and --delimiter are for "
		                    "--format csv");
	if (o->number && (o->proba || o->top > 0 || o->map != NULL))
		return bt_error_set(err, BT_EARG,
		                    "the model predicts a number: --proba, "
		                    "--top and --map-label are for classes");
	if (o->format == BT_PREDICT_TSV && o->top > 0)
		return bt_error_set(err, BT_EARG,
		                    "--format tsv has the probabilities of all "
		                    "classes: it does not go with --top");
	if (o->top > classes)
		return bt_error_set(err, BT_EARG,
		                    "--top %d: the model has %d classes",
		                    o->top, classes);
	return BT_OK;
}

static int check_sample(const struct bt_predict_opts *o, struct bt_error *err)
{
	if (o->sample == NULL && (o->sample_id != NULL || o->sample_order))
		return bt_error_set(err, BT_EARG,
		                    "--sample-id and --sample-order say how a "
		                    "--sample is read");
	if (o->sample != NULL &&
	    (o->format != BT_PREDICT_CSV || o->header != NULL || o->top > 0 ||
	     o->delimiter != 0))
		return bt_error_set(err, BT_EARG,
		                    "--sample decides the columns: it does not "
		                    "go with --format, --header, --delimiter "
		                    "or --top");
	return BT_OK;
}

static int check_map(const struct bt_labelmap *map, const struct bt_labels *l,
                     struct bt_error *err)
{
	struct bt_span from;
	size_t i;

	for (i = 0; bt_labelmap_get(map, i, &from); i++)
		if (bt_labels_find(l, from) < 0)
			return bt_error_set(
			    err, BT_EARG,
			    "--map-label: '%.*s' is none of the model's %d "
			    "labels ('%s' ... '%s')",
			    (int)(from.n < 100 ? from.n : 100), from.p, l->n,
			    l->name[0], l->name[l->n - 1]);
	return BT_OK;
}

/* Under which label each class of l is written. */
static int name_classes(struct bt_predict *p, const struct bt_labels *l,
                        struct bt_error *err)
{
	struct bt_labelmap *map = NULL;
	struct bt_span to;
	int i, k, r = BT_OK;

	if (p->o.map != NULL)
		r = bt_labelmap_new(p->o.map, &map, err);
	if (r != BT_OK)
		return bt_error_prefix(err, "--map-label");
	if (map != NULL)
		r = check_map(map, l, err);
	for (i = 0; i < l->n && r == BT_OK; i++) {
		to = bt_span(l->name[i]);
		if (map != NULL)
			bt_labelmap_find(map, to, &to);
		k = bt_labels_add(&p->labels, to, err);
		if (k < 0)
			r = k;
		p->shown[i] = k;
	}
	p->merged = p->labels.n < l->n;
	if (r == BT_OK && p->merged)
		bt_log(p->o.log, BT_LOG_NOTE,
		       "the model's %d labels are written as %d", l->n,
		       p->labels.n);
	bt_labelmap_free(map);
	return r;
}

static int open_sample(struct bt_predict *p, struct bt_error *err)
{
	struct bt_sample_opts s = {.path = p->o.sample,
	                           .id = p->o.sample_id,
	                           .in_order = p->o.sample_order,
	                           .proba = p->o.proba,
	                           .number = p->o.number,
	                           .log = p->o.log};

	return bt_sample_open(&s, &p->labels, &p->sample, err);
}

int bt_predict_new(const struct bt_predict_opts *o, const struct bt_labels *l,
                   struct bt_out *out, struct bt_predict **res,
                   struct bt_error *err)
{
	struct bt_predict *p = bt_array0(1, sizeof(*p));
	size_t n = (size_t)l->n;
	int r;

	if (p == NULL)
		return bt_error_nomem(err, "predicting");
	p->o = *o;
	p->classes = l->n;
	p->out = out;
	p->shown = bt_array0(n, sizeof(*p->shown));
	p->logit = bt_array(n, sizeof(*p->logit));
	p->p = bt_array(n, sizeof(*p->p));
	p->order = bt_array(n, sizeof(*p->order));
	p->counts = bt_array0(n, sizeof(*p->counts));
	if (p->shown == NULL || p->logit == NULL || p->p == NULL ||
	    p->order == NULL || p->counts == NULL)
		r = bt_error_nomem(err, "predicting");
	else
		r = check_sample(o, err);
	if (r == BT_OK)
		r = name_classes(p, l, err);
	if (r == BT_OK)
		r = check(o, p->labels.n, err);
	if (r == BT_OK && o->sample != NULL)
		r = open_sample(p, err);
	if (p->o.delimiter == 0)
		p->o.delimiter = ',';
	if (r == BT_OK && o->sample == NULL && o->format == BT_PREDICT_CSV)
		r = put_header(p, err);
	if (r != BT_OK) {
		bt_predict_free(p);
		return r;
	}
	*res = p;
	return BT_OK;
}

void bt_predict_free(struct bt_predict *p)
{
	if (p == NULL)
		return;
	bt_sample_free(p->sample);
	bt_buf_clear(&p->row);
	bt_labels_clear(&p->labels);
	free(p->shown);
	free(p->logit);
	free(p->p);
	free(p->order);
	free(p->counts);
	free(p);
}

/* p->p = softmax of the logits, added up where classes are written as one. */
static void weigh(struct bt_predict *p, const float *logits)
{
	double max = logits[0], sum = 0;
	int i;

	for (i = 1; i < p->classes; i++)
		max = fmax(max, logits[i]);
	for (i = 0; i < p->labels.n; i++)
		p->p[i] = 0;
	for (i = 0; i < p->classes; i++) {
		p->logit[i] = logits[i];
		sum += exp(logits[i] - max);
		p->p[p->shown[i]] += exp(logits[i] - max);
	}
	for (i = 0; i < p->labels.n; i++)
		p->p[i] /= sum;
}

/* The first most of p->order by falling probability, the first class first
 * among equals. Logits tell apart what is 0 as a probability. */
static void rank(struct bt_predict *p, int most)
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

static void csv_row(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;
	int i;

	bt_csv_put(b, id, p->o.delimiter);
	for (i = 0; i < (p->o.top > 0 ? p->o.top : 1); i++) {
		bt_buf_putc(b, p->o.delimiter);
		put_field(b, p->labels.name[p->order[i]], p->o.delimiter);
		if (p->o.top > 0) {
			bt_buf_putc(b, p->o.delimiter);
			put_number(b, p->p[p->order[i]]);
		}
	}
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_putc(b, p->o.delimiter);
		put_number(b, p->p[i]);
	}
	bt_buf_putc(b, '\n');
}

static void put_json(struct bt_buf *b, struct bt_span s)
{
	json_t *v = json_stringn(s.p, s.n);
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	/* an id is any bytes; what is not UTF-8 cannot stand in JSON */
	bt_buf_puts(b, text != NULL ? text : "null");
	free(text);
	json_decref(v);
}

static void json_row(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;
	int i;

	bt_buf_puts(b, "{\"id\": ");
	put_json(b, id);
	bt_buf_puts(b, ", \"label\": ");
	put_json(b, bt_span(p->labels.name[p->order[0]]));
	bt_buf_puts(b, ", \"probability\": ");
	put_number(b, p->p[p->order[0]]);
	for (i = 0; i < p->o.top; i++) {
		bt_buf_puts(b, i == 0 ? ", \"top\": [" : ", ");
		bt_buf_puts(b, "{\"label\": ");
		put_json(b, bt_span(p->labels.name[p->order[i]]));
		bt_buf_puts(b, ", \"probability\": ");
		put_number(b, p->p[p->order[i]]);
		bt_buf_puts(b, i == p->o.top - 1 ? "}]" : "}");
	}
	for (i = 0; p->o.proba && i < p->labels.n; i++) {
		bt_buf_puts(b, i == 0 ? ", \"probabilities\": {" : ", ");
		put_json(b, bt_span(p->labels.name[i]));
		bt_buf_puts(b, ": ");
		put_number(b, p->p[i]);
		if (i == p->labels.n - 1)
			bt_buf_putc(b, '}');
	}
	bt_buf_puts(b, "}\n");
}

/* As Python prints floats that were doubled in length: 1.0, 0.25, 1e-05. */
static void tsv_row(struct bt_predict *p)
{
	struct bt_buf *b = &p->row;
	char s[32];
	int i;

	for (i = 0; i < p->labels.n; i++) {
		bt_format_f64(s, sizeof(s), (double)(float)p->p[i]);
		bt_buf_printf(b, "%s%s%s", i > 0 ? "\t" : "", s,
		              s[strspn(s, "-0123456789")] == '\0' ? ".0" : "");
	}
	bt_buf_putc(b, '\n');
}

/* Takes the number for the one answer there is. */
static void take_number(struct bt_predict *p, const float *answer)
{
	double v = (double)answer[0];

	p->p[0] = v;
	p->order[0] = 0;
	p->least = p->n == 0 || v < p->least ? v : p->least;
	p->most = p->n == 0 || v > p->most ? v : p->most;
	p->sum += v;
	p->n++;
}

/* What bt_predict_add adds of a number. */
static void number_row(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;

	if (p->o.format == BT_PREDICT_JSONL) {
		bt_buf_puts(b, "{\"id\": ");
		put_json(b, id);
		bt_buf_puts(b, ", \"value\": ");
		put_number(b, p->p[0]);
		bt_buf_puts(b, "}\n");
		return;
	}
	bt_csv_put(b, id, p->o.delimiter);
	bt_buf_putc(b, p->o.delimiter);
	put_number(b, p->p[0]);
	bt_buf_putc(b, '\n');
}

/* Numbers that stand for missing ids explain why none of them is there. */
static int blame_ids(const struct bt_predict *p, int r, struct bt_error *err)
{
	if (r != BT_EFORMAT || !p->numbered || p->o.sample_order)
		return r;
	return bt_error_prefix(err, "records without an id were numbered from "
	                            "0 (--sample-order goes by their order)");
}

int bt_predict_add(struct bt_predict *p, uint64_t i, struct bt_span id,
                   const float *logits, struct bt_error *err)
{
	char number[24];

	if (p->o.number) {
		take_number(p, logits);
	} else {
		weigh(p, logits);
		rank(p, p->o.top > 0 ? p->o.top : 1);
		p->counts[p->order[0]]++;
	}
	if (id.p == NULL) {
		p->numbered = true;
		snprintf(number, sizeof(number), "%llu", (unsigned long long)i);
		id = bt_span(number);
	}
	if (p->sample != NULL)
		return blame_ids(
		    p, bt_sample_set(p->sample, id, p->order[0], p->p, err),
		    err);
	if (p->o.format == BT_PREDICT_TSV)
		tsv_row(p);
	else if (p->o.number)
		number_row(p, id);
	else if (p->o.format == BT_PREDICT_JSONL)
		json_row(p, id);
	else
		csv_row(p, id);
	return put_row(p, err);
}

int bt_predict_finish(struct bt_predict *p, struct bt_error *err)
{
	if (p->sample == NULL)
		return BT_OK;
	return blame_ids(p, bt_sample_write(p->sample, p->out, err), err);
}

void bt_predict_tell(const struct bt_predict *p, const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	int i;

	if (p->numbered && !p->o.sample_order && p->o.format != BT_PREDICT_TSV)
		bt_log(log, BT_LOG_WARN,
		       "records without an id were numbered from 0");
	if (p->n > 0)
		bt_buf_printf(&b, "numbers from %g to %g, mean %g", p->least,
		              p->most, p->sum / (double)p->n);
	for (i = 0; i < p->labels.n; i++)
		if (p->counts[i] > 0)
			bt_buf_printf(&b, "%s%s %llu", b.len > 0 ? ", " : "",
			              p->labels.name[i],
			              (unsigned long long)p->counts[i]);
	if (bt_buf_str(&b) != NULL)
		bt_log(log, BT_LOG_NOTE, "predicted %s", bt_buf_str(&b));
	bt_buf_clear(&b);
}
