/* SPDX-License-Identifier: MIT */
/* The values of a pickle. */
#include "ckpt_format/pickle_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMBERS_MAX (2 * BT_PK_VALUES_MAX)

uint32_t bt_pk_bad(struct bt_pickle *k, int code, const char *why)
{
	bt_error_set(k->err, code, "the pickle, at byte %zu: %s",
	             (size_t)(k->p - k->start), why);
	k->r = k->r != BT_OK ? k->r : code;
	return BT_PK_END;
}

bool bt_pk_room(struct bt_pickle *k, void *array, size_t *cap, size_t need,
                size_t size)
{
	if (k->r == BT_OK && bt_grow(array, cap, need, size) != BT_OK)
		k->r = bt_error_nomem(k->err, "reading a pickle");
	return k->r == BT_OK;
}

uint32_t bt_pk_new(struct bt_pickle *k, struct bt_pk_value v)
{
	if (k->n_v >= BT_PK_VALUES_MAX)
		bt_pk_bad(k, BT_ELIMIT, "more than 4194304 values");
	if (!bt_pk_room(k, &k->v, &k->cap_v, k->n_v + 1, sizeof(v)))
		return BT_PK_END;
	if (v.kind == BT_PK_LIST || v.kind == BT_PK_DICT) {
		v.n = 0;
		v.u.list.head = v.u.list.tail = BT_PK_END;
	}
	k->v[k->n_v] = v;
	return (uint32_t)k->n_v++;
}

void bt_pk_append(struct bt_pickle *k, uint32_t container, uint32_t value)
{
	uint32_t cell = (uint32_t)k->n_cells;
	struct bt_pk_value *c;

	if (k->n_cells >= MEMBERS_MAX)
		bt_pk_bad(k, BT_ELIMIT, "more than 8388608 members");
	if (!bt_pk_room(k, &k->cells, &k->cap_cells, k->n_cells + 1,
	                sizeof(*k->cells)))
		return;
	c = &k->v[container];
	k->cells[k->n_cells++] = (struct bt_pk_cell){value, BT_PK_END};
	if (c->n++ == 0)
		c->u.list.head = cell;
	else
		k->cells[c->u.list.tail].next = cell;
	c->u.list.tail = cell;
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
