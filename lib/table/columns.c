/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "format/escape.h"
#include "table/table_int.h"

/* Makes an error of what is in b. */
static int fail(struct bt_buf *b, int code, struct bt_error *err)
{
	bt_error_set(err, code, "%s", bt_buf_str(b));
	bt_buf_clear(b);
	return code;
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

/* 1: *at is the only column of that name; 0: there is none; else an error. */
static int find_name(const struct bt_table_header *h, struct bt_span word,
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

static int find_column(const struct bt_table_header *h, struct bt_span word,
                       size_t *at, struct bt_error *err)
{
	char digits[24];
	uint64_t v;
	int r = find_name(h, word, at, err);

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
	return word == NULL ? BT_OK : find_column(h, bt_span(word), at, err);
}

/* Whether the id may be the file and the row's number. */
static bool may_number(const struct bt_table_opts *opts)
{
	return opts->id != NULL && strcmp(opts->id, "row") == 0 &&
	       !opts->id_of_several;
}

/* It is where no column is named "row". */
static int find_id(const struct bt_table_header *h,
                   const struct bt_table_opts *opts, size_t *at,
                   struct bt_error *err)
{
	int r;

	if (!may_number(opts))
		return find_optional(h, opts->id, at, err);
	r = find_name(h, bt_span(opts->id), at, err);
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
	r = find_name(h, word, &(*list)[0], err);
	if (r == 1)
		*n = 1;
	if (r != 0)
		return r < 0 ? r : BT_OK;
	for (;;) {
		word.n = (size_t)((comma != NULL ? comma : end) - word.p);
		r = find_column(h, word, &(*list)[*n], err);
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
	r = find_name(h, bt_span("text"), &at, err);
	if (r == 0)
		return no_text(h, err);
	return r < 0 ? r : find_list(h, "text", &c->text, &c->n_text, err);
}

static int same_name(const struct bt_table_header *h, const char *what,
                     size_t first, size_t second, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "%s columns %zu and %zu of %s have the same name, ",
	              what, first + 1, second + 1, h->file);
	bt_table_put_name(&b, h->names[first]);
	return fail(&b, BT_EFORMAT, err);
}

/* Columns that are known by their names in the header, which go into bytes;
 * what: "label". */
static int name_columns(const struct bt_table_header *h, const char *what,
                        const size_t *column, size_t n, struct bt_buf *bytes,
                        struct bt_span **names, struct bt_error *err)
{
	size_t i, k;

	if (h->names == NULL)
		return bt_error_set(err, BT_EARG,
		                    "several %s columns need a header, which "
		                    "names the %ss",
		                    what, what);
	*names = bt_array(n, sizeof(**names));
	for (i = 0; i < n; i++) {
		for (k = 0; k < i; k++) {
			if (column[i] == column[k])
				return bt_error_set(err, BT_EARG,
				                    "%s column %zu of %s is "
				                    "given twice",
				                    what, column[i] + 1,
				                    h->file);
			if (bt_span_equal(h->names[column[i]],
			                  h->names[column[k]]))
				return same_name(h, what, column[k], column[i],
				                 err);
		}
		if (h->names[column[i]].n == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "%s: %s column %zu has no name in "
			                    "the header",
			                    h->file, what, column[i] + 1);
		bt_buf_put(bytes, h->names[column[i]].p, h->names[column[i]].n);
	}
	for (i = k = 0; i < n; k += (*names)[i++].n)
		(*names)[i] = (struct bt_span){bt_buf_at(bytes, k),
		                               h->names[column[i]].n};
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
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == column)
			return bt_error_set(err, BT_EARG,
			                    "column %zu of %s cannot be both "
			                    "%s and %s",
			                    column + 1, h->file, what, other);
	return BT_OK;
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
		return c->pair == BT_TABLE_ABSENT
		           ? BT_OK
		           : bt_error_set(err, BT_EARG,
		                          "candidates are for the label of "
		                          "one text, not of a pair");
	r = find_list(h, opts->choices, &c->choice, &c->n_choice, err);
	if (r == BT_OK && c->n_choice < 2 && !h->lists)
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
	for (i = 0; r == BT_OK && i < c->n_label; i++) {
		r = check_apart(h, "text", c->text, c->n_text, "label",
		                c->label[i], err);
		if (r == BT_OK)
			r = check_apart(h, "text", &c->pair, 1, "label",
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
	name = h->names != NULL ? h->names[c->keep[i]] : bt_span(number);
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
			return bt_error_set(err, BT_EARG,
			                    "column %s of %s is to be kept "
			                    "twice",
			                    number, h->file);
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

	for (i = 0; h->names != NULL && i < h->n; i++) {
		bt_escape_line(opts->names, h->names[i], 0);
		bt_buf_putc(opts->names, '\n');
	}
	return opts->names->oom ? bt_error_nomem(err, "reading a header")
	                        : BT_OK;
}

int bt_table_columns_find(const struct bt_table_opts *opts,
                          const struct bt_table_header *h,
                          struct bt_table_columns *c, struct bt_error *err)
{
	size_t i;
	int r;

	memset(c, 0, sizeof(*c));
	c->pair = c->id = c->weight = c->choice_list_names = BT_TABLE_ABSENT;
	if (opts->names != NULL)
		return list_names(opts, h, err);
	c->where = bt_array(opts->n_where, sizeof(*c->where));
	if ((r = find_texts(h, opts->text, c, err)) ||
	    (r = find_optional(h, opts->pair, &c->pair, err)) ||
	    (r = find_labels(h, opts, c, err)) ||
	    (r = find_choices(h, opts, c, err)) ||
	    (r = find_id(h, opts, &c->id, err)) ||
	    (r = find_optional(h, opts->weight, &c->weight, err)))
		goto out;
	for (i = 0; r == BT_OK && i < opts->n_where; i++)
		r = find_column(h, opts->where[i].column, &c->where[i], err);
	if (r == BT_OK)
		r = find_kept(h, opts, c, err);
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

static void add_key(struct bt_table_header *h, struct bt_span key)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (bt_span_equal(h->names[i], key))
			return;
	h->names[h->n++] = key;
}

void bt_table_header_keys(struct bt_table_header *h,
                          const struct bt_table_opts *opts)
{
	const char *lists[] = {opts->text != NULL ? opts->text : "text",
	                       opts->label, opts->keep, opts->choices};
	const char *single[] = {opts->pair, opts->id, opts->weight,
	                        opts->choice_names},
	           *p;
	size_t i, n, most = 4 + opts->n_where;

	for (i = 0; i < 4; i++)
		most += lists[i] != NULL ? strlen(lists[i]) + 1 : 0;
	memset(h, 0, sizeof(*h));
	h->file = "JSON Lines";
	h->lists = true;
	h->names = bt_array(most, sizeof(*h->names));
	for (i = 0; i < 4; i++)
		for (p = lists[i]; p != NULL;
		     p = p[n] != '\0' ? p + n + 1 : NULL) {
			n = strcspn(p, ",");
			add_key(h, (struct bt_span){p, n});
		}
	for (i = 0; i < 4; i++)
		if (single[i] != NULL &&
		    (single[i] != opts->id || !may_number(opts)))
			add_key(h, bt_span(single[i]));
	for (i = 0; i < opts->n_where; i++)
		add_key(h, opts->where[i].column);
}
