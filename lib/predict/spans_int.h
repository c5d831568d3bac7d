/* SPDX-License-Identifier: MIT */
/* What both ways to find answers share, and the way of BERT's run_squad. */
#ifndef BT_PREDICT_SPANS_INT_H
#define BT_PREDICT_SPANS_INT_H

#include "predict/final_text.h"
#include "predict/spans.h"
#include "record/context_words.h"

/* Without text and place. */
static inline struct bt_spans_answer
bt_spans_answer(float start_logit, float end_logit, double sum)
{
	return (struct bt_spans_answer){{"", 0},   -1,  -1, start_logit,
	                                end_logit, sum, 0};
}

/* BT_EFORMAT unless two characters of the context are in it. */
static inline int bt_spans_check_place(const struct bt_spans *s, int32_t start,
                                       int32_t end, struct bt_error *err)
{
	if ((size_t)end <= s->characters && (size_t)start <= s->characters)
		return BT_OK;
	return bt_error_set(err, BT_EFORMAT,
	                    "a token stands for the characters %ld to %ld of a "
	                    "context that has %zu",
	                    (long)start, (long)end, s->characters);
}

/* Two tokens that may begin and end an answer. */
struct bt_spans_pair {
	double sum;
	size_t number;        /* of the pairs of the question */
	size_t token, tokens; /* of the question's, the first, and how many */
	int32_t first, last;  /* code points at which the two tokens begin */
	float start_logit, end_logit;
};

struct bt_spans_google {
	struct bt_final_text text;
	int32_t *id; /* [n_ids] tokens of all windows */
	size_t n_ids, ids_cap;
	struct bt_spans_pair *pair; /* [n] */
	size_t n, cap;
	struct bt_context_words words;
	struct bt_buf joined; /* words of an answer */
	struct bt_buf texts;  /* those of all answers, */
	size_t *from;         /* [best + 2] in which each begins */
};

int bt_spans_google_new(struct bt_spans *s, const struct bt_tok *tok,
                        struct bt_error *err) BT_MUST_USE;
void bt_spans_google_free(struct bt_spans_google *g); /* takes NULL */
void bt_spans_google_begin(struct bt_spans_google *g);

/* A window, whose s->first and s->last are set. */
int bt_spans_google_add(struct bt_spans *s, const float *logits,
                        const int32_t *ids, const struct bt_token_place *place,
                        size_t n, size_t firsts, size_t lasts,
                        struct bt_error *err) BT_MUST_USE;

/* Sets s->answer, their texts and places, but not probabilities. */
int bt_spans_google_list(struct bt_spans *s, bool may_lack,
                         struct bt_span context,
                         struct bt_error *err) BT_MUST_USE;

#endif
