/* SPDX-License-Identifier: MIT */
/*
 * A frame of a tensor stream by its rows: bertutils-stream(5), "Rows". The
 * tensors id and id_offsets name them; every other tensor has a row for each.
 */
#ifndef BT_TENSORSTREAM_FRAME_H
#define BT_TENSORSTREAM_FRAME_H

#include <jansson.h>

#include "base/buf.h"
#include "base/span.h"
#include "ckpt_format/safetensors.h"

#define BT_FRAME_ID "id"
#define BT_FRAME_OFFSETS "id_offsets"
#define BT_FRAME_LOGITS "logits"
#define BT_FRAME_PROBABILITIES "probabilities"
#define BT_FRAME_EMBEDDINGS "embeddings"
/* I64 [n], where rows are of the words of texts: the ids are those of the
 * texts, and this counts the words of each from 0 on */
#define BT_FRAME_POSITION "position"
/* in the metadata: names of columns, and what they are, as config.json's
 * problem_type says it; a class of several where it is not there */
#define BT_FRAME_LABELS "labels"
#define BT_FRAME_PROBLEM "problem_type"
#define BT_FRAME_MULTI "multi_label_classification"
#define BT_FRAME_NUMBERS "regression"
#define BT_FRAME_RANKING "ranking" /* numbers from 0 to 1: their logits */
#define BT_FRAME_MODEL "model"     /* of embeddings: bt_model's fingerprint */

struct bt_frame {
	struct bt_safetensors s; /* the tensors, borrowed */
	size_t rows;
	bool whole; /* tensors without a common first dimension and without
	             * ids: they count as one row */
	const struct bt_tensor *id, *offsets; /* NULL: the rows have no ids */
};

/* Finds the rows of f->s. Offsets that are wrong, and beside ids a tensor that
 * has not a row for each, are BT_EFORMAT. */
int bt_frame_init(struct bt_frame *f, struct bt_error *err) BT_MUST_USE;

/* The same for the tensors and notes of c, which are borrowed. */
int bt_frame_of(const struct bt_ckpt *c, struct bt_frame *f,
                struct bt_error *err) BT_MUST_USE;

/* The tensor of that name, or NULL. */
const struct bt_tensor *bt_frame_find(const struct bt_frame *f,
                                      const char *name);

/* The note of that name, or NULL. */
const char *bt_frame_note(const struct bt_frame *f, const char *key);

/* True for a tensor that is not id or id_offsets. */
bool bt_frame_is_value(const struct bt_frame *f, const struct bt_tensor *t);

/* How many tensors are not ids; where there is one, *t is it. */
size_t bt_frame_values(const struct bt_frame *f, const struct bt_tensor **t);

/* Elements and bytes of a row. */
size_t bt_frame_row_count(const struct bt_frame *f, const struct bt_tensor *t);
size_t bt_frame_row_bytes(const struct bt_frame *f, const struct bt_tensor *t);

/* Id of row i; p NULL where there are none. */
struct bt_span bt_frame_id(const struct bt_frame *f, size_t i);

/* The class names as a JSON list of texts, for the caller to json_decref; NULL:
 * there are none, or what stands there is no such list. */
json_t *bt_frame_labels(const struct bt_frame *f);

/* A frame that is made here: tensors one after the other. */
struct bt_frame_builder {
	struct bt_tensor *t;
	size_t *at, *shape_at; /* into data and shapes */
	size_t n, t_cap, at_cap, shape_cap;
	struct bt_buf data, shapes;
};

/* Zero is an empty one. */
void bt_frame_builder_reset(struct bt_frame_builder *m); /* keeps the memory */
void bt_frame_builder_clear(struct bt_frame_builder *m);

/* Adds a tensor; the name is borrowed, the shape copied. *data is to be filled
 * before the next call. */
int bt_frame_builder_add(struct bt_frame_builder *m, const char *name,
                         enum bt_dtype dtype, int rank, const int64_t *shape,
                         void **data, struct bt_error *err) BT_MUST_USE;

/* Adds the tensors id and id_offsets for the rows from .. from+n-1 of f, which
 * has ids. */
int bt_frame_builder_ids(struct bt_frame_builder *m, const struct bt_frame *f,
                         size_t from, size_t n,
                         struct bt_error *err) BT_MUST_USE;

/* Makes a frame of what was added, borrowed until m changes. */
int bt_frame_builder_done(struct bt_frame_builder *m,
                          const struct bt_ckpt_note *notes, size_t n_notes,
                          struct bt_frame *f, struct bt_error *err) BT_MUST_USE;

/*
 * Copies to out the frame with those of its tensors that are named; with id,
 * id_offsets too. tensors has room for f->s.count of them. A name that f lacks
 * is BT_EFORMAT.
 */
int bt_frame_select(const struct bt_frame *f, const struct bt_span *names,
                    size_t n_names, struct bt_tensor *tensors,
                    struct bt_frame *out, struct bt_error *err) BT_MUST_USE;

#endif
