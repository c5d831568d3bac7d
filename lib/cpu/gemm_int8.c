/* SPDX-License-Identifier: MIT */
/*
 * Int8 products, forward only: weights quantised as they are packed, each
 * output by itself, and inputs as they come, each row by itself. Inputs are
 * bf16, as for bf16 products. What the numbers mean is said in int8_int.h.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sys.h"
#include "cpu/gemm_int.h"
#include "cpu/int8_int.h"

/* Rows quantised at a time; a multiple of BT_INT8_ROWS. */
#define ROWS (3 * BT_INT8_ROWS)

struct worker {
	void *x; /* ROWS quantised rows */
	float scale[ROWS];
};

struct state {
	const struct bt_int8_kernels *k;
	size_t bytes; /* of a worker's rows */
	struct worker *workers;
};

static const struct bt_int8_kernels *kernels_for(enum bt_isa isa)
{
	(void)isa;
#if defined(__x86_64__)
	if (isa >= BT_ISA_AMX)
		return &bt_int8_amx;
	if (isa >= BT_ISA_AVX512VNNI)
		return &bt_int8_vnni;
	if (isa == BT_ISA_AVX2VNNI)
		return &bt_int8_avx2vnni;
	if (isa >= BT_ISA_AVX2)
		return &bt_int8_avx2;
#elif defined(__aarch64__)
	if (isa >= BT_ISA_NEONDOT)
		return &bt_int8_dot;
	if (isa >= BT_ISA_NEON)
		return &bt_int8_neon;
#endif
	return &bt_int8_ref;
}

static void close_int8(struct bt_gemm *g)
{
	struct state *s = g->state;
	int i;

	for (i = 0; s->workers != NULL && i < g->workers; i++)
		free(s->workers[i].x);
	free(s->workers);
	free(s);
}

static int open_int8(struct bt_gemm *g, struct bt_error *err)
{
	struct state *s;
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	if (r != BT_OK)
		return r;
	if (!g->bf16)
		return bt_error_set(err, BT_EARG,
		                    "int8 products take bf16, not f32");
	s = bt_array0(1, sizeof(*s));
	if (s == NULL)
		return bt_error_nomem(err, "preparing products");
	g->state = s;
	s->k = kernels_for(isa);
	s->workers = bt_array0((size_t)g->workers, sizeof(*s->workers));
	if (s->workers != NULL)
		return BT_OK;
	close_int8(g);
	return bt_error_nomem(err, "preparing products");
}

/* Room for rows of k inputs in each worker. */
static int ensure_rows(struct bt_gemm *g, size_t k)
{
	struct state *s = g->state;
	size_t bytes =
	    bt_round_up(ROWS * bt_int8_ld(k) * s->k->element, BT_ALIGN);
	void *x;
	int i;

	for (i = 0; bytes > s->bytes && i < g->workers; i++) {
		x = aligned_alloc(BT_ALIGN, bytes);
		if (x == NULL)
			return BT_ENOMEM;
		free(s->workers[i].x);
		s->workers[i].x = x;
	}
	if (bytes > s->bytes)
		s->bytes = bytes;
	return BT_OK;
}

static int chunk_new(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	struct bt_int8_weight *p = bt_array0(1, sizeof(*p));
	size_t k = (size_t)w->size[1], n, bytes;
	int first, count;

	if (p == NULL)
		return BT_ENOMEM;
	w->packed[pass][c] = p;
	bt_gemm_chunk(w, pass, c, &first, &count);
	n = (size_t)count;
	bytes = bt_round_up(bt_int8_packed(n, k), BT_ALIGN);
	p->q = aligned_alloc(BT_ALIGN, bytes);
	p->offset = bt_array(n, sizeof(*p->offset));
	p->scale = bt_array(n, sizeof(*p->scale));
	w->bytes += bytes + n * (sizeof(*p->offset) + sizeof(*p->scale));
	if (p->q == NULL || p->offset == NULL || p->scale == NULL)
		return BT_ENOMEM;
	return ensure_rows(w->gemm, k);
}

static void chunk_free(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	struct bt_int8_weight *p = w->packed[pass][c];

	free(p->q);
	free(p->offset);
	free(p->scale);
	free(p);
}

static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	int first, count;

	(void)worker;
	bt_gemm_chunk(w, pass, c, &first, &count);
	bt_int8_pack(src + (size_t)first * (size_t)w->size[1], (size_t)count,
	             (size_t)w->size[1], w->packed[pass][c]);
	return BT_OK;
}

static int run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
               const struct bt_gemm_block *b, int worker)
{
	const struct state *s = w->gemm->state;
	struct worker *own = &s->workers[worker];
	struct bt_int8_product p = {.x = own->x, .x_scale = own->scale};
	size_t element = b->y_bf16 ? sizeof(uint16_t) : sizeof(float), r;
	int first, count;

	bt_gemm_chunk(w, pass, c, &first, &count);
	p.n = (size_t)count;
	p.k = (size_t)w->size[1];
	p.w = w->packed[pass][c];
	p.bias = b->bias != NULL ? b->bias + first : NULL;
	p.y_ld = (size_t)w->size[0];
	p.y_bf16 = b->y_bf16;
	p.add = b->add;
	for (r = 0; r < b->rows; r += ROWS) {
		p.rows = b->rows - r < ROWS ? b->rows - r : ROWS;
		p.y = (char *)b->y + (r * p.y_ld + (size_t)first) * element;
		s->k->quantise((const uint16_t *)b->x + r * p.k, p.rows, p.k,
		               own->x, own->scale);
		s->k->product(&p);
	}
	return BT_OK;
}

const struct bt_gemm_ops bt_gemm_int8 = {
    .name = "int8",
    .own_bytes = BT_GEMM_LIBRARY_BYTES,
    .open = open_int8,
    .close = close_int8,
    .chunk_columns = 1024,
    .depth_max = BT_INT8_DEPTH_MAX,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run,
};
