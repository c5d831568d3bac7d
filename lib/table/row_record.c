/* SPDX-License-Identifier: MIT */
/* A row becomes a record. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "table/join_int.h"
#include "table/literal.h"
#include "table/table_int.h"

/* Whether numbers of labels outlive their new names: if no two labels share
 * one. */
static bool stay_apart(const struct bt_string_set *labels,
                       const struct bt_label_map *map)
{
	struct bt_string_set *set = bt_string_set_new();
	size_t i, n = bt_string_set_count(labels);
	struct bt_span to;

	for (i = 0; i < n; i++) {
		to = bt_string_set_get(labels, i);
		if (map != NULL)
			bt_label_map_find(map, to, &to);
		bt_string_set_put(set, to);
	}
	n -= bt_string_set_count(set);
	bt_string_set_free(set);
	return n == 0;
}

void bt_table_maker_init(struct bt_table_maker *m,
                         const struct bt_table_opts *opts)
{
	const char *const *l;

	memset(m, 0, sizeof(*m));
	m->opts = opts;
	if (opts->task == NULL || opts->task->labels == NULL)
		return;
	m->known = bt_string_set_new();
	for (l = opts->task->labels; *l != NULL; l++)
		bt_string_set_put(m->known, bt_span(*l));
	m->numbered = stay_apart(m->known, opts->map);
}

void bt_table_maker_classes(struct bt_table_maker *m,
                            const struct bt_string_set *classes)
{
	m->classes = classes;
	/* those of a data set have its own numbers */
	m->classes_numbered = classes != NULL && m->opts->task == NULL &&
	                      !m->opts->strip && !m->opts->fold_case &&
	                      stay_apart(classes, m->opts->map);
}

void bt_table_maker_clear(struct bt_table_maker *m)
{
	size_t i;

	bt_string_set_free(m->known);
	bt_table_forget_labels(m);
	for (i = 0; i < BT_PARTS; i++)
		bt_buf_clear(&m->parts[i]);
	bt_buf_clear(&m->folded);
	bt_buf_clear(&m->list);
	free(m->labels);
	free(m->names);
	free(m->numbers);
	free(m->choices);
	free(m->kept);
	memset(m, 0, sizeof(*m));
}

/* Puts the texts of the list, as JSON Lines come or as a field of CSV holds it,
 * behind what is in b, with a blank between two. False: it is none. */
static bool put_list(struct bt_span list, struct bt_buf *b)
{
	json_t *all = NULL, *v;
	const char *p = list.p, *end = p + list.n;
	const char *between = "";
	bool is = true;
	size_t i, n;

	if (bt_table_is_list(list)) {
		for (p++; p < end; p += n + 1, between = " ") {
			n = strnlen(p, (size_t)(end - p));
			bt_buf_puts(b, between);
			bt_buf_put(b, p, n);
		}
		return true;
	}
	all = bt_table_literal(list);
	is = json_is_array(all);
	json_array_foreach(all, i, v)
	{
		is = is && (json_is_string(v) || json_is_null(v));
		if (!json_is_string(v))
			continue;
		bt_buf_puts(b, between);
		bt_buf_put(b, json_string_value(v), json_string_length(v));
		between = " ";
	}
	json_decref(all);
	return is;
}

/* A field that holds a list of texts; an empty one is empty. */
static int add_list(struct bt_table_maker *m, enum bt_table_part part,
                    struct bt_span v, struct bt_span *out, struct bt_error *err)
{
	struct bt_buf *b = &m->parts[part];
	bool is;
	int r;

	if (v.n == 0 ||
	    (m->opts->na == BT_TABLE_NA_PANDAS && bt_table_is_na(v)))
		return bt_table_add_field(m, part, v, false, out, err);
	if (!bt_table_is_list(v) &&
	    (r = bt_table_set_field(m, BT_LIST, v, &v, err)) != BT_OK)
		return r;
	is = put_list(v, b);
	*out = (struct bt_span){bt_buf_str(b), b->len};
	if (is && out->p != NULL)
		return BT_OK;
	if (is)
		return bt_error_nomem(err, "reading a row");
	m->fault = BT_TABLE_LIST;
	return bt_error_set(err, BT_EFORMAT,
	                    "the text '%.*s' is not a list such as "
	                    "[\"a\", \"b\"]",
	                    (int)(v.n < 60 ? v.n : 60), v.p);
}

/* One column, or several that are joined by a blank. */
static int take_texts(struct bt_table_maker *m, enum bt_table_part part,
                      const size_t *column, size_t n, struct bt_span *out,
                      struct bt_error *err)
{
	size_t i;
	int r = BT_OK;

	bt_buf_reset(&m->parts[part]);
	for (i = 0; r == BT_OK && i < n; i++) {
		if (i > 0)
			bt_buf_putc(&m->parts[part], ' ');
		r = m->opts->text_lists
		        ? add_list(m, part, m->fields[column[i]], out, err)
		        : bt_table_add_field(m, part, m->fields[column[i]],
		                             n == 1, out, err);
	}
	return r;
}

/* As Model Garden reads IMDB: without blanks at the ends, then a blank for
 * each "<br />". */
static int clean(struct bt_table_maker *m, struct bt_span *v,
                 struct bt_error *err)
{
	static const char mark[] = "<br />";
	struct bt_buf b = BT_BUF_INIT;
	size_t i, n = sizeof(mark) - 1;

	*v = bt_span_trim(*v, " \t\n\v\f\r");
	for (i = 0; i < v->n;)
		if (v->n - i >= n && memcmp(v->p + i, mark, n) == 0) {
			bt_buf_putc(&b, ' ');
			i += n;
		} else {
			bt_buf_putc(&b, v->p[i++]);
		}
	*v = (struct bt_span){bt_buf_str(&b), b.len};
	bt_buf_clear(&m->parts[BT_TEXT]);
	m->parts[BT_TEXT] = b;
	return v->p != NULL ? BT_OK : bt_error_nomem(err, "reading a row");
}

/* HTML as plain text. */
static int make_plain(struct bt_table_maker *m, enum bt_table_part part,
                      struct bt_span *v, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_table_put_plain(&b, *v);
	*v = (struct bt_span){bt_buf_str(&b), b.len};
	bt_buf_clear(&m->parts[part]);
	m->parts[part] = b;
	return v->p != NULL ? BT_OK : bt_error_nomem(err, "reading a row");
}

static int take_weight(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_span v = m->fields[m->columns->weight];
	char s[64], point[64];
	double w;

	if (bt_span_str(bt_table_with_point(m, m->columns->weight, v, point,
	                                    sizeof(point)),
	                s, sizeof(s)) &&
	    bt_parse_f64(s, 0, FLT_MAX, &w) == BT_OK &&
	    bt_record_weight_is(w)) {
		m->rec->has_weight = true;
		m->rec->weight = (float)w;
		return BT_OK;
	}
	m->fault = BT_TABLE_WEIGHT;
	return bt_error_set(err, BT_EFORMAT,
	                    "the weight is '%.*s', expected 0 or a number of "
	                    "at least %g",
	                    (int)(v.n < 60 ? v.n : 60), v.p != NULL ? v.p : "",
	                    BT_RECORD_WEIGHT_MIN);
}

/* Whether the columns of the file, or those joined to it, hold what is wanted.
 */
static int meets(struct bt_table_maker *m, bool joined, struct bt_error *err)
{
	const struct bt_table_where *w = m->opts->where;
	struct bt_span v;
	size_t i;
	int r;

	for (i = 0; i < m->opts->n_where; i++) {
		if ((m->columns->where[i] >= m->columns->own) != joined)
			continue;
		v = m->fields[m->columns->where[i]];
		if (v.p == NULL)
			return 0;
		r = bt_table_set_field(m, BT_WHERE, v, &v, err);
		if (r != BT_OK)
			return r;
		if (!bt_span_equal(v, w[i].value))
			return 0;
	}
	return 1;
}

int bt_table_wants(struct bt_table_maker *m, struct bt_error *err)
{
	int r;

	m->fault = BT_TABLE_FAULTS;
	r = meets(m, false, err);
	if (r != 1 || m->opts->joined == NULL)
		return r;
	r = bt_joins_look_up(m->opts->joined, m, err);
	return r == BT_OK ? meets(m, true, err) : r;
}

/* What is converted is gathered first, for its place may change. */
static int take_kept(struct bt_table_maker *m, struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	bool as_it_is = m->opts->charset == BT_CHARSET_UTF8;
	struct bt_span v, whole;
	size_t i, before, at = 0;
	int r = BT_OK;

	if (bt_grow(&m->kept, &m->kept_cap, c->n_keep, sizeof(*m->kept)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading a row");
	bt_buf_reset(&m->parts[BT_KEEP]);
	for (i = 0; r == BT_OK && i < c->n_keep; i++) {
		v = m->fields[c->keep[i]];
		before = m->parts[BT_KEEP].len;
		if (v.p != NULL)
			r = bt_table_add_field(m, BT_KEEP, v, true, &whole,
			                       err);
		if (v.p != NULL && r == BT_OK && !as_it_is)
			v.n = m->parts[BT_KEEP].len - before;
		m->kept[i] = (struct bt_passthrough){c->keep_names[i], v};
	}
	for (i = 0; r == BT_OK && i < c->n_keep && !as_it_is; i++)
		if (m->kept[i].value.p != NULL) {
			m->kept[i].value.p = bt_buf_at(&m->parts[BT_KEEP], at);
			at += m->kept[i].value.n;
		}
	m->rec->kept = m->kept;
	m->rec->n_kept = c->n_keep;
	return r;
}

static int take_id(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_buf *b = &m->parts[BT_ID];

	if (m->opts->id_of_several && m->fields[m->columns->id].p == NULL)
		return BT_OK;
	if (m->columns->id != BT_TABLE_ROW)
		return bt_table_set_field(m, BT_ID, m->fields[m->columns->id],
		                          &m->rec->id, err);
	bt_buf_reset(b);
	bt_buf_printf(b, "%s:%llu", m->path, (unsigned long long)m->row);
	m->rec->id = (struct bt_span){bt_buf_str(b), b->len};
	return BT_OK;
}

int bt_table_make(struct bt_table_maker *m, struct bt_text_rec *rec,
                  struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	int r;

	memset(rec, 0, sizeof(*rec));
	m->rec = rec;
	m->fault = BT_TABLE_FAULTS;
	m->missing = m->dropped = false;
	r = take_texts(m, BT_TEXT, c->text, c->n_text, &rec->text_a, err);
	if (r == BT_OK && m->opts->task != NULL && m->opts->task->breaks)
		r = clean(m, &rec->text_a, err);
	if (r == BT_OK && m->opts->html)
		r = make_plain(m, BT_TEXT, &rec->text_a, err);
	if (r == BT_OK && c->n_pair > 0)
		r = take_texts(m, BT_PAIR, c->pair, c->n_pair, &rec->text_b,
		               err);
	if (r == BT_OK && c->n_pair > 0 && m->opts->html)
		r = make_plain(m, BT_PAIR, &rec->text_b, err);
	if (r == BT_OK && c->n_label > 0)
		r = bt_table_make_labels(m, err);
	if (m->dropped)
		return r;
	if (r == BT_OK && (c->n_choice > 0 || m->opts->candidates != NULL))
		r = bt_table_make_choices(m, err);
	if (r == BT_OK && c->id != BT_TABLE_ABSENT)
		r = take_id(m, err);
	if (r == BT_OK && c->weight != BT_TABLE_ABSENT)
		r = take_weight(m, err);
	if (r == BT_OK && c->n_keep > 0)
		r = take_kept(m, err);
	return r;
}
