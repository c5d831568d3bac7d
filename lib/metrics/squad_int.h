/* SPDX-License-Identifier: MIT */
#ifndef BT_METRICS_SQUAD_INT_H
#define BT_METRICS_SQUAD_INT_H

#include "base/buf.h"
#include "metrics/squad.h"

/* What is left of an answer: its words. Zero is empty. */
struct bt_squad_words {
	struct bt_buf text;
	struct bt_span *word; /* [n] */
	size_t n, cap;
};

void bt_squad_words_clear(struct bt_squad_words *w);

/* Lower case, no punctuation, no articles. BT_ENOMEM alone. */
int bt_squad_words_read(enum bt_squad_rules rules, struct bt_span s,
                        struct bt_squad_words *w) BT_MUST_USE;

#endif
