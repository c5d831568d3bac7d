/* SPDX-License-Identifier: MIT */
/*
 * Numbers of every type as f32 and f64. Elements are loaded by memcpy, since
 * nothing in a mapped file is aligned. Types that an f32 cannot hold have a
 * converter to f64 of their own; the others go through f32, which is exact.
 */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "tensor/checkpoint_reader.h"

typedef void to_f32_fn(const uint8_t *p, size_t n, float *out);
typedef void to_f64_fn(const uint8_t *p, size_t n, double *out);

/* value: of an element v. */
#define CONVERT(name, from, to, value)                                         \
	static void name(const uint8_t *p, size_t n, to *out)                  \
	{                                                                      \
		from v;                                                        \
		size_t i;                                                      \
                                                                               \
		for (i = 0; i < n; i++) {                                      \
			memcpy(&v, p + i * sizeof(v), sizeof(v));              \
			out[i] = (to)(value);                                  \
		}                                                              \
	}

CONVERT(i8_f32, int8_t, float, v)
CONVERT(u8_f32, uint8_t, float, v)
CONVERT(i16_f32, int16_t, float, v)
CONVERT(u16_f32, uint16_t, float, v)
CONVERT(i32_f32, int32_t, float, v)
CONVERT(u32_f32, uint32_t, float, v)
CONVERT(i64_f32, int64_t, float, v)
CONVERT(u64_f32, uint64_t, float, v)
CONVERT(f64_f32, double, float, v)
CONVERT(i32_f64, int32_t, double, v)
CONVERT(u32_f64, uint32_t, double, v)
CONVERT(i64_f64, int64_t, double, v)
CONVERT(u64_f64, uint64_t, double, v)

CONVERT(bool_f32, uint8_t, float, v != 0)
CONVERT(f16_f32, uint16_t, float, bt_f16_to_f32(v))
CONVERT(bf16_f32, uint16_t, float, bt_bf16_to_f32(v))

/* The eight-bit types: sign, exponent, m bits of mantissa. */
static float eighth(uint8_t v, int m, int bias)
{
	int exponent = (v & 0x7f) >> m, mantissa = v & ((1 << m) - 1);
	float x;

	if (exponent == 0)
		x = ldexpf((float)mantissa, 1 - bias - m);
	else
		x = ldexpf((float)(mantissa | 1 << m), exponent - bias - m);
	return v & 0x80 ? -x : x;
}

/* Half precision cut off after its first byte. */
CONVERT(e5m2_f32, uint8_t, float, bt_f16_to_f32((uint16_t)(v << 8)))

/* No infinity; all ones is the NaN. */
CONVERT(e4m3_f32, uint8_t, float, (v & 0x7f) == 0x7f ? NAN : eighth(v, 3, 7))

/* A power of two without a sign. */
CONVERT(e8m0_f32, uint8_t, float, v == 0xff ? NAN : ldexpf(1.0f, v - 127))

/* The FNUZ types have no infinity and no -0, whose bits are the NaN. */
CONVERT(e4m3fnuz_f32, uint8_t, float, v == 0x80 ? NAN : eighth(v, 3, 8))
CONVERT(e5m2fnuz_f32, uint8_t, float, v == 0x80 ? NAN : eighth(v, 2, 16))

static void f32_f32(const uint8_t *p, size_t n, float *out)
{
	memcpy(out, p, n * sizeof(*out));
}

static void f64_f64(const uint8_t *p, size_t n, double *out)
{
	memcpy(out, p, n * sizeof(*out));
}

static to_f32_fn *const to_f32[BT_DTYPES] = {
    [BT_DTYPE_BOOL] = bool_f32,
    [BT_DTYPE_U8] = u8_f32,
    [BT_DTYPE_I8] = i8_f32,
    [BT_DTYPE_F8_E5M2] = e5m2_f32,
    [BT_DTYPE_F8_E4M3] = e4m3_f32,
    [BT_DTYPE_F8_E8M0] = e8m0_f32,
    [BT_DTYPE_F8_E4M3FNUZ] = e4m3fnuz_f32,
    [BT_DTYPE_F8_E5M2FNUZ] = e5m2fnuz_f32,
    [BT_DTYPE_I16] = i16_f32,
    [BT_DTYPE_U16] = u16_f32,
    [BT_DTYPE_F16] = f16_f32,
    [BT_DTYPE_BF16] = bf16_f32,
    [BT_DTYPE_I32] = i32_f32,
    [BT_DTYPE_U32] = u32_f32,
    [BT_DTYPE_F32] = f32_f32,
    [BT_DTYPE_F64] = f64_f32,
    [BT_DTYPE_I64] = i64_f32,
    [BT_DTYPE_U64] = u64_f32,
};

static to_f64_fn *const to_f64[BT_DTYPES] = {
    [BT_DTYPE_I32] = i32_f64, [BT_DTYPE_U32] = u32_f64,
    [BT_DTYPE_I64] = i64_f64, [BT_DTYPE_U64] = u64_f64,
    [BT_DTYPE_F64] = f64_f64,
};

bool bt_dtype_is_real(enum bt_dtype dtype)
{
	return to_f32[dtype] != NULL;
}

static int check(const struct bt_tensor *t, size_t first, size_t n,
                 struct bt_error *err)
{
	if (first > t->count || n > t->count - first)
		return bt_error_set(err, BT_EARG,
		                    "tensor '%.100s' has %zu elements, not %zu "
		                    "from %zu",
		                    t->name, t->count, n, first);
	if (!bt_dtype_is_real(t->dtype))
		return bt_error_set(err, BT_EFORMAT,
		                    "tensor '%.100s' is of type %s, which "
		                    "cannot be read as numbers",
		                    t->name, bt_dtype_name(t->dtype));
	return bt_tensor_there(t, err);
}

/* Elements that are converted at once where they are not in order. */
#define BLOCK 256

/* n elements, at most BLOCK of them where they have to be put into buf. */
static const uint8_t *elements(const struct bt_tensor *t, size_t i, size_t n,
                               uint8_t *buf)
{
	if (t->data != NULL)
		return (const uint8_t *)t->data +
		       i * (bt_dtype_bits(t->dtype) / 8);
	bt_tensor_gather(t, i, n, buf);
	return buf;
}

int bt_tensor_read(const struct bt_tensor *t, size_t first, size_t n, void *out,
                   struct bt_error *err)
{
	size_t bits = bt_dtype_bits(t->dtype);

	if (first > t->count || n > t->count - first ||
	    (bits < 8 &&
	     (first % 8 != 0 || (n % 8 != 0 && n != t->count - first))))
		return bt_error_set(err, BT_EARG,
		                    "tensor '%.100s' has %zu elements, not %zu "
		                    "from %zu",
		                    t->name, t->count, n, first);
	if (n == 0)
		return BT_OK;
	if (bt_tensor_there(t, err) != BT_OK)
		return BT_EIO;
	if (t->data == NULL)
		bt_tensor_gather(t, first, n, out);
	else if (bits >= 8)
		memcpy(out, (const uint8_t *)t->data + first * (bits / 8),
		       n * (bits / 8));
	else
		memcpy(out, (const uint8_t *)t->data + first / 8 * bits,
		       (n * bits + 7) / 8);
	return BT_OK;
}

int bt_tensor_to_f32(const struct bt_tensor *t, size_t first, size_t n,
                     float *out, struct bt_error *err)
{
	int r = check(t, first, n, err);
	uint8_t buf[BLOCK * 8];
	size_t i, m;

	if (r != BT_OK)
		return r;
	if (t->data == NULL && t->dtype == BT_DTYPE_F32) {
		bt_tensor_gather(t, first, n, out);
		return BT_OK;
	}
	for (i = 0; i < n; i += m) {
		m = t->data != NULL || n - i < BLOCK ? n - i : BLOCK;
		to_f32[t->dtype](elements(t, first + i, m, buf), m, out + i);
	}
	return BT_OK;
}

int bt_tensor_to_f64(const struct bt_tensor *t, size_t first, size_t n,
                     double *out, struct bt_error *err)
{
	int r = check(t, first, n, err);
	uint8_t buf[BLOCK * 8];
	const uint8_t *p;
	float part[BLOCK];
	size_t i, j, m;

	if (r != BT_OK)
		return r;
	for (i = 0; i < n; i += m) {
		m = n - i < BLOCK ? n - i : BLOCK;
		p = elements(t, first + i, m, buf);
		if (to_f64[t->dtype] != NULL) {
			to_f64[t->dtype](p, m, out + i);
			continue;
		}
		to_f32[t->dtype](p, m, part);
		for (j = 0; j < m; j++)
			out[i + j] = (double)part[j];
	}
	return BT_OK;
}
