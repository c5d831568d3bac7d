/* SPDX-License-Identifier: MIT */
/* Types and dimensions of arrays. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "pjrt/pjrt.h"

static const struct {
	const char *name;
	size_t bytes;
} types[] = {
    [BT_PJRT_PRED] = {"i1", 1},   [BT_PJRT_S8] = {"i8", 1},
    [BT_PJRT_S16] = {"i16", 2},   [BT_PJRT_S32] = {"i32", 4},
    [BT_PJRT_S64] = {"i64", 8},   [BT_PJRT_U8] = {"ui8", 1},
    [BT_PJRT_U16] = {"ui16", 2},  [BT_PJRT_U32] = {"ui32", 4},
    [BT_PJRT_U64] = {"ui64", 8},  [BT_PJRT_F16] = {"f16", 2},
    [BT_PJRT_F32] = {"f32", 4},   [BT_PJRT_F64] = {"f64", 8},
    [BT_PJRT_BF16] = {"bf16", 2},
};

static bool is_known(enum bt_pjrt_type type)
{
	return type >= BT_PJRT_PRED && type <= BT_PJRT_BF16;
}

int bt_pjrt_shape_bytes(const struct bt_pjrt_shape *s, size_t *bytes,
                        struct bt_error *err)
{
	char text[BT_PJRT_SHAPE_TEXT];
	size_t n;
	int i;

	if (!is_known(s->type))
		return bt_error_set(err, BT_EARG,
		                    "elements of type %d of PJRT are not known",
		                    (int)s->type);
	if (s->n_dims < 0 || s->n_dims > BT_PJRT_MAX_DIMS)
		return bt_error_set(err, BT_EARG,
		                    "an array has %d dimensions; %d at most "
		                    "are known",
		                    s->n_dims, BT_PJRT_MAX_DIMS);
	n = types[s->type].bytes;
	for (i = 0; i < s->n_dims; i++)
		if (s->dims[i] < 0 || !bt_size_mul(n, (size_t)s->dims[i], &n))
			return bt_error_set(err, BT_EARG,
			                    "an array cannot have the shape %s",
			                    bt_pjrt_shape_text(s, text));
	*bytes = n;
	return BT_OK;
}

bool bt_pjrt_shape_equal(const struct bt_pjrt_shape *a,
                         const struct bt_pjrt_shape *b)
{
	return a->type == b->type && a->n_dims == b->n_dims &&
	       memcmp(a->dims, b->dims, (size_t)a->n_dims * sizeof(*a->dims)) ==
	           0;
}

const char *bt_pjrt_shape_text(const struct bt_pjrt_shape *s,
                               char text[BT_PJRT_SHAPE_TEXT])
{
	int n, i;

	n = snprintf(text, BT_PJRT_SHAPE_TEXT, "%s[",
	             is_known(s->type) ? types[s->type].name : "?");
	for (i = 0; i < s->n_dims && i < BT_PJRT_MAX_DIMS; i++)
		n +=
		    snprintf(text + n, BT_PJRT_SHAPE_TEXT - (size_t)n, "%s%lld",
		             i > 0 ? "," : "", (long long)s->dims[i]);
	snprintf(text + n, BT_PJRT_SHAPE_TEXT - (size_t)n, "]");
	return text;
}
