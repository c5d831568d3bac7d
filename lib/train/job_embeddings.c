/* SPDX-License-Identifier: MIT */
/* How embeddings are trained. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "train/job_int.h"

int bt_job_pooling(struct bt_job *j, struct bt_error *err)
{
	struct bt_config *c = &j->model.config;
	struct bt_sentence own = {0};
	int r = BT_OK;

	if (c->head.n > 0 && j->o.head == NULL)
		c->head.n = 0; /* a classifier's */
	if (c->head.n > 0)
		return bt_error_set(err, BT_EARG,
		                    "a model that embeds texts has no head");
	if (j->o.pool == NULL && j->o.model != NULL)
		r = bt_sentence_read(j->o.model, &own, err);
	j->normalizes = own.normalize;
	if (r == BT_OK && own.n_dense > 0)
		r = bt_error_hint(
		    err, BT_HINT_POOL_WITHOUT_DENSE,
		    bt_error_set(err, BT_EFORMAT,
		                 "'%s' has a dense layer, '%s', which cannot "
		                 "be trained",
		                 j->o.model, own.dense[0].folder));
	if (j->o.pool == NULL)
		c->pool = own.pooling == NULL               ? BT_POOLED_MEAN
		          : strcmp(own.pooling, "max") == 0 ? BT_POOLED_MAX
		          : strcmp(own.pooling, "cls") == 0 ? BT_POOLED_FIRST
		                                            : BT_POOLED_MEAN;
	if (r == BT_OK && c->pool == BT_POOLED_POOLER)
		r = bt_error_set(err, BT_EARG,
		                 "texts are embedded by first, mean or max");
	return r;
}

static int read_matryoshka(struct bt_job *j, struct bt_error *err)
{
	struct bt_matryoshka *m = &j->o.train.matryoshka;
	int width = j->model.config.hidden_size, k;
	const char *s = j->o.matryoshka_dims;
	char number[16];
	int64_t dim;
	size_t n;

	for (k = 0; s != NULL; k++, s = s[n] != 0 ? s + n + 1 : NULL) {
		n = strcspn(s, ",");
		snprintf(number, sizeof(number), "%.*s", (int)(n < 15 ? n : 15),
		         s);
		if (k == BT_MATRYOSHKA_MAX)
			return bt_error_set(err, BT_EARG,
			                    "more than %d dimensions",
			                    BT_MATRYOSHKA_MAX);
		if (bt_parse_i64(number, 1, width - 1, &dim) != BT_OK)
			return bt_error_set(
			    err, BT_EARG,
			    "'%s' is not a number of values from 1 to %d, less "
			    "than a whole embedding has",
			    number, width - 1);
		m->dim[m->n++] = (size_t)dim;
	}
	return BT_OK;
}

int bt_job_compares(const struct bt_job *j, struct bt_error *err)
{
	const struct bt_batching *b = &j->o.train.batching;
	const struct bt_dataset *d = &j->train;

	if (d->most_texts > 2 ||
	    (b->size * (size_t)b->accumulate != 1 && bt_dataset_texts(d) > 1))
		return BT_OK;
	return bt_error_set(err, BT_EARG,
	                    "an update has one pair, which is compared with "
	                    "no other: nothing would be learned");
}

/* Whether the loss compares what is not equal anyway. */
static int check_pairs(const struct bt_job *j, const struct bt_task_data *d,
                       struct bt_error *err)
{
	float first = bt_task_target(d, 0)[0];
	size_t i = 1;

	if (j->o.train.embedding_loss == BT_EMBEDDING_COSINE ||
	    j->o.train.measure_only)
		return BT_OK;
	while (i < d->n && bt_task_target(d, i)[0] == first)
		i++;
	if (i < d->n || d->n <= 2) /* one pair: as of those without a score */
		return bt_job_compares(j, err);
	return bt_error_set(err, BT_EFORMAT,
	                    "all pairs have the score %g: there is nothing to "
	                    "tell apart",
	                    (double)first);
}

int bt_job_embedding_loss(struct bt_job *j, struct bt_error *err)
{
	static const char *const names[] = {"ranking", "cosent", "cosine"};
	const char *name = j->o.embedding_loss, *m;
	struct bt_task_data d = bt_dataset_targets(&j->train);
	bool scores = bt_task_has_scores(&d);
	int i = scores ? BT_EMBEDDING_COSENT : BT_EMBEDDING_RANKING;
	size_t k;
	int r;

	/* unless another was asked for */
	if (scores && j->o.train.metric == j->model.task->metric)
		j->o.train.metric = "spearman";
	m = j->o.train.metric;
	while (name != NULL && strcmp(names[i], name) != 0)
		i = (i + 1) % 3;
	j->o.train.embedding_loss = (enum bt_embedding_loss)i;
	if ((i == BT_EMBEDDING_RANKING) == scores)
		return bt_error_set(err, BT_EARG,
		                    "the loss %s is for pairs %s a score, and "
		                    "these have %s",
		                    names[i], scores ? "without" : "with",
		                    scores ? "scores" : "none");
	if (bt_str_in_list(scores ? "accuracy|mrr|ndcg_at_10|triplet_accuracy"
	                          : "pearson|spearman",
	                   m))
		return bt_error_set(err, BT_EARG,
		                    "the metric '%s' is for pairs %s a score, "
		                    "and these have %s",
		                    m, scores ? "without" : "with",
		                    scores ? "scores" : "none");
	for (k = 0; i == BT_EMBEDDING_COSINE && k < d.n; k++)
		if (!(fabsf(bt_task_target(&d, k)[0]) <= 1))
			return bt_error_set(
			    err, BT_EFORMAT,
			    "a pair has the score %g, and cosines are between "
			    "-1 and 1",
			    (double)bt_task_target(&d, k)[0]);
	if ((r = read_matryoshka(j, err)))
		return r;
	return check_pairs(j, &d, err);
}
