/* SPDX-License-Identifier: MIT */
/*
 * What stands between an encoder and the classes, where it is not what the
 * family has: what is made of the tokens of a text, or a whole head, described
 * as layers.
 */
#ifndef BT_MODEL_HEAD_H
#define BT_MODEL_HEAD_H

#include "base/buf.h"
#include "base/err.h"
#include "op/graph.h"

/* What the layer of a row for each class takes. */
enum bt_pooled {
	BT_POOLED_POOLER, /* what the family's layers make of the first token */
	BT_POOLED_FIRST,  /* the encoder's output for the first token */
	BT_POOLED_MEAN,   /* the mean over the tokens */
	BT_POOLED_MAX     /* the largest over the tokens */
};

#define BT_POOLED_NAMES "pooler|first|mean|max"

const char *bt_pooled_name(enum bt_pooled pool);

/* The pool of that name; false: none is called so. */
bool bt_pooled_named(const char *name, enum bt_pooled *pool);

enum bt_head_kind {
	BT_HEAD_POOLER, /* these four as in enum bt_pooled */
	BT_HEAD_FIRST,
	BT_HEAD_MEAN,
	BT_HEAD_MAX,
	BT_HEAD_FLATTEN,
	BT_HEAD_DROPOUT,
	BT_HEAD_DENSE
};

struct bt_head_layer {
	enum bt_head_kind kind;
	int units; /* of dense; 0: as many as there are classes */
	enum bt_activation act;
	bool softmax; /* dense gives logits of the classes, as it does without
	               * an activation */
	int length;   /* of flatten; 0: not known yet */
	float dropout;
};

#define BT_HEAD_LAYERS 32
#define BT_HEAD_UNITS (1 << 20) /* bound on what may be asked for */

/* n = 0: none. */
struct bt_head {
	int n;
	struct bt_head_layer layer[BT_HEAD_LAYERS];
};

/*
 * Reads layers with commas between:
 *   flatten [N], first, mean, max, pooler    one row of a text's tokens
 *   dropout P
 *   dense [N] [ACTIVATION]                   N outputs
 * One layer makes one row of the tokens; the last one is dense, whose outputs
 * are the classes: logits, or with softplus or relu not normalised
 * probabilities. BT_EARG names the layer that is wrong.
 */
int bt_head_parse(const char *spec, struct bt_head *h,
                  struct bt_error *err) BT_MUST_USE;

/* Appends what bt_head_parse reads as the same head. */
void bt_head_print(const struct bt_head *h, struct bt_buf *out);

/* Appends layer i as a message names it: "layer 2 of the head, 'dense 4'". */
void bt_head_name(const struct bt_head *h, int i, struct bt_buf *out);

/* The same layers, whatever the length of flattened texts. */
bool bt_head_equal(const struct bt_head *a, const struct bt_head *b);

/* The number of tokens that each text must have: 0: any; -1: one that is to be
 * found out, by bt_head_fix. */
int bt_head_length(const struct bt_head *h);
void bt_head_fix(struct bt_head *h, int length);

/* Whether only the encoder's output for the first token is read. */
bool bt_head_only_first(const struct bt_head *h);

#endif
