/* SPDX-License-Identifier: MIT */
#include "table/squad.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/utf8.h"
#include "dedup/duplicate_ids.h"
#include "format/json.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "parquet/parquet.h"
#include "table/parquet_objects.h"

#define DOCUMENT_MAX ((size_t)1 << 30)
#define SHOWN 40 /* bytes of a text in a message */

struct reader {
	const struct bt_squad_opts *o;
	struct bt_squad_stats *stats;
	bt_squad_take take;
	void *arg;
	struct bt_duplicate_ids ids;
	uint64_t blank; /* lines at the beginning of the file, read already */
	/* the question that is read */
	struct bt_buf id;
	struct bt_span context;
	struct bt_span *answer; /* [n] */
	int64_t *start;         /* [n] code points */
	size_t n, answer_cap, start_cap;
	bool impossible;
};

/* The beginning of a text, whole characters. */
static struct bt_span head(struct bt_span s)
{
	size_t n = s.n;

	if (n > SHOWN)
		for (n = SHOWN; n > 0 && (s.p[n] & 0xc0) == 0x80; n--)
			;
	return (struct bt_span){s.p, n};
}

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

/* Where in the context an answer stands. */
struct place {
	int64_t start;   /* that is asked for */
	bool right;      /* it stands there */
	int64_t nearest; /* where it stands nearest to that; -1: nowhere */
	size_t places;   /* where it stands */
	struct bt_span instead; /* what stands there, or p NULL: beyond it */
	int64_t characters;     /* of the context */
};

static void find(struct bt_span context, struct bt_span answer,
                 struct place *at)
{
	const uint8_t *p = (const uint8_t *)context.p, *end = p + context.n;
	int64_t i;

	at->nearest = -1;
	for (i = 0; p < end; p += bt_utf8_len(*p), i++) {
		if (i == at->start)
			at->instead = (struct bt_span){(const char *)p,
			                               (size_t)(end - p)};
		if ((size_t)(end - p) < answer.n ||
		    memcmp(p, answer.p, answer.n) != 0)
			continue;
		at->places++;
		if (at->nearest < 0 ||
		    llabs(i - at->start) < llabs(at->nearest - at->start))
			at->nearest = i;
	}
	at->right = at->nearest >= 0 && at->nearest == at->start;
	at->characters = i;
}

static int misplaced(const struct place *at, size_t k, struct bt_span answer,
                     struct bt_error *err)
{
	struct bt_span a = head(answer), s = at->instead;
	struct bt_buf b = BT_BUF_INIT;

	bt_buf_printf(&b, "answer %zu, '%.*s', is not at answer_start %lld, ",
	              k, (int)a.n, a.p, (long long)at->start);
	if (s.p != NULL) {
		if (s.n > answer.n)
			for (s.n = answer.n; (s.p[s.n] & 0xc0) == 0x80; s.n++)
				;
		s = head(s);
		bt_buf_printf(&b, "where '%.*s' stands", (int)s.n, s.p);
	} else {
		bt_buf_printf(&b, "which is beyond the %lld characters",
		              (long long)at->characters);
	}
	if (at->nearest < 0)
		bt_buf_puts(&b, "; the context does not contain it");
	else
		bt_buf_printf(
		    &b, "; it is at %lld%s", (long long)at->nearest,
		    llabs(at->nearest - at->start) == 1 ? ": off by one" : "");
	bt_error_set(err, BT_EFORMAT, "%s", bt_buf_str(&b));
	bt_buf_clear(&b);
	return bt_error_hint(
	    err, at->nearest < 0 ? BT_HINT_NONE : BT_HINT_REALIGN, BT_EFORMAT);
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

/* An answer at start; if that is NULL, where it stands first. */
static int add_answer(struct reader *r, const json_t *text, const json_t *start,
                      struct bt_error *err)
{
	struct bt_span answer = bt_json_text(text);
	struct place at = {.start = json_integer_value(start),
	                   .nearest = json_integer_value(start)};
	size_t k = r->n + 1;

	if (answer.p == NULL || answer.n == 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "answer %zu: 'text' is not a text, or is "
		                    "empty",
		                    k);
	if (start == NULL) {
		find(r->context, answer, &at);
		if (at.nearest < 0)
			return bt_error_hint(
			    err, BT_HINT_NO_ANSWERS,
			    bt_error_set(err, BT_EFORMAT,
			                 "answer %zu, '%.*s': the context does "
			                 "not contain it",
			                 k, (int)head(answer).n, answer.p));
		r->stats->repeated += at.places > 1;
		return keep_answer(r, answer, at.nearest, err);
	}
	if (!json_is_integer(start) || at.start < 0)
		return bt_error_set(err, BT_EFORMAT,
		                    "answer %zu: 'answer_start' is not a whole "
		                    "number from 0 on",
		                    k);
	if (!r->o->unchecked) {
		find(r->context, answer, &at);
		if (!at.right && (!r->o->realign || at.nearest < 0))
			return misplaced(&at, k, answer, err);
		r->stats->realigned += !at.right;
	}
	return keep_answer(r, answer, at.nearest, err);
}

/* An element of a list of answers: an object, or the text alone. */
static int add_element(struct reader *r, const json_t *a, struct bt_error *err)
{
	const json_t *start = json_object_get(a, "answer_start");

	if (json_is_string(a) && !r->o->unchecked)
		return add_answer(r, a, NULL, err);
	return add_answer(r, json_object_get(a, "text"),
	                  start != NULL ? start : json_null(), err);
}

/* Answers as a list of objects, or as an object of two lists, or of one. */
static int add_answers(struct reader *r, const json_t *answers,
                       struct bt_error *err)
{
	const json_t *texts = json_object_get(answers, "text");
	const json_t *starts = json_object_get(answers, "answer_start");
	int e = BT_OK;
	size_t i;

	if (json_is_array(answers)) {
		for (i = 0; e == BT_OK && i < json_array_size(answers); i++)
			e = add_element(r, json_array_get(answers, i), err);
		return e;
	}
	if (json_is_string(texts) && !r->o->unchecked)
		return add_element(r, answers, err);
	if (!json_is_array(texts) || !json_is_array(starts))
		return bt_error_set(err, BT_EFORMAT,
		                    "'answers' is neither a list nor an object "
		                    "with lists 'text' and 'answer_start'");
	if (json_array_size(texts) != json_array_size(starts))
		return bt_error_set(err, BT_EFORMAT,
		                    "'answers' has %zu in 'text', but %zu in "
		                    "'answer_start'",
		                    json_array_size(texts),
		                    json_array_size(starts));
	for (i = 0; e == BT_OK && i < json_array_size(texts); i++)
		e = add_answer(r, json_array_get(texts, i),
		               json_array_get(starts, i), err);
	return e;
}

/* A text, whose place may stand beside it, and which is empty if the context
 * has none; or as the answers of a list are. */
static int add_single(struct reader *r, const json_t *o, const json_t *answer,
                      struct bt_error *err)
{
	const json_t *start = json_object_get(o, "answer_start");

	if (json_is_string(answer) && json_string_length(answer) == 0)
		return BT_OK;
	if (json_is_string(answer))
		return add_answer(r, answer, json_is_null(start) ? NULL : start,
		                  err);
	return add_answers(r, answer, err);
}

/* The answers, which may be known to be none; *known is false if the object
 * does not say. */
static int get_answers(struct reader *r, const json_t *o, bool *known,
                       struct bt_error *err)
{
	const json_t *answers = json_object_get(o, "answers");
	const json_t *single =
	    r->o->unchecked ? NULL : json_object_get(o, "answer");
	bool said = json_object_get(o, "is_impossible") != NULL, none = false;
	int e = BT_OK;

	r->n = 0;
	r->impossible = false;
	*known = false;
	if (r->o->no_answers)
		return BT_OK;
	e = bt_json_bool(o, "is_impossible", &none, err);
	r->impossible = none;
	if (json_is_null(answers))
		answers = NULL;
	if (answers != NULL || json_is_null(single))
		single = NULL;
	*known = none || answers != NULL || single != NULL;
	if (e == BT_OK && answers != NULL)
		e = add_answers(r, answers, err);
	else if (e == BT_OK && single != NULL)
		e = add_single(r, o, single, err);
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
		bt_error_prefix(err, "question '%.*s'", (int)head(q.id).n,
		                q.id.p);
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

/* Reads the input as one JSON text. */
static int read_document(struct reader *r, struct bt_in *in,
                         struct bt_error *err)
{
	struct bt_buf text = BT_BUF_INIT;
	const uint8_t *p;
	json_t *o = NULL;
	size_t got;
	int e;

	for (; r->blank > 0; r->blank--)
		bt_buf_putc(&text, '\n'); /* messages count lines */
	while ((e = bt_in_some(in, 1, &p, &got, err)) == BT_OK && got > 0) {
		bt_buf_put(&text, p, got);
		bt_in_skip(in, got);
		if (text.oom)
			e = bt_error_nomem(err, "reading JSON");
		else if (text.len > DOCUMENT_MAX)
			e = bt_error_set(err, BT_ELIMIT,
			                 "has more than %zu bytes",
			                 DOCUMENT_MAX);
		if (e != BT_OK)
			break;
	}
	if (e == BT_OK)
		e = bt_json_parse("the text", bt_buf_at(&text, 0), text.len,
		                  true, &o, err);
	bt_buf_clear(&text);
	if (e == BT_OK)
		e = add_document(r, o, err);
	json_decref(o);
	return e;
}

static int read_lines(struct reader *r, struct bt_in *in, struct bt_error *err)
{
	uint64_t number = r->blank;
	struct bt_span line;
	json_t *o;
	size_t skip;
	int e;

	while ((e = bt_in_line(in, DOCUMENT_MAX, &line, &skip, err)) == 1) {
		number++;
		o = NULL;
		e = BT_OK;
		if (bt_span_trim(line, " \t\r").n > 0)
			e = bt_json_parse("the line", line.p, line.n, true, &o,
			                  err);
		if (o != NULL)
			e = add_flat(r, o, err);
		json_decref(o);
		if (e != BT_OK)
			return bt_error_prefix(err, "line %llu",
			                       (unsigned long long)number);
		bt_in_skip(in, skip);
	}
	return e;
}

/* Whether the first line that is not blank is a question by itself. */
static int is_lines(struct reader *r, struct bt_in *in, bool *lines,
                    struct bt_error *err)
{
	struct bt_span line = {NULL, 0};
	json_t *o = NULL;
	size_t skip;
	int e = bt_in_skip_mark(in, err);

	if (e != BT_OK)
		return e;
	r->blank = 0;
	while ((e = bt_in_line(in, DOCUMENT_MAX, &line, &skip, err)) == 1) {
		line = bt_span_trim(line, " \t\r");
		if (line.n > 0)
			break;
		bt_in_skip(in, skip);
		r->blank++;
	}
	if (e < 0)
		return e;
	*lines = line.n > 0 && line.p[line.n - 1] == '}' &&
	         bt_json_parse("", line.p, line.n, false, &o, NULL) == BT_OK &&
	         json_object_get(o, "data") == NULL;
	json_decref(o);
	return BT_OK;
}

/* Refuses what is plainly not JSON. */
static int check_start(struct bt_in *in, struct bt_error *err)
{
	struct bt_span line;
	const uint8_t *p;
	const char *end;
	size_t got;
	int e = bt_in_some(in, 12, &p, &got, err);

	if (e != BT_OK)
		return e;
	if (bt_tfrecord_begins(p, got))
		return bt_error_hint(
		    err, BT_HINT_READ_RECORDS,
		    bt_error_set(err, BT_EFORMAT,
		                 "it is a TFRecord stream, not JSON"));
	line = bt_span_trim((struct bt_span){(const char *)p, got},
	                    " \t\r\n\xef\xbb\xbf");
	if (line.n == 0 || *line.p == '{')
		return BT_OK;
	if (*line.p == '[')
		return bt_error_set(err, BT_EFORMAT,
		                    "it is a JSON array; JSON Lines have an "
		                    "object a line: jq -c '.[]' makes them");
	line = head(line);
	end = memchr(line.p, '\n', line.n);
	if (end != NULL)
		line.n = (size_t)(end - line.p);
	line = bt_span_trim(line, "\r");
	return bt_error_hint(err, BT_HINT_READ_TEXT,
	                     bt_error_set(err, BT_EFORMAT,
	                                  "it is not JSON: it begins with "
	                                  "'%.*s'",
	                                  (int)line.n, line.p));
}

static int read_file(struct reader *r, const char *path, struct bt_error *err)
{
	static const char *const columns[] = {
	    "id",      "title",  "context",      "question",
	    "answers", "answer", "answer_start", "is_impossible"};
	enum bt_utf16 order = BT_UTF16_NONE; /* unless a mark says it */
	bool lines = false;
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
		e = check_start(in, err);
	if (e == BT_OK)
		e = is_lines(r, in, &lines, err);
	if (e == BT_OK)
		e = lines ? read_lines(r, in, err) : read_document(r, in, err);
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
	bt_duplicate_ids_clear(&r.ids);
	bt_buf_clear(&r.id);
	free(r.answer);
	free(r.start);
	return e;
}
