/* SPDX-License-Identifier: MIT */
#include "recordset/group_folds.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "recordset/random_state_int.h"

/* As NumPy adds up: results must not differ in the last bit, which ties are
 * decided by. */
#define PAIRWISE 128

struct rank {
	double key; /* smaller ones first, */
	uint32_t i; /* equal ones by this */
};

struct work {
	const struct bt_group_folds *g;
	double *count;      /* [groups][classes] records, in shuffled order */
	double *filled;     /* [folds][classes] of those that are dealt */
	double *total;      /* [classes] */
	double *share;      /* [folds][classes] room */
	double *mean, *std; /* [classes] room */
	struct rank *rank;  /* [groups] */
	uint32_t *place;    /* [groups] where each is in that order */
	uint32_t *fold_of;  /* [groups] by place, or by group */
};

static double add_up(const double *x, size_t n)
{
	double r[8], sum;
	size_t i, k, half;

	if (n < 8) {
		for (i = 0, sum = 0; i < n; i++)
			sum += x[i];
		return sum;
	}
	if (n > PAIRWISE) {
		half = n / 2;
		half -= half % 8;
		return add_up(x, half) + add_up(x + half, n - half);
	}
	memcpy(r, x, sizeof(r));
	for (i = 8; i < n - n % 8; i += 8)
		for (k = 0; k < 8; k++)
			r[k] += x[i + k];
	sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

/* The standard deviation of n numbers; room is [n]. */
static double deviation(const double *x, size_t n, double *room)
{
	double mean = add_up(x, n) / (double)n;
	size_t i;

	for (i = 0; i < n; i++)
		room[i] = (x[i] - mean) * (x[i] - mean);
	return sqrt(add_up(room, n) / (double)n);
}

/* The mean over classes of the deviation of their shares over folds, if fold f
 * got the group as well. */
static double unevenness(const struct work *w, const double *group, uint32_t f)
{
	size_t classes = w->g->classes, folds = w->g->folds, i, k;
	double x;

	for (i = 0; i < folds; i++)
		for (k = 0; k < classes; k++) {
			x = w->filled[i * classes + k];
			if (i == f)
				x += group[k];
			w->share[i * classes + k] = x / w->total[k];
		}
	for (k = 0; k < classes; k++)
		w->mean[k] = w->std[k] = 0;
	for (i = 0; i < folds; i++)
		for (k = 0; k < classes; k++)
			w->mean[k] += w->share[i * classes + k];
	for (i = 0; i < folds; i++)
		for (k = 0; k < classes; k++) {
			x = w->share[i * classes + k] -
			    w->mean[k] / (double)folds;
			w->std[k] += x * x;
		}
	for (k = 0; k < classes; k++)
		w->std[k] = sqrt(w->std[k] / (double)folds);
	return add_up(w->std, classes) / (double)classes;
}

/* numpy.isclose */
static bool is_close(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-8 + 1e-5 * fabs(b);
}

static uint32_t best_fold(const struct work *w, const double *group)
{
	size_t classes = w->g->classes;
	double least = INFINITY, fewest = INFINITY, x, n;
	uint32_t f, best = 0;

	for (f = 0; f < w->g->folds; f++) {
		x = unevenness(w, group, f);
		n = add_up(w->filled + f * classes, classes);
		if (!(x < least || (is_close(x, least) && n < fewest)))
			continue;
		least = x;
		fewest = n;
		best = f;
	}
	return best;
}

static int by_rank(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

/* Where each group is in a random order. */
static int shuffle(const struct work *w, struct bt_error *err)
{
	uint32_t groups = w->g->groups, i;
	struct bt_bitpack order = BT_BITPACK_INIT;
	struct bt_mt19937 t;

	if (bt_bitpack_init(&order, groups, groups) != BT_OK)
		return bt_error_nomem(err, "making folds");
	for (i = 0; i < groups; i++)
		bt_bitpack_set(&order, i, i);
	bt_mt19937_init(&t, w->g->seed);
	bt_random_state_shuffle_packed(&t, &order, 0, groups);
	for (i = 0; i < groups; i++)
		w->place[bt_bitpack_get(&order, i)] = i;
	bt_bitpack_clear(&order);
	return BT_OK;
}

/* Groups whose classes are the least even are dealt first, each to the fold
 * that makes the shares of classes the most even. */
static int stratified(const struct work *w, struct bt_error *err)
{
	const struct bt_group_folds *g = w->g;
	size_t classes = g->classes, i, k, c;
	const double *group;
	uint32_t p, f;
	int r = shuffle(w, err);

	if (r != BT_OK)
		return r;
	for (i = 0; i < g->n; i++) {
		c = bt_bitpack_get(g->class, i);
		w->total[c]++;
		w->count[w->place[bt_bitpack_get(g->group, i)] * classes + c]++;
	}
	for (p = 0; p < g->groups; p++)
		w->rank[p] = (struct rank){
		    -deviation(w->count + p * classes, classes, w->mean), p};
	qsort(w->rank, g->groups, sizeof(*w->rank), by_rank);
	for (i = 0; i < g->groups; i++) {
		p = w->rank[i].i;
		group = w->count + p * classes;
		f = w->fold_of[p] = best_fold(w, group);
		for (k = 0; k < classes; k++)
			w->filled[f * classes + k] += group[k];
	}
	return BT_OK;
}

/* The largest groups are dealt first, each to the smallest fold. */
static void plain(const struct work *w)
{
	const struct bt_group_folds *g = w->g;
	uint32_t i, f, best;

	for (i = 0; i < g->groups; i++)
		w->place[i] = i;
	for (i = 0; i < g->n; i++)
		w->count[bt_bitpack_get(g->group, i)]++;
	/* from behind: of equal ones the last comes first */
	for (i = 0; i < g->groups; i++)
		w->rank[i] = (struct rank){w->count[i], i};
	qsort(w->rank, g->groups, sizeof(*w->rank), by_rank);
	for (i = g->groups; i-- > 0;) {
		for (f = 1, best = 0; f < g->folds; f++)
			if (w->filled[f] < w->filled[best])
				best = f;
		w->fold_of[w->rank[i].i] = best;
		w->filled[best] += w->rank[i].key;
	}
}

static int make_room(struct work *w, struct bt_error *err)
{
	const struct bt_group_folds *g = w->g;
	size_t classes = g->class != NULL ? g->classes : 1, cells;

	if (bt_size_mul(g->groups, classes, &cells))
		w->count = bt_array0(cells, sizeof(double));
	w->filled = bt_array0(g->folds * classes, sizeof(double));
	w->share = bt_array0(g->folds * classes, sizeof(double));
	w->total = bt_array0(classes, sizeof(double));
	w->mean = bt_array0(classes, sizeof(double));
	w->std = bt_array0(classes, sizeof(double));
	w->rank = bt_array0(g->groups, sizeof(*w->rank));
	w->place = bt_array0(g->groups, sizeof(*w->place));
	w->fold_of = bt_array0(g->groups, sizeof(*w->fold_of));
	if (w->count == NULL || w->filled == NULL || w->share == NULL ||
	    w->total == NULL || w->mean == NULL || w->std == NULL ||
	    w->rank == NULL || w->place == NULL || w->fold_of == NULL)
		return bt_error_nomem(err, "making folds");
	return BT_OK;
}

int bt_group_folds_choose(const struct bt_group_folds *g,
                          struct bt_bitpack *fold, struct bt_error *err)
{
	struct work w = {.g = g};
	uint32_t i;
	int r = BT_OK;

	if (g->groups < g->folds)
		return bt_error_set(err, BT_EFORMAT,
		                    "%u folds need as many groups, and there "
		                    "are %u",
		                    g->folds, g->groups);
	if (bt_bitpack_init(fold, g->n, g->folds - 1) != BT_OK)
		return bt_error_nomem(err, "making folds");
	r = make_room(&w, err);
	if (r == BT_OK && g->class != NULL)
		r = stratified(&w, err);
	else if (r == BT_OK)
		plain(&w);
	for (i = 0; r == BT_OK && i < g->n; i++)
		bt_bitpack_set(fold, i,
		               w.fold_of[w.place[bt_bitpack_get(g->group, i)]]);
	free(w.count);
	free(w.filled);
	free(w.share);
	free(w.total);
	free(w.mean);
	free(w.std);
	free(w.rank);
	free(w.place);
	free(w.fold_of);
	return r;
}
