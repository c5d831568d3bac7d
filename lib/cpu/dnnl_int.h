/* SPDX-License-Identifier: MIT */
/* The few calls of oneDNN that differ between its versions 2 and 3. */
#ifndef BT_CPU_DNNL_INT_H
#define BT_CPU_DNNL_INT_H

#include <oneapi/dnnl/dnnl.h>
#include <stddef.h>

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

#endif

#endif
