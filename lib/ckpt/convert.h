/* SPDX-License-Identifier: MIT */
/*
 * Whole conversions: a checkpoint read, its tensors chosen and renamed, turned
 * into other names, forms and types, and written in some format.
 */
#ifndef BT_CKPT_CONVERT_H
#define BT_CKPT_CONVERT_H

#include "base/buf.h"
#include "ckpt/names.h"

struct bt_convert_report {
	size_t tensors, bytes;
	size_t dropped, renamed; /* by rules */
	size_t unknown;          /* without a name of the wanted kind */
	struct bt_buf unknown_names;
	size_t overflows;   /* numbers that have become infinite */
	bool no_pooler;     /* zeros stand for one */
	const char *format; /* what was written */
	const char *names;  /* whose they are */
	const char *path;   /* what can be opened */
	int copied;         /* files that stand beside it */
};

/* What is to be done; NULL and 0 are the defaults. Texts are borrowed. */
struct bt_convert {
	const char *from, *to;
	const char *format; /* "safetensors", "npz", "gguf", "tf1", "tf2", "h5"
	                     * or "keras" [by to] */
	const char
	    *names; /* "hf", "tf1", "tf2", "gguf" or "keep" [by format] */
	const char *dtype; /* "f32", "bf16" or "f16" */
	const char *shard_size;
	int heads;
	bool behind; /* as bt_out_behind */
	const char *const *rename, *const *drop;
	int n_rename, n_drop;

	struct bt_convert_report report; /* after bt_convert_run */
	struct bt_buf path;              /* inner */
};

/* BT_EARG where the parts do not go together. */
int bt_convert_check(const struct bt_convert *r,
                     struct bt_error *err) BT_MUST_USE;

/*
 * Copies the configuration and the tokenizer's files from the directory that
 * from is, or is in, to another, save those that are there; *copied is how
 * many. A SavedModel's vocabulary is among them.
 */
int bt_sidecar_copy(const char *from, const char *dir, int *copied,
                    struct bt_error *err) BT_MUST_USE;

/*
 * Reads and writes. Names of from are dropped and renamed first, then brought
 * into Hugging Face's, from there into others: where names is NULL, TensorFlow
 * formats get their own, and the others Hugging Face's where those of from are
 * TensorFlow's, else they are kept. Where to is a directory, what stands beside
 * from goes there as well.
 */
int bt_convert_run(struct bt_convert *r, struct bt_error *err) BT_MUST_USE;

void bt_convert_clear(struct bt_convert *r);

#endif
