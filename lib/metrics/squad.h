/* SPDX-License-Identifier: MIT */
/*
 * Scores of answers to questions, as the official scripts of SQuAD define them:
 * evaluate-v1.1.py where every question has an answer, evaluate-v2.0.py where
 * some have none. Answers are compared in lower case, without punctuation and
 * articles. An answer is exact if nothing else differs from a reference; its F1
 * is that of the words it shares with one; the best reference counts.
 */
#ifndef BT_METRICS_SQUAD_H
#define BT_METRICS_SQUAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/* What is punctuation, an article, a word: to SQuAD's scripts, or to that of
 * MLQA for a language. */
enum bt_squad_rules {
	BT_SQUAD_RULES,
	BT_SQUAD_AR,
	BT_SQUAD_DE,
	BT_SQUAD_EN,
	BT_SQUAD_ES,
	BT_SQUAD_HI,
	BT_SQUAD_VI,
	BT_SQUAD_ZH, /* a Chinese character is a word */
	BT_SQUAD_LANGUAGES
};
#define BT_SQUAD_LANGUAGE_NAMES "ar|de|en|es|hi|vi|zh"

/* The rules of a language among these names; NULL: SQuAD's. */
enum bt_squad_rules bt_squad_rules_named(const char *language);

struct bt_squad;

/* Memory is 40 bytes a question. */
struct bt_squad *bt_squad_new(enum bt_squad_rules rules) BT_MUST_USE;
void bt_squad_free(struct bt_squad *s); /* takes NULL */
void bt_squad_reset(struct bt_squad *s);

/* Adds question i of another, as it was scored there. BT_ENOMEM alone. */
int bt_squad_pick(struct bt_squad *s, const struct bt_squad *from,
                  size_t i) BT_MUST_USE;

/* Questions above this are taken for unanswerable, whatever they were answered
 * by; 1 before it is set. */
void bt_squad_threshold(struct bt_squad *s, double null_odds);

struct bt_squad_answer {
	struct bt_span text; /* p NULL: not answered, which is wrong */
	/* how much likelier it is that the question has no answer, in whatever
	 * measure, for all questions or for none */
	bool has_odds;
	double odds;
	uint64_t order; /* of questions with equal odds */
};

/* Adds a question, which has no answer if it has no references. BT_ENOMEM
 * alone. */
int bt_squad_add(struct bt_squad *s, const struct bt_span *reference, size_t n,
                 const struct bt_squad_answer *answer,
                 struct bt_error *err) BT_MUST_USE;

/* Means over n questions; NaN of none. */
struct bt_squad_mean {
	uint64_t n;
	double exact, f1;
};

/* Where questions are answered only up to a threshold of their odds: the best
 * mean over all, the threshold, and the average precision over all. */
struct bt_squad_best {
	double mean, threshold, average_precision;
};

struct bt_squad_sum {
	bool version_2; /* some question has no answer, or there are odds */
	struct bt_squad_mean all, has_answer, no_answer;
	/* NaN without odds. oracle: of answers that are right where there is
	 * one; its average precision alone */
	struct bt_squad_best exact, f1, oracle;
};

/* BT_ENOMEM alone. */
int bt_squad_sum_up(const struct bt_squad *s,
                    struct bt_squad_sum *sum) BT_MUST_USE;

#endif
