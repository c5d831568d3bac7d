/* SPDX-License-Identifier: MIT */
/* oneDNN, which is loaded when it is chosen, and the few calls that differ
 * between its versions 2 and 3. */
#ifndef BT_CPU_DNNL_INT_H
#define BT_CPU_DNNL_INT_H

#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/library.h"
#include "base/sys.h"

/* clang-format off */
#if DNNL_VERSION_MAJOR >= 3
#define DNNL_LIBRARY "libdnnl.so.3"
#define DNNL_OF_VERSION(X)                                                     \
	X(memory_desc_create_with_strides) X(memory_desc_create_with_tag)      \
	X(memory_desc_clone) X(memory_desc_destroy) X(memory_desc_query)       \
	X(matmul_primitive_desc_create)
#else
#define DNNL_LIBRARY "libdnnl.so.2"
#define DNNL_OF_VERSION(X)                                                     \
	X(memory_desc_init_by_strides) X(memory_desc_init_by_tag)              \
	X(matmul_desc_init) X(primitive_desc_create)
#endif
#define DNNL_OF_BOTH(X)                                                        \
	X(engine_create) X(engine_destroy)                                     \
	X(stream_create) X(stream_wait) X(stream_destroy)                      \
	X(memory_create) X(memory_destroy) X(memory_set_data_handle)           \
	X(memory_desc_get_size)                                                \
	X(primitive_attr_create) X(primitive_attr_destroy)                     \
	X(primitive_attr_set_post_ops) X(primitive_attr_set_scratchpad_mode)   \
	X(post_ops_create) X(post_ops_append_sum) X(post_ops_destroy)          \
	X(primitive_desc_query_md) X(primitive_desc_destroy)                   \
	X(reorder_primitive_desc_create)                                       \
	X(primitive_create) X(primitive_execute) X(primitive_destroy)          \
	X(sgemm) X(set_max_cpu_isa)
/* clang-format on */

/* Its functions, by their names without dnnl_. */
static struct {
#define X(f) __typeof__(dnnl_##f) *f;
	DNNL_OF_BOTH(X)
	DNNL_OF_VERSION(X)
#undef X
	void (*omp_set_num_threads)(int n); /* NULL: built without OpenMP */
} dnnl;

static void dnnl_set_isa(void)
{
	enum bt_isa isa;

	if (getenv("BT_ISA") == NULL || bt_isa(&isa, NULL) != BT_OK)
		return;
	/* refused when the library has been used already: then it stays */
	if (isa == BT_ISA_AVX2 || isa == BT_ISA_AVX2VNNI)
		(void)dnnl.set_max_cpu_isa(dnnl_cpu_isa_avx2);
	else if (isa == BT_ISA_AVX512)
		(void)dnnl.set_max_cpu_isa(dnnl_cpu_isa_avx512_core);
	else if (isa == BT_ISA_AVX512VNNI)
		(void)dnnl.set_max_cpu_isa(dnnl_cpu_isa_avx512_core_vnni);
	else if (isa == BT_ISA_AVX512BF16)
		(void)dnnl.set_max_cpu_isa(dnnl_cpu_isa_avx512_core_bf16);
}

/* BT_EARG where it is not there. */
static int dnnl_load(struct bt_error *err)
{
	static const struct bt_symbol symbols[] = {
#define X(f) {"dnnl_" #f, offsetof(__typeof__(dnnl), f)},
	    DNNL_OF_BOTH(X) DNNL_OF_VERSION(X)
#undef X
	};
	static const struct bt_symbol openmp = {
	    "omp_set_num_threads",
	    offsetof(__typeof__(dnnl), omp_set_num_threads)};
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool loaded;
	int r = BT_OK;

	pthread_mutex_lock(&lock);
	if (!loaded) {
		r = bt_library_load(DNNL_LIBRARY, false, symbols,
		                    sizeof(symbols) / sizeof(symbols[0]), &dnnl,
		                    err);
		loaded = r == BT_OK;
		if (!loaded) {
			(void)bt_error_prefix(err, "oneDNN does not load");
		} else {
			(void)!bt_library_load(DNNL_LIBRARY, false, &openmp, 1,
			                       &dnnl, NULL);
			dnnl_set_isa();
		}
	}
	pthread_mutex_unlock(&lock);
	return r;
}

/* A layout: strides of the dimensions' blocks, and the blocks within them from
 * the outermost, each of so many elements of a dimension. */
struct md_blocking {
	int n;
	const dnnl_dim_t *strides, *blocks, *dims;
};

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t md_ref;

static inline md_ref md_get(const dnnl_memory_desc_t *d)
{
	return *d;
}

static inline void md_free(dnnl_memory_desc_t *d)
{
	if (*d != NULL)
		dnnl.memory_desc_destroy(*d);
	*d = NULL;
}

static inline dnnl_status_t md_copy(dnnl_memory_desc_t *to, md_ref from)
{
	return dnnl.memory_desc_clone(to, from);
}

static inline dnnl_status_t md_strided(dnnl_memory_desc_t *d, int rank,
                                       const dnnl_dims_t dims,
                                       dnnl_data_type_t type,
                                       const dnnl_dims_t strides)
{
	return dnnl.memory_desc_create_with_strides(d, rank, dims, type,
	                                            strides);
}

static inline dnnl_status_t md_any(dnnl_memory_desc_t *d, int rank,
                                   const dnnl_dims_t dims,
                                   dnnl_data_type_t type)
{
	return dnnl.memory_desc_create_with_tag(d, rank, dims, type,
	                                        dnnl_format_tag_any);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *pd,
                                        dnnl_engine_t e, md_ref src, md_ref wei,
                                        md_ref bias, md_ref dst,
                                        const_dnnl_primitive_attr_t attr)
{
	return dnnl.matmul_primitive_desc_create(pd, e, src, wei, bias, dst,
	                                         attr);
}

static inline dnnl_status_t add_sum(dnnl_post_ops_t ops)
{
	return dnnl.post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef);
}

/* How a blocked matrix lies; pointers are borrowed from it. */
static inline bool md_blocking(md_ref d, struct md_blocking *b)
{
	const dnnl_dims_t *strides, *blocks, *dims;

	if (dnnl.memory_desc_query(d, dnnl_query_strides, &strides) !=
	        dnnl_success ||
	    dnnl.memory_desc_query(d, dnnl_query_inner_nblks_s32, &b->n) !=
	        dnnl_success ||
	    dnnl.memory_desc_query(d, dnnl_query_inner_blks, &blocks) !=
	        dnnl_success ||
	    dnnl.memory_desc_query(d, dnnl_query_inner_idxs, &dims) !=
	        dnnl_success)
		return false;
	b->strides = *strides;
	b->blocks = *blocks;
	b->dims = *dims;
	return true;
}

#else
typedef const dnnl_memory_desc_t *md_ref;

static inline md_ref md_get(const dnnl_memory_desc_t *d)
{
	return d;
}

static inline void md_free(dnnl_memory_desc_t *d)
{
	(void)d;
}

static inline dnnl_status_t md_copy(dnnl_memory_desc_t *to, md_ref from)
{
	*to = *from;
	return dnnl_success;
}

static inline dnnl_status_t md_strided(dnnl_memory_desc_t *d, int rank,
                                       const dnnl_dims_t dims,
                                       dnnl_data_type_t type,
                                       const dnnl_dims_t strides)
{
	return dnnl.memory_desc_init_by_strides(d, rank, dims, type, strides);
}

static inline dnnl_status_t md_any(dnnl_memory_desc_t *d, int rank,
                                   const dnnl_dims_t dims,
                                   dnnl_data_type_t type)
{
	return dnnl.memory_desc_init_by_tag(d, rank, dims, type,
	                                    dnnl_format_tag_any);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *pd,
                                        dnnl_engine_t e, md_ref src, md_ref wei,
                                        md_ref bias, md_ref dst,
                                        const_dnnl_primitive_attr_t attr)
{
	dnnl_matmul_desc_t d;
	dnnl_status_t s = dnnl.matmul_desc_init(&d, src, wei, bias, dst);

	if (s != dnnl_success)
		return s;
	return dnnl.primitive_desc_create(pd, &d, attr, e, NULL);
}

static inline dnnl_status_t add_sum(dnnl_post_ops_t ops)
{
	return dnnl.post_ops_append_sum(ops, 1.0f);
}

static inline bool md_blocking(md_ref d, struct md_blocking *b)
{
	const dnnl_blocking_desc_t *q = &d->format_desc.blocking;

	if (d->format_kind != dnnl_blocked || d->extra.flags != 0)
		return false;
	b->n = q->inner_nblks;
	b->strides = q->strides;
	b->blocks = q->inner_blks;
	b->dims = q->inner_idxs;
	return true;
}

#endif

#endif
