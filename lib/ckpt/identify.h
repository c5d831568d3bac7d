/* SPDX-License-Identifier: MIT */
/*
 * What model a checkpoint is, told by the names and shapes of its tensors and,
 * where they stand beside it, its configuration and its tokenizer's files.
 */
#ifndef BT_CKPT_IDENTIFY_H
#define BT_CKPT_IDENTIFY_H

#include "base/buf.h"
#include "tensor/checkpoint.h"

/* Numbers are 0 where they are not known. */
struct bt_ckpt_family {
	const char *family; /* "bert"; NULL: not known */
	int64_t layers, hidden_size, heads, intermediate_size;
	int64_t vocabulary, positions, embedding_size;
	const char *head;        /* "none", "classifier", ... */
	int64_t labels;          /* of a classifier */
	const char *problem;     /* "regression", ...; NULL: not said */
	struct bt_buf tokenizer; /* files, "a, b" */
};

void bt_ckpt_family_clear(struct bt_ckpt_family *f);

/* Looks at c, which was opened as path. */
int bt_ckpt_family(const struct bt_ckpt *c, const char *path,
                   struct bt_ckpt_family *f, struct bt_error *err) BT_MUST_USE;

/* A line for each thing that is known; or JSON. */
void bt_inspect_family(struct bt_buf *b, const struct bt_ckpt_family *f);
void bt_inspect_family_json(struct bt_buf *b, const struct bt_ckpt_family *f);

#endif
