/* SPDX-License-Identifier: MIT */
#include "predict/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "format/csv.h"
#include "format/escape.h"
#include "predict/answer.h"

struct bt_choices {
	struct bt_choices_opts o;
	struct bt_out *out;
	struct bt_buf names; /* of the block's records: each its length, then
	                      * the name */
	size_t *end;         /* [records of the block] into names */
	size_t end_cap;

	/* of the question at work */
	struct bt_buf own; /* the bytes of its names */
	struct choice {
		struct bt_span name; /* in own */
		double p;            /* the score, then the probability */
		size_t next;         /* number of the i-th best */
	} * choice;                  /* [n] */
	size_t n, seen, cap;
	uint64_t questions; /* before it */
	uint64_t without;   /* of these no choice was probable enough */
	bool named, numbered;

	struct bt_span id, label; /* names of the columns of CSV */
	struct bt_buf columns; /* names of the first question's choices, as in
	                        * own, where each has a column */
	size_t n_columns;
	struct bt_buf row;
};

/* Whether a column or member that is written anyway has that name. */
static bool is_taken(const struct bt_choices_opts *o,
                     const struct bt_span column[2], const char *name)
{
	struct bt_span s = bt_span(name);

	if (o->json)
		return bt_str_in_list(o->threshold > 0
		                          ? "id|labels|probabilities"
		                          : "id|label|probability|top|"
		                            "probabilities",
		                      name);
	return bt_span_equal(s, column[0]) || bt_span_equal(s, column[1]) ||
	       (o->top > 0 && o->separator == NULL &&
	        strcmp(name, "probability") == 0);
}

static int check(const struct bt_choices_opts *o,
                 const struct bt_span column[2], struct bt_error *err)
{
	const char *name;
	size_t i;

	if (o->json && (o->header != NULL || o->delimiter != 0))
		return bt_error_hint(
		    err, BT_HINT_CSV_ONLY,
		    bt_error_set(err, BT_EARG, "the output is not CSV"));
	if (o->separator != NULL && o->separator[0] == '\0')
		return bt_error_set(err, BT_EARG,
		                    "the separator of labels is empty");
	if (o->separator != NULL && o->json)
		return bt_predict_no_separator(err);
	for (i = 0;
	     o->fields != NULL && (name = bt_fields_name(o->fields, i)) != NULL;
	     i++)
		if (is_taken(o, column, name))
			return bt_predict_twice(name, err);
	return BT_OK;
}

int bt_choices_new(const struct bt_choices_opts *o, struct bt_out *out,
                   struct bt_choices **cp, struct bt_error *err)
{
	const char *h = o->header != NULL ? o->header : "id,label";
	struct bt_span column[2];
	struct bt_choices *c;

	if (bt_csv_two_names(h, column, err) != BT_OK ||
	    check(o, column, err) != BT_OK)
		return BT_EARG;
	c = bt_array0(1, sizeof(*c));
	c->o = *o;
	c->out = out;
	c->id = column[0];
	c->label = column[1];
	if (c->o.delimiter == 0)
		c->o.delimiter = ',';
	if (c->o.threshold > 0 && c->o.separator == NULL && !c->o.json)
		c->o.separator = " ";
	*cp = c;
	return BT_OK;
}

void bt_choices_free(struct bt_choices *c)
{
	if (c == NULL)
		return;
	free(c->end);
	free(c->choice);
	bt_buf_clear(&c->names);
	bt_buf_clear(&c->own);
	bt_buf_clear(&c->columns);
	bt_buf_clear(&c->row);
	free(c);
}

/* The names of a list. */
static int note_names(struct bt_choices *c, const struct bt_feature *f,
                      struct bt_error *err)
{
	struct bt_pb at = f->list;
	struct bt_span s;
	int r;

	while ((r = bt_feature_next_text(f, &at, &s.p, &s.n, err)) == 1) {
		bt_buf_put(&c->names, &s.n, sizeof(s.n));
		bt_buf_put(&c->names, s.p, s.n);
	}
	return r;
}

int bt_choices_look(struct bt_choices *c, size_t k, const void *data,
                    size_t len, struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	int r = bt_grow(&c->end, &c->end_cap, k + 1, sizeof(*c->end));

	if (k == 0)
		bt_buf_reset(&c->names);
	bt_example_open(&x, data, len);
	while (r == BT_OK && (r = bt_example_next(&x, &f, err)) == 1)
		r = bt_feature_is(&f, "label_names") ? note_names(c, &f, err)
		                                     : BT_OK;
	if (r == BT_OK && c->names.oom)
		r = bt_error_nomem(err, "reading choices");
	if (r == BT_OK)
		c->end[k] = c->names.len;
	return r;
}

/* A name that the separator would divide. */
static int check_separator(const struct bt_choices *c, struct bt_span name,
                           struct bt_error *err)
{
	const char *s = c->o.separator;
	size_t n = s != NULL ? strlen(s) : 0, at;

	for (at = 0; n > 0 && at + n <= name.n; at++)
		if (memcmp(name.p + at, s, n) == 0)
			return bt_error_hint(
			    err, BT_HINT_LABEL_SEPARATOR,
			    bt_error_set(err, BT_EFORMAT,
			                 "the label '%.*s' contains '%s', "
			                 "which separates labels",
			                 (int)(name.n < 100 ? name.n : 100),
			                 name.p, s));
	return BT_OK;
}

/* Begins the question of record k of the block, with n choices. */
static int begin(struct bt_choices *c, size_t k, size_t n, struct bt_error *err)
{
	size_t at = k > 0 ? c->end[k - 1] : 0, i;
	const char *p;

	if (bt_grow(&c->choice, &c->cap, n, sizeof(*c->choice)) != BT_OK)
		return bt_error_nomem(err, "reading choices");
	bt_buf_reset(&c->own);
	bt_buf_put(&c->own, bt_buf_at(&c->names, at), c->end[k] - at);
	p = bt_buf_str(&c->own);
	if (p == NULL)
		return bt_error_nomem(err, "reading choices");
	for (i = 0; i < n; i++) {
		memcpy(&c->choice[i].name.n, p, sizeof(size_t));
		c->choice[i].name.p = p + sizeof(size_t);
		p = c->choice[i].name.p + c->choice[i].name.n;
		if (check_separator(c, c->choice[i].name, err) != BT_OK)
			return BT_EFORMAT;
	}
	c->n = n;
	c->seen = 0;
	return BT_OK;
}

/* The probability of each choice by itself. */
static void decide_each(struct bt_choices *c)
{
	bool any = false;
	size_t i;

	for (i = 0; i < c->n; i++) {
		c->choice[i].p = 1 / (1 + exp(-c->choice[i].p));
		any |= c->choice[i].p >= c->o.threshold;
	}
	c->without += !any;
}

/* Probabilities, and the order of the choices: the first of equal ones first.
 */
static void decide(struct bt_choices *c)
{
	struct choice *x = c->choice;
	double max = -INFINITY, sum = 0;
	size_t i, k;

	for (i = 0; i < c->n; i++)
		max = fmax(max, x[i].p);
	for (i = 0; i < c->n; i++) {
		for (k = i; k > 0 && x[x[k - 1].next].p < x[i].p; k--)
			x[k].next = x[k - 1].next;
		x[k].next = i;
	}
	for (i = 0; i < c->n; i++)
		sum += exp(x[i].p - max);
	for (i = 0; i < c->n; i++)
		x[i].p = exp(x[i].p - max) / sum;
}

/* The i-th best. */
static const struct choice *best(const struct bt_choices *c, size_t i)
{
	return &c->choice[c->choice[i].next];
}

static void put_cell(struct bt_choices *c, struct bt_span s)
{
	bt_buf_putc(&c->row, c->o.delimiter);
	bt_csv_put(&c->row, s, c->o.delimiter);
}

static void put_header(struct bt_choices *c)
{
	const char *name;
	size_t i;

	bt_csv_put(&c->row, c->id, c->o.delimiter);
	for (i = 0; c->o.fields != NULL &&
	            (name = bt_fields_name(c->o.fields, i)) != NULL;
	     i++)
		put_cell(c, bt_span(name));
	put_cell(c, c->label);
	for (i = 0; c->o.separator == NULL && i < c->o.top; i++) {
		if (i > 0)
			bt_buf_printf(&c->row, "%c%.*s_%zu", c->o.delimiter,
			              (int)c->label.n, c->label.p, i + 1);
		bt_buf_printf(&c->row, "%cprobability", c->o.delimiter);
		if (i > 0)
			bt_buf_printf(&c->row, "_%zu", i + 1);
	}
	for (i = 0; c->o.proba && i < c->n; i++)
		put_cell(c, c->choice[i].name);
	bt_buf_putc(&c->row, '\n');
	bt_buf_put(&c->columns, bt_buf_at(&c->own, 0), c->own.len);
	c->n_columns = c->n;
}

/* The next name of the answer, the best first or, if each counts by itself, in
 * their own order; or NULL. *at is 0 for the first. */
static const struct choice *next_name(const struct bt_choices *c, size_t *at)
{
	size_t n = c->o.top > 0 ? c->o.top : 1;

	if (c->o.threshold == 0)
		return *at < n && *at < c->n ? best(c, (*at)++) : NULL;
	while (*at < c->n && c->choice[*at].p < c->o.threshold)
		(*at)++;
	return *at < c->n ? &c->choice[(*at)++] : NULL;
}

/* One field of the names. */
static void put_joined(struct bt_choices *c)
{
	struct bt_buf b = BT_BUF_INIT;
	const struct choice *x;
	const char *between = "";
	size_t at = 0;

	while ((x = next_name(c, &at)) != NULL) {
		bt_buf_puts(&b, between);
		bt_buf_put(&b, x->name.p, x->name.n);
		between = c->o.separator;
	}
	put_cell(c, (struct bt_span){bt_buf_at(&b, 0), b.len});
	c->row.oom |= b.oom;
	bt_buf_clear(&b);
}

/* Columns for more choices than the question has are empty. */
static void put_row(struct bt_choices *c)
{
	size_t i;

	for (i = 0; c->o.separator == NULL && (i == 0 || i < c->o.top); i++) {
		put_cell(c, i < c->n ? best(c, i)->name : bt_span(""));
		if (c->o.top == 0)
			continue;
		bt_buf_putc(&c->row, c->o.delimiter);
		if (i < c->n)
			bt_answer_put_number(&c->row, best(c, i)->p);
	}
	if (c->o.separator != NULL)
		put_joined(c);
	for (i = 0; c->o.proba && i < c->n_columns; i++) {
		bt_buf_putc(&c->row, c->o.delimiter);
		if (i < c->n)
			bt_answer_put_number(&c->row, c->choice[i].p);
	}
}

static void put_names(struct bt_choices *c)
{
	const struct choice *x;
	const char *between = "";
	size_t at = 0;

	bt_buf_puts(&c->row, ", \"labels\": [");
	while ((x = next_name(c, &at)) != NULL) {
		bt_buf_puts(&c->row, between);
		bt_escape_json_text(&c->row, x->name);
		between = ", ";
	}
	bt_buf_putc(&c->row, ']');
}

static void put_best(struct bt_choices *c)
{
	struct bt_buf *b = &c->row;
	size_t i;

	bt_buf_puts(b, ", \"label\": ");
	bt_escape_json_text(b, best(c, 0)->name);
	bt_buf_puts(b, ", \"probability\": ");
	bt_answer_put_number(b, best(c, 0)->p);
	for (i = 0; i < c->o.top && i < c->n; i++) {
		bt_buf_puts(b, i == 0 ? ", \"top\": [{\"label\": "
		                      : ", {\"label\": ");
		bt_escape_json_text(b, best(c, i)->name);
		bt_buf_puts(b, ", \"probability\": ");
		bt_answer_put_number(b, best(c, i)->p);
		bt_buf_putc(b, '}');
	}
	bt_buf_puts(b, c->o.top > 0 ? "]" : "");
}

static void put_json(struct bt_choices *c)
{
	struct bt_buf *b = &c->row;
	size_t i;

	if (c->o.threshold > 0)
		put_names(c);
	else
		put_best(c);
	for (i = 0; c->o.proba && i < c->n; i++) {
		bt_buf_puts(b, i == 0 ? ", \"probabilities\": {" : ", ");
		bt_escape_json_text(b, c->choice[i].name);
		bt_buf_puts(b, ": ");
		bt_answer_put_number(b, c->choice[i].p);
	}
	bt_buf_puts(b, c->o.proba ? "}" : "");
}

/* The columns of probabilities are those of the first question's choices, of
 * which others may have fewer. */
static int check_columns(const struct bt_choices *c, struct bt_span id,
                         struct bt_error *err)
{
	if (c->o.json || !c->o.proba || c->questions == 0 ||
	    (c->own.len <= c->columns.len &&
	     memcmp(c->own.data, c->columns.data, c->own.len) == 0))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "question '%.*s' has other choices than the first "
	                    "one, which names the columns of probabilities: "
	                    "jsonl has no columns",
	                    (int)(id.n < 100 ? id.n : 100), id.p);
}

/* The answer to the question that ends with record k of the block. */
static int answer(struct bt_choices *c, size_t k, struct bt_span id,
                  struct bt_error *err)
{
	char number[24];
	int r;

	c->named |= id.p != NULL;
	c->numbered |= id.p == NULL;
	snprintf(number, sizeof(number), "%llu",
	         (unsigned long long)c->questions);
	if (id.p == NULL)
		id = bt_span(number);
	if (c->o.threshold > 0)
		decide_each(c);
	else
		decide(c);
	r = check_columns(c, id, err);
	if (r == BT_OK && c->o.fields != NULL)
		r = bt_fields_choose(c->o.fields, k, err);
	if (r != BT_OK)
		return r;
	bt_buf_reset(&c->row);
	if (c->questions++ == 0 && !c->o.json)
		put_header(c);
	if (c->o.json) {
		bt_buf_puts(&c->row, "{\"id\": ");
		bt_escape_json_text(&c->row, id);
	} else {
		bt_csv_put(&c->row, id, c->o.delimiter);
	}
	if (c->o.fields != NULL)
		bt_fields_put(c->o.fields, &c->row);
	if (c->o.json)
		put_json(c);
	else
		put_row(c);
	bt_buf_puts(&c->row, c->o.json ? "}\n" : "\n");
	return c->row.oom ? bt_error_nomem(err, "writing an answer")
	                  : bt_out_write(c->out, c->row.data, c->row.len, err);
}

int bt_choices_add(struct bt_choices *c, size_t k, struct bt_span id, size_t n,
                   float score, struct bt_error *err)
{
	int r = n > 0 ? begin(c, k, n, err) : BT_OK;

	if (r != BT_OK)
		return r;
	c->choice[c->seen++].p = (double)score;
	return c->seen == c->n ? answer(c, k, id, err) : BT_OK;
}

void bt_choices_tell(const struct bt_choices *c, const struct bt_log *log)
{
	if (c->numbered)
		bt_predict_tell_numbered(c->named, log);
	if (c->without > 0)
		bt_log(log, BT_LOG_NOTE, "no label: %llu of %llu texts",
		       (unsigned long long)c->without,
		       (unsigned long long)c->questions);
}
