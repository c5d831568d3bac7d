/* SPDX-License-Identifier: MIT */
/* What reads the index of a TensorFlow checkpoint: tf_bundle.c, and for
 * variables that were saved in parts tf_slices.c. */
#ifndef BT_CKPT_FORMAT_TF_READ_INT_H
#define BT_CKPT_FORMAT_TF_READ_INT_H

#include "ckpt_format/tf_bundle.h"

/* Bytes of a shard that belong to one key. */
struct bt_tf_location {
	uint64_t shard, begin, end;
	const char *name;
};

struct bt_tf_shard {
	bool looked;
	const struct bt_ckpt_file *f; /* NULL: missing */
	const char *path;             /* NULL: the index has no name */
};

/* A part of a variable, at start and as long as length in each dimension. */
struct bt_tf_slice {
	const int64_t *start, *length;
	const uint8_t *data; /* NULL: the file is missing */
};

/* A variable that was saved in parts. */
struct bt_tf_slices {
	size_t tensor; /* index */
	struct bt_pb message;
	size_t slices;
	int64_t *numbers; /* starts and lengths */
	struct bt_tf_slice *slice;
	size_t n;     /* parts found */
	size_t count; /* their elements */
	bool missing;
};

struct bt_tf_read {
	struct bt_ckpt *c;
	const struct bt_ckpt_file *f;
	struct bt_tf_shard *shards;
	size_t n_shards; /* 0 before the header */
	struct bt_tf_location *places;
	size_t n_places, cap_places;
	struct bt_tf_part *parts;
	size_t n_parts, cap_parts;
	struct bt_tf_slices *wholes;
	size_t n_wholes, cap_wholes;
};

/* "'index': tensor 'name' what" */
int bt_tf_read_bad(const struct bt_tf_read *r, const char *name,
                   const char *what, struct bt_error *err);

/* Where the bytes of an entry are, and in which file; *p is NULL where that is
 * missing. */
int bt_tf_read_locate(struct bt_tf_read *r, const char *name,
                      const struct bt_tf_entry *e, const uint8_t **p,
                      const char **file, struct bt_error *err) BT_MUST_USE;

/* Finds all parts, and that they make a whole; puts them together, for which
 * they must not share bytes; forgets them. */
int bt_tf_slices_find(struct bt_tf_read *r, struct bt_tf_slices *w,
                      struct bt_error *err) BT_MUST_USE;
int bt_tf_slices_read(struct bt_tf_read *r, struct bt_tf_slices *w,
                      struct bt_error *err) BT_MUST_USE;
void bt_tf_slices_clear(struct bt_tf_slices *w);

#endif
