/* SPDX-License-Identifier: MIT */
#include "ckpt/cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/half.h"
#include "base/mem.h"
#include "tensor/map.h"
#include "tensor/transpose.h"

#define BLOCK 4096 /* elements converted at once */

struct bt_cast {
	const struct bt_named_list *l;
	struct bt_tensor *tensors;
	struct bt_tensor_source source;
	uint8_t *whole;     /* a tensor that is to be turned */
	uint8_t *turned;    /* in the order of the shape */
	struct bt_buf made; /* what bytes gave */
	size_t whole_cap, turned_cap;
	size_t overflows;
};

bool bt_cast_applies(enum bt_dtype d)
{
	return d == BT_DTYPE_F64 || d == BT_DTYPE_F32 || d == BT_DTYPE_F16 ||
	       d == BT_DTYPE_BF16 ||
	       (d >= BT_DTYPE_F8_E5M2 && d <= BT_DTYPE_F8_E5M2FNUZ);
}

static void *room(uint8_t **p, size_t *cap, size_t n)
{
	return bt_grow(p, cap, n != 0 ? n : 1, 1) == BT_OK ? *p : NULL;
}

/* Numbers of F64 that are finite, but not as floats. */
static size_t too_large(const struct bt_tensor *t, size_t first, const float *x,
                        size_t n)
{
	size_t i, k = 0;
	double v;

	for (i = 0; t->dtype == BT_DTYPE_F64 && i < n; i++)
		k += isinf(x[i]) &&
		     bt_tensor_to_f64(t, first + i, 1, &v, NULL) == BT_OK &&
		     isfinite(v);
	return k;
}

static void pack(struct bt_cast *r, enum bt_dtype to, const float *x, size_t n,
                 uint8_t *out)
{
	uint16_t h;
	size_t i;

	if (to == BT_DTYPE_F32) {
		memcpy(out, x, n * sizeof(*x));
		return;
	}
	for (i = 0; i < n; i++) {
		h = to == BT_DTYPE_BF16 ? bt_f32_to_bf16(x[i])
		                        : bt_f32_to_f16(x[i]);
		if (isfinite(x[i]) &&
		    (h & 0x7fff) == (to == BT_DTYPE_BF16 ? 0x7f80 : 0x7c00))
			r->overflows++;
		memcpy(out + i * sizeof(h), &h, sizeof(h));
	}
}

/* A tensor on its way out. */
struct way {
	struct bt_cast *r;
	const struct bt_tensor *from, *to;
	struct bt_out *out;
	uint32_t in_crc, out_crc; /* of what came and went so far */
	bool sum;                 /* out_crc is wanted */
};

/* n bytes that follow on what was written. */
static int give(struct way *w, const void *p, size_t n, struct bt_error *err)
{
	if (w->sum)
		w->out_crc = bt_crc32c(w->out_crc, p, n);
	return bt_out_write(w->out, p, n, err);
}

/* n bytes were made in the room for them. */
static void made(struct way *w, const void *p, size_t n)
{
	if (w->sum)
		w->out_crc = bt_crc32c(w->out_crc, p, n);
	bt_out_made(w->out, n);
}

/* n bytes of the file, in order, from byte at on. */
static int get(struct way *w, size_t at, size_t n, void *p,
               struct bt_error *err)
{
	const struct bt_tensor *t = w->from;
	size_t bits = bt_dtype_bits(t->dtype);
	int e;

	if (t->data == NULL)
		return bt_tensor_read(t, at * 8 / bits, n * 8 / bits, p, err);
	e = bt_ckpt_fetch(w->r->l->ckpt, (const uint8_t *)t->data + at, n, p,
	                  err);
	if (e == BT_OK && t->has_crc)
		w->in_crc = bt_crc32c(w->in_crc, p, n);
	return e;
}

/* n bytes that are in order, in the type of the file. */
static int pass(struct way *w, const uint8_t *p, size_t n, struct bt_error *err)
{
	size_t size = bt_dtype_bits(w->to->dtype) / 8, i, k;
	struct bt_tensor t = *w->from;
	float x[BLOCK];
	uint8_t *to;
	int e;

	if (t.dtype == w->to->dtype)
		return give(w, p, n, err);
	t.data = p;
	t.from = NULL;
	t.bytes = n;
	t.count = n / (bt_dtype_bits(t.dtype) / 8);
	for (i = 0; i < t.count; i += k) {
		k = t.count - i < BLOCK ? t.count - i : BLOCK;
		e = bt_tensor_to_f32(&t, i, k, x, err);
		if (e != BT_OK)
			return e;
		w->r->overflows += too_large(&t, i, x, k);
		to = bt_out_room(w->out, k * size, err);
		if (to == NULL)
			return BT_EIO;
		pack(w->r, w->to->dtype, x, k, to);
		made(w, to, k * size);
	}
	return BT_OK;
}

static int put_plain(struct way *w, struct bt_error *err)
{
	bool same = w->from->dtype == w->to->dtype;
	size_t at, n, bytes = w->from->bytes;
	uint8_t *p;
	int e = BT_OK;

	if (!same &&
	    room(&w->r->turned, &w->r->turned_cap, BT_OUT_ROOM) == NULL)
		return bt_error_nomem(err, "converting a tensor");
	for (at = 0; at < bytes && e == BT_OK; at += n) {
		n = bytes - at < BT_OUT_ROOM ? bytes - at : BT_OUT_ROOM;
		p = same ? bt_out_room(w->out, n, err) : w->r->turned;
		if (p == NULL)
			return BT_EIO;
		e = get(w, at, n, p, err);
		if (e == BT_OK && same)
			made(w, p, n);
		else if (e == BT_OK)
			e = pass(w, p, n, err);
	}
	return e;
}

/* Its rows of what is read are the columns of what is written. */
static int put_turned(struct way *w, const struct bt_named *v,
                      struct bt_error *err)
{
	size_t width = bt_dtype_bits(w->from->dtype) / 8, at, n, j, row, step;
	size_t bytes = w->from->bytes;
	struct bt_cast *r = w->r;
	bool fits;
	uint8_t *p;
	int e = BT_OK;

	step = bt_transpose_columns(v->rows, width, BT_OUT_ROOM);
	step = step < v->cols ? step : v->cols; /* no more than there are */
	row = v->rows * width;
	fits = step * row <= BT_OUT_ROOM && w->from->dtype == w->to->dtype;
	if (room(&r->whole, &r->whole_cap, bytes) == NULL ||
	    (!fits && room(&r->turned, &r->turned_cap, step * row) == NULL))
		return bt_error_nomem(err, "converting a tensor");
	for (at = 0; at < bytes && e == BT_OK; at += n) {
		n = bytes - at < BT_OUT_ROOM ? bytes - at : BT_OUT_ROOM;
		e = get(w, at, n, r->whole + at, err);
	}
	for (j = 0; j < v->cols && e == BT_OK; j += n) {
		n = v->cols - j < step ? v->cols - j : step;
		p = fits ? bt_out_room(w->out, n * row, err) : r->turned;
		if (p == NULL)
			return BT_EIO;
		bt_transpose(r->whole, v->rows, v->cols, j, n, width, p);
		if (fits)
			made(w, p, n * row);
		else
			e = pass(w, p, n * row, err);
	}
	return e;
}

static int put(void *ctx, size_t i, struct bt_out *out, uint32_t *crc,
               struct bt_error *err)
{
	struct bt_cast *r = ctx;
	const struct bt_named *v = &r->l->v[i];
	struct way w = {.r = r,
	                .from = v->from,
	                .to = &r->tensors[i],
	                .out = out,
	                .sum = crc != NULL};
	int e = bt_tensor_there(v->from, err);

	if (e == BT_OK && v->from->bytes > 0)
		e = v->transposed ? put_turned(&w, v, err) : put_plain(&w, err);
	if (e == BT_OK && v->from->has_crc && v->from->data != NULL)
		e = bt_tensor_sum(v->from, w.in_crc, err);
	if (crc != NULL)
		*crc = w.out_crc;
	return e;
}

static int bytes(void *ctx, size_t i, const void **data, struct bt_error *err)
{
	struct bt_cast *r = ctx;
	const struct bt_named *v = &r->l->v[i];
	const struct bt_tensor *t = v->from;
	struct bt_out *out;
	int e;

	*data = t->data;
	if (!v->transposed && t->data != NULL &&
	    t->dtype == r->tensors[i].dtype)
		return bt_tensor_verify(t, err);
	bt_buf_reset(&r->made);
	out = bt_out_memory(&r->made);
	e = put(ctx, i, out, NULL, err);
	e = bt_out_end(out, e, err);
	*data = bt_buf_at(&r->made, 0);
	return e;
}

int bt_cast_new(const struct bt_named_list *l, enum bt_dtype dtype,
                struct bt_cast **res, struct bt_error *err)
{
	struct bt_cast *r = bt_array0(1, sizeof(*r));
	const struct bt_named *v;
	struct bt_tensor *t;
	int e = BT_OK;

	r->l = l;
	r->tensors = bt_array0(l->n, sizeof(*r->tensors));
	if (r->tensors == NULL)
		e = bt_error_nomem(err, "converting a checkpoint");
	for (v = l->v, t = r->tensors; e == BT_OK && v < l->v + l->n;
	     v++, t++) {
		t->name = v->name;
		t->dtype = v->from->dtype;
		if (l->gguf && bt_cast_applies(t->dtype) &&
		    !bt_gguf_multiplies(v->name, v->rank))
			t->dtype = BT_DTYPE_F32;
		else if (dtype != BT_DTYPES && bt_cast_applies(t->dtype))
			t->dtype = dtype;
		t->rank = v->rank;
		t->shape = v->shape;
		t->file = v->from->file;
		e = bt_tensor_size(t->dtype, t->rank, t->shape, &t->count,
		                   &t->bytes, err);
	}
	if (e != BT_OK) {
		bt_cast_free(r);
		return e;
	}
	r->source = (struct bt_tensor_source){.tensors = r->tensors,
	                                      .count = l->n,
	                                      .bytes = bytes,
	                                      .put = put,
	                                      .ctx = r};
	*res = r;
	return BT_OK;
}

void bt_cast_free(struct bt_cast *r)
{
	if (r == NULL)
		return;
	free(r->tensors);
	free(r->whole);
	free(r->turned);
	bt_buf_clear(&r->made);
	free(r);
}

void bt_cast_behind(struct bt_cast *r, bool behind)
{
	r->source.behind = behind;
}

const struct bt_tensor_source *bt_cast_source(const struct bt_cast *r)
{
	return &r->source;
}

size_t bt_cast_overflows(const struct bt_cast *r)
{
	return r->overflows;
}
