/* SPDX-License-Identifier: MIT */
/* The values of a pickle. */
#include "ckpt_format/pickle_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMBERS_MAX (2 * BT_PK_VALUES_MAX)

int bt_pk_bad(struct bt_pickle *k, int code, const char *why)
{
	return bt_error_set(k->err, code, "the pickle, at byte %zu: %s",
	                    (size_t)(k->p - k->start), why);
}

static int nomem(struct bt_pickle *k)
{
	return bt_error_nomem(k->err, "reading a pickle");
}

int bt_pk_new(struct bt_pickle *k, struct bt_pk_value v, uint32_t *id)
{
	if (k->n_v >= BT_PK_VALUES_MAX)
		return bt_pk_bad(k, BT_ELIMIT, "more than 4194304 values");
	if (bt_grow(&k->v, &k->cap_v, k->n_v + 1, sizeof(*k->v)) != BT_OK)
		return nomem(k);
	if (v.kind == BT_PK_LIST || v.kind == BT_PK_DICT) {
		v.n = 0;
		v.u.list.head = v.u.list.tail = BT_PK_END;
	}
	*id = (uint32_t)k->n_v;
	k->v[k->n_v++] = v;
	return BT_OK;
}

int bt_pk_append(struct bt_pickle *k, uint32_t container, uint32_t value)
{
	struct bt_pk_value *c = &k->v[container];
	uint32_t cell = (uint32_t)k->n_cells;

	if (k->n_cells >= MEMBERS_MAX)
		return bt_pk_bad(k, BT_ELIMIT, "more than 8388608 members");
	if (bt_grow(&k->cells, &k->cap_cells, k->n_cells + 1,
	            sizeof(*k->cells)) != BT_OK)
		return nomem(k);
	k->cells[k->n_cells++] = (struct bt_pk_cell){value, BT_PK_END};
	if (c->n == 0)
		c->u.list.head = cell;
	else
		k->cells[c->u.list.tail].next = cell;
	c->u.list.tail = cell;
	c->n++;
	return BT_OK;
}

bool bt_pk_is(const struct bt_pickle *k, uint32_t value, const char *s)
{
	const struct bt_pk_value *v = &k->v[value];

	return v->kind == BT_PK_TEXT && v->n == strlen(s) &&
	       memcmp(v->u.text, s, v->n) == 0;
}

uint32_t bt_pk_get(const struct bt_pickle *k, uint32_t d, const char *key)
{
	uint32_t c, value;

	for (c = k->v[d].u.list.head; c != BT_PK_END; c = k->cells[c].next) {
		value = k->cells[c].next;
		if (bt_pk_is(k, k->cells[c].value, key))
			return k->cells[value].value;
		c = value;
	}
	return BT_PK_END;
}

void bt_pickle_clear(struct bt_pickle *k)
{
	free(k->v);
	free(k->cells);
	free(k->storages);
	free(k->tensors);
	free(k->stack);
	free(k->marks);
	free(k->memo);
	memset(k, 0, sizeof(*k));
}
