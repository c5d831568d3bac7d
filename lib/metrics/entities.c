/* SPDX-License-Identifier: MIT */
#include "metrics/entities.h"

#include <string.h>

#include "base/mem.h"

static int parse(const char *name, struct bt_labels *types,
                 struct bt_entity_tag *tag, struct bt_error *err)
{
	static const char parts[] = "BIESLU", means[] = "BIESES";
	const char *part = strchr(parts, name[0]), *type = name;

	*tag = bt_entity_outside;
	if (strcmp(name, "O") == 0)
		return BT_OK;
	tag->part = 'S';
	if (name[0] != '\0' && name[1] == '-' && part != NULL) {
		tag->part = means[part - parts];
		type = name + 2;
	}
	tag->type = bt_labels_add(types, bt_span(type), err);
	return tag->type < 0 ? tag->type : BT_OK;
}

int bt_entity_tags(const struct bt_labels *l, struct bt_labels *types,
                   struct bt_entity_tag **tags, struct bt_error *err)
{
	int i, r = BT_OK;

	*tags = bt_array0((size_t)l->n, sizeof(**tags));
	if (*tags == NULL)
		return bt_error_nomem(err, "reading tags");
	for (i = 0; i < l->n && r == BT_OK; i++)
		r = parse(l->name[i], types, &(*tags)[i], err);
	return r;
}

bool bt_entity_begins(struct bt_entity_tag before, struct bt_entity_tag now)
{
	return now.part == 'B' || now.part == 'S' ||
	       (now.part != 'O' &&
	        (before.part == 'E' || before.part == 'S' ||
	         before.part == 'O' || before.type != now.type));
}

bool bt_entity_ends(struct bt_entity_tag before, struct bt_entity_tag now)
{
	return before.part != 'O' &&
	       (before.part == 'E' || before.part == 'S' || now.part == 'B' ||
	        now.part == 'S' || now.part == 'O' || before.type != now.type);
}
