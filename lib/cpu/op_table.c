/* SPDX-License-Identifier: MIT */
/* The operators on the CPU, by opcode. */
#include "cpu/engine_int.h"

const struct bt_cpu_op *bt_cpu_op(enum bt_opcode op)
{
	static const struct bt_cpu_op *const ops[BT_OPCODES] = {
	    [BT_OP_EMBED] = &bt_cpu_embed,
	    [BT_OP_LINEAR] = &bt_cpu_linear,
	    [BT_OP_ATTENTION] = &bt_cpu_attention,
	    [BT_OP_RESIDUAL_NORM] = &bt_cpu_residual_norm,
	    [BT_OP_NORM] = &bt_cpu_norm,
	    [BT_OP_ADD] = &bt_cpu_add,
	    [BT_OP_GLU] = &bt_cpu_glu,
	    [BT_OP_RELATIVE_POSITIONS] = &bt_cpu_relative_positions,
	    [BT_OP_FIRST] = &bt_cpu_first,
	    [BT_OP_MEAN] = &bt_cpu_mean,
	    [BT_OP_MAX] = &bt_cpu_max,
	    [BT_OP_FLATTEN] = &bt_cpu_flatten,
	    [BT_OP_DROPOUT] = &bt_cpu_dropout,
	    [BT_OP_LOG_NORMALIZE] = &bt_cpu_log_normalize,
	    [BT_OP_SOFTMAX_LOSS] = &bt_cpu_softmax_loss,
	    [BT_OP_LOG_LOSS] = &bt_cpu_log_loss,
	    [BT_OP_SQUARE_LOSS] = &bt_cpu_square_loss,
	    [BT_OP_SIGMOID_LOSS] = &bt_cpu_sigmoid_loss,
	};

	return ops[op];
}
