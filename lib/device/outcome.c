/* SPDX-License-Identifier: MIT */
/* What updates came to, which is asked for when later ones have begun. */
#include <string.h>

#include "base/mem.h"
#include "device/device_int.h"

int bt_device_keep_number(struct bt_device_learner *l, enum bt_hlo_kind kind,
                          struct bt_pjrt_buffer *at, struct bt_error *err)
{
	if (bt_grow(&l->numbers, &l->number_cap, l->n_numbers + 1,
	            sizeof(*l->numbers)) != BT_OK) {
		bt_pjrt_buffer_free(at);
		return bt_error_nomem(err, "running a program");
	}
	l->numbers[l->n_numbers++] = (struct bt_device_number){kind, at};
	return BT_OK;
}

void bt_device_forget(struct bt_device_learner *l, size_t n)
{
	while (l->n_numbers > n)
		bt_pjrt_buffer_free(l->numbers[--l->n_numbers].at);
}

bool bt_device_idle(struct bt_device *d)
{
	return bt_pjrt_idle(d->pjrt);
}

static void add(struct bt_device_outcome *o, enum bt_hlo_kind kind, float x)
{
	if (kind == BT_HLO_LOSS)
		o->loss += (double)x;
	else if (kind == BT_HLO_RIGHT)
		o->right += (int64_t)x;
	else
		o->norm = (double)x;
}

int bt_device_outcome(struct bt_device *d, struct bt_device_outcome *o,
                      struct bt_error *err)
{
	struct bt_device_learner *l = d->learner;
	struct bt_device_number *x = l->numbers;
	bool last = false;
	size_t n = 0;
	float number;
	int r;

	*o = (struct bt_device_outcome){0};
	for (; n < l->n_numbers && !last; n++) {
		r = bt_pjrt_get(x[n].at, &number, sizeof(number), err);
		if (r != BT_OK)
			return r;
		add(o, x[n].kind, number);
		last = x[n].kind == BT_HLO_NORM;
		bt_pjrt_buffer_free(x[n].at);
		x[n].at = NULL;
	}
	l->n_numbers -= n;
	memmove(x, x + n, l->n_numbers * sizeof(*x));
	return BT_OK;
}
