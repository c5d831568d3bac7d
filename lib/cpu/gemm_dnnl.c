/* SPDX-License-Identifier: MIT */
/*
 * Products by oneDNN, each call in the calling thread only. Its primitives are
 * made once for each shape and kept; rows are rounded up so that few shapes
 * occur. Weights are packed into the layout it asks for.
 */
#ifdef BT_HAVE_DNNL
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sys.h"
#include "cpu/dnnl_int.h"
#include "cpu/gemm_int.h"
#include "cpu/kernels.h"

#define BUCKETS 512

enum kind { RUN, GRADIENT, PACK };

/* What a primitive depends on; all ints, so it has no padding bytes. */
struct key {
	int kind;
	int m, n, k;          /* dst [m, n] = src [m, k] wei [k, n] */
	int src_row, src_col; /* strides */
	int dst_row;
	int y_bf16, add, bias;
};

enum { SRC, WEI, BIAS, DST, SCRATCH, ARGS };

static const int arg_names[ARGS] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                                    DNNL_ARG_BIAS, DNNL_ARG_DST,
                                    DNNL_ARG_SCRATCHPAD};

struct prim {
	struct prim *next; /* in the bucket */
	struct key key;
	dnnl_primitive_t p;
	dnnl_memory_desc_t md[ARGS];
	bool used[ARGS];
	size_t scratch; /* bytes */
	/* one set of memory objects for each worker */
	dnnl_memory_t (*mem)[ARGS];
};

struct worker {
	dnnl_stream_t stream;
	/* Not from the heap: freed as it grows, it would stay there or not as
	 * other threads happen to allocate. */
	struct bt_arena scratch;
};

struct state {
	dnnl_engine_t engine;
	dnnl_primitive_attr_t attr[2]; /* storing, adding */
	struct worker *workers;
	pthread_mutex_t lock; /* of the table */
	struct prim *table[BUCKETS];
};

/* A packed chunk of a weight. */
struct packed {
	dnnl_memory_desc_t md;
	void *data;
};

static dnnl_status_t make_attr(dnnl_primitive_attr_t *attr, bool add)
{
	dnnl_post_ops_t ops;
	dnnl_status_t s = dnnl.primitive_attr_create(attr);

	if (s == dnnl_success)
		s = dnnl.primitive_attr_set_scratchpad_mode(
		    *attr, dnnl_scratchpad_mode_user);
	if (s != dnnl_success || !add)
		return s;
	s = dnnl.post_ops_create(&ops);
	if (s != dnnl_success)
		return s;
	s = add_sum(ops);
	if (s == dnnl_success)
		s = dnnl.primitive_attr_set_post_ops(*attr, ops);
	dnnl.post_ops_destroy(ops);
	return s;
}

static void free_prim(struct prim *p, int workers)
{
	int i, w;

	for (w = 0; p->mem != NULL && w < workers; w++)
		for (i = 0; i < ARGS; i++)
			if (p->mem[w][i] != NULL)
				dnnl.memory_destroy(p->mem[w][i]);
	for (i = 0; i < ARGS; i++)
		if (p->used[i])
			md_free(&p->md[i]);
	if (p->p != NULL)
		dnnl.primitive_destroy(p->p);
	free(p->mem);
	free(p);
}

static void close_dnnl(struct bt_gemm *g)
{
	struct state *s = g->state;
	struct prim *p;
	int i;

	for (i = 0; i < BUCKETS; i++)
		while ((p = s->table[i]) != NULL) {
			s->table[i] = p->next;
			free_prim(p, g->workers);
		}
	for (i = 0; s->workers != NULL && i < g->workers; i++) {
		if (s->workers[i].stream != NULL)
			dnnl.stream_destroy(s->workers[i].stream);
		bt_arena_clear(&s->workers[i].scratch);
	}
	for (i = 0; i < 2; i++)
		if (s->attr[i] != NULL)
			dnnl.primitive_attr_destroy(s->attr[i]);
	if (s->engine != NULL)
		dnnl.engine_destroy(s->engine);
	pthread_mutex_destroy(&s->lock);
	free(s->workers);
	free(s);
}

static dnnl_status_t open_parts(struct bt_gemm *g, struct state *s)
{
	dnnl_status_t e = dnnl.engine_create(&s->engine, dnnl_cpu, 0);
	int i;

	for (i = 0; i < 2 && e == dnnl_success; i++)
		e = make_attr(&s->attr[i], i == 1);
	for (i = 0; i < g->workers && e == dnnl_success; i++)
		e = dnnl.stream_create(&s->workers[i].stream, s->engine,
		                       dnnl_stream_default_flags);
	return e;
}

static int open_dnnl(struct bt_gemm *g, struct bt_error *err)
{
	enum bt_isa isa;
	struct state *s;
	int r = bt_isa(&isa, err);

	if (r != BT_OK)
		return r;
#if defined(__x86_64__)
	if (isa < BT_ISA_AVX2)
		return bt_error_set(err, BT_EARG,
		                    "oneDNN has no products for %s",
		                    bt_isa_name(isa));
#endif
	/* what it does for bf16 on other processors is slower than f32 */
	if (g->bf16 && isa < BT_ISA_AVX512BF16)
		return bt_error_set(err, BT_EARG,
		                    "no bf16 products by oneDNN on this CPU");
	if ((r = dnnl_load(err)))
		return r;
	s = bt_array0(1, sizeof(*s));
	if (s == NULL)
		return bt_error_nomem(err, "preparing products");
	pthread_mutex_init(&s->lock, NULL);
	g->state = s;
	s->workers = bt_array0((size_t)g->workers, sizeof(*s->workers));
	if (s->workers == NULL || open_parts(g, s) != dnnl_success) {
		close_dnnl(g);
		return bt_error_set(err, BT_ENOMEM, "oneDNN does not start");
	}
	return BT_OK;
}

static dnnl_data_type_t type_of(bool bf16)
{
	return bf16 ? dnnl_bf16 : dnnl_f32;
}

static dnnl_status_t matrix(dnnl_memory_desc_t *d, int rows, int cols,
                            int row_stride, int col_stride, bool bf16)
{
	const dnnl_dims_t dims = {rows, cols};
	const dnnl_dims_t strides = {row_stride, col_stride};

	return md_strided(d, 2, dims, type_of(bf16), strides);
}

/* The layout that a weight [k, n] should be packed in. */
static dnnl_status_t best_layout(struct state *s, bool bf16, int k, int n,
                                 dnnl_memory_desc_t *out)
{
	const dnnl_dims_t sizes = {k, n};
	dnnl_memory_desc_t src = {0}, wei = {0}, dst = {0};
	dnnl_primitive_desc_t pd = NULL;
	dnnl_status_t e = matrix(&src, 256, k, k, 1, bf16);

	if (e == dnnl_success)
		e = md_any(&wei, 2, sizes, type_of(bf16));
	if (e == dnnl_success)
		e = matrix(&dst, 256, n, n, 1, bf16);
	if (e == dnnl_success)
		e = matmul_make(&pd, s->engine, md_get(&src), md_get(&wei),
		                NULL, md_get(&dst), s->attr[0]);
	if (e == dnnl_success)
		e = md_copy(out, dnnl.primitive_desc_query_md(
		                     pd, dnnl_query_weights_md, 0));
	if (pd != NULL)
		dnnl.primitive_desc_destroy(pd);
	md_free(&src);
	md_free(&wei);
	md_free(&dst);
	return e;
}

static dnnl_status_t describe_run(struct prim *p, const struct key *k,
                                  bool bf16, const dnnl_memory_desc_t *packed)
{
	const dnnl_dims_t bias_dims = {1, k->n}, bias_strides = {k->n, 1};
	dnnl_status_t e;

	e = matrix(&p->md[SRC], k->m, k->k, k->src_row, k->src_col, bf16);
	p->used[SRC] = e == dnnl_success;
	if (e != dnnl_success)
		return e;
	if (packed != NULL)
		e = md_copy(&p->md[WEI], md_get(packed));
	else
		e = matrix(&p->md[WEI], k->k, k->n, k->n, 1, bf16);
	p->used[WEI] = e == dnnl_success;
	if (e == dnnl_success && k->bias) {
		e = md_strided(&p->md[BIAS], 2, bias_dims, dnnl_f32,
		               bias_strides);
		p->used[BIAS] = e == dnnl_success;
	}
	if (e == dnnl_success) {
		e = matrix(&p->md[DST], k->m, k->n, k->dst_row, 1, k->y_bf16);
		p->used[DST] = e == dnnl_success;
	}
	return e;
}

static dnnl_status_t make_pd(struct state *s, struct prim *p,
                             const struct key *k,
                             const dnnl_memory_desc_t *packed,
                             dnnl_primitive_desc_t *pd, bool bf16)
{
	dnnl_status_t e;

	if (k->kind == PACK) {
		e = matrix(&p->md[SRC], k->k, k->n, k->src_row, k->src_col,
		           false);
		p->used[SRC] = e == dnnl_success;
		if (e == dnnl_success)
			e = md_copy(&p->md[DST], md_get(packed));
		p->used[DST] = e == dnnl_success;
		if (e != dnnl_success)
			return e;
		return dnnl.reorder_primitive_desc_create(
		    pd, md_get(&p->md[SRC]), s->engine, md_get(&p->md[DST]),
		    s->engine, s->attr[0]);
	}
	e = describe_run(p, k, bf16, packed);
	if (e != dnnl_success)
		return e;
	return matmul_make(pd, s->engine, md_get(&p->md[SRC]),
	                   md_get(&p->md[WEI]),
	                   k->bias ? md_get(&p->md[BIAS]) : NULL,
	                   md_get(&p->md[DST]), s->attr[k->add]);
}

static struct prim *make_prim(struct bt_gemm *g, const struct key *k,
                              const dnnl_memory_desc_t *packed)
{
	struct state *s = g->state;
	struct prim *p = bt_array0(1, sizeof(*p));
	dnnl_primitive_desc_t pd = NULL;
	dnnl_status_t e;

	if (p == NULL)
		return NULL;
	p->key = *k;
	p->mem = bt_array0((size_t)g->workers, sizeof(*p->mem));
	e = p->mem == NULL ? dnnl_out_of_memory
	                   : make_pd(s, p, k, packed, &pd, g->bf16);
	if (e == dnnl_success)
		e = dnnl.primitive_create(&p->p, pd);
	if (e == dnnl_success)
		e = md_copy(&p->md[SCRATCH],
		            dnnl.primitive_desc_query_md(
		                pd, dnnl_query_scratchpad_md, 0));
	if (e == dnnl_success) {
		p->used[SCRATCH] = true;
		p->scratch = dnnl.memory_desc_get_size(md_get(&p->md[SCRATCH]));
	}
	if (pd != NULL)
		dnnl.primitive_desc_destroy(pd);
	if (e == dnnl_success)
		return p;
	free_prim(p, g->workers);
	return NULL;
}

/* Keeps oneDNN from starting threads of its own for this thread: it looks both
 * when it makes a primitive and when it runs one. */
static void stay_serial(void)
{
	static _Thread_local bool serial;

	if (!serial && dnnl.omp_set_num_threads != NULL)
		dnnl.omp_set_num_threads(1);
	serial = true;
}

/* The primitive of a key, made if it is new. NULL if that fails. */
static struct prim *find_prim(struct bt_gemm *g, const struct key *k,
                              const dnnl_memory_desc_t *packed)
{
	struct state *s = g->state;
	const unsigned char *b = (const unsigned char *)k;
	uint32_t h = 2166136261u; /* FNV-1a */
	struct prim *p;
	size_t i;

	for (i = 0; i < sizeof(*k); i++)
		h = (h ^ b[i]) * 16777619u;
	h %= BUCKETS;
	stay_serial();
	pthread_mutex_lock(&s->lock);
	for (p = s->table[h]; p != NULL; p = p->next)
		if (memcmp(&p->key, k, sizeof(*k)) == 0)
			break;
	if (p == NULL) {
		p = make_prim(g, k, packed);
		if (p != NULL) {
			p->next = s->table[h];
			s->table[h] = p;
		}
	}
	pthread_mutex_unlock(&s->lock);
	return p;
}

static int ensure_scratch(struct worker *w, size_t size)
{
	if (size <= w->scratch.size)
		return BT_OK;
	bt_arena_clear(&w->scratch);
	return bt_arena_init(&w->scratch, bt_round_up(size, 4096));
}

/* Runs p in this thread on the given data. */
static int execute(struct bt_gemm *g, struct prim *p, void *const data[ARGS],
                   int worker)
{
	struct state *s = g->state;
	struct worker *w = &s->workers[worker];
	dnnl_exec_arg_t args[ARGS];
	dnnl_memory_t *m = p->mem[worker];
	int i, n = 0;

	if (ensure_scratch(w, p->scratch) != BT_OK)
		return BT_ENOMEM;
	for (i = 0; i < ARGS; i++) {
		if (!p->used[i])
			continue;
		if (m[i] == NULL &&
		    dnnl.memory_create(&m[i], md_get(&p->md[i]), s->engine,
		                       DNNL_MEMORY_NONE) != dnnl_success)
			return BT_ENOMEM;
		if (dnnl.memory_set_data_handle(
		        m[i], i == SCRATCH ? w->scratch.base : data[i]) !=
		    dnnl_success)
			return BT_ENOMEM;
		args[n].arg = p->key.kind == PACK && i == SRC   ? DNNL_ARG_FROM
		              : p->key.kind == PACK && i == DST ? DNNL_ARG_TO
		                                                : arg_names[i];
		args[n++].memory = m[i];
	}
	if (dnnl.primitive_execute(p->p, w->stream, n, args) != dnnl_success ||
	    dnnl.stream_wait(w->stream) != dnnl_success)
		return BT_ENOMEM;
	return BT_OK;
}

static int chunk_new(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	struct packed *p = bt_array0(1, sizeof(*p));
	int first, count;
	size_t size;

	if (p == NULL)
		return BT_ENOMEM;
	w->packed[pass][c] = p;
	stay_serial();
	bt_gemm_chunk(w, pass, c, &first, &count);
	if (best_layout(w->gemm->state, w->gemm->bf16, bt_gemm_depth(w, pass),
	                count, &p->md) != dnnl_success)
		return BT_ENOMEM;
	size = bt_round_up(dnnl.memory_desc_get_size(md_get(&p->md)), 64);
	p->data = aligned_alloc(64, size);
	w->bytes += size;
	return p->data != NULL ? BT_OK : BT_ENOMEM;
}

static void chunk_free(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c)
{
	struct packed *p = w->packed[pass][c];

	md_free(&p->md);
	free(p->data);
	free(p);
}

/* Whether a layout is one that the pack kernel knows; then fills that in. */
static bool known_layout(md_ref md, bool bf16, struct bt_pack *a)
{
	static const dnnl_dim_t dims[] = {0, 1, 0};
	struct md_blocking b;
	int i, n = bf16 ? 3 : 2;

	if (!md_blocking(md, &b) || b.n != n)
		return false;
	for (i = 0; i < n; i++)
		if (b.dims[i] != dims[i])
			return false;
	if (b.blocks[0] != 16 || (bf16 && b.blocks[2] != 2))
		return false;
	a->bf16 = bf16;
	a->n_block = (size_t)b.blocks[1];
	a->k_stride = (size_t)b.strides[0];
	a->n_stride = (size_t)b.strides[1];
	return true;
}

static int reorder(struct bt_gemm *g, struct packed *to, struct key *k,
                   const struct bt_pack *a, int worker)
{
	void *data[ARGS] = {NULL};
	struct prim *p;

	k->kind = PACK;
	k->k = (int)a->k;
	k->n = (int)a->n;
	k->src_row = (int)a->k_step;
	k->src_col = (int)a->n_step;
	p = find_prim(g, k, &to->md);
	if (p == NULL)
		return BT_ENOMEM;
	/* oneDNN's handles are not const, but it only reads sources */
	data[SRC] = (void *)a->src;
	data[DST] = a->dst;
	return execute(g, p, data, worker);
}

/* Its own kernel is several times as fast as oneDNN's reorder. */
static int pack(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
                const float *src, int worker)
{
	struct packed *to = w->packed[pass][c];
	bool forward = pass == BT_GEMM_FORWARD;
	struct key k = {0};
	struct bt_pack a = {.dst = to->data};
	enum bt_isa isa;
	int first, count;

	bt_gemm_chunk(w, pass, c, &first, &count);
	a.k = (size_t)bt_gemm_depth(w, pass);
	a.n = (size_t)count;
	a.k_step = forward ? 1 : (size_t)w->size[1];
	a.n_step = forward ? (size_t)w->size[1] : 1;
	a.src = src + (size_t)first * a.n_step;
	if (bt_isa(&isa, NULL) != BT_OK ||
	    !known_layout(md_get(&to->md), w->gemm->bf16, &a))
		return reorder(w->gemm, to, &k, &a, worker);
	bt_kernels_for(isa)->pack(&a);
	return BT_OK;
}

static void *at(void *p, size_t i, bool bf16)
{
	return (char *)p + i * (bf16 ? sizeof(uint16_t) : sizeof(float));
}

static int run(struct bt_gemm_weight *w, enum bt_gemm_pass pass, int c,
               const struct bt_gemm_block *b, int worker)
{
	struct packed *packed = w->packed[pass][c];
	struct key k = {.kind = RUN};
	void *data[ARGS] = {NULL};
	struct prim *p;
	int first;

	bt_gemm_chunk(w, pass, c, &first, &k.n);
	k.m = (int)(b->rows <= 16 ? 16 : bt_round_up(b->rows, BT_GEMM_GROUP));
	k.k = bt_gemm_depth(w, pass);
	k.src_row = k.k;
	k.src_col = 1;
	k.dst_row = bt_gemm_out(w, pass);
	k.y_bf16 = b->y_bf16;
	k.add = b->add;
	k.bias = b->bias != NULL;
	p = find_prim(w->gemm, &k, &packed->md);
	if (p == NULL)
		return BT_ENOMEM;
	data[SRC] = (void *)b->x;
	data[WEI] = packed->data;
	data[BIAS] = b->bias != NULL ? (void *)(b->bias + first) : NULL;
	data[DST] = at(b->y, (size_t)first, b->y_bf16);
	return execute(w->gemm, p, data, worker);
}

static int gradient(struct bt_gemm *g, const struct bt_gemm_gradient *a,
                    int worker)
{
	struct key k = {.kind = GRADIENT};
	void *data[ARGS] = {NULL};
	struct prim *p;

	k.m = a->n1 - a->n0;
	k.n = a->k;
	k.k = (int)bt_gemm_room(a->rows);
	k.src_row = 1;
	k.src_col = a->n;
	k.dst_row = a->k;
	k.add = a->add;
	p = find_prim(g, &k, NULL);
	if (p == NULL)
		return BT_ENOMEM;
	data[SRC] = at((void *)a->dy, (size_t)a->n0, g->bf16);
	data[WEI] = (void *)a->x;
	data[DST] = a->dw + (size_t)a->n0 * (size_t)a->k;
	return execute(g, p, data, worker);
}

static int sgemm(struct bt_gemm *g, const struct bt_sgemm *p, int worker)
{
	(void)g;
	(void)worker;
	stay_serial();
	return dnnl.sgemm(p->transposed_a ? 'T' : 'N',
	                  p->transposed_b ? 'T' : 'N', p->m, p->n, p->k, 1,
	                  p->a, p->lda, p->b, p->ldb, p->add ? 1 : 0, p->c,
	                  p->ldc) == dnnl_success
	           ? BT_OK
	           : BT_ENOMEM;
}

static bool is_there(void)
{
	return dnnl_load(NULL) == BT_OK;
}

const struct bt_gemm_ops bt_gemm_dnnl = {
    .name = "onednn",
    .own_bytes = BT_GEMM_LIBRARY_BYTES,
    .fast_bf16 = is_there,
    .open = open_dnnl,
    .close = close_dnnl,
    /* one chunk: an output narrower than its rows is slow in oneDNN 2 */
    .chunk_columns = 1 << 20,
    .gradient_rows = 384,
    .chunk_new = chunk_new,
    .chunk_free = chunk_free,
    .pack = pack,
    .run = run,
    .gradient = gradient,
    .sgemm = sgemm,
};
#else
typedef int bt_no_dnnl; /* a translation unit must not be empty */
#endif
