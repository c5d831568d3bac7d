/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "ckpt/inspect_int.h"
#include "format/json.h"

static const char *file_name(const struct bt_tensor *t)
{
	const char *slash = strrchr(t->file, '/');

	return slash != NULL ? slash + 1 : t->file;
}

static void stats_cells(struct bt_inspect_table *t,
                        const struct bt_tensor_stats *s)
{
	const double v[] = {s->min, s->max, s->mean, s->std};
	int i;

	for (i = 0; i < 4; i++)
		bt_inspect_table_number(t, s->known ? v[i] : (double)NAN);
	for (i = 0; i < 2; i++)
		if (s->known)
			bt_inspect_table_cell(t, "%zu",
			                      i == 0 ? s->nan : s->inf);
		else
			bt_inspect_table_cell(t, "-");
}

static void head(struct bt_inspect_table *t, bool stats, bool files)
{
	static const char *const names[] = {
	    "NAME", "DTYPE", "SHAPE", "PARAMETERS", "BYTES", "MIN",
	    "MAX",  "MEAN",  "STD",   "NAN",        "INF"};
	int i;

	for (i = 0; i < (stats ? 11 : 5); i++)
		bt_inspect_table_cell(t, "%s", names[i]);
	if (files)
		bt_inspect_table_cell(t, "FILE");
}

/* How much of what is listed stands packed in the file. */
static void packed_line(struct bt_buf *b, const struct bt_inspect_view *v)
{
	struct bt_inspect_totals sum = {0, 0, 0};
	const char *as = NULL;
	size_t i;

	for (i = 0; i < v->n; i++) {
		if (bt_tensor_packed(v->t[i]) == NULL)
			continue;
		as = bt_tensor_packed(v->t[i]); /* there is one kind */
		sum.tensors++;
		sum.parameters += v->t[i]->count;
		sum.bytes += v->t[i]->bytes;
	}
	if (as == NULL)
		return;
	bt_buf_printf(b, "  %s in the file: ", as);
	bt_inspect_totals_line(b, &sum);
	bt_buf_putc(b, '\n');
}

/* What the file has beside tensors. */
static void left_out_line(struct bt_buf *b, const struct bt_ckpt *c)
{
	const struct bt_ckpt_note *first;
	size_t n = bt_ckpt_left_out(c, &first);

	if (n == 0)
		return;
	bt_buf_printf(b,
	              n > 1 ? "%zu entries are not listed, such as "
	                    : "%zu entry is not listed: ",
	              n);
	bt_inspect_name(b, first->key);
	bt_buf_printf(b, " (%s)\n", first->value);
}

void bt_inspect_list(struct bt_buf *b, const struct bt_inspect_view *v,
                     const struct bt_tensor_stats *s)
{
	bool files = bt_ckpt_files(v->ckpt) > 1;
	struct bt_inspect_table t = BT_INSPECT_TABLE_INIT(
	    s != NULL ? (files ? "lllrrrrrrrrl" : "lllrrrrrrrr")
	              : (files ? "lllrrl" : "lllrr"));
	struct bt_inspect_totals sum = bt_inspect_totals(v, BT_DTYPES), part;
	size_t i;
	int d;

	head(&t, s != NULL, files);
	for (i = 0; i < v->n; i++) {
		bt_inspect_name(&t.text, v->t[i]->name);
		bt_inspect_table_end(&t);
		bt_inspect_table_cell(&t, "%s", bt_dtype_name(v->t[i]->dtype));
		bt_inspect_shape(&t.text, v->t[i]);
		bt_inspect_table_end(&t);
		bt_inspect_table_cell(&t, "%zu", v->t[i]->count);
		bt_inspect_table_cell(&t, "%zu", v->t[i]->bytes);
		if (s != NULL)
			stats_cells(&t, &s[i]);
		if (files) {
			bt_inspect_name(&t.text, file_name(v->t[i]));
			bt_inspect_table_end(&t);
		}
	}
	bt_inspect_table_show(&t, b);
	bt_inspect_totals_line(b, &sum);
	bt_buf_putc(b, '\n');
	for (d = 0; d < BT_DTYPES; d++) {
		part = bt_inspect_totals(v, (enum bt_dtype)d);
		if (part.tensors == 0 || part.tensors == sum.tensors)
			continue;
		bt_buf_printf(b, "  %s: ", bt_dtype_name((enum bt_dtype)d));
		bt_inspect_totals_line(b, &part);
		bt_buf_putc(b, '\n');
	}
	packed_line(b, v);
	left_out_line(b, v->ckpt);
}

static json_t *stats_json(const struct bt_tensor_stats *s)
{
	if (!s->known)
		return json_null();
	return json_pack("{s:o,s:o,s:o,s:o,s:I,s:I}", "min",
	                 bt_json_finite(s->min), "max", bt_json_finite(s->max),
	                 "mean", bt_json_finite(s->mean), "std",
	                 bt_json_finite(s->std), "nan", (json_int_t)s->nan,
	                 "inf", (json_int_t)s->inf);
}

static json_t *notes_json(const struct bt_ckpt *c)
{
	json_t *o = json_object();
	const struct bt_ckpt_note *note;
	size_t i;

	for (i = 0; i < bt_ckpt_notes(c); i++) {
		note = bt_ckpt_note(c, i);
		json_object_set_new(o, note->key, json_string(note->value));
	}
	return o;
}

static json_t *tensor_json(const struct bt_tensor *t, bool file,
                           const struct bt_tensor_stats *s)
{
	json_t *o =
	    json_pack("{s:s,s:s,s:o,s:I}", "name", t->name, "dtype",
	              bt_dtype_name(t->dtype), "shape",
	              bt_inspect_shape_json(t), "bytes", (json_int_t)t->bytes);

	if (bt_tensor_packed(t) != NULL)
		json_object_set_new(o, "packed",
		                    json_string(bt_tensor_packed(t)));
	if (file)
		json_object_set_new(o, "file",
		                    bt_inspect_text_json(file_name(t)));
	if (s != NULL)
		json_object_set_new(o, "stats", stats_json(s));
	return o;
}

void bt_inspect_list_json(struct bt_buf *b, const struct bt_inspect_view *v,
                          const struct bt_tensor_stats *s)
{
	struct bt_inspect_totals sum = bt_inspect_totals(v, BT_DTYPES);
	bool files = bt_ckpt_files(v->ckpt) > 1;
	size_t i;

	bt_buf_puts(b, "{\"format\": ");
	bt_inspect_json(b, json_string(bt_ckpt_format(v->ckpt)));
	bt_buf_puts(b, ",\n \"metadata\": ");
	bt_inspect_json(b, notes_json(v->ckpt));
	bt_buf_puts(b, ",\n \"tensors\": [");
	for (i = 0; i < v->n; i++) {
		bt_buf_puts(b, i > 0 ? ",\n  " : "\n  ");
		bt_inspect_json(
		    b, tensor_json(v->t[i], files, s != NULL ? &s[i] : NULL));
	}
	bt_buf_printf(b, "],\n \"parameters\": %zu,\n \"bytes\": %zu}\n",
	              sum.parameters, sum.bytes);
}
