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
	size_t idle;             /* rules that changed nothing */
	struct bt_buf idle_rules;
	size_t unknown; /* without a name of the wanted kind */
	struct bt_buf unknown_names;
	bool left_out;      /* these are not written */
	size_t overflows;   /* numbers that have become infinite */
	bool no_pooler;     /* zeros stand for one */
	const char *format; /* what was written */
	const char *names;  /* whose they are */
	const char *path;   /* what can be opened */
	int copied;         /* files that stand beside it */
};

/* What is written. */
enum bt_convert_format {
	BT_CONVERT_UNKNOWN,
	BT_CONVERT_SAFETENSORS,
	BT_CONVERT_NPZ,
	BT_CONVERT_GGUF,
	BT_CONVERT_TF1,
	BT_CONVERT_TF2,
	BT_CONVERT_H5,
	BT_CONVERT_KERAS
};

/* A format by its word ("tf1"), and by the name of a file or directory. */
enum bt_convert_format bt_convert_format_parse(const char *word);
enum bt_convert_format bt_convert_format_of(const char *path);
const char *bt_convert_format_word(enum bt_convert_format format);

/* The names that go with a format, BT_NAMES_DEFAULT where none do; and names by
 * their word ("hf"). */
enum bt_names bt_convert_format_names(enum bt_convert_format format);
enum bt_names bt_convert_names_parse(const char *word);

/* What is to be done; NULL and 0 are the defaults, if not said otherwise. Texts
 * are borrowed. */
struct bt_convert {
	const char *from, *to;
	enum bt_convert_format format; /* must be given */
	enum bt_names names;
	enum bt_dtype dtype; /* of floating-point tensors; BT_DTYPES: kept */
	bool q8;             /* gguf, with a dtype of F32: Q8_0 */
	size_t shard_size;   /* safetensors in a directory; bytes */
	int heads;
	bool behind; /* as bt_out_behind */
	bool force;  /* `to` may be the only file of `from`, which it replaces
	              * when it is complete */
	const char *const *rename, *const *drop;
	int n_rename, n_drop;
	const char *const *others; /* whose mean with `from` is written */
	int n_others;

	struct bt_convert_report report; /* after bt_convert_run */
	struct bt_buf path;              /* inner */
};

/* BT_EREMOTE for addresses, BT_EARG for a name that means another form. */
int bt_convert_check(const struct bt_convert *r,
                     struct bt_error *err) BT_MUST_USE;

/*
 * Copies the configuration and the tokenizer's files from the directory that
 * from is, or is in, to another, save those that are there; *copied is how
 * many. A SavedModel's vocabulary is among them. Of an adapter without a
 * tokenizer, what its base model has follows.
 */
int bt_sidecar_copy(const char *from, const char *dir, int *copied,
                    struct bt_error *err) BT_MUST_USE;

/* BT_EARG where to is one of those files, or another of the model's beside its
 * weights, which an output would replace; a to of NULL is standard output. */
int bt_sidecar_spare(const char *from, const char *to,
                     struct bt_error *err) BT_MUST_USE;

/*
 * Reads and writes. Names of from are dropped and renamed first, then brought
 * into Hugging Face's, from there into others: by default TensorFlow formats
 * get their own, and the others Hugging Face's where those of from are
 * TensorFlow's, else they are kept. Where to is a directory, what stands beside
 * from goes there as well.
 */
int bt_convert_run(struct bt_convert *r, struct bt_error *err) BT_MUST_USE;

void bt_convert_clear(struct bt_convert *r);

#endif
