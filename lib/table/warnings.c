/* SPDX-License-Identifier: MIT */
/* What a table's labels look like that was hardly meant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "table/table_int.h"

#define TOLD 3     /* pairs of labels that have a warning each */
#define SENTENCE 3 /* blanks in it, or more */

/* The label without case, blanks at its ends, and other ways to write a number:
 * what people take for the same. *fraction is set by a number that is not
 * whole. */
static void put_gist(struct bt_buf *b, struct bt_span v, bool *fraction)
{
	char text[64];
	double x;
	size_t i;

	v = bt_table_strip(v);
	bt_buf_reset(b);
	if (bt_span_str(v, text, sizeof(text)) &&
	    bt_parse_f64(text, -1e300, 1e300, &x) == BT_OK) {
		bt_buf_printf(b, "%.17g", x);
		*fraction |= x != floor(x);
		return;
	}
	for (i = 0; i < v.n; i++)
		bt_buf_putc(b, v.p[i] >= 'A' && v.p[i] <= 'Z'
		                   ? (char)(v.p[i] - 'A' + 'a')
		                   : v.p[i]);
}

/* Adds "'Spam' and 'spam'" of the first pairs to said; returns how many pairs
 * there are, or an error. Where labels are numbers to predict, as fractions
 * show, there are none. */
static int find_pairs(const struct bt_string_set *labels, size_t *first,
                      struct bt_string_set *gists, struct bt_buf *said)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i, k, n = bt_string_set_count(labels);
	bool fraction = false;
	int pairs = 0;

	for (i = 0; i < n && pairs >= 0; i++) {
		put_gist(&b, bt_string_set_get(labels, i), &fraction);
		if (b.oom ||
		    bt_string_set_add(gists, (struct bt_span){b.data, b.len},
		                      &k) != BT_OK) {
			pairs = BT_ENOMEM;
		} else if (k + 1 == bt_string_set_count(gists) &&
		           first[k] == n) {
			first[k] = i;
		} else if (++pairs <= TOLD) {
			bt_buf_puts(said, pairs > 1 ? ", " : "");
			bt_table_put_name(said,
			                  bt_string_set_get(labels, first[k]));
			bt_buf_puts(said, " and ");
			bt_table_put_name(said, bt_string_set_get(labels, i));
		}
	}
	bt_buf_clear(&b);
	return fraction && pairs > 0 ? 0 : pairs;
}

static int doubt_pairs(const struct bt_string_set *labels,
                       const struct bt_log *log, struct bt_error *err)
{
	size_t n = bt_string_set_count(labels), i,
	       *first = bt_array(n, sizeof(*first));
	struct bt_string_set *gists = bt_string_set_new();
	struct bt_buf said = BT_BUF_INIT;
	int pairs;

	for (i = 0; i < n; i++)
		first[i] = n;
	pairs = find_pairs(labels, first, gists, &said);
	if (pairs > 0)
		bt_log_warn(log, "labels-alike", BT_HINT_TABLE_MAP_LABEL,
		            "labels that may be the same one: %s%s",
		            bt_buf_str(&said), pairs > TOLD ? ", ..." : "");
	free(first);
	bt_string_set_free(gists);
	bt_buf_clear(&said);
	return pairs < 0 ? bt_error_nomem(err, "comparing labels") : BT_OK;
}

static bool has_blanks(struct bt_span v)
{
	return bt_table_strip(v).n < v.n;
}

static bool is_missing(struct bt_span v)
{
	static const char *const missing[] = {"nan",  "NaN",  "<NA>",
	                                      "#N/A", "NULL", "null"};
	size_t i;

	for (i = 0; i < sizeof(missing) / sizeof(missing[0]); i++)
		if (bt_span_equal(v, bt_span(missing[i])))
			return true;
	return false;
}

/* Labels of one kind: how many there are, and the first of them. */
static void warn_kind(const struct bt_string_set *labels,
                      bool (*is_kind)(struct bt_span), enum bt_hint hint,
                      const char *one, const char *many,
                      const struct bt_log *log)
{
	struct bt_buf b = BT_BUF_INIT;
	size_t i, n = 0;

	for (i = 0; i < bt_string_set_count(labels); i++)
		if (is_kind(bt_string_set_get(labels, i)) && n++ == 0)
			bt_table_put_name(&b, bt_string_set_get(labels, i));
	if (n == 1)
		bt_log_warn(log, "odd-labels", hint, "the label %s %s",
		            bt_buf_str(&b), one);
	else if (n > 1)
		bt_log_warn(log, "odd-labels", hint,
		            "%zu labels %s, such as %s", n, many,
		            bt_buf_str(&b));
	bt_buf_clear(&b);
}

int bt_table_warn_labels(const struct bt_string_set *labels,
                         const struct bt_log *log, struct bt_error *err)
{
	if (!bt_log_is_heard(log, BT_LOG_WARN))
		return BT_OK;
	warn_kind(labels, has_blanks, BT_HINT_TABLE_STRIP,
	          "starts or ends with a blank, which is part of it",
	          "start or end with a blank, which is part of them", log);
	warn_kind(labels, is_missing, BT_HINT_TABLE_NA,
	          "is a label like the others", "are labels like the others",
	          log);
	warn_kind(
	    labels, bt_table_has_comma, BT_HINT_TABLE_DECIMAL,
	    "looks like a number with a comma (decimal, or of thousands), "
	    "and is a class like the others",
	    "look like numbers with a comma (decimal, or of thousands), "
	    "and are classes like the others",
	    log);
	warn_kind(labels, bt_table_looks_like_list, BT_HINT_TABLE_LABEL_LIST,
	          "looks like a list, and is one label like the others",
	          "look like lists, and are one label each", log);
	warn_kind(labels, bt_table_looks_like_spans, BT_HINT_READ_SPANS,
	          "looks like spans in a text, and is one label like the "
	          "others",
	          "look like spans in texts, and are one label each", log);
	return doubt_pairs(labels, log, err);
}

static bool are_digits(const char *words)
{
	return words == NULL || words[strspn(words, "0123456789,.")] == '\0';
}

/* The column of the text, or of keys by which it is joined. */
static size_t text_column(const struct bt_table_columns *c)
{
	return c->text[0] < c->own ? c->text[0] : c->join[0];
}

/* Whether columns were given by their numbers alone. */
static bool by_number(const struct bt_table_opts *opts,
                      const struct bt_table_columns *c,
                      const struct bt_span *names)
{
	struct bt_span given =
	    c->text[0] < c->own ? bt_span(opts->text) : opts->joins[0].column;

	return opts->text != NULL && are_digits(opts->text) &&
	       are_digits(opts->pair) && are_digits(opts->label) &&
	       are_digits(opts->id) &&
	       !bt_span_equal(names[text_column(c)], given);
}

/* Whether a header has a number for an id or a label, or a sentence. */
static bool looks_like_data(const struct bt_table_columns *c,
                            const struct bt_span *names)
{
	struct bt_span text = names[text_column(c)];
	size_t i, blanks = 0;
	double x;

	for (i = 0; i < text.n; i++)
		blanks += text.p[i] == ' ';
	return blanks >= SENTENCE ||
	       (c->id < c->own && bt_table_is_number(names[c->id], &x)) ||
	       (c->n_label > 0 && c->label[0] < c->own &&
	        bt_table_is_number(names[c->label[0]], &x)) ||
	       (c->n_join > 0 && bt_table_is_number(text, &x));
}

/* The first row is lost if it was data. */
static void tell_header(const struct bt_row_source *rows,
                        const struct bt_table_opts *opts,
                        const struct bt_span *names)
{
	const struct bt_table_columns *c = &rows->columns;
	struct bt_buf b = BT_BUF_INIT;

	if (!by_number(opts, c, names))
		return;
	bt_buf_printf(&b, "the first row of %s was read as the header, ",
	              bt_row_source_name(rows));
	bt_table_put_name(&b, names[text_column(c)]);
	bt_buf_printf(&b, " as the name of %s",
	              c->text[0] < c->own ? "the text" : "a column");
	if (looks_like_data(c, names))
		bt_log_warn(opts->log, "header-is-data",
		            BT_HINT_TABLE_NO_HEADER, "%s", bt_buf_str(&b));
	else
		bt_log_hint(opts->log, BT_LOG_NOTE, BT_HINT_TABLE_NO_HEADER,
		            "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
}

/* Whether the header's label is one of other rows; it warns of that. */
static bool doubt_label(const struct bt_row_source *rows,
                        const struct bt_table_opts *opts,
                        const struct bt_span *names,
                        const struct bt_string_set *labels)
{
	struct bt_buf b = BT_BUF_INIT;
	struct bt_span v;
	size_t k;

	if (opts->label == NULL || rows->columns.n_label != 1 ||
	    rows->columns.label[0] >= rows->columns.own)
		return false;
	v = names[rows->columns.label[0]];
	if (bt_span_equal(v, bt_span(opts->label)) ||
	    !bt_string_set_find(labels, v, &k))
		return false; /* the column was named, or is no label */
	bt_table_put_name(&b, v);
	bt_log_warn(opts->log, "header-is-label", BT_HINT_TABLE_NO_HEADER,
	            "the first row of %s was read as the header, and its "
	            "%s is also a label of other rows",
	            bt_row_source_name(rows), bt_buf_str(&b));
	bt_buf_clear(&b);
	return true;
}

void bt_table_warn_header(const struct bt_row_source *rows,
                          const struct bt_table_opts *opts,
                          const struct bt_string_set *labels)
{
	const struct bt_span *names =
	    rows->csv != NULL ? bt_csv_names(rows->csv) : NULL;

	if (names == NULL)
		return;
	if (bt_csv_width(rows->csv) == 1)
		bt_table_doubt_delimiter(bt_row_source_name(rows), names[0],
		                         opts->log);
	if (!doubt_label(rows, opts, names, labels) && opts->task == NULL)
		tell_header(rows, opts, names);
}
