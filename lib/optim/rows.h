/* SPDX-License-Identifier: MIT */
/*
 * A table of words in the optimizer, row by row.
 *
 * A batch has few of the words of a large vocabulary. The gradients of all
 * other rows are zero, but an update of Adam and its kin changes these, too:
 * their moments and their weights decay. That depends on nothing but the row
 * and the constants of the update, which are kept, so that it can be made up
 * for later, by the same operations in the same order: the bits are those of
 * updates of the whole table. A row whose moments are zero, of a word that was
 * never met, is only multiplied by what the decay of weights leaves of it.
 *
 * Rows are brought up to date when a batch is about to read them, all of them
 * when others read the table, and after BT_ROWS_PAST updates at the latest:
 * then one that was not read stays in a cache while as many updates of it are
 * made up for, instead of going through memory in each.
 *
 * The squares of gradients are added up in the pieces in which those of a whole
 * table are, so that their norm has the same bits, too.
 */
#ifndef BT_OPTIM_ROWS_H
#define BT_OPTIM_ROWS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels.h"

#define BT_ROWS_PAST 64 /* an uint8_t counts them */

struct bt_optim_rows {
	size_t offset, n, cols; /* of the table in an arena of parameters, in
	                         * floats; its rows and columns */
	size_t first, last;     /* rows first .. last - 1 are updated here */
	float *m, *v;           /* borrowed: its moments */
	const struct bt_kernels *k;
	struct bt_pool *pool; /* borrowed */

	struct bt_adamw past[BT_ROWS_PAST]; /* updates since all rows were up
	                                     * to date */
	size_t n_past;
	bool decays;   /* one of them multiplies weights by other than 1 */
	bool all_live; /* moments of zero move weights: eps is 0 */
	uint8_t *at;   /* [n] how many of these the row has had, as the rest
	                * of rows first .. last - 1 */
	uint8_t *live; /* [n] whether it has moments other than zero */

	struct bt_late_row *late; /* [n] to be brought up to date */
	uint64_t *order; /* [n] ids of rows with a gradient, and where that is,
	                  * by id */
	size_t n_order;
	float *piece;      /* [threads][piece_size], zeros between calls */
	size_t piece_size; /* floats of the largest piece */
};

/* Sets all but what is borrowed, the place and the size of the table, and
 * piece_size, which the caller has set. Its moments are zeros. eps: of the
 * optimizer. */
int bt_rows_init(struct bt_optim_rows *r, double eps,
                 struct bt_error *err) BT_MUST_USE;

/* Bytes that n rows take, but for their moments. */
size_t bt_rows_bytes(size_t n);
void bt_rows_clear(struct bt_optim_rows *r);

/* The moments and the weights were read from elsewhere: all is up to date. */
void bt_rows_go_on(struct bt_optim_rows *r);

/* Makes up for updates of rows of the table, which is in params: of n of them,
 * which may be named twice; or of all that are updated here. */
void bt_rows_catch_up(struct bt_optim_rows *r, float *params,
                      const int32_t *ids, size_t n);
void bt_rows_catch_up_all(struct bt_optim_rows *r, float *params);

/* Takes the rows of a gradient, whose squares are asked for next. */
void bt_rows_take(struct bt_optim_rows *r, const struct bt_row_grads *g);

/* The sum of the squares of floats at .. at + n - 1 of the table's gradient. */
double bt_rows_squares(const struct bt_optim_rows *r,
                       const struct bt_row_grads *g, size_t at, size_t n,
                       int worker);

/* Updates the rows that have a gradient, and keeps w for all others. */
void bt_rows_update(struct bt_optim_rows *r, const struct bt_adamw *w,
                    float *params, const struct bt_row_grads *g);

#endif
