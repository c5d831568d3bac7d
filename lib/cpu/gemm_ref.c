/* SPDX-License-Identifier: MIT */
/* Products in plain C: what they mean, and the fallback where no library is
 * built in. A packed chunk is its rows of W (forward) or columns (backward), in
 * f32 or bf16, one output column after the other. */
#include <stdlib.h>

#include "base/mem.h"
#include "cpu/gemm_int.h"
#include "cpu/kernels.h"

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

static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	size_t k = (size_t)w->size[1], depth, i, j;
	float *f = w->packed[pass][c], v;
	uint16_t *h = w->packed[pass][c];
	int first, count;

	(void)worker;
	depth = (size_t)bt_gemm_depth(w, pass);
	bt_gemm_chunk(w, pass, c, &first, &count);
	for (i = 0; i < (size_t)count; i++)
		for (j = 0; j < depth; j++) {
			v = pass == BT_GEMM_FORWARD
			        ? src[((size_t)first + i) * k + j]
			        : src[j * k + (size_t)first + i];
			if (w->gemm->bf16)
				h[i * depth + j] = bt_f32_to_bf16(v);
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
