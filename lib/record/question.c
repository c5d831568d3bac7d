/* SPDX-License-Identifier: MIT */
/* What records of questions have beside others. */
#include "record/record_int.h"

#include "base/mem.h"

static const char *const names[BT_QUESTION_LISTS] = {
    [BT_LIST_QUESTION] = "question",
    [BT_LIST_CONTEXT] = "context",
    [BT_LIST_ANSWERS] = "answers",
    [BT_LIST_ANSWER_STARTS] = "answer_starts",
    [BT_LIST_TOKEN_STARTS] = "token_starts",
    [BT_LIST_TOKEN_ENDS] = "token_ends",
    [BT_LIST_MAX_CONTEXT] = "max_context",
    [BT_LIST_START_POSITION] = "start_position",
    [BT_LIST_END_POSITION] = "end_position",
};

/* What Model Garden's create_finetuning_data calls the tokens of the answer. */
static const char *const garden[BT_QUESTION_LISTS] = {
    [BT_LIST_START_POSITION] = "start_positions",
    [BT_LIST_END_POSITION] = "end_positions",
};

void bt_question_note(struct bt_question_lists *q, const struct bt_feature *f)
{
	int k;

	for (k = 0; k < BT_QUESTION_LISTS; k++)
		if (bt_feature_is(f, names[k]) ||
		    (garden[k] != NULL && !bt_question_has(q, k) &&
		     bt_feature_is(f, garden[k])))
			q->list[k] = *f;
}

/* The list k beside list `beside`. */
static int need(const struct bt_question_lists *q, enum bt_question_list k,
                enum bt_question_list beside, struct bt_error *err)
{
	if (bt_question_has(q, k))
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT, "has no feature '%s' beside '%s'",
	                    names[k], names[beside]);
}

int bt_question_read(const struct bt_question_lists *lists,
                     struct bt_question *q, struct bt_error *err)
{
	const struct bt_feature *l = lists->list;
	struct bt_span answer;
	size_t answers = 0, starts = 0;
	struct bt_pb at;
	int r = need(lists, BT_LIST_QUESTION, BT_LIST_CONTEXT, err);

	if (r == BT_OK)
		r = need(lists, BT_LIST_CONTEXT, BT_LIST_QUESTION, err);
	if (r == BT_OK)
		r = bt_record_read_text(&l[BT_LIST_QUESTION], &q->question,
		                        err);
	if (r == BT_OK)
		r = bt_record_read_text(&l[BT_LIST_CONTEXT], &q->context, err);
	if (r != BT_OK || !bt_question_has(lists, BT_LIST_ANSWERS))
		return r;
	q->answers = l[BT_LIST_ANSWERS];
	q->starts = l[BT_LIST_ANSWER_STARTS];
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

/* List k into rec->scratch: numbers from least to most. */
static int read_numbers(const struct bt_question_lists *lists,
                        enum bt_question_list k, size_t n, int64_t least,
                        int64_t most, struct bt_token_rec *rec,
                        struct bt_error *err)
{
	size_t i;
	int r = need(lists, k, BT_LIST_TOKEN_STARTS, err);

	if (r == BT_OK)
		r = bt_record_read_list(&lists->list[k], names[k], n, rec, err);
	for (i = 0; r == BT_OK && i < n; i++)
		if (rec->scratch[i] < least || rec->scratch[i] > most)
			r = bt_error_set(
			    err, BT_EFORMAT,
			    "%s holds %lld at position %zu, out of range",
			    names[k], (long long)rec->scratch[i], i);
	return r;
}

int bt_question_read_answer(const struct bt_question_lists *lists,
                            struct bt_token_rec *rec, struct bt_error *err)
{
	bool start = false, end = false;
	int r = BT_OK;

	if (bt_question_has(lists, BT_LIST_START_POSITION))
		r = bt_record_read_int(&lists->list[BT_LIST_START_POSITION],
		                       &rec->start_position, &start, err);
	if (r == BT_OK && bt_question_has(lists, BT_LIST_END_POSITION))
		r = bt_record_read_int(&lists->list[BT_LIST_END_POSITION],
		                       &rec->end_position, &end, err);
	if (r != BT_OK || (!start && !end))
		return r;
	rec->has_position = start && end && rec->start_position >= 0 &&
	                    rec->start_position <= rec->end_position &&
	                    (uint64_t)rec->end_position < rec->n;
	if (rec->has_position)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "start_position and end_position are not two of "
	                    "%zu tokens in order",
	                    rec->n);
}

int bt_question_read_places(const struct bt_question_lists *lists, size_t n,
                            struct bt_token_rec *rec, struct bt_error *err)
{
	size_t i;
	int r;

	if (bt_grow(&rec->place, &rec->place_cap, n, sizeof(*rec->place)) !=
	    BT_OK)
		return bt_error_nomem(err, "reading a record");
	r = read_numbers(lists, BT_LIST_TOKEN_STARTS, n, -1, INT32_MAX, rec,
	                 err);
	for (i = 0; r == BT_OK && i < n; i++)
		rec->place[i].start = (int32_t)rec->scratch[i];
	if (r == BT_OK)
		r = read_numbers(lists, BT_LIST_TOKEN_ENDS, n, -1, INT32_MAX,
		                 rec, err);
	for (i = 0; r == BT_OK && i < n; i++) {
		rec->place[i].end = (int32_t)rec->scratch[i];
		if (rec->place[i].start > rec->place[i].end ||
		    (rec->place[i].start < 0 && rec->place[i].end >= 0))
			r = bt_error_set(err, BT_EFORMAT,
			                 "token %zu ends before it starts", i);
	}
	if (r == BT_OK)
		r = read_numbers(lists, BT_LIST_MAX_CONTEXT, n, 0, 1, rec, err);
	for (i = 0; r == BT_OK && i < n; i++)
		rec->place[i].max_context = (int32_t)rec->scratch[i];
	rec->has_places = r == BT_OK;
	return r;
}
