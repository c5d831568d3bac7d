/* SPDX-License-Identifier: MIT */
/*
 * Optimizers. With gradient g, parameter p, learning rate lr, decay wd, t
 * updates counted from 1, and for all but sgd
 *   m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2
 *   M = m / (1-b1^t);     V = v / (1-b2^t)
 *
 *   adamw         p = p (1 - lr wd) - lr M / (sqrt(V) + eps)
 *                 [Loshchilov & Hutter 2019, as PyTorch computes it]
 *   adamw-google  p = p (1 - lr wd) - lr m / (sqrt(v) + eps): no correction of
 *                 the moments [Devlin et al. 2018, BERT's own]
 *   adam          p = p (1 - lr wd) - lr M sqrt(1-b2^t) / (sqrt(v) + eps), that
 *                 is eps added before the correction [Kingma & Ba 2014, section
 *                 2, as Keras computes it]; with wd TensorFlow's
 *                 AdamWeightDecay
 *   lamb          u = M / (sqrt(V) + eps) + wd p;  p = p - lr |p|/|u| u, the
 *                 quotient 1 where a norm is 0 or no decay applies
 *                 [You et al. 2019]
 *   sgd           m = momentum m + g + wd p;  p = p - lr m
 *
 * Parameters may learn at different rates: those of layer l of L (from 0) at lr
 * layer_decay^(L - l), embeddings at lr layer_decay^(L + 1), what comes after
 * the layers at lr [Howard & Ruder 2018, "ULMFiT", 3.2; the exponents of
 * Bao et al. 2021, "BEiT"], the head at lr head_scale.
 *
 * Frozen parameters have neither moments nor decay: they stay as they are.
 *
 * Weight decay applies to parameters that the graph marks for it: weights and
 * embeddings, not biases and norms. That is also what is left by the list of
 * names that Google's programs exclude (LayerNorm, layer_norm, bias). Norms of
 * LAMB are those of each parameter.
 */
#ifndef BT_OPTIM_OPTIM_H
#define BT_OPTIM_OPTIM_H

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/kernels.h"
#include "dist/dist.h"
#include "op/graph.h"
#include "optim/row_set.h"

enum bt_optimizer {
	BT_OPTIM_ADAMW,
	BT_OPTIM_ADAMW_GOOGLE,
	BT_OPTIM_ADAM,
	BT_OPTIM_LAMB,
	BT_OPTIM_SGD,
	BT_OPTIMIZERS
};

#define BT_OPTIM_NAMES "adamw|adamw-google|adam|lamb|sgd"

/* Where a value is negative it is the optimizer's own. */
struct bt_optim_opts {
	enum bt_optimizer kind;
	double beta1, beta2; /* .9, .999 */
	double eps;          /* 1e-8; 1e-7 of adam, 1e-6 of Google's, lamb */
	double momentum;     /* of sgd: .9 */
	double weight_decay; /* .01; 0 of adam and sgd */
	double clip;         /* largest norm of all gradients; 0: any */
	bool clip_rows;      /* that norm takes each token's row of the word
	                      * table by itself, as TensorFlow's does; see
	                      * bt_engine_sparse_excess */
	double clip_value;   /* largest element of them, after that; 0: any */
	double layer_decay;  /* 1 */
	double head_scale;   /* 1 */
};

#define BT_OPTIM_INIT                                                          \
	{                                                                      \
		.beta1 = -1, .beta2 = -1, .eps = -1, .momentum = -1,           \
		.weight_decay = -1, .clip = 1, .layer_decay = 1,               \
		.head_scale = 1                                                \
	}

/* The name must be one of BT_OPTIM_NAMES. */
enum bt_optimizer bt_optim_named(const char *name);
const char *bt_optim_name(enum bt_optimizer kind);

/* BT_EARG, naming the option, for a setting that the kind does not have. */
int bt_optim_check(const struct bt_optim_opts *o,
                   struct bt_error *err) BT_MUST_USE;

/* The same with the optimizer's own values where they are not given. */
struct bt_optim_opts bt_optim_complete(const struct bt_optim_opts *o);

/* Arrays as large as all parameters that it keeps, and that an update reads and
 * writes. */
int bt_optim_moments(enum bt_optimizer kind);
int bt_optim_traffic(enum bt_optimizer kind);

struct bt_optim_rows;

struct bt_optim {
	struct bt_optim_opts o; /* complete */
	const struct bt_kernels *k;
	struct bt_pool *pool; /* borrowed */
	struct bt_arena m, v; /* moments, laid out as the parameters; v has no
	                       * memory where there is but one */
	struct bt_optim_piece *pieces;
	int n_pieces, n_params;
	double *sums;  /* [n_pieces][2] */
	double *ratio; /* [n_params], of lamb */

	struct bt_optim_rows *rows; /* of parameter by_rows; NULL: none */
	int by_rows;

	/* Ranks divide the pieces: rank r updates pieces piece_at[r] ..
	 * piece_at[r + 1] - 1, which are floats at[r] .. at[r + 1] - 1, and
	 * keeps their moments. */
	struct bt_dist *dist; /* borrowed; NULL: one process has all */
	size_t *piece_at, *at;
	int first, last; /* pieces of this rank */

	/* of several ranks that have rows: the pieces and rows of by_rows are
	 * divided by themselves, and the others come behind. Where an update
	 * moved rows, other ranks have old ones until they read them. */
	size_t *row_piece_at, *row_at;
	int row_first, row_last;
	bool stale;
	float *moving; /* rows that are sent to others */
};

/* dist may be NULL. */
int bt_optim_init(struct bt_optim *a, const struct bt_graph *g,
                  const struct bt_optim_opts *o, struct bt_pool *pool,
                  struct bt_dist *dist, struct bt_error *err) BT_MUST_USE;
void bt_optim_clear(struct bt_optim *a);

/* The moments of all ranks on rank 0, of which other ranks get no use: *m and
 * *v, arenas of a or new ones that bt_optim_give_back takes. Collective.
 * BT_ENOMEM on all ranks. */
int bt_optim_gather(struct bt_optim *a, struct bt_arena *m, struct bt_arena *v,
                    struct bt_error *err) BT_MUST_USE;
void bt_optim_give_back(const struct bt_optim *a, struct bt_arena *m,
                        struct bt_arena *v);

/* After moments of all were read into a->m and a->v, and parameters: keeps this
 * rank's. */
void bt_optim_go_on(struct bt_optim *a);

/*
 * Whether a kind of optimizer can have a parameter's gradient as rows
 * (optim/rows.h), and says that parameter i will have, of no more than `most`
 * rows in an update. From then on its weights and moments may be behind: they
 * are up to date after a call of bt_optim_catch_up, those of rows that are
 * about to be read, or all with NULL. Before bt_optim_gather all must be. With
 * several ranks that is collective, where an update was made since all were up
 * to date; each has the weights of others then. They divide the parameters
 * anew, and i must be the first that is trained.
 */
bool bt_optim_takes_rows(enum bt_optimizer kind);
int bt_optim_by_rows(struct bt_optim *a, const struct bt_graph *g, int i,
                     size_t most, struct bt_error *err) BT_MUST_USE;
void bt_optim_catch_up(struct bt_optim *a, float *params,
                       const struct bt_row_set *set);

/* The Euclidean norm of all gradients, whose squares are apart more (0: as they
 * are); not finite if one of them is not. rows: the gradient of the parameter
 * that has rows, of which a rank has its own, and nothing in grads; NULL where
 * none has. */
double bt_optim_norm(struct bt_optim *a, const float *grads,
                     const struct bt_row_grads *rows, double apart);

/*
 * The constants of update t, for whoever computes it elsewhere: of *w what does
 * not depend on the gradients' norm, without rate and keep, which are those of
 * parameter i in rate[i] and keep[i]: 0 and 1 of one that is frozen. Of lamb
 * and sgd keep[i] is its decay, w->rate by what lamb corrects m, and w->beta1
 * sgd's momentum. *more is added to a norm above o.clip, which it is divided
 * by.
 */
void bt_optim_constants(const struct bt_optim *a, double lr, int64_t t,
                        struct bt_adamw *w, double *more, float *rate,
                        float *keep);

/* Update number t >= 1 of the parameters with gradients of that norm, which was
 * asked for before. Of grads, for both, a rank's pieces are looked at; the
 * parameters of all are updated. */
void bt_optim_update(struct bt_optim *a, float *params, const float *grads,
                     const struct bt_row_grads *rows, double norm, double lr,
                     int64_t t);

#endif
