/* SPDX-License-Identifier: MIT */
/*
 * Template, part 3b: what distances between tokens add to the scores of a head.
 * The rows of relative positions are laid out by distance, so that the pairs of
 * a query, or of a key, take columns that follow each other, and nothing is
 * looked up pair by pair. Products with the relative positions' keys are made
 * for a tile of queries, those with the relative positions' queries for a tile
 * of keys, each with the distances that the tile can meet; the latter stand in
 * a row for each key, and are transposed block by block.
 */
#ifndef BT_CPU_SIMD_RELATIVE_INT_H
#define BT_CPU_SIMD_RELATIVE_INT_H

/* The part of a template for which this is written: product, unpack,
 * transpose of simd_attend_parts_int.h. */

struct rel {
	size_t n;      /* distances, from 1 - keys to queries - 1; 0: none */
	size_t np;     /* with room behind, for whole vectors */
	size_t qw, kw; /* columns of qk, and of kq */
	/* keys by falling distance, queries by rising: [np, dp], and
	 * transposed; NULL: none of that kind */
	float *k, *kt, *q, *qt;
	float *qk, *kq;   /* scores [TILE, qw], [keys, kw] */
	float *dqk, *dkq; /* their gradients */
	float *dk, *dq;   /* those of k and q */
};

/* The row of relative positions for query and key that stand so far apart. */
static size_t rel_row_at(const struct bt_attend *a, ptrdiff_t distance)
{
	return (size_t)(a->rel_row[distance] - a->rel_row0);
}

/* Copies the rows of distances first, first + way ... */
static void unpack_rel(const struct bt_attend *a, const void *from,
                       ptrdiff_t first, ptrdiff_t way, size_t n, size_t dp,
                       float *x)
{
	size_t es = a->bf16 ? 2 : 4, i;

	for (i = 0; i < n; i++, first += way)
		unpack(a->bf16,
		       (const char *)from +
		           rel_row_at(a, first) * a->rel_ld * es,
		       a->rel_ld, 1, a->d, dp, x + i * dp);
}

static size_t tile_rows(size_t i0, size_t n)
{
	return n - i0 < TILE ? n - i0 : TILE;
}

/* Products of the keys [n, dp] with queries of rel. Column c of key j0 + j,
 * in a tile of so many keys, is that of query c + j + 1 - keys. */
static void rel_of_keys(const struct bt_attend *a, const struct rel *s,
                        const float *k, size_t dp)
{
	size_t j0, rows, width;

	for (j0 = 0; j0 < a->n; j0 += TILE) {
		rows = tile_rows(j0, a->n);
		width = bt_round_up(a->q_rows + rows - 1, 16);
		product(rows, width, a->d, (struct mat){k + j0 * dp, dp, 1},
		        rows_of(s->qt + (a->n - j0 - rows), s->np),
		        s->kq + j0 * s->kw, s->kw, false);
	}
}

/* Lays out what the head needs in scratch, where the gradients come last. */
static void rel_begin(const struct bt_attend *a, const float *k, size_t dp,
                      float *scratch, struct rel *s)
{
	size_t keys = bt_round_up(a->n, 16);

	memset(s, 0, sizeof(*s));
	if (a->rel_row == NULL)
		return;
	s->n = a->n + a->q_rows - 1;
	s->np = bt_relative_room(a->q_rows, a->n);
	s->qw = bt_round_up(a->n + TILE, 16) + 16;
	s->kw = bt_round_up(a->q_rows + TILE, 16) + 16;
	s->kt = scratch + s->np * dp;
	s->qt = s->kt + 2 * s->np * dp;
	s->qk = s->qt + s->np * dp;
	s->kq = s->qk + TILE * s->qw;
	s->dqk = s->kq + keys * s->kw;
	s->dkq = s->dqk + TILE * s->qw;
	s->dk = s->dkq + keys * s->kw;
	s->dq = s->dk + s->np * dp;
	if (a->rel_k != NULL) {
		s->k = scratch;
		unpack_rel(a, a->rel_k, (ptrdiff_t)a->q_rows - 1, -1, s->n, dp,
		           s->k);
		transpose(s->k, s->n, s->np, dp, s->kt, s->np, 16);
	}
	if (a->rel_q != NULL) {
		s->q = s->kt + s->np * dp;
		unpack_rel(a, a->rel_q, 1 - (ptrdiff_t)a->n, 1, s->n, dp, s->q);
		transpose(s->q, s->n, s->np, dp, s->qt, s->np, 16);
		/* no NaN behind the last key: minus infinity is added */
		if (keys > a->n)
			memset(s->kq + a->n * s->kw - 16, 0,
			       ((keys - a->n) * s->kw + 16) * sizeof(*s->kq));
		rel_of_keys(a, s, k, dp);
	}
}

/* p[0..n-1] += x[0..n-1]; n is a multiple of 16. */
VEC void add_row(float *p, const float *x, size_t n)
{
	size_t j;

	for (j = 0; j < n; j += VL)
		v_store(p + j, v_add(v_load(p + j), v_load(x + j)));
}

/* Where in kq, or its gradients, query i of key j stands. */
static size_t rel_key_at(const struct bt_attend *a, const struct rel *s,
                         size_t j, size_t i)
{
	size_t j0 = j / TILE * TILE;

	return j * s->kw + tile_rows(j0, a->n) - 1 - (j - j0) + i;
}

/* Adds to the scores p [rows, nk] of queries from i0 on those of kq. */
static void add_keys(const struct bt_attend *a, const struct rel *s, size_t i0,
                     size_t rows, float *p, size_t nk)
{
	float block[VL * VL];
	size_t i, j, r;

	for (j = 0; j < nk; j += VL)
		for (i = 0; i < rows; i += VL) {
			u_transpose(s->kq + rel_key_at(a, s, j, i0 + i),
			            s->kw - 1, block, VL, false);
			for (r = 0; r < VL && i + r < rows; r++)
				add_row(p + (i + r) * nk + j, block + r * VL,
				        VL);
		}
}

/* Adds to the scores p [rows, nk] of queries q from i0 on. */
static void rel_add(const struct bt_attend *a, const struct rel *s, size_t i0,
                    size_t rows, const float *q, size_t dp, float *p, size_t nk)
{
	size_t i;

	if (s->k != NULL) {
		product(rows, bt_round_up(rows - 1 + nk, 16), a->d,
		        (struct mat){q, dp, 1},
		        rows_of(s->kt + (a->q_rows - i0 - rows), s->np), s->qk,
		        s->qw, false);
		for (i = 0; i < rows; i++)
			add_row(p + i * nk, s->qk + i * s->qw + rows - 1 - i,
			        nk);
	}
	if (s->q != NULL)
		add_keys(a, s, i0, rows, p, nk);
}

/* Nothing is known yet of the gradients; those of kq that no pair has are 0. */
static void rel_back_begin(const struct bt_attend *a, const struct rel *s,
                           size_t dw)
{
	float *row = s->dkq;
	size_t j, at;

	if (s->k != NULL)
		memset(s->dk, 0, s->n * dw * sizeof(*s->dk));
	if (s->q == NULL)
		return;
	memset(s->dq, 0, s->n * dw * sizeof(*s->dq));
	for (j = 0; j < a->n; j++, row += s->kw) {
		at = rel_key_at(a, s, j, 0) - j * s->kw;
		memset(row, 0, at * sizeof(*row));
		at += a->q_rows;
		memset(row + at, 0, (s->kw - at) * sizeof(*row));
	}
}

/* Distances that a tile of so many queries meets, and the first of them in k.
 */
static size_t rel_tile(const struct bt_attend *a, size_t i0, size_t rows,
                       size_t *first)
{
	*first = a->q_rows - i0 - rows;
	return rows - 1 + a->n;
}

/* Lays the gradients dp [rows, nk] of a tile's scores out by distance, and adds
 * what they give the relative positions' keys. q: the queries. */
static void back_queries(const struct bt_attend *a, const struct rel *s,
                         size_t i0, size_t rows, const float *q, size_t dw,
                         const float *dp, size_t nk)
{
	size_t first, width = rel_tile(a, i0, rows, &first), i, at;
	float *row = s->dqk;

	for (i = 0; i < rows; i++, row += s->qw) {
		at = rows - 1 - i;
		memset(row, 0, at * sizeof(*row));
		memcpy(row + at, dp + i * nk, a->n * sizeof(*row));
		at += a->n;
		memset(row + at, 0, (width - at) * sizeof(*row));
	}
	product(width, dw, rows, (struct mat){s->dqk, 1, s->qw}, rows_of(q, dw),
	        s->dk + first * dw, dw, true);
}

/* Of the scores' gradients dp [rows, nk] of a tile: what they give by distance.
 * Rows behind it, to a whole block, are overwritten. */
static void rel_back_tile(const struct bt_attend *a, const struct rel *s,
                          size_t i0, size_t rows, const float *q, size_t dw,
                          float *dp, size_t nk)
{
	size_t room = bt_round_up(rows, VL), i, j;

	if (s->k != NULL)
		back_queries(a, s, i0, rows, q, dw, dp, nk);
	if (s->q == NULL)
		return;
	memset(dp + rows * nk, 0, (room - rows) * nk * sizeof(*dp));
	for (j = 0; j < nk; j += VL)
		for (i = 0; i < rows; i += VL)
			u_transpose(dp + i * nk + j, nk,
			            s->dkq + rel_key_at(a, s, j, i0 + i),
			            s->kw - 1, false);
}

/* Adds to the gradients dq [rows, dw] of a tile's queries. */
static void rel_back_queries(const struct bt_attend *a, const struct rel *s,
                             size_t i0, size_t rows, size_t dw, float *dq)
{
	size_t first, width = rel_tile(a, i0, rows, &first);

	if (s->k != NULL)
		product(rows, dw, width, (struct mat){s->dqk, s->qw, 1},
		        rows_of(s->k + first * dw, dw), dq, dw, true);
}

/* Adds the rows of distances first, first + way ... to those of their relative
 * positions. */
static void fold(const struct bt_attend *a, const float *x, ptrdiff_t first,
                 ptrdiff_t way, size_t n, size_t dw, float *to)
{
	for (; n > 0; n--, x += dw, first += way)
		add_row(to + rel_row_at(a, first) * dw, x, dw);
}

/* Adds to the gradients dk [n, dw] of the keys k, and to those of the rel.
 */
static void rel_back_end(const struct bt_attend *a, const struct rel *s,
                         const float *k, size_t dw, float *dk)
{
	size_t j0, rows, first, width;
	const float *d;

	for (j0 = 0; j0 < a->n && s->q != NULL; j0 += TILE) {
		rows = tile_rows(j0, a->n);
		first = a->n - j0 - rows;
		width = a->q_rows + rows - 1;
		d = s->dkq + j0 * s->kw;
		product(rows, dw, width, (struct mat){d, s->kw, 1},
		        rows_of(s->q + first * dw, dw), dk + j0 * dw, dw, true);
		product(width, dw, rows, (struct mat){d, 1, s->kw},
		        rows_of(k + j0 * dw, dw), s->dq + first * dw, dw, true);
	}
	if (s->k != NULL)
		fold(a, s->dk, (ptrdiff_t)a->q_rows - 1, -1, s->n, dw,
		     a->drel_k);
	if (s->q != NULL)
		fold(a, s->dq, 1 - (ptrdiff_t)a->n, 1, s->n, dw, a->drel_q);
}

#endif
