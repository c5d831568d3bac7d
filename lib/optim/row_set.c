/* SPDX-License-Identifier: MIT */
#include "optim/row_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int bt_row_set_init(struct bt_row_set *s, size_t n_rows, size_t most, int ranks,
                    struct bt_error *err)
{
	*s =
	    (struct bt_row_set){.n_rows = n_rows, .most = most, .ranks = ranks};
	s->ids = bt_array(n_rows, sizeof(*s->ids));
	s->slot = bt_array0(n_rows, sizeof(*s->slot));
	s->at = bt_array0((size_t)ranks + 1, sizeof(*s->at));
	if (s->ids != NULL && s->slot != NULL && s->at != NULL)
		return BT_OK;
	bt_row_set_clear(s);
	return bt_error_nomem(err, "finding the words of an update");
}

void bt_row_set_clear(struct bt_row_set *s)
{
	free(s->ids);
	free(s->slot);
	free(s->at);
	memset(s, 0, sizeof(*s));
}

size_t bt_row_set_bytes(size_t n_rows)
{
	return n_rows * 2 * sizeof(int32_t);
}

void bt_row_set_begin(struct bt_row_set *s)
{
	while (s->n > 0)
		s->slot[s->ids[--s->n]] = 0;
}

void bt_row_set_add(struct bt_row_set *s, const int32_t *ids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		s->slot[ids[i]] = 1;
}

void bt_row_set_end(struct bt_row_set *s, const size_t *row_at)
{
	size_t id;
	int r;

	s->n = 0;
	for (r = 0; r < s->ranks; r++) {
		s->at[r] = s->n;
		for (id = row_at[r]; id < row_at[r + 1]; id++)
			if (s->slot[id] != 0) {
				s->ids[s->n++] = (int32_t)id;
				s->slot[id] = (int32_t)s->n;
			}
	}
	s->at[s->ranks] = s->n;
}
