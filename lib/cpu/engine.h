/* SPDX-License-Identifier: MIT */
/*
 * Runs a graph on this machine's CPU: forwards for a batch, and backwards for
 * the gradients. The graph's buffers are laid out once, by their lifetimes, in
 * one arena; nothing is allocated while batches run.
 *
 * One thread at a time uses an engine; inside it works on the pool it is given.
 * Results do not depend on the pool's number of threads.
 */
#ifndef BT_CPU_ENGINE_H
#define BT_CPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/profile.h"
#include "cpu/kernels.h"
#include "op/ops.h"

struct bt_engine;

/* Who may compute products, as an option takes it. What is not there fails when
 * it is asked for. */
#define BT_GEMM_NAMES "native|onednn|openblas|ref"

struct bt_engine_opts {
	struct bt_pool *pool; /* borrowed */
	bool bf16;            /* products in bf16, else f32 */
	const char *gemm;     /* of BT_GEMM_NAMES; NULL: the best there is */
	bool train;           /* backward passes will be asked for */
	bool fixed;           /* and give no gradients of parameters, which may
	                       * be mapped then, but only those of the batch's
	                       * words: the engine can grow, too */
	bool recompute;       /* backward passes recompute most activations
	                       * instead of keeping them: same bits */
	bool sparse_norm;     /* of the word table's gradient; see
	                         bt_engine_sparse_excess */
	bool detect;       /* BT_ELIMIT on the first value that is not finite,
	                    * naming the operator that computed it */
	size_t max_tokens; /* largest batch */
	size_t max_sequences;
	size_t max_selected;        /* of tokens; 0: all of max_tokens */
	size_t max_length;          /* tokens of the longest sequence */
	uint64_t seed;              /* of dropout */
	struct bt_profile *profile; /* borrowed: times are added; or NULL */
};

/* A flat list of tokens: sequence t has tokens start[t] .. start[t + 1] - 1. */
struct bt_batch {
	size_t sequences, tokens;
	const uint32_t *start; /* [sequences + 1] */
	const int32_t *ids;    /* [tokens], each below the vocabulary's size */
	const uint8_t *types;  /* [tokens], each below the number of types */
	/* NULL, or rows that stand in place of those of the table of words, as
	 * wide as that: of token i row i, [tokens] of them. ids still say which
	 * tokens are padding, which positions depend on. */
	const float *words;
	/* NULL, or where a backward pass leaves the gradients of these rows,
	 * or of the table's, for each token by itself */
	float *word_grads;
	/* NULL, or the gradients of the logits, as many as these are, which a
	 * backward pass begins with in place of a loss's. A forward pass
	 * computes no loss of embeddings then. */
	const float *logit_grads;
	const uint32_t *selected; /* [n_selected] tokens that bt_op_select
	                           * takes, in their order; or NULL: none */
	size_t n_selected;
	const int32_t *labels; /* classes of the logits' rows, [sequences],
	                        * [tokens] or [n_selected]: negative ones have
	                        * no loss; or NULL: there is no loss */
	const float *targets;  /* [sequences] numbers to predict, or NULL: no
	                        * loss of them */
	const float *weights;  /* [sequences] of the loss, or NULL: all 1 */
	float loss_scale;      /* the loss is this times the weighted sum */
	const int32_t *next_labels; /* [sequences] of bt_op_next_loss, as
	                             * labels; or NULL */
	float next_scale;           /* likewise */
	float smoothing;            /* of labels */
	const float *class_weight;  /* [classes] of bt_op_softmax_loss and
	                             * bt_op_log_loss; or NULL: all 1 */
	float r_drop; /* weight of what rows 2i and 2i + 1 of the logits, which
	               * are of one text, are apart in the softmax loss of
	               * texts, without a teacher; or 0 */
	enum bt_embedding_loss embedding_loss; /* see bt_op_embedding_loss */
	struct bt_matryoshka matryoshka;       /* likewise */
	const float *pos_weight; /* [targets of a sequence] of those that are 1
	                          * in bt_op_sigmoid_loss, or NULL: all 1 */
	/* distillation, for losses of texts and words but bt_op_log_loss: row t
	 * of the logits, of a sequence or a token, has row teacher_row[t] of
	 * what the teacher wants, [rows][outputs]: at the temperature,
	 * probabilities; or numbers. NULL: none */
	const float *teacher;
	const uint32_t *teacher_row;
	float teacher_weight, temperature;

	/* Position in the run, for dropout and for adding up gradients. */
	bool train;      /* dropout is on */
	uint32_t step;   /* number of the update */
	uint32_t token0; /* tokens of the update before this batch */
	uint32_t sequence0;
};

/* The graph must outlive the engine. Made in two steps: bt_engine_plan lays out
 * everything, so that bt_engine_memory gives what a run needs;
 * bt_engine_allocate takes the memory. In between, an engine can only be
 * described and freed. bt_engine_new does both. */
int bt_engine_plan(const struct bt_graph *g, const struct bt_engine_opts *o,
                   struct bt_engine **e, struct bt_error *err) BT_MUST_USE;
int bt_engine_allocate(struct bt_engine *e, struct bt_error *err) BT_MUST_USE;
int bt_engine_new(const struct bt_graph *g, const struct bt_engine_opts *o,
                  struct bt_engine **e, struct bt_error *err) BT_MUST_USE;
void bt_engine_free(struct bt_engine *e);

/* Makes an engine that does not train, or is `fixed`, ready for batches of so
 * many tokens, so many of them selected, and sequences of such a length, if it
 * is not. What was computed is gone; parameters and packed weights stay. After
 * a failure it can only be freed. */
int bt_engine_grow(struct bt_engine *e, size_t tokens, size_t selected,
                   size_t length, struct bt_error *err) BT_MUST_USE;

/* Arenas of g->n_floats floats, parameters at their offsets. After the
 * parameters were changed, bt_engine_pack must be called. The gradients of
 * frozen parameters are not computed, and take no memory, but for those that
 * are computed as one with others. */
float *bt_engine_params(struct bt_engine *e);
float *bt_engine_grads(struct bt_engine *e); /* NULL unless it learns */

/* The parameter that is the table of words, if it is trained and no product
 * shares it, so that only rows of words in a batch have gradients; or -1. */
int bt_engine_word_table(const struct bt_engine *e);

/* Whether the gradient of that table, from the next backward pass that does not
 * add on, is but the rows that were touched: bt_engine_row_grads, valid until
 * the next backward pass; what bt_engine_grads has in its place means nothing.
 * At first it is not. */
void bt_engine_by_rows(struct bt_engine *e, bool by_rows);
struct bt_row_grads bt_engine_row_grads(const struct bt_engine *e);

/* Sets the gradients that backward passes give to zero. */
void bt_engine_zero_grads(struct bt_engine *e);

/* Maps parameter p to values of the caller's, e.g. in a mapped file, which must
 * outlive the engine; its part of the arena then takes no memory, if it was
 * never written. Only without `train` or with `fixed`, and for parameters that
 * are not joined to others (bt_param_alone). */
void bt_engine_map_param(struct bt_engine *e, int p, const float *values);

/* Of an engine without `train`: the parameter that is the table of words, if
 * nothing else reads it, or -1; and takes its rows from values of the caller's
 * in bf16, as bt_engine_map_param. An f32 table is made of them only if
 * bt_engine_param asks for it. */
int bt_engine_only_words(const struct bt_engine *e);
void bt_engine_map_words(struct bt_engine *e, const uint16_t *bf16);

/* The values of parameter p, wherever they are. */
const float *bt_engine_param(struct bt_engine *e, int p);

/* Brings the packed weights up to date; or those of trained parameters. */
int bt_engine_pack(struct bt_engine *e, struct bt_error *err) BT_MUST_USE;
int bt_engine_pack_trained(struct bt_engine *e,
                           struct bt_error *err) BT_MUST_USE;

/* Computes the logits and, with labels, the loss. */
int bt_engine_forward(struct bt_engine *e, const struct bt_batch *b,
                      struct bt_error *err) BT_MUST_USE;

/* Of the last forward pass: the logits, [rows, classes], valid until the next;
 * their rows, as many as sequences, tokens or selected tokens; the loss. */
const float *bt_engine_logits(const struct bt_engine *e);
size_t bt_engine_logit_rows(const struct bt_engine *e);

/* The second logits of a graph that has them, [sequences][2]; or NULL. */
const float *bt_engine_next_logits(const struct bt_engine *e);
double bt_engine_loss(const struct bt_engine *e);

/* Gradients of the last forward pass's loss, stored or, with add, added to what
 * is there. */
int bt_engine_backward(struct bt_engine *e, bool add,
                       struct bt_error *err) BT_MUST_USE;

/* What backward passes call as they go on, from the thread that runs them:
 * gradients at float `from` and behind are as the pass leaves them. NULL: none.
 */
typedef void bt_engine_ready_fn(void *ctx, size_t from);
void bt_engine_on_ready(struct bt_engine *e, bt_engine_ready_fn *fn, void *ctx);

/*
 * The loss of embeddings over more sequences than a batch has. x: their logits,
 * (sequences, outputs), by forward passes over parts of them; of b, what
 * bt_op_embedding_loss reads of all of them. Returns the loss and sets its
 * gradient by x, (sequences, outputs). A forward and a backward pass over a
 * batch, with the part of it that belongs to the batch as logit_grads, give its
 * share of the gradients. work: so many bytes, of doubles.
 */
size_t bt_engine_compare_bytes(const struct bt_engine *e, size_t sequences);
double bt_engine_compare(struct bt_engine *e, const struct bt_batch *b,
                         const float *x, double *work, float *grads);

/* With `detect`, after BT_ELIMIT: the sequence of the batch whose value was not
 * finite, or -1 where the value belongs to none. */
long bt_engine_bad_sequence(const struct bt_engine *e);

/* Operations (multiplications and additions) of the last forward pass's matrix
 * products, attention's included; and of a backward pass after it: twice as
 * many, less what nothing that is trained needs. */
double bt_engine_flop(const struct bt_engine *e);
double bt_engine_backward_flop(const struct bt_engine *e);

/* Switches the adding of times to the profile off and on; on to begin with. */
void bt_engine_profiling(struct bt_engine *e, bool on);

/* Puts the machine's limits into a profile, as they were measured beside each
 * batch, and prints it as notes. Copying is measured with 64 MB a thread. */
int bt_engine_log_profile(struct bt_engine *e, struct bt_profile *p,
                          const struct bt_log *log,
                          struct bt_error *err) BT_MUST_USE;

/* Largest batch, as given. */
void bt_engine_limits(const struct bt_engine *e, size_t *tokens,
                      size_t *sequences);

struct bt_pool *bt_engine_pool(const struct bt_engine *e); /* as given */

/* Bytes of each kind that the engine holds or, before bt_engine_allocate, will
 * hold (packed weights then by estimate). provider is
 * an estimate of what the library that multiplies takes for itself. */
struct bt_engine_memory {
	size_t params, grads, packed, activations, scratch, provider;
};

struct bt_engine_memory bt_engine_memory(const struct bt_engine *e);

/*
 * TensorFlow takes the norm of an embedding's gradient over its sparse rows,
 * one for each token, before the rows of equal tokens are added up. This is the
 * difference of the two squared norms (sparse minus dense), over all batches
 * since the gradients were begun; 0 without sparse_norm.
 */
double bt_engine_sparse_excess(const struct bt_engine *e);

/* Whether its products are in bf16. */
bool bt_engine_is_bf16(const struct bt_engine *e);

/* "products bf16 by onednn, kernels avx512": what decides the last bits. */
void bt_engine_arithmetic(const struct bt_engine *e, struct bt_buf *out);

/* The same, followed by what does not: ", 2 threads". */
void bt_engine_describe(const struct bt_engine *e, struct bt_buf *out);

/* A warning for the user about the products, or NULL. */
const char *bt_engine_warning(const struct bt_engine *e);

/* What an engine multiplies in, and by which provider, if nothing else is asked
 * for: a line, "matrix products: bf16 by onednn". */
void bt_engine_products(struct bt_buf *out);

/* True where this machine, by this provider or NULL, multiplies bf16 faster
 * than f32. */
bool bt_engine_prefers_bf16(const char *gemm);

#endif
