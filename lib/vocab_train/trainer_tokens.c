/* SPDX-License-Identifier: MIT */
/* The tokens of a vocabulary in training, by their text. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vocab_train/trainer_int.h"

/* Where the token is, or would be. */
static size_t find_token(const struct bt_trainer_state *t, struct bt_span s)
{
	size_t i = (size_t)bt_hash(s.p, s.n) & (t->slots - 1);

	while (t->slot[i] != 0 &&
	       !bt_span_equal(t->out->token[t->slot[i] - 1], s))
		i = (i + 1) & (t->slots - 1);
	return i;
}

static int more_slots(struct bt_trainer_state *t)
{
	size_t slots = t->slots == 0 ? 4096 : 2 * t->slots, i;
	uint32_t *slot = bt_array0(slots, sizeof(*slot));

	if (slot == NULL)
		return BT_ENOMEM;
	free(t->slot);
	t->slot = slot;
	t->slots = slots;
	for (i = 0; i < t->out->n; i++)
		slot[find_token(t, t->out->token[i])] = (uint32_t)i + 1;
	return BT_OK;
}

int bt_trainer_intern(struct bt_trainer_state *t, struct bt_span a,
                      struct bt_span b, uint32_t *id)
{
	struct bt_trainer *o = t->out;
	struct bt_span s = {NULL, a.n + b.n};
	char *text = bt_array(s.n + 1, 1);
	size_t i;

	if (text == NULL)
		return BT_ENOMEM;
	memcpy(text, a.p, a.n);
	memcpy(text + a.n, b.p, b.n);
	text[s.n] = 0;
	s.p = text;
	if ((2 * o->n >= t->slots && more_slots(t) != BT_OK) ||
	    bt_grow(&o->token, &o->cap, o->n + 1, sizeof(*o->token)) != BT_OK ||
	    bt_grow(&o->text, &o->texts_cap, o->n + 1, sizeof(*o->text)) !=
	        BT_OK) {
		free(text);
		return BT_ENOMEM;
	}
	i = find_token(t, s);
	if (t->slot[i] != 0) {
		*id = t->slot[i] - 1;
		free(text);
		return BT_OK;
	}
	o->text[o->n] = text;
	o->token[o->n] = s;
	*id = (uint32_t)o->n++;
	t->slot[i] = *id + 1;
	return BT_OK;
}
