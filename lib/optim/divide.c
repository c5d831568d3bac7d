/* SPDX-License-Identifier: MIT */
/* Which rank has which part of the parameters. */
#include <limits.h>

#include "optim/optim.h"
#include "optim/optim_int.h"

/* Gives each rank about as many floats, of pieces from `first` on, as others.
 */
static void divide(struct bt_optim *a, size_t first, size_t floats)
{
	size_t ranks = (size_t)bt_dist_size(a->dist), r, i, before = 0, all = 0;
	size_t rank = (size_t)bt_dist_rank(a->dist), n = (size_t)a->n_pieces;

	for (i = first; i < n; i++)
		all += a->pieces[i].n;
	for (r = 0, i = first; r <= ranks; r++) {
		while (i < n && before < all * r / ranks)
			before += a->pieces[i++].n;
		a->piece_at[r] = i;
		a->at[r] = i < n ? a->pieces[i].offset : floats;
	}
	a->first = (int)a->piece_at[rank];
	a->last = (int)a->piece_at[rank + 1];
}

int bt_optim_divide(struct bt_optim *a, const struct bt_graph *g,
                    struct bt_error *err)
{
	size_t ends = (size_t)bt_dist_size(a->dist) + 1;

	if (a->dist != NULL && g->n_floats > INT_MAX)
		return bt_error_set(err, BT_ELIMIT,
		                    "a model of %zu parameters is too large to "
		                    "be divided",
		                    g->n_floats);
	a->at = bt_array0(4 * ends, sizeof(*a->at));
	a->piece_at = a->at + ends;
	a->row_at = a->piece_at + ends;
	a->row_piece_at = a->row_at + ends;
	divide(a, 0, g->n_floats);
	return BT_OK;
}

/* The squares of rows are added up by pieces, so ranks own whole ones of both:
 * so many of these have a whole number of rows. */
static size_t whole_pieces(size_t cols)
{
	size_t x = BT_OPTIM_PIECE, y = cols, z;

	for (; y > 0; y = z) {
		z = x % y;
		x = y;
	}
	return cols / x;
}

void bt_optim_divide_rows(struct bt_optim *a, const struct bt_graph *g, int i)
{
	size_t ranks = (size_t)bt_dist_size(a->dist), n = 0, r, at;
	size_t rank = (size_t)bt_dist_rank(a->dist);
	size_t cols = (size_t)g->params[i].cols, some = whole_pieces(cols);

	while (n < (size_t)a->n_pieces && a->pieces[n].param == i)
		n++;
	for (r = 0; r < ranks; r++) {
		at = (n * r / ranks + some / 2) / some * some;
		at = at < n ? at : n;
		a->row_piece_at[r] = at;
		a->row_at[r] = at < n ? at * BT_OPTIM_PIECE / cols
		                      : (size_t)g->params[i].rows;
	}
	a->row_piece_at[ranks] = n;
	a->row_at[ranks] = (size_t)g->params[i].rows;
	a->row_first = (int)a->row_piece_at[rank];
	a->row_last = (int)a->row_piece_at[rank + 1];
	divide(a, n, g->n_floats);
}
