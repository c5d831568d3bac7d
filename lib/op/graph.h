/* SPDX-License-Identifier: MIT */
/*
 * A model is a graph of coarse operators, and the graph is data: an array of
 * nodes, each with an operator, the nodes it reads, the shape of its output and
 * its parameters. A node reads only nodes before it, so the array is an order
 * of execution. A device runs or translates it; nothing here computes.
 *
 * The first dimension of every value is the number of tokens or of sequences of
 * a batch: there is no padding anywhere.
 */
#ifndef BT_OP_GRAPH_H
#define BT_OP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum bt_opcode {
	BT_OP_EMBED,
	BT_OP_LINEAR,
	BT_OP_ATTENTION,
	BT_OP_RESIDUAL_NORM,
	BT_OP_NORM,
	BT_OP_ADD,
	BT_OP_GLU,
	BT_OP_ADAPT,
	BT_OP_RELATIVE_POSITIONS,
	BT_OP_FIRST,
	BT_OP_SELECT,
	BT_OP_MEAN,
	BT_OP_MAX,
	BT_OP_FLATTEN,
	BT_OP_DROPOUT,
	BT_OP_LOG_NORMALIZE,
	BT_OP_SOFTMAX_LOSS,
	BT_OP_LOG_LOSS,
	BT_OP_SQUARE_LOSS,
	BT_OP_SIGMOID_LOSS,
	BT_OP_SPAN_LOSS,
	BT_OP_CHOICE_LOSS,
	BT_OP_EMBEDDING_LOSS,
	BT_OPCODES
};

enum bt_rows {
	BT_PER_TOKEN,            /* as many rows as the batch has tokens */
	BT_PER_SEQUENCE,         /* as many rows as it has sequences */
	BT_PER_SELECTED,         /* as many as it selects tokens */
	BT_PER_RELATIVE_POSITION /* as many as the batch needs relative
	                          * positions, see bt_op_relative_positions */
};

enum bt_activation {
	BT_ACT_NONE,
	BT_ACT_GELU,      /* x Phi(x), exact: "gelu" */
	BT_ACT_GELU_TANH, /* its tanh approximation: "gelu_new" */
	BT_ACT_RELU,
	BT_ACT_TANH,
	BT_ACT_SOFTPLUS, /* log(1 + e^x) */
	BT_ACT_SILU,     /* x / (1 + e^-x): "silu", "swish" */
	BT_ACTIVATIONS
};

enum bt_init {
	BT_INIT_ZERO,
	BT_INIT_ONE,
	BT_INIT_NORMAL, /* normal with the graph's init_std */
	BT_INIT_GLOROT, /* uniform within +-sqrt(6 / (rows + cols)) */
	BT_INIT_KAIMING /* uniform within +-1 / sqrt(cols) */
};

/* A trained array of f32: [rows, cols], or [cols] where rank is 1. */
struct bt_param {
	char *name; /* as Hugging Face names it in a state dict */
	int rank;
	int rows, cols; /* rows = 1 where rank is 1 */
	enum bt_init init;
	bool decay;    /* weight decay applies */
	bool head;     /* belongs to the task, not to the encoder */
	bool classes;  /* of the head: has a row for each class */
	bool joined;   /* read as one with the parameter before it */
	bool apart;    /* not in the encoder's checkpoint */
	bool frozen;   /* is not trained */
	size_t offset; /* floats from the start of the parameter arena */
};

struct bt_embed_args {
	int word;        /* parameter (V,H) */
	int position;    /* parameter (P,H), or -1 */
	int type;        /* parameter (S,H), or -1 */
	int gamma, beta; /* parameters (H); beta may be -1: 0; gamma too: there
	                  * is no norm */
	int pad;         /* id of the padding token, or -1 */
	int position0;   /* position of a sequence's first token */
	float eps;
	float dropout;
};

/* How queries and keys are rotated: see bt_op_attention. */
struct bt_rope {
	float theta; /* 0: they are not */
	float factor, low, high;
	float scale;
};

/* As far as theta alone says it. */
static inline struct bt_rope bt_rope_of(float theta)
{
	return (struct bt_rope){theta, 1, 0, 1, 1};
}

/* The angle between neighbours by which columns c and c + d/2 are rotated. */
float bt_rope_rate(const struct bt_rope *rope, int c, int d);

struct bt_attention_args {
	int q;     /* node that holds the queries */
	int q_col; /* first column of the queries in it */
	int kv;    /* node that holds keys and values, (T, .) */
	int k_col, v_col;
	int heads;
	int kv_heads;      /* of keys and values; 0: heads */
	int head_dim;      /* d */
	int head_step;     /* columns from head to head; 0: d */
	int relative_bias; /* parameter R (BT_RELATIVE_BUCKETS, heads), or -1 */
	struct bt_rope rope;
	bool neighbours; /* are rotated: columns 2c and 2c + 1 */
	int window;      /* keys that far to either side are seen; 0: all */
	int relative_positions;   /* node of their keys and queries, or -1 */
	int rel_k_col, rel_q_col; /* first column of each in it, or -1 */
	float dropout;
};

/* A table of relative positions: see bt_op_relative_positions. */
struct bt_relative_args {
	int span, buckets, max;
	int table; /* parameter */
};

#define BT_ADAPT_MAX 3 /* changes that bt_op_adapt adds to one value */

struct bt_node {
	enum bt_opcode op;
	int in[1 + BT_ADAPT_MAX]; /* nodes read, each once */
	int n_in;
	enum bt_rows rows;
	int cols;
	union {
		struct bt_embed_args embed;
		struct {
			int weight, bias; /* first parameter of each; -1 */
			int parts;        /* parameters stacked by rows */
			enum bt_activation act;
		} linear;
		struct bt_attention_args attention;
		struct bt_norm_args {
			int gamma, beta; /* beta -1: none */
			float eps, dropout;
			bool rms; /* the mean is taken for 0 */
		} norm;
		struct {
			int length; /* tokens of each sequence */
		} flatten;
		struct {
			float dropout;
		} drop;
		struct {
			enum bt_activation act;
			bool gate_last;
		} glu;
		struct {
			enum bt_activation act;
			float scale;
			int col[BT_ADAPT_MAX]; /* first column of in[1 + k] */
		} adapt;
		struct {
			bool next; /* the labels are those of next sentences */
		} loss;
		struct bt_relative_args relative_positions;
	} u;
};

struct bt_graph {
	struct bt_node *nodes;
	int n_nodes;
	struct bt_param *params;
	int n_params;
	size_t n_floats; /* size of the parameter arena */
	float init_std;
	const char *prefix; /* that the encoder's names begin with; "" */
	int logits;         /* node of the logits */
	int next_logits;    /* node of the second ones, of each text, which tell
	                     * whether its second segment follows the first; or
	                     * -1 */
	int loss;           /* node of the loss, of several the last; or -1 */

	/* while building */
	size_t node_cap, param_cap;
	struct bt_error *err; /* the first failure, or NULL */
	bool failed;
};

/* err is where the builders of op/ops.h report; it must outlive the building.
 */
void bt_graph_init(struct bt_graph *g, struct bt_error *err);
void bt_graph_clear(struct bt_graph *g);

/* Ends the building: 0, or the first error of any builder. */
int bt_graph_done(struct bt_graph *g) BT_MUST_USE;

/* What a parameter is to be; see struct bt_param. */
struct bt_param_spec {
	int rows, cols; /* rows = 0: rank 1 */
	enum bt_init init;
	bool decay;
	bool head;
	bool joined; /* stands directly behind the parameter before it */
};

/* Adds a parameter whose name is made as by printf. Its number, or -1 after a
 * failure. */
int bt_graph_param(struct bt_graph *g, const struct bt_param_spec *spec,
                   const char *fmt, ...) BT_PRINTF(3, 4);

/* The parameter of that name, or -1. */
int bt_graph_find(const struct bt_graph *g, const char *name);

/* For builders of operators: adds a node. Its number, or -1 after a failure. */
int bt_graph_add(struct bt_graph *g, const struct bt_node *node);

/* For builders: reports that an operator's arguments do not fit. Returns -1. */
int bt_graph_misfit(struct bt_graph *g, const char *fmt, ...) BT_PRINTF(2, 3);

const char *bt_opcode_name(enum bt_opcode op);
const char *bt_activation_name(enum bt_activation act);

/* Whether parameter i need not stand next to another one. */
static inline bool bt_param_alone(const struct bt_graph *g, int i)
{
	return !g->params[i].joined &&
	       (i + 1 == g->n_params || !g->params[i + 1].joined);
}

/* The k-th parameter of a node, from 0 on, or -1 behind the last. */
int bt_node_param(const struct bt_node *n, int k);

/* Floats of a parameter. */
static inline size_t bt_param_size(const struct bt_param *p)
{
	return (size_t)p->rows * (size_t)p->cols;
}

/* Floats of all parameters, the gaps between them left out; of those that are
 * trained; and in the arena before the first of these. */
size_t bt_graph_floats(const struct bt_graph *g);
size_t bt_graph_trained(const struct bt_graph *g);
size_t bt_graph_first_trained(const struct bt_graph *g);

/* Whether frozen parameters stand among those that are trained, and not only
 * before them. */
bool bt_graph_scattered(const struct bt_graph *g);

#endif
