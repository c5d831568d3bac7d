/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/escape.h"
#include "table/join_int.h"
#include "table/table_int.h"

/* Makes an error of what is in b. */
static int fail(struct bt_buf *b, int code, struct bt_error *err)
{
	bt_error_set(err, code, "%s", bt_buf_str(b));
	bt_buf_clear(b);
	return code;
}

/* Whether the columns in a column of Parquet are parts of a text with their
 * labels: entities.start, entities.end, entities.label. */
static bool holds_spans(const struct bt_table_header *h, struct bt_span word)
{
	struct bt_span rest;
	size_t i;

	for (i = 0; h->lists && i < h->n; i++) {
		rest = h->names[i];
		if (rest.n < word.n + 6 || memcmp(rest.p, word.p, word.n) != 0)
			continue;
		if (memcmp(rest.p + word.n, ".start", 6) == 0)
			return true;
	}
	return false;
}

static int not_there(const struct bt_table_header *h, struct bt_span word,
                     struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	enum bt_hint hint;

	bt_buf_puts(&b, "cannot find column ");
	bt_table_put_name(&b, word);
	bt_buf_printf(&b, " in %s", h->file);
	hint = bt_table_put_hint(&b, h, word);
	if (holds_spans(h, word))
		hint = BT_HINT_READ_SPANS;
	bt_buf_puts(&b, "; ");
	bt_table_put_names(&b, h);
	return bt_error_hint(err, hint, fail(&b, BT_EFORMAT, err));
}

static int ambiguous(const struct bt_table_header *h, struct bt_span word,
                     size_t first, size_t second, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_puts(&b, "column ");
	bt_table_put_name(&b, word);
	bt_buf_printf(&b,
	              " is ambiguous in %s: columns %zu and %zu have that "
	              "name; give a number",
	              h->file, first + 1, second + 1);
	return fail(&b, BT_EFORMAT, err);
}

int bt_table_find_name(const struct bt_table_header *h, struct bt_span word,
                       size_t *at, struct bt_error *err)
{
	size_t i, found = h->n;

	for (i = 0; h->names != NULL && i < h->n; i++) {
		if (!bt_span_equal(h->names[i], word))
			continue;
		if (found != h->n)
			return ambiguous(h, word, found, i, err);
		found = i;
	}
	if (found == h->n)
		return 0;
	*at = found;
	return 1;
}

int bt_table_find_column(const struct bt_table_header *h, struct bt_span word,
                         size_t *at, struct bt_error *err)
{
	char digits[24];
	uint64_t v;
	int r;

	if (bt_joins_find(h->joins, word, at)) {
		*at += h->n;
		return BT_OK;
	}
	r = bt_table_find_name(h, word, at, err);
	if (r != 0)
		return r < 0 ? r : BT_OK;
	if (!bt_span_str(word, digits, sizeof(digits)) ||
	    bt_parse_u64(digits, &v) != BT_OK || v > h->n)
		return not_there(h, word, err);
	if (v == 0)
		return bt_error_set(err, BT_EARG,
		                    "columns are counted from 1, not from 0");
	*at = (size_t)v - 1;
	return BT_OK;
}

static int find_optional(const struct bt_table_header *h, const char *word,
                         size_t *at, struct bt_error *err)
{
	*at = BT_TABLE_ABSENT;
	return word == NULL ? BT_OK
	                    : bt_table_find_column(h, bt_span(word), at, err);
}

/* It is where no column is named "row". */
static int find_id(const struct bt_table_header *h,
                   const struct bt_table_opts *opts, size_t *at,
                   struct bt_error *err)
{
	int r;

	if (!bt_table_may_number(opts))
		return find_optional(h, opts->id, at, err);
	r = bt_table_find_name(h, bt_span(opts->id), at, err);
	if (r == 0)
		*at = BT_TABLE_ROW;
	return r < 0 ? r : BT_OK;
}

static int no_text(const struct bt_table_header *h, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	enum bt_hint hint;

	if (h->names == NULL)
		return bt_error_hint(err, BT_HINT_TEXT_NUMBER,
		                     bt_error_set(err, BT_EARG,
		                                  "without a header, the "
		                                  "text's column needs a "
		                                  "number"));
	bt_buf_printf(&b, "cannot find a column named 'text' in %s", h->file);
	hint = bt_table_put_hint(&b, h, bt_span("text"));
	bt_buf_puts(&b, "; ");
	bt_table_put_names(&b, h);
	return bt_error_hint(err,
	                     hint != BT_HINT_NONE ? hint : BT_HINT_TEXT_COLUMN,
	                     fail(&b, BT_EARG, err));
}

/* The column that holds keys for others to find, where none is named. */
static int find_key(const struct bt_table_header *h, struct bt_span like,
                    struct bt_table_columns *c, struct bt_error *err)
{
	struct bt_span names[] = {like, bt_span("_id"), bt_span("id")};
	size_t i;
	int r = 0;

	c->text = bt_array0(1, sizeof(*c->text));
	c->n_text = 1;
	for (i = 0; r == 0 && i < sizeof(names) / sizeof(*names); i++)
		r = bt_table_find_name(h, names[i], c->text, err);
	return r < 0 ? r : BT_OK; /* or the first */
}

/* A list of columns: one name, or several with commas between. */
static int find_list(const struct bt_table_header *h, const char *words,
                     size_t **list, size_t *n, struct bt_error *err)
{
	struct bt_span word = bt_span(words);
	const char *comma = memchr(word.p, ',', word.n), *end = word.p + word.n;
	size_t most = 1, i;
	int r;

	for (i = 0; i < word.n; i++)
		most += word.p[i] == ',';
	*list = bt_array(most, sizeof(**list));
	r = bt_table_find_name(h, word, &(*list)[0], err);
	if (r == 1)
		*n = 1;
	if (r != 0)
		return r < 0 ? r : BT_OK;
	for (;;) {
		word.n = (size_t)((comma != NULL ? comma : end) - word.p);
		r = bt_table_find_column(h, word, &(*list)[*n], err);
		if (r != BT_OK)
			return r;
		(*n)++;
		if (comma == NULL)
			return BT_OK;
		word.p = comma + 1;
		comma = memchr(word.p, ',', (size_t)(end - word.p));
	}
}

static int find_texts(const struct bt_table_header *h, const char *words,
                      struct bt_table_columns *c, struct bt_error *err)
{
	size_t at;
	int r;

	if (words != NULL)
		return find_list(h, words, &c->text, &c->n_text, err);
	r = bt_table_find_name(h, bt_span("text"), &at, err);
	if (r == 0)
		return no_text(h, err);
	return r < 0 ? r : find_list(h, "text", &c->text, &c->n_text, err);
}

/* The name in the header; none without one. */
static struct bt_span name_of(const struct bt_table_header *h, size_t at)
{
	static const struct bt_span none;

	return at >= h->n         ? bt_joins_name(h->joins, at - h->n)
	       : h->names != NULL ? h->names[at]
	                          : none;
}

/* "column 2 of 'x.csv'", or a joined one by its name. */
static void put_column(struct bt_buf *b, const struct bt_table_header *h,
                       size_t at)
{
	bt_buf_puts(b, "column ");
	if (at >= h->n)
		bt_table_put_name(b, name_of(h, at));
	else
		bt_buf_printf(b, "%zu of %s", at + 1, h->file);
}

static int twice(const struct bt_table_header *h, const char *what, size_t at,
                 struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s ", what);
	put_column(&b, h, at);
	bt_buf_puts(&b, " is given twice");
	return fail(&b, BT_EARG, err);
}

static int same_name(const struct bt_table_header *h, const char *what,
                     size_t first, size_t second, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s columns %zu and %zu of %s have the same name, ",
	              what, first + 1, second + 1, h->file);
	bt_table_put_name(&b, name_of(h, first));
	return fail(&b, BT_EFORMAT, err);
}

/* Columns that are known by their names in the header, which go into bytes;
 * what: "label". */
static int name_columns(const struct bt_table_header *h, const char *what,
                        const size_t *column, size_t n, struct bt_buf *bytes,
                        struct bt_span **names, struct bt_error *err)
{
	struct bt_span name;
	size_t i, k;

	*names = bt_array(n, sizeof(**names));
	for (i = 0; i < n; i++) {
		name = name_of(h, column[i]);
		if (h->names == NULL && column[i] < h->n)
			return bt_error_set(err, BT_EARG,
			                    "several %s columns need a header, "
			                    "which names the %ss",
			                    what, what);
		for (k = 0; k < i; k++) {
			if (column[i] == column[k])
				return twice(h, what, column[i], err);
			if (bt_span_equal(name, name_of(h, column[k])))
				return same_name(h, what, column[k], column[i],
				                 err);
		}
		if (name.n == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "%s: %s column %zu has no name in "
			                    "the header",
			                    h->file, what, column[i] + 1);
		bt_buf_put(bytes, name.p, name.n);
	}
	for (i = k = 0; i < n; k += (*names)[i++].n)
		(*names)[i] = (struct bt_span){bt_buf_at(bytes, k),
		                               name_of(h, column[i]).n};
	return BT_OK;
}

/* Columns of 0 and 1. */
static int name_labels(const struct bt_table_header *h,
                       const struct bt_table_opts *opts,
                       struct bt_table_columns *c, struct bt_error *err)
{
	if (opts->label_separator != NULL || opts->label_lists)
		return bt_error_set(
		    err, BT_EARG, "a %s needs one label column, not %zu",
		    opts->label_lists ? "list of labels" : "label separator",
		    c->n_label);
	return name_columns(h, "label", c->label, c->n_label, &c->label_bytes,
	                    &c->label_names, err);
}

/* Fails where a column is in the list of another kind, too. */
static int check_apart(const struct bt_table_header *h, const char *what,
                       const size_t *list, size_t n, const char *other,
                       size_t column, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i = 0;

	while (i < n && list[i] != column)
		i++;
	if (i == n)
		return BT_OK;
	put_column(&b, h, column);
	bt_buf_printf(&b, " cannot be both %s and %s", what, other);
	return fail(&b, BT_EARG, err);
}

static int find_choices(const struct bt_table_header *h,
                        const struct bt_table_opts *opts,
                        struct bt_table_columns *c, struct bt_error *err)
{
	size_t i;
	int r;

	if (opts->choices == NULL && opts->candidates == NULL)
		return BT_OK;
	if (c->n_label > 1)
		return bt_error_set(
		    err, BT_EARG,
		    "a question with choices has one label column");
	if (opts->candidates != NULL)
		return c->n_pair == 0
		           ? BT_OK
		           : bt_error_set(err, BT_EARG,
		                          "candidates are for the label of "
		                          "one text, not of a pair");
	r = find_list(h, opts->choices, &c->choice, &c->n_choice, err);
	if (r == BT_OK && c->n_choice < 2 && !h->lists && c->choice[0] < h->n)
		r = bt_error_set(err, BT_EARG,
		                 "choices need two columns or more, except "
		                 "in lists, of JSON Lines or Parquet");
	if (r == BT_OK)
		r = find_optional(h, opts->choice_names, &c->choice_list_names,
		                  err);
	if (r == BT_OK && c->n_choice > 1 && opts->choice_names != NULL)
		r = bt_error_set(err, BT_EARG,
		                 "a column for each choice gives their names");
	for (i = 0; r == BT_OK && i < c->n_choice; i++) {
		r = check_apart(h, "text", c->text, c->n_text, "choice",
		                c->choice[i], err);
		if (r == BT_OK)
			r = check_apart(h, "label", c->label, c->n_label,
			                "choice", c->choice[i], err);
	}
	if (r == BT_OK && c->choice_list_names != BT_TABLE_ABSENT)
		r = check_apart(h, "label", c->label, c->n_label,
		                "names of choices", c->choice_list_names, err);
	return r == BT_OK && c->n_choice > 1
	           ? name_columns(h, "choice", c->choice, c->n_choice,
	                          &c->choice_bytes, &c->choice_names, err)
	           : r;
}

static int find_labels(const struct bt_table_header *h,
                       const struct bt_table_opts *opts,
                       struct bt_table_columns *c, struct bt_error *err)
{
	size_t i;
	int r;

	if (opts->label == NULL)
		return BT_OK;
	r = find_list(h, opts->label, &c->label, &c->n_label, err);
	if (r == BT_OK && c->n_label > 1)
		r = name_labels(h, opts, c, err);
	else if (r == BT_OK && opts->one_hot)
		r = bt_error_set(err, BT_EARG,
		                 "one-hot labels need several label columns");
	for (i = 0; r == BT_OK && i < c->n_label; i++) {
		r = check_apart(h, "text", c->text, c->n_text, "label",
		                c->label[i], err);
		if (r == BT_OK)
			r = check_apart(h, "text", c->pair, c->n_pair, "label",
			                c->label[i], err);
	}
	return r;
}

/* The name of a kept column's feature: that in the header, or its number. */
static int name_kept(const struct bt_table_header *h,
                     struct bt_table_columns *c, size_t i, struct bt_error *err)
{
	struct bt_span name;
	char number[24];
	size_t k;

	snprintf(number, sizeof(number), "%zu", c->keep[i] + 1);
	name = h->names != NULL || c->keep[i] >= h->n ? name_of(h, c->keep[i])
	                                              : bt_span(number);
	if (name.n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "%s: column %s, which is to be kept, has "
		                    "no name in the header",
		                    h->file, number);
	if (bt_record_owns(name))
		return bt_error_set(err, BT_EARG,
		                    "column '%.*s' cannot be kept: records "
		                    "have a feature of that name",
		                    (int)name.n, name.p);
	for (k = 0; k < i; k++)
		if (bt_span_equal(name, bt_span(c->keep_names[k])))
			return twice(h, "kept", c->keep[i], err);
	c->keep_names[i] = bt_strndup(name.p, name.n);
	return BT_OK;
}

static int find_kept(const struct bt_table_header *h,
                     const struct bt_table_opts *opts,
                     struct bt_table_columns *c, struct bt_error *err)
{
	size_t i;
	int r;

	if (opts->keep == NULL)
		return BT_OK;
	r = find_list(h, opts->keep, &c->keep, &c->n_keep, err);
	if (r != BT_OK)
		return r;
	c->keep_names = bt_array0(c->n_keep, sizeof(char *));
	for (i = 0; r == BT_OK && i < c->n_keep; i++)
		r = name_kept(h, c, i, err);
	return r;
}

/* The names, in place of the columns. */
static int list_names(const struct bt_table_opts *opts,
                      const struct bt_table_header *h, struct bt_error *err)
{
	size_t i;

	if (h->names != NULL && h->n == 1)
		bt_table_doubt_delimiter(h->file, h->names[0], opts->log);
	for (i = 0; h->names != NULL && i < h->n; i++) {
		bt_escape_line(opts->names, h->names[i], 0);
		bt_buf_putc(opts->names, '\n');
	}
	return opts->names->oom ? bt_error_nomem(err, "reading a header")
	                        : BT_OK;
}

/* The columns of the keys by which other files are joined. */
static int find_joins(const struct bt_table_header *h,
                      const struct bt_joins *joins, struct bt_table_columns *c,
                      struct bt_error *err)
{
	struct bt_table_header own = *h;
	int r = BT_OK;

	own.joins = NULL;
	c->join = bt_array(bt_joins_count(joins), sizeof(*c->join));
	while (r == BT_OK && c->n_join < bt_joins_count(joins)) {
		r = bt_table_find_column(&own,
		                         bt_joins_column(joins, c->n_join),
		                         &c->join[c->n_join], err);
		c->n_join++;
	}
	return r;
}

/* Tells of columns of CSV taken for data that are row numbers: pandas' to_csv
 * writes them without a name, which its read_csv names. */
static void note_row_numbers(const struct bt_table_header *h,
                             const struct bt_table_columns *c,
                             const struct bt_log *log)
{
	static const char usual[] = "Unnamed: 0";
	size_t i, at;

	for (i = 0; h->names != NULL && !h->lists && i < c->n_text + c->n_label;
	     i++) {
		at = i < c->n_text ? c->text[i] : c->label[i - c->n_text];
		if (at == 0 && (h->names[at].n == 0 ||
		                bt_span_equal(h->names[at], bt_span(usual))))
			bt_log(log, BT_LOG_NOTE,
			       "%s: column 1, named '%.*s', is taken for a "
			       "%s, but looks like the row numbers that pandas "
			       "writes without index=False",
			       h->file, (int)h->names[at].n, h->names[at].p,
			       i < c->n_text ? "text" : "label");
	}
}

int bt_table_columns_find(const struct bt_table_opts *opts,
                          struct bt_table_header *h, struct bt_table_columns *c,
                          struct bt_error *err)
{
	size_t i;
	int r;

	memset(c, 0, sizeof(*c));
	c->id = c->weight = c->choice_list_names = BT_TABLE_ABSENT;
	if (opts->names != NULL)
		return list_names(opts, h, err);
	c->own = h->n;
	h->joins = opts->joined;
	c->where = bt_array(opts->n_where, sizeof(*c->where));
	if ((r = opts->key_of != NULL ? find_key(h, *opts->key_of, c, err)
	                              : find_texts(h, opts->text, c, err)) ||
	    (r = opts->pair != NULL
	             ? find_list(h, opts->pair, &c->pair, &c->n_pair, err)
	             : BT_OK) ||
	    (r = find_joins(h, opts->joined, c, err)) ||
	    (r = find_labels(h, opts, c, err)) ||
	    (r = find_choices(h, opts, c, err)) ||
	    (r = find_id(h, opts, &c->id, err)) ||
	    (r = find_optional(h, opts->weight, &c->weight, err)))
		goto out;
	for (i = 0; r == BT_OK && i < opts->n_where; i++)
		r = bt_table_find_column(h, opts->where[i].column, &c->where[i],
		                         err);
	if (r == BT_OK)
		r = find_kept(h, opts, c, err);
	if (r == BT_OK && opts->key_of == NULL)
		note_row_numbers(h, c, opts->log);
	c->unasked = opts->text == NULL && opts->label == NULL &&
	             opts->id == NULL && h->names != NULL && c->n_text < h->n;
out:
	if (r != BT_OK)
		bt_table_columns_clear(c);
	return r;
}

void bt_table_columns_clear(struct bt_table_columns *c)
{
	size_t i;

	free(c->text);
	free(c->pair);
	free(c->join);
	free(c->label);
	free(c->label_names);
	free(c->choice);
	free(c->choice_names);
	free(c->where);
	for (i = 0; c->keep_names != NULL && i < c->n_keep; i++)
		free(c->keep_names[i]);
	free(c->keep_names);
	free(c->keep);
	bt_buf_clear(&c->label_bytes);
	bt_buf_clear(&c->choice_bytes);
	memset(c, 0, sizeof(*c));
}

static void add_key(void *arg, struct bt_span key)
{
	struct bt_table_header *h = arg;
	size_t i;

	if (bt_joins_find(h->joins, key, &i))
		return;
	for (i = 0; i < h->n; i++)
		if (bt_span_equal(h->names[i], key))
			return;
	if (bt_grow(&h->names, &h->cap, h->n + 1, sizeof(*h->names)) == BT_OK)
		h->names[h->n++] = key;
}

void bt_table_header_keys(struct bt_table_header *h,
                          const struct bt_table_opts *opts)
{
	size_t i;

	memset(h, 0, sizeof(*h));
	h->file = "JSON Lines";
	h->lists = true;
	h->joins = opts->joined;
	bt_table_columns_named(opts, add_key, h);
	for (i = 0; i < bt_joins_count(opts->joined); i++)
		add_key(h, bt_joins_column(opts->joined, i));
}
