/* SPDX-License-Identifier: MIT */
/*
 * Products in plain C: what they mean, and the fallback where no library is
 * built in. And products of bf16 by a library that multiplies f32 only: of
 * widened operands, so the results are those of bf16 products but for the order
 * of sums.
 *
 * A packed chunk is its rows of W (forward) or columns (backward), in f32 or
 * bf16, one output column after the other.
 *
 * First what is the same whatever the provider: how rows are padded, columns
 * are cut, a bias is added.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "cpu/gemm_int.h"
#include "cpu/kernels.h"

/* Coarser for many rows, so that few different shapes occur. */
size_t bt_gemm_room(size_t rows)
{
	if (rows <= 512)
		return bt_round_up(rows, 32);
	return bt_round_up(rows, rows <= 2048 ? 64 : 128);
}

void bt_gemm_chunk(const struct bt_gemm_weight *w, enum bt_gemm_pass pass,
                   int c, int *first, int *count)
{
	int columns = w->size[pass], n = w->chunks[pass];
	int groups = (columns + 31) / 32;
	int a = (int)((int64_t)groups * c / n) * 32;
	int b = (int)((int64_t)groups * (c + 1) / n) * 32;

	*first = a;
	*count = (b < columns ? b : columns) - a;
}

void bt_gemm_put_bias(float *y, size_t rows, size_t n, size_t ld,
                      const float *bias, bool add)
{
	size_t r, i;

	for (r = 0; r < rows; r++, y += ld)
		for (i = 0; i < n; i++)
			y[i] = bias[i] + (add ? y[i] : 0);
}

static int open_ref(struct bt_gemm *g, struct bt_error *err)
{
	(void)g;
	(void)err;
	return BT_OK;
}

static void close_ref(struct bt_gemm *g)
{
	(void)g;
}

static size_t element(const struct bt_gemm *g)
{
	return g->bf16 ? sizeof(uint16_t) : sizeof(float);
}

static int chunk_new(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	size_t n;
	int first, count;

	bt_gemm_chunk(w, pass, c, &first, &count);
	n = (size_t)count * (size_t)bt_gemm_depth(w, pass);
	w->packed[pass][c] = bt_array(n, element(w->gemm));
	w->bytes += n * element(w->gemm);
	return w->packed[pass][c] != NULL ? BT_OK : BT_ENOMEM;
}

static void chunk_free(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	free(w->packed[pass][c]);
}

#define TILE ((size_t)32) /* of W, so that both sides stay in the cache */

static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	size_t k = (size_t)w->size[1], depth, i0, j0, i, j;
	bool forward = pass == BT_GEMM_FORWARD;
	float *f = w->packed[pass][c], v;
	uint16_t *h = w->packed[pass][c];
	int first, count;

	(void)worker;
	depth = (size_t)bt_gemm_depth(w, pass);
	bt_gemm_chunk(w, pass, c, &first, &count);
	src += (size_t)first * (forward ? k : 1);
	for (i0 = 0; i0 < (size_t)count; i0 += TILE)
		for (j0 = 0; j0 < depth; j0 += TILE)
			for (i = i0; i < i0 + TILE && i < (size_t)count; i++)
				for (j = j0; j < j0 + TILE && j < depth; j++) {
					v = src[forward ? i * k + j
					                : j * k + i];
					if (w->gemm->bf16)
						h[i * depth + j] =
						    bt_f32_to_bf16(v);
					else
						f[i * depth + j] = v;
				}
	return BT_OK;
}

static float get(const void *x, size_t i, bool bf16)
{
	return bf16 ? bt_bf16_to_f32(((const uint16_t *)x)[i])
	            : ((const float *)x)[i];
}

static int run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
               const struct bt_gemm_block *b, int worker)
{
	size_t depth = (size_t)bt_gemm_depth(w, pass);
	size_t out = (size_t)bt_gemm_out(w, pass), r, i, j, at;
	bool bf16 = w->gemm->bf16;
	int first, count;
	float s;

	(void)worker;
	bt_gemm_chunk(w, pass, c, &first, &count);
	for (r = 0; r < b->rows; r++)
		for (i = 0; i < (size_t)count; i++) {
			s = 0;
			for (j = 0; j < depth; j++)
				s += get(b->x, r * depth + j, bf16) *
				     get(w->packed[pass][c], i * depth + j,
				         bf16);
			at = r * out + (size_t)first + i;
			if (b->bias != NULL)
				s += b->bias[(size_t)first + i];
			if (b->y_bf16)
				((uint16_t *)b->y)[at] = bt_f32_to_bf16(s);
			else if (b->add)
				((float *)b->y)[at] += s;
			else
				((float *)b->y)[at] = s;
		}
	return BT_OK;
}

static int gradient(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                    int worker)
{
	size_t n = (size_t)a->n, k = (size_t)a->k, r, i, j;
	float *dw, d;

	(void)worker;
	for (i = (size_t)a->n0; i < (size_t)a->n1; i++) {
		dw = a->dw + i * k;
		for (j = 0; j < k && !a->add; j++)
			dw[j] = 0;
		for (r = 0; r < a->rows; r++) {
			d = get(a->dy, r * n + i, g->bf16);
			for (j = 0; j < k; j++)
				dw[j] += d * get(a->x, r * k + j, g->bf16);
		}
	}
	return BT_OK;
}

int bt_gemm_gradient_f32(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                         int worker)
{
	const struct bt_sgemm p = {.transposed_a = true,
	                           .m = a->n1 - a->n0,
	                           .n = a->k,
	                           .k = (int)a->rows,
	                           .a = (const float *)a->dy + a->n0,
	                           .lda = a->n,
	                           .b = a->x,
	                           .ldb = a->k,
	                           .c = a->dw + (size_t)a->n0 * (size_t)a->k,
	                           .ldc = a->k,
	                           .add = a->add};

	return g->ops->sgemm(g, &p, worker);
}

const struct bt_gemm_ops bt_gemm_ref = {
    .name = "ref",
    .open = open_ref,
    .close = close_ref,
    .chunk_columns = 128,
    .gradient_rows = 128,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run,
    .gradient = gradient,
};

/* Rows that a product of widened operands takes at a time. */
#define ROWS ((size_t)256)

struct widened {
	const struct bt_kernels *kernels;
	struct bt_arena scratch[]; /* of each worker */
};

static int open_widened(struct bt_gemm *g, struct bt_error *err)
{
	struct widened *s =
	    bt_array0(1, sizeof(*s) + (size_t)g->workers * sizeof(*s->scratch));
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	if (r != BT_OK) {
		free(s);
		return r;
	}
	s->kernels = bt_kernels_for(isa);
	g->state = s;
	return BT_OK;
}

static void close_widened(struct bt_gemm *g)
{
	struct widened *s = g->state;
	int i;

	for (i = 0; i < g->workers; i++)
		bt_arena_clear(&s->scratch[i]);
	free(s);
}

/* Room for so many numbers; NULL: there is no memory. */
static float *scratch(const struct bt_gemm *g, int worker, size_t n)
{
	struct bt_arena *a = &((struct widened *)g->state)->scratch[worker];

	if (n * sizeof(float) > a->size) {
		bt_arena_clear(a);
		if (bt_arena_init(a, bt_round_up(n * sizeof(float), 4096)) !=
		    BT_OK)
			return NULL;
	}
	return (float *)a->base;
}

static int run_widened(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                       const struct bt_gemm_block *b, int worker)
{
	const struct widened *s = w->gemm->state;
	size_t depth = (size_t)bt_gemm_depth(w, pass), n, r;
	size_t out = (size_t)bt_gemm_out(w, pass);
	struct bt_sgemm p = {.transposed_b = true,
	                     .m = (int)b->rows,
	                     .k = (int)depth,
	                     .lda = (int)depth,
	                     .ldb = (int)depth,
	                     .add = b->add || b->bias != NULL};
	float *x, *weight;
	int first, status;

	bt_gemm_chunk(w, pass, c, &first, &p.n);
	n = (size_t)p.n;
	x = scratch(w->gemm, worker, (b->rows + n) * depth + b->rows * n);
	if (x == NULL)
		return BT_ENOMEM;
	weight = x + b->rows * depth;
	s->kernels->from_bf16(b->x, x, b->rows * depth);
	s->kernels->from_bf16(w->packed[pass][c], weight, n * depth);
	p.a = x;
	p.b = weight;
	p.c = b->y_bf16 ? weight + n * depth : (float *)b->y + first;
	p.ldc = b->y_bf16 ? p.n : (int)out;
	if (b->bias != NULL)
		bt_gemm_put_bias(p.c, b->rows, n, (size_t)p.ldc,
		                 b->bias + first, b->add);
	status = w->gemm->f32->ops->sgemm(w->gemm->f32, &p, worker);
	for (r = 0; b->y_bf16 && r < b->rows; r++)
		s->kernels->to_bf16(p.c + r * n,
		                    (uint16_t *)b->y + r * out + first, n);
	return status;
}

static int gradient_widened(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                            int worker)
{
	const struct widened *s = g->state;
	size_t n = (size_t)(a->n1 - a->n0), k = (size_t)a->k, r, i, rows;
	float *dy = scratch(g, worker, ROWS * (n + k)), *x;
	struct bt_sgemm p = {.transposed_a = true,
	                     .m = (int)n,
	                     .n = a->k,
	                     .a = dy,
	                     .lda = (int)n,
	                     .ldb = a->k,
	                     .c = a->dw + (size_t)a->n0 * k,
	                     .ldc = a->k,
	                     .add = a->add};
	int status = BT_OK;

	if (dy == NULL)
		return BT_ENOMEM;
	p.b = x = dy + ROWS * n;
	for (r = 0; r < a->rows && status == BT_OK; r += rows, p.add = true) {
		rows = a->rows - r < ROWS ? a->rows - r : ROWS;
		for (i = 0; i < rows; i++)
			s->kernels->from_bf16((const uint16_t *)a->dy +
			                          (r + i) * (size_t)a->n +
			                          a->n0,
			                      dy + i * n, n);
		s->kernels->from_bf16((const uint16_t *)a->x + r * k, x,
		                      rows * k);
		p.k = (int)rows;
		status = g->f32->ops->sgemm(g->f32, &p, worker);
	}
	return status;
}

const struct bt_gemm_ops bt_gemm_widened = {
    .name = "widened",
    .own_bytes = BT_GEMM_LIBRARY_BYTES,
    .open = open_widened,
    .close = close_widened,
    .chunk_columns = 384,
    .gradient_rows = 384,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run_widened,
    .gradient = gradient_widened,
};
