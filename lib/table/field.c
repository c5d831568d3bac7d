/* SPDX-License-Identifier: MIT */
/* One field of a row as UTF-8, with what stands for a missing value. */
#include "base/mem.h"
#include "table/table_int.h"

static const char *const part_names[] = {
    "text",       "second text", "label", "id", "value asked for",
    "value kept", "choice",      "text"};

bool bt_table_is_na(struct bt_span v)
{
	static const char *const all[] = {
	    "",     "#N/A",   "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN",
	    "-nan", "1.#IND", "1.#QNAN",  "<NA>", "N/A",     "NA",       "NULL",
	    "NaN",  "None",   "n/a",      "nan",  "null"};
	size_t i;

	if (v.n > 9)
		return false;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (bt_span_equal(v, bt_span(all[i])))
			return true;
	return false;
}

static bool is_missing(struct bt_span v)
{
	return v.p == NULL || bt_table_is_na(v);
}

bool bt_table_is_incomplete(const struct bt_table_maker *m)
{
	const struct bt_table_columns *c = m->columns;
	bool text = false, pair = c->n_pair == 0, label = true;
	size_t i;

	for (i = 0; i < c->n_text; i++)
		text |= !is_missing(m->fields[c->text[i]]);
	for (i = 0; i < c->n_pair; i++)
		pair |= !is_missing(m->fields[c->pair[i]]);
	for (i = 0; i < c->n_label && m->opts->label_separator == NULL &&
	            !m->opts->label_lists;
	     i++)
		label &= !is_missing(m->fields[c->label[i]]);
	return !text || !pair || !label;
}

bool bt_table_is_list(struct bt_span v)
{
	return v.n > 0 && v.p[0] == '\0';
}

int bt_table_add_field(struct bt_table_maker *m, enum bt_table_part part,
                       struct bt_span v, bool in_place, struct bt_span *out,
                       struct bt_error *err)
{
	enum bt_charset set = m->opts->charset;
	struct bt_buf *b = &m->parts[part];
	size_t at;

	if (m->opts->na == BT_TABLE_NA_PANDAS && part <= BT_PAIR &&
	    is_missing(v)) {
		m->missing = true;
		v = bt_span("nan");
	}
	if (v.p == NULL) {
		m->fault = part == BT_LABEL ? BT_TABLE_LABEL : BT_TABLE_NULL;
		return bt_error_hint(
		    err, part == BT_LABEL ? BT_HINT_TABLE_NA : BT_HINT_NONE,
		    bt_error_set(err, BT_EFORMAT, "the %s is null",
		                 part_names[part]));
	}
	if (part != BT_LABEL && bt_table_is_list(v)) {
		m->fault = BT_TABLE_NESTED;
		return bt_error_set(err, BT_EFORMAT, "the %s is a list",
		                    part_names[part]);
	}
	at = bt_charset_check(set, v.p, v.n);
	if (at < v.n) {
		m->fault = BT_TABLE_CHARSET;
		if (m->utf16)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "the %s has half of a surrogate pair of UTF-16 "
			    "(byte %zu of the text as UTF-8)",
			    part_names[part], at + 1);
		return bt_error_set(err, BT_EFORMAT,
		                    "the %s is not valid %s (byte %02X at "
		                    "position %zu)",
		                    part_names[part], bt_charset_name(set),
		                    (unsigned char)v.p[at], at + 1);
	}
	if (in_place && set == BT_CHARSET_UTF8) {
		*out = v;
		return BT_OK;
	}
	for (at = 0; at < v.n && set == BT_CHARSET_LATIN1; at++)
		m->control |= (v.p[at] & 0xE0) == 0x80;
	bt_charset_put(b, set, v.p, v.n);
	out->p = bt_buf_str(b);
	out->n = b->len;
	return out->p != NULL ? BT_OK : bt_error_nomem(err, "reading a row");
}

int bt_table_set_field(struct bt_table_maker *m, enum bt_table_part part,
                       struct bt_span v, struct bt_span *out,
                       struct bt_error *err)
{
	bt_buf_reset(&m->parts[part]);
	return bt_table_add_field(m, part, v, true, out, err);
}
