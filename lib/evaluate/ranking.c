/* SPDX-License-Identifier: MIT */
#include "evaluate/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "evaluate/groups.h"
#include "format/escape.h"

struct candidate {
	uint32_t query;
	float score, relevance;
};

struct bt_ranking {
	struct bt_groups queries;
	size_t top;
	struct candidate *x; /* [n] */
	size_t n, cap;
};

struct bt_ranking *bt_ranking_new(const char *field, size_t top)
{
	struct bt_ranking *g = bt_array0(1, sizeof(*g));

	g->queries.field = field;
	g->top = top;
	return g;
}

void bt_ranking_free(struct bt_ranking *g)
{
	if (g == NULL)
		return;
	bt_groups_clear(&g->queries);
	free(g->x);
	free(g);
}

int bt_ranking_check(const struct bt_metrics *m, struct bt_error *err)
{
	if (m->kind == &bt_metrics_classification
	        ? m->classes == 2
	        : (m->kind == &bt_metrics_regression ||
	           m->kind == &bt_metrics_ranking) &&
	              m->width == 1)
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "the model does not rank: only two classes or one "
	                    "number do");
}

int bt_ranking_look(struct bt_ranking *g, size_t k, const void *data,
                    size_t len, struct bt_error *err)
{
	return bt_groups_look(&g->queries, k, data, len, err);
}

int bt_ranking_add(struct bt_ranking *g, const struct bt_dataset *d, size_t k,
                   const float *answer, struct bt_error *err)
{
	bool number = d->width > 0;

	if (bt_grow(&g->x, &g->cap, g->n + 1, sizeof(*g->x)) != BT_OK)
		return bt_error_nomem(err, "ranking");
	g->x[g->n++] = (struct candidate){
	    .query = g->queries.of[k],
	    .score = number ? answer[0] : answer[1] - answer[0],
	    .relevance =
	        number ? *bt_dataset_target(d, k) : (float)d->label[k]};
	return BT_OK;
}

/* By query, score and, where that is equal, the least relevant first. */
static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->query != y->query)
		return x->query < y->query ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->relevance < y->relevance ? -1 : x->relevance > y->relevance;
}

static int by_relevance(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->relevance > y->relevance ? -1 : x->relevance < y->relevance;
}

/* Of the first n candidates. */
static double gain(const struct candidate *x, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (x[i].relevance > 0)
			sum += (double)x[i].relevance / log2((double)i + 2);
	return sum;
}

struct scores {
	size_t queries, without; /* that count; without a relevant candidate */
	double mrr, ndcg;        /* NaN if no query counts */
	double first; /* share of queries whose first candidate is relevant */
};

/* Adds a query, whose candidates are in order, and reorders them. */
static void add_query(struct candidate *x, size_t n, size_t top,
                      struct scores *s)
{
	size_t first = 0, many = n < top ? n : top;
	double have = gain(x, many), best;

	while (first < n && !(x[first].relevance > 0))
		first++;
	if (first == n) {
		s->without++;
		return;
	}
	qsort(x, n, sizeof(*x), by_relevance);
	best = gain(x, many);
	s->queries++;
	s->first += first == 0;
	s->mrr += first < top ? 1 / (double)(first + 1) : 0;
	s->ndcg += have / best;
}

static void scores_of(struct bt_ranking *g, struct scores *s)
{
	size_t i, end;

	*s = (struct scores){0};
	if (g->n > 0)
		qsort(g->x, g->n, sizeof(*g->x), by_score);
	for (i = 0; i < g->n; i = end) {
		for (end = i + 1;
		     end < g->n && g->x[end].query == g->x[i].query; end++)
			;
		add_query(&g->x[i], end - i, g->top, s);
	}
	s->mrr /= (double)s->queries;
	s->ndcg /= (double)s->queries;
	s->first /= (double)s->queries;
}

void bt_ranking_report(struct bt_ranking *g, struct bt_buf *out)
{
	struct scores s;

	scores_of(g, &s);
	bt_buf_puts(out, "\nranking by ");
	bt_escape_line(out, bt_span(g->queries.field), 60);
	bt_buf_printf(out, ": %zu quer%s", s.queries,
	              s.queries == 1 ? "y" : "ies");
	if (s.without > 0)
		bt_buf_printf(out, ", %zu without a relevant record left out",
		              s.without);
	bt_buf_putc(out, '\n');
	if (s.queries > 0)
		bt_buf_printf(out, "MRR@%zu %.4f  NDCG@%zu %.4f  P@1 %.4f\n",
		              g->top, s.mrr, g->top, s.ndcg, s.first);
}

json_t *bt_ranking_json(struct bt_ranking *g)
{
	struct scores s;
	char key[40];
	json_t *o;

	scores_of(g, &s);
	o = json_pack("{s:o, s:I, s:I}", "field",
	              bt_escape_json(bt_span(g->queries.field)), "queries",
	              (json_int_t)s.queries, "without_relevant",
	              (json_int_t)s.without);
	if (o != NULL && s.queries > 0) {
		snprintf(key, sizeof(key), "mrr_at_%zu", g->top);
		json_object_set_new(o, key, json_real(s.mrr));
		snprintf(key, sizeof(key), "ndcg_at_%zu", g->top);
		json_object_set_new(o, key, json_real(s.ndcg));
		json_object_set_new(o, "precision_at_1", json_real(s.first));
	}
	return o;
}
