/* SPDX-License-Identifier: MIT */
#include "table/conll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/span.h"
#include "base/str.h"
#include "format/charset.h"
#include "format/json_texts.h"
#include "io/in.h"
#include "io/path.h"
#include "table/conll_int.h"
#include "table/csv_objects.h"
#include "table/parquet_objects.h"
#include "table/table.h"
#include "table/tag_scheme.h"

#define LOOK_ENDS 1 /* it would wait: no error */

struct reader {
	const struct bt_conll_opts *o;
	struct bt_conll_stats *stats;
	struct bt_conll_writer w;
	/* sentences of the document: those that were written and are context
	 * still, those to write, and behind these n the one that is read */
	struct bt_conll_sentence *q;
	size_t n, written, cap;
	int columns;     /* of the first line; 0: not known yet */
	int word, tag;   /* columns, from 0 on; tag -1: none */
	char comma;      /* a comma or, where the first line has none, ; */
	size_t commas;   /* in that line; 0: lines differ, it is no CSV */
	uint64_t number; /* of the line */
	bool json;
	bool tabs;                   /* divide the columns of the file */
	bool looked;                 /* for these, from a line with '#' on */
	bool may_end;                /* that look, if it would wait */
	struct bt_conll_place at;    /* in a sentence of CoNLL-U */
	bool number_sign;            /* begins its first line of columns */
	struct bt_tag_scheme scheme; /* of o->scheme */
	struct bt_conll_texts scheme_tags; /* of the sentence, by the scheme */
};

/* The sentence that is read. */
static struct bt_conll_sentence *now(struct reader *r)
{
	return &r->q[r->n];
}

/* Makes room for a further sentence, which is empty. */
static int reserve(struct reader *r)
{
	size_t cap = r->cap;

	if (bt_grow(&r->q, &r->cap, r->n + 1, sizeof(*r->q)) != BT_OK)
		return BT_ENOMEM;
	if (r->cap > cap)
		memset(r->q + cap, 0, (r->cap - cap) * sizeof(*r->q));
	bt_conll_sentence_forget(now(r));
	return BT_OK;
}

/* A sentence without an id has its number. */
static void put_id(const struct reader *r, struct bt_conll_sentence *s)
{
	if (s->id.len == 0)
		bt_buf_printf(&s->id, "%llu",
		              (unsigned long long)r->stats->sentences);
}

/* Writes the first sentence that was not, with what stands around it. */
static int write_next(struct reader *r, struct bt_error *err)
{
	size_t k = r->written++, around = r->o->context;
	size_t from = k > around ? k - around : 0;
	size_t to = r->n - k - 1 > around ? k + 1 + around : r->n;
	struct bt_conll_sentence *s = &r->q[k];

	put_id(r, s);
	r->stats->records++;
	r->stats->sentences++;
	r->stats->words += s->words.n;
	r->stats->tagged |= s->tags.n > 0;
	return bt_conll_write(&r->w, r->q, from, k, to, err);
}

/* Puts the tags of the sentence that is read into the scheme asked for. */
static int apply_scheme(struct reader *r, struct bt_error *err)
{
	struct bt_conll_sentence *s = now(r);
	struct bt_conll_texts *to = &r->scheme_tags, swap;
	size_t wrong = 0, n = s->tags.n;
	int e;

	if (n == 0) {
		r->number = r->json ? r->number : s->number[0];
		return bt_error_set(err, BT_EFORMAT,
		                    "has no tag, and tags are to follow a "
		                    "scheme");
	}
	bt_conll_texts_forget(to);
	r->w.n = 0;
	e = bt_conll_list(&r->w, &s->tags);
	if (e == BT_OK)
		e = bt_grow(&to->end, &to->cap, n, sizeof(*to->end));
	if (e != BT_OK)
		return bt_error_nomem(err, "reading a sentence");
	e = bt_tag_scheme_write(&r->scheme, r->w.list, n, &to->bytes, to->end,
	                        &wrong, err);
	if (e != BT_OK && r->json)
		bt_error_prefix(err, "word %zu", wrong + 1);
	if (e != BT_OK) {
		r->number = r->json ? r->number : s->number[wrong];
		return e;
	}
	to->n = n;
	swap = s->tags;
	s->tags = *to;
	*to = swap;
	return BT_OK;
}

/* The sentence that is read, if it has a word, is complete: writes what has all
 * its context now. */
static int end_sentence(struct reader *r, struct bt_error *err)
{
	struct bt_conll_sentence first;
	int e = BT_OK;

	if (now(r)->words.n == 0)
		return BT_OK;
	if (r->scheme.from != NULL)
		e = apply_scheme(r, err);
	if (e != BT_OK)
		return e;
	r->n++;
	while (e == BT_OK && !r->o->documents &&
	       r->n - r->written > r->o->context)
		e = write_next(r, err);
	if (e == BT_OK && r->written > r->o->context) {
		first = r->q[0];
		memmove(r->q, r->q + 1, --r->n * sizeof(*r->q));
		r->q[r->n] = first;
		r->written--;
	}
	if (e == BT_OK && reserve(r) != BT_OK)
		e = bt_error_nomem(err, "reading a sentence");
	return e;
}

/* Makes one of the sentences of a document, with an empty line between two. */
static int join_document(struct reader *r, struct bt_error *err)
{
	size_t i;

	put_id(r, &r->q[0]);
	for (i = 1; i < r->n; i++)
		if (bt_conll_sentence_append(&r->q[0], &r->q[i]) != BT_OK)
			return bt_error_nomem(err, "reading a document");
	r->stats->sentences += r->n - 1;
	r->n = 1;
	return BT_OK;
}

/* Writes all sentences: those of the next document are not their context. */
static int end_document(struct reader *r, struct bt_error *err)
{
	int e = end_sentence(r, err);

	if (e == BT_OK && r->o->documents && r->n > 1)
		e = join_document(r, err);
	while (e == BT_OK && r->written < r->n)
		e = write_next(r, err);
	r->n = r->written = 0;
	if (e == BT_OK && reserve(r) != BT_OK)
		e = bt_error_nomem(err, "reading a sentence");
	return e;
}

static int settle_columns(struct reader *r, int n, struct bt_error *err)
{
	int e;

	e = bt_conll_choose(r->o->word, "words", 1, n, &r->word, err);
	r->columns = n;
	r->tag = -1;
	if (e == BT_OK && !r->o->no_tags && (r->o->tag != NULL || n > 1))
		e = bt_conll_choose(r->o->tag, "tags", n, n, &r->tag, err);
	if (e == BT_OK && r->tag == r->word)
		e = bt_error_set(err, BT_EARG,
		                 "words and tags are both in column %d",
		                 r->word + 1);
	return e;
}

/* Adds a word, and its tag and the line it is from, where there are. */
static int put_word(struct reader *r, struct bt_span word,
                    const struct bt_span *tag, const struct bt_span *line,
                    struct bt_error *err)
{
	struct bt_conll_sentence *s = now(r);

	if (word.n == 0 || (tag != NULL && tag->n == 0))
		return bt_error_set(err, BT_EFORMAT, "has an empty %s",
		                    word.n == 0 ? "word" : "tag");
	if (bt_conll_texts_add(&s->words, word) ||
	    (line != NULL && bt_conll_texts_add(&s->lines, *line)) ||
	    (tag != NULL && bt_conll_texts_add(&s->tags, *tag)) ||
	    bt_grow(&s->number, &s->number_cap, s->words.n, sizeof(*s->number)))
		return bt_error_nomem(err, "reading a sentence");
	s->number[s->words.n - 1] = r->number;
	return BT_OK;
}

/* Adds the columns of a word, which are line, unless they are the first of the
 * file and its header. */
static int add_word(struct reader *r, struct bt_span line,
                    const struct bt_span *column, bool first,
                    struct bt_error *err)
{
	const struct bt_span *tag = r->tag >= 0 ? &column[r->tag] : NULL;

	if (first && r->columns > 1 &&
	    bt_conll_is_header(column[r->word],
	                       tag != NULL ? *tag : column[r->columns - 1])) {
		r->stats->headers++;
		return BT_OK;
	}
	return put_word(r, column[r->word], tag, &line, err);
}

static int add_comment(struct reader *r, struct bt_span line,
                       struct bt_error *err)
{
	r->stats->comments++;
	if (now(r)->words.n > 0 || !bt_conll_is_new_document(line))
		return BT_OK;
	r->stats->documents++;
	return end_document(r, err);
}

/* A text is a sentence, unless it has no words. */
static int add_text(struct reader *r, struct bt_span text, struct bt_error *err)
{
	int e = bt_conll_spans_read(now(r), text, NULL, err);

	if (e != BT_OK || now(r)->words.n > 0)
		return e == BT_OK ? end_sentence(r, err) : e;
	bt_conll_sentence_forget(now(r));
	r->stats->empty++;
	return BT_OK;
}

static int add_line(struct reader *r, struct bt_span line, struct bt_error *err)
{
	struct bt_span column[BT_CONLL_COLUMNS];
	bool first = r->columns == 0;
	int n, e = BT_OK;

	if (r->o->lines)
		return add_text(r, line, err);
	if (bt_span_trim(line, " ").n == 0) {
		r->at = (struct bt_conll_place){0, 0};
		return end_sentence(r, err);
	}
	if (bt_conll_is_comment(line, r->o->comment, r->tabs))
		return add_comment(r, line, err);
	n = bt_conll_cut(line, r->tabs, column);
	if (r->o->word == NULL && bt_conll_is_document(line)) {
		e = end_document(r, err);
		bt_buf_put(&now(r)->doc, line.p, line.n);
		r->stats->documents++;
		return e;
	}
	if (r->tabs && n == 10 && r->o->word != NULL &&
	    strcmp(r->o->word, "1") != 0 &&
	    bt_conll_is_no_word(&r->at, column[0])) {
		r->stats->no_words++;
		return BT_OK;
	}
	if (n > BT_CONLL_COLUMNS)
		return bt_error_set(err, BT_ELIMIT, "has more than %d columns",
		                    BT_CONLL_COLUMNS);
	if (r->columns == 0) {
		e = settle_columns(r, n, err);
		r->comma = bt_conll_count(line, ',') > 0 ? ',' : ';';
		r->commas = bt_conll_count(line, r->comma);
		r->number_sign = *line.p == '#';
	} else if (r->commas > 0 &&
	           bt_conll_count(line, r->comma) != r->commas) {
		r->commas = 0;
	}
	if (e == BT_OK && n != r->columns && r->commas > 0)
		e = bt_conll_refuse_csv(r->comma, r->commas, err);
	else if (e == BT_OK && n != r->columns)
		e = bt_error_set(err, BT_EFORMAT,
		                 "has %d column%s, the lines before have %d%s",
		                 n, bt_plural((size_t)n), r->columns,
		                 r->tabs && !bt_conll_has_tab(line)
		                     ? ": blanks do not divide columns in a "
		                       "file with tabs"
		                     : "");
	else if (e == BT_OK && r->o->comment == NULL &&
	         bt_conll_is_conllu(column, n))
		e = bt_error_set(err, BT_EFORMAT,
		                 "looks like a comment of CoNLL-U, in a file "
		                 "whose columns are divided by blanks");
	if (e == BT_EFORMAT && r->o->comment == NULL &&
	    (*line.p == '#' || r->number_sign))
		return bt_error_hint(err, BT_HINT_COMMENT, e);
	return e == BT_OK ? add_word(r, line, column, first, err) : e;
}

static int add_row(void *arg, const json_t *o, struct bt_error *err)
{
	struct reader *r = arg;
	int e;

	if (r->o->documents)
		return bt_error_set(err, BT_EFORMAT,
		                    "does not say where a document begins, as "
		                    "columns can");
	e = bt_conll_sentence_read(now(r), o, r->o, err);
	return e == BT_OK ? end_sentence(r, err) : e;
}

static int read_objects(struct reader *r, struct bt_in *in,
                        struct bt_error *err)
{
	struct bt_json_texts t;
	json_t *o;
	int e;

	r->json = true;
	bt_json_texts_init(&t, in, BT_CONLL_LINE_MAX);
	while ((e = bt_json_texts_object(&t, &o, err)) == 1) {
		r->number = t.line;
		e = add_row(r, o, err);
		json_decref(o);
		if (e != BT_OK)
			break;
	}
	if (e < 0)
		r->number = t.line;
	bt_json_texts_clear(&t);
	return e == BT_OK ? end_document(r, err) : e;
}

static int read_parquet(struct reader *r, struct bt_in *in,
                        struct bt_error *err)
{
	const char *names[5], *id = r->o->id != NULL ? r->o->id : "id";
	size_t n = 0;
	int e;

	names[n++] = id;
	names[n++] = bt_conll_word_key(r->o);
	if (r->o->spans != NULL || r->o->tag != NULL)
		names[n++] = r->o->spans != NULL ? r->o->spans : r->o->tag;
	else if (!r->o->no_tags && r->o->text == NULL) {
		names[n++] = "tags";
		names[n++] = "ner_tags";
	}
	r->json = true;
	e = bt_parquet_objects(in, names, n, add_row, r, err);
	return e == BT_OK ? end_document(r, err) : e;
}

/* Of CSV, a text in each row. */
static int read_csv(struct reader *r, struct bt_in *in, struct bt_error *err)
{
	const struct bt_table_opts *t = r->o->table;
	const struct bt_csv_opts standard = BT_CSV_OPTS_INIT;
	const struct bt_csv_object_column columns[] = {
	    {bt_conll_word_key(r->o), true, false},
	    {r->o->id != NULL ? r->o->id : "id", r->o->id != NULL, false},
	    {r->o->spans, !r->o->no_tags, true}};
	int e;

	r->json = true;
	e = bt_csv_objects(in, t != NULL ? &t->csv : &standard,
	                   t != NULL ? t->charset : BT_CHARSET_UTF8, columns,
	                   r->o->spans != NULL ? 3 : 2, add_row, r, err);
	return e == BT_OK ? end_document(r, err) : e;
}

/* Before a wait for input. A look ahead that holds a whole sentence back ends,
 * as what it knows is all that there is. */
static int wait_for_more(void *arg, struct bt_error *err)
{
	struct reader *r = arg;

	return r->may_end ? LOOK_ENDS : bt_out_hand_on(r->w.out, err);
}

/* The next line, as bt_in_line. */
static int next_line(struct reader *r, struct bt_in *in, struct bt_span *line,
                     size_t *skip, struct bt_error *err)
{
	int e = bt_in_line(in, BT_CONLL_LINE_MAX, line, skip, err);

	if (e != 1 || r->columns > 0 || r->tabs ||
	    bt_span_trim(*line, " ").n == 0)
		return e;
	if (*line->p != '#') {
		r->tabs = bt_conll_has_tab(*line);
		r->looked = false; /* and may be a line of no columns */
		return e;
	}
	if (r->looked)
		return e;
	e = bt_conll_look_tabs(in, &r->tabs, &r->may_end, err);
	r->may_end = false;
	r->looked = true;
	return e == BT_OK || e == LOOK_ENDS
	           ? bt_in_line(in, BT_CONLL_LINE_MAX, line, skip, err)
	           : e;
}

static int read_lines(struct reader *r, struct bt_in *in, struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	size_t skip = 0;
	int e;

	while ((e = next_line(r, in, &line, &skip, err)) == 1) {
		r->number++;
		if (bt_charset_check(BT_CHARSET_UTF8, line.p, line.n) != line.n)
			e = bt_error_hint(err, BT_HINT_TEXT_ENCODING,
			                  bt_error_set(err, BT_EFORMAT,
			                               "is not valid UTF-8"));
		else if (line.n > 0 && memchr(line.p, '\r', line.n) != NULL)
			e = bt_error_set(err, BT_EFORMAT,
			                 "has a CR in it: lines end in LF or "
			                 "in CR and LF");
		else
			e = add_line(r, line, err);
		if (e != BT_OK)
			return e;
		bt_in_skip(in, skip);
	}
	/* words alone, unless these are the columns of a table */
	if (e == BT_OK && r->columns == 1 && r->commas > 0 && !r->o->no_tags)
		return bt_conll_refuse_csv(r->comma, r->commas, err);
	return e == BT_OK ? end_document(r, err) : e;
}

static int read_file(struct reader *r, char *path, struct bt_error *err)
{
	uint64_t documents;
	bool json = false;
	struct bt_in *in;
	int e = bt_in_open(path, &in, err);

	if (e != BT_OK)
		return e;
	r->number = 0;
	r->columns = r->o->lines ? 1 : 0;
	r->commas = 0;
	r->json = false;
	r->tabs = false;
	r->looked = false;
	r->at = (struct bt_conll_place){0, 0};
	r->number_sign = false;
	documents = r->stats->documents;
	bt_in_idle(in, wait_for_more, r);
	e = bt_conll_look_first(in, err);
	if (e == 1)
		return read_parquet(r, in, err);
	if (e == BT_OK)
		e = bt_conll_begin_text(r->o->table, in, &json, err);
	if (e == BT_OK && !json && bt_conll_has_texts(r->o))
		return read_csv(r, in, err);
	if (e == BT_OK)
		e = json && !r->o->lines ? read_objects(r, in, err)
		                         : read_lines(r, in, err);
	if (e == BT_OK && r->o->documents && r->stats->documents == documents)
		e = bt_error_set(err, BT_EFORMAT,
		                 "no line until here begins a document, as "
		                 "-DOCSTART- or '# newdoc' would");
	if (e != BT_OK && e != BT_EIO && e != BT_ENOMEM && r->number > 0)
		bt_error_prefix(err, "%s: line %llu", bt_in_name(in),
		                (unsigned long long)r->number);
	bt_in_close(in);
	return e;
}

/* A row of a table is a word; where its sentence has another name, which is not
 * empty, one begins. */
static int add_table_row(struct reader *r, const struct bt_text_rec *rec,
                         struct bt_error *err)
{
	const struct bt_span *tag = r->o->table->label ? &rec->label : NULL;
	const struct bt_buf *id = &now(r)->id;
	int e = BT_OK;

	if (rec->id.n > 0 &&
	    !bt_span_equal(rec->id, (struct bt_span){id->data, id->len})) {
		e = end_sentence(r, err);
		bt_buf_reset(&now(r)->id);
		bt_buf_put(&now(r)->id, rec->id.p, rec->id.n);
	}
	return e == BT_OK ? put_word(r, rec->text_a, tag, NULL, err) : e;
}

static int add_table(struct reader *r, const char *name, struct bt_table *t,
                     struct bt_error *err)
{
	struct bt_text_rec rec;
	int e, more;

	do {
		more = bt_table_next(t, &rec, err);
		if (more < 0)
			return more;
		if (more == 1)
			r->number = bt_table_record(t);
		e = more == 1 ? add_table_row(r, &rec, err)
		              : end_document(r, err);
	} while (more == 1 && e == BT_OK);
	if (e == BT_EFORMAT)
		bt_error_prefix(err, "%s: record %llu", name,
		                (unsigned long long)r->number);
	return e;
}

static int read_table(struct reader *r, char *path, struct bt_error *err)
{
	struct bt_table_opts opts = *r->o->table;
	struct bt_table *table;
	char *name;
	int e;

	opts.idle = wait_for_more;
	opts.idle_ctx = r;
	e = bt_table_open(&path, path != NULL, &opts, &table, err);
	if (e != BT_OK)
		return e;
	name = path == NULL || strcmp(path, "-") == 0
	           ? bt_strndup("standard input", 14)
	           : bt_path_quoted(path);
	e = add_table(r, name, table, err);
	free(name);
	bt_table_close(table);
	return e;
}

static void clear_all(struct reader *r)
{
	size_t i;

	for (i = 0; i < r->cap; i++)
		bt_conll_sentence_clear(&r->q[i]);
	free(r->q);
	bt_conll_texts_clear(&r->scheme_tags);
	bt_tag_scheme_clear(&r->scheme);
	bt_conll_writer_clear(&r->w);
}

int bt_conll_convert(char *const *paths, int n,
                     const struct bt_conll_opts *opts, struct bt_out *out,
                     struct bt_conll_stats *stats, struct bt_error *err)
{
	struct reader r = {.o = opts, .stats = stats, .w = {.out = out}};
	int (*read)(struct reader * r, char *path, struct bt_error *err) =
	    opts->word_rows ? read_table : read_file;
	int i, e = reserve(&r);

	if (e == BT_OK && opts->scheme != NULL)
		e = bt_tag_scheme_init(&r.scheme, opts->scheme,
		                       opts->repair_tags, err);
	if (e == BT_OK && n == 0)
		e = read(&r, NULL, err);
	for (i = 0; i < n && e == BT_OK; i++)
		e = read(&r, paths[i], err);
	if (e == BT_OK && stats->sentences == 0)
		e = bt_error_set(err, BT_EFORMAT,
		                 n > 0 ? "'%s' holds no sentence"
		                       : "%s holds no sentence",
		                 n > 0 ? paths[n - 1] : "standard input");
	stats->repaired = r.scheme.repaired;
	clear_all(&r);
	return e;
}
