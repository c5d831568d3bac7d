/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table of words that an update reads: those of all its tokens,
 * whichever rank has these. All ranks find the same, without a word to each
 * other, so that a rank can send rows and no numbers of rows.
 *
 * Built anew for each update: bt_row_set_begin, bt_row_set_add for each text,
 * bt_row_set_end.
 */
#ifndef BT_OPTIM_ROW_SET_H
#define BT_OPTIM_ROW_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct bt_row_set {
	size_t n_rows; /* of the table */
	size_t most;   /* of them in an update */
	int ranks;
	int32_t *ids; /* [n] of rows, rising */
	size_t n;
	int32_t *slot; /* [n_rows] which of these a row is, from 1; 0: none */
	size_t *at;    /* [ranks + 1] rank r owns ids at[r] .. at[r + 1] - 1 */
};

int bt_row_set_init(struct bt_row_set *s, size_t n_rows, size_t most, int ranks,
                    struct bt_error *err) BT_MUST_USE;
void bt_row_set_clear(struct bt_row_set *s); /* zero is cleared */

/* Bytes for a table of so many rows. */
size_t bt_row_set_bytes(size_t n_rows);

void bt_row_set_begin(struct bt_row_set *s);

/* n ids, any of them more than once. */
void bt_row_set_add(struct bt_row_set *s, const int32_t *ids, size_t n);

/* Rank r owns rows row_at[r] .. row_at[r + 1] - 1 of the table. */
void bt_row_set_end(struct bt_row_set *s, const size_t *row_at);

#endif
