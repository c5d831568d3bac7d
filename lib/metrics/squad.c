/* SPDX-License-Identifier: MIT */
#include "metrics/squad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/squad_int.h"

/* Scores by the rules of version 1, and of version 2, which compares with
 * references that have words alone, and where there is none with "". */
struct question {
	double f1, f1_2;
	double odds;
	uint64_t order;
	bool exact, exact_2;
	bool has_answer; /* it has references */
	bool answered, by_text;
};

struct bt_squad {
	enum bt_squad_rules rules;
	double threshold;
	struct question *question; /* [n] */
	size_t n, cap;
	bool has_odds;
	size_t unanswerable;
	struct bt_squad_words guess, reference;
	struct bt_span *sorted; /* [guess.n] words of guess */
	size_t sorted_cap;
};

struct bt_squad *bt_squad_new(enum bt_squad_rules rules)
{
	struct bt_squad *s = bt_array0(1, sizeof(*s));

	s->rules = rules;
	s->threshold = 1;
	return s;
}

void bt_squad_free(struct bt_squad *s)
{
	if (s == NULL)
		return;
	free(s->question);
	bt_squad_words_clear(&s->guess);
	bt_squad_words_clear(&s->reference);
	free(s->sorted);
	free(s);
}

void bt_squad_reset(struct bt_squad *s)
{
	s->n = s->unanswerable = 0;
	s->has_odds = false;
}

void bt_squad_threshold(struct bt_squad *s, double null_odds)
{
	s->threshold = null_odds;
}

int bt_squad_pick(struct bt_squad *s, const struct bt_squad *from, size_t i)
{
	const struct question *q = &from->question[i];

	if (bt_grow(&s->question, &s->cap, s->n + 1, sizeof(*s->question)) !=
	    BT_OK)
		return BT_ENOMEM;
	s->question[s->n++] = *q;
	s->unanswerable += !q->has_answer;
	s->has_odds = from->has_odds;
	s->threshold = from->threshold;
	return BT_OK;
}

static bool is_equal(const struct bt_squad_words *a,
                     const struct bt_squad_words *b)
{
	size_t i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (!bt_span_equal(a->word[i], b->word[i]))
			return false;
	return a->n == b->n;
}

static int by_bytes(const void *a, const void *b)
{
	return bt_span_compare(*(const struct bt_span *)a,
	                       *(const struct bt_span *)b);
}

static void sort(struct bt_span *word, size_t n)
{
	if (n > 1)
		qsort(word, n, sizeof(*word), by_bytes);
}

/* Reads the words of an answer that is given, in their order and sorted. */
static int read_guess(struct bt_squad *s, struct bt_span text)
{
	if (bt_squad_words_read(s->rules, text, &s->guess) != BT_OK ||
	    bt_grow(&s->sorted, &s->sorted_cap, s->guess.n + 1,
	            sizeof(*s->sorted)) != BT_OK)
		return BT_ENOMEM;
	if (s->guess.n > 0)
		memcpy(s->sorted, s->guess.word,
		       s->guess.n * sizeof(*s->sorted));
	sort(s->sorted, s->guess.n);
	return BT_OK;
}

/* F1 of the words that the answer shares with the reference; both sorted. */
static double f1_of(const struct bt_squad *s)
{
	const struct bt_squad_words *ref = &s->reference;
	size_t i = 0, k = 0, same = 0;
	double precision, recall;
	int c;

	while (i < s->guess.n && k < ref->n) {
		c = bt_span_compare(s->sorted[i], ref->word[k]);
		same += c == 0;
		i += c <= 0;
		k += c >= 0;
	}
	if (same == 0)
		return 0;
	precision = (double)same / (double)s->guess.n;
	recall = (double)same / (double)ref->n;
	return 2 * precision * recall / (precision + recall);
}

/* Compares the answer with the references. */
static int compare(struct bt_squad *s, const struct bt_span *reference,
                   size_t n, struct question *q)
{
	bool any_words = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (bt_squad_words_read(s->rules, reference[i],
		                        &s->reference) != BT_OK)
			return BT_ENOMEM;
		any_words |= s->reference.n > 0;
		q->exact |= is_equal(&s->guess, &s->reference);
		sort(s->reference.word, s->reference.n);
		q->f1 = fmax(q->f1, f1_of(s));
	}
	q->exact_2 = any_words ? q->exact && s->guess.n > 0 : s->guess.n == 0;
	q->f1_2 = any_words ? q->f1 : (double)q->exact_2;
	return BT_OK;
}

int bt_squad_add(struct bt_squad *s, const struct bt_span *reference, size_t n,
                 const struct bt_squad_answer *answer, struct bt_error *err)
{
	struct question q = {.odds = answer->odds,
	                     .order = answer->order,
	                     .has_answer = n > 0,
	                     .answered = answer->text.p != NULL,
	                     .by_text = answer->text.n > 0};
	int r = bt_grow(&s->question, &s->cap, s->n + 1, sizeof(*s->question));

	if (r == BT_OK && q.answered)
		r = read_guess(s, answer->text);
	if (r == BT_OK && q.answered)
		r = compare(s, reference, n, &q);
	if (r != BT_OK)
		return bt_error_nomem(err, "scoring answers");
	s->question[s->n++] = q;
	s->has_odds |= answer->has_odds;
	s->unanswerable += n == 0;
	return BT_OK;
}

static void add(struct bt_squad_mean *m, double exact, double f1)
{
	m->n++;
	m->exact += exact;
	m->f1 += f1;
}

static void divide(struct bt_squad_mean *m)
{
	m->exact = m->n > 0 ? m->exact / (double)m->n : NAN;
	m->f1 = m->n > 0 ? m->f1 / (double)m->n : NAN;
}

static int by_odds(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	if (x->odds != y->odds)
		return x->odds < y->odds ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

enum score { EXACT, F1, ORACLE };

static double score_of(const struct question *q, enum score score)
{
	return score == EXACT ? (double)q->exact_2
	       : score == F1  ? q->f1_2
	                      : (double)q->has_answer;
}

/* Goes through n questions, sorted, and answers one more at a time. */
static void find_best(const struct bt_squad *s, const struct question *q,
                      size_t n, enum score score, struct bt_squad_best *best)
{
	double now = 0, most, right = 0, precision, recall, before = 0;
	size_t i, answerable = s->n - s->unanswerable;

	*best = (struct bt_squad_best){0};
	for (i = 0; i < n; i++)
		now += !q[i].has_answer;
	most = now;
	for (i = 0; i < n; i++) {
		now += q[i].has_answer ? score_of(&q[i], score)
		                       : -(double)q[i].by_text;
		if (now > most) {
			most = now;
			best->threshold = q[i].odds;
		}
		if (q[i].has_answer)
			right += score_of(&q[i], score);
		precision = right / (double)(i + 1);
		recall = right / (double)answerable;
		if (i + 1 == n || q[i].odds != q[i + 1].odds) {
			best->average_precision +=
			    precision * (recall - before);
			before = recall;
		}
	}
	best->mean = most / (double)s->n;
	if (answerable == 0)
		best->average_precision = NAN;
}

static int find_all_best(const struct bt_squad *s, struct bt_squad_sum *sum)
{
	struct question *q = bt_array(s->n, sizeof(*q));
	size_t i, n = 0;

	if (q == NULL)
		return BT_ENOMEM;
	for (i = 0; i < s->n; i++)
		if (s->question[i].answered)
			q[n++] = s->question[i];
	if (n > 0)
		qsort(q, n, sizeof(*q), by_odds);
	find_best(s, q, n, EXACT, &sum->exact);
	find_best(s, q, n, F1, &sum->f1);
	find_best(s, q, n, ORACLE, &sum->oracle);
	free(q);
	return BT_OK;
}

int bt_squad_sum_up(const struct bt_squad *s, struct bt_squad_sum *sum)
{
	const struct bt_squad_best none = {NAN, NAN, NAN};
	const struct question *q;
	double exact, f1;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	sum->version_2 = s->unanswerable > 0 || s->has_odds;
	sum->exact = sum->f1 = sum->oracle = none;
	for (i = 0; i < s->n; i++) {
		q = &s->question[i];
		exact = (double)(sum->version_2 ? q->exact_2 : q->exact);
		f1 = sum->version_2 ? q->f1_2 : q->f1;
		if (q->answered && s->has_odds && q->odds > s->threshold)
			exact = f1 = !q->has_answer;
		add(&sum->all, exact, f1);
		add(q->has_answer ? &sum->has_answer : &sum->no_answer, exact,
		    f1);
	}
	divide(&sum->all);
	divide(&sum->has_answer);
	divide(&sum->no_answer);
	return s->has_odds && s->n > 0 ? find_all_best(s, sum) : BT_OK;
}
