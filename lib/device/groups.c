/* SPDX-License-Identifier: MIT */
/* What texts that belong together are to be learned from. Choices are known to
 * the device that has them; texts that are compared, to all. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "device/device_int.h"

struct groups {
	const struct bt_device_part *p;
	uint32_t *at;   /* [texts of the piece] rows, of those of all devices */
	int32_t *equal; /* likewise: what texts of equal tokens share */
};

struct key {
	uint64_t hash;
	size_t text;
};

static int by_hash(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->hash != y->hash)
		return (x->hash > y->hash) - (x->hash < y->hash);
	return (x->text > y->text) - (x->text < y->text);
}

static bool same_tokens(const struct bt_device_texts *x, size_t i, size_t k)
{
	size_t n = x->start[i + 1] - x->start[i];

	return x->start[k + 1] - x->start[k] == n &&
	       memcmp(x->ids + x->start[i], x->ids + x->start[k],
	              n * sizeof(*x->ids)) == 0;
}

/* The first text of the same tokens. */
static int find_equal(struct groups *g, struct bt_error *err)
{
	const struct bt_device_texts *x = &g->p->b->texts;
	size_t first = g->p->piece.first, n = g->p->piece.end - first, i, k, t;
	struct key *key = bt_array(n + 1, sizeof(*key));

	if (key == NULL)
		return bt_error_nomem(err, "placing texts in rows");
	for (i = 0; i < n; i++) {
		t = first + i;
		key[i].text = t;
		key[i].hash =
		    bt_hash(x->ids + x->start[t],
		            (x->start[t + 1] - x->start[t]) * sizeof(*x->ids));
	}
	qsort(key, n, sizeof(*key), by_hash);
	for (i = k = 0; i < n; i++) {
		if (!same_tokens(x, key[i].text, key[k].text))
			k = i;
		g->equal[key[i].text - first] = (int32_t)key[k].text;
	}
	free(key);
	return BT_OK;
}

static void set(const struct groups *g, size_t t, const struct bt_hlo_member *m)
{
	struct bt_hlo_batch *x = g->p->x;
	size_t at = g->at[t - g->p->piece.first], texts = (size_t)x->size.texts;
	int i;

	if (x->size.compared == 0)
		bt_hlo_batch_group(&x[at / texts], at % texts, m);
	for (i = 0; x->size.compared > 0 && i < g->p->v.replicas; i++)
		bt_hlo_batch_group(&x[i], at, m);
}

/* The group of texts t .. end - 1. */
static void set_group(const struct groups *g, size_t t, size_t end)
{
	const struct bt_device_batch *b = g->p->b;
	bool compared = g->p->x->size.compared > 0;
	size_t first = g->p->piece.first, i;
	struct bt_hlo_member m = {.group = (int32_t)t};
	double sum = 0;
	float y;

	for (i = t; i < end; i++)
		sum += b->weights != NULL ? (double)b->weights[i] : 1;
	sum *= (double)b->loss_scale;
	for (i = t; i < end; i++) {
		y = b->targets != NULL ? b->targets[i * b->n_targets]
		                       : (float)b->labels[i];
		m.equal = g->equal[i - first];
		m.pair =
		    compared && i == t ? (int32_t)g->at[t + 1 - first] : -1;
		m.weight = !compared || i == t ? (float)sum : 0;
		m.target = compared ? y : y == (float)(i - t);
		set(g, i, &m);
	}
}

static void set_all(struct groups *g)
{
	const struct bt_device_part *p = g->p;
	size_t texts = (size_t)p->x->size.texts, t = p->piece.first, end;
	int i;

	for (i = 0; i < p->v.replicas; i++) {
		bt_hlo_batch_own(&p->x[i], (size_t)i * texts);
		end = bt_device_first(p, i + 1);
		for (; t < end; t++)
			g->at[t - p->piece.first] =
			    (uint32_t)((size_t)i * texts +
			               bt_hlo_text(p->x, &p->place[t]));
	}
	for (t = p->piece.first; t < p->piece.end; t = end) {
		for (end = t + 1; end < p->piece.end && p->v.number[end] != 0;)
			end++;
		set_group(g, t, end);
	}
}

int bt_device_fill_groups(const struct bt_device_part *p, struct bt_error *err)
{
	size_t n = p->piece.end - p->piece.first;
	struct groups g = {.p = p,
	                   .at = bt_array(n + 1, sizeof(*g.at)),
	                   .equal = bt_array(n + 1, sizeof(*g.equal))};
	int r = g.at == NULL || g.equal == NULL
	            ? bt_error_nomem(err, "placing texts in rows")
	            : find_equal(&g, err);

	if (r == BT_OK)
		set_all(&g);
	free(g.at);
	free(g.equal);
	return r;
}
