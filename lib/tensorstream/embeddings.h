/* SPDX-License-Identifier: MIT */
/* Files of embeddings, a row each, and the labels of the rows. */
#ifndef BT_TENSORSTREAM_EMBEDDINGS_H
#define BT_TENSORSTREAM_EMBEDDINGS_H

#include "base/string_set.h"
#include "io/in.h"
#include "tensorstream/vectors.h"

/* True of what begins as a tensor stream or an array of NumPy (.npy) does. */
int bt_embeddings_begin(struct bt_in *in, bool *is,
                        struct bt_error *err) BT_MUST_USE;

/* Adds the rows of such a file to v, as bt_vectors_add. */
int bt_embeddings_read(const char *path, struct bt_vectors *v,
                       struct bt_error *err) BT_MUST_USE;

struct bt_row_labels {
	struct bt_string_set *names; /* in the order of the file */
	size_t *of;                  /* [rows], among the names */
};

/*
 * The labels of all rows of v, from the column of that name (NULL: "label",
 * or else "cluster") of a CSV file with a header (TSV where its name ends so).
 * Where it has a column id and all rows came with ids, these say which label a
 * row has, and the file may have others; else labels are in the order of the
 * rows and as many. A row without a label and an id with two are BT_EFORMAT.
 */
int bt_row_labels_read(const char *path, const char *column,
                       const struct bt_vectors *v, struct bt_row_labels *l,
                       struct bt_error *err) BT_MUST_USE;
void bt_row_labels_clear(struct bt_row_labels *l);

#endif
