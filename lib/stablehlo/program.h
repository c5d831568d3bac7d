/* SPDX-License-Identifier: MIT */
/*
 * A graph as a program for a device: StableHLO text, which any PJRT plugin
 * compiles. Shapes are static on devices, so a program is for batches of one
 * shape: rows of a fixed length, each of which holds several texts one behind
 * the other (rows.h).
 */
#ifndef BT_STABLEHLO_PROGRAM_H
#define BT_STABLEHLO_PROGRAM_H

#include "op/ops.h"
#include "stablehlo/builder.h"

/* How an update is done: see bt_hlo_update. */
enum bt_hlo_rule { BT_HLO_ADAM, BT_HLO_LAMB, BT_HLO_SGD };

/* How large a batch is. */
struct bt_hlo_size {
	int rows, length; /* and the tokens of a row */
	int texts;
	int selected; /* tokens; 0: none can be */
	int compared; /* texts of all devices, which a loss of embeddings
	               * compares with each other; 0: none does */
};

struct bt_hlo_opts {
	struct bt_hlo_size size;
	bool bf16;  /* operands of products are rounded to it, and so is what
	             * stands between two products; all else is f32 */
	bool fuses; /* its compiler makes one kernel of many operations, and
	             * computes none of them twice in it */

	/* of a program that learns */
	bool drops;    /* dropout is on, as the CPU's engine has it */
	bool adds;     /* its gradients are added to earlier ones */
	bool given;    /* it has no loss: the gradient by the logits is an
	                * argument */
	bool row_norm; /* of an update, too: the norm takes the gradient of the
	                * word table as TensorFlow's does, a row for each
	                * token: see bt_engine_sparse_excess. For a table that
	                * nothing else reads */
	enum bt_hlo_rule rule; /* of an update */
	int replicas; /* devices that run it, each on a part of a batch: loss
	               * and gradients are those of all; 0: 1 */

	/* of its loss, as a batch of the CPU's engine has them */
	float smoothing;
	const float *class_weight; /* [columns of the logits], or NULL: all 1 */
	const float *pos_weight;   /* [columns of the logits], or NULL: all 1 */
	float teacher_weight, temperature; /* of a teacher; 0: there is none */
	float r_drop; /* texts are two passes of each; 0: they are not */
	enum bt_embedding_loss embedding_loss;
	struct bt_matryoshka matryoshka;
};

/* What an argument is. */
enum bt_hlo_source {
	BT_HLO_ARG_PARAM, /* a parameter, f32, or of it: */
	BT_HLO_ARG_GRADIENT,
	BT_HLO_ARG_MOMENT1,
	BT_HLO_ARG_MOMENT2,
	/* of an update, f32: */
	BT_HLO_ARG_CONSTANTS, /* [BT_HLO_CONSTANTS] */
	BT_HLO_ARG_RATES,     /* [n_params] */
	BT_HLO_ARG_KEEPS,     /* [n_params], or decays */
	/* Those of a batch, i32 where nothing else is said: rows.h describes
	 * them. */
	BT_HLO_ARG_IDS,       /* [tokens] */
	BT_HLO_ARG_TYPES,     /* [tokens] */
	BT_HLO_ARG_POSITIONS, /* [tokens] rows of the table of positions */
	BT_HLO_ARG_PLACES,    /* [tokens] numbers in their texts, from 0 */
	BT_HLO_ARG_SEGMENTS,  /* [tokens] texts; -1: padding */
	BT_HLO_ARG_FIRST,     /* [texts] their first tokens; of one that the
	                       * batch does not have, a number that no other
	                       * text and no token has */
	BT_HLO_ARG_SELECTED,  /* [selected] tokens */
	/* of the loss, for each row of the logits, or each text that is
	 * compared, of all devices: */
	BT_HLO_ARG_LABELS,       /* classes */
	BT_HLO_ARG_WEIGHTS,      /* f32, scaled; 0 where there is no loss */
	BT_HLO_ARG_TARGETS,      /* f32 [rows, columns] numbers to predict; of
	                          * spans 1 at the first and the last token, of
	                          * choices 1 at the right one; of texts that
	                          * are compared [texts, 1] their pairs', or
	                          * their classes */
	BT_HLO_ARG_NEXT_LABELS,  /* [texts] of the second logits, */
	BT_HLO_ARG_NEXT_WEIGHTS, /* f32 [texts] likewise */
	BT_HLO_ARG_GROUPS,       /* [texts] numbers of the questions that they
	                          * are choices of */
	/* of texts that are compared: */
	BT_HLO_ARG_PAIRS, /* [compared] the number of the text 1 of an anchor;
	                   * of others negative */
	BT_HLO_ARG_EQUAL, /* [compared] what texts of equal tokens share;
	                   * negative: there is no text */
	BT_HLO_ARG_OWN,   /* [texts] numbers that the device's own have */
	/* of dropout, u32: */
	BT_HLO_ARG_NUMBERS,      /* [tokens] of them in the update */
	BT_HLO_ARG_TEXT_NUMBERS, /* [texts] likewise */
	BT_HLO_ARG_RANDOM, /* [4] the seed, its low half first; the update; the
	                    * number of the batch's first token */
	BT_HLO_ARG_OTHERS, /* i32 [texts] the other pass of each, or itself */
	/* of a teacher: */
	BT_HLO_ARG_TEACHER, /* f32 [rows, columns] of the logits: what it wants
	                     */
	BT_HLO_ARG_LOGIT_GRADS, /* f32 [rows, columns], where they are given */
	BT_HLO_ARG_SOURCES
};

struct bt_hlo_arg {
	enum bt_hlo_source source;
	int param; /* of a parameter: its number */
	struct bt_hlo_shape shape;
	int taken; /* the result that takes its place, for which it is to be
	            * donated; or -1 */
};

enum bt_hlo_kind {
	BT_HLO_LOGITS,
	BT_HLO_NEXT_LOGITS,
	BT_HLO_LOSS,  /* [1] */
	BT_HLO_RIGHT, /* [1] rows of the logits of which the largest, the first
	               * of equal ones, is that of the label */
	BT_HLO_ROW_SQUARES, /* [1] with row_norm: the sum of the squares of the
	                     * rows of tokens, of all devices */
	BT_HLO_GRADIENT,
	BT_HLO_NORM,  /* [1] of all gradients */
	BT_HLO_MOVED, /* a parameter, beside what it was */
	BT_HLO_PARAM,
	BT_HLO_MOMENT1,
	BT_HLO_MOMENT2
};

struct bt_hlo_result {
	enum bt_hlo_kind kind;
	int param; /* of which parameter, or -1 */
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

/* A forward and a backward pass: the loss, of classes how many logits are
 * right, and the gradients by all parameters that are not frozen. */
int bt_hlo_gradients(const struct bt_graph *g, const struct bt_hlo_opts *o,
                     struct bt_hlo_program *p,
                     struct bt_error *err) BT_MUST_USE;

/*
 * An update of these parameters, and the norm n of all gradients. With the
 * constants, and for each parameter a rate and, by Adam and its kin, what is
 * kept of it, else its decay (optim/optim.h has the formulas):
 *   s = n > clip ? clip / (n + clip_more) : 1
 *   x = s g, held within +-limit
 *   ADAM  m = beta1 m + fresh1 x;  v = beta2 v + fresh2 x^2
 *         p = keep p - rate m / (sqrt(v) correct2 + eps)
 *   LAMB  m and v likewise;
 *         u = correct1 m / (sqrt(v) correct2 + eps) + decay p
 *         p = p - rate |p|/|u| u, the quotient 1 where a norm is 0 and of
 *         parameters that the graph does not mark for decay
 *   SGD   m = beta1 m + x + decay p;  p = p - rate m, and there is no v
 * Nothing of a run is in the program but the rule and the parameters' shapes.
 * Each of the replicas computes all of it.
 */
enum bt_hlo_constant {
	BT_HLO_BETA1,
	BT_HLO_BETA2,
	BT_HLO_FRESH1,
	BT_HLO_FRESH2,
	BT_HLO_CORRECT1,
	BT_HLO_CORRECT2,
	BT_HLO_EPS,
	BT_HLO_LIMIT,
	BT_HLO_CLIP,
	BT_HLO_CLIP_MORE,
	BT_HLO_SQUARES, /* with row_norm: of the word table's rows of tokens,
	                 * in place of its gradient's */
	BT_HLO_STEP,    /* of bt_hlo_move */
	BT_HLO_CONSTANTS
};
int bt_hlo_update(const struct bt_graph *g, enum bt_hlo_rule rule, int replicas,
                  bool row_norm, struct bt_hlo_program *p,
                  struct bt_error *err) BT_MUST_USE;

/* Moves a parameter W by its gradient g, to W + step g / |g|; nowhere where |g|
 * is 0. The step is the constant BT_HLO_STEP. */
int bt_hlo_move(const struct bt_graph *g, int param, int replicas,
                struct bt_hlo_program *p, struct bt_error *err) BT_MUST_USE;
void bt_hlo_program_clear(struct bt_hlo_program *p);

/* The shape of a batch's argument; of no elements where the batch has no room
 * for it. */
struct bt_hlo_shape bt_hlo_source_shape(const struct bt_graph *g,
                                        const struct bt_hlo_size *size,
                                        enum bt_hlo_source source);

#endif
