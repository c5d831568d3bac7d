/* SPDX-License-Identifier: MIT */
#include "dedup/duplicate_ids.h"

#include <stdio.h>
#include <string.h>

#include "dedup/string_set_disk.h"

#define MEMORY ((size_t)16 << 20)

void bt_duplicate_ids_clear(struct bt_duplicate_ids *a)
{
	bt_string_set_disk_free(a->ids);
	memset(a, 0, sizeof(*a));
}

void bt_duplicate_ids_add(struct bt_duplicate_ids *a, struct bt_span id)
{
	int r;

	if (a->why.code != BT_OK)
		return;
	if (a->ids == NULL)
		a->ids = bt_string_set_disk_new(MEMORY);
	r = bt_string_set_disk_add(a->ids, id, &a->why);
	if (r < 0)
		return;
	a->n++;
	if (r == 0 && a->again++ == 0)
		snprintf(a->first, sizeof(a->first), "%.*s",
		         (int)(id.n < 60 ? id.n : 60), id.p);
}

void bt_duplicate_ids_tell(const struct bt_duplicate_ids *a,
                           const struct bt_log *log)
{
	if (a->again > 0)
		bt_log_warn(
		    log, "duplicate-ids", BT_HINT_NONE,
		    "%llu record%s the id of an earlier one, first '%s': a "
		    "submission has each id once",
		    (unsigned long long)a->again,
		    a->again == 1 ? " has" : "s have", a->first);
	if (a->why.code != BT_OK)
		bt_log_warn(
		    log, "duplicate-ids-unchecked", BT_HINT_NONE,
		    "ids that come again were looked for in the first %llu "
		    "records only: %s",
		    (unsigned long long)a->n, a->why.text);
}
