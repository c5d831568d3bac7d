/* SPDX-License-Identifier: MIT */
/*
 * Products by OpenBLAS, f32 only, each call in the calling thread only. It
 * packs a weight anew in each call, so ours is only pointed to.
 *
 * The library is loaded when it is chosen: it takes memory and starts threads
 * as soon as it is there. No header is needed to build with it; what cblas.h of
 * its versions since 0.2 declares is below.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/sys.h"
#include "cpu/gemm_int.h"

#define LIBRARY "libopenblas.so.0"

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
enum { SEQUENTIAL = 0, OPENMP = 2 }; /* what get_parallel returns */

struct blas {
	int (*get_parallel)(void);
	char *(*get_config)(void);
	char *(*get_corename)(void);
	void (*set_num_threads)(int n);
	void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k,
	              float alpha, const float *a, int lda, const float *b,
	              int ldb, float beta, float *c, int ldc);
	void (*omp_set_num_threads)(int n); /* NULL: built without OpenMP */
};

static const struct bt_symbol symbols[] = {
    {"openblas_get_parallel", offsetof(struct blas, get_parallel)},
    {"openblas_get_config", offsetof(struct blas, get_config)},
    {"openblas_get_corename", offsetof(struct blas, get_corename)},
    {"openblas_set_num_threads", offsetof(struct blas, set_num_threads)},
    {"cblas_sgemm", offsetof(struct blas, sgemm)},
};

static const struct bt_symbol openmp_symbol = {
    "omp_set_num_threads", offsetof(struct blas, omp_set_num_threads)};

struct state {
	struct blas blas;
	char warning[160];
};

/* OpenBLAS starts no threads where it is told to use one. Built with OpenMP it
 * looks at what OpenMP says for the calling thread. */
static void stay_serial(const struct blas *b)
{
	static _Thread_local bool serial;

	if (!serial && b->omp_set_num_threads != NULL)
		b->omp_set_num_threads(1);
	serial = true;
}

/*
 * OpenBLAS chooses its kernels by the processor's model; one that is newer than
 * the library counts as something old. These are its kernels without AVX-512
 * (0.3.21 takes each new Zen for a Haswell), and without AVX2.
 */
static enum bt_isa isa_of(const char *core)
{
	static const char *const avx2[] = {"Haswell", "Zen", "Excavator"};
	static const char *const ref[] = {
	    "Prescott", "Core2",      "Penryn",       "Dunnington",
	    "Nehalem",  "Atom",       "Athlon",       "Opteron",
	    "Bobcat",   "Barcelona",  "Opteron_SSE3", "Nano",
	    "Katmai",   "Northwood",  "Sandybridge",  "Bulldozer",
	    "Banias",   "Piledriver", "Steamroller",
	};
	size_t i;

	for (i = 0; i < sizeof(avx2) / sizeof(avx2[0]); i++)
		if (strcmp(core, avx2[i]) == 0)
			return BT_ISA_AVX2;
	for (i = 0; i < sizeof(ref) / sizeof(ref[0]); i++)
		if (strcmp(core, ref[i]) == 0)
			return BT_ISA_REF;
	return BT_ISA_AMX; /* the best, or unknown */
}

static void look_at_core(struct state *s, enum bt_isa isa)
{
	const char *core = s->blas.get_corename();
	enum bt_isa has = isa_of(core);

	if (isa < BT_ISA_AVX2 || has > BT_ISA_AVX2 ||
	    (has == BT_ISA_AVX2 && isa < BT_ISA_AVX512))
		return;
	snprintf(s->warning, sizeof(s->warning),
	         "OpenBLAS computes as on %s, but this CPU has %s: "
	         "OPENBLAS_CORETYPE=%s in the environment makes it faster",
	         core, isa < BT_ISA_AVX512 ? "AVX2" : "AVX-512",
	         isa < BT_ISA_AVX512 ? "Haswell" : "SkylakeX");
}

static int load(struct state *s, struct bt_error *err)
{
	int r = bt_library_load(LIBRARY, false, symbols,
	                        sizeof(symbols) / sizeof(symbols[0]), &s->blas,
	                        err);

	if (r == BT_OK && s->blas.get_parallel() == OPENMP)
		r = bt_library_load(LIBRARY, false, &openmp_symbol, 1, &s->blas,
		                    err);
	if (r != BT_OK)
		(void)bt_error_prefix(err, "OpenBLAS does not load");
	return r;
}

static int prepare(struct state *s, int workers, struct bt_error *err)
{
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	if (r == BT_OK)
		r = load(s, err);
	if (r != BT_OK)
		return r;
	/* its buffers are a table that several threads would take from */
	if (workers > 1 && s->blas.get_parallel() == SEQUENTIAL &&
	    strstr(s->blas.get_config(), "USE_LOCKING") == NULL)
		return bt_error_set(
		    err, BT_EARG,
		    "this OpenBLAS is built for one thread: use "
		    "another variant of it, or -j 1");
	look_at_core(s, isa);
	s->blas.set_num_threads(1);
	return BT_OK;
}

static int open_blas(struct bt_gemm *g, struct bt_error *err)
{
	struct state *s;
	int r;

	if (g->bf16)
		return bt_error_set(err, BT_EARG,
		                    "OpenBLAS has no bf16 products");
	s = bt_array0(1, sizeof(*s));
	r = prepare(s, g->workers, err);
	if (r != BT_OK)
		free(s);
	else
		g->state = s;
	return r;
}

static void close_blas(struct bt_gemm *g)
{
	free(g->state);
}

static const char *warning(const struct bt_gemm *g)
{
	const struct state *s = g->state;

	return s->warning[0] != '\0' ? s->warning : NULL;
}

/* A chunk is the address of the weight's first element. */
static int chunk_new(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	const float **p = bt_array0(1, sizeof(*p));

	w->packed[pass][c] = p;
	return p != NULL ? BT_OK : BT_ENOMEM;
}

static void chunk_free(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	free(w->packed[pass][c]);
}

static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	(void)worker;
	*(const float **)w->packed[pass][c] = src;
	return BT_OK;
}

static int sgemm(struct bt_gemm *g, const struct bt_sgemm *p, int worker)
{
	const struct blas *b = &((struct state *)g->state)->blas;

	(void)worker;
	stay_serial(b);
	b->sgemm(ROW_MAJOR, p->transposed_a ? TRANS : NO_TRANS,
	         p->transposed_b ? TRANS : NO_TRANS, p->m, p->n, p->k, 1, p->a,
	         p->lda, p->b, p->ldb, p->add ? 1 : 0, p->c, p->ldc);
	return BT_OK;
}

static int run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
               const struct bt_gemm_block *b, int worker)
{
	const float *src = *(const float **)w->packed[pass][c];
	bool forward = pass == BT_GEMM_FORWARD;
	struct bt_sgemm p = {.transposed_b = forward,
	                     .m = (int)b->rows,
	                     .k = bt_gemm_depth(w, pass),
	                     .a = b->x,
	                     .lda = bt_gemm_depth(w, pass),
	                     .ldb = w->size[1],
	                     .ldc = bt_gemm_out(w, pass),
	                     .add = b->add || b->bias != NULL};
	int first;

	bt_gemm_chunk(w, pass, c, &first, &p.n);
	p.b = src + (size_t)first * (size_t)(forward ? p.k : 1);
	p.c = (float *)b->y + first;
	if (b->bias != NULL)
		bt_gemm_put_bias(p.c, b->rows, (size_t)p.n, (size_t)p.ldc,
		                 b->bias + first, b->add);
	return sgemm(w->gemm, &p, worker);
}

const struct bt_gemm_ops bt_gemm_blas = {
    .name = "openblas",
    .own_bytes = BT_GEMM_LIBRARY_BYTES,
    .open = open_blas,
    .close = close_blas,
    .warning = warning,
    .chunk_columns = 1 << 20, /* it blocks by itself */
    .gradient_rows = 384,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run,
    .gradient = bt_gemm_gradient_f32,
    .sgemm = sgemm,
};
