/* SPDX-License-Identifier: MIT */
/* What records of questions have beside others. */
#include "record/record_int.h"

#include "base/mem.h"

void bt_question_note(struct bt_question_lists *q, const struct bt_feature *f)
{
	if (bt_feature_is(f, "question"))
		q->question = *f;
	else if (bt_feature_is(f, "context"))
		q->context = *f;
	else if (bt_feature_is(f, "answers"))
		q->answers = *f;
	else if (bt_feature_is(f, "answer_starts"))
		q->answer_starts = *f;
}

int bt_question_read(const struct bt_question_lists *lists,
                     struct bt_question *q, struct bt_error *err)
{
	struct bt_pb at;
	struct bt_span answer;
	size_t answers = 0, starts = 0;
	int r;

	if (lists->question.name == NULL || lists->context.name == NULL)
		return bt_error_set(
		    err, BT_EFORMAT, "has no feature '%s' beside '%s'",
		    lists->context.name == NULL ? "context" : "question",
		    lists->context.name == NULL ? "question" : "context");
	r = bt_record_read_text(&lists->question, &q->question, err);
	if (r == BT_OK)
		r = bt_record_read_text(&lists->context, &q->context, err);
	if (r != BT_OK || lists->answers.name == NULL)
		return r;
	q->answers = lists->answers;
	q->starts = lists->answer_starts;
	at = q->answers.list;
	while ((r = bt_feature_next_text(&q->answers, &at, &answer.p, &answer.n,
	                                 err)) == 1)
		answers++;
	if (r == BT_OK && q->starts.name != NULL)
		r = bt_feature_int64s(&q->starts, NULL, 0, &starts, err);
	if (r == BT_OK && answers != starts)
		r = bt_error_set(err, BT_EFORMAT,
		                 "has %zu answers and %zu answer_starts",
		                 answers, starts);
	return r;
}

/* One of the lists into the places' member at `offset`: from `least` on. */
static int read_member(const struct bt_feature *f, const char *name, size_t n,
                       int64_t least, int64_t most, struct bt_token_rec *rec,
                       size_t offset, struct bt_error *err)
{
	size_t i;
	int r;

	if (f->name == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "has no feature '%s' beside "
		                    "'token_starts'",
		                    name);
	r = bt_token_rec_read_list(f, name, n, rec, err);
	for (i = 0; r == BT_OK && i < n; i++) {
		if (rec->scratch[i] < least || rec->scratch[i] > most)
			return bt_error_set(
			    err, BT_EFORMAT,
			    "%s holds %lld at position %zu, out of range", name,
			    (long long)rec->scratch[i], i);
		*(int32_t *)((char *)&rec->place[i] + offset) =
		    (int32_t)rec->scratch[i];
	}
	return r;
}

/* The tokens of the answer, which are in the text. */
static int read_answer(const struct bt_place_lists *l, struct bt_token_rec *rec,
                       struct bt_error *err)
{
	if (!l->has_start && !l->has_end)
		return BT_OK;
	if (!l->has_start || !l->has_end || l->start_position < 0 ||
	    l->start_position > l->end_position ||
	    (uint64_t)l->end_position >= rec->n)
		return bt_error_set(err, BT_EFORMAT,
		                    "start_position and end_position are not "
		                    "two of %zu tokens in order",
		                    rec->n);
	rec->has_position = true;
	rec->start_position = l->start_position;
	rec->end_position = l->end_position;
	return BT_OK;
}

int bt_token_rec_read_places(const struct bt_place_lists *l, size_t n,
                             struct bt_token_rec *rec, struct bt_error *err)
{
	size_t i;
	int r;

	if (bt_grow(&rec->place, &rec->place_cap, n, sizeof(*rec->place)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading a record");
	r = read_member(&l->starts, "token_starts", n, -1, INT32_MAX, rec,
	                offsetof(struct bt_token_place, start), err);
	if (r == BT_OK)
		r = read_member(&l->ends, "token_ends", n, -1, INT32_MAX, rec,
		                offsetof(struct bt_token_place, end), err);
	if (r == BT_OK)
		r = read_member(&l->max_context, "max_context", n, 0, 1, rec,
		                offsetof(struct bt_token_place, max_context),
		                err);
	for (i = 0; r == BT_OK && i < n; i++)
		if (rec->place[i].start > rec->place[i].end ||
		    (rec->place[i].start < 0 && rec->place[i].end >= 0))
			r = bt_error_set(err, BT_EFORMAT,
			                 "token %zu ends before it starts", i);
	rec->has_places = r == BT_OK;
	return r == BT_OK ? read_answer(l, rec, err) : r;
}
