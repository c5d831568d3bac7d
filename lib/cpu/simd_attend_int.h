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
 *
 * The backward pass goes the same way and computes the probabilities again,
 * from the logarithms of the sums. The mean that a row's gradients of
 * probabilities are lowered by, with these as weights, it takes from the
 * product of the row's outputs and their gradients; but not where it sees the
 * whole row at once: outputs in bf16 would cost digits there.
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

/* p = exponentials of a row of scores p times scale, less the largest until
 * now, times multipliers m of dropout or NULL. Returns what earlier ones are to
 * be multiplied with. */
VEC float exponentials(const bool pairs, float *p, const float *m,
                       struct row row, float scale, struct running *r)
{
	vf s = v_set1(scale), top = v_set1(-INFINITY), sum = v_set1(0), e;
	float max, factor = 1;
	size_t j;

	for (j = 0; j < row.width; j += VL)
		top = v_max(top, row_scores(p, row, j));
	max = v_highest(top) * scale;
	if (max > r->top) {
		if (r->sum > 0)
			factor = v_highest(v_exp(v_set1(r->top - max)));
		r->top = max;
	}
	top = v_set1(-r->top);
	for (j = 0; j < row.width; j += VL) {
		/* of minus infinity it is not 0, but below 1e-37 */
		e = v_fma(row_scores(p, row, j), s, top);
		e = pairs ? v_exp_bf16(e) : v_exp(e);
		sum = v_add(sum, e);
		if (m != NULL)
			e = v_mul(e, row_mults(m, row, j));
		put(pairs, p, j, e);
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
	enum operands kind;
	bool pairs;      /* it is not FLOATS */
	size_t dp, keys; /* of a block */
	size_t row;      /* elements of dp columns in a product along them */
	size_t depth;    /* and without those that are zeros */
	float *kt;       /* keys in panels [row, 16] */
	float *v;        /* [keys, dp] */
	float *q;        /* [BT_ATTEND_QUERIES, row] */
	float *o;        /* [BT_ATTEND_QUERIES, dp] sums of values */
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
	float scale = a->scale, *p = f->p, factor;
	size_t i, n = s.end - s.first;
	struct row row;
	bool drop = a->drop.threshold != 0;
	const float *mask = NULL;

	if (whole && drop)
		mask = tile_mask(a, i0, rows, f->m);
	for (i = i0; i < i0 + rows; i++, p += s.width, at++) {
		if (!row_seen(a, s, i, &row)) {
			memset(p, 0, s.width * sizeof(*p));
			continue;
		}
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		if (!whole && drop)
			mask = row_mask(a, s, i, f->m);
		factor =
		    PAIRS && f->pairs
		        ? exponentials(true, p, mask, row, scale, &f->r[at])
		        : exponentials(false, p, mask, row, scale, &f->r[at]);
		if (factor < 1)
			scale_row(f->o + at * f->dp, f->dp, factor);
		if (drop)
			mask += n;
	}
}

/* Takes keys s for a tile of queries from i0 on, row `at` of q and o. add: to
 * what o holds already. */
static void attend_tile(const struct bt_attend *a, struct forward *f,
                        struct seen s, size_t i0, size_t rows, size_t at,
                        bool add)
{
	size_t dp = f->dp, row = f->row, each = f->pairs ? 2 : 1;
	const float *q = f->q + at * row;

	product_any(f->kind, rows, s.width, f->depth, (struct mat){q, row, 1},
	            panels_of(f->kt + s.first * row, row), f->p, s.width,
	            false);
	if (f->rel.n > 0)
		rel_add(a, &f->rel, i0, rows, q, dp, f->p, s.width);
	attend_rows(a, f, s, i0, rows, at);
	product_any(f->kind, rows, dp, (s.end - s.first + each - 1) / each,
	            (struct mat){f->p, s.width, 1},
	            rows_of(f->v + s.first / each * dp, dp), f->o + at * dp, dp,
	            add);
}

/* Queries i0 .. i0+rows-1, at most BT_ATTEND_QUERIES. */
static void attend_queries(const struct bt_attend *a, struct forward *f,
                           size_t i0, size_t rows)
{
	struct seen all = keys_seen(a, i0, rows), seen, s;
	size_t es = a->bf16 ? 2 : 4, dp = f->dp, j, i, n;
	char *o = (char *)a->o + i0 * a->o_ld * es;

	if (f->pairs) {
		turned_pairs(a, rows_from(a->q, a->q_ld, i0, rows), i0, dp,
		             f->q, f->q, NULL);
	} else {
		unpack(a->bf16, (const char *)a->q + i0 * a->q_ld * es, a->q_ld,
		       rows, a->d, dp, f->q);
		rotate(a, i0, rows, dp, 1, f->q);
	}
	for (i = 0; i < rows; i++)
		f->r[i] = (struct running){-INFINITY, 0};
	for (j = all.first; j < all.end; j += f->keys)
		for (i = 0; i < rows; i += TILE) {
			n = tile_rows(i, rows);
			seen = keys_seen(a, i0 + i, n);
			s = keys_of_block(seen, j, f->keys);
			if (s.first < s.end)
				attend_tile(a, f, s, i0 + i, n, i,
				            s.first > seen.first);
		}
	for (i = 0; i < rows; i++) {
		pack(a->bf16, f->o + i * dp, dp, 1, a->d, 1 / f->r[i].sum,
		     o + i * a->o_ld * es, a->o_ld);
		if (a->lse != NULL)
			a->lse[(i0 + i) * a->lse_ld] =
			    f->r[i].top + logf(f->r[i].sum);
	}
}

/* Lays out keys and values, of which x holds a tile; with relative positions it
 * keeps all keys. */
static void lay_out(const struct bt_attend *a, struct forward *f, float *x)
{
	size_t es = a->bf16 ? 2 : 4, i, rows, dp = f->dp;
	const char *k = a->k, *v = a->v;

	for (i = 0; i < a->n; i += TILE) {
		rows = tile_rows(i, a->n);
		if (f->pairs) {
			turned_pairs(a, rows_from(k, a->kv_ld, i, rows), i, dp,
			             x, x, NULL);
			interleave_rows(rows_from(v, a->kv_ld, i, rows), a->d,
			                dp, f->v + i / 2 * dp);
		} else {
			unpack(a->bf16, k + i * a->kv_ld * es, a->kv_ld, rows,
			       a->d, dp, x);
			rotate(a, i, rows, dp, 1, x);
		}
		transpose_panels(x, rows, f->row, f->kt + i * f->row);
		if (a->rel_row != NULL)
			x += rows * dp;
	}
	if (!f->pairs)
		unpack(a->bf16, v, a->kv_ld, a->n, a->d, dp, f->v);
}

static void attend_with(const struct bt_attend *a, enum operands kind)
{
	size_t n = a->n, np = bt_round_up(n, 16), i;
	size_t each = bt_attend_queries(a->q_rows);
	bool rel = a->rel_row != NULL, pairs = kind != FLOATS;
	float *k = a->scratch;
	struct forward f; /* not set to zeros first, which takes long */

	f.kind = kind;
	f.pairs = pairs;
	f.keys = bt_attend_keys(n, rel);
	f.dp = bt_round_up(a->d, pairs ? 32 : 16);
	f.row = pairs ? f.dp / 2 : f.dp;
	f.depth = pairs ? (a->d + 1) / 2 : a->d;
	f.kt = k + (rel ? np : TILE) * f.dp;
	f.v = f.kt + np * f.row;
	f.q = f.v + np * f.dp;
	f.o = f.q + each * f.dp;
	f.p = f.o + each * f.dp;
	f.m = f.p + TILE * f.keys;
	lay_out(a, &f, k);
	rel_begin(a, k, f.dp, f.m + bt_attend_masks(n, f.keys), &f.rel);
	for (i = 0; i < a->q_rows; i += each)
		attend_queries(a, &f, i,
		               a->q_rows - i < each ? a->q_rows - i : each);
}

static void attend(const struct bt_attend *a)
{
	attend_with(a, has_pairs(a) ? PAIRS_OF_BF16 : FLOATS);
}

/* What the backward pass lays out of a head. */
struct backward {
	enum operands kind;
	bool pairs;      /* it is not FLOATS */
	size_t dw, keys; /* of a block */
	size_t row;      /* elements of dw columns in a product along them */
	size_t depth;    /* and without those that are zeros */
	float *kt, *vt;  /* keys and values in panels [row, 16] */
	float *k;        /* [keys, dw], or pairs of keys */
	float *dk, *dv;  /* [keys, dw] */
	float *q, *g;    /* [BT_ATTEND_QUERIES, row]: queries, dO */
	float *q2, *g2;  /* the same, or pairs of rows: [.. / 2, dw] */
	float *dq;       /* [BT_ATTEND_QUERIES, dw] */
	float *p, *dp;   /* scores and gradients [TILE, keys], then pairs of
	                  * rows */
	float *ds; /* dp, or pairs along its rows, then for tiles along the
	            * columns of p and dp */
	float *m;  /* dropout */
	struct rel rel;
	float mean[BT_ATTEND_QUERIES]; /* of a row's gradients */
};

/* The gradients dp of the probabilities of a row with scores p, and multipliers
 * m of dropout or NULL, become those of the scores, and p the probabilities
 * times m. mean: of all gradients of the row, or NULL where these are all. */
VEC void back_row(const bool pairs, float *p, float *dp, const float *m,
                  struct row row, float scale, float lse, const float *mean)
{
	vf s = v_set1(scale), less = v_set1(-lse), sum = v_set1(0), e, d;
	size_t j;

	for (j = 0; j < row.width; j += VL) {
		e = v_fma(row_scores(p, row, j), s, less);
		e = pairs ? v_exp_bf16(e) : v_exp(e);
		d = v_load(dp + j);
		if (m != NULL) {
			d = v_mul(d, row_mults(m, row, j));
			v_store(dp + j, d);
		}
		v_store(p + j, e);
		sum = v_fma(e, d, sum);
	}
	sum = v_set1(mean != NULL ? *mean : v_sum(sum));
	for (j = 0; j < row.width; j += VL) {
		e = v_load(p + j);
		v_store(dp + j, v_mul(e, v_sub(v_load(dp + j), sum)));
		if (m != NULL)
			v_store(p + j, v_mul(e, row_mults(m, row, j)));
	}
}

/* Of a tile of scores and of dO V', from query i0 on: the probabilities times
 * their dropout, and the gradients of the scores. Row `at` of mean is that of
 * the first query, where the tile sees more than s. */
static void back_rows(const struct bt_attend *a, struct backward *b,
                      struct seen s, size_t i0, size_t rows, size_t at)
{
	bool whole = s.first == 0 && s.end == a->n;
	float scale = a->scale, *p = b->p, *dp = b->dp;
	size_t i, n = s.end - s.first;
	struct row row;
	struct seen all = keys_seen(a, i0, rows);
	const float *mask = NULL, *mean = b->mean + at;
	bool cut = s.first > all.first || s.end < all.end;

	if (whole && a->drop.threshold != 0)
		mask = tile_mask(a, i0, rows, b->m);
	for (i = i0; i < i0 + rows; i++, p += s.width, dp += s.width, mean++) {
		if (!row_seen(a, s, i, &row)) {
			memset(p, 0, s.width * sizeof(*p));
			memset(dp, 0, s.width * sizeof(*dp));
			continue;
		}
		if (a->bias != NULL)
			scale = bias_row(a, s, i, p);
		if (!whole && a->drop.threshold != 0)
			mask = row_mask(a, s, i, b->m);
		if (PAIRS && b->pairs)
			back_row(true, p, dp, mask, row, scale,
			         a->lse[i * a->lse_ld], cut ? mean : NULL);
		else
			back_row(false, p, dp, mask, row, scale,
			         a->lse[i * a->lse_ld], cut ? mean : NULL);
		if (mask != NULL)
			mask += n;
		if (a->bias != NULL)
			bias_gradient(a, s, i, dp);
	}
}

/* C [n, dw] += A' B of A [depth, w], whose columns tiles take as rows of ds. */
static void product_of_columns(const struct backward *b, size_t n, size_t depth,
                               const float *a, size_t w, const float *y,
                               float *c)
{
	struct mat columns = {a, 1, w};

	if (PAIRS && b->kind == TILES_OF_PAIRS) {
		pairs_by_columns(a, w, b->ds);
		columns = (struct mat){b->ds, 16, 1};
	}
	product_any(b->kind, n, b->dw, depth, columns, rows_of(y, b->dw), c,
	            b->dw, true);
}

/* Adds the gradients that keys s and a tile of queries from i0 on, row `at` of
 * q, g and dq, give each other; those of dq are the first ones but with add. */
static void back_tile(const struct bt_attend *a, struct backward *b,
                      struct seen s, size_t i0, size_t rows, size_t at,
                      bool add)
{
	size_t dw = b->dw, row = b->row, first = s.first, w = s.width;
	size_t n = s.end - first, each = b->pairs ? 2 : 1;
	size_t depth = (rows + each - 1) / each;
	float *q = b->q + at * row, *dq = b->dq + at * dw;

	product_any(b->kind, rows, w, b->depth, (struct mat){q, row, 1},
	            panels_of(b->kt + first * row, row), b->p, w, false);
	if (b->rel.n > 0)
		rel_add(a, &b->rel, i0, rows, q, dw, b->p, w);
	product_any(b->kind, rows, w, b->depth,
	            (struct mat){b->g + at * row, row, 1},
	            panels_of(b->vt + first * row, row), b->dp, w, false);
	back_rows(a, b, s, i0, rows, at);
	if (b->rel.n > 0)
		rel_back_tile(a, &b->rel, i0, rows, q, dw, b->dp, w);
	if (b->pairs)
		pair_columns(b->dp, rows, w, b->ds);
	product_any(b->kind, rows, dw, (n + each - 1) / each,
	            (struct mat){b->ds, w / each, 1},
	            rows_of(b->k + first / each * dw, dw), dq, dw, add);
	if (b->pairs) {
		pair_rows(b->dp, rows, w, b->dp);
		pair_rows(b->p, rows, w, b->p);
	}
	product_of_columns(b, n, depth, b->p, w, b->g2 + at / each * dw,
	                   b->dv + first * dw);
	product_of_columns(b, n, depth, b->dp, w, b->q2 + at / each * dw,
	                   b->dk + first * dw);
	rel_back_queries(a, &b->rel, i0, rows, dw, dq);
}

/* The means of so many rows of gradients, of queries from i0 on. */
static void back_means(const struct bt_attend *a, size_t i0, size_t rows,
                       float *mean)
{
	size_t i, j, at = i0 * a->o_ld, d = a->d;
	vf sum;

	for (i = 0; i < rows; i++, at += a->o_ld) {
		sum = v_set1(0);
		for (j = 0; j + VL <= d; j += VL)
			sum = v_fma(get(a->bf16, a->dout, at + j),
			            get(a->bf16, a->o, at + j), sum);
		if (j < d)
			sum = v_fma(getn(a->bf16, a->dout, at + j, d - j),
			            getn(a->bf16, a->o, at + j, d - j), sum);
		mean[i] = v_sum(sum);
	}
}

/* Queries i0 .. i0+rows-1, at most BT_ATTEND_QUERIES. */
static void back_queries_of(const struct bt_attend *a, struct backward *b,
                            size_t i0, size_t rows)
{
	struct seen all = keys_seen(a, i0, rows), seen, s;
	size_t es = a->bf16 ? 2 : 4, dw = b->dw, j, i, n;

	if (b->pairs) {
		interleave_rows(rows_from(a->dout, a->o_ld, i0, rows), a->d, dw,
		                b->g2);
		copy_pairs(rows_from(a->dout, a->o_ld, i0, rows), a->d, dw,
		           b->g);
		turned_pairs(a, rows_from(a->q, a->q_ld, i0, rows), i0, dw,
		             b->dq, b->q, b->q2);
	} else {
		unpack(a->bf16, (const char *)a->dout + i0 * a->o_ld * es,
		       a->o_ld, rows, a->d, dw, b->g);
		unpack(a->bf16, (const char *)a->q + i0 * a->q_ld * es, a->q_ld,
		       rows, a->d, dw, b->q);
		rotate(a, i0, rows, dw, 1, b->q);
	}
	if (all.end - all.first > b->keys)
		back_means(a, i0, rows, b->mean);
	for (j = all.first; j < all.end; j += b->keys)
		for (i = 0; i < rows; i += TILE) {
			n = tile_rows(i, rows);
			seen = keys_seen(a, i0 + i, n);
			s = keys_of_block(seen, j, b->keys);
			if (s.first < s.end)
				back_tile(a, b, s, i0 + i, n, i,
				          s.first > seen.first);
		}
	rotate(a, i0, rows, dw, -1, b->dq);
	pack(a->bf16, b->dq, dw, rows, a->d, a->scale,
	     (char *)a->dq + i0 * a->q_ld * es, a->q_ld);
}

/* Lays out keys and values; q holds a tile of them for a while. */
static void back_keys(const struct bt_attend *a, struct backward *b)
{
	size_t es = a->bf16 ? 2 : 4, dw = b->dw, row = b->row, i, rows;
	const char *k = a->k, *v = a->v;
	float *x;

	for (i = 0; i < a->n; i += TILE) {
		rows = tile_rows(i, a->n);
		x = b->pairs ? b->q : b->k + i * dw;
		if (b->pairs) {
			turned_pairs(a, rows_from(k, a->kv_ld, i, rows), i, dw,
			             x, x, b->k + i / 2 * dw);
		} else {
			unpack(a->bf16, k + i * a->kv_ld * es, a->kv_ld, rows,
			       a->d, dw, x);
			rotate(a, i, rows, dw, 1, x);
		}
		transpose_panels(x, rows, row, b->kt + i * row);
		if (b->pairs)
			copy_pairs(rows_from(v, a->kv_ld, i, rows), a->d, dw,
			           b->q);
		else
			unpack(a->bf16, v + i * a->kv_ld * es, a->kv_ld, rows,
			       a->d, dw, b->q);
		transpose_panels(b->q, rows, row, b->vt + i * row);
	}
}

static void back_begin(const struct bt_attend *a, enum operands kind,
                       struct backward *b)
{
	size_t np = bt_round_up(a->n, 16), dw, row;
	size_t each = bt_attend_queries(a->q_rows);
	bool rel = a->rel_row != NULL;

	b->kind = kind;
	b->pairs = kind != FLOATS;
	b->keys = bt_attend_keys(a->n, rel);
	b->dw = dw = bt_round_up(a->d, b->pairs ? 32 : 16);
	b->row = row = b->pairs ? dw / 2 : dw;
	b->depth = b->pairs ? (a->d + 1) / 2 : a->d;
	b->k = a->scratch;
	b->kt = b->k + np * row;
	b->vt = b->kt + np * row;
	b->dk = b->vt + np * row;
	b->dv = b->dk + np * dw;
	b->q = b->dv + np * dw;
	b->g = b->q + each * dw;
	b->dq = b->g + each * dw;
	b->p = b->dq + each * dw;
	b->dp = b->p + TILE * b->keys;
	b->m = b->dp + TILE * b->keys;
	b->q2 = b->pairs ? b->q + each * row : b->q;
	b->g2 = b->pairs ? b->g + each * row : b->g;
	b->ds = b->dp;
	if (b->pairs) {
		b->ds = b->m;
		b->m += TILE * b->keys / 2;
	}
	back_keys(a, b);
	if (!a->resumes)
		memset(b->dk, 0, 2 * np * dw * sizeof(*b->dk));
	rel_begin(a, b->k, dw, b->m + bt_attend_masks(a->n, b->keys), &b->rel);
	rel_back_begin(a, &b->rel, dw);
}

static void attend_back_with(const struct bt_attend *a, enum operands kind)
{
	size_t each = bt_attend_queries(a->q_rows), n = a->n, i;
	struct backward b;

	back_begin(a, kind, &b);
	for (i = 0; i < a->q_rows; i += each)
		back_queries_of(a, &b, i,
		                a->q_rows - i < each ? a->q_rows - i : each);
	rel_back_end(a, &b.rel, b.k, b.dw, b.dk);
	if (a->continues)
		return;
	rotate(a, 0, n, b.dw, -1, b.dk);
	pack(a->bf16, b.dk, b.dw, n, a->d, a->scale, a->dk, a->kv_ld);
	pack(a->bf16, b.dv, b.dw, n, a->d, 1.0f, a->dv, a->kv_ld);
}

static void attend_back(const struct bt_attend *a)
{
	attend_back_with(a, has_pairs(a) ? PAIRS_OF_BF16 : FLOATS);
}

#endif
