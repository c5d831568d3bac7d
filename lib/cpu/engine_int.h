/* SPDX-License-Identifier: MIT */
/* The engine's insides, for the files that plan it and run its operators. */
#ifndef BT_CPU_ENGINE_INT_H
#define BT_CPU_ENGINE_INT_H

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/philox.h"
#include "cpu/engine.h"
#include "cpu/gemm.h"
#include "cpu/kernels.h"

/* Tokens that are embedded at once. */
#define BT_EMBED_ROWS ((size_t)32)

/* Buffers of a node. */
enum bt_slot {
	BT_SLOT_F32,    /* output as f32 */
	BT_SLOT_BF16,   /* output as bf16 */
	BT_SLOT_SAVED,  /* kept from forward to backward */
	BT_SLOT_SAVED2, /* likewise */
	BT_SLOT_WORK,   /* for the backward call alone */
	BT_SLOT_GRAD,   /* gradient of the output */
	BT_SLOTS
};

struct bt_slot_plan {
	size_t size;     /* bytes; 0: not needed */
	int first, last; /* life: times of the schedule, inclusive */
	size_t offset;   /* in the arena */
};

struct bt_node_run {
	const struct bt_cpu_op *op;
	bool need_f32, need_bf16; /* which outputs its readers want */
	bool grad_bf16;           /* type of the gradient */
	bool learns;         /* runs backward: a parameter of it, or of a node
	                      * below it, is trained */
	bool packs_backward; /* its packed weight serves a backward product */
	bool takes_grad;     /* a gradient of the output is written */
	bool
	    stores_grad[1 + BT_ADAPT_MAX]; /* first to write in[k]'s gradient */
	bool adds_params; /* its parameters' gradients are there already:
	                   * a node that ran backward before has the same
	                   * parameters */
	int segment;      /* recomputed as a whole */
	int recompute_at; /* time at which it is, or -1: never */
	int backward_at;  /* time of the backward call */
	struct bt_slot_plan plan[BT_SLOTS];
	struct bt_slot_plan recompute_plan[BT_SLOTS]; /* what the second time
	                                               * leaves */
	void *buf[BT_SLOTS];
	struct bt_gemm_weight *weight; /* linear */
	int packer;    /* first node with that weight: it holds it for all */
	float *rotary; /* attention: of each position, or NULL */
	bool owns_rotary;
};

struct bt_engine {
	const struct bt_graph *g;
	struct bt_engine_opts o;
	const struct bt_kernels *k;
	struct bt_gemm *gemm;
	struct bt_node_run *run; /* [n_nodes] */
	struct bt_arena params, grads, activations;
	const float **param; /* [n_params] where each is: in params or lent */
	const uint16_t *low_words; /* lent: the word table in bf16, whose place
	                            * in params is empty; or NULL */
	bool *gives; /* [n_params] whose gradients a backward pass gives: of
	              * the trained ones, and what is computed with them */
	size_t activation_bytes; /* as planned */
	int end;                 /* time after all others */
	float **scratch;         /* one block for each worker */
	size_t scratch_floats;
	size_t length; /* of every sequence, 0: any */

	/* of the last batch */
	struct bt_batch b;
	int32_t *positions; /* [max_tokens] */
	int32_t *numbers;   /* [max_tokens] 0, 1, 2, ...: rows of b.words */
	float *zeros;       /* of the widest node, for what it lacks */
	double loss;
	long bad_sequence; /* where a value is not finite, or -1 */
	bool add;          /* gradients are added */

	/* relative positions: the table's row for each distance from
	 * -max_length + 1 on; how many rows there can be, how many the batch
	 * has, and the first of these */
	int32_t *rel_rows;
	size_t max_rel, n_rel;
	int32_t rel_row0;

	/* rows of the word table whose gradient may not be zero */
	int32_t *touched;  /* [vocabulary] the first n_touched are of them */
	int32_t *touch;    /* [vocabulary] which of these a row is, from 1; 0:
	                    * none */
	int32_t *grad_row; /* [max_tokens] of each token of the batch: where in
	                    * the table's gradient its row is */
	size_t n_touched;
	bool by_rows;       /* the gradient is just these rows, in the order in
	                     * which they were touched */
	bool tied;          /* any row's may be: a product shares the table */
	double row_squares; /* of what was added to them, row by row */

	bt_engine_ready_fn *ready; /* NULL: none */
	void *ready_ctx;

	bool quiet; /* no times are taken */
	struct bt_roofline
	    *limits;     /* of the profile, from its first batch on */
	int (*lines)[2]; /* of the profile: forward and backward of each node */
	int pack_line;

	atomic_int failed; /* an enum bt_err of any piece */
};

/* One operator on the CPU. */
struct bt_cpu_op {
	/* Says which of its inputs it wants in which type (need_*), and the
	 * sizes of its SAVED and WORK slots. All readers of the node have said
	 * theirs before. */
	void (*plan)(struct bt_engine *e, int node);
	void (*forward)(struct bt_engine *e, int node);
	void (*backward)(struct bt_engine *e, int node);
};

extern const struct bt_cpu_op bt_cpu_embed;
extern const struct bt_cpu_op bt_cpu_linear;
extern const struct bt_cpu_op bt_cpu_attention;
extern const struct bt_cpu_op bt_cpu_residual_norm;
extern const struct bt_cpu_op bt_cpu_norm;
extern const struct bt_cpu_op bt_cpu_add;
extern const struct bt_cpu_op bt_cpu_glu;
extern const struct bt_cpu_op bt_cpu_adapt;
extern const struct bt_cpu_op bt_cpu_relative_positions;
extern const struct bt_cpu_op bt_cpu_first;
extern const struct bt_cpu_op bt_cpu_select;
extern const struct bt_cpu_op bt_cpu_mean;
extern const struct bt_cpu_op bt_cpu_max;
extern const struct bt_cpu_op bt_cpu_flatten;
extern const struct bt_cpu_op bt_cpu_dropout;
extern const struct bt_cpu_op bt_cpu_log_normalize;
extern const struct bt_cpu_op bt_cpu_softmax_loss;
extern const struct bt_cpu_op bt_cpu_span_loss;
extern const struct bt_cpu_op bt_cpu_choice_loss;
extern const struct bt_cpu_op bt_cpu_embedding_loss;
extern const struct bt_cpu_op bt_cpu_log_loss;
extern const struct bt_cpu_op bt_cpu_square_loss;
extern const struct bt_cpu_op bt_cpu_sigmoid_loss;

/* Of losses. */

/* p = exp(x - max), of k numbers that are `step` apart, so that none
 * overflows. Returns their sum, taken in double. */
double bt_loss_exponentials(const float *x, float *p, size_t k, size_t step,
                            double *max);

/* How much the loss of sequence t counts. */
float bt_loss_weight(const struct bt_engine *e, size_t t);

/* What the teacher wants of row t, [k]. */
const float *bt_loss_wanted(const struct bt_engine *e, size_t t, size_t k);

/* Names the profile's lines, if there is one. */
int bt_engine_profile_init(struct bt_engine *e) BT_MUST_USE;

/* Measures the machine's limits for the profile, if there is one. */
void bt_engine_sample_limits(struct bt_engine *e);

/* Runs a node and adds its time to the profile, if there is one. */
void bt_engine_node(struct bt_engine *e, int node, bool backward);

/* Operations of a node's products in the last forward pass, and in a backward
 * pass after it. */
double bt_engine_node_flop(const struct bt_engine *e, int node);
double bt_engine_node_backward_flop(const struct bt_engine *e, int node);

/* Decides types, lifetimes and offsets of all buffers; then allocates them. */
int bt_plan_buffers(struct bt_engine *e, struct bt_error *err) BT_MUST_USE;
int bt_allocate_buffers(struct bt_engine *e, struct bt_error *err) BT_MUST_USE;

/* Sets the nodes' segments and times. stride: how many of the possible ends of
 * segments make one; 0: nothing is recomputed. */
int bt_plan_schedule(struct bt_engine *e, int stride) BT_MUST_USE;

/* Before a forward pass: buffers are those of the first computation. */
void bt_bind_buffers(struct bt_engine *e);

/* Before a node's backward call: recomputes its segment, if the node is the
 * last of a segment that is not kept. */
void bt_recompute(struct bt_engine *e, int node);

/* After a node's call: BT_ELIMIT if it made a value that is not finite. */
int bt_check_forward(struct bt_engine *e, int node,
                     struct bt_error *err) BT_MUST_USE;
int bt_check_backward(struct bt_engine *e, int node,
                      struct bt_error *err) BT_MUST_USE;

static inline size_t bt_max_rows(const struct bt_engine *e,
                                 const struct bt_node *n)
{
	return n->rows == BT_PER_TOKEN      ? e->o.max_tokens
	       : n->rows == BT_PER_SEQUENCE ? e->o.max_sequences
	       : n->rows == BT_PER_SELECTED ? e->o.max_selected
	                                    : e->max_rel;
}

static inline size_t bt_rows_of(const struct bt_engine *e,
                                const struct bt_node *n)
{
	return n->rows == BT_PER_TOKEN      ? e->b.tokens
	       : n->rows == BT_PER_SEQUENCE ? e->b.sequences
	       : n->rows == BT_PER_SELECTED ? e->b.n_selected
	                                    : e->n_rel;
}

/* Number of a node's row 0 in the whole update. */
static inline uint32_t bt_row0(const struct bt_engine *e,
                               const struct bt_node *n)
{
	return n->rows == BT_PER_TOKEN || n->rows == BT_PER_SELECTED
	           ? e->b.token0
	       : n->rows == BT_PER_SEQUENCE ? e->b.sequence0
	                                    : (uint32_t)e->rel_row0;
}

static inline const float *bt_param(const struct bt_engine *e, int p)
{
	return e->param[p];
}

/* Whether backward passes give the gradients of parameters. */
static inline bool bt_learns(const struct bt_engine *e)
{
	return e->o.train && !e->o.fixed;
}

/* Whether they give that of parameter p, which may be -1. */
static inline bool bt_gives(const struct bt_engine *e, int p)
{
	return bt_learns(e) && p >= 0 && e->gives[p];
}

static inline float *bt_grad(const struct bt_engine *e, int p)
{
	return (float *)e->grads.base + e->g->params[p].offset;
}

/* Whether the gradient of parameter p is rows that were touched. */
static inline bool bt_has_rows(const struct bt_engine *e, int p)
{
	return e->by_rows && p == e->g->nodes[0].u.embed.word;
}

/* Makes the gradient of the word table one in which no row was touched. */
void bt_forget_rows(struct bt_engine *e);

/* Whether a node adds its parameters' gradients to what is there. */
static inline bool bt_adds(const struct bt_engine *e, int node)
{
	return e->add || e->run[node].adds_params;
}

/* Asks for a node's output in the type that products take. */
static inline void bt_want_operand(struct bt_engine *e, int node)
{
	if (e->o.bf16)
		e->run[node].need_bf16 = true;
	else
		e->run[node].need_f32 = true;
}

/* A node's output in the type that products take. */
static inline void *bt_operand(const struct bt_engine *e, int node)
{
	return e->run[node].buf[e->o.bf16 ? BT_SLOT_BF16 : BT_SLOT_F32];
}

static inline size_t bt_element(bool bf16)
{
	return bf16 ? sizeof(uint16_t) : sizeof(float);
}

/* Element i of an array of either type. */
static inline void *bt_at(const void *p, size_t i, bool bf16)
{
	return (char *)(uintptr_t)p + i * bt_element(bf16);
}

/* Sets rows [rows, room(rows)) of a buffer to zero. */
static inline void bt_zero_tail(void *buf, size_t rows, size_t cols, bool bf16)
{
	size_t room = bt_gemm_room(rows);

	if (buf != NULL)
		memset(bt_at(buf, rows * cols, bf16), 0,
		       (room - rows) * cols * bt_element(bf16));
}

/* A node's packed weight unless an earlier node holds it. */
static inline struct bt_gemm_weight *bt_own_weight(const struct bt_engine *e,
                                                   int node)
{
	const struct bt_node_run *r = &e->run[node];

	return r->packer == node ? r->weight : NULL;
}

/* Floats of scratch that a worker needs for any operator. */
size_t bt_scratch_need(const struct bt_engine *e);
void bt_scratch_free(struct bt_engine *e);

/* The dropout of a node in this batch: off unless it trains. */
static inline struct bt_dropout bt_node_dropout(const struct bt_engine *e,
                                                int node, float probability)
{
	return bt_dropout_make(e->b.train ? probability : 0, e->o.seed,
	                       e->b.step, (uint32_t)(BT_PURPOSE_DROPOUT + node),
	                       bt_row0(e, &e->g->nodes[node]));
}

/* Rotary tables (cosines and sines), one for all nodes of the same rope and
 * width; their bytes. */
int bt_rope_allocate(struct bt_engine *e) BT_MUST_USE;
void bt_rope_free(struct bt_engine *e);
size_t bt_rope_bytes(const struct bt_engine *e);

/* Relative positions: counts the rows that a batch can need, which planning
 * asks for; allocates the table of rows; selects those of a batch. They do
 * nothing for a graph without relative positions. */
void bt_relative_plan(struct bt_engine *e);
int bt_relative_allocate(struct bt_engine *e) BT_MUST_USE;
void bt_relative_batch(struct bt_engine *e);

/* Row numbers of relative positions by distance (query minus key): element 0 is
 * that of distance 0, negative distances stand before it. NULL: none. */
static inline const int32_t *bt_relative_rows(const struct bt_engine *e)
{
	return e->rel_rows == NULL ? NULL : e->rel_rows + e->o.max_length - 1;
}

/* Runs pieces on the pool. */
static inline void bt_engine_run(struct bt_engine *e, bt_piece_fn *fn,
                                 void *arg, int pieces)
{
	bt_pool_run(e->o.pool, fn, arg, pieces);
}

/* Reports a failure inside a piece. */
static inline void bt_engine_fail(struct bt_engine *e, int code)
{
	if (code != BT_OK)
		atomic_store(&e->failed, code);
}

/* Rows in pieces: how many there are, and the rows of piece i. A piece is of
 * `step` rows but the last. */
static inline int bt_row_pieces(size_t rows, size_t step)
{
	return (int)((rows + step - 1) / step);
}

static inline size_t bt_piece_end(size_t rows, size_t step, int i)
{
	size_t end = ((size_t)i + 1) * step;

	return end < rows ? end : rows;
}

#endif
