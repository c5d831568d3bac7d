/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "task/table_int.h"

static int say(struct bt_buf *b, int code, struct bt_error *err)
{
	const char *s = bt_buf_str(b);

	code = s != NULL ? bt_error_set(err, code, "%s", s)
	                 : bt_error_nomem(err, "looking for a column");
	bt_buf_clear(b);
	return code;
}

static int not_there(const struct bt_table_header *h, struct bt_span word,
                     struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_puts(&b, "cannot find column ");
	bt_table_put_name(&b, word);
	bt_buf_printf(&b, " in %s", h->file);
	bt_table_put_hint(&b, h, word);
	bt_buf_puts(&b, "; ");
	bt_table_put_names(&b, h);
	return say(&b, BT_EFORMAT, err);
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
	return say(&b, BT_EFORMAT, err);
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
	if (word.n >= sizeof(digits))
		return not_there(h, word, err);
	memcpy(digits, word.p, word.n);
	digits[word.n] = '\0';
	if (bt_parse_u64(digits, &v) != BT_OK || v > h->n)
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

static int no_text(const struct bt_table_header *h, struct bt_error *err)
{
	struct bt_buf b = BT_BUF_INIT;

	if (h->names == NULL)
		bt_buf_puts(&b, "without a header the column of the text must "
		                "be given by number: -t N");
	else {
		bt_buf_printf(&b,
		              "no column is named 'text' in %s: choose one "
		              "with -t",
		              h->file);
		bt_table_put_hint(&b, h, bt_span("text"));
		bt_buf_puts(&b, "; ");
		bt_table_put_names(&b, h);
	}
	return say(&b, BT_EARG, err);
}

/* The columns of the text: one name, or several with commas between. */
static int find_texts(const struct bt_table_header *h, const char *words,
                      struct bt_table_columns *c, struct bt_error *err)
{
	struct bt_span word = bt_span(words != NULL ? words : "text");
	const char *comma = memchr(word.p, ',', word.n), *end = word.p + word.n;
	size_t most = 1, i;
	int r;

	for (i = 0; i < word.n; i++)
		most += word.p[i] == ',';
	c->text = bt_array(most, sizeof(*c->text));
	if (c->text == NULL)
		return bt_error_nomem(err, "looking for a column");
	r = find_name(h, word, &c->text[0], err);
	if (r == 1)
		c->n_text = 1;
	if (r != 0)
		return r < 0 ? r : BT_OK;
	if (words == NULL)
		return no_text(h, err);
	for (;;) {
		word.n = (size_t)((comma != NULL ? comma : end) - word.p);
		r = find_column(h, word, &c->text[c->n_text], err);
		if (r != BT_OK)
			return r;
		c->n_text++;
		if (comma == NULL)
			return BT_OK;
		word.p = comma + 1;
		comma = memchr(word.p, ',', (size_t)(end - word.p));
	}
}

static int find_all(const struct bt_table_header *h,
                    const struct bt_table_opts *opts,
                    struct bt_table_columns *c, struct bt_error *err)
{
	size_t i;
	int r = find_texts(h, opts->text, c, err);

	if (r == BT_OK)
		r = find_optional(h, opts->pair, &c->pair, err);
	if (r == BT_OK)
		r = find_optional(h, opts->label, &c->label, err);
	if (r == BT_OK)
		r = find_optional(h, opts->id, &c->id, err);
	if (r != BT_OK || c->label == BT_TABLE_ABSENT)
		return r;
	for (i = 0; i < c->n_text; i++)
		if (c->text[i] == c->label)
			break;
	if (i == c->n_text && c->pair != c->label)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "column %zu of %s cannot be both text and label",
	                    c->label + 1, h->file);
}

int bt_table_columns_find(const struct bt_table_opts *opts,
                          const struct bt_csv *csv,
                          struct bt_table_columns *columns,
                          struct bt_error *err)
{
	struct bt_table_columns c = {0};
	struct bt_table_header h;
	int r = bt_table_header_init(&h, csv, opts->charset, err);

	if (r == BT_OK)
		r = find_all(&h, opts, &c, err);
	bt_table_header_clear(&h);
	if (r != BT_OK) {
		bt_table_columns_clear(&c);
		return r;
	}
	*columns = c;
	return BT_OK;
}

void bt_table_columns_clear(struct bt_table_columns *c)
{
	free(c->text);
	memset(c, 0, sizeof(*c));
}
