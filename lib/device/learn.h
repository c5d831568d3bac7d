/* SPDX-License-Identifier: MIT */
/*
 * Trains a graph's parameters on a device, which has been loaded with them: the
 * gradients of one batch or several, then an update. Parameters, moments and
 * gradients stay on the device, where an update takes their places. What is
 * computed is what the CPU's engine and optimizer compute but for rounding, the
 * elements that dropout drops included.
 *
 * A batch of more than bt_device_places() places on each device is run in
 * pieces whose gradients are added up; likewise one for which the device says
 * that its memory is too small, in pieces half as large. Each piece is divided
 * among the replicas, whose gradients are summed in the program. Groups of
 * texts that a loss is of (bt_op_groups) are not parted.
 */
#ifndef BT_DEVICE_LEARN_H
#define BT_DEVICE_LEARN_H

#include "device/device.h"
#include "device/sizes.h"
#include "op/ops.h"
#include "stablehlo/program.h"

struct bt_device_learning {
	uint64_t seed;                       /* of dropout */
	size_t longest;                      /* tokens of a text */
	const struct bt_device_sizes *sizes; /* of programs for batches that
	                                      * they hold; or NULL. Read once */
	enum bt_hlo_rule rule;               /* of updates */
	size_t places; /* of a device at most; 0: bt_device_places(); SIZE_MAX:
	                * a batch is never run in pieces */
	bool row_norm; /* the norm of gradients takes that of the word table as
	                * TensorFlow's does; see bt_engine_sparse_excess */
	float smoothing;
	const float *class_weight; /* as in bt_hlo_opts; borrowed, as is: */
	const float *pos_weight;
	float teacher_weight, temperature; /* of a teacher; 0: there is none */
	float r_drop; /* texts 2i and 2i + 1 of batches are passes of one; 0:
	               * each is its own */
	enum bt_embedding_loss embedding_loss;
	struct bt_matryoshka matryoshka;
	bool given;     /* there is no loss: batches bring the gradient by the
	                 * logits, which bt_device_embed gives */
	bool moves;     /* bt_device_move is called, which moves */
	int move_param; /* this parameter */
	const float *const *moment1, *const *moment2; /* [n_params] each, read
	                                               * once; of frozen
	                                               * parameters unused, the
	                                               * second ones of SGD */
};

/* Makes a device ready for training, or, once it is, takes other moments. What
 * of the graph cannot be trained there is BT_EARG. */
int bt_device_learn(struct bt_device *d, const struct bt_device_learning *o,
                    struct bt_error *err) BT_MUST_USE;

/* Replaces the parameters, as bt_device_load takes them. */
int bt_device_reload(struct bt_device *d, const float *const *param,
                     struct bt_error *err) BT_MUST_USE;

/* What is to be learned of texts: as the CPU's batches have it (cpu/engine.h).
 */
struct bt_device_batch {
	struct bt_device_texts texts;
	const int32_t *labels; /* of losses of groups, which need them: the
	                        * texts' numbers in theirs */
	const float *targets;  /* [texts][n_targets]; NULL: of a loss of
	                        * classes labels are these */
	size_t n_targets;
	const float *teacher; /* [rows][columns of the logits]; or NULL */
	const uint32_t *teacher_row;
	const float *weights;
	const int32_t *next_labels;
	const float *logit_grads; /* [texts][columns], where they are given */
	float loss_scale, next_scale;
	uint32_t step, token0, sequence0;
};

/* Begins with the loss and the gradients of a batch, which are those of the
 * next update or are added to them. Returns before the device has computed
 * them, as bt_device_update does, so that it need not wait for what comes next;
 * only the first run of each program is waited for, which tells whether memory
 * is large enough. */
int bt_device_gradients(struct bt_device *d, const struct bt_device_batch *b,
                        bool add, struct bt_error *err) BT_MUST_USE;

/* The logits of a batch as it is learned from, with dropout, in the order of
 * its texts: [texts][columns]. Waits for them; nothing is set where nothing is
 * computed. */
int bt_device_embed(struct bt_device *d, const struct bt_device_batch *b,
                    float *logits, struct bt_error *err) BT_MUST_USE;

/* Moves the parameter by its gradient, as bt_hlo_move has it, until
 * bt_device_move_back, before which nothing is updated or read. Gradients that
 * are added there count, losses do not. */
int bt_device_move(struct bt_device *d, double step,
                   struct bt_error *err) BT_MUST_USE;
void bt_device_move_back(struct bt_device *d);

/* The constants of an update, as bt_hlo_update has them; INFINITY for no limit
 * and no clipping. */
struct bt_device_step {
	float beta1, beta2, fresh1, fresh2, correct1, correct2, eps;
	float limit, clip, clip_more;
	const float *rates, *keeps; /* [n_params]; or decays */
};

/* Updates the parameters. */
int bt_device_update(struct bt_device *d, const struct bt_device_step *s,
                     struct bt_error *err) BT_MUST_USE;

/* What an update came to. */
struct bt_device_outcome {
	double loss;   /* of its batches, summed */
	int64_t right; /* of classes, rows of the logits whose largest is that
	                * of their label */
	double norm;   /* of all gradients */
};

/* Whether all outcomes are there, so that nobody waits for them. */
bool bt_device_idle(struct bt_device *d);

/* Waits for the earliest update that was not asked for yet. After an error the
 * device has lost what it learned. */
int bt_device_outcome(struct bt_device *d, struct bt_device_outcome *o,
                      struct bt_error *err) BT_MUST_USE;

/* Copies parameter i from the device; its moments, of one that is trained,
 * unless they are NULL. */
int bt_device_read(struct bt_device *d, int i, float *param, float *moment1,
                   float *moment2, struct bt_error *err) BT_MUST_USE;

#endif
