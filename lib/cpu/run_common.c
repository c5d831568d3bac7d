/* SPDX-License-Identifier: MIT */
/* Helpers of the operators (run_*.c). */
#include <string.h>

#include "base/philox.h"
#include "cpu/engine_int.h"

void bt_zero_tail(void *buf, size_t rows, size_t cols, bool bf16)
{
	size_t room = bt_gemm_room(rows);

	if (buf != NULL)
		memset(bt_at(buf, rows * cols, bf16), 0,
		       (room - rows) * cols * bt_element(bf16));
}

struct bt_dropout bt_node_dropout(const struct bt_engine *e, int node,
                                  float probability)
{
	return bt_dropout_make(e->b.train ? probability : 0, e->o.seed,
	                       e->b.step, (uint32_t)(BT_PURPOSE_DROPOUT + node),
	                       bt_row0(e, &e->g->nodes[node]));
}
