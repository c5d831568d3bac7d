/* SPDX-License-Identifier: MIT */
#include "optim/rows.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 8            /* rows of a piece of work that has few */
#define SWEEP ((size_t)64) /* of one that has all */

struct bt_late_row {
	int32_t id;
	uint8_t at;
};

int bt_rows_init(struct bt_optim_rows *r, double eps, struct bt_error *err)
{
	size_t threads = (size_t)bt_pool_threads(r->pool);

	r->at = bt_array0(r->n, sizeof(*r->at));
	r->live = bt_array(r->n, sizeof(*r->live));
	r->late = bt_array(r->n, sizeof(*r->late));
	r->order = bt_array(r->n, sizeof(*r->order));
	r->piece = bt_array0(threads * r->piece_size, sizeof(*r->piece));
	if (r->at == NULL || r->live == NULL || r->late == NULL ||
	    r->order == NULL || r->piece == NULL)
		return bt_error_nomem(err, "preparing the optimizer");
	r->all_live = !(eps > 0);
	memset(r->live, r->all_live, r->n);
	return BT_OK;
}

size_t bt_rows_bytes(size_t n)
{
	return n * (2 + sizeof(struct bt_late_row) + sizeof(uint64_t));
}

void bt_rows_clear(struct bt_optim_rows *r)
{
	free(r->at);
	free(r->live);
	free(r->late);
	free(r->order);
	free(r->piece);
}

static bool is_zero(const float *x, size_t n)
{
	uint32_t bits = 0, one;
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(&one, x + i, sizeof(one));
		bits |= one;
	}
	return bits == 0;
}

void bt_rows_go_on(struct bt_optim_rows *r)
{
	size_t i, c = r->cols;

	r->n_past = 0;
	r->decays = false;
	memset(r->at, 0, r->n);
	for (i = r->first; i < r->last; i++)
		r->live[i] = r->all_live || !is_zero(r->m + i * c, c) ||
		             !is_zero(r->v + i * c, c);
}

/* What the rows of a piece of work are brought up to date with. */
struct job {
	struct bt_optim_rows *r;
	float *p; /* the table */
	const struct bt_row_grads *g;
	const struct bt_adamw *w;
	size_t n; /* of late rows, or rows with gradients */
};

static void make_up(const struct job *j, size_t row, size_t at)
{
	const struct bt_optim_rows *r = j->r;
	size_t i = row * r->cols;
	bool live = r->live[row];

	if (live || r->decays)
		r->k->adamw_idle(r->past + at, r->n_past - at, j->p + i,
		                 live ? r->m + i : NULL, live ? r->v + i : NULL,
		                 r->cols);
}

static void late_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	size_t i = (size_t)piece * CHUNK, end = i + CHUNK;

	(void)worker;
	for (; i < end && i < j->n; i++)
		make_up(j, (size_t)j->r->late[i].id, j->r->late[i].at);
}

static void sweep_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	size_t i = j->r->first + (size_t)piece * SWEEP, end = i + SWEEP;

	(void)worker;
	for (; i < end && i < j->r->last; i++)
		if (j->r->at[i] < j->r->n_past)
			make_up(j, i, j->r->at[i]);
}

static int pieces(size_t n, size_t size)
{
	return (int)((n + size - 1) / size);
}

void bt_rows_catch_up(struct bt_optim_rows *r, float *params,
                      const int32_t *ids, size_t n)
{
	struct job j = {.r = r, .p = params + r->offset};
	size_t i;

	for (i = 0; i < n; i++)
		if (r->at[ids[i]] < r->n_past) {
			r->late[j.n++] =
			    (struct bt_late_row){ids[i], r->at[ids[i]]};
			r->at[ids[i]] = (uint8_t)r->n_past;
		}
	bt_pool_run(r->pool, late_piece, &j, pieces(j.n, CHUNK));
}

void bt_rows_catch_up_all(struct bt_optim_rows *r, float *params)
{
	struct job j = {.r = r, .p = params + r->offset};

	if (r->n_past == 0)
		return;
	bt_pool_run(r->pool, sweep_piece, &j,
	            pieces(r->last - r->first, SWEEP));
	memset(r->at, 0, r->n);
	r->n_past = 0;
	r->decays = false;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

void bt_rows_take(struct bt_optim_rows *r, const struct bt_row_grads *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		r->order[i] = (uint64_t)g->ids[i] << 32 | i;
	r->n_order = g->n;
	qsort(r->order, g->n, sizeof(*r->order), by_number);
}

/* The first of the ordered rows that is not before that one. */
static size_t first_from(const struct bt_optim_rows *r, size_t row)
{
	size_t lo = 0, hi = r->n_order, middle;

	while (lo < hi) {
		middle = (lo + hi) / 2;
		if (r->order[middle] >> 32 < row)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

/* What an ordered row has of floats at .. end - 1 of the table. */
struct overlap {
	size_t from, n; /* of the table's floats */
	const float *g;
};

static bool overlaps(const struct bt_optim_rows *r,
                     const struct bt_row_grads *g, size_t k, size_t at,
                     size_t end, struct overlap *o)
{
	size_t row, first, last;

	if (k >= r->n_order)
		return false;
	row = (size_t)(r->order[k] >> 32);
	first = row * r->cols;
	last = first + r->cols;
	if (first >= end)
		return false;
	o->from = first > at ? first : at;
	o->n = (last < end ? last : end) - o->from;
	o->g = g->values + (r->order[k] & UINT32_MAX) * r->cols +
	       (o->from - first);
	return true;
}

double bt_rows_squares(const struct bt_optim_rows *r,
                       const struct bt_row_grads *g, size_t at, size_t n,
                       int worker)
{
	float *x = r->piece + (size_t)worker * r->piece_size;
	size_t first = first_from(r, at / r->cols), k;
	struct overlap o;
	double sum;

	if (!overlaps(r, g, first, at, at + n, &o))
		return 0;
	for (k = first; overlaps(r, g, k, at, at + n, &o); k++)
		memcpy(x + (o.from - at), o.g, o.n * sizeof(*x));
	sum = r->k->sum_squares(x, n);
	for (k = first; overlaps(r, g, k, at, at + n, &o); k++)
		memset(x + (o.from - at), 0, o.n * sizeof(*x));
	return sum;
}

static void update_piece(void *arg, int piece, int worker)
{
	const struct job *j = arg;
	struct bt_optim_rows *r = j->r;
	size_t i = (size_t)piece * CHUNK, end = i + CHUNK, at;

	(void)worker;
	for (; i < end && i < j->n; i++) {
		at = (size_t)j->g->ids[i] * r->cols;
		r->k->adamw(j->w, j->p + at, r->m + at, r->v + at,
		            j->g->values + i * r->cols, r->cols);
	}
}

void bt_rows_update(struct bt_optim_rows *r, const struct bt_adamw *w,
                    float *params, const struct bt_row_grads *g)
{
	struct job j = {r, params + r->offset, g, w, g->n};
	size_t i;

	bt_rows_catch_up(r, params, g->ids, g->n);
	r->past[r->n_past++] = *w;
	r->decays |= w->keep != 1;
	for (i = 0; i < g->n; i++) {
		r->at[g->ids[i]] = (uint8_t)r->n_past;
		r->live[g->ids[i]] = 1;
	}
	bt_pool_run(r->pool, update_piece, &j, pieces(j.n, CHUNK));
	if (r->n_past == BT_ROWS_PAST)
		bt_rows_catch_up_all(r, params);
}
