/* SPDX-License-Identifier: MIT */
#include "cpu/gemm.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "cpu/gemm_int.h"

static const struct bt_gemm_ops *const providers[] = {
#ifdef BT_HAVE_DNNL
    &bt_gemm_dnnl,
#endif
    &bt_gemm_blas, &bt_gemm_int8, &bt_gemm_native, &bt_gemm_ref,
};

#define N_PROVIDERS (sizeof(providers) / sizeof(providers[0]))

static int open_ops(const struct bt_gemm_ops *ops, struct bt_gemm *f32,
                    bool bf16, int workers, struct bt_gemm **out,
                    struct bt_error *err)
{
	struct bt_gemm *g = bt_array0(1, sizeof(*g));
	int r;

	*g = (struct bt_gemm){
	    .ops = ops, .bf16 = bf16, .workers = workers, .f32 = f32};
	r = ops->open(g, err);
	if (r != BT_OK)
		free(g);
	else
		*out = g;
	return r;
}

static int open_provider(const struct bt_gemm_ops *ops, bool bf16, int workers,
                         struct bt_gemm **out, struct bt_error *err)
{
	struct bt_gemm *f32;
	int r;

	if (!bf16 || ops->sgemm == NULL)
		return open_ops(ops, NULL, bf16, workers, out, err);
	if (open_ops(ops, NULL, true, workers, out, NULL) == BT_OK)
		return BT_OK;
	r = open_ops(ops, NULL, false, workers, &f32, err);
	if (r != BT_OK)
		return r;
	r = open_ops(&bt_gemm_widened, f32, true, workers, out, err);
	if (r != BT_OK)
		bt_gemm_free(f32);
	return r;
}

static const struct bt_gemm_ops *find(const char *name)
{
	size_t i;

	for (i = 0; i < N_PROVIDERS; i++)
		if (strcmp(name, providers[i]->name) == 0)
			return providers[i];
	return NULL;
}

/* The best there is: our own kernels with AVX2, where nothing is faster and
 * libraries widen bf16, too, and with AMX tiles (README.md, "Matrix products");
 * else oneDNN. OpenBLAS comes behind it, since a text's outputs depend on its
 * batch there.
 */
static int open_best(bool bf16, int workers, struct bt_gemm **g,
                     struct bt_error *err)
{
	const struct bt_gemm_ops *onednn = find("onednn");
	enum bt_isa isa;
	int r = bt_isa(&isa, err);

	if (r != BT_OK)
		return r;
	if (isa != BT_ISA_AVX2 && isa != BT_ISA_AVX2VNNI &&
	    !(bf16 && isa >= BT_ISA_AMX)) {
		if (onednn != NULL &&
		    open_provider(onednn, bf16, workers, g, NULL) == BT_OK)
			return BT_OK;
		if (open_provider(&bt_gemm_blas, bf16, workers, g, NULL) ==
		    BT_OK)
			return BT_OK;
	}
	return open_provider(&bt_gemm_native, bf16, workers, g, err);
}

static bool fast_bf16(const struct bt_gemm_ops *ops)
{
	return ops != NULL && ops->fast_bf16 != NULL && ops->fast_bf16();
}

bool bt_gemm_fast_bf16(const char *name)
{
	if (name != NULL)
		return fast_bf16(find(name));
	return fast_bf16(&bt_gemm_native) || fast_bf16(find("onednn"));
}

int bt_gemm_new(const char *name, bool bf16, int workers, struct bt_gemm **g,
                struct bt_error *err)
{
	const struct bt_gemm_ops *ops;

	if (name == NULL)
		return open_best(bf16, workers, g, err);
	ops = find(name);
	if (ops == NULL)
		return bt_error_set(err, BT_EARG,
		                    "matrix products by '%s' are not built in",
		                    name);
	return open_provider(ops, bf16, workers, g, err);
}

void bt_gemm_free(struct bt_gemm *g)
{
	if (g == NULL)
		return;
	g->ops->close(g);
	bt_gemm_free(g->f32);
	free(g);
}

const char *bt_gemm_name(const struct bt_gemm *g)
{
	return g->f32 != NULL ? bt_gemm_name(g->f32) : g->ops->name;
}

const char *bt_gemm_warning(const struct bt_gemm *g)
{
	if (g->f32 != NULL)
		return bt_gemm_warning(g->f32);
	return g->ops->warning != NULL ? g->ops->warning(g) : NULL;
}

int bt_gemm_weight_new(struct bt_gemm *g, int n, int k, bool backward,
                       struct bt_gemm_weight **out, struct bt_error *err)
{
	struct bt_gemm_weight *w;
	int pass, c;

	if (backward && g->ops->gradient == NULL)
		return bt_error_set(err, BT_EARG,
		                    "%s products cannot train a model",
		                    bt_gemm_name(g));
	if (g->ops->depth_max != 0 && k > g->ops->depth_max)
		return bt_error_hint(
		    err, BT_HINT_DTYPE,
		    bt_error_set(
		        err, BT_ELIMIT,
		        "a layer of the model has %d inputs (%s products "
		        "allow at most %d)",
		        k, g->ops->name, g->ops->depth_max));
	w = bt_array0(1, sizeof(*w));
	w->gemm = g;
	w->size[0] = n;
	w->size[1] = k;
	w->backward = backward;
	for (pass = 0; pass < (backward ? 2 : 1); pass++) {
		/* as even as groups of 32 columns allow, no wider than aimed
		 * at */
		w->chunks[pass] = (w->size[pass] + g->ops->chunk_columns - 1) /
		                  g->ops->chunk_columns;
		if (w->chunks[pass] > BT_GEMM_CHUNKS_MAX)
			w->chunks[pass] = BT_GEMM_CHUNKS_MAX;
		for (c = 0; c < w->chunks[pass]; c++)
			if (g->ops->chunk_new(w, (enum bt_gemm_pass)pass, c) !=
			    BT_OK) {
				bt_gemm_weight_free(w);
				return bt_error_set(
				    err, BT_ENOMEM,
				    "out of memory while preparing products "
				    "of %d x %d (%s)",
				    n, k, bt_gemm_name(g));
			}
	}
	*out = w;
	return BT_OK;
}

void bt_gemm_weight_free(struct bt_gemm_weight *w)
{
	int pass, c;

	if (w == NULL)
		return;
	for (pass = 0; pass < 2; pass++)
		for (c = 0; c < w->chunks[pass]; c++)
			if (w->packed[pass][c] != NULL)
				w->gemm->ops->chunk_free(
				    w, (enum bt_gemm_pass)pass, c);
	free(w);
}

size_t bt_gemm_weight_bytes(const struct bt_gemm_weight *w)
{
	return w->bytes;
}

/* Layouts are made of blocks of up to 32 x 32. */
size_t bt_gemm_weight_estimate(const struct bt_gemm *g, int n, int k,
                               bool backward)
{
	size_t elements =
	    bt_round_up((size_t)n, 32) * bt_round_up((size_t)k, 32);

	return elements * (g->bf16 ? sizeof(uint16_t) : sizeof(float)) *
	       (backward ? 2 : 1);
}

size_t bt_gemm_own_estimate(const struct bt_gemm *g)
{
	return g->ops->own_bytes + g->ops->worker_bytes * (size_t)g->workers;
}

int bt_gemm_chunks(const struct bt_gemm_weight *w, enum bt_gemm_pass pass)
{
	return w->chunks[pass];
}

int bt_gemm_pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                 const float *src, int worker)
{
	return w->gemm->ops->pack(w, pass, c, src, worker);
}

int bt_gemm_run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const struct bt_gemm_block *b, int worker)
{
	return w->gemm->ops->run(w, pass, c, b, worker);
}

int bt_gemm_gradient(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                     int worker)
{
	return g->ops->gradient(g, a, worker);
}

int bt_gemm_gradient_step(const struct bt_gemm *g, int n, int k)
{
	(void)k;
	return n < g->ops->gradient_rows ? n : g->ops->gradient_rows;
}
