/* SPDX-License-Identifier: MIT */
/* Q8_0: 32 numbers as one scale, a half, and a signed byte each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/half.h"
#include "base/mem.h"
#include "ckpt_format/gguf_int.h"
#include "ckpt_format/writer.h"

#define ROW 32   /* numbers of a block */
#define BYTES 34 /* of it */

struct bt_gguf_q8 {
	const struct bt_tensor_source *from;
	struct bt_tensor *tensors; /* as they are written */
	struct bt_tensor_source source;
};

bool bt_gguf_multiplies(const char *name, int rank)
{
	return rank >= 2 && strcmp(name, "position_embd.weight") != 0 &&
	       strcmp(name, "token_types.weight") != 0;
}

bool bt_gguf_packs(const struct bt_tensor *t)
{
	return t->dtype == BT_DTYPE_F32 && t->count > 0 &&
	       bt_gguf_multiplies(t->name, t->rank) &&
	       t->shape[t->rank - 1] % ROW == 0;
}

size_t bt_gguf_bytes(const struct bt_tensor *t, bool q8)
{
	return q8 && bt_gguf_packs(t) ? t->count / ROW * BYTES : t->bytes;
}

static void pack(const float *x, uint8_t *out)
{
	float most = 0, scale, times, v;
	uint16_t h;
	int i;

	for (i = 0; i < ROW; i++)
		most = fmaxf(most, fabsf(x[i]));
	scale = most / 127;
	times = scale > 0 ? 1 / scale : 0;
	h = bt_f32_to_f16(scale);
	memcpy(out, &h, sizeof(h));
	for (i = 0; i < ROW; i++) {
		v = roundf(x[i] * times);
		out[2 + i] = (uint8_t)(int8_t)fmaxf(-127, fminf(127, v));
	}
}

static int put(void *ctx, size_t i, struct bt_out *out, uint32_t *crc,
               struct bt_error *err)
{
	struct bt_gguf_q8 *q = ctx;
	const struct bt_tensor *t = &q->from->tensors[i];
	uint8_t block[BYTES];
	const void *data;
	float x[ROW];
	size_t k;
	int r;

	if (!bt_gguf_packs(t))
		return bt_tensor_source_put(q->from, i, out, crc, err);
	r = q->from->bytes(q->from->ctx, i, &data, err);
	for (k = 0; r == BT_OK && k < t->count; k += ROW) {
		memcpy(x, (const float *)data + k, sizeof(x));
		pack(x, block);
		r = bt_out_write(out, block, BYTES, err);
	}
	return r;
}

int bt_gguf_q8_new(const struct bt_tensor_source *from, struct bt_gguf_q8 **res,
                   struct bt_error *err)
{
	struct bt_gguf_q8 *q = bt_array0(1, sizeof(*q));
	size_t i;

	q->from = from;
	q->tensors = bt_array(from->count + 1, sizeof(*q->tensors));
	if (q->tensors == NULL) {
		free(q);
		return bt_error_nomem(err, "packing tensors");
	}
	for (i = 0; i < from->count; i++) {
		q->tensors[i] = from->tensors[i];
		q->tensors[i].bytes = bt_gguf_bytes(&from->tensors[i], true);
	}
	q->source = *from;
	q->source.tensors = q->tensors;
	q->source.put = put;
	q->source.ctx = q;
	*res = q;
	return BT_OK;
}

const struct bt_tensor_source *bt_gguf_q8_source(const struct bt_gguf_q8 *q)
{
	return &q->source;
}

void bt_gguf_q8_free(struct bt_gguf_q8 *q)
{
	if (q == NULL)
		return;
	free(q->tensors);
	free(q);
}
