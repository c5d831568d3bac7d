/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/str.h"
#include "format/charset.h"
#include "format/tfrecord.h"
#include "parquet/parquet.h"
#include "table/conll_int.h"

#define DOCUMENT "-DOCSTART-"

bool bt_conll_has_tab(struct bt_span line)
{
	return line.n > 0 && memchr(line.p, '\t', line.n) != NULL;
}

bool bt_conll_is_comment(struct bt_span line, const char *comment, bool tabs)
{
	struct bt_span begin = bt_span(comment);

	if (begin.p != NULL)
		return line.n >= begin.n &&
		       memcmp(line.p, begin.p, begin.n) == 0;
	return tabs && line.n > 0 && *line.p == '#' && !bt_conll_has_tab(line);
}

int bt_conll_cut(struct bt_span line, bool file_tabs, struct bt_span *column)
{
	bool tabs = file_tabs || bt_conll_has_tab(line);
	size_t i, from = 0;
	int n = 0;

	for (i = 0; i <= line.n; i++) {
		if (i < line.n && line.p[i] != (tabs ? '\t' : ' '))
			continue;
		if ((tabs || i > from) && n++ < BT_CONLL_COLUMNS)
			column[n - 1] =
			    (struct bt_span){line.p + from, i - from};
		from = i + 1;
	}
	return n;
}

size_t bt_conll_count(struct bt_span line, char c)
{
	size_t i, n = 0;

	for (i = 0; i < line.n; i++)
		n += line.p[i] == c;
	return n;
}

int bt_conll_refuse_csv(char c, size_t n, struct bt_error *err)
{
	return bt_error_hint(
	    err, BT_HINT_WORD_ROWS,
	    bt_error_set(err, BT_EFORMAT,
	                 "has %zu %s%s, as each line so far: columns are "
	                 "divided by blanks or tabs, and sentences by an empty "
	                 "line",
	                 n, c == ',' ? "comma" : "semicolon", bt_plural(n)));
}

bool bt_conll_is_conllu(const struct bt_span *column, int n)
{
	static const char *const keys[] = {
	    "sent_id", "text",   "text_en",        "newdoc",
	    "newpar",  "source", "global.columns", "translit"};
	size_t i;

	if (n < 4 || !bt_span_equal(column[0], bt_span("#")) ||
	    (!bt_span_equal(column[2], bt_span("=")) &&
	     !bt_span_equal(column[3], bt_span("="))))
		return false;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (bt_span_equal(column[1], bt_span(keys[i])))
			return true;
	return false;
}

/* The digits at the start of *s, which become its rest: -1 if it has none, or
 * more than a sentence can have words. */
static int64_t take_number(struct bt_span *s)
{
	int64_t v = 0;
	int n = 0;

	for (; s->n > 0 && *s->p >= '0' && *s->p <= '9'; s->p++, s->n--)
		if (n++ < 10)
			v = 10 * v + (*s->p - '0');
	return n > 0 && n < 10 ? v : -1;
}

bool bt_conll_is_no_word(struct bt_conll_place *at, struct bt_span first)
{
	int64_t from = take_number(&first), to;
	char mark = '\0';

	if (from >= 0 && first.n == 0) {
		*at = (struct bt_conll_place){from, 0};
		return false;
	}
	if (first.n > 0) {
		mark = *first.p++;
		first.n--;
	}
	to = take_number(&first);
	if (from >= 0 && first.n == 0) {
		if (mark == '-' && from == at->word + 1 && to > from)
			return true;
		if (mark == '.' && from == at->word && to == at->node + 1) {
			at->node++;
			return true;
		}
	}
	*at = (struct bt_conll_place){-2, 0};
	return false;
}

bool bt_conll_is_document(struct bt_span line)
{
	size_t n = strlen(DOCUMENT);

	return line.n >= n && memcmp(line.p, DOCUMENT, n) == 0 &&
	       (line.n == n || line.p[n] == ' ' || line.p[n] == '\t');
}

bool bt_conll_is_new_document(struct bt_span comment)
{
	struct bt_span s = bt_span_trim(comment, "# ");
	size_t n = strlen("newdoc");

	return s.n >= n && memcmp(s.p, "newdoc", n) == 0 &&
	       (s.n == n || s.p[n] == ' ');
}

/* Whether s is one of a list's names, in any case. */
static bool is_named(struct bt_span s, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s.n == strlen(names[i]) &&
		    strncasecmp(s.p, names[i], s.n) == 0)
			return true;
	return false;
}

bool bt_conll_is_header(struct bt_span word, struct bt_span tag)
{
	static const char *const words[] = {"form",   "text", "token",
	                                    "tokens", "word", "words"};
	static const char *const tags[] = {
	    "bio",          "deprel", "entity", "iob",     "label",    "labels",
	    "named_entity", "ne",     "ner",    "ner_tag", "ner_tags", "pos",
	    "pos_tag",      "tag",    "tags",   "upos",    "xpos"};

	return is_named(word, words, sizeof(words) / sizeof(*words)) &&
	       is_named(tag, tags, sizeof(tags) / sizeof(*tags));
}

int bt_conll_look_tabs(struct bt_in *in, bool *tabs, bool *sentence,
                       struct bt_error *err)
{
	bool blank = true, sign = false; /* the line: empty, and with '#' */
	size_t i, start = 0, got = 0;
	const uint8_t *p = NULL;
	int e;

	for (i = 0; i < BT_CONLL_LINE_MAX; i++) {
		if (p == NULL || i == got) {
			e = bt_in_some(in, i + 1, &p, &got, err);
			if (e != BT_OK || p == NULL || i == got)
				return e;
		}
		if (p[i] == '\t') {
			*tabs = true;
			return BT_OK;
		}
		if (p[i] == '\n') {
			if (!blank && !sign)
				return BT_OK;
			*sentence |= blank;
			start = i + 1;
			blank = true;
		} else if (blank && p[i] != ' ' && p[i] != '\r') {
			sign = p[i] == '#' && i == start;
			blank = false;
		}
	}
	return BT_OK;
}

int bt_conll_choose(const char *name, const char *what, int standard,
                    int columns, int *column, struct bt_error *err)
{
	int64_t v = standard;

	if (name != NULL &&
	    bt_parse_i64(name, 1, BT_CONLL_COLUMNS, &v) != BT_OK)
		return bt_error_set(err, BT_EARG,
		                    "column '%s' of the %s is not a number "
		                    "from 1 on",
		                    name, what);
	if (v > columns)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %d column%s, but the %s are expected "
		                    "in column %d",
		                    columns, bt_plural((size_t)columns), what,
		                    (int)v);
	*column = (int)v - 1;
	return BT_OK;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blanks(const uint8_t *p, size_t n, size_t i)
{
	while (i < n && is_blank(p[i]))
		i++;
	return i;
}

bool bt_conll_is_json(const uint8_t *p, size_t n)
{
	size_t i;

	if (n == 0 || *p != '[')
		return n > 0 && *p == '{';
	/* in columns a word may be a bracket alone */
	i = skip_blanks(p, n, 1);
	if (i == n || p[i] != '{')
		return false;
	i = skip_blanks(p, n, i + 1);
	return i < n && p[i] == '"';
}

int bt_conll_look_first(struct bt_in *in, struct bt_error *err)
{
	const uint8_t *p;
	size_t got = 0;
	int e = bt_parquet_begins(in, err);

	if (e == BT_OK)
		e = bt_in_some(in, 1, &p, &got, err);
	if (e == BT_OK && bt_tfrecord_begins(p, got))
		e = bt_error_hint(
		    err, BT_HINT_READ_RECORDS,
		    bt_error_set(err, BT_EFORMAT,
		                 "cannot read %s: it is a TFRecord stream, "
		                 "not text",
		                 bt_in_name(in)));
	return e;
}

int bt_conll_begin_text(const struct bt_table_opts *t, struct bt_in *in,
                        bool *json, struct bt_error *err)
{
	enum bt_charset set = t != NULL ? t->charset : BT_CHARSET_UTF8;
	/* a mark says it, or else the user */
	enum bt_utf16 order = t != NULL ? t->utf16 : BT_UTF16_NONE;
	const uint8_t *p;
	size_t got;
	int e = BT_OK;

	if (set == BT_CHARSET_UTF8)
		e = bt_in_utf16(in, &order, err);
	if (e == BT_OK)
		e = bt_charset_skip_mark(set, in, err);
	if (e == BT_OK)
		e = bt_in_some(in, 1, &p, &got, err);
	if (e == BT_OK)
		*json = bt_conll_is_json(p, got);
	return e;
}
