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

#endif
