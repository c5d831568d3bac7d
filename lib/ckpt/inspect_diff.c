/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/str.h"
#include "ckpt/inspect_int.h"
#include "format/json.h"

struct counts {
	size_t equal, different, only_a, only_b;
	double max; /* NaN: not known */
};

static struct counts count(const struct bt_tensor_diff *rows, size_t n)
{
	struct counts c = {0, 0, 0, 0, 0};
	size_t i;

	for (i = 0; i < n; i++) {
		if (rows[i].b == NULL)
			c.only_a++;
		else if (rows[i].a == NULL)
			c.only_b++;
		else if (bt_tensor_differs(&rows[i]))
			c.different++;
		else
			c.equal++;
		if (rows[i].max > c.max || isnan(rows[i].max))
			c.max = rows[i].max;
	}
	return c;
}

static size_t differing(const struct counts *c)
{
	return c->different + c->only_a + c->only_b;
}

static const char *name_of(const struct bt_tensor_diff *d)
{
	return d->a != NULL ? d->a->name : d->b->name;
}

/* "F32[2,3]", or "-" where there is none. */
static void side_cell(struct bt_inspect_table *t, const struct bt_tensor *x)
{
	if (x == NULL) {
		bt_buf_putc(&t->text, '-');
	} else {
		bt_buf_puts(&t->text, bt_dtype_name(x->dtype));
		bt_inspect_shape(&t->text, x);
	}
	bt_inspect_table_end(t);
}

static void row_cells(struct bt_inspect_table *t,
                      const struct bt_tensor_diff *d)
{
	bool numbers = d->compared && d->numbers;

	bt_inspect_name(&t->text, name_of(d));
	bt_inspect_table_end(t);
	side_cell(t, d->a);
	side_cell(t, d->b);
	if (d->compared)
		bt_inspect_table_cell(t, "%zu", d->differing);
	else
		bt_inspect_table_cell(t, "-");
	bt_inspect_table_number(t, numbers ? d->max : (double)NAN);
	bt_inspect_table_number(t, numbers ? d->mean : (double)NAN);
	if (isnan(d->cosine))
		bt_inspect_table_cell(t, "-");
	else
		bt_inspect_table_cell(t, "%.6f", d->cosine);
}

size_t bt_inspect_diff(struct bt_buf *b, const struct bt_tensor_diff *rows,
                       size_t n, bool quiet)
{
	static const char *const names[] = {
	    "NAME", "FIRST", "SECOND", "DIFFERING", "MAX", "MEAN", "COSINE"};
	struct bt_inspect_table t = BT_INSPECT_TABLE_INIT("lllrrrr");
	struct counts c = count(rows, n);
	size_t i;

	for (i = 0; i < 7 && differing(&c) != 0; i++)
		bt_inspect_table_cell(&t, "%s", names[i]);
	for (i = 0; i < n; i++)
		if (bt_tensor_differs(&rows[i]))
			row_cells(&t, &rows[i]);
	bt_inspect_table_show(&t, b);
	if (differing(&c) == 0 && !quiet)
		bt_buf_printf(b, "identical: %zu tensor%s\n", c.equal,
		              bt_plural(c.equal));
	else if (!quiet)
		bt_buf_printf(b,
		              "%zu equal, %zu different, %zu only in the "
		              "first, %zu only in the second; largest "
		              "difference %.6g\n",
		              c.equal, c.different, c.only_a, c.only_b, c.max);
	return differing(&c);
}

static void put_names(struct bt_buf *b, const char *key,
                      const struct bt_tensor_diff *rows, size_t n, bool in_a)
{
	const char *comma = "";
	size_t i;

	bt_buf_printf(b, " \"%s\": [", key);
	for (i = 0; i < n; i++) {
		if ((in_a ? rows[i].b : rows[i].a) != NULL)
			continue;
		bt_buf_puts(b, comma);
		bt_inspect_json(b, json_string(name_of(&rows[i])));
		comma = ", ";
	}
	bt_buf_puts(b, "],\n");
}

static json_t *row_json(const struct bt_tensor_diff *d)
{
	json_t *o = json_pack(
	    "{s:s,s:[s,s],s:[o,o]}", "name", d->a->name, "dtype",
	    bt_dtype_name(d->a->dtype), bt_dtype_name(d->b->dtype), "shape",
	    bt_inspect_shape_json(d->a), bt_inspect_shape_json(d->b));

	if (!d->compared)
		return o;
	json_object_set_new(o, "differing",
	                    json_integer((json_int_t)d->differing));
	json_object_set_new(o, "max",
	                    d->numbers ? bt_json_finite(d->max) : json_null());
	json_object_set_new(o, "mean",
	                    d->numbers ? bt_json_finite(d->mean) : json_null());
	json_object_set_new(o, "cosine", bt_json_finite(d->cosine));
	return o;
}

size_t bt_inspect_diff_json(struct bt_buf *b, const struct bt_ckpt *first,
                            const struct bt_ckpt *second,
                            const struct bt_tensor_diff *rows, size_t n)
{
	struct counts c = count(rows, n);
	const char *comma = "\n  ";
	size_t i;

	bt_buf_puts(b, "{\"a\": ");
	bt_inspect_json(b, bt_inspect_text_json(bt_ckpt_path(first)));
	bt_buf_puts(b, ", \"b\": ");
	bt_inspect_json(b, bt_inspect_text_json(bt_ckpt_path(second)));
	bt_buf_printf(b, ",\n \"identical\": %s, \"equal\": %zu,\n",
	              differing(&c) == 0 ? "true" : "false", c.equal);
	put_names(b, "only_a", rows, n, true);
	put_names(b, "only_b", rows, n, false);
	bt_buf_puts(b, " \"different\": [");
	for (i = 0; i < n; i++) {
		if (rows[i].a == NULL || rows[i].b == NULL ||
		    !bt_tensor_differs(&rows[i]))
			continue;
		bt_buf_puts(b, comma);
		bt_inspect_json(b, row_json(&rows[i]));
		comma = ",\n  ";
	}
	bt_buf_puts(b, "]}\n");
	return differing(&c);
}
