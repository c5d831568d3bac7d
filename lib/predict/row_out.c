/* SPDX-License-Identifier: MIT */
/* An answer in the form that was asked for. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "format/csv.h"
#include "predict/predict_int.h"

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
static int class_header(struct bt_predict *p, struct bt_error *err)
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
	return BT_OK;
}

/* "id,cohesion,syntax": a column for each number. */
static int number_header(struct bt_predict *p, struct bt_error *err)
{
	const char *h = p->o.header, *end;
	int i, n = 1;

	for (end = h; end != NULL && (end = strchr(end, ',')) != NULL; end++)
		n++;
	if (h != NULL && n != p->labels.n + 1)
		return bt_error_set(err, BT_EARG,
		                    "the header '%s' names %d columns, and "
		                    "there are an id and %d numbers",
		                    h, n, p->labels.n);
	for (i = 0; h != NULL && i < n; i++, h = end + 1) {
		end = strchr(h, ',') != NULL ? strchr(h, ',') : strchr(h, '\0');
		if (i > 0)
			bt_buf_putc(&p->row, p->o.delimiter);
		bt_csv_put(&p->row, (struct bt_span){h, (size_t)(end - h)},
		           p->o.delimiter);
	}
	if (p->o.header == NULL)
		bt_buf_puts(&p->row, "id");
	for (i = 0; p->o.header == NULL && i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		put_field(&p->row, p->labels.name[i], p->o.delimiter);
	}
	bt_buf_putc(&p->row, '\n');
	return BT_OK;
}

int bt_predict_header(struct bt_predict *p, struct bt_error *err)
{
	if (p->o.number && p->labels.n > 1)
		return number_header(p, err);
	return class_header(p, err);
}

static void csv_row(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;
	int i;

	bt_csv_put(b, id, p->o.delimiter);
	for (i = 0; i < (p->o.top > 0 ? p->o.top : 1); i++) {
		bt_buf_putc(b, p->o.delimiter);
		if (p->o.multi && p->o.top == 0)
			bt_csv_put(b, bt_predict_set(p), p->o.delimiter);
		else
			put_field(b, p->labels.name[p->order[i]],
			          p->o.delimiter);
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

/* The label, or those that hold. */
static void json_answer(struct bt_predict *p)
{
	struct bt_buf *b = &p->row;
	const char *between = "";
	int i;

	if (!p->o.multi) {
		bt_buf_puts(b, ", \"label\": ");
		put_json(b, bt_span(p->labels.name[p->order[0]]));
		bt_buf_puts(b, ", \"probability\": ");
		put_number(b, p->p[p->order[0]]);
		return;
	}
	bt_buf_puts(b, ", \"labels\": [");
	for (i = 0; i < p->labels.n; i++) {
		if (!p->on[i])
			continue;
		bt_buf_puts(b, between);
		put_json(b, bt_span(p->labels.name[i]));
		between = ", ";
	}
	bt_buf_putc(b, ']');
}

static void json_row(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;
	int i;

	bt_buf_puts(b, "{\"id\": ");
	put_json(b, id);
	json_answer(p);
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

/* One number as such, several by their names. */
static void json_numbers(struct bt_predict *p, struct bt_span id)
{
	struct bt_buf *b = &p->row;
	bool several = p->labels.n > 1;
	int i;

	bt_buf_puts(b, "{\"id\": ");
	put_json(b, id);
	bt_buf_puts(b, several ? ", \"values\": {" : ", \"value\": ");
	for (i = 0; i < p->labels.n; i++) {
		if (i > 0)
			bt_buf_puts(b, ", ");
		if (several) {
			put_json(b, bt_span(p->labels.name[i]));
			bt_buf_puts(b, ": ");
		}
		put_number(b, p->p[i]);
	}
	bt_buf_puts(b, several ? "}}\n" : "}\n");
}

static void csv_numbers(struct bt_predict *p, struct bt_span id)
{
	int i;

	bt_csv_put(&p->row, id, p->o.delimiter);
	for (i = 0; i < p->labels.n; i++) {
		bt_buf_putc(&p->row, p->o.delimiter);
		put_number(&p->row, p->p[i]);
	}
	bt_buf_putc(&p->row, '\n');
}

void bt_predict_row(struct bt_predict *p, struct bt_span id)
{
	bool json = p->o.format == BT_PREDICT_JSONL;

	if (p->o.format == BT_PREDICT_TSV)
		tsv_row(p);
	else if (p->o.number)
		json ? json_numbers(p, id) : csv_numbers(p, id);
	else
		json ? json_row(p, id) : csv_row(p, id);
}
