/* SPDX-License-Identifier: MIT */
/* Metrics of embeddings of pairs: how near the right text is among all, or how
 * cosines agree with scores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"
#include "metrics/metrics_int.h"

#define SCALE 20 /* of cosines in the losses, as in training */

/* truth is the text's number in its pair. */
static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	size_t n = m->rows, cells, i;
	double sum = 0, over;

	if (!bt_size_mul(n + 1, m->width, &cells) ||
	    bt_grow(&m->guess, &m->guess_cap, cells, sizeof(*m->guess)) ||
	    bt_grow(&m->truth, &m->truth_cap, n + 1, sizeof(*m->truth)) ||
	    bt_grow(&m->is, &m->is_cap, n + 1, sizeof(*m->is)) ||
	    bt_grow(&m->texts, &m->texts_cap, n + 1, sizeof(*m->texts)))
		return bt_error_nomem(err, "keeping embeddings");
	for (i = 0; i < m->width; i++)
		sum += (double)output[i] * (double)output[i];
	over = 1 / fmax(sqrt(sum), 1e-12);
	for (i = 0; i < m->width; i++)
		m->guess[n * m->width + i] = (float)((double)output[i] * over);
	m->truth[n] = targets != NULL ? targets[0] : NAN;
	m->is[n] = truth;
	m->texts[n] = m->text;
	m->n += truth == 1 && n > 0 && m->is[n - 1] == 0;
	m->rows++;
	return BT_OK;
}

static void reset(struct bt_metrics *m)
{
	m->rows = 0;
}

static double cosine(const struct bt_metrics *m, size_t i, size_t k)
{
	const float *x = m->guess + i * m->width, *y = m->guess + k * m->width;
	double sum[4] = {0}; /* which do not wait for each other */
	size_t j;

	for (j = 0; j + 4 <= m->width; j += 4) {
		sum[0] += (double)x[j] * (double)y[j];
		sum[1] += (double)x[j + 1] * (double)y[j + 1];
		sum[2] += (double)x[j + 2] * (double)y[j + 2];
		sum[3] += (double)x[j + 3] * (double)y[j + 3];
	}
	for (; j < m->width; j++)
		sum[0] += (double)x[j] * (double)y[j];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The anchors, each before its text 1; all such pairs have a score, or none. */
static bool begins_pair(const struct bt_metrics *m, size_t i)
{
	return m->is[i] == 0 && i + 1 < m->rows && m->is[i + 1] == 1;
}

/* Of an anchor. */
struct place {
	uint64_t nearer; /* texts */
	double loss;
	bool apart; /* from those that it is not to be near */
};

struct ranking {
	const struct bt_metrics *m;
	struct place *place; /* [rows] of those that begin a pair */
	double *score;       /* [threads][rows] scratch */
};

/* Whether c is no anchor, and another text than anchor i and its text 1. */
static bool competes(const struct bt_metrics *m, size_t i, size_t c)
{
	return m->is[c] != 0 && m->texts[c] != m->texts[i] &&
	       m->texts[c] != m->texts[i + 1];
}

/* Where the text 1 of anchor i stands among all that compete with it. Equally
 * near ones come before it: a model that embeds all texts alike finds none. */
static struct place find_place(const struct bt_metrics *m, size_t i,
                               double *score)
{
	double own = cosine(m, i, i + 1), max = own, sum = 0;
	size_t c, given = 0; /* the last text that it is not to be near */
	struct place p = {0};

	for (c = 0; c < m->rows; c++) {
		score[c] = c == i + 1 ? own : -INFINITY;
		if (!competes(m, i, c))
			continue;
		score[c] = cosine(m, i, c);
		p.nearer += !(score[c] < own);
		max = fmax(max, score[c]);
	}
	for (c = 0; c < m->rows; c++)
		sum += exp(SCALE * (score[c] - max));
	for (c = i + 2; c < m->rows && m->is[c] > 1; c++)
		given = c;
	for (c = i + 2; c <= given && own > cosine(m, i, c); c++)
		;
	p.apart = c > given;
	p.loss = SCALE * (max - own) + log(sum);
	return p;
}

/* A piece is of so many rows. */
#define STEP ((size_t)32)

static void find_places(void *arg, int piece, int worker)
{
	const struct ranking *r = arg;
	const struct bt_metrics *m = r->m;
	size_t i = (size_t)piece * STEP, end = i + STEP;

	for (; i < end && i < m->rows; i++)
		if (begins_pair(m, i))
			r->place[i] = find_place(
			    m, i, r->score + (size_t)worker * m->rows);
}

static void add_places(const struct ranking *r, struct bt_metrics_summary *s)
{
	double n = (double)r->m->n;
	size_t i;

	for (i = 0; i < r->m->rows; i++) {
		if (!begins_pair(r->m, i))
			continue;
		s->triplet_accuracy += r->place[i].apart;
		s->accuracy += r->place[i].nearer == 0;
		s->mrr += 1 / (double)(r->place[i].nearer + 1);
		if (r->place[i].nearer < 10)
			s->ndcg_at_10 +=
			    1 / log2((double)r->place[i].nearer + 2);
		s->loss += r->place[i].loss;
	}
	s->accuracy = bt_metrics_ratio(s->accuracy, n);
	s->mrr = bt_metrics_ratio(s->mrr, n);
	s->ndcg_at_10 = bt_metrics_ratio(s->ndcg_at_10, n);
	s->triplet_accuracy = bt_metrics_ratio(s->triplet_accuracy, n);
	s->loss = bt_metrics_ratio(s->loss, n);
}

static int rank(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	int threads = m->pool != NULL ? bt_pool_threads(m->pool) : 1, i;
	int pieces = (int)((m->rows + STEP - 1) / STEP);
	struct ranking r = {.m = m};
	size_t cells;

	if (bt_size_mul(m->rows, (size_t)threads, &cells)) {
		r.place = bt_array(m->rows, sizeof(*r.place));
		r.score = bt_array(cells, sizeof(*r.score));
	}
	if (r.place != NULL && r.score != NULL) {
		if (m->pool != NULL)
			bt_pool_run(m->pool, find_places, &r, pieces);
		else
			for (i = 0; i < pieces; i++)
				find_places(&r, i, 0);
		add_places(&r, s);
	}
	i = r.place != NULL && r.score != NULL ? BT_OK : BT_ENOMEM;
	free(r.place);
	free(r.score);
	return i;
}

/* The logarithm of 1 and, for each two of n cosines that are not in the order
 * of their scores, more (CoSENT, see bt_op_embedding_loss). */
static double order(const double *y, const double *s, size_t n)
{
	double max = 0, sum;
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (y[i] < y[j])
				max = fmax(max, SCALE * (s[i] - s[j]));
	sum = exp(-max);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			if (y[i] < y[j])
				sum += exp(SCALE * (s[i] - s[j]) - max);
	return max + log(sum);
}

static int compare(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	size_t i, n = 0, all;
	double *score = NULL, *y, *ranks;

	if (bt_size_mul(m->rows, 4, &all))
		score = bt_array(all, sizeof(*score));
	if (score == NULL)
		return BT_ENOMEM;
	y = score + m->rows;
	ranks = y + m->rows;
	for (i = 0; i < m->rows; i++)
		if (begins_pair(m, i)) {
			score[n] = cosine(m, i, i + 1);
			y[n++] = (double)m->truth[i];
		}
	s->loss = order(y, score, n);
	s->pearson = bt_metrics_correlation(y, score, n);
	s->spearman = NAN;
	if (bt_metrics_rank(y, n, ranks) == BT_OK &&
	    bt_metrics_rank(score, n, ranks + n) == BT_OK)
		s->spearman = bt_metrics_correlation(ranks, ranks + n, n);
	free(score);
	return BT_OK;
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	bool scores = m->rows > 0 && !isnan(m->truth[0]), triplets = false;
	size_t i;

	for (i = 0; i < m->rows; i++)
		triplets |= m->is[i] > 1;
	s->lacks = (scores ? BT_METRICS_OF_PAIRS : BT_METRICS_OF_SCORES) |
	           (scores || !triplets ? BT_METRICS_OF_TRIPLETS : 0);
	if (m->n == 0 || (scores ? compare(m, s) : rank(m, s)) != BT_OK)
		s->loss = s->accuracy = s->mrr = s->ndcg_at_10 =
		    s->triplet_accuracy = s->pearson = s->spearman = NAN;
}

static void report(const struct bt_metrics *m,
                   const struct bt_metrics_summary *s, struct bt_buf *out)
{
	if ((s->lacks & BT_METRICS_OF_PAIRS) != 0)
		bt_buf_printf(out, "spearman %.4f  pearson %.4f", s->spearman,
		              s->pearson);
	else
		bt_buf_printf(out, "accuracy %.4f  MRR %.4f  NDCG@10 %.4f",
		              s->accuracy, s->mrr, s->ndcg_at_10);
	if ((s->lacks & BT_METRICS_OF_TRIPLETS) == 0)
		bt_buf_printf(out, "  triplet accuracy %.4f",
		              s->triplet_accuracy);
	bt_buf_printf(out, "  loss %.4f  (%llu pairs)\n", s->loss,
	              (unsigned long long)m->n);
}

const struct bt_metrics_kind bt_metrics_embeddings = {
    .name = "embeddings",
    .bit = BT_METRICS_EMBEDDINGS,
    .has_rows = true,
    .shown = {{"accuracy", "accuracy"},
              {"mrr", "MRR"},
              {"spearman", "spearman"}},
    .reset = reset,
    .add = add,
    .summary = summary,
    .report_all = report,
};
