/* SPDX-License-Identifier: MIT */
/* The few calls of oneDNN that differ between its versions 2 and 3. */
#ifndef BT_CPU_DNNL_INT_H
#define BT_CPU_DNNL_INT_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stddef.h>

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
		dnnl_memory_desc_destroy(*d);
	*d = NULL;
}

static inline dnnl_status_t md_copy(dnnl_memory_desc_t *to, md_ref from)
{
	return dnnl_memory_desc_clone(to, from);
}

static inline dnnl_status_t md_strided(dnnl_memory_desc_t *d, int rank,
                                       const dnnl_dims_t dims,
                                       dnnl_data_type_t type,
                                       const dnnl_dims_t strides)
{
	return dnnl_memory_desc_create_with_strides(d, rank, dims, type,
	                                            strides);
}

static inline dnnl_status_t md_any(dnnl_memory_desc_t *d, int rank,
                                   const dnnl_dims_t dims,
                                   dnnl_data_type_t type)
{
	return dnnl_memory_desc_create_with_tag(d, rank, dims, type,
	                                        dnnl_format_tag_any);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *pd,
                                        dnnl_engine_t e, md_ref src, md_ref wei,
                                        md_ref bias, md_ref dst,
                                        const_dnnl_primitive_attr_t attr)
{
	return dnnl_matmul_primitive_desc_create(pd, e, src, wei, bias, dst,
	                                         attr);
}

static inline dnnl_status_t add_sum(dnnl_post_ops_t ops)
{
	return dnnl_post_ops_append_sum(ops, 1.0f, 0, dnnl_data_type_undef);
}

/* How a blocked matrix lies; pointers are borrowed from it. */
static inline bool md_blocking(md_ref d, struct md_blocking *b)
{
	const dnnl_dims_t *strides, *blocks, *dims;

	if (dnnl_memory_desc_query(d, dnnl_query_strides, &strides) !=
	        dnnl_success ||
	    dnnl_memory_desc_query(d, dnnl_query_inner_nblks_s32, &b->n) !=
	        dnnl_success ||
	    dnnl_memory_desc_query(d, dnnl_query_inner_blks, &blocks) !=
	        dnnl_success ||
	    dnnl_memory_desc_query(d, dnnl_query_inner_idxs, &dims) !=
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
	return dnnl_memory_desc_init_by_strides(d, rank, dims, type, strides);
}

static inline dnnl_status_t md_any(dnnl_memory_desc_t *d, int rank,
                                   const dnnl_dims_t dims,
                                   dnnl_data_type_t type)
{
	return dnnl_memory_desc_init_by_tag(d, rank, dims, type,
	                                    dnnl_format_tag_any);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *pd,
                                        dnnl_engine_t e, md_ref src, md_ref wei,
                                        md_ref bias, md_ref dst,
                                        const_dnnl_primitive_attr_t attr)
{
	dnnl_matmul_desc_t d;
	dnnl_status_t s = dnnl_matmul_desc_init(&d, src, wei, bias, dst);

	if (s != dnnl_success)
		return s;
	return dnnl_primitive_desc_create(pd, &d, attr, e, NULL);
}

static inline dnnl_status_t add_sum(dnnl_post_ops_t ops)
{
	return dnnl_post_ops_append_sum(ops, 1.0f);
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
