/* SPDX-License-Identifier: MIT */
/* Tags of a sentence, checked by a scheme and written in another. */
#ifndef BT_TABLE_TAG_SCHEME_H
#define BT_TABLE_TAG_SCHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "record/entities.h"

struct bt_tag_scheme {
	const struct bt_entity_scheme *from, *to; /* from NULL: any tags */
	bool repair;       /* what does not follow `from` */
	uint64_t repaired; /* tags */

	struct bt_labels types;
	struct bt_entity_tag *tag; /* [cap] */
	char *letter;              /* [letter_cap] */
	size_t cap, letter_cap;
};

/* Reads "FROM" or "FROM:TO", names of schemes (record/entities.h). BT_EARG
 * where it is neither. */
int bt_tag_scheme_init(struct bt_tag_scheme *s, const char *text, bool repair,
                       struct bt_error *err) BT_MUST_USE;
void bt_tag_scheme_clear(struct bt_tag_scheme *s);

/*
 * Appends the tags [n] of a sentence to `out` as `to` writes them; each ends at
 * end[i]. BT_EFORMAT where one is not what `from` gives the entities that
 * conlleval reads, unless that is repaired; a tag without a part of an entity
 * is not; *wrong is its number then, from 0 on.
 */
int bt_tag_scheme_write(struct bt_tag_scheme *s, const struct bt_span *tag,
                        size_t n, struct bt_buf *out, size_t *end,
                        size_t *wrong, struct bt_error *err) BT_MUST_USE;

#endif
