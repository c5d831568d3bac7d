/* SPDX-License-Identifier: MIT */
/*
 * Entities as tags of words. A tag is "O", or the part of an entity and its
 * type: B begins one, I continues it, E (or L) ends it, S (or U) is one of a
 * single word: "B-PER". A tag of another form is the type of an entity of one
 * word, so that parts of speech are counted, too. What begins and ends where
 * tags contradict each other is conlleval's decision: an I behind O, or behind
 * another type, begins an entity.
 */
#ifndef BT_METRICS_ENTITIES_H
#define BT_METRICS_ENTITIES_H

#include <stdbool.h>

#include "base/err.h"
#include "record/labels.h"

struct bt_entity_tag {
	char part; /* B, I, E, S or O */
	int type;  /* number in a set of types; of O: -1 */
};

static const struct bt_entity_tag bt_entity_outside = {'O', -1};

/* Sets *tags, [l->n] and the caller's to free(), to the tags that l names;
 * their types are added to `types`. */
int bt_entity_tags(const struct bt_labels *l, struct bt_labels *types,
                   struct bt_entity_tag **tags,
                   struct bt_error *err) BT_MUST_USE;

/* Whether an entity begins with the tag `now`, or the one that `before` is in
 * has ended there. */
bool bt_entity_begins(struct bt_entity_tag before, struct bt_entity_tag now);
bool bt_entity_ends(struct bt_entity_tag before, struct bt_entity_tag now);

#endif
