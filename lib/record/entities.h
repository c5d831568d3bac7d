/* SPDX-License-Identifier: MIT */
/*
 * Entities as tags of words. A tag is "O", or the part of an entity and its
 * type: B begins one, I continues it, E (or L) ends it, S (or U) is one of a
 * single word: "B-PER". A tag of another form is the type of an entity of one
 * word, so that parts of speech are counted, too. What begins and ends where
 * tags contradict each other is conlleval's decision: an I behind O, or behind
 * another type, begins an entity.
 */
#ifndef BT_RECORD_ENTITIES_H
#define BT_RECORD_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"
#include "record/labels.h"

struct bt_entity_tag {
	char part; /* B, I, E, S or O */
	int type;  /* number in a set of types; of O: -1 */
};

static const struct bt_entity_tag bt_entity_outside = {'O', -1};

/* Reads a tag; its type is added to `types`. */
int bt_entity_tag(struct bt_span name, struct bt_labels *types,
                  struct bt_entity_tag *tag, struct bt_error *err) BT_MUST_USE;

/* Whether it is "O", or names a part and a type. */
bool bt_entity_has_part(struct bt_span name);

/* Sets *tags, [l->n] and the caller's to free(), to the tags that l names;
 * their types are added to `types`. */
int bt_entity_tags(const struct bt_labels *l, struct bt_labels *types,
                   struct bt_entity_tag **tags,
                   struct bt_error *err) BT_MUST_USE;

/* How tags become entities: by conlleval's decisions, or strictly by a scheme,
 * as seqeval's strict mode does: what contradicts the scheme does not count. */
struct bt_entity_scheme;

/* The scheme of that name; NULL, and BT_EARG with the names, if there is none.
 */
#define BT_ENTITY_SCHEMES "iob1|iob2|ioe1|ioe2|iobes|bilou"
const struct bt_entity_scheme *bt_entity_scheme(const char *name,
                                                struct bt_error *err);

/* BT_EARG if l names a tag that is not of the scheme. */
int bt_entity_scheme_check(const struct bt_entity_scheme *s,
                           const struct bt_labels *l,
                           struct bt_error *err) BT_MUST_USE;

const char *bt_entity_scheme_name(const struct bt_entity_scheme *s);

/*
 * Sets out[n] to the letters that the scheme gives the words of a sentence with
 * these tags [n], of which conlleval's decisions make the entities. Where tags
 * follow a scheme, these are the entities of that scheme, too, and its letters
 * are those that were read, with one exception: seqeval, and so
 * bt_entity_next, takes no entity of ioe1 that begins with E, as one of a
 * single word before another of its type does.
 */
void bt_entity_write(const struct bt_entity_scheme *s,
                     const struct bt_entity_tag *tag, size_t n, char *out);

/* Tags read one after the other; zero, and outside, is before a text. */
struct bt_entity_reader {
	struct bt_entity_tag last;
	bool open; /* it is in an entity, of the last's type */
};

/* What the next tag does: ends the entity, which is `whole` or to be left out;
 * begins one. */
struct bt_entity_step {
	bool ends, whole, begins;
};

/* scheme NULL: conlleval's. */
struct bt_entity_step bt_entity_next(struct bt_entity_reader *r,
                                     const struct bt_entity_scheme *scheme,
                                     struct bt_entity_tag now);

/* Whether an entity begins with the tag `now`, or the one that `before` is in
 * has ended there. */
bool bt_entity_begins(struct bt_entity_tag before, struct bt_entity_tag now);
bool bt_entity_ends(struct bt_entity_tag before, struct bt_entity_tag now);

#endif
