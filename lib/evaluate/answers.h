/* SPDX-License-Identifier: MIT */
/* Scores of a model's answers to questions. Memory is 80 bytes a question. */
#ifndef BT_EVALUATE_ANSWERS_H
#define BT_EVALUATE_ANSWERS_H

#include "evaluate/minimum.h"
#include "finetune/predict_stream.h"
#include "metrics/metrics.h"
#include "predict/questions.h"

/* By which of SQuAD's scripts answers are scored. */
enum bt_answers_version {
	BT_ANSWERS_AS_GIVEN, /* 2.0's if a question has no answer */
	BT_ANSWERS_ALWAYS,   /* 1.1's: no question is taken for unanswerable */
	BT_ANSWERS_MAY_LACK  /* 2.0's */
};

struct bt_answers {
	struct bt_questions questions; /* whose look is to be called */
	struct bt_metrics *m;          /* of questions; borrowed */
	struct bt_metrics windows;     /* the loss is theirs */
	enum bt_answers_version version;
	/* the scores if no question is taken for unanswerable, which count if
	 * none is; those in m count else */
	struct bt_squad *always;
	struct bt_span *reference; /* of a question */
	size_t cap;
	uint64_t unlabelled; /* questions whose answers are not known */
};

/* Reads the references that a feature holds into a block that grows. */
int bt_answers_references(const struct bt_feature *f, struct bt_span **out,
                          size_t *cap, size_t *n,
                          struct bt_error *err) BT_MUST_USE;

/* The tokenizer by which answers to the questions of s are found as BERT's
 * run_squad does. BT_EARG if the model has none. */
int bt_answers_tokenizer(const struct bt_predict_stream *s,
                         const struct bt_tok **tok,
                         struct bt_error *err) BT_MUST_USE;

struct bt_answers_opts {
	enum bt_answers_version version;
	const char *language; /* see bt_squad_rules_named */
	struct bt_spans_opts spans;
	double null_threshold; /* for these, and above which questions count as
	                        * unanswered; NaN: none was given */
	const struct bt_minimum *minimum; /* [n_minimum], to be checked */
	size_t n_minimum;
};

/* Sets up metrics of questions; output is what they are of. */
int bt_answers_metrics(const struct bt_answers_opts *o,
                       enum bt_metrics_output output, struct bt_metrics *m,
                       struct bt_error *err) BT_MUST_USE;

/* The same for those of a model. */
int bt_answers_init(struct bt_answers *a, const struct bt_answers_opts *o,
                    struct bt_metrics *m, struct bt_error *err) BT_MUST_USE;
void bt_answers_clear(struct bt_answers *a);

/* Record k of the block d, with logits of its tokens. */
int bt_answers_add(struct bt_answers *a, const struct bt_dataset *d, size_t k,
                   const float *logits, struct bt_error *err) BT_MUST_USE;

/* Completes the metrics. */
int bt_answers_finish(struct bt_answers *a, struct bt_error *err) BT_MUST_USE;

#endif
