/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/num.h"
#include "ckpt/cast.h"
#include "ckpt/inspect.h"
#include "ckpt_format/npy.h"
#include "ckpt_format/tensor_stream_write.h"
#include "ckpt_format/writer.h"

#define BLOCK 256

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
	if (!bt_cast_applies(t->dtype))
		return snprintf(s, size, "%.0f", v);
	if (v != v)
		return snprintf(s, size, "nan");
	if (t->dtype == BT_DTYPE_F64)
		return bt_format_f64(s, size, v);
	return bt_format_f32(s, size, (float)v);
}

int bt_inspect_values(struct bt_out *out, const struct bt_tensor *t,
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

int bt_inspect_npy(struct bt_out *out, const struct bt_tensor *t,
                   struct bt_error *err)
{
	struct bt_buf head = BT_BUF_INIT;
	int r = bt_tensor_there(t, err);

	if (r != BT_OK)
		return r;
	if (bt_dtype_numpy(t->dtype) == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' is of type %s, which "
		                    "NumPy does not have",
		                    t->name, bt_dtype_name(t->dtype));
	bt_npy_header(&head, t);
	r = bt_out_write(out, head.data, head.len, err);
	bt_buf_clear(&head);
	return r == BT_OK ? bt_tensor_put(out, t, t->bytes, err) : r;
}

int bt_inspect_stream(struct bt_out *out, const struct bt_tensor *t,
                      struct bt_error *err)
{
	struct bt_safetensors s = {.tensors = t, .count = 1};
	struct bt_ts_writer *ts;
	int r = bt_tensor_there(t, err);

	if (r == BT_OK)
		r = bt_ts_writer_new(out, BT_TS_LEVEL, &ts, err);
	if (r != BT_OK)
		return r;
	r = bt_ts_writer_frame(ts, &s, err);
	if (r == BT_OK)
		return bt_ts_writer_finish(ts, err);
	bt_ts_writer_abandon(ts);
	return r;
}
