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

	/* of the loss, as a batch of the CPU's engine has them */
	float smoothing;
	const float *pos_weight; /* [columns of the logits], or NULL: all 1 */
};

/* What an argument is. Those of a batch, i32 where nothing else is said: rows.h
 * describes them. */
enum bt_hlo_source {
	BT_HLO_ARG_PARAM,     /* a parameter, f32 */
	BT_HLO_ARG_IDS,       /* [tokens] */
	BT_HLO_ARG_TYPES,     /* [tokens] */
	BT_HLO_ARG_POSITIONS, /* [tokens] rows of the table of positions */
	BT_HLO_ARG_PLACES,    /* [tokens] numbers in their texts, from 0 */
	BT_HLO_ARG_SEGMENTS,  /* [tokens] texts; -1: padding */
	BT_HLO_ARG_FIRST,     /* [texts] their first tokens */
	BT_HLO_ARG_SELECTED,  /* [selected] tokens */
	/* of the loss, for each row of the logits: */
	BT_HLO_ARG_LABELS,       /* classes */
	BT_HLO_ARG_WEIGHTS,      /* f32, scaled; 0 where there is no loss */
	BT_HLO_ARG_TARGETS,      /* f32 [rows, columns] numbers to predict; of
	                          * spans 1 at the first and the last token */
	BT_HLO_ARG_NEXT_LABELS,  /* [texts] of the second logits, */
	BT_HLO_ARG_NEXT_WEIGHTS, /* f32 [texts] likewise */
	BT_HLO_ARG_SOURCES
};

struct bt_hlo_arg {
	enum bt_hlo_source source;
	int param; /* of a parameter: its number */
	struct bt_hlo_shape shape;
};

enum bt_hlo_kind {
	BT_HLO_LOGITS,
	BT_HLO_NEXT_LOGITS,
	BT_HLO_LOSS, /* [1] */
	BT_HLO_GRADIENT
};

struct bt_hlo_result {
	enum bt_hlo_kind kind;
	int param; /* of a gradient: of which parameter */
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

/* A forward and a backward pass: the logits, the loss, and its gradients by all
 * parameters that are not frozen. Nothing is dropped. */
int bt_hlo_gradients(const struct bt_graph *g, const struct bt_hlo_opts *o,
                     struct bt_hlo_program *p,
                     struct bt_error *err) BT_MUST_USE;
void bt_hlo_program_clear(struct bt_hlo_program *p);

const char *bt_hlo_source_name(enum bt_hlo_source source);

/* The shape of a batch's argument; of no elements where the batch has no room
 * for it. */
struct bt_hlo_shape bt_hlo_source_shape(const struct bt_graph *g,
                                        const struct bt_hlo_size *size,
                                        enum bt_hlo_source source);

#endif
