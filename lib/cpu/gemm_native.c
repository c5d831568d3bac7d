/* SPDX-License-Identifier: MIT */
/*
 * Products by kernels of our own, of f32, and of bf16 by AMX tiles. A weight is
 * packed once after each update, where a library that takes matrices as they
 * are would do it in every call. The outputs of a row do not depend on the rows
 * beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "cpu/gemm_int.h"
#include "cpu/kernels.h"

#define SCRATCH (BT_PRODUCT_SCRATCH * sizeof(float))

struct state {
	const struct bt_kernels *k;
	struct bt_arena scratch[]; /* of each worker, from when it needs some */
};

static bool has_tiles(void)
{
	enum bt_isa isa;

	return bt_isa(&isa, NULL) == BT_OK && isa >= BT_ISA_AMX;
}

static int open_native(struct bt_gemm *g, struct bt_error *err)
{
	struct state *s;
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	if (r != BT_OK)
		return r;
	if (g->bf16 && !has_tiles())
		return bt_error_set(err, BT_EARG,
		                    "native products of bf16 need AMX");
	s = bt_array0(1, sizeof(*s) + (size_t)g->workers * sizeof(*s->scratch));
	s->k = bt_kernels_for(isa);
	g->state = s;
	return BT_OK;
}

static void close_native(struct bt_gemm *g)
{
	struct state *s = g->state;
	int i;

	for (i = 0; i < g->workers; i++)
		bt_arena_clear(&s->scratch[i]);
	free(s);
}

static struct bt_pack layout(const struct bt_gemm_weight *w,
                             enum bt_gemm_pass pass, int c, int *first)
{
	const struct state *s = w->gemm->state;
	size_t depth = (size_t)bt_gemm_depth(w, pass);
	int count;

	bt_gemm_chunk(w, pass, c, first, &count);
	if (!w->gemm->bf16)
		return bt_product_layout(s->k, depth, (size_t)count);
	return (struct bt_pack){.k = depth,
	                        .n = (size_t)count,
	                        .bf16 = true,
	                        .n_block = 16,
	                        .k_stride = 16 * 32,
	                        .n_stride = 16 * bt_round_up(depth, 32)};
}

static size_t packed_bytes(const struct bt_pack *a)
{
	return a->bf16
	           ? bt_round_up(a->n, 32) / 16 * a->n_stride * sizeof(uint16_t)
	           : bt_product_floats(a) * sizeof(float);
}

static int chunk_new(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	int first;
	const struct bt_pack a = layout(w, pass, c, &first);
	size_t bytes = packed_bytes(&a);
	void *to = aligned_alloc(BT_ALIGN, bytes);

	w->packed[pass][c] = to;
	w->bytes += bytes;
	if (to == NULL)
		return BT_ENOMEM;
	if (a.bf16) /* the last of an odd number of blocks */
		memset((uint16_t *)to + a.n / 16 * a.n_stride, 0,
		       bytes - a.n / 16 * a.n_stride * sizeof(uint16_t));
	return BT_OK;
}

static void chunk_free(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	free(w->packed[pass][c]);
}

static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	const struct state *s = w->gemm->state;
	bool forward = pass == BT_GEMM_FORWARD;
	int first;
	struct bt_pack a = layout(w, pass, c, &first);

	(void)worker;
	a.k_step = forward ? 1 : (size_t)w->size[1];
	a.n_step = forward ? (size_t)w->size[1] : 1;
	a.src = src + (size_t)first * a.n_step;
	a.dst = w->packed[pass][c];
	s->k->pack(&a);
	return BT_OK;
}

#if defined(__x86_64__)
static int run_tiles(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                     const struct bt_gemm_block *b)
{
	int first;
	struct bt_pack a = layout(w, pass, c, &first);
	struct bt_gemm_block part = *b;

	a.dst = w->packed[pass][c];
	part.y = (char *)b->y +
	         (size_t)first * (b->y_bf16 ? sizeof(uint16_t) : sizeof(float));
	if (b->bias != NULL)
		part.bias += first;
	bt_gemm_tiles(&part, &a, (size_t)bt_gemm_out(w, pass));
	return BT_OK;
}
#endif

static int run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
               const struct bt_gemm_block *b, int worker)
{
	const struct state *s = w->gemm->state;
	struct bt_multiply p = {.m = b->rows,
	                        .k = (size_t)bt_gemm_depth(w, pass),
	                        .a = b->x,
	                        .b = w->packed[pass][c],
	                        .c_row = (size_t)bt_gemm_out(w, pass),
	                        .add = b->add};
	int first, count;

	(void)worker;
#if defined(__x86_64__)
	if (w->gemm->bf16)
		return run_tiles(w, pass, c, b);
#endif
	bt_gemm_chunk(w, pass, c, &first, &count);
	p.n = (size_t)count;
	p.a_row = p.k;
	p.c = (float *)b->y + first;
	p.bias = b->bias != NULL ? b->bias + first : NULL;
	s->k->product(&p);
	return BT_OK;
}

/* Room for so many bytes; NULL: there is no memory. */
static void *scratch(struct bt_gemm *g, int worker, size_t bytes)
{
	struct bt_arena *a = &((struct state *)g->state)->scratch[worker];

	if (bytes > a->size) {
		bt_arena_clear(a);
		if (bt_arena_init(a, bytes) != BT_OK)
			return NULL;
	}
	return a->base;
}

static int gradient(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                    int worker)
{
#if defined(__x86_64__)
	void *room;

	if (g->bf16) {
		room = scratch(g, worker, bt_gemm_tiles_scratch(a));
		if (room == NULL)
			return BT_ENOMEM;
		bt_gemm_gradient_tiles(a, room);
		return BT_OK;
	}
#endif
	return bt_gemm_gradient_f32(g, a, worker);
}

/* The two forms there are: A B', A' B. */
static int sgemm(struct bt_gemm *g, const struct bt_sgemm *p, int worker)
{
	const struct bt_kernels *k = ((struct state *)g->state)->k;
	struct bt_pack b = bt_product_layout(k, (size_t)p->k, (size_t)p->n);
	struct bt_multiply q = {.m = (size_t)p->m,
	                        .n = (size_t)p->n,
	                        .k = (size_t)p->k,
	                        .a = p->a,
	                        .a_row = (size_t)p->lda,
	                        .b = p->b,
	                        .b_row = (size_t)p->ldb,
	                        .c = p->c,
	                        .c_row = (size_t)p->ldc,
	                        .add = p->add};

	q.scratch = scratch(
	    g, worker,
	    p->transposed_a ? SCRATCH : bt_product_floats(&b) * sizeof(float));
	if (q.scratch == NULL)
		return BT_ENOMEM;
	if (p->transposed_a) {
		k->product_at(&q);
		return BT_OK;
	}
	b.src = p->b;
	b.k_step = 1;
	b.n_step = (size_t)p->ldb;
	b.dst = q.scratch;
	k->pack(&b);
	q.b = q.scratch;
	k->product(&q);
	return BT_OK;
}

const struct bt_gemm_ops bt_gemm_native = {
    .name = "native",
    .worker_bytes = SCRATCH,
    .fast_bf16 = has_tiles,
    .open = open_native,
    .close = close_native,
    /* so much of a layer's outputs stays in the cache for its activation */
    .chunk_columns = 384,
    .gradient_rows = (int)BT_PRODUCT_ROWS,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run,
    .gradient = gradient,
    .sgemm = sgemm,
};
