/* SPDX-License-Identifier: MIT */
#ifndef BT_TABLE_SQUAD_INT_H
#define BT_TABLE_SQUAD_INT_H

#include "table/squad.h"

/* Where in the context an answer stands. */
struct bt_squad_place {
	int64_t start;   /* that is asked for */
	bool right;      /* it stands there */
	int64_t nearest; /* where it stands nearest to that; -1: nowhere */
	size_t places;   /* where it stands */
	int64_t first; /* where it stands first and is no part of a word; -1 */
	struct bt_span instead; /* what stands there, or p NULL: beyond it */
	int64_t characters;     /* of the context */
};

/* The place at->start is given; sets the others. */
void bt_squad_find(struct bt_span context, struct bt_span answer,
                   struct bt_squad_place *at);

/* BT_EFORMAT: answer k, from 1, does not stand where it is said to. */
int bt_squad_misplaced(const struct bt_squad_place *at, size_t k,
                       struct bt_span answer, struct bt_error *err);

/* The beginning of a text, whole characters, for a message. */
struct bt_span bt_squad_head(struct bt_span s);

#endif
