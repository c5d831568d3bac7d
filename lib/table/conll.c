/* SPDX-License-Identifier: MIT */
#include "table/conll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"
#include "base/str.h"
#include "format/charset.h"
#include "format/json.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "io/in.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
#define COLUMNS 256
#define DOCUMENT "-DOCSTART-"

/* Texts of one list of a record, one behind the other. */
struct texts {
	struct bt_buf bytes;
	size_t *end; /* [n] */
	size_t n, cap;
	struct bt_span *span; /* [n], when all are there */
	size_t span_cap;
};

struct reader {
	const struct bt_conll_opts *o;
	struct bt_conll_stats *stats;
	struct bt_out *out;
	struct bt_example_writer w;
	struct texts words, tags, lines;
	struct bt_buf doc, id; /* of the next sentence */
	int columns;           /* of the first line; 0: not known yet */
	int word, tag;         /* columns, from 0 on; tag -1: none */
	uint64_t number;       /* of the line */
};

static int add(struct texts *t, struct bt_span s)
{
	if (bt_grow(&t->end, &t->cap, t->n + 1, sizeof(*t->end)) != BT_OK)
		return BT_ENOMEM;
	bt_buf_put(&t->bytes, s.p, s.n);
	t->end[t->n++] = t->bytes.len;
	return t->bytes.oom ? BT_ENOMEM : BT_OK;
}

static int write_list(struct reader *r, const char *name, struct texts *t)
{
	size_t i, at = 0;

	if (t->n == 0)
		return BT_OK;
	if (bt_grow(&t->span, &t->span_cap, t->n, sizeof(*t->span)) != BT_OK)
		return BT_ENOMEM;
	for (i = 0; i < t->n; at = t->end[i++])
		t->span[i] =
		    (struct bt_span){bt_buf_at(&t->bytes, at), t->end[i] - at};
	bt_example_add_texts(&r->w, name, t->span, t->n);
	return BT_OK;
}

static void forget(struct texts *t)
{
	bt_buf_reset(&t->bytes);
	t->n = 0;
}

/* Writes the sentence that was gathered, if any. */
static int end_sentence(struct reader *r, struct bt_error *err)
{
	struct bt_span payload;
	int e;

	if (r->words.n == 0)
		return BT_OK;
	if (r->id.len == 0)
		bt_buf_printf(&r->id, "%llu",
		              (unsigned long long)r->stats->sentences);
	bt_example_begin(&r->w);
	if (r->doc.len > 0)
		bt_example_add_text(&r->w, "doc", r->doc.data, r->doc.len);
	bt_example_add_text(&r->w, "id", r->id.data, r->id.len);
	if ((e = write_list(r, "lines", &r->lines)) ||
	    (e = write_list(r, "tags", &r->tags)) ||
	    (e = write_list(r, "words", &r->words)))
		return bt_error_nomem(err, "reading a sentence");
	payload = bt_example_finish(&r->w);
	if (payload.p == NULL)
		return bt_error_nomem(err, "reading a sentence");
	r->stats->sentences++;
	r->stats->words += r->words.n;
	r->stats->tagged |= r->tags.n > 0;
	forget(&r->words);
	forget(&r->tags);
	forget(&r->lines);
	bt_buf_reset(&r->doc);
	bt_buf_reset(&r->id);
	return bt_tfrecord_write(r->out, payload.p, payload.n, err);
}

/* Cuts a line at tabs or, where it has none, at blanks, of which several are as
 * one. Returns the number of columns, of which only COLUMNS are kept. */
static int cut(struct bt_span line, struct bt_span *column)
{
	bool tabs = line.n > 0 && memchr(line.p, '\t', line.n) != NULL;
	size_t i, from = 0;
	int n = 0;

	for (i = 0; i <= line.n; i++) {
		if (i < line.n && line.p[i] != (tabs ? '\t' : ' '))
			continue;
		if ((tabs || i > from) && n++ < COLUMNS)
			column[n - 1] =
			    (struct bt_span){line.p + from, i - from};
		from = i + 1;
	}
	return n;
}

/* The column that a user names, from 0 on. */
static int choose(const char *name, const char *what, int standard, int columns,
                  int *column, struct bt_error *err)
{
	int64_t v = standard;

	if (name != NULL && bt_parse_i64(name, 1, COLUMNS, &v) != BT_OK)
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

static int settle_columns(struct reader *r, int n, struct bt_error *err)
{
	int e = choose(r->o->word, "words", 1, n, &r->word, err);

	r->columns = n;
	r->tag = -1;
	if (e == BT_OK && !r->o->no_tags && (r->o->tag != NULL || n > 1))
		e = choose(r->o->tag, "tags", n, n, &r->tag, err);
	if (e == BT_OK && r->tag == r->word)
		e = bt_error_set(err, BT_EARG,
		                 "words and tags are both in column %d",
		                 r->word + 1);
	return e;
}

static int add_line(struct reader *r, struct bt_span line, struct bt_error *err)
{
	struct bt_span column[COLUMNS], word;
	int n = cut(line, column), e = BT_OK;

	if (n == 0)
		return end_sentence(r, err);
	word = column[0];
	if (r->o->word == NULL && bt_span_equal(word, bt_span(DOCUMENT))) {
		e = end_sentence(r, err);
		bt_buf_reset(&r->doc);
		bt_buf_put(&r->doc, line.p, line.n);
		r->stats->documents++;
		return e;
	}
	if (n > COLUMNS)
		return bt_error_set(err, BT_ELIMIT, "has more than %d columns",
		                    COLUMNS);
	if (r->columns == 0)
		e = settle_columns(r, n, err);
	if (e == BT_OK && n != r->columns)
		e = bt_error_set(err, BT_EFORMAT,
		                 "has %d column%s, the lines before have %d", n,
		                 bt_plural((size_t)n), r->columns);
	if (e != BT_OK)
		return e;
	if (column[r->word].n == 0 || (r->tag >= 0 && column[r->tag].n == 0))
		return bt_error_set(err, BT_EFORMAT, "has an empty %s",
		                    column[r->word].n == 0 ? "word" : "tag");
	if (add(&r->words, column[r->word]) || add(&r->lines, line) ||
	    (r->tag >= 0 && add(&r->tags, column[r->tag])))
		return bt_error_nomem(err, "reading a sentence");
	return BT_OK;
}

/* The list of a key: texts, or whole numbers. */
static int add_list(struct texts *t, const json_t *list, const char *key,
                    struct bt_error *err)
{
	char number[24];
	struct bt_span s;
	const json_t *v;
	size_t i;

	if (!json_is_array(list))
		return bt_error_set(err, BT_EFORMAT, "'%s' is not a list", key);
	json_array_foreach((json_t *)list, i, v)
	{
		s = bt_json_text(v);
		if (json_is_integer(v)) {
			snprintf(number, sizeof(number), "%lld",
			         (long long)json_integer_value(v));
			s = bt_span(number);
		}
		if (s.p == NULL || s.n == 0)
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s': value %zu is not a text",
			                    key, i + 1);
		if (add(t, s) != BT_OK)
			return bt_error_nomem(err, "reading a sentence");
	}
	return BT_OK;
}

static int add_object(struct reader *r, struct bt_span line,
                      struct bt_error *err)
{
	const char *word = r->o->word != NULL ? r->o->word : "tokens", *tag;
	const json_t *id, *tags;
	json_t *o = NULL;
	int e = bt_json_parse("the line", line.p, line.n, true, &o, err);

	if (e != BT_OK)
		return e;
	tag = r->o->tag != NULL                        ? r->o->tag
	      : json_object_get(o, "tags") != NULL     ? "tags"
	      : json_object_get(o, "ner_tags") != NULL ? "ner_tags"
	                                               : NULL;
	id = json_object_get(o, "id");
	if (json_is_string(id))
		bt_buf_put(&r->id, json_string_value(id),
		           json_string_length(id));
	else if (json_is_integer(id))
		bt_buf_printf(&r->id, "%lld",
		              (long long)json_integer_value(id));
	if (json_object_get(o, word) == NULL)
		e = bt_error_set(err, BT_EFORMAT, "has no key '%s'", word);
	else
		e = add_list(&r->words, json_object_get(o, word), word, err);
	tags = tag != NULL && !r->o->no_tags ? json_object_get(o, tag) : NULL;
	if (e == BT_OK && tags == NULL && r->o->tag != NULL && !r->o->no_tags)
		e = bt_error_set(err, BT_EFORMAT, "has no key '%s'", tag);
	if (e == BT_OK && tags != NULL)
		e = add_list(&r->tags, tags, tag, err);
	if (e == BT_OK && r->words.n == 0)
		e = bt_error_set(err, BT_EFORMAT, "has no words");
	if (e == BT_OK && tags != NULL && r->tags.n != r->words.n)
		e = bt_error_set(err, BT_EFORMAT, "has %zu words, but %zu tags",
		                 r->words.n, r->tags.n);
	json_decref(o);
	return e == BT_OK ? end_sentence(r, err) : e;
}

static int read_lines(struct reader *r, struct bt_in *in, struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	bool json = false;
	size_t skip = 0;
	int e;

	while ((e = bt_in_line(in, LINE_MAX_BYTES, &line, &skip, err)) == 1) {
		r->number++;
		if (r->number == 1 && line.n >= 3 &&
		    memcmp(line.p, "\xef\xbb\xbf", 3) == 0) {
			line.p += 3;
			line.n -= 3;
		}
		if (line.n > 0 && line.p[line.n - 1] == '\r')
			line.n--;
		if (r->number == 1)
			json = line.n > 0 && line.p[0] == '{';
		if (bt_charset_check(BT_CHARSET_UTF8, line.p, line.n) != line.n)
			e = bt_error_set(err, BT_EFORMAT, "is not valid UTF-8");
		else if (json && line.n > 0)
			e = add_object(r, line, err);
		else if (!json)
			e = add_line(r, line, err);
		else
			e = BT_OK;
		if (e != BT_OK)
			return e;
		bt_in_skip(in, skip);
	}
	return e == BT_OK ? end_sentence(r, err) : e;
}

static int read_file(struct reader *r, const char *path, struct bt_error *err)
{
	struct bt_in *in;
	int e = bt_in_open(path, &in, err);

	if (e != BT_OK)
		return e;
	r->number = 0;
	r->columns = 0;
	e = read_lines(r, in, err);
	if (e != BT_OK && e != BT_EIO && e != BT_ENOMEM && r->number > 0)
		bt_error_prefix(err, "%s: line %llu", bt_in_name(in),
		                (unsigned long long)r->number);
	bt_in_close(in);
	return e;
}

static void clear(struct texts *t)
{
	bt_buf_clear(&t->bytes);
	free(t->end);
	free(t->span);
}

int bt_conll_convert(char *const *paths, int n,
                     const struct bt_conll_opts *opts, struct bt_out *out,
                     struct bt_conll_stats *stats, struct bt_error *err)
{
	struct reader r = {.o = opts, .stats = stats, .out = out};
	int i, e = n == 0 ? read_file(&r, NULL, err) : BT_OK;

	for (i = 0; i < n && e == BT_OK; i++)
		e = read_file(&r, paths[i], err);
	if (e == BT_OK && stats->sentences == 0)
		e = bt_error_set(err, BT_EFORMAT, "%s holds no sentence",
		                 n > 0 ? paths[n - 1] : "standard input");
	bt_example_clear(&r.w);
	clear(&r.words);
	clear(&r.tags);
	clear(&r.lines);
	bt_buf_clear(&r.doc);
	bt_buf_clear(&r.id);
	return e;
}
