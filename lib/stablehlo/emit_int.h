/* SPDX-License-Identifier: MIT */
/* What the operators' translations share. */
#ifndef BT_STABLEHLO_EMIT_INT_H
#define BT_STABLEHLO_EMIT_INT_H

#include "stablehlo/program.h"

#define BT_HLO_LEAST (-3.4028234663852886e38) /* of f32 */
#define BT_HLO_PARTS 3 /* of a linear layer: queries, keys and values */

/* values of the forward pass that the backward reads; the last one: what of the
 * node dropout keeps, or BT_HLO_NONE */
#define BT_HLO_SAVED 5
#define BT_HLO_KEPT (BT_HLO_SAVED - 1)

/* A node's output: its columns are those of its parts, one behind the other. */
struct bt_hlo_output {
	int n;
	int part[BT_HLO_PARTS];
	int cols[BT_HLO_PARTS];
	int grad[BT_HLO_PARTS];  /* of the loss by them, or BT_HLO_NONE */
	int saved[BT_HLO_SAVED]; /* whatever the operator says */
};

struct bt_hlo_emit {
	struct bt_hlo b;
	const struct bt_graph *g;
	const struct bt_hlo_opts *o;
	struct bt_hlo_output *outputs; /* [n_nodes] */
	int *param;      /* [n_params] as argument, or BT_HLO_NONE so far */
	int *param_low;  /* the same rounded to bf16 */
	int *param_grad; /* of the loss by it, or BT_HLO_NONE */
	int loss;        /* [1], or BT_HLO_NONE so far */
	int row_squares; /* likewise, with row_norm */
	int input[BT_HLO_ARG_SOURCES]; /* likewise, of the batch */
	struct bt_hlo_arg *args;
	size_t arg_cap;
	int n_args;

	/* made once: */
	int same_text; /* [rows, length, length] pairs of a text; or none */
	struct {
		int window, mask;
	} near[4]; /* pairs that are near, too */
	struct {
		struct bt_rope rope;
		int width, cosine, sine; /* [rows, length, width / 2] */
	} rotary[4];
	int texts; /* [texts, tokens] 1 where a token is of a text, f32 */
};

/* What a program gives. */
struct bt_hlo_results {
	struct bt_hlo_result *what;
	int *value;
	int n;
};

/* One operator on a device. backward takes the gradient by the node's output,
 * when all its readers have given theirs, and gives those by its inputs and
 * parameters. A loss's backward is with its forward, which adds to e->loss. */
struct bt_hlo_op {
	void (*forward)(struct bt_hlo_emit *e, int node);
	void (*backward)(struct bt_hlo_emit *e, int node);
};

extern const struct bt_hlo_op bt_hlo_op_embed;
extern const struct bt_hlo_op bt_hlo_op_linear;
extern const struct bt_hlo_op bt_hlo_op_attention;
extern const struct bt_hlo_op bt_hlo_op_residual_norm;
extern const struct bt_hlo_op bt_hlo_op_norm;
extern const struct bt_hlo_op bt_hlo_op_adapt;
extern const struct bt_hlo_op bt_hlo_op_add;
extern const struct bt_hlo_op bt_hlo_op_glu;
extern const struct bt_hlo_op bt_hlo_op_relative_positions;
extern const struct bt_hlo_op bt_hlo_op_first;
extern const struct bt_hlo_op bt_hlo_op_select;
extern const struct bt_hlo_op bt_hlo_op_mean;
extern const struct bt_hlo_op bt_hlo_op_max;
extern const struct bt_hlo_op bt_hlo_op_flatten;
extern const struct bt_hlo_op bt_hlo_op_dropout;
extern const struct bt_hlo_op bt_hlo_op_log_normalize;
extern const struct bt_hlo_op bt_hlo_op_softmax_loss;
extern const struct bt_hlo_op bt_hlo_op_log_loss;
extern const struct bt_hlo_op bt_hlo_op_square_loss;
extern const struct bt_hlo_op bt_hlo_op_sigmoid_loss;
extern const struct bt_hlo_op bt_hlo_op_span_loss;
extern const struct bt_hlo_op bt_hlo_op_choice_loss;
extern const struct bt_hlo_op bt_hlo_op_embedding_loss;

/* A program from its beginning to its end, after which e is cleared. most: of
 * results. */
int bt_hlo_begin_program(struct bt_hlo_emit *e, const struct bt_graph *g,
                         const struct bt_hlo_opts *o, int most,
                         struct bt_hlo_results *x,
                         struct bt_error *err) BT_MUST_USE;
void bt_hlo_add_result(struct bt_hlo_results *x, enum bt_hlo_kind kind,
                       int param, int value);
int bt_hlo_end_program(struct bt_hlo_emit *e, int r, struct bt_hlo_results *x,
                       struct bt_hlo_program *p,
                       struct bt_error *err) BT_MUST_USE;

/* A new argument as large as a parameter. */
int bt_hlo_of_param(struct bt_hlo_emit *e, enum bt_hlo_source source,
                    int param);

/* Arguments: a parameter, or as an operand of products; one of the batch. */
int bt_hlo_param(struct bt_hlo_emit *e, int param);
int bt_hlo_param_operand(struct bt_hlo_emit *e, int param);
int bt_hlo_input(struct bt_hlo_emit *e, enum bt_hlo_source source);

/* x in the type of products' operands. */
int bt_hlo_operand(struct bt_hlo_emit *e, int x);

/* x as several others read it: with bf16 rounded to it and computed once, so
 * that devices write and read half as much; f32 to reckon with. */
int bt_hlo_stored(struct bt_hlo_emit *e, int x);

/* A product of operands that another one follows, f32: rounded to their type
 * before, so that devices write and read half as much. */
int bt_hlo_inner_dot(struct bt_hlo_emit *e, int x, int y,
                     struct bt_hlo_product p);

/* A node's output as one value; its columns first .. first + n - 1. */
int bt_hlo_whole(struct bt_hlo_emit *e, int node);
int bt_hlo_columns(struct bt_hlo_emit *e, int node, int first, int n);

/* Sets a node's output, one value. */
void bt_hlo_set(struct bt_hlo_emit *e, int node, int x);

/* x + y, or y where x is BT_HLO_NONE. */
int bt_hlo_sum(struct bt_hlo *b, int x, int y);

/* Adds to the gradient by a node's output, or by columns of it; by a parameter.
 */
void bt_hlo_give(struct bt_hlo_emit *e, int node, int dx);
void bt_hlo_give_columns(struct bt_hlo_emit *e, int node, int first, int n,
                         int dx);
void bt_hlo_give_param(struct bt_hlo_emit *e, int param, int dx);

/* What was given to a node in all, 0 where nothing was; to a part of it. */
int bt_hlo_given(struct bt_hlo_emit *e, int node);
int bt_hlo_given_part(struct bt_hlo_emit *e, int node, int part);

/* act(x), element by element; and dy act'(x). */
int bt_hlo_activate(struct bt_hlo_emit *e, enum bt_activation act, int x);
int bt_hlo_activate_back(struct bt_hlo_emit *e, enum bt_activation act, int x,
                         int dy);

/* Drops elements of x, a node's rows, and saves what is kept; of the
 * probabilities of attention, [rows, heads, length, length]. The same of a
 * gradient, as it was saved. */
int bt_hlo_drop(struct bt_hlo_emit *e, int node, float probability, int x);
int bt_hlo_drop_pairs(struct bt_hlo_emit *e, int node, int x);
int bt_hlo_drop_back(struct bt_hlo_emit *e, int node, float probability,
                     int dx);

/* [rows, n, n]: the pairs in which x, [rows, n], is the same. */
int bt_hlo_same(struct bt_hlo *b, int x);

/* Pairs of tokens of a text, [rows, length, length]. */
int bt_hlo_same_text(struct bt_hlo_emit *e);

/* Of losses: adds the sum of x, [rows, columns], to the loss. The logarithms of
 * the softmax of rows; of x, [rows, n], each among those of its row that
 * `same`, [rows, n, n], pairs it with. The loss of such logarithms p, where y
 * is 1 at what is right and else 0, times w, is added; returns the gradient. */
void bt_hlo_add_loss(struct bt_hlo_emit *e, int x);
int bt_hlo_log_softmax(struct bt_hlo *b, int x);
int bt_hlo_log_softmax_among(struct bt_hlo *b, int x, int same);
int bt_hlo_loss_of_right(struct bt_hlo_emit *e, int p, int y, int w);
void bt_hlo_loss_back(struct bt_hlo_emit *e, int node);

/* The rows of texts for their tokens, for padding those of the first text; and
 * for texts' first tokens alone, with zeros in the rows of all others. */
int bt_hlo_for_tokens(struct bt_hlo_emit *e, int x);
int bt_hlo_for_first(struct bt_hlo_emit *e, int x);

/* [rows, numbers], f32: 1 where at, numbers, names the row. */
int bt_hlo_rows_named(struct bt_hlo_emit *e, int at, int64_t rows);

/* Row 0 of a table of relative positions that a batch can need. */
int bt_hlo_relative_row0(const struct bt_hlo_emit *e,
                         const struct bt_relative_args *p);

static inline int64_t bt_hlo_tokens(const struct bt_hlo_emit *e)
{
	return (int64_t)e->o->size.rows * e->o->size.length;
}

#endif
