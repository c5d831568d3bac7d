/* SPDX-License-Identifier: MIT */
#include "tensor/tensor.h"

#include "base/crc32c.h"
#include "base/mem.h"
#include "base/str.h"

static const struct {
	const char *name;
	unsigned bits;
	const char *numpy; /* NULL: it lacks the type */
} dtypes[BT_DTYPES] = {
    [BT_DTYPE_BOOL] = {"BOOL", 8, "|b1"},
    [BT_DTYPE_F4] = {"F4", 4, NULL},
    [BT_DTYPE_F6_E2M3] = {"F6_E2M3", 6, NULL},
    [BT_DTYPE_F6_E3M2] = {"F6_E3M2", 6, NULL},
    [BT_DTYPE_U8] = {"U8", 8, "|u1"},
    [BT_DTYPE_I8] = {"I8", 8, "|i1"},
    [BT_DTYPE_F8_E5M2] = {"F8_E5M2", 8, NULL},
    [BT_DTYPE_F8_E4M3] = {"F8_E4M3", 8, NULL},
    [BT_DTYPE_F8_E8M0] = {"F8_E8M0", 8, NULL},
    [BT_DTYPE_F8_E4M3FNUZ] = {"F8_E4M3FNUZ", 8, NULL},
    [BT_DTYPE_F8_E5M2FNUZ] = {"F8_E5M2FNUZ", 8, NULL},
    [BT_DTYPE_I16] = {"I16", 16, "<i2"},
    [BT_DTYPE_U16] = {"U16", 16, "<u2"},
    [BT_DTYPE_F16] = {"F16", 16, "<f2"},
    [BT_DTYPE_BF16] = {"BF16", 16, NULL},
    [BT_DTYPE_I32] = {"I32", 32, "<i4"},
    [BT_DTYPE_U32] = {"U32", 32, "<u4"},
    [BT_DTYPE_F32] = {"F32", 32, "<f4"},
    [BT_DTYPE_C64] = {"C64", 64, "<c8"},
    [BT_DTYPE_F64] = {"F64", 64, "<f8"},
    [BT_DTYPE_I64] = {"I64", 64, "<i8"},
    [BT_DTYPE_U64] = {"U64", 64, "<u8"},
};

const char *bt_dtype_name(enum bt_dtype dtype)
{
	return dtypes[dtype].name;
}

unsigned bt_dtype_bits(enum bt_dtype dtype)
{
	return dtypes[dtype].bits;
}

int bt_dtype_parse(const char *name, enum bt_dtype *dtype)
{
	int i = BT_STR_ROW_BY(name, dtypes, name);

	if (i < 0)
		return BT_EARG;
	*dtype = (enum bt_dtype)i;
	return BT_OK;
}

const char *bt_dtype_numpy(enum bt_dtype dtype)
{
	return dtypes[dtype].numpy;
}

int bt_tensor_size(enum bt_dtype dtype, int rank, const int64_t *shape,
                   size_t *count, size_t *bytes, struct bt_error *err)
{
	size_t n = 1, bits;
	int i;

	if (rank < 0 || rank > BT_TENSOR_MAX_RANK)
		return bt_error_set(err, BT_ECORRUPT,
		                    "%d dimensions are more than %d", rank,
		                    BT_TENSOR_MAX_RANK);
	for (i = 0; i < rank; i++) {
		if (shape[i] < 0)
			return bt_error_set(err, BT_ECORRUPT,
			                    "dimension %d is negative: %lld", i,
			                    (long long)shape[i]);
		if ((uint64_t)shape[i] > SIZE_MAX ||
		    !bt_size_mul(n, (size_t)shape[i], &n))
			return bt_error_set(err, BT_ECORRUPT,
			                    "the number of elements overflows");
	}
	if (!bt_size_mul(n, bt_dtype_bits(dtype), &bits))
		return bt_error_set(err, BT_ECORRUPT,
		                    "the size of %zu elements overflows", n);
	if (bits % 8 != 0)
		return bt_error_set(err, BT_ECORRUPT,
		                    "%zu elements of %s do not fill the last "
		                    "byte",
		                    n, bt_dtype_name(dtype));
	*count = n;
	*bytes = bits / 8;
	return BT_OK;
}

int bt_tensor_there(const struct bt_tensor *t, struct bt_error *err)
{
	if (t->data != NULL || t->from != NULL || t->bytes == 0)
		return BT_OK;
	return bt_error_set(err, BT_EIO,
	                    "'%s' is missing, which holds tensor '%.100s'",
	                    t->file, t->name);
}

int bt_tensor_verify(const struct bt_tensor *t, struct bt_error *err)
{
	int r = bt_tensor_there(t, err);

	if (r != BT_OK || !t->has_crc)
		return r;
	return bt_tensor_sum(t, bt_crc32c(0, t->data, t->bytes), err);
}

int bt_tensor_sum(const struct bt_tensor *t, uint32_t crc, struct bt_error *err)
{
	if (bt_crc32c_mask(crc) == t->crc)
		return BT_OK;
	return bt_error_set(err, BT_ECORRUPT,
	                    "'%s': tensor '%.100s' does not match its checksum",
	                    t->file, t->name);
}
