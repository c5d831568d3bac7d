/* SPDX-License-Identifier: MIT */
/* Where the elements of a tensor are, and getting them in order. */
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "tensor/checkpoint_reader.h"

#define NAME_MAX_BYTES 4096
#define TENSORS_MAX ((size_t)1 << 20)
#define SHARED_MAX 16 /* times the size of the file */
#define SPARE ((size_t)16 << 20)
#define Q8_BLOCK 32 /* elements, behind their scale */
#define Q8_BYTES (2 + Q8_BLOCK)

/* UTF-8 without a NUL, by the table of RFC 3629. */
static bool is_text(const uint8_t *p, size_t n)
{
	size_t i, k, more;
	uint8_t lo, hi;

	for (i = 0; i < n; i += 1 + more) {
		lo = 0x80;
		hi = 0xbf;
		if (p[i] < 0x80) {
			more = 0;
			if (p[i] == 0)
				return false;
		} else if (p[i] >= 0xc2 && p[i] <= 0xdf) {
			more = 1;
		} else if (p[i] >= 0xe0 && p[i] <= 0xef) {
			more = 2;
			lo = p[i] == 0xe0 ? 0xa0 : lo;
			hi = p[i] == 0xed ? 0x9f : hi;
		} else if (p[i] >= 0xf0 && p[i] <= 0xf4) {
			more = 3;
			lo = p[i] == 0xf0 ? 0x90 : lo;
			hi = p[i] == 0xf4 ? 0x8f : hi;
		} else {
			return false;
		}
		if (more > n - i - 1)
			return false;
		for (k = 1; k <= more; k++, lo = 0x80, hi = 0xbf)
			if (p[i + k] < lo || p[i + k] > hi)
				return false;
	}
	return true;
}

/* Counts what a file makes us keep or read; it can be made to say much with
 * few bytes where these may be used again and again. */
static int claim(struct bt_ckpt *c, const struct bt_ckpt_file *f, size_t n,
                 struct bt_error *err)
{
	size_t most;

	if (!bt_size_add(f->size, c->unpacked, &most) ||
	    !bt_size_mul(most, SHARED_MAX, &most) ||
	    !bt_size_add(most, SPARE, &most))
		most = SIZE_MAX;
	if (n > most || c->claimed > most - n)
		return bt_error_set(err, BT_ELIMIT,
		                    "its tensors would have more than %d "
		                    "times the bytes of the file",
		                    SHARED_MAX);
	c->claimed += n;
	return BT_OK;
}

int bt_tensor_check_name(const char *name, size_t n, struct bt_error *err)
{
	if (n > NAME_MAX_BYTES)
		return bt_error_set(err, BT_ELIMIT,
		                    "the name of a tensor has %zu bytes (at "
		                    "most %d)",
		                    n, NAME_MAX_BYTES);
	if (!is_text((const uint8_t *)name, n))
		return bt_error_set(err, BT_ECORRUPT,
		                    "the name of a tensor is not UTF-8");
	return BT_OK;
}

int bt_ckpt_add_named(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                      const char *name, size_t n, struct bt_tensor **res,
                      struct bt_error *err)
{
	struct bt_tensor *t;
	char *copy;
	int r;

	if (c->n >= TENSORS_MAX)
		return bt_error_set(err, BT_ELIMIT, "more than %zu tensors",
		                    TENSORS_MAX);
	r = bt_tensor_check_name(name, n, err);
	if (r == BT_OK)
		r = claim(c, f, n + sizeof(*t), err);
	if (r != BT_OK)
		return r;
	t = bt_ckpt_add(c);
	copy = bt_ckpt_keep(c, n + 1);
	if (t == NULL || copy == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	memcpy(copy, name, n);
	copy[n] = '\0';
	t->name = copy;
	t->file = f->path;
	*res = t;
	return BT_OK;
}

/* The highest element that the strides reach from offset. */
static bool reach(const struct bt_tensor *t, uint64_t offset,
                  const int64_t *stride, size_t *last)
{
	size_t step, at = (size_t)offset;
	int d;

	if (offset > SIZE_MAX)
		return false;
	for (d = 0; d < t->rank; d++) {
		if (t->shape[d] == 1)
			continue;
		if (stride[d] < 0 ||
		    !bt_size_mul((size_t)stride[d], (size_t)t->shape[d] - 1,
		                 &step) ||
		    !bt_size_add(at, step, &at))
			return false;
	}
	*last = at;
	return true;
}

static bool is_plain(const struct bt_tensor *t, const int64_t *stride)
{
	int64_t step = 1;
	int d;

	for (d = t->rank - 1; d >= 0; d--) {
		if (t->shape[d] != 1 && stride[d] != step)
			return false;
		step *= t->shape[d];
	}
	return true;
}

static int keep_from(struct bt_ckpt *c, struct bt_tensor *t,
                     const uint8_t *data, const int64_t *stride,
                     struct bt_error *err)
{
	struct bt_tensor_from *from = bt_ckpt_keep(c, sizeof(*from));

	if (from == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	from->data = data;
	from->stride = stride;
	t->from = from;
	t->data = NULL;
	return BT_OK;
}

int bt_ckpt_place(struct bt_ckpt *c, const struct bt_ckpt_file *f,
                  struct bt_tensor *t, const uint8_t *storage, size_t size,
                  uint64_t offset, const int64_t *stride, struct bt_error *err)
{
	size_t width = bt_dtype_bits(t->dtype) / 8, have = size / width, last;
	int r = bt_tensor_size(t->dtype, t->rank, t->shape, &t->count,
	                       &t->bytes, err);

	if (r == BT_OK)
		r = claim(c, f, t->bytes, err);
	if (r == BT_OK) /* for shape and strides */
		r = claim(c, f, 2 * sizeof(*stride) * (size_t)t->rank, err);
	if (r != BT_OK)
		return r;
	t->data = storage;
	if (t->count == 0)
		return BT_OK;
	if (stride == NULL) {
		if (offset > have || t->count > have - offset)
			return bt_error_set(
			    err, BT_ECORRUPT,
			    "%zu elements of %s from element %llu on do not "
			    "fit into %zu bytes",
			    t->count, bt_dtype_name(t->dtype),
			    (unsigned long long)offset, size);
		t->data = storage + (size_t)offset * width;
		return BT_OK;
	}
	if (!reach(t, offset, stride, &last) || last >= have)
		return bt_error_set(err, BT_ECORRUPT,
		                    "its strides lead out of its %zu bytes",
		                    size);
	storage += (size_t)offset * width;
	if (!is_plain(t, stride))
		return keep_from(c, t, storage, stride, err);
	t->data = storage;
	return BT_OK;
}

int bt_ckpt_place_q8(struct bt_ckpt *c, struct bt_tensor *t,
                     const uint8_t *data, size_t n, struct bt_error *err)
{
	int r;

	t->dtype = BT_DTYPE_F32;
	r = bt_tensor_size(t->dtype, t->rank, t->shape, &t->count, &t->bytes,
	                   err);
	if (r != BT_OK)
		return r;
	if (t->rank == 0 || t->shape[t->rank - 1] % Q8_BLOCK != 0)
		return bt_error_set(
		    err, BT_ECORRUPT,
		    "rows of Q8_0 that are not a multiple of %d", Q8_BLOCK);
	if (t->count / Q8_BLOCK > n / Q8_BYTES)
		return bt_error_set(err, BT_ETRUNCATED,
		                    "%zu elements of Q8_0 do not fit into the "
		                    "%zu bytes that follow in the file",
		                    t->count, n);
	return keep_from(c, t, data, NULL, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int bt_ckpt_check_names(const struct bt_ckpt *c, size_t first,
                        struct bt_error *err)
{
	size_t i, n = c->n - first;
	const char **names = bt_array(n, sizeof(*names));
	int r = BT_OK;

	if (names == NULL)
		return bt_error_nomem(err, "opening a checkpoint");
	for (i = 0; i < n; i++)
		names[i] = c->tensors[first + i].name;
	if (n > 1)
		qsort(names, n, sizeof(*names), by_name);
	for (i = 1; i < n && r == BT_OK; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			r = bt_error_set(err, BT_ECORRUPT,
			                 "it holds tensor '%.100s' twice",
			                 names[i]);
	free(names);
	return r;
}

const char *bt_tensor_packed(const struct bt_tensor *t)
{
	return t->from != NULL && t->from->stride == NULL ? "Q8_0" : NULL;
}

static void gather_q8(const uint8_t *blocks, size_t first, size_t n, float *out)
{
	const uint8_t *p;
	uint16_t half;
	float scale;
	size_t i;

	for (i = 0; i < n; i++, first++) {
		p = blocks + first / Q8_BLOCK * Q8_BYTES;
		if (i == 0 || first % Q8_BLOCK == 0) {
			memcpy(&half, p, sizeof(half));
			scale = bt_f16_to_f32(half);
		}
		out[i] = scale * (float)(int8_t)p[2 + first % Q8_BLOCK];
	}
}

/* n elements of that width, step bytes apart. */
static void pick(const uint8_t *p, size_t step, size_t n, size_t width,
                 uint8_t *out)
{
	size_t i;

	switch (width) {
	case 1:
		for (i = 0; i < n; i++, p += step)
			out[i] = *p;
		break;
	case 2:
		for (i = 0; i < n; i++, p += step)
			memcpy(out + 2 * i, p, 2);
		break;
	case 4:
		for (i = 0; i < n; i++, p += step)
			memcpy(out + 4 * i, p, 4);
		break;
	default:
		for (i = 0; i < n; i++, p += step)
			memcpy(out + 8 * i, p, 8);
	}
}

void bt_tensor_gather(const struct bt_tensor *t, size_t first, size_t n,
                      void *out)
{
	size_t width = bt_dtype_bits(t->dtype) / 8, run, rest = first, at;
	size_t i[BT_TENSOR_MAX_RANK];
	const int64_t *stride = t->from->stride;
	int d, last = t->rank - 1;
	uint8_t *o = out;

	if (stride == NULL) {
		gather_q8(t->from->data, first, n, out);
		return;
	}
	for (d = last; d >= 0 && n > 0; d--) {
		i[d] = rest % (size_t)t->shape[d];
		rest /= (size_t)t->shape[d];
	}
	while (n > 0) {
		for (at = 0, d = 0; d <= last; d++)
			at += i[d] * (size_t)stride[d];
		run = (size_t)t->shape[last] - i[last];
		run = run < n ? run : n;
		pick(t->from->data + at * width, (size_t)stride[last] * width,
		     run, width, o);
		o += run * width;
		n -= run;
		i[last] += run;
		for (d = last; d > 0 && i[d] == (size_t)t->shape[d]; d--) {
			i[d] = 0;
			i[d - 1]++;
		}
	}
}
