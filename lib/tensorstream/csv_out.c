/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "format/csv.h"
#include "tensorstream/text_out.h"

#define COLUMNS_MAX (1 << 24)

struct bt_frame_csv {
	struct bt_frame_csv_opts o;
	struct bt_buf header, row; /* header: of the first frame */
	bool begun;
	bool filled; /* the row has a field already */
	double *v;
	size_t v_cap;
	json_t *labels; /* of this frame, or NULL */
	bool many;      /* any number of them may hold */
};

int bt_frame_csv_new(const struct bt_frame_csv_opts *o,
                     struct bt_frame_csv **res, struct bt_error *err)
{
	struct bt_frame_csv *c;
	struct bt_span names[2];

	if (o->header != NULL &&
	    bt_csv_two_names(o->header, names, err) != BT_OK)
		return BT_EARG;
	c = bt_array0(1, sizeof(*c));
	c->o = *o;
	*res = c;
	return BT_OK;
}

void bt_frame_csv_free(struct bt_frame_csv *c)
{
	if (c == NULL)
		return;
	bt_buf_clear(&c->header);
	bt_buf_clear(&c->row);
	json_decref(c->labels);
	free(c->v);
	free(c);
}

/* Before a field: an empty one came before where the row is empty. */
static void separate(struct bt_frame_csv *c, struct bt_buf *b)
{
	if (c->filled)
		bt_buf_putc(b, ',');
	c->filled = true;
}

static bool is_printed(const struct bt_frame *f, const struct bt_tensor *t)
{
	return bt_frame_is_value(f, t) && bt_dtype_is_real(t->dtype);
}

/* Columns of t: a number in each. */
static size_t width(const struct bt_frame *f, const struct bt_tensor *t)
{
	size_t n = f->whole || t->rank == 0 ? t->count : 1;
	int i;

	for (i = 1; !f->whole && i < t->rank; i++)
		if (!bt_size_mul(n, (size_t)t->shape[i], &n))
			return SIZE_MAX;
	return n;
}

static void name_columns(struct bt_frame_csv *c, const struct bt_frame *f,
                         const struct bt_tensor *t, bool alone,
                         struct bt_buf *b)
{
	size_t n = width(f, t), i;
	bool named = n > 1 && json_array_size(c->labels) == n;
	struct bt_buf name = BT_BUF_INIT;
	struct bt_span s;

	for (i = 0; i < n; i++) {
		bt_buf_reset(&name);
		if (!alone || !named)
			bt_buf_puts(&name, t->name);
		if (named)
			bt_buf_printf(
			    &name, "%s%s", alone ? "" : ".",
			    json_string_value(json_array_get(c->labels, i)));
		else if (n > 1)
			bt_buf_printf(&name, "_%zu", i);
		separate(c, b);
		s.p = name.data;
		s.n = name.len;
		bt_csv_put(b, s, ',');
		b->oom = b->oom || name.oom;
	}
	bt_buf_clear(&name);
}

static size_t count_printed(const struct bt_frame *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->s.count; i++)
		n += is_printed(f, &f->s.tensors[i]);
	return n;
}

/* The tensor whose columns are the classes. */
static int find_classes(const struct bt_frame_csv *c, const struct bt_frame *f,
                        const struct bt_tensor **t, struct bt_error *err)
{
	const char *problem = bt_frame_note(f, BT_FRAME_PROBLEM);
	size_t n = json_array_size(c->labels), i, found = 0;

	if (problem != NULL && (strcmp(problem, BT_FRAME_NUMBERS) == 0 ||
	                        strcmp(problem, BT_FRAME_RANKING) == 0))
		return bt_error_set(err, BT_EFORMAT,
		                    "it holds the numbers that a model "
		                    "predicts, not classes");
	if (n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "its metadata does not name the classes");
	for (i = 0; i < f->s.count; i++)
		if (is_printed(f, &f->s.tensors[i]) &&
		    width(f, &f->s.tensors[i]) == n) {
			*t = &f->s.tensors[i];
			found++;
		}
	if (found == 1)
		return BT_OK;
	return bt_error_hint(
	    err, found > 1 ? BT_HINT_TENSOR_SELECT : BT_HINT_NONE,
	    bt_error_set(err, BT_EFORMAT,
	                 "%zu tensors, and not one, have a column for each of "
	                 "the %zu classes",
	                 found, n));
}

/* Reads a row of a tensor into c->v. */
static int read_row(struct bt_frame_csv *c, const struct bt_frame *f,
                    const struct bt_tensor *t, size_t row, size_t *n,
                    struct bt_error *err)
{
	*n = width(f, t);
	if (bt_grow(&c->v, &c->v_cap, *n, sizeof(*c->v)) != BT_OK)
		return bt_error_nomem(err, "writing CSV");
	return bt_tensor_to_f64(t, row * *n, *n, c->v, err);
}

/* The greatest class, or where any number of labels may hold those that are
 * likelier than not, with blanks between. */
static int put_label(struct bt_frame_csv *c, const struct bt_frame *f,
                     const struct bt_tensor *t, size_t row,
                     struct bt_error *err)
{
	double least = strcmp(t->name, BT_FRAME_LOGITS) == 0 ? 0 : 0.5;
	struct bt_buf names = BT_BUF_INIT;
	size_t n, i, best = 0;
	int r = read_row(c, f, t, row, &n, err);

	for (i = 0; r == BT_OK && i < n; i++) {
		if (isnan(c->v[i]))
			r = bt_error_set(err, BT_EFORMAT,
			                 "row %zu of '%.100s' holds what is "
			                 "not a number",
			                 row + 1, t->name);
		if (c->v[i] > c->v[best])
			best = i;
	}
	for (i = 0; r == BT_OK && i < n; i++)
		if (c->many ? c->v[i] > least : i == best)
			bt_buf_printf(
			    &names, "%s%s", names.len > 0 ? " " : "",
			    json_string_value(json_array_get(c->labels, i)));
	if (r == BT_OK) {
		separate(c, &c->row);
		if (names.len > 0)
			bt_csv_put(&c->row,
			           (struct bt_span){names.data, names.len},
			           ',');
		c->row.oom |= names.oom;
	}
	bt_buf_clear(&names);
	return r;
}

/* Number i of t as text, exactly. */
static int format(char *s, size_t size, const struct bt_tensor *t, size_t i,
                  double v, struct bt_error *err)
{
	uint64_t u = 0;
	int64_t k = 0;
	int r = BT_OK;

	switch (t->dtype) {
	case BT_DTYPE_I64:
		r = bt_tensor_read(t, i, 1, &k, err);
		snprintf(s, size, "%lld", (long long)k);
		break;
	case BT_DTYPE_U64:
		r = bt_tensor_read(t, i, 1, &u, err);
		snprintf(s, size, "%llu", (unsigned long long)u);
		break;
	case BT_DTYPE_F64:
	case BT_DTYPE_I32:
	case BT_DTYPE_U32:
		bt_format_f64(s, size, v);
		break;
	default:
		bt_format_f32(s, size, (float)v);
	}
	return r;
}

static int put_row(struct bt_frame_csv *c, const struct bt_frame *f,
                   const struct bt_tensor *classes, size_t row,
                   struct bt_out *out, struct bt_error *err)
{
	const struct bt_tensor *t;
	size_t i, k, n;
	char s[32];
	int r = BT_OK;

	bt_buf_reset(&c->row);
	c->filled = f->id != NULL;
	if (f->id != NULL)
		bt_csv_put(&c->row, bt_frame_id(f, row), ',');
	if (classes != NULL && (r = put_label(c, f, classes, row, err)))
		return r;
	for (i = 0; i < f->s.count && c->o.values; i++) {
		t = &f->s.tensors[i];
		if (!is_printed(f, t))
			continue;
		if ((r = read_row(c, f, t, row, &n, err)))
			return r;
		for (k = 0; k < n; k++) {
			r = format(s, sizeof(s), t, row * n + k, c->v[k], err);
			if (r != BT_OK)
				return r;
			separate(c, &c->row);
			bt_buf_puts(&c->row, s);
		}
	}
	bt_buf_putc(&c->row, '\n');
	return c->row.oom ? bt_error_nomem(err, "writing CSV")
	                  : bt_out_write(out, c->row.data, c->row.len, err);
}

static int put_header(struct bt_frame_csv *c, const struct bt_frame *f,
                      struct bt_out *out, struct bt_error *err)
{
	const char *h = c->o.header != NULL ? c->o.header : "id,label";
	struct bt_span id = {h, strcspn(h, ",")};
	size_t i, tensors = count_printed(f);
	struct bt_buf b = BT_BUF_INIT;
	int r = BT_OK;

	c->filled = f->id != NULL;
	if (f->id != NULL)
		bt_csv_put(&b, id, ',');
	if (c->o.label) {
		separate(c, &b);
		bt_csv_put(&b, bt_span(h + id.n + 1), ',');
	}
	for (i = 0; i < f->s.count && c->o.values; i++)
		if (is_printed(f, &f->s.tensors[i]))
			name_columns(c, f, &f->s.tensors[i], tensors == 1, &b);
	bt_buf_putc(&b, '\n');
	if (b.oom || c->header.oom) {
		r = bt_error_nomem(err, "writing CSV");
	} else if (!c->begun) {
		c->begun = true;
		r = bt_out_write(out, b.data, b.len, err);
		c->header = b;
		return r;
	} else if (b.len != c->header.len ||
	           memcmp(b.data, c->header.data, b.len) != 0) {
		r = bt_error_set(err, BT_EFORMAT,
		                 "its columns are not those of the frames "
		                 "before");
	}
	bt_buf_clear(&b);
	return r;
}

static long long rows_of(const struct bt_tensor *t)
{
	return t->rank > 0 ? (long long)t->shape[0] : 1;
}

/* Tensors that share no rows would be one line, however long. */
static int check_rows(const struct bt_frame *f, struct bt_error *err)
{
	const struct bt_tensor *first = NULL, *t;
	size_t i;

	for (i = 0; i < f->s.count; i++) {
		t = &f->s.tensors[i];
		if (!is_printed(f, t))
			continue;
		if (first == NULL)
			first = t;
		if (rows_of(t) == rows_of(first))
			continue;
		return bt_error_hint(
		    err, BT_HINT_TENSOR_SELECT,
		    bt_error_set(err, BT_EFORMAT,
		                 "tensor '%.100s' has %lld row%s and '%.100s' "
		                 "has %lld, and a line of CSV is a row of each",
		                 first->name, rows_of(first),
		                 bt_plural((uint64_t)rows_of(first)), t->name,
		                 rows_of(t)));
	}
	return BT_OK;
}

int bt_frame_csv_put(struct bt_frame_csv *c, const struct bt_frame *f,
                     struct bt_out *out, struct bt_error *err)
{
	const struct bt_tensor *classes = NULL;
	const char *problem;
	size_t row, i;
	int r = BT_OK;

	json_decref(c->labels);
	c->labels = bt_frame_labels(f);
	problem = bt_frame_note(f, BT_FRAME_PROBLEM);
	c->many = bt_str_is(problem, BT_FRAME_MULTI);
	if (c->o.values && count_printed(f) == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "it holds no tensor of real numbers");
	for (i = 0; i < f->s.count; i++) /* an empty one may claim any number */
		if (width(f, &f->s.tensors[i]) > COLUMNS_MAX)
			return bt_error_set(err, BT_ELIMIT,
			                    "tensor '%.100s' has more than %d "
			                    "columns",
			                    f->s.tensors[i].name, COLUMNS_MAX);
	if (f->whole && (r = check_rows(f, err)))
		return r;
	if ((c->o.label && (r = find_classes(c, f, &classes, err))) ||
	    (r = put_header(c, f, out, err)))
		return r;
	for (row = 0; row < f->rows && r == BT_OK; row++)
		r = put_row(c, f, classes, row, out, err);
	return r;
}
