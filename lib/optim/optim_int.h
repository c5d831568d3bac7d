/* SPDX-License-Identifier: MIT */
/* The pieces that parameters are cut into, for what works on them beside the
 * optimizer. */
#ifndef BT_OPTIM_OPTIM_INT_H
#define BT_OPTIM_OPTIM_INT_H

#include "optim/optim.h"

struct bt_optim_piece {
	size_t offset, n;
	int param;
	bool decay;
	double scale; /* of the learning rate */
};

/* Floats of a piece: four arrays of them fit a cache. */
#define BT_OPTIM_PIECE ((size_t)1 << 15)

/* Divides the pieces among the ranks. BT_ELIMIT for a model that is too large.
 */
int bt_optim_divide(struct bt_optim *a, const struct bt_graph *g,
                    struct bt_error *err) BT_MUST_USE;

/* The same of the rows of parameter i, which has the first pieces, and then of
 * the pieces behind. */
void bt_optim_divide_rows(struct bt_optim *a, const struct bt_graph *g, int i);

#endif
