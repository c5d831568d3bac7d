/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memmem */
#include "table/squad_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/span.h"
#include "base/str.h"
#include "base/utf8.h"
#include "dedup/duplicate_ids.h"
#include "format/json.h"
#include "format/json_texts.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "parquet/parquet.h"
#include "table/csv_objects.h"
#include "table/parquet_objects.h"
#include "table/table_int.h"

#define DOCUMENT_MAX ((size_t)1 << 30)

struct reader {
	const struct bt_squad_opts *o;
	struct bt_squad_stats *stats;
	bt_squad_take take;
	void *arg;
	struct bt_duplicate_ids ids;
	/* the question that is read */
	struct bt_buf id;
	struct bt_span context;
	struct bt_span *answer; /* [n] */
	int64_t *start;         /* [n] code points */
	size_t n, answer_cap, start_cap;
	bool impossible;
};

/* A required member that is a text. */
static int get_text(const json_t *o, const char *key, struct bt_span *text,
                    struct bt_error *err)
{
	const json_t *v = json_object_get(o, key);

	*text = bt_json_text(v);
	if (text->p != NULL)
		return BT_OK;
	return bt_error_set(
	    err, BT_EFORMAT,
	    v == NULL ? "has no member '%s'" : "'%s' is not a text", key);
}

/* The id into r->id, which is empty if there is none. */
static int get_id(struct reader *r, const json_t *o, struct bt_error *err)
{
	const json_t *id = json_object_get(o, "id");
	struct bt_span text = bt_json_text(id);

	bt_buf_reset(&r->id);
	if (text.p != NULL)
		bt_buf_put(&r->id, text.p, text.n);
	else if (json_is_integer(id))
		bt_buf_decimal(&r->id, json_integer_value(id));
	else if (id != NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "'id' is neither a text nor a whole "
		                    "number");
	return r->id.oom ? bt_error_nomem(err, "reading a question") : BT_OK;
}

static int keep_answer(struct reader *r, struct bt_span answer, int64_t start,
                       struct bt_error *err)
{
	if (bt_grow(&r->answer, &r->answer_cap, r->n + 1, sizeof(*r->answer)) ||
	    bt_grow(&r->start, &r->start_cap, r->n + 1, sizeof(*r->start)))
		return bt_error_nomem(err, "reading a question");
	r->answer[r->n] = answer;
	r->start[r->n++] = start;
	return BT_OK;
}

/* A number from 0 on; JSON of other programs has it as 4.0, too, and that made
 * of a table as "4". */
static bool get_start(const json_t *o, int64_t *start)
{
	double x = json_number_value(o);

	if (json_is_string(o) &&
	    bt_parse_f64(json_string_value(o), 0, 0x1p53, &x) != BT_OK)
		return false;
	if (!(json_is_number(o) || json_is_string(o)) ||
	    !(x >= 0 && x < 0x1p53) || x != floor(x))
		return false;
	*start = (int64_t)x;
	return true;
}

/* Answer number k, at start; if that is NULL, where it stands first, as a word
 * of its own if it does. An empty one says that the context has none, as
 * SQuAD's evaluate-v2.0.py takes it. */
static int add_answer(struct reader *r, size_t k, const json_t *text,
                      const json_t *start, struct bt_error *err)
{
	struct bt_span answer = bt_json_text(text);
	struct bt_squad_place at = {0};

	if (answer.p != NULL && answer.n == 0 && !r->o->unchecked)
		return BT_OK;
	if (answer.p == NULL || answer.n == 0)
		return bt_error_set(err, BT_EFORMAT, "answer %zu: 'text' is %s",
		                    k,
		                    answer.p != NULL ? "empty" : "not a text");
	if (json_is_null(start))
		start = NULL;
	if ((start != NULL || r->o->unchecked) && !get_start(start, &at.start))
		return bt_error_set(err, BT_EFORMAT,
		                    "answer %zu: 'answer_start' is not a whole "
		                    "number from 0 on",
		                    k);
	if (r->o->unchecked)
		return keep_answer(r, answer, at.start, err);
	bt_squad_find(r->context, answer, &at);
	if (start != NULL) {
		if (!at.right && (!r->o->realign || at.nearest < 0))
			return bt_squad_misplaced(&at, k, answer, err);
		r->stats->realigned += !at.right;
		return keep_answer(r, answer, at.nearest, err);
	}
	if (at.nearest < 0)
		return bt_error_hint(
		    err, BT_HINT_NO_ANSWERS,
		    bt_error_set(err, BT_EFORMAT,
		                 "answer %zu, '%.*s': the context does not "
		                 "contain it",
		                 k, (int)bt_squad_head(answer).n,
		                 bt_squad_head(answer).p));
	r->stats->repeated += at.places > 1;
	return keep_answer(r, answer, at.first >= 0 ? at.first : at.nearest,
	                   err);
}

/* One of a list; o itself if it is none. */
static const json_t *element(const json_t *o, size_t i)
{
	return json_is_array(o) ? json_array_get(o, i) : o;
}

static size_t length(const json_t *o)
{
	return json_is_array(o) ? json_array_size(o)
	                        : o != NULL && !json_is_null(o);
}

/* Texts, in a list or one alone, and their places likewise, which may be NULL.
 */
static int add_texts(struct reader *r, const json_t *texts,
                     const json_t *starts, struct bt_error *err)
{
	bool placed = starts != NULL && !json_is_null(starts);
	size_t n = length(texts), places = length(starts), i;
	int e = BT_OK;

	if (placed && places != n)
		return bt_error_set(err, BT_EFORMAT,
		                    "has %zu answer%s, but %zu in "
		                    "'answer_start'",
		                    n, bt_plural(n), places);
	for (i = 0; e == BT_OK && i < n; i++)
		e = add_answer(r, i + 1, element(texts, i),
		               placed ? element(starts, i) : NULL, err);
	return e;
}

/* The member of that name: a list of objects, an object of two lists, or of a
 * text and its place; or texts, whose places may stand beside it. */
static int add_answers(struct reader *r, const char *name,
                       const json_t *answers, const json_t *beside,
                       struct bt_error *err)
{
	const json_t *a = element(answers, 0);
	int e = BT_OK;
	size_t i;

	if (json_is_string(a))
		return add_texts(r, answers, beside, err);
	if (json_object_get(answers, "text") != NULL)
		return add_texts(r, json_object_get(answers, "text"),
		                 json_object_get(answers, "answer_start"), err);
	if (!json_is_array(answers))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' is neither a text nor an object with "
		                    "'text' and 'answer_start', nor a list",
		                    name);
	for (i = 0; e == BT_OK && i < json_array_size(answers); i++) {
		a = json_array_get(answers, i);
		e = add_answer(r, i + 1, json_object_get(a, "text"),
		               json_object_get(a, "answer_start"), err);
	}
	return e;
}

/* The answers, which may be known to be none; *known is false if the object
 * does not say. */
static int get_answers(struct reader *r, const json_t *o, bool *known,
                       struct bt_error *err)
{
	const json_t *answers = json_object_get(o, "answers");
	const json_t *beside = json_object_get(o, "answer_start");
	const char *name = "answers";
	bool said = json_object_get(o, "is_impossible") != NULL, none = false;
	int e = BT_OK;

	r->n = 0;
	r->impossible = false;
	*known = false;
	if (r->o->no_answers)
		return BT_OK;
	e = bt_json_bool(o, "is_impossible", &none, err);
	r->impossible = none;
	if (length(answers) == 0 && !json_is_array(answers) && !r->o->unchecked)
		answers = json_object_get(o, name = "answer");
	if (answers == NULL)
		answers = json_object_get(o, name = "answer_text");
	if (json_is_null(answers))
		answers = NULL;
	*known = none || answers != NULL;
	/* "" says that the context has none */
	if (e == BT_OK && answers != NULL &&
	    !(json_is_string(answers) && json_string_length(answers) == 0))
		e = add_answers(r, name, answers, beside, err);
	if (r->o->unchecked)
		return e;
	if (e == BT_OK && none && r->n > 0)
		e = bt_error_set(err, BT_EFORMAT,
		                 "'is_impossible' is true, but it has %zu "
		                 "answer%s",
		                 r->n, r->n == 1 ? "" : "s");
	if (e == BT_OK && said && !none && *known && r->n == 0)
		e = bt_error_hint(err, BT_HINT_NO_ANSWERS,
		                  bt_error_set(err, BT_EFORMAT,
		                               "'is_impossible' is false, but "
		                               "it has no answers"));
	return e;
}

static int hand_over(struct reader *r, const struct bt_squad_question *q,
                     struct bt_error *err)
{
	r->stats->questions++;
	r->stats->unknown += !q->known;
	r->stats->impossible += q->known && q->n == 0;
	return r->take(r->arg, q, err);
}

/* A question of r->context, which has an id. */
static int add_question(struct reader *r, const json_t *o, struct bt_span title,
                        struct bt_error *err)
{
	struct bt_squad_question q = {.id = {bt_buf_at(&r->id, 0), r->id.len},
	                              .context = r->context,
	                              .title = title};
	int e = get_text(o, "question", &q.question, err);

	if (e == BT_OK)
		e = get_answers(r, o, &q.known, err);
	if (e == BT_OK) {
		bt_duplicate_ids_add(&r->ids, q.id);
		q.impossible = r->impossible;
		q.answer = r->answer;
		q.start = r->start;
		q.n = r->n;
		e = hand_over(r, &q, err);
	}
	if (e == BT_EFORMAT)
		bt_error_prefix(err, "question '%.*s'",
		                (int)bt_squad_head(q.id).n, q.id.p);
	return e;
}

/* An object with a question and its context; without an id it is numbered. */
static int add_flat(void *arg, const json_t *o, struct bt_error *err)
{
	struct reader *r = arg;
	int e = get_id(r, o, err);

	if (e == BT_OK && r->id.len == 0)
		bt_buf_decimal(&r->id, (int64_t)r->stats->questions);
	if (e == BT_OK)
		e = get_text(o, "context", &r->context, err);
	if (e != BT_OK)
		return e;
	return add_question(r, o, bt_json_text(json_object_get(o, "title")),
	                    err);
}

static int need_list(const json_t *o, const char *key, const json_t **list,
                     struct bt_error *err)
{
	*list = json_object_get(o, key);
	if (json_is_array(*list))
		return BT_OK;
	return bt_error_set(
	    err, BT_EFORMAT,
	    *list == NULL ? "has no member '%s'" : "'%s' is not a list", key);
}

static int add_paragraph(struct reader *r, const json_t *o,
                         struct bt_span title, struct bt_error *err)
{
	const json_t *qas, *qa;
	int e = get_text(o, "context", &r->context, err);
	size_t i;

	if (e == BT_OK)
		e = need_list(o, "qas", &qas, err);
	for (i = 0; e == BT_OK && i < json_array_size(qas); i++) {
		qa = json_array_get(qas, i);
		e = get_id(r, qa, err);
		if (e == BT_OK && r->id.len == 0)
			e = bt_error_set(err, BT_EFORMAT, "has no id");
		if (e != BT_OK)
			return bt_error_prefix(err, "question %zu", i + 1);
		e = add_question(r, qa, title, err);
	}
	return e;
}

static int add_article(struct reader *r, const json_t *o, struct bt_error *err)
{
	struct bt_span title = bt_json_text(json_object_get(o, "title"));
	const json_t *paragraphs;
	size_t i;
	int e;

	if (json_object_get(o, "question") != NULL)
		return add_flat(r, o, err);
	e = need_list(o, "paragraphs", &paragraphs, err);
	for (i = 0; e == BT_OK && i < json_array_size(paragraphs); i++) {
		e = add_paragraph(r, json_array_get(paragraphs, i), title, err);
		if (e == BT_EFORMAT)
			bt_error_prefix(err, "paragraph %zu", i + 1);
	}
	return e;
}

static int add_document(struct reader *r, const json_t *o, struct bt_error *err)
{
	const json_t *data;
	int e = need_list(o, "data", &data, err);
	size_t i;

	for (i = 0; e == BT_OK && i < json_array_size(data); i++) {
		e = add_article(r, json_array_get(data, i), err);
		if (e == BT_EFORMAT)
			bt_error_prefix(err, "data %zu", i + 1);
	}
	return e;
}

/* Documents and questions by themselves, as they come. */
static int read_objects(struct reader *r, struct bt_in *in,
                        struct bt_error *err)
{
	struct bt_json_texts t;
	json_t *o;
	int e;

	bt_json_texts_init(&t, in, DOCUMENT_MAX);
	while ((e = bt_json_texts_object(&t, &o, err)) == 1) {
		if (json_object_get(o, "data") != NULL) {
			e = add_document(r, o, err);
		} else {
			e = json_object_get(o, "paragraphs") != NULL
			        ? add_article(r, o, err)
			        : add_flat(r, o, err);
			if (e != BT_OK)
				bt_error_prefix(err, "line %llu",
				                (unsigned long long)t.line);
		}
		json_decref(o);
		if (e != BT_OK)
			break;
	}
	bt_json_texts_clear(&t);
	return e;
}

/* A row of CSV, whose fields are texts: an empty one says nothing, but that of
 * an answer, which says that the context has none. */
static int add_cells(void *arg, const json_t *row, struct bt_error *err)
{
	static const char *const empty[] = {"id", "title", "answer_start",
	                                    "is_impossible"};
	json_t *o = json_copy((json_t *)row);
	const json_t *v = json_object_get(row, "is_impossible");
	int e = BT_OK, truth = bt_table_truth(bt_json_text(v));
	size_t i;

	if (truth >= 0)
		e = json_object_set_new(o, "is_impossible",
		                        json_boolean(truth));
	for (i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
		v = json_object_get(o, empty[i]);
		if (json_is_string(v) && json_string_length(v) == 0)
			json_object_del(o, empty[i]);
	}
	e = e == BT_OK ? add_flat(arg, o, err)
	               : bt_error_nomem(err, "reading a question");
	json_decref(o);
	return e;
}

/* CSV, whose delimiter stands behind the first name in its header. */
static int read_csv(struct reader *r, struct bt_in *in, struct bt_span header,
                    struct bt_error *err)
{
	static const struct bt_csv_object_column columns[] = {
	    {"context", true, false},       {"question", true, false},
	    {"id", false, false},           {"title", false, false},
	    {"answers", false, true},       {"answer", false, true},
	    {"answer_text", false, true},   {"answer_start", false, true},
	    {"is_impossible", false, false}};
	struct bt_csv_opts csv = BT_CSV_OPTS_INIT;
	size_t i = 0;
	int e;

	while (i < header.n && memchr(",;\t|", header.p[i], 4) == NULL)
		i++;
	if (i < header.n)
		csv.delimiter = header.p[i];
	e = bt_csv_objects(in, &csv, BT_CHARSET_UTF8, columns,
	                   sizeof(columns) / sizeof(*columns), add_cells, r,
	                   err);
	/* options for tables are not these questions' */
	if (err != NULL && err->hint == BT_HINT_TABLE_ENCODING)
		err->hint = BT_HINT_TEXT_ENCODING;
	else if (err != NULL && err->hint == BT_HINT_TABLE_NO_QUOTE)
		err->hint = BT_HINT_NONE;
	return e;
}

/* Looks what a text is: JSON, or *header is that of a table, which says what
 * it has; or refuses what is plainly neither. */
static int look_first(struct bt_in *in, struct bt_span *header,
                      struct bt_error *err)
{
	struct bt_span line;
	const uint8_t *p;
	size_t got, skip;
	int e = bt_in_some(in, 12, &p, &got, err);

	if (e != BT_OK)
		return e;
	if (bt_tfrecord_begins(p, got))
		return bt_error_hint(
		    err, BT_HINT_READ_RECORDS,
		    bt_error_set(err, BT_EFORMAT,
		                 "it is a TFRecord stream, not JSON"));
	line = bt_span_trim((struct bt_span){(const char *)p, got}, " \t\r\n");
	if (line.n == 0 || *line.p == '{' || *line.p == '[')
		return BT_OK;
	e = bt_in_line(in, DOCUMENT_MAX, &line, &skip, err);
	if (e < 0)
		return e;
	*header = line;
	if (memmem(line.p, line.n, "question", 8) != NULL ||
	    memmem(line.p, line.n, "context", 7) != NULL)
		return BT_OK;
	line = bt_squad_head(bt_span_trim(line, "\r"));
	return bt_error_hint(err, BT_HINT_READ_TEXT,
	                     bt_error_set(err, BT_EFORMAT,
	                                  "it is neither JSON nor a table of "
	                                  "questions: it begins with '%.*s'",
	                                  (int)line.n, line.p));
}

static int read_file(struct reader *r, const char *path, struct bt_error *err)
{
	static const char *const columns[] = {
	    "id",     "title",       "context",      "question",     "answers",
	    "answer", "answer_text", "answer_start", "is_impossible"};
	enum bt_utf16 order = BT_UTF16_NONE; /* unless a mark says it */
	struct bt_span header = {NULL, 0};
	struct bt_in *in;
	int e = bt_in_open(path, &in, err);

	if (e != BT_OK)
		return e;
	bt_in_idle(in, r->o->idle, r->o->idle_ctx);
	e = bt_parquet_begins(in, err);
	if (e == 1)
		return bt_parquet_objects(in, columns,
		                          sizeof(columns) / sizeof(*columns),
		                          add_flat, r, err);
	if (e == BT_OK)
		e = bt_in_utf16(in, &order, err);
	if (e == BT_OK)
		e = bt_in_skip_mark(in, err);
	if (e == BT_OK)
		e = look_first(in, &header, err);
	if (e == BT_OK && header.p != NULL)
		return read_csv(r, in, header, err);
	if (e == BT_OK)
		e = read_objects(r, in, err);
	if (e == BT_EFORMAT || e == BT_ELIMIT)
		bt_error_prefix(err, "%s", bt_in_name(in));
	bt_in_close(in);
	return e;
}

int bt_squad_read(char *const *paths, int n, const struct bt_squad_opts *opts,
                  bt_squad_take take, void *arg, const struct bt_log *log,
                  struct bt_squad_stats *stats, struct bt_error *err)
{
	struct reader r = {.o = opts, .stats = stats, .take = take, .arg = arg};
	int i, e = BT_OK;

	if (n == 0)
		e = read_file(&r, NULL, err);
	for (i = 0; i < n && e == BT_OK; i++)
		e = read_file(&r, paths[i], err);
	if (e == BT_OK && stats->questions == 0)
		e = bt_error_set(err, BT_EFORMAT,
		                 n > 0 ? "'%s' holds no question"
		                       : "%s holds no question",
		                 n > 0 ? paths[n - 1] : "standard input");
	if (e == BT_OK)
		bt_duplicate_ids_tell(&r.ids, log);
	stats->same_id = r.ids.again;
	bt_duplicate_ids_clear(&r.ids);
	bt_buf_clear(&r.id);
	free(r.answer);
	free(r.start);
	return e;
}
