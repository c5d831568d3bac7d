/* SPDX-License-Identifier: MIT */
#include "ckpt/fingerprint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "ckpt/names.h"
#include "ckpt/open.h"
#include "format/adapter_config.h"

#define FIRST 1024 /* values of each tensor */

static bool is_float(enum bt_dtype d)
{
	return d == BT_DTYPE_F32 || d == BT_DTYPE_F16 || d == BT_DTYPE_BF16 ||
	       d == BT_DTYPE_F64;
}

/* The first n values in the form that the name has. */
static int read_first(const struct bt_named *v, size_t n, float *x,
                      struct bt_error *err)
{
	size_t k;
	int r = BT_OK;

	if (!v->transposed)
		return bt_tensor_to_f32(v->from, 0, n, x, err);
	for (k = 0; r == BT_OK && k < n; k++)
		r = bt_tensor_to_f32(v->from,
		                     k % v->rows * v->cols + k / v->rows, 1,
		                     &x[k], err);
	return r;
}

static int add_up(const struct bt_named_list *l, bool signs, uint32_t *sum,
                  struct bt_error *err)
{
	const struct bt_named *v;
	uint8_t sign[FIRST];
	float x[FIRST];
	size_t i, k, n;
	int r = BT_OK;

	for (i = 0; r == BT_OK && i < l->n; i++) {
		v = &l->v[i];
		n = v->from->count < FIRST ? v->from->count : FIRST;
		if (v->again || !is_float(v->from->dtype))
			continue;
		r = read_first(v, n, x, err);
		for (k = 0; r == BT_OK && signs && k < n; k++)
			sign[k] = signbit(x[k]) != 0;
		if (r == BT_OK)
			*sum += signs ? bt_crc32c(0, sign, n)
			              : bt_crc32c(0, x, n * sizeof(*x));
	}
	return r;
}

int bt_ckpt_fingerprint(const struct bt_ckpt *c, bool signs, uint32_t *sum,
                        struct bt_error *err)
{
	struct bt_named_list l = {0};
	int r = bt_names_init(&l, c, err);

	*sum = 0;
	if (r == BT_OK)
		r = bt_names_hf(&l, c, err);
	if (r == BT_OK)
		r = add_up(&l, signs, sum, err);
	bt_names_clear(&l);
	return r;
}

/* What the adapter in a directory was trained on; false: it does not say. */
static bool read_note(const char *dir, char note[9])
{
	const struct bt_ckpt_note *v;
	struct bt_ckpt *c;
	bool there = false;
	size_t i;

	if (bt_ckpt_open_adapter(dir, &c, NULL) != BT_OK)
		return false;
	for (i = 0; i < bt_ckpt_notes(c); i++) {
		v = bt_ckpt_note(c, i);
		if (strcmp(v->key, BT_FINGERPRINT_NOTE) == 0) {
			snprintf(note, 9, "%s", v->value);
			there = true;
		}
	}
	bt_ckpt_close(c);
	return there;
}

/* What cannot be read is an error of whoever opens the model. */
void bt_fingerprint_warn(const char *dir, const struct bt_log *log)
{
	char note[9], now[9] = "", *base = NULL;
	struct bt_ckpt *c = NULL;
	uint32_t sum;

	if (!bt_adapter_is(dir) || !read_note(dir, note) ||
	    bt_adapter_base(dir, &base, NULL) != BT_OK)
		return;
	if (bt_ckpt_open(base, &c, NULL) == BT_OK &&
	    bt_ckpt_fingerprint(c, true, &sum, NULL) == BT_OK)
		snprintf(now, sizeof(now), "%08x", (unsigned)sum);
	if (now[0] != '\0' && strcmp(note, now) != 0)
		bt_log_warn(log, "other-base-model", BT_HINT_NONE,
		            "the adapter '%s' was not trained on the weights "
		            "that '%s' has now: what it predicts may be "
		            "worthless",
		            dir, base);
	bt_ckpt_close(c);
	free(base);
}
