/* SPDX-License-Identifier: MIT */
/*
 * Weights of a model from a checkpoint: every parameter of the graph is
 * accounted for as loaded or fresh, every tensor of the checkpoint as used or
 * unused.
 *
 * Names: prefixes that wrappers add are dropped (module., _orig_mod., model.),
 * a bare encoder's names get the family's prefix ("bert."), and
 * LayerNorm.gamma/beta are read as weight/bias.
 * Tensors of TensorFlow go by the names that ckpt/names.h gives them.
 */
#ifndef BT_FINETUNE_WEIGHTS_H
#define BT_FINETUNE_WEIGHTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"
#include "io/out.h"
#include "op/graph.h"
#include "tensor/checkpoint.h"

struct bt_weights_report {
	int loaded; /* parameters */
	int fresh;
	int unused;       /* tensors */
	bool head_loaded; /* the classes were in the checkpoint */
	int old_classes;  /* classes that were taken by old_row */
	struct bt_buf fresh_names, unused_names; /* "a, b, c" */
};

/* Extended regular expressions for the names of what may be missing in the
 * checkpoint, or be there for nothing. */
struct bt_weights_gaps {
	struct bt_opt_list missing, unused;
	/* the top layers of the encoder of which nothing is taken, nor of what
	 * comes after them (model/layers.h), as if it were missing */
	int fresh_layers;
	/* for each class its row of the n_old in the checkpoint, or -1, which
	 * leaves that of the model alone; NULL: the rows are the same */
	const int *old_row;
	int n_old;
	/* for each class a row that is subtracted from that; or NULL */
	const int *minus_row;
};

/* Whatever is there for nothing may be; of zero gaps. */
void bt_weights_gaps_any(struct bt_weights_gaps *gaps);

/* BT_EARG if one of them is not an extended regular expression. */
int bt_weights_gaps_check(const struct bt_weights_gaps *gaps,
                          struct bt_error *err) BT_MUST_USE;

void bt_weights_report_clear(struct bt_weights_report *r);

/*
 * Copies what the checkpoint holds into the arena p of g->n_floats floats, or
 * with p NULL only sees that names and shapes fit. Where at is not NULL, what
 * the checkpoint holds as floats and stands alone is not copied: at[i] of
 * g->n_params is where parameter i stands, in the checkpoint or the arena. With
 * fresh_head, parameters of the head (struct bt_param) that are missing or, for
 * those of its classes, of another size are left alone and reported as fresh;
 * without it they are errors, as any other gap is: a parameter that is missing,
 * or a tensor of one layer more than the graph has, unless gaps, which may be
 * NULL, allows it. What may be missing and is, is left alone and reported as
 * fresh. BT_EARG for more fresh layers than there are. A shape that differs, or
 * a NaN or infinity, is an error that names the tensor.
 */
int bt_weights_load(const struct bt_graph *g, const struct bt_ckpt *c,
                    bool fresh_head, const struct bt_weights_gaps *gaps,
                    float *p, const float **at, struct bt_weights_report *r,
                    struct bt_error *err) BT_MUST_USE;

/* Where the checkpoint holds parameter i in bf16, as it is wanted: *at; else
 * NULL. A NaN or infinity there is an error. */
int bt_weights_find_bf16(const struct bt_graph *g, const struct bt_ckpt *c,
                         int i, const uint16_t **at,
                         struct bt_error *err) BT_MUST_USE;

/* Whether a tensor of the checkpoint has that name, but for what wrappers put
 * before it. */
bool bt_weights_has(const struct bt_ckpt *c, const char *name);

/* Values for every parameter, laid out as the arena, to be saved under the
 * parameters' names behind a prefix. */
struct bt_weights_set {
	const char *prefix;
	float *values;
	bool trained; /* without those of frozen parameters */
};

/* Writes the sets as one safetensors file, or to out, which the caller ends. */
int bt_weights_write(struct bt_out *out, const struct bt_graph *g,
                     const struct bt_weights_set *sets, int n_sets,
                     const struct bt_ckpt_note *notes, size_t n_notes,
                     struct bt_error *err) BT_MUST_USE;
int bt_weights_save(const char *path, const struct bt_graph *g,
                    const struct bt_weights_set *sets, int n_sets,
                    const struct bt_ckpt_note *notes, size_t n_notes,
                    struct bt_error *err) BT_MUST_USE;

/* Reads the sets back; nothing may be missing or of another shape. What is
 * there already is not written to. */
int bt_weights_restore(const struct bt_ckpt *c, const struct bt_graph *g,
                       const struct bt_weights_set *sets, int n_sets,
                       struct bt_error *err) BT_MUST_USE;

/* Random weights for all parameters, or with only >= 0 for that one. Element k
 * of parameter i gets the number that seed, i and k say; the row of words that
 * belongs to padding is zero. */
void bt_weights_init(const struct bt_graph *g, uint64_t seed, int only,
                     float *p);

#endif
