/* SPDX-License-Identifier: MIT */
/* The label of a row, or its labels. */
#include <float.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "table/table_int.h"
#include "unicode/bert_char_class.h"

#define SHOWN 100 /* bytes of a label in a message */
#define SHORT 32  /* labels; a longer list is not looked through for each */
#define SIGMA 0x3c3
#define FINAL_SIGMA 0x3c2 /* sigma at the end of a word */

static int not_known(struct bt_table_maker *m, struct bt_span v,
                     const char *where, struct bt_buf *list,
                     struct bt_error *err)
{
	m->fault = BT_TABLE_UNKNOWN;
	bt_error_set(err, BT_EFORMAT, "label '%.*s' is not one of %s: %s",
	             (int)(v.n < SHOWN ? v.n : SHOWN), v.p, where,
	             bt_buf_str(list));
	bt_buf_clear(list);
	return BT_EFORMAT;
}

/* Looks a label of a data set up; *number is its published one, or -1. */
static int look_up(struct bt_table_maker *m, struct bt_span *v, int64_t *number,
                   struct bt_error *err)
{
	const struct bt_published *task = m->opts->task;
	const char *const *p = task->same;
	struct bt_buf list = BT_BUF_INIT;
	size_t i, n;

	for (; p != NULL && *p != NULL; p += 2)
		if (bt_span_equal(*v, bt_span(p[0])))
			*v = bt_span(p[1]);
	if (bt_string_set_find(m->known, *v, &i)) {
		*number = m->numbered ? (int64_t)i : -1;
		return BT_OK;
	}
	/* a class by another name: the data set's of that number */
	n = bt_string_set_count(m->known);
	if (m->classes != NULL && bt_string_set_count(m->classes) == n &&
	    bt_string_set_find(m->classes, *v, &i)) {
		*v = bt_string_set_get(m->known, i);
		*number = m->numbered ? (int64_t)i : -1;
		return BT_OK;
	}
	for (p = task->labels; *p != NULL && list.len < 200; p++)
		bt_buf_printf(&list, "%s'%s'", list.len > 0 ? ", " : "", *p);
	if (*p != NULL)
		bt_buf_printf(&list, ", ... (%zu in all)",
		              bt_string_set_count(m->known));
	return not_known(m, *v, task->name, &list, err);
}

static bool is_number_to(struct bt_span v, double most, double *x)
{
	char s[64];

	return v.n > 0 && strchr("+-.0123456789", *v.p) != NULL &&
	       bt_span_str(v, s, sizeof(s)) &&
	       bt_parse_f64(s, -most, most, x) == BT_OK;
}

bool bt_table_is_number(struct bt_span v, double *x)
{
	return is_number_to(v, 1e30, x);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool bt_table_has_comma(struct bt_span v)
{
	char s[64], *comma;
	double x;

	if (!bt_span_str(v, s, sizeof(s)) || (comma = strchr(s, ',')) == NULL ||
	    comma == s || !is_digit(comma[-1]) || !is_digit(comma[1]))
		return false;
	*comma = '.';
	return is_number_to(bt_span(s), DBL_MAX, &x);
}

static bool has_point(struct bt_span v)
{
	return v.n > 0 && memchr(v.p, '.', v.n) != NULL;
}

/* Whether the number in a column is written with a comma: not if it is one of
 * JSON or Parquet. Of joined files only the texts are known. */
static bool wants_comma(const struct bt_table_maker *m, size_t column)
{
	const struct bt_row_source *rows = m->rows;

	if (!m->opts->decimal_comma || column >= m->columns->own)
		return m->opts->decimal_comma;
	if (rows->jsonl != NULL)
		return bt_jsonl_is_string(rows->jsonl, column);
	return rows->parquet == NULL ||
	       !bt_parquet_has_numbers(rows->parquet, column);
}

struct bt_span bt_table_with_point(const struct bt_table_maker *m,
                                   size_t column, struct bt_span v, char *s,
                                   size_t n)
{
	char *comma;

	if (!wants_comma(m, column))
		return v;
	if (has_point(v) || !bt_span_str(v, s, n))
		return (struct bt_span){v.p, 0};
	if ((comma = strchr(s, ',')) != NULL)
		*comma = '.';
	return (struct bt_span){s, v.n};
}

/* What a number to predict has to be, which v is not. */
static const char *expected_number(const struct bt_table_maker *m,
                                   size_t column, struct bt_span v)
{
	double x;

	if (wants_comma(m, column))
		return has_point(v) ? "a number: it has a point, where numbers "
		                      "are written as 3,5"
		                    : "a number";
	if (bt_table_has_comma(v))
		return "a number: it has a comma (decimal, or of thousands); "
		       "numbers are written as 3.5";
	return is_number_to(v, DBL_MAX, &x) ? "a number from -1e30 to 1e30"
	                                    : "a number";
}

static enum bt_hint comma_hint(const struct bt_table_opts *opts,
                               struct bt_span v)
{
	return !opts->decimal_comma && bt_table_has_comma(v)
	           ? BT_HINT_TABLE_DECIMAL
	           : BT_HINT_NONE;
}

/* Of every script, as the space that does not break in spreadsheets. */
static bool is_white(const uint8_t *p)
{
	return bt_char_is_white(BT_CHAR_DIALECT_HF, bt_utf8_get(p));
}

struct bt_span bt_table_strip(struct bt_span v)
{
	const uint8_t *p = (const uint8_t *)v.p, *end = p + v.n, *q;

	for (; p < end && is_white(p); p += bt_utf8_len(*p))
		;
	while (p < end && is_white(q = bt_utf8_back(end)))
		end = q;
	return (struct bt_span){(const char *)p, (size_t)(end - p)};
}

/* Without white space at its ends, and in lower case, if that is asked for.
 * Lower case takes one and a half times the bytes at most, for which there is
 * room in m->folded: what it holds stays where it is. */
static struct bt_span tidy(struct bt_table_maker *m, struct bt_span v)
{
	struct bt_buf *b = &m->folded;
	uint32_t low[BT_CHAR_LOWER_MAX];
	const uint8_t *p, *end;
	size_t at = b->len;
	int i, n;

	if (m->opts->strip)
		v = bt_table_strip(v);
	if (!m->opts->fold_case)
		return v;
	p = (const uint8_t *)v.p;
	for (end = p + v.n; p < end; p += bt_utf8_len(*p)) {
		n = bt_char_lower(BT_CHAR_DIALECT_HF, bt_utf8_get(p), low);
		for (i = 0; i < n; i++)
			b->len +=
			    bt_utf8_put((uint8_t *)b->data + b->len,
			                low[i] == FINAL_SIGMA ? SIGMA : low[i]);
	}
	return (struct bt_span){bt_buf_at(b, at), b->len - at};
}

/* Makes room for tidy labels of n bytes in all. */
static int tidy_room(struct bt_table_maker *m, size_t n, struct bt_error *err)
{
	bt_buf_reset(&m->folded);
	if (!m->opts->fold_case ||
	    bt_buf_reserve(&m->folded, 2 * n + 1) != NULL)
		return BT_OK;
	return bt_error_nomem(err, "reading a row");
}

/* A label that is a number to predict, as it is written in records. */
static int number_label(struct bt_table_maker *m, struct bt_span *v,
                        struct bt_error *err)
{
	char s[64];
	size_t column = m->columns->label[0];
	struct bt_span number =
	    bt_table_with_point(m, column, *v, s, sizeof(s));
	double x;

	if (!bt_table_is_number(number, &x)) {
		m->fault = BT_TABLE_UNKNOWN;
		bt_error_set(err, BT_EFORMAT, "label '%.*s' is not %s",
		             (int)(v->n < SHOWN ? v->n : SHOWN), v->p,
		             expected_number(m, column, *v));
		return bt_error_hint(err, comma_hint(m->opts, *v), BT_EFORMAT);
	}
	if (number.p != s)
		return BT_OK;
	bt_buf_reset(&m->folded);
	bt_buf_put(&m->folded, number.p, number.n);
	*v = (struct bt_span){bt_buf_str(&m->folded), number.n};
	return v->p != NULL ? BT_OK : bt_error_nomem(err, "reading a row");
}

/* What a label, which is not empty, is to be called. */
static int rename_label(struct bt_table_maker *m, struct bt_span *v,
                        int64_t *number, struct bt_error *err)
{
	struct bt_buf list = BT_BUF_INIT;
	int r = BT_OK;

	*number = -1;
	if (m->known != NULL)
		r = look_up(m, v, number, err);
	else if (m->opts->task != NULL || m->opts->numbers)
		r = number_label(m, v, err);
	if (r != BT_OK || m->opts->map == NULL ||
	    bt_label_map_find(m->opts->map, *v, v) || !m->opts->only_mapped)
		return r;
	bt_label_map_put(m->opts->map, &list);
	return not_known(m, *v, "the label map's", &list, err);
}

static int one_label(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_text_rec *rec = m->rec;
	struct bt_span original;
	int64_t number;
	size_t class_id;
	int r;

	/* class -1, which a test set of the hub has */
	if (m->opts->task != NULL && m->classes != NULL &&
	    m->fields[m->columns->label[0]].p == NULL)
		return BT_OK;
	r = bt_table_set_field(m, BT_LABEL, m->fields[m->columns->label[0]],
	                       &rec->label, err);

	if (r != BT_OK)
		return r;
	if ((r = tidy_room(m, rec->label.n, err)))
		return r;
	rec->label = tidy(m, rec->label);
	m->dropped =
	    m->opts->na == BT_TABLE_NA_DROP && bt_table_is_na(rec->label);
	if (m->dropped)
		return BT_OK;
	m->fault = BT_TABLE_LABEL;
	if (rec->label.n == 0)
		return bt_error_hint(
		    err, BT_HINT_TABLE_NA,
		    bt_error_set(err, BT_EFORMAT, "the label is empty"));
	if (m->opts->na == BT_TABLE_NA_PANDAS && bt_table_is_na(rec->label))
		return bt_error_set(err, BT_EFORMAT,
		                    "the label '%.*s' stands for a missing "
		                    "value",
		                    (int)rec->label.n, rec->label.p);
	m->fault = BT_TABLE_FAULTS;
	original = rec->label;
	r = rename_label(m, &rec->label, &number, err);
	if (m->classes_numbered &&
	    bt_string_set_find(m->classes, original, &class_id))
		number = (int64_t)class_id;
	rec->has_label_id = r == BT_OK && number >= 0;
	rec->label_id = number;
	return r;
}

/* Whether a list of n has v; *seen are the labels of one that became long. */
static int has_label(const struct bt_span *list, size_t n,
                     struct bt_string_set **seen, struct bt_span v, bool *has,
                     struct bt_error *err)
{
	size_t i, k = n;
	int r = BT_OK;

	*has = false;
	for (i = 0; i < n && n < SHORT && !*has; i++)
		*has = bt_span_equal(list[i], v);
	if (n < SHORT)
		return BT_OK;
	if (*seen == NULL) {
		*seen = bt_string_set_new();
		for (i = 0; r == BT_OK && i < n; i++)
			r = bt_string_set_add(*seen, list[i], NULL);
	}
	if (r == BT_OK)
		r = bt_string_set_add(*seen, v, &k);
	*has = k < n;
	return r == BT_OK ? BT_OK : bt_error_nomem(err, "reading a row");
}

/* Adds a label to a list of n, once. */
static int add_once(struct bt_span **list, size_t *cap, size_t *n,
                    struct bt_string_set **seen, struct bt_span v,
                    struct bt_error *err)
{
	bool has;
	int r = has_label(*list, *n, seen, v, &has, err);

	if (r != BT_OK || has)
		return r;
	if (bt_grow(list, cap, *n + 1, sizeof(**list)) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	(*list)[(*n)++] = v;
	return BT_OK;
}

/* The list that a field of CSV holds. */
static int read_list(struct bt_table_maker *m, struct bt_span *v,
                     struct bt_error *err)
{
	if (!bt_table_parse_list(*v, &m->list)) {
		m->fault = BT_TABLE_LABEL;
		bt_error_set(err, BT_EFORMAT,
		             "the label '%.*s' is not a list such as "
		             "['a', 'b']",
		             (int)(v->n < SHOWN ? v->n : SHOWN), v->p);
		return bt_error_hint(err,
		                     bt_table_looks_like_spans(*v)
		                         ? BT_HINT_READ_SPANS
		                         : BT_HINT_NONE,
		                     BT_EFORMAT);
	}
	*v = (struct bt_span){m->list.data, m->list.len};
	return m->list.oom ? bt_error_nomem(err, "reading a row") : BT_OK;
}

/* One column that holds all of them; blanks around each are not part of it. Or
 * a list of JSON Lines, which has a NUL before and behind each. */
static int split_labels(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_span all = m->fields[m->columns->label[0]], v;
	bool written = m->opts->label_lists && !bt_table_is_list(all),
	     list = written || bt_table_is_list(all);
	const char *sep = list ? "" : m->opts->label_separator, *end, *next;
	size_t n = list ? 1 : strlen(sep);
	int64_t number;
	int r = bt_table_set_field(m, BT_LABEL, all, &all, err);

	if (r != BT_OK || all.n == 0 ||
	    (m->opts->na == BT_TABLE_NA_PANDAS && bt_table_is_na(all)))
		return r;
	if (written && (r = read_list(m, &all, err)))
		return r;
	if ((r = tidy_room(m, all.n, err)))
		return r;
	end = all.p + all.n;
	for (all.p += list; r == BT_OK && all.p < end; all.p = next) {
		for (next = all.p; next < end; next++)
			if ((size_t)(end - next) >= n &&
			    memcmp(next, sep, n) == 0)
				break;
		v = tidy(m, (struct bt_span){all.p, (size_t)(next - all.p)});
		next += next < end ? n : 0;
		if (list && v.n == 0) {
			m->fault = BT_TABLE_LABEL;
			return bt_error_set(err, BT_EFORMAT,
			                    "a label of the list is empty");
		}
		if (!list)
			v = bt_span_trim(v, " ");
		if (v.n > 0)
			r = rename_label(m, &v, &number, err);
		if (v.n > 0 && r == BT_OK)
			r = add_once(&m->labels, &m->labels_cap,
			             &m->rec->n_labels, &m->labels_seen, v,
			             err);
	}
	return r;
}

/* All classes of which a list holds some, with their new names. */
static int name_classes(struct bt_table_maker *m, struct bt_error *err)
{
	size_t i, n = bt_string_set_count(m->classes);
	struct bt_span name;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < n; i++) {
		name = bt_string_set_get(m->classes, i);
		if (m->opts->map != NULL)
			bt_label_map_find(m->opts->map, name, &name);
		r = add_once(&m->names, &m->names_cap, &m->rec->n_names,
		             &m->names_seen, name, err);
	}
	m->rec->names = m->names;
	return r;
}

int bt_table_truth(struct bt_span v)
{
	static const char *const words[] = {"0",     "1",    "0.0", "1.0",
	                                    "false", "true", "no",  "yes"};
	char s[8];
	int i;

	if (v.p == NULL || !bt_span_str(v, s, sizeof(s)))
		return -1;
	for (i = 0; i < 8; i++)
		if (strcasecmp(s, words[i]) == 0)
			return i % 2;
	return -1;
}

/* The field of a label's column holds something else. */
static int bad_cell(struct bt_table_maker *m, enum bt_table_fault fault,
                    struct bt_span name, struct bt_span v, const char *expected,
                    struct bt_error *err)
{
	double x;

	m->fault = fault;
	bt_error_set(err, BT_EFORMAT, "'%.*s' is '%.*s', expected %s",
	             (int)(name.n < SHOWN ? name.n : SHOWN), name.p,
	             (int)(v.n < SHOWN ? v.n : SHOWN), v.p != NULL ? v.p : "",
	             expected);
	return bt_error_hint(err,
	                     v.p == NULL || bt_table_is_na(v) ? BT_HINT_TABLE_NA
	                     : fault == BT_TABLE_CELL &&
	                             bt_table_is_number(v, &x)
	                         ? BT_HINT_TABLE_NUMBERS
	                         : comma_hint(m->opts, v),
	                     BT_EFORMAT);
}

/* Of the columns just one holds 1: the row has one label, as of one column.
 * Labels have the order of their columns, unless two got one name. */
static int one_hot(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_text_rec *rec = m->rec;
	size_t i = 0;

	if (m->ones != 1) {
		m->fault = BT_TABLE_ONE_HOT;
		return bt_error_set(err, BT_EFORMAT,
		                    "%zu of %zu label columns hold 1, expected "
		                    "one",
		                    m->ones, m->columns->n_label);
	}
	rec->label = m->labels[0];
	while (!bt_span_equal(m->names[i], rec->label))
		i++;
	rec->has_label_id = rec->n_names == m->columns->n_label;
	rec->label_id = (int64_t)i;
	rec->several = false;
	rec->n_labels = rec->n_names = 0;
	rec->names = NULL;
	return BT_OK;
}

/* A column for each label that the row may have. */
static int set_labels(struct bt_table_maker *m, struct bt_error *err)
{
	struct bt_text_rec *rec = m->rec;
	struct bt_span name, v;
	int64_t number;
	size_t i, bytes = 0;
	int r, on;

	for (i = 0; i < m->columns->n_label; i++)
		bytes += m->columns->label_names[i].n;
	r = tidy_room(m, bytes, err);
	for (i = m->ones = 0; r == BT_OK && i < m->columns->n_label; i++) {
		v = m->fields[m->columns->label[i]];
		name = tidy(m, m->columns->label_names[i]);
		on = bt_table_truth(v);
		if (on < 0)
			return bad_cell(
			    m, BT_TABLE_CELL, name, v,
			    "0 or 1 (or true or false, or yes or no)", err);
		r = rename_label(m, &name, &number, err);
		if (r == BT_OK)
			r = add_once(&m->names, &m->names_cap, &rec->n_names,
			             &m->names_seen, name, err);
		m->ones += (size_t)on;
		if (r == BT_OK && on)
			r = add_once(&m->labels, &m->labels_cap, &rec->n_labels,
			             &m->labels_seen, name, err);
	}
	rec->names = m->names;
	return r == BT_OK && m->opts->one_hot ? one_hot(m, err) : r;
}

/* A column for each number to predict. */
static int set_numbers(struct bt_table_maker *m, struct bt_error *err)
{
	const struct bt_table_columns *c = m->columns;
	struct bt_span v;
	char s[64];
	double x;
	size_t i;

	if (bt_grow(&m->numbers, &m->numbers_cap, c->n_label,
	            sizeof(*m->numbers)) != BT_OK)
		return bt_error_nomem(err, "reading a row");
	for (i = 0; i < c->n_label; i++) {
		v = m->fields[c->label[i]];
		if (!bt_table_is_number(
		        bt_table_with_point(m, c->label[i], v, s, sizeof(s)),
		        &x))
			return bad_cell(m, BT_TABLE_NUMBER, c->label_names[i],
			                v, expected_number(m, c->label[i], v),
			                err);
		m->numbers[i] = (float)x;
	}
	m->rec->numbers = m->numbers;
	m->rec->names = c->label_names;
	m->rec->n_names = c->n_label;
	return BT_OK;
}

void bt_table_forget_labels(struct bt_table_maker *m)
{
	bt_string_set_free(m->labels_seen);
	bt_string_set_free(m->names_seen);
	m->labels_seen = m->names_seen = NULL;
}

int bt_table_make_labels(struct bt_table_maker *m, struct bt_error *err)
{
	bool one = m->columns->n_label == 1;
	bool split = m->opts->label_separator != NULL || m->opts->label_lists ||
	             (one && bt_table_is_list(m->fields[m->columns->label[0]]));

	if (one && !split)
		return one_label(m, err);
	bt_table_forget_labels(m);
	if (m->opts->numbers)
		return set_numbers(m, err);
	m->rec->several = true;
	int r = split ? split_labels(m, err) : set_labels(m, err);
	m->rec->labels = m->rec->several ? m->labels : NULL;
	if (r == BT_OK && split && m->classes_numbered)
		r = name_classes(m, err);
	return r;
}
