/* SPDX-License-Identifier: MIT */
/* Questions out of token records: the windows of each, which follow each other,
 * are joined, and its answers found. Memory is a block of records and the
 * windows' best answers. */
#ifndef BT_PREDICT_QUESTIONS_H
#define BT_PREDICT_QUESTIONS_H

#include "predict/spans.h"
#include "record/windows.h"

/* Called for each question, from 0 on, with its first record; the windows are
 * in spans, for bt_spans_finish. */
typedef int bt_question_fn(void *ctx, uint64_t i,
                           const struct bt_token_rec *rec,
                           struct bt_spans *spans, struct bt_error *err);

struct bt_questions {
	bt_question_fn *fn;
	void *ctx;
	struct bt_spans spans;
	struct bt_windows windows;
	struct bt_buf payloads; /* of the block */
	size_t *end;            /* [records] of each in them */
	uint64_t *number;
	size_t end_cap, number_cap;
	bool within;         /* a question is begun: */
	struct bt_buf first; /* its first payload, */
	uint64_t begun_by;   /* which is that of record number */
	uint64_t n;          /* questions before it */
	struct bt_token_rec window, rec;
};

int bt_questions_init(struct bt_questions *q, const struct bt_spans_opts *o,
                      bt_question_fn *fn, void *ctx,
                      struct bt_error *err) BT_MUST_USE;
void bt_questions_clear(struct bt_questions *q);

/* Keeps the payload of record k of a block that begins (0) or goes on, record
 * `number` of all, from 1. */
int bt_questions_look(void *questions, size_t k, uint64_t number,
                      const void *data, size_t len,
                      struct bt_error *err) BT_MUST_USE;

/* Record k of the block has these logits [n][2]. */
int bt_questions_add(struct bt_questions *q, size_t k, size_t n,
                     const float *logits, struct bt_error *err) BT_MUST_USE;

/* The last question is complete. */
int bt_questions_finish(struct bt_questions *q,
                        struct bt_error *err) BT_MUST_USE;

#endif
