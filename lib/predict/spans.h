/* SPDX-License-Identifier: MIT */
/*
 * The best answers to a question, out of the logits that a model has for the
 * tokens of all windows of its context. As transformers' run_qa does: of each
 * window the likeliest first and the likeliest last tokens make answers, those
 * with the highest sums of logits are kept, and probabilities are relative to
 * these. The empty answer has the logits of the class token, of the window
 * where their sum is lowest.
 *
 * Or as BERT's run_squad and Model Garden do. Then the first token of an answer
 * must be of the window that shows most around it; sums are double; the text is
 * that of predict/final_text.h, whose words have one blank between them; and of
 * equal texts the first one counts.
 */
#ifndef BT_PREDICT_SPANS_H
#define BT_PREDICT_SPANS_H

#include <stdbool.h>

#include "base/span.h"
#include "record/record.h"
#include "tokenizer/tokenizer.h"

struct bt_spans_opts {
	size_t best;      /* answers that are kept, and tokens of each window;
	                   * 0: BT_SPANS_BEST */
	size_t longest;   /* tokens of an answer; 0: BT_SPANS_LONGEST */
	double threshold; /* above these null odds the answer is empty */
	/* as run_squad does, by the tokens of this tokenizer; NULL: run_qa.
	 * Borrowed */
	const struct bt_tok *google;
};
#define BT_SPANS_BEST 20
#define BT_SPANS_LONGEST 30

struct bt_spans_answer {
	struct bt_span text; /* "": none */
	int32_t start, end;  /* code points of the context; or -1 */
	float start_logit, end_logit;
	double sum; /* of both; of run_qa a float's */
	double probability;
};

struct bt_spans {
	struct bt_spans_opts o;
	size_t windows;
	struct bt_spans_answer none; /* its logits */
	/* the best so far, and after bt_spans_finish all; [o.best + 2] */
	struct bt_spans_answer *answer;
	size_t n;
	/* of bt_spans_finish */
	const struct bt_spans_answer *predicted;
	double null_odds; /* logits of none, less those of the best answer */

	struct bt_spans_answer *kept; /* [o.best] the best of all windows */
	size_t n_kept;
	size_t *first, *last; /* [o.best] tokens of a window */
	size_t *at;           /* [characters + 1] bytes of the context */
	size_t at_cap, characters;
	struct bt_spans_google *google; /* or NULL */
};

/* BT_EARG where run_squad's way is asked for, and the tokenizer is not BERT's.
 * To be cleared in any case. */
int bt_spans_init(struct bt_spans *s, const struct bt_spans_opts *o,
                  struct bt_error *err) BT_MUST_USE;
void bt_spans_clear(struct bt_spans *s);

/* Forgets the windows of the last question. */
void bt_spans_begin(struct bt_spans *s);

/* Adds a window: logits [n][2], ids and places of its n > 0 tokens, of which
 * the first is the class token. */
int bt_spans_add(struct bt_spans *s, const float *logits, const int32_t *ids,
                 const struct bt_token_place *place, size_t n,
                 struct bt_error *err) BT_MUST_USE;

/*
 * Sets answer, predicted and null_odds (0 unless there may be no answer). Texts
 * are borrowed from the context, or from s until the next call. Where no two
 * tokens can be an answer, it is the text "empty". may_lack: there may be no
 * answer. It may be called again with another one. BT_EFORMAT if a place is not
 * in the context.
 */
int bt_spans_finish(struct bt_spans *s, bool may_lack, struct bt_span context,
                    struct bt_error *err) BT_MUST_USE;

#endif
