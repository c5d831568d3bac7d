/* SPDX-License-Identifier: MIT */
#include "ckpt/inspect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "ckpt/inspect_int.h"
#include "format/escape.h"
#include "format/hf_config.h"
#include "format/json.h"
#include "tensor/checkpoint_reader.h"

#define COLUMNS 16
#define WIDEST 72 /* longer cells push the rest of their line aside */

int bt_inspect_view_init(struct bt_inspect_view *v, const struct bt_ckpt *c,
                         const regex_t *pattern, struct bt_error *err)
{
	size_t i, n = bt_ckpt_count(c);
	const struct bt_tensor *t;

	v->ckpt = c;
	v->n = 0;
	v->t = bt_array(n, sizeof(*v->t));
	if (v->t == NULL)
		return bt_error_nomem(err, "listing tensors");
	for (i = 0; i < n; i++) {
		t = bt_ckpt_tensor(c, i);
		if (pattern == NULL ||
		    regexec(pattern, t->name, 0, NULL, 0) == 0)
			v->t[v->n++] = t;
	}
	return BT_OK;
}

void bt_inspect_view_clear(struct bt_inspect_view *v)
{
	free(v->t);
	v->t = NULL;
	v->n = 0;
}

void bt_inspect_table_end(struct bt_inspect_table *t)
{
	bt_buf_putc(&t->text, '\0');
	t->cells++;
}

void bt_inspect_table_cell(struct bt_inspect_table *t, const char *fmt, ...)
{
	char s[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	bt_buf_puts(&t->text, s);
	bt_inspect_table_end(t);
}

void bt_inspect_table_number(struct bt_inspect_table *t, double v)
{
	if (isnan(v))
		bt_inspect_table_cell(t, "-");
	else
		bt_inspect_table_cell(t, "%.6g", v);
}

/* Characters, as far as a terminal shows each in one column. */
static size_t width(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void pad(struct bt_buf *b, size_t have, size_t want)
{
	for (; have < want; have++)
		bt_buf_putc(b, ' ');
}

void bt_inspect_table_show(struct bt_inspect_table *t, struct bt_buf *b)
{
	size_t i, w, columns = strlen(t->align), widths[COLUMNS] = {0};
	const char *s = t->text.data;
	bool right, last;

	b->oom = b->oom || t->text.oom;
	for (i = 0; i < t->cells && !b->oom; i++, s += strlen(s) + 1) {
		w = width(s);
		if (w > widths[i % columns])
			widths[i % columns] = w < WIDEST ? w : WIDEST;
	}
	s = t->text.data;
	for (i = 0; i < t->cells && !b->oom; i++, s += strlen(s) + 1) {
		right = t->align[i % columns] == 'r';
		last = (i + 1) % columns == 0;
		if (right)
			pad(b, width(s), widths[i % columns]);
		bt_buf_puts(b, s);
		if (!right && !last)
			pad(b, width(s), widths[i % columns]);
		bt_buf_puts(b, last ? "\n" : "  ");
	}
	bt_buf_clear(&t->text);
}

void bt_inspect_name(struct bt_buf *b, const char *s)
{
	bt_escape(b, bt_span(s), "");
}

void bt_inspect_shape(struct bt_buf *b, const struct bt_tensor *t)
{
	int i;

	bt_buf_putc(b, '[');
	for (i = 0; i < t->rank; i++)
		bt_buf_printf(b, "%s%lld", i > 0 ? "," : "",
		              (long long)t->shape[i]);
	bt_buf_putc(b, ']');
}

/* "1234 bytes (1.2 kB)"; what is "bytes" and unit "B". */
static void put_amount(struct bt_buf *b, size_t n, const char *what,
                       const char *unit)
{
	static const char prefixes[] = "kMGTPE";
	double v = (double)n;
	int i = -1;

	bt_buf_printf(b, "%zu %s", n, what);
	for (; v >= (i < 0 ? 1000 : 999.95); i++) /* nothing as "1000.0 k" */
		v /= 1000;
	if (i >= 0)
		bt_buf_printf(b, " (%.1f %c%s)", v, prefixes[i], unit);
}

struct bt_inspect_totals bt_inspect_totals(const struct bt_inspect_view *v,
                                           enum bt_dtype dtype)
{
	struct bt_inspect_totals sum = {0, 0, 0};
	size_t i;

	for (i = 0; i < v->n; i++) {
		if (dtype != BT_DTYPES && v->t[i]->dtype != dtype)
			continue;
		sum.tensors++;
		sum.parameters += v->t[i]->count;
		sum.bytes += v->t[i]->bytes;
	}
	return sum;
}

void bt_inspect_totals_line(struct bt_buf *b, const struct bt_inspect_totals *t)
{
	bt_buf_printf(b, "%zu tensor%s, ", t->tensors, bt_plural(t->tensors));
	put_amount(b, t->parameters,
	           t->parameters == 1 ? "parameter" : "parameters", "");
	bt_buf_puts(b, ", ");
	put_amount(b, t->bytes, t->bytes == 1 ? "byte" : "bytes", "B");
}

void bt_inspect_json(struct bt_buf *b, json_t *v)
{
	char *s = v == NULL ? NULL : json_dumps(v, JSON_ENCODE_ANY);

	if (s == NULL)
		b->oom = true;
	else
		bt_buf_puts(b, s);
	free(s);
	json_decref(v);
}

json_t *bt_inspect_shape_json(const struct bt_tensor *t)
{
	json_t *a = json_array();
	int i;

	for (i = 0; i < t->rank; i++)
		json_array_append_new(a, json_integer(t->shape[i]));
	return a;
}

json_t *bt_inspect_text_json(const char *s)
{
	json_t *v = json_string(s);

	return v != NULL ? v : json_null();
}

static int config_line(struct bt_buf *b, const json_t *o, struct bt_error *err)
{
	static const struct {
		const char *before, *after, *names[4];
	} sizes[] = {
	    {"", " layers", {"num_hidden_layers", "n_layers", "n_layer"}},
	    {"hidden size ", "", {"hidden_size", "dim", "d_model", "n_embd"}},
	    {"", " heads", {"num_attention_heads", "n_heads", "n_head"}},
	    {"vocabulary ", "", {"vocab_size"}},
	};
	const char *type = "model of unknown type";
	json_t *labels = json_object_get(o, "id2label");
	int64_t v;
	size_t i, k;
	int r = bt_json_str(o, "model_type", &type, err);

	bt_inspect_name(b, type);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && r == BT_OK; i++) {
		v = -1;
		for (k = 0;
		     k < 4 && sizes[i].names[k] != NULL && v < 0 && r == BT_OK;
		     k++)
			r = bt_json_int(o, sizes[i].names[k], 0, INT64_MAX, &v,
			                err);
		if (v >= 0)
			bt_buf_printf(b, ", %s%lld%s", sizes[i].before,
			              (long long)v, sizes[i].after);
	}
	v = json_is_object(labels) ? (int64_t)json_object_size(labels) : -1;
	if (r == BT_OK) /* which is right where both differ */
		r = bt_json_int(o, "num_labels", 0, INT64_MAX, &v, err);
	if (v >= 0)
		bt_buf_printf(b, ", %lld labels", (long long)v);
	bt_buf_putc(b, '\n');
	return r;
}

int bt_inspect_config(struct bt_buf *b, const char *dir, struct bt_error *err)
{
	struct bt_buf line = BT_BUF_INIT;
	char *path = NULL;
	json_t *o;
	int r = bt_hf_config_find(dir, &o, &path, err);

	if (r == BT_OK && o != NULL) {
		r = config_line(&line, o, err);
		if (r != BT_OK)
			bt_error_prefix(err, "'%s'", path);
		else
			bt_buf_put(b, line.data, line.len);
	}
	json_decref(o);
	bt_buf_clear(&line);
	free(path);
	return r;
}
