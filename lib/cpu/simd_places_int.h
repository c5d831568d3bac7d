/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3b: what distances between tokens add to the scores of a head.
 * All products of its keys with the places' queries are made at once, by place;
 * those of its queries with the places' keys for each tile. Then each pair of
 * tokens picks its own.
 */
#ifndef BT_CPU_SIMD_PLACES_INT_H
#define BT_CPU_SIMD_PLACES_INT_H

/* The part of a template for which this is written: product, unpack,
 * transpose of simd_attend_int.h. */

struct places {
	size_t first, n, np; /* rows of the places in use, rounded up to 16 */
	int32_t base;        /* the first one's number */
	const int32_t *row;  /* numbers of each distance */
	float *k, *kt, *q;   /* [np, dp], [dp, np], [np, dp] or NULL */
	float *qk, *kq;      /* scores [TILE, np], [np, keys] */
	float *dqk, *dkq;    /* their gradients */
};

/* Lays out what the head needs in scratch, where the gradients come last. kt:
 * the head's keys [dp, nk]. */
static void places_begin(const struct bt_attend *a, const float *kt, size_t nk,
                         size_t dp, float *scratch, struct places *s)
{
	size_t es = a->low ? 2 : 4, at;
	int32_t lo, hi;

	memset(s, 0, sizeof(*s));
	if (a->place == NULL)
		return;
	lo = a->place[-(ptrdiff_t)(a->n - 1)];
	hi = a->place[a->q_rows - 1];
	s->base = lo;
	s->first = (size_t)(lo - a->place0);
	s->n = (size_t)(hi - lo + 1);
	s->np = bt_round_up(s->n, 16);
	s->row = a->place;
	at = s->first * a->place_ld * es;
	s->kt = scratch + s->np * dp;
	s->qk = s->kt + 2 * s->np * dp;
	s->kq = s->qk + TILE * s->np;
	s->dqk = s->kq + s->np * nk;
	s->dkq = s->dqk + TILE * s->np;
	if (a->place_k != NULL) {
		s->k = scratch;
		unpack(a->low, (const char *)a->place_k + at, a->place_ld, s->n,
		       a->d, dp, s->k);
		transpose(s->k, s->n, dp, s->np, s->kt);
	}
	if (a->place_q != NULL) {
		s->q = s->kt + s->np * dp;
		unpack(a->low, (const char *)a->place_q + at, a->place_ld, s->n,
		       a->d, dp, s->q);
		product(s->n, nk, a->d, (struct mat){s->q, dp, 1}, kt, nk,
		        s->kq, nk, false);
	}
}

/* Adds to the scores p [rows, nk] of queries q from i0 on. */
static void places_add(const struct bt_attend *a, const struct places *s,
                       size_t i0, size_t rows, const float *q, size_t dp,
                       float *p, size_t nk)
{
	const int32_t *row;
	const float *qk;
	size_t i, j, r;

	if (s->k != NULL)
		product(rows, s->np, a->d, (struct mat){q, dp, 1}, s->kt, s->np,
		        s->qk, s->np, false);
	for (i = 0; i < rows; i++, p += nk) {
		row = s->row + i0 + i;
		qk = s->qk + i * s->np;
		for (j = 0; j < a->n; j++) {
			r = (size_t)(row[-(ptrdiff_t)j] - s->base);
			if (s->k != NULL)
				p[j] += qk[r];
			if (s->q != NULL)
				p[j] += s->kq[r * nk + j];
		}
	}
}

static void places_back_begin(const struct places *s, size_t nk)
{
	if (s->q != NULL)
		memset(s->dkq, 0, s->np * nk * sizeof(*s->dkq));
}

/* Of the scores' gradients dp [rows, nk] of a tile: their sums by place, and
 * what these give the places' keys. q: the queries. */
static void places_back_tile(const struct bt_attend *a, const struct places *s,
                             size_t i0, size_t rows, const float *q, size_t dw,
                             const float *dp, size_t nk)
{
	const int32_t *row;
	float *dqk = s->dqk;
	size_t i, j, r;

	if (s->k != NULL)
		memset(dqk, 0, rows * s->np * sizeof(*dqk));
	for (i = 0; i < rows; i++, dp += nk, dqk += s->np) {
		row = s->row + i0 + i;
		for (j = 0; j < a->n; j++) {
			r = (size_t)(row[-(ptrdiff_t)j] - s->base);
			if (s->k != NULL)
				dqk[r] += dp[j];
			if (s->q != NULL)
				s->dkq[r * nk + j] += dp[j];
		}
	}
	if (s->k != NULL)
		product(s->n, dw, rows, (struct mat){s->dqk, 1, s->np}, q, dw,
		        a->dplace_k + s->first * dw, dw, true);
}

/* Adds to the gradients dq [rows, dw] of a tile's queries. */
static void places_back_queries(const struct places *s, size_t rows, size_t dw,
                                float *dq)
{
	if (s->k != NULL)
		product(rows, dw, s->n, (struct mat){s->dqk, s->np, 1}, s->k,
		        dw, dq, dw, true);
}

/* Adds to the gradients dk [n, dw] of the keys k, and to those of the places'
 * queries. */
static void places_back_keys(const struct bt_attend *a, const struct places *s,
                             const float *k, size_t dw, size_t nk, float *dk)
{
	if (s->q == NULL)
		return;
	product(a->n, dw, s->n, (struct mat){s->dkq, 1, nk}, s->q, dw, dk, dw,
	        true);
	product(s->n, dw, a->n, (struct mat){s->dkq, nk, 1}, k, dw,
	        a->dplace_q + s->first * dw, dw, true);
}

#endif
