/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3: attention of one head of one sequence. Queries are taken in
 * tiles of TILE rows and keys in blocks, so the score matrix never exceeds a
 * tile by a block. The forward pass goes through the blocks with a running
 * maximum and sum of each row (Milakov and Gimelshein 2018, "Online normalizer
 * calculation for softmax"; Dao et al. 2022, "FlashAttention"), for several
 * tiles at a time, so that a block's keys and values stay in the second cache.
 * A score of a key that a query does not see, or that is not there, is minus
 * infinity.
 */
#ifndef BT_CPU_SIMD_ATTEND_INT_H
#define BT_CPU_SIMD_ATTEND_INT_H

#include "cpu/simd_attend_parts_int.h"
#include "cpu/simd_relative_int.h"

/* Of the scores of a query until now: the largest, and the sum of their
 * exponentials less it. */
struct running {
	float top, sum;
};

/* p = exponentials of the scores p times scale, less the largest until now.
 * Returns what earlier ones are to be multiplied with. */
VEC float exponentials(float *p, size_t width, float scale, struct running *r)
{
	vf s = v_set1(scale), top = v_set1(-INFINITY), sum = v_set1(0), e;
	float max, factor = 1;
	size_t j;

	for (j = 0; j < width; j += VL)
		top = v_max(top, v_load(p + j));
	max = v_highest(top) * scale;
	if (max > r->top) {
		if (r->sum > 0)
			factor = v_highest(v_exp(v_set1(r->top - max)));
		r->top = max;
	}
	top = v_set1(-r->top);
	for (j = 0; j < width; j += VL) {
		/* of minus infinity it is not 0, but below 1e-37 */
		e = v_exp(v_fma(v_load(p + j), s, top));
		v_store(p + j, e);
		sum = v_add(sum, e);
	}
	r->sum = r->sum * factor + v_sum(sum);
	return factor;
}

VEC void scale_row(float *x, size_t n, float factor)
{
	vf f = v_set1(factor);
	size_t j;

	for (j = 0; j < n; j += VL)
		v_store(x + j, v_mul(v_load(x + j), f));
}

/* What the forward pass lays out of a head. */
struct forward {
	size_t dp, keys; /* of a block */
	float *kt;       /* keys in panels */
	float *v;        /* [keys, dp] */
	float *q, *o;    /* [BT_ATTEND_QUERIES, dp]: queries, sums of values */
	float *p;        /* scores [TILE, keys] */
	float *m;        /* dropout */
	struct rel rel;
	struct running r[BT_ATTEND_QUERIES];
};

/* Exponentials of a tile of scores, from query i0 on, times their dropout; row
 * `at` of o and r is that of the first query. */
static void attend_rows(const struct bt_attend *a, struct forward *f,
                        struct seen s, size_t i0, size_t rows, size_t at)
{
	bool whole = s.first == 0 && s.end == a->n;
	const float *mask = f->m;
	float scale = a->scale, *p = f->p, factor;
	size_t i, from, to;

	if (whole)
		mask = tile_mask(a, i0, rows, f->m);
	for (i = i0; i < i0 + rows; i++, p += s.width, at++) {
		if (!row_seen(a, s, i, &from, &to)) {
			memset(p, 0, s.width * sizeof(*p));
			continue;
		}
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		set_unseen(s, from, to, -INFINITY, p);
		factor = exponentials(p, s.width, scale, &f->r[at]);
		if (factor < 1)
			scale_row(f->o + at * f->dp, f->dp, factor);
		if (a->drop.threshold == 0)
			continue;
		if (!whole)
			mask = row_mask(a, s, i, f->m);
		mask_row(p, mask, s.end - s.first);
		mask += a->n;
	}
}

/* Takes keys s for a tile of queries from i0 on, row `at` of q and o. */
static void attend_tile(const struct bt_attend *a, struct forward *f,
                        struct seen s, size_t i0, size_t rows, size_t at)
{
	size_t dp = f->dp;
	const float *q = f->q + at * dp;

	product(rows, s.width, a->d, (struct mat){q, dp, 1},
	        (struct panels){f->kt + s.first * dp, 16, 16 * dp}, f->p,
	        s.width, false);
	if (f->rel.n > 0)
		rel_add(a, &f->rel, i0, rows, q, dp, f->p, s.width);
	attend_rows(a, f, s, i0, rows, at);
	product(rows, dp, s.end - s.first, (struct mat){f->p, s.width, 1},
	        rows_of(f->v + s.first * dp, dp), f->o + at * dp, dp, true);
}

/* Queries i0 .. i0+rows-1, at most BT_ATTEND_QUERIES. */
static void attend_queries(const struct bt_attend *a, struct forward *f,
                           size_t i0, size_t rows)
{
	struct seen all = keys_seen(a, i0, rows), s;
	size_t es = a->bf16 ? 2 : 4, dp = f->dp, j, i, n;
	char *o = (char *)a->o + i0 * a->o_ld * es;

	unpack(a->bf16, (const char *)a->q + i0 * a->q_ld * es, a->q_ld, rows,
	       a->d, dp, f->q);
	rotate(a, i0, rows, dp, 1, f->q);
	memset(f->o, 0, rows * dp * sizeof(*f->o));
	for (i = 0; i < rows; i++)
		f->r[i] = (struct running){-INFINITY, 0};
	for (j = all.first; j < all.end; j += f->keys)
		for (i = 0; i < rows; i += TILE) {
			n = tile_rows(i, rows);
			s = keys_of_block(keys_seen(a, i0 + i, n), j, f->keys);
			if (s.first < s.end)
				attend_tile(a, f, s, i0 + i, n, i);
		}
	for (i = 0; i < rows; i++) {
		pack(a->bf16, f->o + i * dp, dp, 1, a->d, 1 / f->r[i].sum,
		     o + i * a->o_ld * es, a->o_ld);
		a->lse[(i0 + i) * a->lse_ld] = f->r[i].top + logf(f->r[i].sum);
	}
}

static void attend(const struct bt_attend *a)
{
	size_t n = a->n, np = bt_round_up(n, 16), dp = bt_round_up(a->d, 16);
	size_t es = a->bf16 ? 2 : 4, i, rows, each;
	bool rel = a->rel_row != NULL;
	float *k = a->scratch;
	struct forward f = {.dp = dp, .keys = bt_attend_keys(n, rel)};

	/* relative positions need the keys later */
	f.kt = k + (rel ? np : TILE) * dp;
	f.v = f.kt + np * dp;
	f.q = f.v + np * dp;
	each = bt_attend_queries(a->q_rows);
	f.o = f.q + each * dp;
	f.p = f.o + each * dp;
	f.m = f.p + TILE * f.keys;
	for (i = 0; i < n; i += TILE, k += rel ? TILE * dp : 0) {
		rows = tile_rows(i, n);
		unpack(a->bf16, (const char *)a->k + i * a->kv_ld * es,
		       a->kv_ld, rows, a->d, dp, k);
		rotate(a, i, rows, dp, 1, k);
		transpose_panels(k, rows, dp, f.kt + i * dp);
	}
	unpack(a->bf16, a->v, a->kv_ld, n, a->d, dp, f.v);
	rel_begin(a, a->scratch, dp, f.m + bt_attend_masks(n, f.keys), &f.rel);
	for (i = 0; i < a->q_rows; i += each)
		attend_queries(a, &f, i,
		               a->q_rows - i < each ? a->q_rows - i : each);
}

/* p = exp(scale p - lse). */
VEC void probabilities(float *p, size_t np, float scale, float lse)
{
	vf s = v_set1(scale), l = v_set1(lse);
	size_t j;

	for (j = 0; j < np; j += VL)
		v_store(p + j, v_exp(v_sub(v_mul(v_load(p + j), s), l)));
}

/* dp (holding dO V', so zeros behind n) becomes dS = p (mask dp - dot); p
 * becomes p mask. */
VEC void score_gradients(float *p, float *dp, const float *m, size_t n,
                         size_t np, bool drop)
{
	vf sum = v_set1(0);
	size_t j;

	if (drop)
		mask_row(dp, m, n);
	for (j = 0; j < np; j += VL)
		sum = v_fma(v_load(p + j), v_load(dp + j), sum);
	sum = v_set1(v_sum(sum));
	for (j = 0; j < np; j += VL)
		v_store(dp + j,
		        v_mul(v_load(p + j), v_sub(v_load(dp + j), sum)));
	if (drop)
		mask_row(p, m, n);
}

/* Of a tile of scores p and of dO V' dp, from query i0 on: the probabilities
 * times their dropout, and the gradients of the scores. */
static void attend_back_rows(const struct bt_attend *a, struct seen s,
                             size_t i0, size_t rows, float *p, float *dp,
                             float *m)
{
	const float *mask = m;
	float scale = a->scale;
	size_t i, n = s.end - s.first, from, to;

	if (a->window == 0)
		mask = tile_mask(a, i0, rows, m);
	for (i = i0; i < i0 + rows; i++, p += s.width, dp += s.width) {
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		probabilities(p, s.width, scale, a->lse[i * a->lse_ld]);
		if (a->window != 0) {
			row_seen(a, s, i, &from, &to);
			set_unseen(s, from, to, 0, p);
			mask = row_mask(a, s, i, m);
		}
		score_gradients(p, dp, mask, n, s.width,
		                a->drop.threshold != 0);
		if (a->window == 0)
			mask += n;
		if (a->bias != NULL)
			bias_gradient(a, s, i, dp);
	}
}

static void attend_back(const struct bt_attend *a)
{
	size_t n = a->n, d = a->d, np = bt_round_up(n, 16), i0, rows, seen;
	size_t dw = bt_round_up(d, 16), es = a->bf16 ? 2 : 4;
	float *k = a->scratch, *kt = k + np * dw, *v = kt + dw * np;
	float *vt = v + np * dw, *dk = vt + dw * np, *dv = dk + n * dw;
	float *q = dv + n * dw, *g = q + TILE * dw, *p = g + TILE * dw;
	float *dp = p + TILE * np, *m = dp + TILE * np;
	const char *q0 = a->q, *g0 = a->dout;
	struct rel rel;
	char *dq0 = a->dq;
	struct seen s;

	unpack(a->bf16, a->k, a->kv_ld, n, d, dw, k);
	unpack(a->bf16, a->v, a->kv_ld, n, d, dw, v);
	rotate(a, 0, n, dw, 1, k);
	transpose(k, n, dw, np, kt);
	transpose(v, n, dw, np, vt);
	if (!a->resumes)
		memset(dk, 0, 2 * n * dw * sizeof(*dk));
	rel_begin(a, k, dw, m + bt_drop_room(TILE * n) + 128, &rel);
	rel_back_begin(a, &rel, dw);
	for (i0 = 0; i0 < a->q_rows; i0 += TILE) {
		rows = a->q_rows - i0 < TILE ? a->q_rows - i0 : TILE;
		s = keys_seen(a, i0, rows);
		seen = s.end - s.first;
		unpack(a->bf16, q0 + i0 * a->q_ld * es, a->q_ld, rows, d, dw,
		       q);
		unpack(a->bf16, g0 + i0 * a->o_ld * es, a->o_ld, rows, d, dw,
		       g);
		rotate(a, i0, rows, dw, 1, q);
		product(rows, s.width, d, (struct mat){q, dw, 1},
		        rows_of(kt + s.first, np), p, s.width, false);
		if (rel.n > 0)
			rel_add(a, &rel, i0, rows, q, dw, p, np);
		product(rows, s.width, d, (struct mat){g, dw, 1},
		        rows_of(vt + s.first, np), dp, s.width, false);
		attend_back_rows(a, s, i0, rows, p, dp, m);
		if (rel.n > 0)
			rel_back_tile(a, &rel, i0, rows, q, dw, dp, np);
		product(seen, dw, rows, (struct mat){p, 1, s.width},
		        rows_of(g, dw), dv + s.first * dw, dw, true);
		product(seen, dw, rows, (struct mat){dp, 1, s.width},
		        rows_of(q, dw), dk + s.first * dw, dw, true);
		product(rows, dw, seen, (struct mat){dp, s.width, 1},
		        rows_of(k + s.first * dw, dw), q, dw, false);
		rel_back_queries(a, &rel, i0, rows, dw, q);
		rotate(a, i0, rows, dw, -1, q);
		pack(a->bf16, q, dw, rows, d, a->scale, dq0 + i0 * a->q_ld * es,
		     a->q_ld);
	}
	rel_back_end(a, &rel, k, dw, dk);
	if (a->continues)
		return;
	rotate(a, 0, n, dw, -1, dk);
	pack(a->bf16, dk, dw, n, d, a->scale, a->dk, a->kv_ld);
	pack(a->bf16, dv, dw, n, d, 1.0f, a->dv, a->kv_ld);
}

#endif
