/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/num.h"
#include "ckpt/show.h"

#define BLOCK 256

static bool is_float(enum bt_dtype d)
{
	return d == BT_DTYPE_F64 || d == BT_DTYPE_F32 || d == BT_DTYPE_F16 ||
	       d == BT_DTYPE_BF16 ||
	       (d >= BT_DTYPE_F8_E5M2 && d <= BT_DTYPE_F8_E5M2FNUZ);
}

/* One number; i is its element, v its value as far as a double holds it. */
static int format(char *s, size_t size, const struct bt_tensor *t, size_t i,
                  double v)
{
	int64_t n;

	if (t->dtype == BT_DTYPE_I64 || t->dtype == BT_DTYPE_U64) {
		if (bt_tensor_read(t, i, 1, &n, NULL) != BT_OK)
			n = 0; /* cannot be: it is an element of the tensor */
		if (t->dtype == BT_DTYPE_I64)
			return snprintf(s, size, "%lld", (long long)n);
		return snprintf(s, size, "%llu", (unsigned long long)n);
	}
	if (!is_float(t->dtype))
		return snprintf(s, size, "%.0f", v);
	if (v != v)
		return snprintf(s, size, "nan");
	if (t->dtype == BT_DTYPE_F64)
		return bt_format_f64(s, size, v);
	return bt_format_f32(s, size, (float)v);
}

int bt_show_values(struct bt_out *out, const struct bt_tensor *t,
                   struct bt_error *err)
{
	size_t row = t->rank > 0 ? (size_t)t->shape[t->rank - 1] : 1;
	size_t i, j, n;
	double v[BLOCK];
	char s[40];
	int r, k;

	for (i = 0; i < t->count; i += n) {
		n = t->count - i < BLOCK ? t->count - i : BLOCK;
		r = bt_tensor_to_f64(t, i, n, v, err);
		for (j = 0; j < n && r == BT_OK; j++) {
			k = format(s, sizeof(s) - 1, t, i + j, v[j]);
			s[k++] = (i + j + 1) % row == 0 ? '\n' : ' ';
			r = bt_out_write(out, s, (size_t)k, err);
		}
		if (r != BT_OK)
			return r;
	}
	return BT_OK;
}
