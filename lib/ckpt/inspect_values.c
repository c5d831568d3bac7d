/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "ckpt/inspect.h"
#include "ckpt_format/npy.h"
#include "ckpt_format/tensor_stream_write.h"

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

#define PIECE ((size_t)1 << 16) /* elements; whole bytes of any type */

/* The bytes of t, piece by piece where they are not in order in the file. */
static int put_bytes(struct bt_out *out, const struct bt_tensor *t,
                     struct bt_error *err)
{
	size_t i, n, size = bt_dtype_bits(t->dtype) / 8;
	void *buf;
	int r = bt_tensor_there(t, err);

	if (r != BT_OK || t->bytes == 0)
		return r;
	if (t->data != NULL)
		return bt_out_write(out, t->data, t->bytes, err);
	buf = malloc(PIECE * size);
	if (buf == NULL)
		return bt_error_nomem(err, "reading a tensor");
	for (i = 0; i < t->count && r == BT_OK; i += n) {
		n = t->count - i < PIECE ? t->count - i : PIECE;
		r = bt_tensor_read(t, i, n, buf, err);
		if (r == BT_OK)
			r = bt_out_write(out, buf, n * size, err);
	}
	free(buf);
	return r;
}

int bt_inspect_npy(struct bt_out *out, const struct bt_tensor *t,
                   struct bt_error *err)
{
	struct bt_buf head = BT_BUF_INIT;
	int r;

	if (bt_dtype_numpy(t->dtype) == NULL)
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' is of type %s, which "
		                    "NumPy does not have",
		                    t->name, bt_dtype_name(t->dtype));
	bt_npy_header(&head, t);
	r = head.oom ? bt_error_nomem(err, "writing an array")
	             : bt_out_write(out, head.data, head.len, err);
	bt_buf_clear(&head);
	return r == BT_OK ? put_bytes(out, t, err) : r;
}

static int fill(void *ctx, size_t i, struct bt_out *out, struct bt_error *err)
{
	(void)i;
	return put_bytes(out, ctx, err);
}

int bt_inspect_stream(struct bt_out *out, const struct bt_tensor *t,
                      struct bt_error *err)
{
	struct bt_tensor copy = *t;
	struct bt_safetensors s = {
	    .tensors = &copy, .count = 1, .fill = fill, .ctx = &copy};
	struct bt_ts_writer *ts;
	int r = bt_ts_writer_new(out, BT_TS_LEVEL, &ts, err);

	if (r != BT_OK)
		return r;
	r = bt_ts_writer_frame(ts, &s, err);
	if (r == BT_OK)
		return bt_ts_writer_finish(ts, err);
	bt_ts_writer_abandon(ts);
	return r;
}
