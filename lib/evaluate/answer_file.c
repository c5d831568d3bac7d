/* SPDX-License-Identifier: MIT */
#include "evaluate/answer_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/string_set.h"
#include "evaluate/answers.h"
#include "format/json.h"
#include "format/tf_example.h"
#include "format/tfrecord.h"
#include "io/in.h"
#include "io/path.h"
#include "predict/submission_values.h"

#define BLANKS " \t\r\n"

int bt_answer_file_is(const char *path, bool *is, struct bt_error *err)
{
	struct bt_span s;
	const uint8_t *p;
	struct bt_in *in;
	size_t n;
	int r = bt_path_refuse_pipe(path, err);

	if (r == BT_OK)
		r = bt_in_open(path, &in, err);
	if (r != BT_OK)
		return r;
	r = bt_in_peek(in, 16, &p, &n, err);
	s = (struct bt_span){(const char *)p, r == BT_OK ? n : 0};
	s = bt_span_trim(s, BLANKS);
	*is = s.n > 0 && s.p[0] == '{';
	bt_in_close(in);
	return r;
}

/* A file: its ids under the numbers of their places, and their values. */
struct table {
	const char *path;
	json_t *object;
	struct bt_string_set *ids;
	const json_t **value; /* borrowed from object */
};

static void clear(struct table *t)
{
	json_decref(t->object);
	bt_string_set_free(t->ids);
	free(t->value);
}

static int load(struct table *t, bool texts, struct bt_error *err)
{
	const char *key;
	json_t *value;
	size_t n = 0;
	int r = bt_json_load(t->path, &t->object, err);

	if (r == BT_EFORMAT)
		return bt_error_hint(err, BT_HINT_PREDICTION_FORMS, r);
	if (r != BT_OK)
		return r;
	t->ids = bt_string_set_new();
	t->value = bt_array(json_object_size(t->object) + 1, sizeof(*t->value));
	if (t->value == NULL)
		return bt_error_nomem(err, "reading predictions");
	json_object_foreach(t->object, key, value)
	{
		if (texts ? !json_is_string(value) : !json_is_number(value))
			return bt_error_set(err, BT_EFORMAT,
			                    "'%s': the value of '%.60s' is not "
			                    "a %s",
			                    t->path, key,
			                    texts ? "text" : "number");
		if (bt_string_set_add(t->ids, bt_span(key), NULL) != BT_OK)
			return bt_error_nomem(err, "reading predictions");
		t->value[n++] = value;
	}
	return BT_OK;
}

struct scoring {
	struct table answers, odds;
	bool has_odds;
	struct bt_metrics *m;
	uint8_t *hit;                  /* [answers] a record has that id */
	size_t hits, asked;            /* questions */
	struct bt_string_set *missing; /* ids of questions without one */
	struct bt_span *reference;     /* of a question */
	size_t cap;
	uint64_t *unlabelled;
};

/* What a record holds, text or token record. */
struct question {
	struct bt_span id;
	struct bt_feature answers; /* no name: not known */
	bool there;                /* it has a question */
	int64_t window, is_real;
};

static int read_number(const struct bt_feature *f, int64_t *v,
                       struct bt_error *err)
{
	size_t n;

	return bt_feature_int64s(f, v, 1, &n, err);
}

static int read_question(const void *data, size_t len, struct question *q,
                         struct bt_error *err)
{
	struct bt_example x;
	struct bt_feature f;
	int r, e = BT_OK;

	*q = (struct question){.is_real = 1};
	bt_example_open(&x, data, len);
	while (e == BT_OK && (r = bt_example_next(&x, &f, err)) != 0) {
		if (r < 0)
			return r;
		if (bt_feature_is(&f, "id"))
			e = bt_feature_text(&f, &q->id.p, &q->id.n, err);
		else if (bt_feature_is(&f, "answers"))
			q->answers = f;
		else if (bt_feature_is(&f, "window"))
			e = read_number(&f, &q->window, err);
		else if (bt_feature_is(&f, "is_real_example"))
			e = read_number(&f, &q->is_real, err);
		q->there |= bt_feature_is(&f, "question");
	}
	return e;
}

/* The answer to a question, and its odds. */
static int find_answer(struct scoring *s, struct bt_span id,
                       struct bt_squad_answer *a, struct bt_error *err)
{
	size_t at;

	if (!bt_string_set_find(s->answers.ids, id, &at))
		return bt_string_set_add(s->missing, id, NULL) == BT_OK
		           ? BT_OK
		           : bt_error_nomem(err, "matching answers");
	if (s->hit[at])
		return bt_error_set(err, BT_EFORMAT,
		                    "another question has the id '%.*s', too",
		                    (int)(id.n < 60 ? id.n : 60), id.p);
	s->hit[at] = 1;
	s->hits++;
	a->text = bt_json_text(s->answers.value[at]);
	if (!s->has_odds)
		return BT_OK;
	if (!bt_string_set_find(s->odds.ids, id, &at))
		return bt_error_set(err, BT_EFORMAT,
		                    "'%s' holds no number for the question "
		                    "'%.*s'",
		                    s->odds.path, (int)(id.n < 60 ? id.n : 60),
		                    id.p);
	a->has_odds = true;
	a->odds = json_number_value(s->odds.value[at]);
	a->order = at;
	return BT_OK;
}

static int add_record(struct scoring *s, const void *data, size_t len,
                      struct bt_error *err)
{
	struct bt_squad_answer a = {{NULL, 0}, false, 0, 0};
	struct question q;
	size_t n;
	int r = read_question(data, len, &q, err);

	if (r != BT_OK || q.window > 0 || q.is_real == 0)
		return r;
	if (!q.there)
		return bt_error_hint(err, BT_HINT_TASK_QUESTIONS,
		                     bt_error_set(err, BT_EFORMAT,
		                                  "has no 'question', which "
		                                  "the predictions answer"));
	if (q.id.p == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "has no id to find its prediction by");
	s->asked++;
	r = find_answer(s, q.id, &a, err);
	if (r == BT_OK && q.answers.name == NULL) {
		(*s->unlabelled)++;
		return BT_OK;
	}
	if (r == BT_OK)
		r = bt_answers_references(&q.answers, &s->reference, &s->cap,
		                          &n, err);
	return r == BT_OK
	           ? bt_metrics_add_answer(s->m, s->reference, n, &a, err)
	           : r;
}

static int read_records(struct scoring *s, const struct bt_answer_file_opts *o,
                        struct bt_error *err)
{
	struct bt_tfrecord *in;
	const uint8_t *data;
	size_t len;
	int r = bt_tfrecord_open(o->records, o->n_records, &in, err);

	if (r != BT_OK)
		return r;
	bt_tfrecord_expect(in, o->expect);
	if (o->sum != NULL)
		bt_tfrecord_add_to(in, o->sum);
	while ((r = bt_tfrecord_next(in, &data, &len, err)) == 1) {
		r = add_record(s, data, len, err);
		if (r != BT_OK) {
			bt_tfrecord_blame(in, err);
			break;
		}
	}
	if (r == BT_OK && s->asked == 0)
		r = bt_tfrecord_none(in, err);
	if (r == BT_OK && s->asked == *s->unlabelled)
		r = bt_error_set(err, BT_EFORMAT,
		                 "no record has 'answers' to compare with");
	bt_tfrecord_close(in);
	return r;
}

/* Says which ids do not match; an error if none does. */
static int match(const struct scoring *s, const struct bt_log *log,
                 struct bt_error *err)
{
	struct bt_submission_values missing = {0}, extra = {0};
	size_t n = bt_string_set_count(s->answers.ids), i;
	const char *path = s->answers.path;
	int r = BT_OK;

	for (i = 0; i < bt_string_set_count(s->missing); i++)
		bt_submission_values_add(&missing,
		                         bt_string_set_get(s->missing, i));
	for (i = 0; i < n; i++)
		if (!s->hit[i])
			bt_submission_values_add(
			    &extra, bt_string_set_get(s->answers.ids, i));
	if (s->hits == 0)
		r = bt_error_set(err, BT_EFORMAT,
		                 "'%s' answers none of the %zu questions: its "
		                 "ids are %s, and theirs %s",
		                 path, s->asked,
		                 n > 0 ? bt_submission_values_str(&extra)
		                       : "none",
		                 bt_submission_values_str(&missing));
	if (r == BT_OK && missing.n > 0)
		bt_log_warn(
		    log, "answers-missing", BT_HINT_NONE,
		    "'%s' lacks the answers to %zu of %zu questions, which "
		    "count as wrong: %s",
		    path, missing.n, s->asked,
		    bt_submission_values_str(&missing));
	if (r == BT_OK && extra.n > 0)
		bt_log_warn(
		    log, "answers-unknown", BT_HINT_NONE,
		    "%zu of %zu answers in '%s' are to questions that the "
		    "records lack, and do not count: %s",
		    extra.n, n, path, bt_submission_values_str(&extra));
	bt_buf_clear(&missing.names);
	bt_buf_clear(&extra.names);
	return r;
}

int bt_answer_file_score(const struct bt_answer_file_opts *o,
                         struct bt_metrics *m, uint64_t *unlabelled,
                         struct bt_error *err)
{
	struct scoring s = {.answers.path = o->answers,
	                    .odds.path = o->null_odds,
	                    .has_odds = o->null_odds != NULL,
	                    .m = m,
	                    .unlabelled = unlabelled,
	                    .missing = bt_string_set_new()};
	int r = load(&s.answers, true, err);

	*unlabelled = 0;
	if (r == BT_OK && s.has_odds)
		r = load(&s.odds, false, err);
	if (r == BT_OK) {
		s.hit = bt_array0(bt_string_set_count(s.answers.ids) + 1,
		                  sizeof(*s.hit));
		r = s.hit != NULL ? read_records(&s, o, err)
		                  : bt_error_nomem(err, "matching answers");
	}
	if (r == BT_OK)
		r = match(&s, o->log, err);
	clear(&s.answers);
	clear(&s.odds);
	bt_string_set_free(s.missing);
	free(s.hit);
	free(s.reference);
	return r;
}
