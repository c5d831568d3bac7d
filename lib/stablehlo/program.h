/* SPDX-License-Identifier: MIT */
/*
 * A graph as a program for a device: StableHLO text, which any PJRT plugin
 * compiles. Shapes are static on devices, so a program is for batches of one
 * shape: rows of a fixed length, each of which holds several texts one behind
 * the other (rows.h).
 */
#ifndef BT_STABLEHLO_PROGRAM_H
#define BT_STABLEHLO_PROGRAM_H

#include "op/graph.h"
#include "stablehlo/builder.h"

/* How large a batch is. */
struct bt_hlo_size {
	int rows, length; /* and the tokens of a row */
	int texts;
	int selected; /* tokens; 0: none can be */
};

struct bt_hlo_opts {
	struct bt_hlo_size size;
	bool bf16; /* operands of products, which are f32, are rounded to it */
};

/* What an argument is. Those of a batch, i32: rows.h describes them. */
enum bt_hlo_source {
	BT_HLO_ARG_PARAM,     /* a parameter, f32 */
	BT_HLO_ARG_IDS,       /* [tokens] */
	BT_HLO_ARG_TYPES,     /* [tokens] */
	BT_HLO_ARG_POSITIONS, /* [tokens] rows of the table of positions */
	BT_HLO_ARG_PLACES,    /* [tokens] numbers in their texts, from 0 */
	BT_HLO_ARG_SEGMENTS,  /* [tokens] texts; -1: padding */
	BT_HLO_ARG_FIRST,     /* [texts] their first tokens */
	BT_HLO_ARG_SELECTED,  /* [selected] tokens */
	BT_HLO_ARG_SOURCES
};

struct bt_hlo_arg {
	enum bt_hlo_source source;
	int param; /* of a parameter: its number */
	struct bt_hlo_shape shape;
};

enum bt_hlo_kind { BT_HLO_LOGITS, BT_HLO_NEXT_LOGITS };

struct bt_hlo_result {
	enum bt_hlo_kind kind;
	struct bt_hlo_shape shape;
};

struct bt_hlo_program {
	struct bt_buf text;
	struct bt_hlo_arg *args; /* only what the program reads */
	int n_args;
	struct bt_hlo_result *results;
	int n_results;
};

/* The forward pass, up to the logits. What a device cannot do is an error,
 * BT_EARG. */
int bt_hlo_forward(const struct bt_graph *g, const struct bt_hlo_opts *o,
                   struct bt_hlo_program *p, struct bt_error *err) BT_MUST_USE;
void bt_hlo_program_clear(struct bt_hlo_program *p);

const char *bt_hlo_source_name(enum bt_hlo_source source);

#endif
