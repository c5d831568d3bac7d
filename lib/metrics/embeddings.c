/* SPDX-License-Identifier: MIT */
/* Metrics of embeddings of pairs: how near the right text is among all, or how
 * cosines agree with scores. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics_int.h"

#define SCALE 20   /* of cosines in the losses, as in training */
#define EQUAL 1e-6 /* cosines of the same text may differ by that */

/* truth is the text's number in its pair. */
static int add(struct bt_metrics *m, int truth, const float *targets,
               const float *output, struct bt_error *err)
{
	size_t n = m->rows, cells, i;
	double sum = 0, over;

	if (!bt_size_mul(n + 1, m->width, &cells) ||
	    bt_grow(&m->guess, &m->guess_cap, cells, sizeof(*m->guess)) ||
	    bt_grow(&m->truth, &m->truth_cap, n + 1, sizeof(*m->truth)) ||
	    bt_grow(&m->is, &m->is_cap, n + 1, sizeof(*m->is)))
		return bt_error_nomem(err, "keeping embeddings");
	for (i = 0; i < m->width; i++)
		sum += (double)output[i] * (double)output[i];
	over = 1 / fmax(sqrt(sum), 1e-12);
	for (i = 0; i < m->width; i++)
		m->guess[n * m->width + i] = (float)((double)output[i] * over);
	m->truth[n] = targets != NULL ? targets[0] : NAN;
	m->is[n] = truth;
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
	double sum = 0;
	size_t j;

	for (j = 0; j < m->width; j++)
		sum += (double)x[j] * (double)y[j];
	return sum;
}

/* The anchors, each before its text 1; all such pairs have a score, or none. */
static bool begins_pair(const struct bt_metrics *m, size_t i)
{
	return m->is[i] == 0 && i + 1 < m->rows && m->is[i + 1] == 1;
}

/* Where the text 1 of anchor i stands among all that are no anchors and other
 * texts than these two: adds to the sums. */
static void add_rank(const struct bt_metrics *m, size_t i, double *score,
                     struct bt_metrics_summary *s)
{
	double own = cosine(m, i, i + 1), max = own, sum = 0;
	size_t c, given = 0; /* the last text that it is not to be near */
	uint64_t nearer = 0;

	for (c = 0; c < m->rows; c++) {
		score[c] = m->is[c] == 0 ? -INFINITY : cosine(m, i, c);
		if (c != i + 1 &&
		    (fabs(score[c] - own) <= EQUAL || score[c] >= 1 - EQUAL))
			score[c] = -INFINITY;
		nearer += score[c] > own;
		max = fmax(max, score[c]);
	}
	for (c = 0; c < m->rows; c++)
		sum += exp(SCALE * (score[c] - max));
	for (c = i + 2; c < m->rows && m->is[c] > 1; c++)
		given = c;
	for (c = i + 2; c <= given && own > cosine(m, i, c); c++)
		;
	s->triplet_accuracy += c > given;
	s->accuracy += nearer == 0;
	s->mrr += 1 / (double)(nearer + 1);
	s->loss += SCALE * (max - own) + log(sum);
}

static void rank(const struct bt_metrics *m, double *score,
                 struct bt_metrics_summary *s)
{
	double n = (double)m->n;
	size_t i;

	for (i = 0; i < m->rows; i++)
		if (begins_pair(m, i))
			add_rank(m, i, score, s);
	s->accuracy = bt_metrics_ratio(s->accuracy, n);
	s->mrr = bt_metrics_ratio(s->mrr, n);
	s->triplet_accuracy = bt_metrics_ratio(s->triplet_accuracy, n);
	s->loss = bt_metrics_ratio(s->loss, n);
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

static void compare(const struct bt_metrics *m, double *score,
                    struct bt_metrics_summary *s)
{
	double *y = score + m->rows, *ranks = y + m->rows;
	size_t i, n = 0;

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
}

static void summary(const struct bt_metrics *m, struct bt_metrics_summary *s)
{
	bool scores = m->rows > 0 && !isnan(m->truth[0]), triplets = false;
	double *scratch = NULL;
	size_t all, i;

	for (i = 0; i < m->rows; i++)
		triplets |= m->is[i] > 1;
	s->lacks = (scores ? BT_METRICS_OF_PAIRS : BT_METRICS_OF_SCORES) |
	           (scores || !triplets ? BT_METRICS_OF_TRIPLETS : 0);
	if (m->n > 0 && bt_size_mul(m->rows, 4, &all))
		scratch = bt_array(all, sizeof(*scratch));
	if (scratch == NULL)
		s->loss = s->accuracy = s->mrr = s->triplet_accuracy =
		    s->pearson = s->spearman = NAN;
	else if (scores)
		compare(m, scratch, s);
	else
		rank(m, scratch, s);
	free(scratch);
}

static void report(const struct bt_metrics *m, const struct bt_labels *l,
                   int confusions, struct bt_buf *out)
{
	struct bt_metrics_summary s;

	(void)l;
	(void)confusions;
	bt_metrics_summary(m, &s);
	if ((s.lacks & BT_METRICS_OF_PAIRS) != 0)
		bt_buf_printf(out, "spearman %.4f  pearson %.4f", s.spearman,
		              s.pearson);
	else
		bt_buf_printf(out, "accuracy %.4f  MRR %.4f", s.accuracy,
		              s.mrr);
	if ((s.lacks & BT_METRICS_OF_TRIPLETS) == 0)
		bt_buf_printf(out, "  triplet accuracy %.4f",
		              s.triplet_accuracy);
	bt_buf_printf(out, "  loss %.4f  (%llu pairs)\n", s.loss,
	              (unsigned long long)m->n);
}

static int json(const struct bt_metrics *m, const struct bt_labels *l,
                json_t *o)
{
	(void)m;
	(void)l;
	(void)o;
	return BT_OK;
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
    .report = report,
    .json = json,
};
